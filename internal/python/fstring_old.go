package python

import "strings"

// oldFString reads one f-string token as Python 3.8 to 3.11 do: its literal
// parts by hand, its expressions by a parser of their own over their text in
// parentheses (CPython's Parser/string_parser.c).
type oldFString struct {
	j    *joiner
	t    token
	text string // of the whole token
	pos  int    // in text
	end  int    // of the body in text
	raw  bool
	// lines and lineStart are those of text up to seen.
	seen, lines, lineStart int
	// whole is the place of the run of literals.
	whole Pos
}

func (f *oldFString) fail(msg string) { f.j.p.failAt(&f.t, "f-string: "+msg) }

// parse reads literal text and fields up to the end of the string or, inside a
// format specification (level 1 and more), up to its brace.
func (f *oldFString) parse(level int) {
	for {
		again := f.literal(level)
		if again {
			continue
		}
		if f.pos >= f.end || f.text[f.pos] == '}' {
			break
		}
		f.field(level)
	}
	if level == 0 && f.pos < f.end {
		f.fail("single '}' is not allowed")
	}
	if level > 0 && (f.pos >= f.end || f.text[f.pos] != '}') {
		f.fail("expecting '}'")
	}
}

// literal reads text up to a brace. It returns true where it stopped behind a
// doubled brace, so that more text may follow.
func (f *oldFString) literal(level int) (again bool) {
	start, stop := f.pos, -1
scan:
	for f.pos < f.end {
		c := f.text[f.pos]
		f.pos++
		if c == '\\' && !f.raw && f.pos < f.end {
			c = f.text[f.pos]
			f.pos++
			if c == 'N' {
				if f.pos < f.end {
					f.pos++
					if f.text[f.pos-1] == '{' {
						for f.pos < f.end {
							f.pos++
							if f.text[f.pos-1] == '}' {
								break
							}
						}
					}
				}
				continue
			}
		}
		if c != '{' && c != '}' {
			continue
		}
		if level == 0 {
			if f.pos < f.end && f.text[f.pos] == c {
				stop = f.pos
				f.pos++
				again = true
				break scan
			}
			if c == '}' {
				f.fail("single '}' is not allowed")
			}
		}
		f.pos--
		break
	}
	if stop < 0 {
		stop = f.pos
	}
	s := f.text[start:stop]
	if !f.raw && strings.IndexByte(s, '\\') >= 0 {
		s = f.j.p.unescape(&f.t, s, false)
	}
	f.j.add(s)
	return again
}

// field reads one replacement field, from its brace.
func (f *oldFString) field(level int) {
	if level >= 2 {
		f.fail("expressions nested too deeply")
	}
	p := f.j.p
	brace := f.pos
	f.pos++
	f.scan()
	if f.pos >= f.end {
		f.fail("expecting '}'")
	}
	value := f.expr(brace, f.text[brace+1:f.pos])
	debug := false
	if f.text[f.pos] == '=' {
		debug = true
		f.pos++
		for f.pos < f.end && isSpace(f.text[f.pos]) {
			f.pos++
		}
		f.j.add(f.text[brace+1 : f.pos])
	}
	f.need()
	conversion := -1
	if f.text[f.pos] == '!' {
		f.pos++
		f.need()
		conversion = int(f.text[f.pos])
		f.pos++
		if conversion != 's' && conversion != 'r' && conversion != 'a' {
			f.fail("invalid conversion character: expected 's', 'r', or 'a'")
		}
		f.need()
	}
	f.j.flush(f.whole)
	var spec Expr
	if f.text[f.pos] == ':' {
		f.pos++
		f.need()
		// CPython gives a specification and its last text the place of their
		// own literal, though what is before that of the whole run.
		inner := joiner{p: p, mark: len(p.exprs)}
		inner.pos = Pos{int(f.t.line), int(f.t.col), int(f.t.endLine), int(f.t.endCol)}
		outer := f.j
		f.j = &inner
		f.parse(level + 1)
		f.j = outer
		spec = inner.joined()
	}
	if f.pos >= f.end || f.text[f.pos] != '}' {
		f.fail("expecting '}'")
	}
	f.pos++
	if debug && spec == nil && conversion == -1 {
		conversion = 'r'
	}
	v := get(p, &p.formatted)
	v.Value, v.Conversion, v.FormatSpec, v.Pos = value, conversion, spec, f.whole
	p.exprs = append(p.exprs, v)
}

