package sql

import (
	"strings"

	"palisade"
)

// dmlModifiers stand between a verb and its table.
var dmlModifiers = []string{"low_priority", "delayed", "high_priority", "ignore", "quick", "only"}

// target takes the table that a statement changes, and says so.
func (p *parser) target(at token, symbol string) (name string) {
	p.accept("only")
	if t := p.cur(); t.kind == text && p.d == sqlite {
		p.take()
		name = t.text
	} else {
		name, _, _ = p.dotted("a table")
	}
	p.say(at.lo, palisade.CapWriteData, symbol, name, "")
	return name
}

// insert reads INSERT and REPLACE.
func (p *parser) insert(at token) {
	for p.accept(dmlModifiers...) {
	}
	if p.accept("or") && !p.accept("rollback", "abort", "replace", "fail", "ignore") {
		p.fail("IGNORE")
	}
	into := p.accept("into")
	if !into && p.d != mysql {
		p.fail("INTO")
		return
	}
	if p.is("directory") || p.is("local") && p.ahead(1).is("directory") { // Hive, Spark
		p.doubt(at.lo, palisade.CapWritePath, upper(at.text), "", "")
	}
	if p.accept("function") { // ClickHouse: INSERT INTO FUNCTION file(…)
		p.loose(false)
		return
	}
	name := p.target(at, upper(at.text))
	if p.cur().op("(") && !p.startsQuery(0) {
		p.insertColumns(name)
	}
	p.loose(false)
}

// insertColumns takes the columns of an INSERT into the evidence of its fact.
func (p *parser) insertColumns(table string) {
	s := source{table: table}
	fact := len(p.r.facts) - 1
	start := p.i
	p.take()
	for p.err == nil && p.cur().name() {
		s.add(p.take().text)
		if !p.symbol(",") {
			break
		}
	}
	if !p.symbol(")") {
		p.i = start
		return
	}
	p.evidence(fact, s)
}

func (p *parser) evidence(fact int, s source) {
	if fact >= 0 && fact < len(p.r.facts) && len(s.columns) > 0 {
		f := &p.r.facts[fact]
		if f.Evidence != "" {
			f.Evidence += "; "
		}
		f.Evidence += "columns " + strings.Join(s.columns, ", ")
	}
}

// update reads UPDATE. Tables that are joined count as changed: MySQL may
// change any of them.
func (p *parser) update(at token) {
	for p.accept(dmlModifiers...) {
	}
	if p.accept("or") {
		p.accept("rollback", "abort", "replace", "fail", "ignore")
	}
	name := p.target(at, "UPDATE")
	fact := len(p.r.facts) - 1
	for p.err == nil && !p.is("set") && p.cur().kind != end && !p.cur().op(";", ")") {
		switch {
		case p.symbol(","), p.accept("join"):
			if p.cur().name() {
				p.target(at, "UPDATE")
			}
		default:
			p.looseToken(false)
		}
	}
	p.expect("set")
	s := source{table: name}
	for p.err == nil && p.cur().name() && (p.ahead(1).op("=") || p.ahead(1).op(".")) {
		column, _, _ := p.dotted("a column")
		s.add(column)
		if !p.symbol("=") {
			break
		}
		p.expr()
		if !p.symbol(",") {
			break
		}
	}
	p.evidence(fact, s)
	p.loose(false)
}

// deletion reads DELETE FROM t, and MySQL's DELETE a, b FROM ….
func (p *parser) deletion(at token) {
	for p.accept(dmlModifiers...) {
	}
	if !p.is("from") {
		if p.d != mysql {
			p.fail("FROM")
			return
		}
		for p.err == nil {
			p.target(at, "DELETE")
			if p.symbol(".") {
				p.symbol("*")
			}
			if !p.symbol(",") {
				break
			}
		}
		p.loose(false)
		return
	}
	p.take()
	p.target(at, "DELETE")
	for p.symbol(",") {
		p.target(at, "DELETE")
	}
	if p.accept("using") {
		p.looseTable()
	}
	p.loose(false)
}

// merging reads MERGE INTO t USING s ON … WHEN ….
func (p *parser) merging(at token) {
	p.accept("into")
	p.target(at, "MERGE")
	for p.err == nil && !p.is("using") && p.cur().name() || p.is("as") {
		p.take()
	}
	p.expect("using")
	p.looseTable()
	p.loose(false)
}

func (p *parser) truncation(at token) {
	p.accept("table")
	for p.err == nil {
		p.target(at, "TRUNCATE")
		p.symbol("*")
		if !p.symbol(",") {
			break
		}
	}
	p.loose(true)
}
