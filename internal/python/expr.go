package python

// starExpressions: one expression, or a tuple without parentheses, with stars.
func (p *parser) starExpressions() Expr {
	start := p.tok
	e := p.starExpression()
	if p.tok.kind != tComma {
		return e
	}
	return p.tupleRest(&start, e, (*parser).starExpression)
}

// tupleRest reads the rest of a tuple without parentheses, from its first comma.
func (p *parser) tupleRest(start *token, first Expr, elem func(*parser) Expr) Expr {
	mark := len(p.exprs)
	p.exprs = append(p.exprs, first)
	for p.accept(tComma) {
		if !startsExpr[p.tok.kind] {
			break
		}
		p.exprs = append(p.exprs, elem(p))
	}
	t := get(p, &p.tuples)
	t.Elts = p.takeExprs(mark)
	t.Pos = p.from(start)
	return t
}

// startsExpr holds the tokens with which an expression or a starred one starts.
var startsExpr = [kindCount]bool{
	tName: true, tNumber: true, tString: true, tFStart: true, tLPar: true,
	tLSqb: true, tLBrace: true, tEllipsis: true, tTilde: true, tPlus: true,
	tMinus: true, tStar: true, kAwait: true, kFalse: true, kLambda: true,
	kNone: true, kNot: true, kTrue: true,
}

func (p *parser) starExpression() Expr {
	if p.tok.kind == tStar {
		return p.starred()
	}
	return p.expression()
}

// starred: "*" bitwise_or.
func (p *parser) starred() Expr {
	start := p.tok
	p.advance()
	s := get(p, &p.starreds)
	s.Value = p.binary(1)
	s.Pos = p.from(&start)
	return s
}

// starNamed: an element of a list, a tuple in parentheses or a set.
func (p *parser) starNamed() Expr {
	if p.tok.kind == tStar {
		return p.starred()
	}
	return p.namedExpr()
}

// namedExpr: an expression, or an assignment expression.
func (p *parser) namedExpr() Expr {
	if p.tok.kind != tName {
		return p.expression()
	}
	start := p.tok
	e := p.expression()
	if p.tok.kind != tColonEq {
		return e
	}
	target, ok := e.(*Name)
	if !ok {
		p.fail("cannot use assignment expressions with this target")
	}
	p.advance()
	p.track = true
	target.Ctx = Store
	value := p.expression()
	p.nodes++
	return &NamedExpr{Pos: p.from(&start), Target: target, Value: value}
}

// expression: a disjunction, a conditional expression or a lambda.
func (p *parser) expression() Expr {
	if p.tok.kind == kLambda {
		return p.lambda()
	}
	p.enter()
	start := p.tok
	e := p.disjunction()
	if p.tok.kind == kIf && !p.nocond {
		p.advance()
		x := get(p, &p.ifExps)
		x.Body = e
		x.Test = p.disjunction()
		p.expect(kElse, "'else' after 'if' expression")
		x.Orelse = p.expression()
		x.Pos = p.from(&start)
		e = x
	}
	p.leave()
	return e
}

func (p *parser) lambda() Expr {
	p.enter()
	start := p.tok
	p.advance()
	l := get(p, &p.lambdas)
	l.Args = p.parameters(tColon, false)
	p.expect(tColon, "':'")
	l.Body = p.expression()
	l.Pos = p.from(&start)
	p.leave()
	return l
}

func (p *parser) disjunction() Expr {
	at := Pos{Line: int(p.tok.line), Col: int(p.tok.col)}
	e := p.conjunction()
	if p.tok.kind != kOr {
		return e
	}
	return p.boolOp(e, at, kOr, Or, (*parser).conjunction)
}

func (p *parser) conjunction() Expr {
	at := Pos{Line: int(p.tok.line), Col: int(p.tok.col)}
	e := p.inversion()
	if p.tok.kind != kAnd {
		return e
	}
	return p.boolOp(e, at, kAnd, And, (*parser).inversion)
}

func (p *parser) boolOp(first Expr, at Pos, k kind, op BoolOperator, operand func(*parser) Expr) Expr {
	mark := len(p.exprs)
	p.exprs = append(p.exprs, first)
	for p.accept(k) {
		p.exprs = append(p.exprs, operand(p))
	}
	b := get(p, &p.boolOps)
	b.Op = op
	b.Values = p.takeExprs(mark)
	b.Pos = p.fromPos(at)
	return b
}

