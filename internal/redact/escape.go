package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape returns s safe to write to a terminal. What could act on the terminal
// or hide from the reader is written visibly, as \x1b or \u202e; newline and
// tab stay. A byte that is not UTF-8 becomes \xNN. Escape is idempotent.
func Escape(s string) string { return escape(s, false) }

// EscapeLine is Escape for text that must stay on one line, such as a file's
// name: newline and tab are written as \n and \t.
func EscapeLine(s string) string { return escape(s, true) }

// EscapeJSON returns JSON with its strings written such that Escape leaves the
// text as it is, and with the same meaning: what Escape would change becomes a
// JSON escape. Space between tokens may be newlines and tabs, not carriage
// returns.
func EscapeJSON(raw []byte) []byte {
	if plain(string(raw), false) {
		return raw
	}
	out := make([]byte, 0, len(raw)+64)
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(out, `\ufffd`...)
		case r == '\n' || r == '\t' || !hidden(r):
			out = append(out, raw[i:i+size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out
}

func escape(s string, line bool) string {
	if plain(s, line) {
		return s
	}
	var b strings.Builder
	base := false // the rune before can carry a variation selector
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			writeHex(&b, 'x', 2, rune(s[i]))
			base = true
		case r == '\n' && !line, r == '\t' && !line:
			b.WriteByte(s[i])
			base = false
		case keep(r, base):
			b.WriteString(s[i : i+size])
			base = !unicode.Is(unicode.Variation_Selector, r)
		default:
			writeVisible(&b, r)
			base = true
		}
		i += size
	}
	return b.String()
}

// plain reports whether s is printable ASCII, which is the common case.
func plain(s string, line bool) bool {
	for i := range len(s) {
		c := s[i]
		if c >= 0x7f || c < ' ' && (line || c != '\n' && c != '\t') {
			return false
		}
	}
	return true
}

// keep reports whether r may be shown as it is. base says that the rune before
// it can carry a variation selector: one that asks for text or emoji style is
// kept there, since emoji need it; more of them, or others, carry hidden data.
func keep(r rune, base bool) bool {
	if r == 0xfe0e || r == 0xfe0f {
		return base
	}
	return !hidden(r)
}

// hidden reports whether r controls or hides instead of showing: controls,
// format characters (bidirectional controls, zero-width characters, tags), line
// and paragraph separators, characters that Unicode says to ignore where they
// are unknown (fillers, variation selectors), and noncharacters. Source: the
// properties of the Unicode version of package unicode.
func hidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	if r < 0xad {
		return r <= 0x9f
	}
	// Prepended marks have the category of format characters and are visible.
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point)
}

// writeVisible writes r as an escape of printable ASCII.
func writeVisible(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r < 0x80:
		writeHex(b, 'x', 2, r)
	case r <= 0xffff:
		writeHex(b, 'u', 4, r)
	default:
		writeHex(b, 'U', 8, r)
	}
}

func writeHex(b *strings.Builder, kind byte, digits int, r rune) {
	const hex = "0123456789abcdef"
	b.WriteByte('\\')
	b.WriteByte(kind)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b.WriteByte(hex[r>>shift&15])
	}
}
