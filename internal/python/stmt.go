package python

func (p *parser) module() *Module {
	for p.tok.kind != tEOF {
		p.statement()
	}
	return &Module{Body: p.takeStmts(0)}
}

// statement pushes one compound statement, or the simple ones of a line, on
// p.stmts.
func (p *parser) statement() {
	var s Stmt
	switch p.tok.kind {
	case kIf:
		s = p.ifStmt()
	case kFor:
		s = p.forStmt(&p.tok, false)
	case kWhile:
		s = p.whileStmt()
	case kTry:
		s = p.tryStmt()
	case kWith:
		s = p.withStmt(&p.tok, false)
	case kDef:
		s = p.funcDef(&p.tok, nil, false)
	case kClass:
		s = p.classDef(nil)
	case tAt:
		s = p.decorated()
	case kAsync:
		s = p.asyncStmt(nil)
	case tName:
		if p.isName("match") && p.minor >= 10 && p.startsMatch() {
			s = p.matchStmt()
			break
		}
		p.simpleStmts()
		return
	default:
		p.simpleStmts()
		return
	}
	p.push(s)
}

func (p *parser) push(s Stmt) {
	p.count(1)
	p.stmts = append(p.stmts, s)
}

// simpleStmts: statements on one line, with semicolons between them.
func (p *parser) simpleStmts() {
	for {
		p.push(p.simpleStmt())
		if !p.accept(tSemi) {
			break
		}
		if p.tok.kind == tNewline {
			break
		}
	}
	if p.tok.kind != tNewline {
		p.unexpected("invalid syntax")
	}
	p.advance()
}

func (p *parser) simpleStmt() Stmt {
	start := p.tok
	switch p.tok.kind {
	case kPass:
		p.advance()
		return &Pass{p.from(&start)}
	case kBreak:
		p.advance()
		return &Break{p.from(&start)}
	case kContinue:
		p.advance()
		return &Continue{p.from(&start)}
	case kReturn:
		p.advance()
		r := get(p, &p.returns)
		if startsExpr[p.tok.kind] {
			r.Value = p.starExpressions()
		}
		r.Pos = p.from(&start)
		return r
	case kRaise:
		p.advance()
		r := &Raise{}
		if startsExpr[p.tok.kind] && p.tok.kind != tStar {
			r.Exc = p.expression()
			if p.accept(kFrom) {
				r.Cause = p.expression()
			}
		}
		r.Pos = p.from(&start)
		return r
	case kGlobal:
		names := p.nameList()
		return &Global{p.from(&start), names}
	case kNonlocal:
		names := p.nameList()
		return &Nonlocal{p.from(&start), names}
	case kAssert:
		p.advance()
		a := &Assert{Test: p.expression()}
		if p.accept(tComma) {
			a.Msg = p.expression()
		}
		a.Pos = p.from(&start)
		return a
	case kDel:
		return p.delStmt()
	case kImport:
		return p.importStmt()
	case kFrom:
		return p.importFrom()
	case kYield:
		e := p.yield()
		if p.tok.kind == tAssign {
			failNode(e, "assignment to yield expression not possible")
		}
		s := get(p, &p.exprStmts)
		s.Value = e
		s.Pos = p.from(&start)
		return s
	case tName:
		if p.minor >= 12 && p.isName("type") && p.peek() == tName {
			return p.typeAlias()
		}
	}
	return p.exprStmt()
}

func (p *parser) nameList() []string {
	p.track = true
	p.advance()
	names := []string{p.name()}
	for p.accept(tComma) {
		names = append(names, p.name())
		p.nodes++
	}
	return names
}

// exprStmt: an expression or an assignment of any kind.
func (p *parser) exprStmt() Stmt {
	start := p.tok
	e := p.starExpressions()
	switch k := p.tok.kind; {
	case k == tAssign:
		return p.assign(&start, e)
	case k == tColon:
		p.single(e, "cannot be annotated")
		p.advance()
		a := &AnnAssign{Target: e}
		_, name := e.(*Name)
		a.Simple = name && start.kind == tName
		a.Annotation = p.expression()
		if p.accept(tAssign) {
			a.Value = p.rhs()
		}
		a.Pos = p.from(&start)
		return a
	case k >= tPlusEq && k <= tDoubleSlashEq:
		p.single(e, "is an illegal expression for augmented assignment")
		p.advance()
		a := &AugAssign{Target: e, Op: Operator(k - tPlusEq)}
		if p.minor < 9 && p.tok.kind != kYield {
			a.Value = p.expressions()
		} else {
			a.Value = p.rhs()
		}
		a.Pos = p.from(&start)
		return a
	}
	s := get(p, &p.exprStmts)
	s.Value = e
	s.Pos = p.from(&start)
	return s
}

// rhs: what may stand to the right of an assignment.
func (p *parser) rhs() Expr {
	if p.tok.kind == kYield {
		return p.yield()
	}
	return p.starExpressions()
}

func (p *parser) assign(start *token, first Expr) Stmt {
	mark := len(p.exprs)
	value := first
	for p.tok.kind == tAssign {
		p.store(value)
		p.exprs = append(p.exprs, value)
		p.advance()
		value = p.rhs()
	}
	a := get(p, &p.assigns)
	a.Targets = p.takeExprs(mark)
	a.Value = value
	a.Pos = p.from(start)
	return a
}

