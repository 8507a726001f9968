package python

import "strings"

// strings: one or more string literals side by side.
func (p *parser) strings() Expr {
	first := p.tok
	if first.kind == tString {
		raw, body, pre := literal(p.text(&first))
		if pre.f {
			return p.oldStrings()
		}
		p.advance()
		if p.tok.kind != tString && p.tok.kind != tFStart {
			return p.oneString(&first, body, raw, pre)
		}
		return p.manyStrings(&first)
	}
	return p.manyStrings(nil)
}

// literal splits the text of a string token into prefix and body.
func literal(s string) (raw bool, body string, pre stringPrefix) {
	i := 0
	for ; s[i] != '"' && s[i] != '\''; i++ {
		switch s[i] | 0x20 {
		case 'r':
			pre.r = true
		case 'b':
			pre.b = true
		case 'f':
			pre.f = true
		case 't':
			pre.f, pre.t = true, true
		case 'u':
			// CPython looks for a lower-case u only.
			pre.u = s[i] == 'u'
		}
	}
	n := len(s) - i
	if n >= 6 && s[i+1] == s[i] && s[i+2] == s[i] {
		return pre.r, s[i+3 : len(s)-3], pre
	}
	return pre.r, s[i+1 : len(s)-1], pre
}

// value decodes the body of a literal that is no f-string.
func (p *parser) value(t *token, body string, raw bool, pre stringPrefix) Value {
	if pre.b {
		for i := range len(body) {
			if body[i] >= 0x80 {
				p.failAt(t, "bytes can only contain ASCII literal characters")
			}
		}
	}
	s := body
	if !raw && strings.IndexByte(body, '\\') >= 0 {
		s = p.unescape(t, body, pre.b)
	}
	if pre.b {
		return Value{Kind: Bytes, Str: s}
	}
	return Value{Kind: Str, Str: s}
}

func (p *parser) oneString(t *token, body string, raw bool, pre stringPrefix) Expr {
	c := get(p, &p.constants)
	c.Value = p.value(t, body, raw, pre)
	c.U = pre.u
	c.Pos = Pos{int(t.line), int(t.col), int(t.endLine), int(t.endCol)}
	return c
}

// manyStrings: the literals from first (already passed) or from the current
// token. Before 3.12 an f-string among them is handled apart.
func (p *parser) manyStrings(first *token) Expr {
	var tokens []token
	if first != nil {
		tokens = append(tokens, *first)
	} else {
		first = &token{}
		*first = p.tok
	}
	if p.minor >= 12 {
		return p.newStrings(first, tokens)
	}
	return p.joinStrings(tokens)
}

// oldStrings: the literals from the current token, before 3.12.
func (p *parser) oldStrings() Expr { return p.joinStrings(nil) }

// joinStrings reads the rest of a run of literals as 3.8 to 3.11 do.
func (p *parser) joinStrings(tokens []token) Expr {
	for p.tok.kind == tString {
		tokens = append(tokens, p.tok)
		p.advance()
	}
	first, last := &tokens[0], &tokens[len(tokens)-1]
	j := joiner{p: p, mark: len(p.exprs)}
	j.pos = Pos{int(first.line), int(first.col), int(last.endLine), int(last.endCol)}
	j.u = p.lx.src[first.start] == 'u'
	isBytes, isF := false, false
	for i := range tokens {
		t := &tokens[i]
		raw, body, pre := literal(p.text(t))
		if i > 0 && pre.b != isBytes {
			p.failAt(t, "cannot mix bytes and nonbytes literals")
		}
		isBytes = pre.b
		if pre.f {
			isF = true
			f := oldFString{j: &j, t: *t, text: p.text(t), raw: raw, whole: j.pos}
			f.pos, f.end = bodyOffset(f.text), bodyOffset(f.text)+len(body)
			f.parse(0)
			continue
		}
		j.add(p.value(t, body, raw, pre).Str)
	}
	if isF {
		return j.joined()
	}
	c := get(p, &p.constants)
	c.Value = Value{Kind: Str, Str: j.take()}
	if isBytes {
		c.Value.Kind = Bytes
	}
	c.U = j.u
	c.Pos = j.pos
	return c
}

// bodyOffset is where the body of a literal starts.
func bodyOffset(s string) int {
	i := strings.IndexAny(s, `"'`)
	if len(s)-i >= 6 && s[i+1] == s[i] && s[i+2] == s[i] {
		return i + 3
	}
	return i + 1
}

