package rules

import (
	"fmt"
	"unicode/utf8"

	"palisade"
	"palisade/internal/analysis"
)

// hidden finds characters that a reader does not see, or sees elsewhere. It
// reports the first of each kind on a line.
func hidden(file string, src []byte) []analysis.Fact {
	var out []analysis.Fact
	line, start := 1, 0
	lastLine, lastKind := 0, ""
	prev := rune(0)
	for i := 0; i < len(src); {
		if c := src[i]; c >= 0x20 && c < 0x7f {
			prev = rune(c)
			i++
			continue
		}
		r, size := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(src[i:])
		}
		next := rune(0)
		if i+size < len(src) {
			next, _ = utf8.DecodeRune(src[i+size:])
		}
		kind := hiddenKind(r, prev, next)
		if kind != "" && (line != lastLine || kind != lastKind) && len(out) < 200 {
			lastLine, lastKind = line, kind
			out = append(out, analysis.Fact{
				Capability: palisade.CapObfuscation, File: file, Line: line, Column: i - start + 1,
				Symbol: kind, Argument: fmt.Sprintf("U+%04X", r), Kind: analysis.KindHidden,
			})
		}
		if r == '\n' {
			line, start = line+1, i+1
		}
		prev = r
		i += size
	}
	return out
}

// hiddenKind names the kind of a hidden character; "" for any other. Source:
// Unicode Bidirectional Algorithm (UAX 9), table of default-ignorable code
// points, and Unicode Technical Report 36.
func hiddenKind(r, prev, next rune) string {
	switch {
	case r >= 0x20 && r < 0x7f, r == '\n', r == '\t', r == '\f':
		return ""
	case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0:
		return "control character"
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return "bidirectional control"
	case r == 0x200c, r == 0x200d:
		// Joiners belong to some scripts and to emoji, between their letters.
		if prev > 0x7f && next > 0x7f {
			return ""
		}
		return "invisible character"
	case r == 0x200b, r >= 0x2060 && r <= 0x2065, r == 0xfeff, r == 0x180e, r == 0x00ad, r == 0x034f,
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r >= 0x206a && r <= 0x206f:
		return "invisible character"
	case r >= 0xe0000 && r <= 0xe007f:
		return "tag character"
	}
	return ""
}
