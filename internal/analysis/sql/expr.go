package sql

import (
	"strings"

	"palisade"
)

// exprList reads one or more expressions.
func (p *parser) exprList() {
	for p.err == nil {
		p.expr()
		if !p.symbol(",") {
			return
		}
	}
}

// expr reads an expression: operands with operators between them. How strongly
// the operators bind changes nothing about what it reads and calls.
func (p *parser) expr() {
	if !p.enter() {
		return
	}
	defer p.leave()
	for p.err == nil {
		p.operand()
		if !p.operator() {
			return
		}
	}
}

// operand reads what stands between operators, with what stands before and
// after it.
func (p *parser) operand() {
	for p.err == nil {
		t := p.cur()
		prefix := t.is("not") || t.kind == op && t.text != "*" && strings.Trim(t.text, operatorBytes) == "" ||
			t.is("binary") && p.d == mysql && !p.ahead(1).op(",", ")", "(", ".", ";", "=") && p.ahead(1).kind != end
		if !prefix {
			break
		}
		p.take()
	}
	p.primary()
	p.postfix()
}

func (p *parser) primary() {
	switch t := p.cur(); {
	case t.kind == word && t.text[0] == '_' && p.d == mysql && p.ahead(1).kind == number: // _utf8 0xD0B1
		p.take()
		p.take()
	case t.kind == number, t.kind == text, t.kind == param, t.is("null", "default"):
		p.take()
	case t.kind == variable:
		p.take()
		if p.cur().op(":=") {
			p.say(t.lo, palisade.CapSideEffect, ":=", t.text, "sets a variable")
		}
	case t.op("("):
		p.bracket()
	case t.is("case"):
		p.caseOf()
	case t.is("exists") && p.ahead(1).op("("):
		p.take()
		p.bracket()
	case t.is("any", "some", "all") && p.ahead(1).op("("):
		p.take()
		p.bracket()
	case t.is("row") && p.ahead(1).op("("):
		p.take()
		p.take()
		if !p.cur().op(")") {
			p.exprList()
		}
		p.expectSymbol(")")
	case t.is("array") && p.ahead(1).op("["):
		p.take()
		p.array()
	case t.is("array") && p.ahead(1).op("("):
		p.take()
		p.bracket()
	case t.op("{") && p.d == mysql: // ODBC: {ts '2020-01-01 00:00:00'}
		p.take()
		p.ident("the kind of a literal")
		p.expr()
		p.expectSymbol("}")
	case t.is("interval") && p.d != sqlite:
		p.interval()
	case t.kind == quoted, t.kind == word && (!reserved(t.text) || p.ahead(1).op("(") && callable(t.text)):
		p.named()
	default:
		p.fail("an expression")
	}
}

// callable reports whether a reserved word names a function where a bracket
// follows: left(s, 2), MySQL's insert(s, 1, 2, t) and values(c).
func callable(w string) bool {
	switch w {
	case "left", "right", "insert", "values", "glob", "like", "regexp", "check", "replace", "truncate":
		return true
	}
	return false
}

// bracket reads a query, an expression or a row between brackets.
func (p *parser) bracket() {
	if !p.enter() {
		return
	}
	defer p.leave()
	p.expectSymbol("(")
	if p.startsQuery(0) && !p.exprAfterBracket() {
		p.query()
	} else {
		p.exprList()
	}
	p.expectSymbol(")")
}

// exprAfterBracket tells ((SELECT 1) + 2) from ((SELECT 1)): what follows the
// inner bracket is neither the end nor a part of a query.
func (p *parser) exprAfterBracket() bool {
	if !p.cur().op("(") {
		return false
	}
	depth := 0
	for n := 0; ; n++ {
		switch t := p.ahead(n); {
		case t.kind == end:
			return false
		case t.op("("):
			depth++
		case t.op(")"):
			if depth--; depth == 0 {
				next := p.ahead(n + 1)
				return !next.op(")") && !next.is("union", "intersect", "except", "order", "limit", "offset", "fetch", "for")
			}
		}
	}
}

