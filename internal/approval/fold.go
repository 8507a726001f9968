package approval

import (
	"strings"
	"unicode/utf8"
)

// foldWidth is the number of cells of the narrowest terminal that is usual.
const foldWidth = 80

// foldWord is the most that a line is made shorter for a word, in bytes.
const foldWord = 24

// foldMark begins what goes on a line before it, so that none of it can pass for
// a line that begins.
const foldMark = "      …> "

// Fold breaks a line that is wider than a terminal of 80 cells into several, each
// but the first behind a mark. Without it a terminal would begin the rest of a
// long line in its first column, as if it were a line of its own.
//
// Where words stand near the end of a line, it breaks behind one.
func Fold(line string) string {
	if len(line) <= foldWidth && !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	start, at, space := 0, 0, 0 // of this row: its first byte, its cells, behind its last space
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		// A rune beyond ASCII may take two cells; a tab goes to the next stop.
		width := 1
		if r == '\t' {
			width = 8 - at%8
		} else if r >= utf8.RuneSelf {
			width = 2
		}
		if at+width > foldWidth {
			if space > start && i-space <= foldWord {
				i = space
			}
			b.WriteString(line[start:i] + "\n" + foldMark)
			start, at, space = i, len(foldMark), i
			continue
		}
		i, at = i+size, at+width
		if r == ' ' {
			space = i
		}
	}
	return b.String() + line[start:]
}
