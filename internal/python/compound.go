package python

// block: a colon, and then an indented block or simple statements on the line.
func (p *parser) block() []Stmt {
	p.expect(tColon, "':'")
	return p.suite()
}

func (p *parser) suite() []Stmt {
	mark := len(p.stmts)
	if !p.accept(tNewline) {
		p.simpleStmts()
		return p.takeStmts(mark)
	}
	if p.tok.kind != tIndent {
		p.fail("expected an indented block")
	}
	p.advance()
	p.enter()
	for p.tok.kind != tDedent && p.tok.kind != tEOF {
		p.statement()
	}
	p.leave()
	if p.tok.kind == tEOF {
		p.unexpected("unexpected EOF")
	}
	p.advance()
	return p.takeStmts(mark)
}

// ifStmt reads the whole chain of elif without recursion.
func (p *parser) ifStmt() Stmt {
	var first *If
	var chain []*If
	for {
		start := p.tok
		p.advance()
		s := get(p, &p.ifs)
		s.Pos = Pos{Line: int(start.line), Col: int(start.col)}
		s.Test = p.namedExpr()
		s.Body = p.block()
		if first == nil {
			first = s
		} else {
			last := first
			if len(chain) > 0 {
				last = chain[len(chain)-1]
			}
			last.Orelse = carve(p, &p.stmtLists, []Stmt{s})
			chain = append(chain, s)
		}
		if p.tok.kind == kElif {
			continue
		}
		if p.accept(kElse) {
			s.Orelse = p.block()
		}
		break
	}
	first.Pos = p.fromPos(first.Pos)
	for _, s := range chain {
		s.Pos = p.fromPos(s.Pos)
	}
	return first
}

func (p *parser) orelse() []Stmt {
	if !p.accept(kElse) {
		return nil
	}
	return p.block()
}

func (p *parser) whileStmt() Stmt {
	start := p.tok
	p.advance()
	s := &While{Test: p.namedExpr()}
	s.Body = p.block()
	s.Orelse = p.orelse()
	s.Pos = p.from(&start)
	return s
}

// forStmt: the current token is "for"; the statement starts at start.
func (p *parser) forStmt(start *token, async bool) Stmt {
	at := *start
	p.advance()
	target := p.starTargets()
	p.expect(kIn, "'in'")
	var iter Expr
	if p.minor < 9 {
		iter = p.expressions()
	} else {
		iter = p.starExpressions()
	}
	body := p.block()
	orelse := p.orelse()
	if async {
		return &AsyncFor{p.from(&at), target, iter, body, orelse}
	}
	return &For{p.from(&at), target, iter, body, orelse}
}

// expressions: one expression, or a tuple without parentheses and stars.
func (p *parser) expressions() Expr {
	start := p.tok
	e := p.expression()
	if p.tok.kind != tComma {
		return e
	}
	return p.tupleRest(&start, e, (*parser).expression)
}

func (p *parser) withStmt(start *token, async bool) Stmt {
	at := *start
	p.advance()
	items := p.withItems()
	body := p.block()
	if async {
		return &AsyncWith{p.from(&at), items, body}
	}
	return &With{p.from(&at), items, body}
}

// withItems reads the items up to the colon. In parentheses they may be a list
// of items or the start of an expression: like CPython, try the first and then
// the second.
func (p *parser) withItems() []*WithItem {
	if p.tok.kind == tLPar && p.minor >= 9 && p.closesBeforeColon() {
		save, depth, mark := *p, p.depth, len(p.exprs)
		if items, ok := p.tryWithItems(); ok {
			return items
		}
		nodes := p.nodes
		slabs, exprs := p.slabs, p.exprs[:mark]
		*p = save
		p.slabs, p.exprs, p.nodes, p.depth = slabs, exprs, nodes, depth
	}
	var items []*WithItem
	for {
		items = append(items, p.withItem(tColon))
		if !p.accept(tComma) {
			return items
		}
	}
}