func (p *parser) caseOf() {
	p.expect("case")
	if !p.is("when") {
		p.expr()
	}
	for p.err == nil && p.accept("when") {
		p.expr()
		p.expect("then")
		p.expr()
	}
	if p.accept("else") {
		p.expr()
	}
	p.expect("end")
}

// array reads [1, 2] and [[1], [2]] after ARRAY.
func (p *parser) array() {
	if !p.enter() {
		return
	}
	defer p.leave()
	p.expectSymbol("[")
	for p.err == nil && !p.cur().op("]") {
		if p.cur().op("[") {
			p.array()
		} else {
			p.expr()
		}
		if !p.symbol(",") {
			break
		}
	}
	p.expectSymbol("]")
}

// intervalUnits are those of MySQL's manual 11.2.7 and PostgreSQL's 8.5.4.
const intervalUnits = `microsecond second minute hour day week month quarter year second_microsecond minute_microsecond
	minute_second hour_microsecond hour_second hour_minute day_microsecond day_second day_minute day_hour year_month
	sql_tsi_second sql_tsi_minute sql_tsi_hour sql_tsi_day sql_tsi_week sql_tsi_month sql_tsi_quarter sql_tsi_year`

// interval reads INTERVAL '1 day', INTERVAL 1 DAY, INTERVAL(3) '1' DAY TO
// SECOND, and a column or function of that name.
func (p *parser) interval() {
	next := p.ahead(1)
	if next.kind != text && next.kind != number && next.kind != param && next.kind != variable && !next.op("(", "-", "+") && !(p.d == mysql && next.name()) {
		p.named()
		return
	}
	p.take()
	units := wordSet(intervalUnits)
	p.expr()
	for p.cur().kind == word && (units[p.cur().text] || p.is("to")) {
		p.take()
		if p.cur().op("(") && p.ahead(1).kind == number {
			p.take()
			p.take()
			p.expectSymbol(")")
		}
	}
}

// named reads a column, a call, or a literal with its type before it.
func (p *parser) named() {
	at := p.cur()
	if p.is("timestamp", "time") && (p.ahead(1).is("with", "without") && p.ahead(2).is("time")) || p.is("double") && p.ahead(1).is("precision") ||
		p.is("character", "bit", "national") && p.ahead(1).is("varying", "character", "char") {
		p.typeName()
		if p.cur().kind != text {
			p.fail("a string")
		}
		p.take()
		return
	}
	name, parts := p.dots(p.take().text)
	star := false
	if p.cur().op(".") {
		p.take()
		if star = p.symbol("*"); !star {
			p.fail("a name")
			return
		}
		name += ".*"
	}
	switch {
	case !star && p.cur().op("("):
		p.call(at, name, parts)
	case !star && p.cur().kind == text:
		p.take()
	default:
		p.scope.mention(name)
		if parts > 1 {
			p.attribute(at, name)
		}
	}
}

// postfix reads what may follow an operand.
func (p *parser) postfix() {
	for p.err == nil {
		switch {
		case p.d == postgresql && p.symbol("::"):
			p.typeName()
		case p.cur().op("[") && p.d == postgresql:
			p.subscript()
		case p.cur().op("."):
			at := p.take()
			if p.symbol("*") {
				continue
			}
			if k := p.cur().kind; k != word && k != quoted {
				p.fail("a name")
				return
			}
			p.attribute(at, "."+p.take().text)
		case p.accept("collate"):
			if p.cur().kind == text {
				p.take()
			} else if p.is("binary") {
				p.take()
			} else {
				p.dotted("a collation")
			}
		case p.is("at") && p.ahead(1).is("time", "local"):
			p.take()
			if p.accept("local") {
				continue
			}
			p.take()
			p.expect("zone")
			p.operand()
		default:
			return
		}
	}
}

// subscript reads [1], [1:2], [:2] and [:].
func (p *parser) subscript() {
	p.expectSymbol("[")
	for p.err == nil && !p.cur().op("]") {
		if !p.symbol(":") {
			p.expr()
		}
		if p.cur().kind == end {
			break
		}
	}
	p.expectSymbol("]")
}