// joiner gathers the values of an f-string: text side by side becomes one
// Constant, and every part has the position of the whole.
type joiner struct {
	p    *parser
	mark int // of p.exprs
	pos  Pos
	u    bool
	text string
	more []byte // text, from its second part on
}

func (j *joiner) add(s string) {
	switch {
	case s == "":
	case j.more != nil:
		j.more = append(j.more, s...)
	case j.text == "":
		j.text = s
	default:
		j.more = append(append(j.more, j.text...), s...)
	}
}

func (j *joiner) take() string {
	s := j.text
	if j.more != nil {
		s = string(j.more)
	}
	j.text, j.more = "", nil
	return s
}

// flush makes a Constant of the text so far.
func (j *joiner) flush(at Pos) {
	s := j.take()
	if s == "" {
		return
	}
	c := get(j.p, &j.p.constants)
	c.Value = Value{Kind: Str, Str: s}
	c.U = j.u
	c.Pos = at
	j.p.exprs = append(j.p.exprs, c)
}

func (j *joiner) joined() Expr {
	j.flush(j.pos)
	n := get(j.p, &j.p.joined)
	n.Values = j.p.takeExprs(j.mark)
	n.Pos = j.pos
	return n
}

// unescape decodes the escapes of a literal. What is not an escape stands for
// itself; CPython only warns of it.
func (p *parser) unescape(t *token, s string, isBytes bool) string {
	out := make([]byte, 0, len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return string(append(out, s...))
		}
		out = append(out, s[:i]...)
		s = s[i+1:]
		if s == "" {
			return string(append(out, '\\'))
		}
		c := s[0]
		s = s[1:]
		switch c {
		case '\n':
		case '\\', '\'', '"':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 't':
			out = append(out, '\t')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 'v':
			out = append(out, '\v')
		case 'a':
			out = append(out, '\a')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			r := rune(c - '0')
			for n := 1; n < 3 && s != "" && s[0] >= '0' && s[0] <= '7'; n++ {
				r = r<<3 | rune(s[0]-'0')
				s = s[1:]
			}
			out = appendRune(out, r, isBytes)
		case 'x':
			out, s = p.hexEscape(t, out, s, 2, isBytes)
		case 'u', 'U':
			if isBytes {
				out = append(out, '\\', c)
				break
			}
			n := 4
			if c == 'U' {
				n = 8
			}
			out, s = p.hexEscape(t, out, s, n, false)
		case 'N':
			if isBytes {
				out = append(out, '\\', c)
				break
			}
			end := strings.IndexByte(s, '}')
			if s == "" || s[0] != '{' || end < 2 {
				p.failAt(t, `(unicode error) malformed \N character escape`)
			}
			r, ok := runeByName(s[1:end])
			if !ok {
				p.failAt(t, "(unicode error) unknown Unicode character name")
			}
			out = appendRune(out, r, false)
			s = s[end+1:]
		default:
			out = append(out, '\\', c)
		}
	}
}

// hexEscape decodes n hexadecimal digits.
func (p *parser) hexEscape(t *token, out []byte, s string, n int, isBytes bool) ([]byte, string) {
	if len(s) < n {
		p.failAt(t, "truncated escape in a literal")
	}
	var r uint32
	for i := range n {
		d := digitValue(s[i])
		if d > 15 {
			p.failAt(t, "truncated escape in a literal")
		}
		r = r<<4 | uint32(d)
	}
	if r > 0x10ffff {
		p.failAt(t, "illegal Unicode character in a literal")
	}
	return appendRune(out, rune(r), isBytes), s[n:]
}

// appendRune appends a code point, surrogates too, or one byte.
func appendRune(out []byte, r rune, isBytes bool) []byte {
	switch {
	case isBytes || r < 0x80:
		return append(out, byte(r))
	case r < 0x800:
		return append(out, byte(0xc0|r>>6), byte(0x80|r&0x3f))
	case r < 0x10000:
		return append(out, byte(0xe0|r>>12), byte(0x80|r>>6&0x3f), byte(0x80|r&0x3f))
	}
	return append(out, byte(0xf0|r>>18), byte(0x80|r>>12&0x3f), byte(0x80|r>>6&0x3f), byte(0x80|r&0x3f))
}
