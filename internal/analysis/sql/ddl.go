package sql

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// who are the objects whose creation or change gives or takes rights.
const who = "user role group policy privileges owned"

// creation reads CREATE.
func (p *parser) creation(at token) {
	start := p.i
	object := p.objectKind()
	symbol := strings.TrimSpace("CREATE " + upper(object))
	if p.phrase("if", "not", "exists") || p.accept("concurrently") {
		p.phrase("if", "not", "exists")
	}
	argument := p.objectName()
	capability := palisade.CapSchema
	switch object {
	case "user", "role", "group", "policy", "user mapping":
		capability = palisade.CapPrivilege
	case "":
		p.i = start
		p.fail("what is created")
		return
	}
	p.say(at.lo, capability, symbol, argument, "")
	switch object {
	case "extension", "language", "access method":
		p.say(at.lo, palisade.CapNative, symbol, argument, "loads native code into the server")
	case "server", "user mapping", "foreign table", "subscription", "foreign data wrapper", "publication":
		p.doubt(at.lo, palisade.CapNetwork, symbol, "", "connects the server to another one, to a file or to a program")
	case "function", "procedure", "aggregate", "trigger", "event", "event trigger", "rule", "package":
		p.routine(at, symbol)
		return
	case "virtual table":
		p.virtualTable(at, symbol)
	case "tablespace", "table", "database", "view", "materialized view":
		p.storage(at, symbol)
		return
	}
	p.loose(true)
}

// objectWords may stand between CREATE, ALTER or DROP and what it is about.
const objectWords = `or replace global local temporary temp unlogged unique fulltext spatial trusted procedural recursive constraint
	online offline transient algorithm merge temptable undefined definer sql security invoker aggregate if not exists default`

// objectKind takes the words up to the kind of an object, and gives that.
func (p *parser) objectKind() string {
	skip := wordSet(objectWords)
	for p.err == nil {
		t := p.cur()
		if t.kind == end || t.is("aggregate") && !p.ahead(1).is("function") || t.is("default") {
			break
		}
		if t.op("=", "@") || t.kind == variable || t.kind == text || t.kind == quoted || t.kind == word && skip[t.text] || p.ahead(-1).op("=") {
			if p.ahead(-1).is("create", "alter", "drop") && t.kind != word {
				break
			}
			p.take()
			continue
		}
		break
	}
	t := p.cur()
	if t.kind != word {
		return ""
	}
	for _, two := range [...]string{"materialized view", "foreign table", "foreign data", "event trigger", "virtual table", "user mapping", "access method",
		"text search", "operator class", "operator family", "default privileges", "large object", "resource group", "spatial reference"} {
		a, b, _ := strings.Cut(two, " ")
		if p.phrase(a, b) {
			if two == "foreign data" && p.accept("wrapper") {
				return "foreign data wrapper"
			}
			return two
		}
	}
	p.take()
	return t.text
}

// objectName takes the name of an object where there is one.
func (p *parser) objectName() string {
	t := p.cur()
	if t.kind == text {
		p.take()
		return t.text
	}
	if !t.name() || t.is("for") {
		return ""
	}
	name, _, _ := p.dotted("a name")
	return name
}

// routine reads the definition of code that the server keeps.
func (p *parser) routine(at token, symbol string) {
	language := "sql"
	if p.d == postgresql {
		language = "" // named by LANGUAGE; a body of SQL needs none
	}
	var bodies []token
	for p.err == nil && p.cur().kind != end && !p.cur().op(";") {
		switch t := p.cur(); {
		case t.is("language"):
			p.take()
			language = lower(p.take().text)
		case t.is("soname"):
			p.take()
			p.say(at.lo, palisade.CapNative, symbol, p.take().text, "loads native code into the server")
		case t.is("definer") && p.ahead(-1).is("security"):
			p.take()
			p.say(at.lo, palisade.CapPrivilege, symbol, "security definer", "runs with the rights of its owner")
		case t.is("as") && p.ahead(1).kind == text:
			p.take()
			bodies = append(bodies, p.take())
		case t.is("begin"):
			p.take()
			p.in.body = true
			p.fact(at.lo, analysis.Fact{Capability: palisade.CapEvaluate, Symbol: symbol, Argument: "sql", Kind: analysis.KindText, Evidence: "code that the server keeps"})
			if !p.cur().op(";") && p.cur().kind != end && !p.is("atomic") {
				p.statement()
			}
			p.accept("atomic")
			if !p.cur().op(";") && p.cur().kind != end {
				p.statement()
			}
			p.loose(false)
			return
		case t.is("on") && p.ahead(1).is("select", "insert", "update", "delete"): // the event of a rule
			p.take()
			p.take()
		case p.statementInside(t):
			p.fact(at.lo, analysis.Fact{Capability: palisade.CapEvaluate, Symbol: symbol, Argument: "sql", Kind: analysis.KindText, Evidence: "code that the server keeps"})
			p.statement()
		case t.op(")"):
			return
		default:
			before := p.i
			p.looseToken(true)
			if p.i == before {
				p.take()
			}
		}
	}
	for n, body := range bodies {
		if language == "" {
			language = "sql"
		}
		if n == 0 || language == "c" {
			p.code(at, symbol, language, &body)
		}
	}
}

