package sql

import (
	"errors"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// statements reads statements, apart by semicolons, to the end.
func (p *parser) statements() {
	for p.err == nil {
		for p.symbol(";") {
		}
		if p.cur().kind == end {
			return
		}
		p.number++
		p.statement()
		if p.in.body && p.err == nil { // a procedural language has more than SQL after a statement
			p.loose(false)
		}
		if t := p.cur(); p.err == nil && t.kind != end && !t.op(";") && t.kind != meta {
			p.fail("a semicolon")
		}
	}
}

// statement reads one statement.
func (p *parser) statement() {
	if !p.enter() {
		return
	}
	defer p.leave()
	t := p.cur()
	switch {
	case t.kind == meta:
		p.take()
		p.client(t)
		return
	case p.startsQuery(0) && t.is("with"):
		p.withStatement()
		return
	case p.startsQuery(0):
		p.query()
		return
	case p.in.body && (t.kind != word || t.is("end", "execute") || p.verb(t.text) == nil):
		p.procedural()
		return
	case t.kind != word:
		p.fail("a statement")
		return
	}
	read := p.verb(t.text)
	if read == nil {
		p.fail("a known statement")
		return
	}
	p.take()
	read(p, t)
}

// withStatement reads WITH before a query or before a statement that writes.
func (p *parser) withStatement() {
	start := p.i
	names := len(p.names)
	facts := len(p.r.facts)
	steps := p.r.steps
	p.with()
	if p.is("insert", "update", "delete", "merge", "replace") {
		p.statement()
		p.names = p.names[:names]
		return
	}
	if p.err != nil {
		return
	}
	// A query: read it as one, so that its names are in its scope.
	p.i, p.names, p.r.facts, p.r.steps = start, p.names[:names], p.r.facts[:facts], steps
	p.query()
}

// procedural reads a statement of PL/pgSQL or of MySQL's stored programs that
// SQL does not have, up to its semicolon or the statement inside it.
func (p *parser) procedural() {
	at := p.cur()
	if p.accept("execute", "perform", "return") {
		if at.is("execute") {
			p.dynamic(at, "EXECUTE")
		}
	}
	for p.err == nil && p.cur().kind != end && !p.cur().op(";") {
		if p.is("then", "else", "loop", "begin", "do") { // a statement follows
			p.take()
			return
		}
		before := p.i
		p.looseToken(false)
		if p.i == before {
			p.take()
		}
	}
}

// loose reads the rest of a statement that is not a query: whatever is in it
// that reads, calls or runs something becomes a fact, the rest is skipped. It
// ends before a semicolon or a bracket that it did not open. In a definition
// names before brackets are mostly types and columns, so that only functions
// with a known effect count there.
func (p *parser) loose(definition bool) {
	if !p.enter() {
		return
	}
	defer p.leave()
	for p.err == nil {
		t := p.cur()
		if t.kind == end || t.op(";", ")") || t.kind == meta {
			return
		}
		p.looseToken(definition)
	}
}

// notFunctions stand before brackets in statements that are no calls.
const notFunctions = `in any some all exists values value row array key index unique constraint conflict references over filter
	numeric decimal dec number varchar char character nchar nvarchar varbinary binary bit float double real int integer
	bigint smallint tinyint mediumint timestamp time datetime year enum set vector geometry interval include partition range
	list hash columns options with within group cast only matched not and or on using as returning statistics extract
	type table into primary foreign check default fields lines partitions subpartition less than storage window`

func (p *parser) looseToken(definition bool) {
	t := p.cur()
	switch {
	case p.startsQuery(0) && !t.op("(") && !t.is("with", "values", "table"), t.is("with") && p.commonTable():
		p.query()
	case t.op("("):
		p.take()
		if p.startsQuery(0) {
			p.query()
		}
		p.loose(definition)
		p.expectSymbol(")")
	case t.is("from", "join"):
		p.take()
		p.looseTable()
	case t.kind == quoted || t.kind == word && (!reserved(t.text) || callable(t.text) && p.ahead(1).op("(")):
		p.looseName(definition)
	default:
		p.take()
	}
}

// commonTable tells WITH x AS ( from WITH (option) and WITH GRANT OPTION.
func (p *parser) commonTable() bool {
	n := 1
	if p.ahead(n).is("recursive") {
		n++
	}
	if !p.ahead(n).name() {
		return false
	}
	return p.ahead(n+1).op("(") || p.ahead(n+1).is("as") && (p.ahead(n+2).op("(") || p.ahead(n+2).is("not", "materialized"))
}

// looseTable takes the table after FROM or JOIN, where there is one.
func (p *parser) looseTable() {
	p.accept("only", "lateral")
	t := p.cur()
	switch {
	case t.kind == text && pathLike(t.text):
		p.take()
		p.readFile(t, t.text, "FROM", "a file in a table's place")
	case t.name() && !p.ahead(1).op("(") && !t.is("stdin"):
		name, parts, at := p.dotted("a table")
		if p.cur().op("(") {
			p.call(at, name, parts)
			return
		}
		p.table(at, name, "")
	}
}

// looseName takes a name and, where it is called, the call.
func (p *parser) looseName(definition bool) {
	at := p.take()
	name, parts := p.dots(at.text)
	if !p.cur().op("(") {
		return
	}
	if _, known := effects()[lower(name[strings.LastIndexByte(name, '.')+1:])]; !known {
		if definition || at.kind == word && parts == 1 && wordSet(notFunctions)[at.text] {
			return
		}
	}
	start, facts := p.i, len(p.r.facts)
	p.call(at, name, parts)
	if _, syntax := errors.AsType[*lexError](p.err); syntax { // not a call after all: its brackets are read loosely
		p.err, p.i, p.r.facts = nil, start, p.r.facts[:facts]
		p.use(at, name, parts, nil)
	}
}

// dynamic reads the text that EXECUTE and its kin run.
func (p *parser) dynamic(at token, symbol string) {
	t := p.cur()
	if t.kind == text {
		p.take()
		literal := p.cur().kind == end || p.cur().op(";") || p.is("using", "into")
		p.fact(at.lo, analysis.Fact{Capability: palisade.CapEvaluate, Symbol: symbol, Argument: shorten(t.text), Unknown: !literal,
			Kind: analysis.KindText, Evidence: "runs a string as SQL"})
		if literal {
			p.inner(t, "text that "+symbol+" runs", false)
		}
		return
	}
	p.fact(at.lo, analysis.Fact{Capability: palisade.CapEvaluate, Symbol: symbol, Unknown: true, Kind: analysis.KindComputed,
		Evidence: "runs text that is made at run time"})
}
