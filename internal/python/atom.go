package python

// atom: a name, a literal, or something in brackets.
func (p *parser) atom() Expr {
	start := p.tok
	switch p.tok.kind {
	case tName:
		n := get(p, &p.names)
		n.Id = p.identifier(&p.tok)
		p.advance()
		n.Pos = Pos{int(start.line), int(start.col), int(start.endLine), int(start.endCol)}
		return n
	case tNumber:
		v, msg := numberValue(p.text(&p.tok))
		if msg != "" {
			p.fail(msg)
		}
		return p.constant(v)
	case tString, tFStart:
		return p.strings()
	case kTrue:
		return p.constant(Value{Kind: Bool, Int: 1})
	case kFalse:
		return p.constant(Value{Kind: Bool})
	case kNone:
		return p.constant(Value{Kind: None})
	case tEllipsis:
		return p.constant(Value{Kind: Ellipsis})
	case tLPar:
		return p.parenthesized()
	case tLSqb:
		return p.list()
	case tLBrace:
		return p.braces()
	}
	p.unexpected("invalid syntax")
	return nil
}

// constant makes a Constant of the current token and passes it.
func (p *parser) constant(v Value) Expr {
	c := get(p, &p.constants)
	c.Value = v
	c.Pos = Pos{int(p.tok.line), int(p.tok.col), int(p.tok.endLine), int(p.tok.endCol)}
	p.advance()
	return c
}

// parenthesized: a group, a tuple or a generator.
func (p *parser) parenthesized() Expr {
	start := p.tok
	p.advance()
	switch p.tok.kind {
	case tRPar:
		p.advance()
		t := get(p, &p.tuples)
		t.Pos = p.from(&start)
		return t
	case kYield:
		e := p.yield()
		p.expect(tRPar, "')'")
		return e
	}
	star := p.tok.kind == tStar
	e := p.starNamed()
	switch p.tok.kind {
	case tComma:
		mark := len(p.exprs)
		p.exprs = append(p.exprs, e)
		for p.accept(tComma) {
			if p.tok.kind == tRPar {
				break
			}
			p.exprs = append(p.exprs, p.starNamed())
		}
		p.expect(tRPar, "')'")
		t := get(p, &p.tuples)
		t.Elts = p.takeExprs(mark)
		t.Pos = p.from(&start)
		return t
	case kFor, kAsync:
		if star {
			failNode(e, "iterable unpacking cannot be used in comprehension")
		}
		g := &GeneratorExp{Elt: e, Generators: p.comprehensions()}
		p.nodes++
		p.expect(tRPar, "')'")
		g.Pos = p.from(&start)
		return g
	}
	if star {
		failNode(e, "cannot use starred expression here")
	}
	p.expect(tRPar, "')'")
	return e
}

// yield: a yield expression, at its keyword.
func (p *parser) yield() Expr {
	start := p.tok
	p.advance()
	p.nodes++
	if p.accept(kFrom) {
		value := p.expression()
		return &YieldFrom{Pos: p.from(&start), Value: value}
	}
	var value Expr
	if startsExpr[p.tok.kind] {
		value = p.starExpressions()
	}
	return &Yield{Pos: p.from(&start), Value: value}
}

// list: a list or a list comprehension.
func (p *parser) list() Expr {
	start := p.tok
	p.advance()
	mark := len(p.exprs)
	for p.tok.kind != tRSqb {
		star := p.tok.kind == tStar
		e := p.starNamed()
		if p.tok.kind == kFor || p.tok.kind == kAsync {
			if star {
				failNode(e, "iterable unpacking cannot be used in comprehension")
			}
			if len(p.exprs) != mark {
				p.fail("did you forget parentheses around the comprehension target?")
			}
			c := &ListComp{Elt: e, Generators: p.comprehensions()}
			p.nodes++
			p.expect(tRSqb, "']'")
			c.Pos = p.from(&start)
			return c
		}
		p.exprs = append(p.exprs, e)
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRSqb, "']'")
	l := get(p, &p.lists)
	l.Elts = p.takeExprs(mark)
	l.Pos = p.from(&start)
	return l
}

// braces: a dict, a set, or a comprehension of one.
func (p *parser) braces() Expr {
	start := p.tok
	p.advance()
	if p.tok.kind == tRBrace || p.tok.kind == tDoubleStar {
		return p.dict(&start, nil)
	}
	first := p.tok
	var e Expr
	if p.tok.kind == tStar {
		e = p.starred()
	} else {
		e = p.namedExpr()
		if p.tok.kind == tColon {
			if _, ok := e.(*NamedExpr); ok && first.kind == tName {
				p.fail("invalid syntax")
			}
			return p.dict(&start, e)
		}
		p.namedInSet(e, &first)
		if p.tok.kind == kFor || p.tok.kind == kAsync {
			c := &SetComp{Elt: e, Generators: p.comprehensions()}
			p.nodes++
			p.expect(tRBrace, "'}'")
			c.Pos = p.from(&start)
			return c
		}
	}
	mark := len(p.exprs)
	p.exprs = append(p.exprs, e)
	for p.accept(tComma) {
		if p.tok.kind == tRBrace {
			break
		}
		first := p.tok
		e := p.starNamed()
		p.namedInSet(e, &first)
		p.exprs = append(p.exprs, e)
	}
	p.expect(tRBrace, "'}'")
	s := &Set{Elts: p.takeExprs(mark)}
	p.nodes++
	s.Pos = p.from(&start)
	return s
}

// namedInSet refuses an assignment expression without parentheses in a set,
// which came with 3.9.
func (p *parser) namedInSet(e Expr, first *token) {
	if _, ok := e.(*NamedExpr); ok && p.minor < 9 && first.kind == tName {
		failNode(e, "invalid syntax")
	}
}

// dict reads the rest of a dict or a dict comprehension. The first key may have
// been read.
func (p *parser) dict(start *token, key Expr) Expr {
	mark := len(p.exprs)
	// Keys and values alternate on the stack.
	for key != nil || p.tok.kind != tRBrace {
		var value Expr
		switch {
		case key == nil && p.accept(tDoubleStar):
			value = p.binary(1)
		default:
			if key == nil {
				key = p.expression()
			}
			p.expect(tColon, "':' after dictionary key")
			value = p.expression()
			if p.tok.kind == kFor || p.tok.kind == kAsync {
				if len(p.exprs) != mark {
					p.fail("invalid syntax")
				}
				c := &DictComp{Key: key, Value: value, Generators: p.comprehensions()}
				p.nodes++
				p.expect(tRBrace, "'}'")
				c.Pos = p.from(start)
				return c
			}
		}
		p.nodes++
		p.exprs = append(p.exprs, key, value)
		key = nil
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRBrace, "'}'")
	d := get(p, &p.dicts)
	if pairs := p.exprs[mark:]; len(pairs) > 0 {
		both := make([]Expr, len(pairs))
		n := len(pairs) / 2
		d.Keys, d.Values = both[:n:n], both[n:]
		for i := range n {
			d.Keys[i], d.Values[i] = pairs[2*i], pairs[2*i+1]
		}
		clear(pairs)
		p.exprs = p.exprs[:mark]
	}
	d.Pos = p.from(start)
	return d
}