func (p *parser) inversion() Expr {
	if p.tok.kind != kNot {
		return p.comparison()
	}
	p.enter()
	start := p.tok
	p.advance()
	u := get(p, &p.unaryOps)
	u.Op = Not
	u.Operand = p.inversion()
	u.Pos = p.from(&start)
	p.leave()
	return u
}

func (p *parser) comparison() Expr {
	at := Pos{Line: int(p.tok.line), Col: int(p.tok.col)}
	left := p.binary(1)
	op, ok := p.compareOp()
	if !ok {
		return left
	}
	c := get(p, &p.compares)
	c.Left = left
	mark := len(p.exprs)
	var buf [4]CmpOperator
	ops := buf[:0]
	for ok {
		ops = append(ops, op)
		p.exprs = append(p.exprs, p.binary(1))
		op, ok = p.compareOp()
	}
	c.Ops = append([]CmpOperator(nil), ops...)
	c.Comparators = p.takeExprs(mark)
	c.Pos = p.fromPos(at)
	return c
}

// compareOp passes a comparison operator, if there is one.
func (p *parser) compareOp() (op CmpOperator, ok bool) {
	switch p.tok.kind {
	case tEqEq:
		op = Eq
	case tNotEq:
		op = NotEq
	case tLess:
		op = Lt
	case tLessEq:
		op = LtE
	case tGreater:
		op = Gt
	case tGreaterEq:
		op = GtE
	case kIn:
		op = In
	case kIs:
		p.advance()
		if p.accept(kNot) {
			return IsNot, true
		}
		return Is, true
	case kNot:
		if p.peek() != kIn {
			return 0, false
		}
		p.advance()
		op = NotIn
	default:
		return 0, false
	}
	p.advance()
	return op, true
}

// binary: the operators that bind at least as tightly as prec, and left.
func (p *parser) binary(prec uint8) Expr {
	at := Pos{Line: int(p.tok.line), Col: int(p.tok.col)}
	left := p.unary()
	for {
		k := p.tok.kind
		q := precedence[k]
		if q == 0 || q < prec {
			return left
		}
		p.advance()
		right := p.binary(q + 1)
		b := get(p, &p.binOps)
		b.Left, b.Op, b.Right = left, Operator(k-tPlus), right
		b.Pos = p.fromPos(at)
		left = b
	}
}

func (p *parser) unary() Expr {
	var op UnaryOperator
	switch p.tok.kind {
	case tPlus:
		op = UAdd
	case tMinus:
		op = USub
	case tTilde:
		op = Invert
	default:
		return p.power()
	}
	p.enter()
	start := p.tok
	p.advance()
	u := get(p, &p.unaryOps)
	u.Op = op
	u.Operand = p.unary()
	u.Pos = p.from(&start)
	p.leave()
	return u
}

func (p *parser) power() Expr {
	at := Pos{Line: int(p.tok.line), Col: int(p.tok.col)}
	var base Expr
	if p.tok.kind == kAwait {
		start := p.tok
		p.advance()
		value := p.primary()
		p.nodes++
		base = &Await{Pos: p.from(&start), Value: value}
	} else {
		base = p.primary()
	}
	if p.tok.kind != tDoubleStar {
		return base
	}
	p.enter()
	p.advance()
	right := p.unary()
	b := get(p, &p.binOps)
	b.Left, b.Op, b.Right = base, Pow, right
	b.Pos = p.fromPos(at)
	p.leave()
	return b
}

// primary: an atom with attributes, calls and subscripts behind it.
func (p *parser) primary() Expr {
	at := Pos{Line: int(p.tok.line), Col: int(p.tok.col)}
	e := p.atom()
	for {
		switch p.tok.kind {
		case tDot:
			p.advance()
			a := get(p, &p.attributes)
			a.Value = e
			a.Attr = p.name()
			a.Pos = p.fromPos(at)
			e = a
		case tLPar:
			c := get(p, &p.calls)
			c.Func = e
			p.callParens(c)
			c.Pos = p.fromPos(at)
			e = c
		case tLSqb:
			p.advance()
			s := get(p, &p.subscripts)
			s.Value = e
			s.Slice = p.subscriptIndex()
			p.expect(tRSqb, "']'")
			s.Pos = p.fromPos(at)
			e = s
		default:
			return e
		}
	}
}