// statementInside reports whether a statement starts inside a definition:
// after RETURN, DO [INSTEAD], FOR EACH ROW.
func (p *parser) statementInside(t token) bool {
	before := p.ahead(-1)
	return t.kind == word && p.verb(t.text) != nil && !t.is("execute") &&
		(before.is("do", "also", "instead", "row") || before.op("(", ")") && t.is("insert", "update", "delete", "call"))
}

// virtualTable reads the module of a virtual table. Those that SQLite itself
// has compute or index; others, such as csv, may read files.
func (p *parser) virtualTable(at token, symbol string) {
	if !p.accept("using") {
		return
	}
	module := p.cur()
	if module.is("fts3", "fts4", "fts5", "rtree", "geopoly", "fts5vocab", "fts3tokenize", "dbstat") {
		return
	}
	p.doubt(at.lo, palisade.CapReadPath, symbol, "", "the module "+module.show()+" is not built in and may read files")
}

// storage reads what CREATE TABLE, VIEW and TABLESPACE may name outside of the
// database, and the query that fills them.
func (p *parser) storage(at token, symbol string) {
	for p.err == nil {
		switch t := p.cur(); {
		case t.kind == end || t.op(";", ")"):
			return
		case t.is("location", "directory") && p.ahead(1).kind == text, t.is("location", "directory") && p.ahead(1).op("=") && p.ahead(2).kind == text,
			t.is("datafile") && p.ahead(1).kind == text:
			p.take()
			p.symbol("=")
			p.fileArgument(at, palisade.CapWritePath, symbol)
		case t.is("connection") && (p.ahead(1).kind == text || p.ahead(1).op("=")):
			p.doubt(at.lo, palisade.CapNetwork, symbol, "", "a table of another server")
			p.take()
		case t.is("as") && p.startsQuery(1):
			p.take()
			p.query()
		default:
			p.looseToken(true)
		}
	}
}

// alteration reads ALTER.
func (p *parser) alteration(at token) {
	if p.is("system") {
		p.say(at.lo, palisade.CapSideEffect, "ALTER SYSTEM", p.ahead(2).show(), "changes the server's configuration")
		p.say(at.lo, palisade.CapPrivilege, "ALTER SYSTEM", p.ahead(2).show(), "settings of the server name programs and files that it runs")
		p.skip()
		return
	}
	p.changing(at, "ALTER")
}

func (p *parser) dropping(at token) { p.changing(at, "DROP") }

func (p *parser) changing(at token, verb string) {
	object := p.objectKind()
	if object == "" {
		p.fail("what is changed")
		return
	}
	p.phrase("if", "exists")
	argument := p.objectName()
	symbol := verb + " " + upper(object)
	capability := palisade.CapSchema
	if wordSet(who)[object] || object == "default privileges" || object == "user mapping" {
		capability = palisade.CapPrivilege
	}
	p.say(at.lo, capability, symbol, argument, "")
	if verb == "DROP" && (object == "table" || object == "database" || object == "schema" || object == "materialized view") {
		p.say(at.lo, palisade.CapWriteData, symbol, argument, "its data goes with it")
	}
	if object == "server" || object == "subscription" || object == "foreign data wrapper" {
		p.doubt(at.lo, palisade.CapNetwork, symbol, "", "connects the server to another one")
	}
	if object == "extension" && verb == "ALTER" {
		p.say(at.lo, palisade.CapNative, symbol, argument, "loads native code into the server")
	}
	if capability == palisade.CapPrivilege { // the names of rights are verbs
		p.skip()
	}
	for p.err == nil && p.cur().kind != end && !p.cur().op(";", ")") {
		if p.is("owner") && p.ahead(1).is("to") || p.is("definer") && p.ahead(-1).is("security") {
			p.say(at.lo, palisade.CapPrivilege, symbol, argument, "changes whose rights it has")
		}
		p.looseToken(true)
	}
}
