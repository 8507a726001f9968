package sql

import "palisade"

// startsQuery reports whether a query starts n tokens ahead.
func (p *parser) startsQuery(n int) bool {
	for p.ahead(n).op("(") {
		n++
	}
	t := p.ahead(n)
	return t.is("select", "with", "values") || t.is("table") && (p.ahead(n+1).kind == word || p.ahead(n+1).kind == quoted)
}

// query reads a query with what may stand before and after its terms.
func (p *parser) query() {
	if !p.enter() {
		return
	}
	defer p.leave()
	names := len(p.names)
	defer func() { p.names = p.names[:names] }()
	if p.is("with") {
		p.with()
	}
	p.open()
	defer p.close()
	p.terms()
	p.queryTail()
}

// with reads common table expressions. Those that write are statements of
// their own.
func (p *parser) with() {
	p.expect("with")
	recursive := p.accept("recursive")
	for p.err == nil {
		name := p.ident("the name of a common table expression").text
		if p.cur().op("(") {
			p.columnList()
		}
		p.expect("as")
		if !p.accept("materialized") {
			p.phrase("not", "materialized")
		}
		if recursive {
			p.names = append(p.names, name)
		}
		p.expectSymbol("(")
		if p.startsQuery(0) {
			p.query()
			if p.is("insert", "update", "delete", "merge", "replace") { // WITH … DELETE inside
				p.statement()
			}
		} else {
			p.statement()
		}
		p.expectSymbol(")")
		if !recursive {
			p.names = append(p.names, name)
		}
		p.searchAndCycle()
		if !p.symbol(",") {
			return
		}
	}
}

// searchAndCycle reads PostgreSQL's SEARCH and CYCLE clauses (7.8.2).
func (p *parser) searchAndCycle() {
	if p.accept("search") {
		if !p.accept("breadth", "depth") {
			p.fail("BREADTH or DEPTH")
		}
		p.expect("first")
		p.expect("by")
		p.identList()
		p.expect("set")
		p.ident("a column")
	}
	if p.accept("cycle") {
		p.identList()
		p.expect("set")
		p.ident("a column")
		if p.accept("to") {
			p.operand()
			p.expect("default")
			p.operand()
		}
		p.expect("using")
		p.ident("a column")
	}
}

func (p *parser) identList() {
	for p.err == nil {
		p.ident("a name")
		if !p.symbol(",") {
			return
		}
	}
}

// columnList reads (a, b).
func (p *parser) columnList() {
	p.expectSymbol("(")
	p.identList()
	p.expectSymbol(")")
}

// terms reads queries joined by set operators. Each term has a scope of its
// own; that of the first is shared with ORDER BY.
func (p *parser) terms() {
	p.term()
	for p.err == nil && p.accept("union", "intersect", "except") {
		p.accept("all", "distinct", "distinctrow")
		p.open()
		p.term()
		p.close()
	}
}

func (p *parser) term() {
	switch {
	case p.is("select"):
		p.selection()
	case p.accept("values"):
		p.rows()
	case p.accept("table"):
		p.accept("only")
		name, _, at := p.dotted("a table")
		p.table(at, name, "")
		p.symbol("*")
	case p.symbol("("):
		p.query()
		p.expectSymbol(")")
	default:
		p.fail("a query")
	}
}

// rows reads the rows of VALUES.
func (p *parser) rows() {
	for p.err == nil {
		p.accept("row")
		p.expectSymbol("(")
		p.exprList()
		p.expectSymbol(")")
		if !p.symbol(",") {
			return
		}
	}
}

// selectModifiers stand between SELECT and its items: MySQL's manual 15.2.13.
const selectModifiers = "high_priority straight_join sql_small_result sql_big_result sql_buffer_result sql_cache sql_no_cache sql_calc_found_rows"

// selection reads SELECT … up to its WINDOW clause.
func (p *parser) selection() {
	if !p.enter() {
		return
	}
	defer p.leave()
	p.expect("select")
	p.distinct()
	if p.d == mysql {
		for modifiers := wordSet(selectModifiers); p.cur().kind == word && modifiers[p.cur().text]; {
			p.take()
			p.distinct()
		}
	}
	if !p.is("from", "where", "into", "union", "intersect", "except") && p.cur().kind != end && !p.cur().op(")", ";") {
		p.items()
	} else if p.d != postgresql { // only PostgreSQL has a SELECT of nothing
		p.fail("an expression")
	}
	p.into()
	if p.accept("from") {
		p.from()
	}
	if p.accept("where") {
		p.expr()
	}
	if p.phrase("group", "by") {
		p.accept("all", "distinct")
		p.grouping()
	}
	if p.accept("having") {
		p.expr()
	}
	if p.accept("window") {
		p.windows()
	}
}

func (p *parser) distinct() {
	if p.accept("distinct", "distinctrow") {
		if p.accept("on") {
			p.expectSymbol("(")
			p.exprList()
			p.expectSymbol(")")
		}
		return
	}
	p.accept("all")
}

// items reads the output of a query.
func (p *parser) items() {
	for p.err == nil {
		if p.symbol("*") {
			p.scope.mention("*")
		} else {
			p.expr()
			p.itemAlias()
		}
		if !p.symbol(",") {
			return
		}
	}
}

