package approval

import (
	"strings"
	"unicode/utf8"
)

// foldWidth is the number of cells of the narrowest terminal that is usual.
const foldWidth = 80

// foldMark begins what goes on a line before it, so that none of it can pass for
// a line that begins.
const foldMark = "      …> "

// Fold breaks a line that is wider than a terminal of 80 cells into several, each
// but the first behind a mark. Without it a terminal would begin the rest of a
// long line in its first column, as if it were a line of its own.
func Fold(line string) string {
	if len(line) <= foldWidth && !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	at := 0
	for len(line) > 0 {
		r, size := utf8.DecodeRuneInString(line)
		// A rune beyond ASCII may take two cells; a tab goes to the next stop.
		width := 1
		if r == '\t' {
			width = 8 - at%8
		} else if r >= utf8.RuneSelf {
			width = 2
		}
		if at+width > foldWidth {
			b.WriteString("\n" + foldMark)
			at = len(foldMark)
		}
		b.WriteString(line[:size])
		line, at = line[size:], at+width
	}
	return b.String()
}