// closesBeforeColon runs ahead to the end of the parentheses that open here, and
// reports whether a colon follows.
func (p *parser) closesBeforeColon() bool {
	lx := p.lx
	var t token
	if p.hasAhead {
		return true // not reached; trying is always right
	}
	for level := lx.level - 1; ; {
		lx.next(&t)
		switch t.kind {
		case tError, tEOF:
			return true
		case tRPar:
			if lx.level == level {
				lx.next(&t)
				return t.kind == tColon
			}
		}
	}
}

// tryWithItems: "(" items ")", before a colon.
func (p *parser) tryWithItems() (items []*WithItem, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(*SyntaxError); !is {
				panic(r)
			}
			ok = false
		}
	}()
	p.advance()
	for {
		items = append(items, p.withItem(tRPar))
		if !p.accept(tComma) || p.tok.kind == tRPar {
			break
		}
	}
	p.expect(tRPar, "')'")
	return items, p.tok.kind == tColon
}

func (p *parser) withItem(end kind) *WithItem {
	p.nodes++
	w := &WithItem{ContextExpr: p.expression()}
	if p.accept(kAs) {
		w.OptionalVars = p.starTarget()
		if p.tok.kind != tComma && p.tok.kind != end {
			p.unexpected("invalid syntax")
		}
	}
	return w
}

func (p *parser) tryStmt() Stmt {
	start := p.tok
	p.advance()
	body := p.block()
	var handlers []*ExceptHandler
	star := false
	for p.tok.kind == kExcept {
		at := p.tok
		h := &ExceptHandler{}
		p.nodes++
		p.advance()
		if p.tok.kind == tStar {
			p.need(11, "except*")
			if len(handlers) > 0 && !star {
				p.fail("cannot have both 'except' and 'except*' on the same 'try'")
			}
			star = true
			p.advance()
			if p.tok.kind == tColon {
				p.fail("expected one or more exception types")
			}
		} else if star {
			p.fail("cannot have both 'except' and 'except*' on the same 'try'")
		}
		if p.tok.kind != tColon {
			first := p.tok
			h.Type = p.expression()
			switch {
			case p.accept(kAs):
				h.Name = p.name()
			case p.tok.kind == tComma:
				p.need(14, "multiple exception types without parentheses")
				h.Type = p.tupleRest(&first, h.Type, (*parser).expression)
			}
		}
		h.Body = p.block()
		h.Pos = p.from(&at)
		handlers = append(handlers, h)
	}
	var orelse, finally []Stmt
	if len(handlers) > 0 {
		orelse = p.orelse()
	}
	if p.accept(kFinally) {
		finally = p.block()
	} else if len(handlers) == 0 {
		p.unexpected("expected 'except' or 'finally' block")
	}
	if star {
		return &TryStar{p.from(&start), body, handlers, orelse, finally}
	}
	return &Try{p.from(&start), body, handlers, orelse, finally}
}

func (p *parser) decorated() Stmt {
	mark := len(p.exprs)
	for p.tok.kind == tAt {
		p.advance()
		var e Expr
		if p.minor >= 9 {
			e = p.namedExpr()
		} else {
			e = p.oldDecorator()
		}
		p.exprs = append(p.exprs, e)
		if p.tok.kind != tNewline {
			p.unexpected("invalid syntax")
		}
		p.advance()
	}
	decorators := p.takeExprs(mark)
	switch p.tok.kind {
	case kDef:
		return p.funcDef(&p.tok, decorators, false)
	case kClass:
		return p.classDef(decorators)
	case kAsync:
		return p.asyncStmt(decorators)
	}
	p.unexpected("expected a function or class definition after a decorator")
	return nil
}

// oldDecorator: a dotted name, perhaps called once (before 3.9).
func (p *parser) oldDecorator() Expr {
	start := p.tok
	if start.kind != tName {
		p.unexpected("invalid syntax")
	}
	e := p.atom()
	for p.accept(tDot) {
		a := get(p, &p.attributes)
		a.Value = e
		a.Attr = p.name()
		a.Pos = p.from(&start)
		e = a
	}
	if p.tok.kind == tLPar {
		c := get(p, &p.calls)
		c.Func = e
		p.callParens(c)
		c.Pos = p.from(&start)
		e = c
	}
	return e
}