// callParens reads the arguments of a call, parentheses included.
func (p *parser) callParens(c *Call) {
	open := p.tok
	p.advance()
	mark := len(p.exprs)
	c.Keywords = p.callArguments(&open, true)
	c.Args = p.takeExprs(mark)
	p.expect(tRPar, "')'")
}

// callArguments pushes the positional arguments on p.exprs and returns the
// others. A lone generator needs no parentheses where gen is true.
func (p *parser) callArguments(open *token, gen bool) []*Keyword {
	var keywords []*Keyword
	first := len(p.exprs)
	doubleStar := false
	for p.tok.kind != tRPar {
		start := p.tok
		switch {
		case p.tok.kind == tStar:
			if doubleStar {
				p.fail("iterable argument unpacking follows keyword argument unpacking")
			}
			p.advance()
			s := get(p, &p.starreds)
			s.Value = p.expression()
			s.Pos = p.from(&start)
			p.exprs = append(p.exprs, s)
		case p.tok.kind == tDoubleStar:
			doubleStar = true
			p.advance()
			k := get(p, &p.keywords)
			k.Value = p.expression()
			k.Pos = p.from(&start)
			keywords = append(keywords, k)
		case p.tok.kind == tName && p.peek() == tAssign:
			k := get(p, &p.keywords)
			k.Arg = p.name()
			p.advance()
			k.Value = p.expression()
			k.Pos = p.from(&start)
			keywords = append(keywords, k)
		default:
			if len(keywords) > 0 {
				if doubleStar {
					p.fail("positional argument follows keyword argument unpacking")
				}
				p.fail("positional argument follows keyword argument")
			}
			e := p.namedExpr()
			if p.tok.kind == kFor || p.tok.kind == kAsync {
				if _, named := e.(*NamedExpr); named && p.minor < 9 && start.kind == tName {
					p.fail("invalid syntax")
				}
				if !gen || len(p.exprs) != first {
					p.fail("Generator expression must be parenthesized")
				}
				g := &GeneratorExp{Elt: e, Generators: p.comprehensions()}
				p.nodes++
				if p.tok.kind != tRPar {
					p.fail("Generator expression must be parenthesized")
				}
				g.Pos = p.from(open)
				g.EndLine, g.EndCol = int(p.tok.endLine), int(p.tok.endCol)
				e = g
			}
			p.exprs = append(p.exprs, e)
		}
		if !p.accept(tComma) {
			break
		}
	}
	return keywords
}

// subscriptIndex: what stands in the brackets of a subscript.
func (p *parser) subscriptIndex() Expr {
	start := p.tok
	e := p.slice()
	_, star := e.(*Starred)
	star = star && start.kind == tStar
	if p.tok.kind != tComma && !star {
		return e
	}
	mark := len(p.exprs)
	p.exprs = append(p.exprs, e)
	for p.accept(tComma) {
		if p.tok.kind == tRSqb {
			break
		}
		p.exprs = append(p.exprs, p.slice())
	}
	t := get(p, &p.tuples)
	t.Elts = p.takeExprs(mark)
	t.Pos = p.from(&start)
	return t
}

func (p *parser) slice() Expr {
	start := p.tok
	var lower Expr
	switch p.tok.kind {
	case tColon:
	case tStar:
		p.need(11, "a star in an index")
		p.advance()
		s := get(p, &p.starreds)
		s.Value = p.expression()
		s.Pos = p.from(&start)
		return s
	default:
		if p.minor >= 10 {
			lower = p.namedExpr()
		} else {
			lower = p.expression()
		}
		if p.tok.kind != tColon {
			return lower
		}
		if n, ok := lower.(*NamedExpr); ok && start.kind == tName {
			failNode(n, "invalid syntax")
		}
	}
	s := get(p, &p.slices)
	s.Lower = lower
	p.expect(tColon, "':'")
	if startsExpr[p.tok.kind] {
		s.Upper = p.expression()
	}
	if p.accept(tColon) && startsExpr[p.tok.kind] {
		s.Step = p.expression()
	}
	s.Pos = p.from(&start)
	return s
}

