package sql

import "palisade"

// from reads the tables of a FROM clause and their joins.
func (p *parser) from() {
	if !p.enter() {
		return
	}
	defer p.leave()
	for p.err == nil {
		p.tableRef()
		p.joins()
		if !p.symbol(",") {
			return
		}
	}
}

// joins reads the joins that follow a table.
func (p *parser) joins() {
	if !p.enter() {
		return
	}
	defer p.leave()
	for p.err == nil {
		natural := p.accept("natural")
		switch {
		case p.accept("cross", "inner"):
			p.expect("join")
		case p.accept("left", "right", "full"):
			p.accept("outer", "semi", "anti")
			p.expect("join")
		case p.accept("join", "straight_join"):
		case natural:
			p.fail("JOIN")
		default:
			return
		}
		p.tableRef()
		for p.err == nil && p.is("natural", "cross", "inner", "left", "right", "full", "join", "straight_join") {
			p.joins() // a JOIN b JOIN c ON … ON …
		}
		p.joinCondition()
	}
}

func (p *parser) joinCondition() {
	for p.is("on", "using") {
		if p.accept("on") {
			p.expr()
			continue
		}
		p.expect("using")
		p.expectSymbol("(")
		for p.err == nil {
			p.scope.mention(p.ident("a column").text)
			if !p.symbol(",") {
				break
			}
		}
		p.expectSymbol(")")
		if p.accept("as") {
			p.ident("a name")
		}
	}
}

// tableRef reads one table, a query or a function in its place.
func (p *parser) tableRef() {
	lateral := p.accept("lateral")
	switch at := p.cur(); {
	case at.op("("):
		p.parenthesized()
	case p.is("rows") && p.ahead(1).is("from"):
		p.take()
		p.take()
		p.expectSymbol("(")
		for p.err == nil {
			p.operand()
			if p.accept("as") {
				p.definitions()
			}
			if !p.symbol(",") {
				break
			}
		}
		p.expectSymbol(")")
		p.functionTail()
	case at.kind == text:
		p.take()
		p.alias()
		p.table(at, at.text, "")
		if !pathLike(at.text) && p.d != sqlite {
			p.stop(&lexError{at.lo, "a string cannot be a table"})
		}
	default:
		p.namedTable(lateral)
	}
}

// parenthesized reads a query or joined tables in brackets.
func (p *parser) parenthesized() {
	if p.startsQuery(0) && !p.joinsAfterBracket() {
		p.expectSymbol("(")
		p.query()
		p.expectSymbol(")")
	} else {
		p.expectSymbol("(")
		p.from()
		p.expectSymbol(")")
	}
	name := p.alias()
	if p.scope != nil {
		p.scope.sources = append(p.scope.sources, source{table: name, alias: name, fact: -1})
	}
}

// joinsAfterBracket tells ((SELECT …) JOIN t) from ((SELECT …)): after the
// bracket that closes the inner one comes more than the end of the outer.
func (p *parser) joinsAfterBracket() bool {
	if !p.ahead(1).op("(") {
		return false
	}
	depth := 0
	for n := 1; ; n++ {
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

// namedTable reads a table by name, or a call of a function in its place.
func (p *parser) namedTable(lateral bool) {
	p.accept("only")
	if p.symbol("(") { // ONLY (t)
		name, _, at := p.dotted("a table")
		p.expectSymbol(")")
		p.table(at, name, p.alias())
		return
	}
	name, parts, at := p.dotted("a table")
	if p.err != nil {
		return
	}
	if p.cur().op("(") {
		p.call(at, name, parts)
		p.functionTail()
		return
	}
	if lateral && p.d == postgresql {
		p.fail("a query")
	}
	p.symbol("*")
	if p.accept("partition") { // MySQL
		p.columnList()
	}
	alias := ""
	for p.err == nil {
		switch {
		case p.phrase("not", "indexed"):
		case p.phrase("indexed", "by"):
			p.ident("an index")
		case p.is("use", "force", "ignore") && p.ahead(1).is("index", "key"):
			p.indexHint()
		case p.accept("tablesample"):
			p.sample()
		case p.phrase("for", "system_time"): // MariaDB
			p.fail("the end of the table")
		case alias == "" && (p.is("as") || p.cur().name()) && !p.locks():
			alias = p.alias()
		default:
			p.table(at, name, alias)
			return
		}
	}
}

// alias reads a table's alias, with names for its columns.
func (p *parser) alias() string {
	var name string
	switch {
	case p.accept("as"):
		if t := p.cur(); t.kind != word && t.kind != quoted && t.kind != text {
			p.fail("a name")
			return ""
		}
		name = p.take().text
	case p.cur().name():
		name = p.take().text
	default:
		return ""
	}
	if p.cur().op("(") {
		p.definitions()
	}
	return name
}

// definitions reads (a, b) and (a int, b text).
func (p *parser) definitions() {
	p.expectSymbol("(")
	for p.err == nil {
		p.ident("a column")
		if !p.cur().op(",", ")") {
			p.typeName()
		}
		if p.accept("collate") {
			p.dotted("a collation")
		}
		if !p.symbol(",") {
			break
		}
	}
	p.expectSymbol(")")
}

// functionTail reads what may follow a function in a table's place.
func (p *parser) functionTail() {
	p.phrase("with", "ordinality")
	name := ""
	if p.accept("as") && p.cur().op("(") {
		p.definitions()
	} else {
		name = p.aliasName()
	}
	if p.scope != nil {
		p.scope.sources = append(p.scope.sources, source{table: name, alias: name, fact: -1})
	}
}

func (p *parser) aliasName() string {
	if !p.cur().name() {
		return ""
	}
	name := p.take().text
	if p.cur().op("(") {
		p.definitions()
	}
	return name
}

// indexHint reads MySQL's USE INDEX FOR JOIN (a, b).
func (p *parser) indexHint() {
	p.take()
	p.take()
	if p.accept("for") && !p.accept("join") {
		if !p.phrase("order", "by") && !p.phrase("group", "by") {
			p.fail("JOIN")
		}
	}
	p.expectSymbol("(")
	for p.err == nil && !p.cur().op(")") {
		if !p.accept("primary") {
			p.ident("an index")
		}
		if !p.symbol(",") {
			break
		}
	}
	p.expectSymbol(")")
}

// sample reads PostgreSQL's TABLESAMPLE. Its two methods are built in; another
// one is an extension's.
func (p *parser) sample() {
	at := p.cur()
	method, _, _ := p.dotted("a sampling method")
	if method != "bernoulli" && method != "system" {
		p.doubt(at.lo, palisade.CapSideEffect, method, "", "a sampling method that is not built in")
	}
	p.expectSymbol("(")
	p.exprList()
	p.expectSymbol(")")
	if p.accept("repeatable") {
		p.expectSymbol("(")
		p.expr()
		p.expectSymbol(")")
	}
}

// locks reports whether MySQL's LOCK IN SHARE MODE follows.
func (p *parser) locks() bool { return p.is("lock") && p.ahead(1).is("in") }