func (f *oldFString) need() {
	if f.pos >= f.end {
		f.fail("expecting '}'")
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// scan finds the end of the expression of a field.
func (f *oldFString) scan() {
	var stack []byte
	var quote byte
	triple := false
	for ; f.pos < f.end; f.pos++ {
		c := f.text[f.pos]
		if c == '\\' {
			f.fail("expression part cannot include a backslash")
		}
		isTriple := f.pos+2 < f.end && f.text[f.pos+1] == c && f.text[f.pos+2] == c
		if quote != 0 {
			if c == quote {
				if !triple {
					quote = 0
				} else if isTriple {
					f.pos += 2
					quote, triple = 0, false
				}
			}
			continue
		}
		switch c {
		case '\'', '"':
			quote, triple = c, isTriple
			if triple {
				f.pos += 2
			}
		case '[', '{', '(':
			if len(stack) >= maxParens {
				f.fail("too many nested parenthesis")
			}
			stack = append(stack, c)
		case '#':
			f.fail("expression part cannot include '#'")
		case '!', ':', '=', '<', '>':
			if len(stack) > 0 {
				continue
			}
			if c != ':' && f.pos+1 < f.end && f.text[f.pos+1] == '=' {
				f.pos++
				continue
			}
			if c == '<' || c == '>' {
				continue
			}
			return
		case ']', '}', ')':
			if len(stack) == 0 {
				if c == '}' {
					return
				}
				f.fail("unmatched '" + string(c) + "'")
			}
			open := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if open == '(' && c != ')' || open == '[' && c != ']' || open == '{' && c != '}' {
				f.fail("closing parenthesis does not match")
			}
		}
	}
	if quote != 0 {
		f.fail("unterminated string")
	}
	if len(stack) > 0 {
		f.fail("bracket was never closed")
	}
}

// expr parses the text of an expression whose field opens at brace. Its nodes
// get the positions that CPython 3.11 gives them.
func (f *oldFString) expr(brace int, text string) Expr {
	if strings.Trim(text, " \t\n\f") == "" {
		f.fail("empty expression not allowed")
	}
	p := f.j.p
	for i, c := range []byte(f.text[f.seen:brace]) {
		if c == '\n' {
			f.lines++
			f.lineStart = f.seen + i + 1
		}
	}
	f.seen = brace
	lines := f.lines
	col := 0
	if blank := strings.TrimLeft(text, " \t\f"); blank == "" || blank[0] != '\n' {
		col = brace - f.lineStart
	}
	if lines == 0 {
		col += int(f.t.col)
	}
	lx, tok, ahead, hasAhead, endLine, endCol, shift := p.lx, p.tok, p.ahead, p.hasAhead, p.endLine, p.endCol, p.shift
	nocond := p.nocond
	p.nocond = false
	p.lx = lexer{src: "(" + text + ")\n\x00", line: f.t.line + int32(lines), minor: p.minor}
	p.shift = shifted{line: p.lx.line, col: int32(col), on: true}
	p.hasAhead = false
	p.tok = token{}
	p.enter()
	p.advance()
	e := p.starExpressions()
	if p.tok.kind != tNewline {
		p.unexpected("f-string: invalid syntax")
	}
	p.leave()
	p.lx, p.tok, p.ahead, p.hasAhead, p.endLine, p.endCol, p.shift = lx, tok, ahead, hasAhead, endLine, endCol, shift
	p.nocond = nocond
	return e
}

// shifted says by how much the columns of a line are to be moved: the text of
// an expression in an f-string has columns of its own. CPython moves a token
// whose end is on that line.
type shifted struct {
	line, col int32
	on        bool
}

func (s *shifted) move(t *token, line int32) {
	if s.on && line == s.line {
		t.col += s.col
		t.endCol += s.col
	}
}