// comprehensions: one or more "for … in … if …".
func (p *parser) comprehensions() []*Comprehension {
	var list []*Comprehension
	for {
		c := &Comprehension{}
		if p.tok.kind == kAsync {
			p.advance()
			c.IsAsync = true
			if p.tok.kind != kFor {
				p.unexpected("invalid syntax")
			}
		} else if p.tok.kind != kFor {
			return list
		}
		p.nodes++
		p.advance()
		c.Target = p.starTargets()
		p.expect(kIn, "'in'")
		c.Iter = p.disjunction()
		mark := len(p.exprs)
		for p.accept(kIf) {
			if p.minor == 8 && p.tok.kind == kLambda {
				p.nocond = true
				p.exprs = append(p.exprs, p.lambda())
				p.nocond = false
				continue
			}
			p.exprs = append(p.exprs, p.disjunction())
		}
		c.Ifs = p.takeExprs(mark)
		list = append(list, c)
	}
}

// starTargets: the targets of a for, up to its "in".
func (p *parser) starTargets() Expr {
	start := p.tok
	e := p.starTarget()
	if p.tok.kind != tComma {
		return e
	}
	t := p.tupleRest(&start, e, (*parser).starTarget).(*Tuple)
	t.Ctx = Store
	return t
}

func (p *parser) starTarget() Expr {
	if p.tok.kind == tStar {
		start := p.tok
		p.advance()
		if p.tok.kind == tStar {
			p.fail("invalid syntax")
		}
		s := get(p, &p.starreds)
		s.Value = p.starTarget()
		s.Ctx = Store
		s.Pos = p.from(&start)
		return s
	}
	p.enter()
	e := p.primary()
	p.store(e)
	p.leave()
	return e
}

// store makes an expression the target of an assignment.
func (p *parser) store(e Expr) {
	switch e := e.(type) {
	case *Name:
		e.Ctx = Store
	case *Attribute:
		e.Ctx = Store
	case *Subscript:
		e.Ctx = Store
	case *Starred:
		e.Ctx = Store
		p.store(e.Value)
	case *Tuple:
		e.Ctx = Store
		for _, x := range e.Elts {
			p.store(x)
		}
	case *List:
		e.Ctx = Store
		for _, x := range e.Elts {
			p.store(x)
		}
	default:
		failNode(e, "cannot assign to "+describe(e))
	}
}

// single makes an expression the target of an annotated or an augmented
// assignment.
func (p *parser) single(e Expr, what string) {
	switch e.(type) {
	case *Name, *Attribute, *Subscript:
		p.store(e)
	default:
		failNode(e, describe(e)+" "+what)
	}
}

// del makes an expression the target of a del.
func (p *parser) del(e Expr) {
	switch e := e.(type) {
	case *Name:
		e.Ctx = Del
	case *Attribute:
		e.Ctx = Del
	case *Subscript:
		e.Ctx = Del
	case *Tuple:
		e.Ctx = Del
		for _, x := range e.Elts {
			p.del(x)
		}
	case *List:
		e.Ctx = Del
		for _, x := range e.Elts {
			p.del(x)
		}
	default:
		failNode(e, "cannot delete "+describe(e))
	}
}

// describe names the kind of an expression in an error.
func describe(e Expr) string {
	switch e := e.(type) {
	case *Constant:
		switch e.Value.Kind {
		case None:
			return "None"
		case Bool:
			if e.Value.IsTrue() {
				return "True"
			}
			return "False"
		case Ellipsis:
			return "ellipsis"
		}
		return "literal"
	case *Call:
		return "function call"
	case *Compare:
		return "comparison"
	case *Lambda:
		return "lambda"
	case *JoinedStr:
		return "f-string expression"
	case *Starred:
		return "starred"
	case *Tuple:
		return "tuple"
	case *List:
		return "list"
	case *Dict:
		return "dict literal"
	case *IfExp:
		return "conditional expression"
	}
	return "expression"
}