func (p *parser) delStmt() Stmt {
	start := p.tok
	p.advance()
	mark := len(p.exprs)
	for {
		e := p.primary()
		p.del(e)
		p.exprs = append(p.exprs, e)
		if !p.accept(tComma) || p.tok.kind == tNewline || p.tok.kind == tSemi {
			break
		}
	}
	if p.tok.kind != tNewline && p.tok.kind != tSemi {
		p.unexpected("invalid syntax")
	}
	d := &Delete{Targets: p.takeExprs(mark)}
	d.Pos = p.from(&start)
	return d
}

func (p *parser) dottedName() string {
	start := p.tok
	s := p.name()
	if p.tok.kind != tDot {
		return s
	}
	if p.minor == 8 {
		s = p.text(&start) // 3.8 forgets NFKC here
	}
	// The source itself will do unless there is white space around a dot or
	// something to normalize.
	plain, end := !start.nonASCII, start.end
	var out []byte
	for p.accept(tDot) {
		part := p.tok
		name := p.name()
		if p.minor == 8 {
			name = p.text(&part)
		}
		if plain && (part.nonASCII || part.start != end+1) {
			plain = false
			out = append(out, p.lx.src[start.start:end]...)
		}
		if !plain {
			if out == nil {
				out = append(out, s...)
			}
			out = append(append(out, '.'), name...)
		}
		end = part.end
	}
	if plain {
		return p.lx.src[start.start:end]
	}
	return string(out)
}

func (p *parser) importStmt() Stmt {
	start := p.tok
	p.advance()
	s := &Import{}
	for {
		at := p.tok
		a := get(p, &p.aliases)
		a.Name = p.dottedName()
		if p.accept(kAs) {
			a.Asname = p.name()
		}
		a.Pos = p.from(&at)
		s.Names = append(s.Names, a)
		if !p.accept(tComma) {
			break
		}
	}
	s.Pos = p.from(&start)
	return s
}

func (p *parser) importFrom() Stmt {
	start := p.tok
	p.advance()
	s := &ImportFrom{}
	for p.tok.kind == tDot || p.tok.kind == tEllipsis {
		s.Level++
		if p.tok.kind == tEllipsis {
			s.Level += 2
		}
		p.advance()
	}
	if s.Level == 0 || p.tok.kind != kImport {
		s.Module = p.dottedName()
	}
	p.expect(kImport, "'import'")
	if p.tok.kind == tStar {
		at := p.tok
		p.advance()
		a := get(p, &p.aliases)
		a.Name, a.Pos = "*", p.from(&at)
		s.Names = []*Alias{a}
		s.Pos = p.from(&start)
		return s
	}
	parens := p.accept(tLPar)
	for {
		at := p.tok
		a := get(p, &p.aliases)
		a.Name = p.name()
		if p.accept(kAs) {
			a.Asname = p.name()
		}
		a.Pos = p.from(&at)
		s.Names = append(s.Names, a)
		if !p.accept(tComma) {
			break
		}
		if parens && p.tok.kind == tRPar {
			break
		}
	}
	if parens {
		p.expect(tRPar, "')'")
	}
	s.Pos = p.from(&start)
	return s
}

func (p *parser) typeAlias() Stmt {
	start := p.tok
	p.advance()
	at := p.tok
	n := get(p, &p.names)
	n.Id, n.Ctx = p.name(), Store
	n.Pos = p.from(&at)
	t := &TypeAlias{Name: n, TypeParams: p.typeParams()}
	p.expect(tAssign, "'='")
	t.Value = p.expression()
	t.Pos = p.from(&start)
	return t
}

// typeParams: the parameters in brackets of PEP 695, if there are any.
func (p *parser) typeParams() []TypeParam {
	if p.minor < 12 || p.tok.kind != tLSqb {
		return nil
	}
	p.advance()
	var list []TypeParam
	for {
		start := p.tok
		p.nodes++
		switch {
		case p.accept(tStar):
			t := &TypeVarTuple{Name: p.name()}
			t.DefaultValue = p.typeDefault((*parser).starExpression)
			t.Pos = p.from(&start)
			list = append(list, t)
		case p.accept(tDoubleStar):
			t := &ParamSpec{Name: p.name()}
			t.DefaultValue = p.typeDefault((*parser).expression)
			t.Pos = p.from(&start)
			list = append(list, t)
		default:
			t := &TypeVar{Name: p.name()}
			if p.accept(tColon) {
				t.Bound = p.expression()
			}
			t.DefaultValue = p.typeDefault((*parser).expression)
			t.Pos = p.from(&start)
			list = append(list, t)
		}
		if !p.accept(tComma) || p.tok.kind == tRSqb {
			break
		}
	}
	p.expect(tRSqb, "']'")
	return list
}

func (p *parser) typeDefault(f func(*parser) Expr) Expr {
	if p.tok.kind != tAssign {
		return nil
	}
	p.need(13, "a default of a type parameter")
	p.advance()
	return f(p)
}
