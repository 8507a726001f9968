package python

// startsMatch decides whether the soft keyword "match" at the start of a line
// opens a match statement. Only then does the line end in a colon.
func (p *parser) startsMatch() bool {
	switch p.peek() {
	case tName, tNumber, tString, tFStart, tLBrace, tEllipsis, tTilde, kAwait,
		kFalse, kLambda, kNone, kTrue, tLPar, tLSqb, tMinus, tPlus, tStar, kNot:
	default:
		return false
	}
	lx := p.lx // stands behind the token after "match"
	if len(lx.modes) > 0 {
		return true // match f"…": no expression starts so
	}
	t, last := p.ahead, p.ahead.kind
	for t.kind != tNewline {
		last = t.kind
		lx.next(&t)
		if t.kind == tError || t.kind == tEOF {
			return true
		}
	}
	return last == tColon
}

func (p *parser) matchStmt() Stmt {
	start := p.tok
	p.advance()
	m := &Match{}
	at := p.tok
	// A subject with a comma is a tuple, and only a tuple may have stars.
	if p.tok.kind == tStar {
		e := p.starred()
		if p.tok.kind != tComma {
			p.fail("invalid syntax")
		}
		m.Subject = p.tupleRest(&at, e, (*parser).starNamed)
	} else {
		m.Subject = p.namedExpr()
		if p.tok.kind == tComma {
			m.Subject = p.tupleRest(&at, m.Subject, (*parser).starNamed)
		}
	}
	p.expect(tColon, "':'")
	p.expect(tNewline, "a new line")
	if p.tok.kind != tIndent {
		p.fail("expected an indented block after 'match' statement")
	}
	p.advance()
	p.enter()
	for p.tok.kind != tDedent {
		if !p.isName("case") {
			p.unexpected("expected 'case'")
		}
		p.nodes++
		p.advance()
		c := &MatchCase{Pattern: p.patterns()}
		if p.accept(kIf) {
			c.Guard = p.namedExpr()
		}
		c.Body = p.block()
		m.Cases = append(m.Cases, c)
	}
	p.leave()
	p.advance()
	m.Pos = p.from(&start)
	return m
}

// patterns: a pattern, or a sequence without brackets.
func (p *parser) patterns() Pattern {
	start := p.tok
	first := p.maybeStarPattern()
	_, star := first.(*MatchStar)
	if p.tok.kind != tComma {
		if star {
			p.fail("invalid syntax: a lone star pattern")
		}
		return first
	}
	list := []Pattern{first}
	for p.accept(tComma) {
		if p.tok.kind == tColon || p.tok.kind == kIf {
			break
		}
		list = append(list, p.maybeStarPattern())
	}
	return &MatchSequence{p.from(&start), list}
}

func (p *parser) maybeStarPattern() Pattern {
	if p.tok.kind != tStar {
		return p.asPattern()
	}
	start := p.tok
	p.nodes++
	p.advance()
	name := p.name()
	if name == "_" {
		name = ""
	}
	return &MatchStar{p.from(&start), name}
}

func (p *parser) asPattern() Pattern {
	p.enter()
	start := p.tok
	pat := p.orPattern()
	if p.accept(kAs) {
		if p.isName("_") {
			p.fail("cannot use '_' as a target")
		}
		name := p.name()
		if k := p.tok.kind; k == tDot || k == tLPar || k == tAssign {
			p.fail("invalid pattern target")
		}
		pat = &MatchAs{p.from(&start), pat, name}
	}
	p.leave()
	return pat
}

func (p *parser) orPattern() Pattern {
	start := p.tok
	first := p.closedPattern()
	if p.tok.kind != tVBar {
		return first
	}
	list := []Pattern{first}
	for p.accept(tVBar) {
		list = append(list, p.closedPattern())
	}
	return &MatchOr{p.from(&start), list}
}

func (p *parser) closedPattern() Pattern {
	start := p.tok
	p.count(1)
	singleton := func(v Value) Pattern {
		p.advance()
		return &MatchSingleton{p.from(&start), v}
	}
	switch p.tok.kind {
	case kNone:
		return singleton(Value{Kind: None})
	case kTrue:
		return singleton(Value{Kind: Bool, Int: 1})
	case kFalse:
		return singleton(Value{Kind: Bool})
	case tNumber, tMinus:
		e := p.patternNumber()
		return &MatchValue{p.from(&start), e}
	case tString, tFStart:
		e := p.strings()
		switch e.(type) {
		case *JoinedStr, *TemplateStr:
			failNode(e, "patterns may only match literals and attribute lookups")
		}
		return &MatchValue{p.from(&start), e}
	case tName:
		return p.namePattern()
	case tLPar:
		return p.groupPattern()
	case tLSqb:
		p.advance()
		list := p.patternList(tRSqb)
		p.expect(tRSqb, "']'")
		return &MatchSequence{p.from(&start), list}
	case tLBrace:
		return p.mappingPattern()
	}
	p.unexpected("invalid syntax")
	return nil
}

