package sql

import "palisade"

// operator takes a binary operator and reports whether an operand must follow.
func (p *parser) operator() bool {
	t := p.cur()
	if t.kind == op {
		switch t.text {
		case "(", ")", "[", "]", "{", "}", ",", ";", ".", ":", "::", "=>":
			return false
		case ":=":
			if p.d != mysql {
				return false
			}
		}
		p.take()
		return true
	}
	if t.kind != word {
		return false
	}
	switch t.text {
	case "and", "or", "xor", "like", "ilike", "rlike", "regexp", "glob", "div", "mod", "overlaps", "escape":
		p.take()
		return true
	case "match":
		if p.d == sqlite {
			p.take()
			return true
		}
	case "between":
		p.take()
		p.accept("symmetric", "asymmetric")
		return true
	case "similar":
		return p.phrase("similar", "to")
	case "sounds":
		return p.phrase("sounds", "like")
	case "member":
		return p.phrase("member", "of")
	case "in":
		p.take()
		p.inOperand()
		return p.operator()
	case "is":
		p.take()
		return p.test()
	case "operator":
		if p.ahead(1).op("(") {
			return p.namedOperator()
		}
	case "not":
		if p.ahead(1).is("null") { // PostgreSQL's and SQLite's postfix
			p.take()
			p.take()
			return p.operator()
		}
		if p.ahead(1).is("in", "like", "ilike", "rlike", "regexp", "glob", "match", "between", "similar") {
			p.take()
			return p.operator()
		}
	case "isnull", "notnull":
		p.take()
		return p.operator()
	}
	return false
}

// inOperand reads what stands after IN.
func (p *parser) inOperand() {
	switch {
	case p.cur().op("("):
		if p.ahead(1).op(")") { // SQLite's empty list
			p.take()
			p.take()
			return
		}
		p.operand()
	case p.d == sqlite && p.cur().name():
		name, parts, at := p.dotted("a table")
		if p.cur().op("(") {
			p.call(at, name, parts)
			return
		}
		p.table(at, name, "")
	case p.cur().kind == param, p.cur().kind == text: // position('a' in 'b')
		p.take()
	case p.inPosition:
		p.operand()
	default:
		p.fail("(")
	}
}

// test reads what stands after IS, and reports whether an operand must follow.
func (p *parser) test() bool {
	p.accept("not")
	switch {
	case p.phrase("distinct", "from"):
		return true
	case p.accept("null", "true", "false", "unknown", "document"):
	case p.accept("nfc", "nfd", "nfkc", "nfkd"):
		p.expect("normalized")
	case p.accept("normalized"):
	case p.is("json") && p.d == postgresql:
		p.take()
		p.accept("value", "array", "object", "scalar")
		if p.accept("with", "without") {
			p.expect("unique")
			p.accept("keys")
		}
	case p.d == sqlite:
		return true // a IS b
	default:
		p.fail("NULL")
	}
	return p.operator()
}

// namedOperator reads PostgreSQL's OPERATOR(schema.op).
func (p *parser) namedOperator() bool {
	at := p.take()
	p.take()
	for p.err == nil && !p.cur().op(")") {
		if t := p.take(); t.kind != op && !t.is("pg_catalog") {
			p.doubt(at.lo, palisade.CapSideEffect, "OPERATOR", "", "an operator of the schema "+t.show())
		}
		if p.cur().kind == end {
			break
		}
	}
	p.expectSymbol(")")
	return true
}
