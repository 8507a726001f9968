package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func itoa(n int) string { return strconv.Itoa(n) }

// literal gives the pieces of unquoted literal text: what a backslash quotes is
// text, the rest may be a pattern.
func literal(s string) []piece {
	s = emptied(s)
	if strings.IndexByte(s, '\\') < 0 {
		return []piece{{values: []value{text(s)}, literal: true}}
	}
	var out []piece
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			out = append(out, piece{values: []value{text(s)}, literal: true})
			break
		}
		if i > 0 {
			out = append(out, piece{values: []value{text(s[:i])}, literal: true})
		}
		_, n := utf8.DecodeRuneInString(s[i+1:])
		if quoted := s[i+1 : i+1+n]; quoted != "\n" { // an escaped line end is nothing
			out = append(out, piece{values: []value{text(quoted)}, quoted: true})
		}
		s = s[i+1+n:]
	}
	return out
}

// unescapeQuoted takes the backslashes out of text in double quotes.
func unescapeQuoted(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '\n':
				i++
				continue
			case '"', '\\', '$', '`':
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// decodeANSI decodes $'…' and what echo -e and printf write: Bash's manual,
// ANSI-C Quoting. Text in which letters were written as numbers is marked.
func decodeANSI(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b []byte
	numbered := false
	done := func() string {
		if numbered {
			return marked(honest(b))
		}
		return honest(b)
	}
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			i++
			continue
		}
		c := s[i+1]
		i += 2
		if at := strings.IndexByte(`abeEfnrtv\'"?`, c); at >= 0 {
			b = append(b, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[at])
			continue
		}
		n, used := number(c, s[i:])
		switch {
		case c == 'c' && i < len(s):
			b = append(b, s[i]&0x1f)
			i++
			continue
		case used < 0:
			b = append(b, '\\', c)
			continue
		}
		i += used
		numbered = numbered || n >= '0' && n <= '9' || n|0x20 >= 'a' && n|0x20 <= 'z' || n == '/'
		switch {
		case n == 0:
			return done() // the text ends here
		case c == 'u' || c == 'U':
			b = utf8.AppendRune(b, rune(n))
		default:
			b = append(b, byte(n))
		}
	}
	return done()
}

// number reads the digits of an escape: \nnn, \xHH, \uHHHH, \UHHHHHHHH. It
// returns how many bytes after the letter it used, or -1.
func number(c byte, rest string) (n, used int) {
	digits, base := rest, 16
	var width int
	switch {
	case c == 'x':
		width = 2
	case c == 'u':
		width = 4
	case c == 'U':
		width = 8
	case c >= '0' && c <= '7':
		digits, base, width = string(c)+rest, 8, 3
		if c == '0' { // echo -e and printf %b write \0nnn
			width = 4
		}
	default:
		return 0, -1
	}
	end := 0
	for end < width && end < len(digits) && digitValue(digits[end]) < base {
		end++
	}
	if end == 0 {
		return 0, -1
	}
	v, err := strconv.ParseUint(digits[:end], base, 32)
	if err != nil {
		return 0, -1
	}
	if base == 8 {
		return int(v & 0xff), end - 1
	}
	return int(v), end
}

func digitValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 99
}

// honest makes holes of bytes that are not UTF-8: they would be taken for holes
// and marks.
func honest(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1 && b[i] >= holeFile:
			out.WriteByte(b[i])
		case r == utf8.RuneError && n == 1:
			out.WriteByte(hole)
		default:
			out.Write(b[i : i+n])
		}
		i += n
	}
	return out.String()
}