// patternNumber: a number, perhaps negative, perhaps with an imaginary part.
func (p *parser) patternNumber() Expr {
	start := p.tok
	left := p.signedNumber()
	if p.tok.kind != tPlus && p.tok.kind != tMinus {
		return left
	}
	if isComplex(left) {
		failNode(left, "real number required in complex literal")
	}
	op := Operator(p.tok.kind - tPlus)
	p.advance()
	if p.tok.kind != tNumber {
		p.unexpected("invalid syntax")
	}
	right := p.atom()
	if !isComplex(right) {
		failNode(right, "imaginary number required in complex literal")
	}
	b := get(p, &p.binOps)
	b.Left, b.Op, b.Right = left, op, right
	b.Pos = p.from(&start)
	return b
}

func (p *parser) signedNumber() Expr {
	start := p.tok
	if p.accept(tMinus) {
		if p.tok.kind != tNumber {
			p.unexpected("invalid syntax")
		}
		u := get(p, &p.unaryOps)
		u.Op, u.Operand = USub, p.atom()
		u.Pos = p.from(&start)
		return u
	}
	return p.atom()
}

// isComplex reports whether a signed number is imaginary.
func isComplex(e Expr) bool {
	if u, ok := e.(*UnaryOp); ok {
		e = u.Operand
	}
	c, ok := e.(*Constant)
	return ok && c.Value.Kind == Complex
}

// namePattern: a capture, the wildcard, a dotted value or a class.
func (p *parser) namePattern() Pattern {
	start := p.tok
	k := p.peek()
	if p.isName("_") && k != tAssign {
		// The wildcard, whatever follows.
		p.advance()
		return &MatchAs{p.from(&start), nil, ""}
	}
	if k != tDot && k != tLPar {
		if k == tAssign {
			p.fail("invalid syntax")
		}
		name := p.name()
		return &MatchAs{p.from(&start), nil, name}
	}
	e := p.atom()
	for p.accept(tDot) {
		a := get(p, &p.attributes)
		a.Value = e
		a.Attr = p.name()
		a.Pos = p.from(&start)
		e = a
	}
	if p.tok.kind != tLPar {
		if p.tok.kind == tAssign {
			p.fail("invalid syntax")
		}
		return &MatchValue{p.from(&start), e}
	}
	p.advance()
	c := &MatchClass{Cls: e}
	for p.tok.kind != tRPar {
		if p.tok.kind == tName && p.peek() == tAssign {
			c.KwdAttrs = append(c.KwdAttrs, p.name())
			p.advance()
			c.KwdPatterns = append(c.KwdPatterns, p.asPattern())
		} else {
			if len(c.KwdAttrs) > 0 {
				p.fail("positional patterns follow keyword patterns")
			}
			c.Patterns = append(c.Patterns, p.asPattern())
		}
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRPar, "')'")
	c.Pos = p.from(&start)
	return c
}

// groupPattern: a pattern in parentheses, or a sequence.
func (p *parser) groupPattern() Pattern {
	start := p.tok
	p.advance()
	if p.tok.kind == tRPar {
		p.advance()
		return &MatchSequence{p.from(&start), nil}
	}
	first := p.maybeStarPattern()
	_, star := first.(*MatchStar)
	if p.tok.kind == tRPar && !star {
		p.advance()
		return first
	}
	list := []Pattern{first}
	p.expect(tComma, "','")
	list = append(list, p.patternList(tRPar)...)
	p.expect(tRPar, "')'")
	return &MatchSequence{p.from(&start), list}
}

// patternList reads patterns with commas between them, up to end.
func (p *parser) patternList(end kind) []Pattern {
	var list []Pattern
	for p.tok.kind != end {
		list = append(list, p.maybeStarPattern())
		if !p.accept(tComma) {
			break
		}
	}
	return list
}

func (p *parser) mappingPattern() Pattern {
	start := p.tok
	p.advance()
	m := &MatchMapping{}
	for p.tok.kind != tRBrace {
		if p.accept(tDoubleStar) {
			if p.isName("_") {
				p.fail("invalid syntax")
			}
			m.Rest = p.name()
			p.accept(tComma)
			break
		}
		m.Keys = append(m.Keys, p.mappingKey())
		p.expect(tColon, "':'")
		m.Patterns = append(m.Patterns, p.asPattern())
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRBrace, "'}'")
	m.Pos = p.from(&start)
	return m
}

// mappingKey: a literal or a dotted name.
func (p *parser) mappingKey() Expr {
	start := p.tok
	switch p.tok.kind {
	case kNone, kTrue, kFalse:
		return p.atom()
	case tNumber, tMinus:
		return p.patternNumber()
	case tString, tFStart:
		e := p.strings()
		switch e.(type) {
		case *JoinedStr, *TemplateStr:
			failNode(e, "patterns may only match literals and attribute lookups")
		}
		return e
	case tName:
		e := p.atom()
		if p.tok.kind != tDot {
			p.unexpected("invalid syntax")
		}
		for p.accept(tDot) {
			a := get(p, &p.attributes)
			a.Value = e
			a.Attr = p.name()
			a.Pos = p.from(&start)
			e = a
		}
		return e
	}
	p.unexpected("invalid syntax")
	return nil
}