// itemAlias reads AS and any word, or a word that is not reserved.
func (p *parser) itemAlias() {
	if p.accept("as") {
		if t := p.cur(); t.kind != word && t.kind != quoted && t.kind != text {
			p.fail("a name")
		}
		p.take()
		return
	}
	if t := p.cur(); t.name() || t.kind == text && p.d != postgresql {
		p.take()
	}
}

// into reads the INTO of a SELECT: a new table in PostgreSQL, a file or a
// variable in MySQL. It may stand before FROM or at the end.
func (p *parser) into() {
	at := p.cur()
	if !p.accept("into") {
		return
	}
	switch {
	case p.d == mysql && p.is("outfile", "dumpfile"):
		verb := p.take()
		p.fileArgument(at, palisade.CapWritePath, "SELECT INTO "+upper(verb.text))
		p.fileOptions()
	case p.d == mysql || p.in.body:
		p.say(at.lo, palisade.CapSideEffect, "SELECT INTO", p.cur().text, "sets a variable")
		for p.err == nil && (p.cur().kind == variable || p.cur().name()) {
			p.take()
			if !p.symbol(",") {
				break
			}
		}
	case p.d == postgresql:
		p.accept("temporary", "temp", "unlogged", "local", "global")
		p.accept("temporary", "temp")
		p.accept("table")
		name, _, _ := p.dotted("a table")
		p.say(at.lo, palisade.CapSchema, "SELECT INTO", name, "creates a table")
		p.say(at.lo, palisade.CapWriteData, "SELECT INTO", name, "fills it")
	default:
		p.fail("FROM")
	}
}

// fileOptions reads how OUTFILE writes: CHARACTER SET, FIELDS, LINES.
func (p *parser) fileOptions() {
	for p.is("character", "charset", "set", "fields", "columns", "lines", "terminated", "optionally", "enclosed", "escaped", "starting", "by", "utf8", "utf8mb4", "latin1", "binary") || p.cur().kind == text {
		p.take()
	}
}

// grouping reads what GROUP BY groups by.
func (p *parser) grouping() {
	for p.err == nil {
		if p.phrase("grouping", "sets") {
			p.expectSymbol("(")
			p.grouping()
			p.expectSymbol(")")
		} else if p.cur().op("(") && p.ahead(1).op(")") { // the empty set
			p.take()
			p.take()
		} else {
			p.expr()
			p.accept("asc", "desc") // MySQL 5
		}
		if !p.symbol(",") {
			break
		}
	}
	p.phrase("with", "rollup")
}

// queryTail reads what may follow the terms, in any order.
func (p *parser) queryTail() {
	for p.err == nil {
		switch at := p.cur(); {
		case p.phrase("order", "by"):
			p.orderList()
		case p.accept("limit"):
			if !p.accept("all") {
				p.expr()
			}
			if p.symbol(",") {
				p.expr()
			}
		case p.accept("offset"):
			p.expr()
			p.accept("row", "rows")
		case p.is("fetch"):
			p.fetchFirst()
		case p.is("for"):
			p.locking()
		case p.phrase("lock", "in", "share", "mode"):
			p.say(at.lo, palisade.CapSideEffect, "LOCK IN SHARE MODE", "", "locks the rows that it reads")
		case p.is("into"):
			p.into()
		case p.is("procedure"):
			p.fail("the end of the query")
		default:
			return
		}
	}
}

func (p *parser) fetchFirst() {
	p.expect("fetch")
	if !p.accept("first", "next") {
		p.fail("FIRST")
	}
	if !p.is("row", "rows") {
		p.operand()
	}
	if !p.accept("row", "rows") {
		p.fail("ROWS")
	}
	if !p.accept("only") && !p.phrase("with", "ties") {
		p.fail("ONLY")
	}
}

// locking reads FOR UPDATE and its kin: rows are locked until the transaction
// ends.
func (p *parser) locking() {
	at := p.take()
	strength := ""
	for _, s := range [...][]string{{"no", "key", "update"}, {"key", "share"}, {"update"}, {"share"}} {
		if p.phrase(s...) {
			strength = s[len(s)-1]
			break
		}
	}
	if strength == "" {
		p.fail("UPDATE or SHARE")
		return
	}
	p.say(at.lo, palisade.CapSideEffect, "FOR "+upper(strength), "", "locks the rows that it reads")
	if p.accept("of") {
		for p.err == nil {
			p.dotted("a table")
			if !p.symbol(",") {
				break
			}
		}
	}
	if !p.accept("nowait") && !p.phrase("skip", "locked") && p.accept("wait") {
		p.operand()
	}
}

// orderList reads what ORDER BY orders by.
func (p *parser) orderList() {
	for p.err == nil {
		p.expr()
		if p.accept("using") && p.cur().kind == op {
			p.take()
		}
		p.accept("asc", "desc")
		if p.accept("nulls") && !p.accept("first", "last") {
			p.fail("FIRST or LAST")
		}
		if !p.symbol(",") {
			return
		}
	}
}