// asyncStmt: the current token is "async".
func (p *parser) asyncStmt(decorators []Expr) Stmt {
	start := p.tok
	p.advance()
	switch k := p.tok.kind; {
	case k == kDef:
		return p.funcDef(&start, decorators, true)
	case k == kFor && decorators == nil:
		return p.forStmt(&start, true)
	case k == kWith && decorators == nil:
		return p.withStmt(&start, true)
	}
	p.unexpected("invalid syntax")
	return nil
}

// funcDef: the current token is "def"; the statement starts at start.
func (p *parser) funcDef(start *token, decorators []Expr, async bool) Stmt {
	at := *start
	p.advance()
	name := p.name()
	params := p.typeParams()
	p.expect(tLPar, "'('")
	args := p.parameters(tRPar, true)
	p.expect(tRPar, "')'")
	var returns Expr
	if p.accept(tArrow) {
		returns = p.expression()
	}
	body := p.block()
	if async {
		return &AsyncFunctionDef{p.from(&at), name, args, body, decorators, returns, params}
	}
	f := get(p, &p.functions)
	*f = FunctionDef{p.from(&at), name, args, body, decorators, returns, params}
	return f
}

// parameters reads those of a function or a lambda, up to end.
func (p *parser) parameters(end kind, annotated bool) *Arguments {
	a := get(p, &p.arguments)
	const (
		positional = iota
		keyword
		done
	)
	state, slash := positional, false
	for p.tok.kind != end {
		switch p.tok.kind {
		case tSlash:
			if slash || state != positional || len(a.Args) == 0 {
				p.fail("invalid syntax: '/' in parameters")
			}
			slash = true
			p.advance()
			a.Posonlyargs, a.Args = a.Args, nil
		case tStar:
			if state != positional {
				p.fail("* argument may appear only once")
			}
			state = keyword
			p.advance()
			if p.tok.kind == tComma {
				if k := p.peek(); k == end || k == tDoubleStar {
					p.fail("named arguments must follow bare *")
				}
				break
			}
			a.Vararg = p.parameter(annotated, true)
			if p.tok.kind == tAssign {
				p.fail("var-positional argument cannot have default value")
			}
		case tDoubleStar:
			if state == done {
				p.fail("arguments cannot follow var-keyword argument")
			}
			state = done
			p.advance()
			a.Kwarg = p.parameter(annotated, false)
			if p.tok.kind == tAssign {
				p.fail("var-keyword argument cannot have default value")
			}
		default:
			arg := p.parameter(annotated, false)
			var def Expr
			if p.accept(tAssign) {
				def = p.expression()
			}
			switch {
			case state == done:
				p.fail("arguments cannot follow var-keyword argument")
			case state == keyword:
				a.Kwonlyargs = append(a.Kwonlyargs, arg)
				a.KwDefaults = append(a.KwDefaults, def)
			default:
				if def != nil {
					a.Defaults = append(a.Defaults, def)
				} else if len(a.Defaults) > 0 {
					p.fail("parameter without a default follows parameter with a default")
				}
				a.Args = append(a.Args, arg)
			}
		}
		if !p.accept(tComma) {
			break
		}
	}
	return a
}

func (p *parser) parameter(annotated, star bool) *Arg {
	start := p.tok
	a := get(p, &p.args)
	a.Arg = p.name()
	if annotated && p.accept(tColon) {
		if star && p.tok.kind == tStar {
			p.need(11, "a starred annotation")
			a.Annotation = p.starred()
		} else {
			a.Annotation = p.expression()
		}
	}
	a.Pos = p.from(&start)
	return a
}

func (p *parser) classDef(decorators []Expr) Stmt {
	start := p.tok
	p.advance()
	c := &ClassDef{Name: p.name(), DecoratorList: decorators}
	c.TypeParams = p.typeParams()
	if p.tok.kind == tLPar {
		open := p.tok
		p.advance()
		mark := len(p.exprs)
		c.Keywords = p.callArguments(&open, false)
		c.Bases = p.takeExprs(mark)
		p.expect(tRPar, "')'")
	}
	c.Body = p.block()
	c.Pos = p.from(&start)
	return c
}
