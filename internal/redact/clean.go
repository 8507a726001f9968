package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSequence bounds a terminal's control sequence, in bytes. A longer one is
// not taken for one: its introducer is shown and the rest is text.
const maxSequence = 2048

// cleaner makes a stream of bytes readable text: terminal control sequences
// are removed, \r\n and \r become newlines, and what else controls or hides is
// written visibly. Its output is a fixed point of Escape.
type cleaner struct {
	held []byte // an unfinished rune or sequence
	cr   bool   // carriage returns were seen and not yet written
	base bool   // as in escape
}

// add returns the text of what is known after p. With last set nothing follows.
func (c *cleaner) add(p []byte, last bool) string {
	buf := p
	if len(c.held) > 0 {
		buf = append(c.held, p...)
	}
	var b strings.Builder
	b.Grow(len(buf))
	i := 0
	for i < len(buf) {
		n := c.step(&b, buf[i:], last)
		if n == 0 {
			break
		}
		i += n
	}
	c.held = append([]byte(nil), buf[i:]...)
	if last && c.cr {
		c.newline(&b)
	}
	return b.String()
}

func (c *cleaner) newline(b *strings.Builder) {
	c.cr, c.base = false, false
	b.WriteByte('\n')
}

// step writes what s begins with and returns its length, 0 where more bytes
// are needed to tell.
func (c *cleaner) step(b *strings.Builder, s []byte, last bool) int {
	switch {
	case s[0] == '\r':
		c.cr = true
		return 1
	case s[0] == '\n':
		c.newline(b)
		return 1
	case c.cr:
		c.newline(b)
	}
	if s[0] >= ' ' && s[0] < 0x7f || s[0] == '\t' {
		n := 1
		for n < len(s) && s[n] >= ' ' && s[n] < 0x7f {
			n++
		}
		b.Write(s[:n])
		c.base = s[n-1] != '\t'
		return n
	}
	if !utf8.FullRune(s) && !last {
		return 0
	}
	r, size := utf8.DecodeRune(s)
	if n, known := sequence(s, r, size, last); !known {
		return 0
	} else if n > 0 {
		return n
	}
	switch {
	case r == utf8.RuneError && size == 1:
		writeHex(b, 'x', 2, rune(s[0]))
		c.base = true
	case keep(r, c.base):
		b.Write(s[:size])
		c.base = !unicode.Is(unicode.Variation_Selector, r)
	default:
		writeVisible(b, r)
		c.base = true
	}
	return size
}

// sequence returns the length of the control sequence that s begins with, 0
// where it begins with none; known is false where more bytes are needed to
// tell. Source: ECMA-48 5.3 to 5.6, with xterm's BEL as an end of strings.
func sequence(s []byte, r rune, size int, last bool) (n int, known bool) {
	var kind byte
	switch {
	case r == 0x1b:
		if len(s) < 2 {
			return 0, last
		}
		kind, size = s[1], 2
	case r == 0x9b, r == 0x9d, r == 0x90, r == 0x98, r == 0x9e, r == 0x9f:
		kind = byte(r) - 0x40
	default:
		return 0, true
	}
	switch {
	case kind == '[':
		n, known = control(s, size, last)
	case strings.IndexByte("]PX^_", kind) >= 0:
		n, known = controlString(s, size, last)
	case kind >= 0x20 && kind <= 0x2f:
		for n = size; n < len(s) && s[n] >= 0x20 && s[n] <= 0x2f; n++ {
		}
		known = n < len(s) || last || n > maxSequence
		if n < len(s) && s[n] >= 0x30 && s[n] <= 0x7e && n <= maxSequence {
			return n + 1, true
		}
		return 0, known
	case kind >= 0x30 && kind <= 0x7e:
		return size, true
	default:
		return 0, true
	}
	return n, known
}

// control measures a control sequence whose parameters begin at i.
func control(s []byte, i int, last bool) (int, bool) {
	for ; i < len(s) && i < maxSequence; i++ {
		switch c := s[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1, true
		case c < 0x20 || c > 0x3f:
			return 0, true
		}
	}
	return 0, last || i >= maxSequence
}

// controlString measures a control string whose content begins at i. A newline
// ends the search: it was not meant as one.
func controlString(s []byte, i int, last bool) (int, bool) {
	for ; i < len(s) && i < maxSequence; i++ {
		switch {
		case s[i] == 0x07:
			return i + 1, true
		case s[i] == 0x1b || s[i] == 0xc2: // perhaps an end, or a sequence of its own
			if i+1 == len(s) {
				return 0, last
			}
			if s[i] == 0x1b && s[i+1] == '\\' || s[i] == 0xc2 && s[i+1] == 0x9c {
				return i + 2, true
			}
			if s[i] == 0x1b || s[i+1] >= 0x80 && s[i+1] <= 0x9f {
				return 0, true
			}
		case s[i] == '\n' || s[i] == '\r':
			return 0, true
		}
	}
	return 0, last || i >= maxSequence
}
