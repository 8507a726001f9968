package python

// fmode is the state of one open f-string or t-string (Python 3.12 and later,
// PEP 701), innermost last in lexer.modes.
type fmode struct {
	quote   byte
	size    int  // 1 or 3 quotes
	raw     bool // backslashes are themselves
	literal bool // the next token is literal text, not an expression
	spec    bool // the literal text is a format specification
	depth   int  // open brackets of every kind
	field   int  // open replacement fields less one
	start   token
}

// startLiteral reads the prefix and the quotes of an f-string or t-string.
func (lx *lexer) startLiteral(t *token, start, pos int, pre stringPrefix) {
	if len(lx.modes) >= maxFString {
		lx.pos = pos
		lx.fail(t, start, "too many nested f-strings")
		return
	}
	m := fmode{quote: lx.src[pos], size: 1, raw: pre.r, literal: true, field: -1}
	if lx.src[pos+1] == m.quote && lx.src[pos+2] == m.quote {
		m.size = 3
	}
	t.kind = tFStart
	lx.finish(t, pos+m.size)
	m.start = *t
	lx.modes = append(lx.modes, m)
}

// endField handles ":" and "!" inside a replacement field. It returns true when
// it has made the token: the colon before a format specification.
func (lx *lexer) endField(t *token, c, c1 byte) bool {
	m := &lx.modes[len(lx.modes)-1]
	if m.field < 0 || m.depth-1 != m.field || c == '!' {
		return false
	}
	m.literal, m.spec = true, true
	t.kind = tColon
	lx.finish(t, lx.pos+1)
	return true
}

// nextLiteral reads literal text of the innermost f-string, up to a field, a
// doubled brace or its end; or, if there is none, what follows.
func (lx *lexer) nextLiteral(t *token) {
	m := &lx.modes[len(lx.modes)-1]
	src, pos := lx.src, lx.pos
	t.nonASCII = false
	lx.point(t, pos)
	first := pos
	t.kind = tFMiddle
	// done ends the text at end and goes on at next.
	done := func(end, next int) {
		lx.finish(t, end)
		lx.pos = next
	}
	for {
		c := src[pos]
		switch {
		case c == m.quote && (m.size == 1 || src[pos+1] == c && src[pos+2] == c):
			if m.field >= 0 {
				lx.pos = pos
				lx.fail(t, pos, "f-string: expecting '}'")
				return
			}
			if pos > first {
				done(pos, pos)
				return
			}
			t.kind = tFEnd
			lx.finish(t, pos+m.size)
			lx.modes = lx.modes[:len(lx.modes)-1]
			return
		case c == 0 && pos == len(src)-1, c == '\n' && m.size == 1:
			if c == '\n' && m.spec && lx.minor < 14 {
				// A format specification ends at a newline: the parser then
				// misses its brace, or the newline is white space before it.
				m.literal, m.spec = false, false
				if pos > first {
					done(pos, pos)
				} else {
					lx.pos = pos
					lx.next(t)
				}
				return
			}
			lx.line, lx.lineStart, lx.pos = m.start.line, int(m.start.start)-int(m.start.col), int(m.start.end)
			lx.fail(t, int(m.start.start), "unterminated f-string literal")
			return
		case c == '\n':
			lx.line++
			lx.lineStart = pos + 1
		case c == '{':
			if src[pos+1] == '{' && !(m.spec && m.field >= 0) {
				done(pos+1, pos+2)
				return
			}
			m.field++
			if m.field >= 3 {
				lx.pos = pos
				lx.fail(t, pos, "f-string: expressions nested too deeply")
				return
			}
			m.literal = false
			if pos > first {
				done(pos, pos)
				return
			}
			lx.pos = pos
			lx.next(t)
			return
		case c == '}':
			if src[pos+1] == '}' && !(m.spec && m.field >= 0) && m.depth == 0 {
				done(pos+1, pos+2)
				return
			}
			m.literal = false
			if pos > first {
				done(pos, pos)
				return
			}
			lx.pos = pos
			lx.next(t) // refuses it, unless it closes a field
			return
		case c == '\\':
			next := src[pos+1]
			switch {
			case next == '{' || next == '}':
				// The backslash stands for itself; the brace counts.
			case next == '\n':
				pos++
				lx.line++
				lx.lineStart = pos + 1
			case next == 'N' && !m.raw && src[pos+2] == '{':
				for pos += 2; src[pos] != '}' && src[pos] != '\n' && src[pos] != 0 && src[pos] != m.quote; {
					pos++
				}
				if src[pos] != '}' {
					continue
				}
			case next != 0:
				pos++
			}
		}
		pos++
	}
}
