package python

import (
	"strings"
	"unicode"
)

// newStrings reads a run of literals as Python 3.12 and later do. The tokens
// given have been passed.
func (p *parser) newStrings(first *token, tokens []token) Expr {
	mark := len(p.exprs)
	n := 0
	var isF, isT, isBytes, isPlain bool
	one := func(t *token) {
		raw, body, pre := literal(p.text(t))
		if n > 0 && pre.b != isBytes {
			p.failAt(t, "cannot mix bytes and nonbytes literals")
		}
		isBytes, isPlain = pre.b, true
		n++
		p.exprs = append(p.exprs, p.oneString(t, body, raw, pre))
	}
	for i := range tokens {
		one(&tokens[i])
	}
	for {
		switch p.tok.kind {
		case tString:
			t := p.tok
			one(&t)
			p.advance()
			continue
		case tFStart:
			if isBytes {
				p.fail("cannot mix bytes and nonbytes literals")
			}
			t := p.tok
			_, pre := startPrefix(p.text(&t))
			if pre.t {
				isT = true
			} else {
				isF = true
			}
			n++
			p.fString(pre)
			continue
		}
		break
	}
	if isT && (isF || isPlain) {
		p.failAt(first, "cannot mix t-string literals with string or bytes literals")
	}
	p.fold(mark, !isF && !isT)
	at := p.from(first)
	switch {
	case isT:
		s := &TemplateStr{Values: p.takeExprs(mark), Pos: at}
		p.nodes++
		return s
	case isF:
		s := get(p, &p.joined)
		s.Values, s.Pos = p.takeExprs(mark), at
		return s
	}
	c := p.exprs[mark].(*Constant)
	clear(p.exprs[mark:])
	p.exprs = p.exprs[:mark]
	c.Pos = at
	return c
}

// startPrefix splits the text of the start of an f-string.
func startPrefix(s string) (quotes string, pre stringPrefix) {
	i := strings.IndexAny(s, `"'`)
	for j := range i {
		switch s[j] | 0x20 {
		case 'r':
			pre.r = true
		case 't':
			pre.t = true
		}
	}
	return s[i:], pre
}

// fold joins the constants side by side on p.exprs since mark, and drops empty
// ones unless all is to be kept in one.
func (p *parser) fold(mark int, plain bool) {
	list := p.exprs[mark:]
	out := list[:0]
	for i := 0; i < len(list); {
		c, ok := list[i].(*Constant)
		if !ok {
			out = append(out, list[i])
			i++
			continue
		}
		j, size := i, 0
		last := c
		for j < len(list) {
			d, ok := list[j].(*Constant)
			if !ok {
				break
			}
			size += len(d.Value.Str)
			if d.Value.Str != "" {
				if c.Value.Str == "" && !plain {
					c = d
				}
				last = d
			}
			j++
		}
		if size == 0 && !plain {
			i = j
			continue
		}
		if size != len(c.Value.Str) {
			text := make([]byte, 0, size)
			for _, e := range list[i:j] {
				text = append(text, e.(*Constant).Value.Str...)
			}
			c.Value.Str = string(text)
			c.EndLine, c.EndCol = last.EndLine, last.EndCol
		}
		out = append(out, c)
		i = j
	}
	clear(list[len(out):])
	p.exprs = p.exprs[:mark+len(out)]
}

// fString pushes the parts of one f-string or t-string on p.exprs.
func (p *parser) fString(pre stringPrefix) {
	p.enter()
	p.advance()
	p.fParts(pre, tFEnd)
	p.advance()
	p.leave()
}

// fParts pushes text and fields up to a token of kind end.
func (p *parser) fParts(pre stringPrefix, end kind) {
	for p.tok.kind != end {
		switch p.tok.kind {
		case tFMiddle:
			s := p.text(&p.tok)
			if !pre.r && strings.IndexByte(s, '\\') >= 0 {
				t := p.tok
				s = p.unescape(&t, s, false)
			}
			p.exprs = append(p.exprs, p.constant(Value{Kind: Str, Str: s}))
		case tLBrace:
			p.fField(pre)
		default:
			p.unexpected("f-string: invalid syntax")
		}
	}
}

// fField reads one replacement field.
func (p *parser) fField(pre stringPrefix) {
	start := p.tok
	p.advance()
	if k := p.tok.kind; k == tRBrace || k == tExclam || k == tColon || k == tAssign {
		p.fail("f-string: valid expression required before '}'")
	}
	value := p.rhs()
	debug := p.accept(tAssign)
	textEnd := p.tok // the first token behind the expression and "="
	conversion := -1
	if p.tok.kind == tExclam {
		bang := p.tok
		p.advance()
		if p.tok.kind != tName || p.tok.start != bang.end {
			p.fail("f-string: invalid conversion character")
		}
		switch s := p.text(&p.tok); s {
		case "s", "r", "a":
			conversion = int(s[0])
		default:
			p.fail("f-string: invalid conversion character: expected 's', 'r', or 'a'")
		}
		p.advance()
	}
	var spec Expr
	if p.tok.kind == tColon {
		colon := p.tok
		p.advance()
		mark := len(p.exprs)
		// The fields of a specification are those of an f-string, always.
		p.fParts(stringPrefix{r: pre.r, f: true}, tRBrace)
		p.fold(mark, false)
		s := get(p, &p.joined)
		s.Values = p.takeExprs(mark)
		s.Pos = p.from(&colon)
		spec = s
	}
	if p.tok.kind != tRBrace {
		p.unexpected("f-string: expecting '}'")
	}
	p.advance()
	if debug && spec == nil && conversion == -1 {
		conversion = 'r'
	}
	if debug {
		c := get(p, &p.constants)
		c.Value = Value{Kind: Str, Str: stripComments(p.lx.src[start.end:textEnd.start])}
		c.Pos = Pos{int(start.line), int(start.col) + 1, int(textEnd.line), int(textEnd.col)}
		p.exprs = append(p.exprs, c)
	}
	if pre.t {
		i := &Interpolation{Value: value, Conversion: conversion, FormatSpec: spec, Pos: p.from(&start)}
		p.nodes++
		i.Str = strings.TrimRightFunc(stripComments(p.lx.src[start.end:textEnd.start]), func(r rune) bool {
			return r == '=' || unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
		})
		p.exprs = append(p.exprs, i)
		return
	}
	v := get(p, &p.formatted)
	v.Value, v.Conversion, v.FormatSpec, v.Pos = value, conversion, spec, p.from(&start)
	p.exprs = append(p.exprs, v)
}

// stripComments removes the comments from the text of an expression, as CPython
// does for "{x=}" and for the text of an Interpolation.
func stripComments(s string) string {
	if strings.IndexByte(s, '#') < 0 {
		return s
	}
	var out []byte
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
			i--
			continue
		}
		out = append(out, c)
	}
	return string(out)
}
