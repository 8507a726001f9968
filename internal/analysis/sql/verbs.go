package sql

import (
	"strings"
	"sync"

	"palisade"
	"palisade/internal/analysis"
)

// The words that start statements, for each dialect: PostgreSQL's manual, part
// VI "SQL Commands"; MySQL's, chapter 15, with MariaDB's EXECUTE IMMEDIATE;
// "SQL As Understood By SQLite".
const (
	postgresqlVerbs = `insert update delete merge truncate load copy create alter drop comment reindex cluster refresh security import
		vacuum analyze analyse checkpoint grant revoke reassign do call prepare execute deallocate declare fetch move close explain
		show set reset discard listen unlisten notify lock begin start commit end rollback abort savepoint release`
	mysqlVerbs = `insert replace update delete truncate load create alter drop rename optimize repair import analyze check checksum
		cache flush grant revoke do call prepare execute deallocate explain describe desc show set reset use handler lock unlock
		begin start commit rollback savepoint release xa kill shutdown restart purge binlog stop signal resignal get help change
		clone install uninstall`
	sqliteVerbs = `insert replace update delete create alter drop reindex vacuum analyze explain pragma attach detach begin commit
		end rollback savepoint release`
)

var verbSets = sync.OnceValue(func() map[dialect]map[string]bool {
	return map[dialect]map[string]bool{postgresql: wordSet(postgresqlVerbs), mysql: wordSet(mysqlVerbs), sqlite: wordSet(sqliteVerbs)}
})

// verb says how a statement that starts with a word is read; nil: the dialect
// has no such statement.
func (p *parser) verb(w string) func(*parser, token) {
	if !verbSets()[p.d][w] {
		return nil
	}
	switch w {
	case "insert", "replace":
		return (*parser).insert
	case "update":
		return (*parser).update
	case "delete":
		return (*parser).deletion
	case "merge":
		return (*parser).merging
	case "truncate":
		return (*parser).truncation
	case "load":
		return (*parser).loading
	case "copy":
		return (*parser).copying
	case "create":
		return (*parser).creation
	case "alter":
		return (*parser).alteration
	case "drop":
		return (*parser).dropping
	case "rename", "comment", "reindex", "cluster", "optimize", "repair", "refresh", "security":
		return schemaVerb
	case "import":
		return (*parser).importing
	case "vacuum":
		return (*parser).vacuuming
	case "analyze", "analyse", "check", "checksum", "cache", "checkpoint", "flush":
		return maintenance
	case "grant", "revoke", "reassign":
		return privilegeVerb
	case "do":
		return (*parser).doing
	case "call":
		return (*parser).calling
	case "prepare":
		return (*parser).preparing
	case "execute":
		return (*parser).executing
	case "deallocate", "fetch", "move", "close", "open", "discard", "use", "detach", "listen", "unlisten", "notify", "lock", "unlock", "commit", "end", "rollback", "abort", "savepoint", "release", "xa", "kill", "shutdown", "restart", "purge", "binlog", "stop", "signal", "resignal", "get", "help":
		return effectVerb
	case "declare":
		return (*parser).declaring
	case "explain", "describe", "desc":
		return (*parser).explaining
	case "show":
		return (*parser).showing
	case "set":
		return (*parser).setting
	case "reset":
		return (*parser).resetting
	case "pragma":
		return (*parser).pragma
	case "attach":
		return (*parser).attaching
	case "handler":
		return (*parser).handling
	case "begin":
		return (*parser).beginning
	case "start":
		return (*parser).starting
	case "change", "clone":
		return networkVerb
	case "install", "uninstall":
		return nativeVerb
	}
	return nil
}

// rest reads what is left of a statement, and gives its first words as they
// stand, for the fact's argument.
func (p *parser) rest(most int) string {
	words := p.words(most)
	p.loose(true)
	return words
}

// words gives the next words, at most so many, without taking them.
func (p *parser) words(most int) string {
	var b strings.Builder
	for n := 0; most > 0; n++ {
		t := p.ahead(n)
		dot := t.op(".")
		if t.kind != word && t.kind != quoted && t.kind != variable && !dot {
			break
		}
		if b.Len() > 0 && !dot && !p.ahead(n-1).op(".") {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		if !dot && !p.ahead(n+1).op(".") {
			most--
		}
	}
	return b.String()
}

func schemaVerb(p *parser, at token) {
	p.say(at.lo, palisade.CapSchema, upper(at.text), p.rest(4), "")
}

func privilegeVerb(p *parser, at token) {
	p.say(at.lo, palisade.CapPrivilege, upper(at.text), p.words(6), "")
	p.skip() // the names of rights are verbs
}

// skip takes what is left of a statement in which nothing can be read or called.
func (p *parser) skip() {
	for p.cur().kind != end && !p.cur().op(";") {
		p.take()
	}
}

func effectVerb(p *parser, at token) {
	p.say(at.lo, palisade.CapSideEffect, upper(at.text), p.rest(3), "")
}

func maintenance(p *parser, at token) {
	p.say(at.lo, palisade.CapSideEffect, upper(at.text), p.rest(3), "maintains the server's files or statistics")
}

func networkVerb(p *parser, at token) {
	p.say(at.lo, palisade.CapSideEffect, upper(at.text), "", "")
	p.doubt(at.lo, palisade.CapNetwork, upper(at.text), "", "connects the server to another one")
	p.skip()
}

func nativeVerb(p *parser, at token) {
	p.say(at.lo, palisade.CapNative, upper(at.text), p.rest(2), "loads native code into the server")
}

// doing reads DO: PostgreSQL's block of code, MySQL's expressions.
func (p *parser) doing(at token) {
	if p.d == mysql {
		p.say(at.lo, palisade.CapSideEffect, "DO", "", "computes for the effect alone")
		p.exprList()
		return
	}
	language := "plpgsql"
	var body *token
	for p.err == nil && p.cur().kind != end && !p.cur().op(";") {
		switch t := p.take(); {
		case t.is("language"):
			language = lower(p.take().text)
		case t.kind == text:
			body = &t
		default:
			p.stop(&lexError{t.lo, "DO takes a string"})
		}
	}
	if body == nil {
		p.fail("the text of DO")
		return
	}
	p.code(at, "DO", language, body)
}

// code adds the facts of a piece of code in a language of the server.
func (p *parser) code(at token, symbol, language string, body *token) {
	p.fact(at.lo, analysis.Fact{Capability: palisade.CapEvaluate, Symbol: symbol, Argument: language, Kind: analysis.KindText,
		Evidence: "code in the language " + language})
	switch language {
	case "sql":
		if body != nil {
			p.inner(*body, "the body of "+symbol, false)
		}
	case "plpgsql":
		if body != nil {
			p.inner(*body, "the body of "+symbol, true)
		}
	case "plperl", "pltcl", "plv8", "plpython":
		p.doubt(at.lo, palisade.CapUnresolved, symbol, "", "code in "+language+" is not read")
	default:
		p.say(at.lo, palisade.CapNative, symbol, language, "an untrusted language: its code has the rights of the server")
		if body != nil && strings.HasPrefix(language, "plpython") {
			line, column := p.r.place(p.at(*body))
			p.r.embedded = append(p.r.embedded, analysis.Embedded{Language: palisade.Python, Source: body.text,
				Line: line, Column: column, Via: symbol + " … LANGUAGE " + language})
		}
	}
}

// at is the place of a token's content.
func (p *parser) at(t token) int {
	if p.in.fixed >= 0 {
		return p.in.fixed
	}
	return max(t.lo, t.body)
}

func (p *parser) calling(at token) {
	name, _, _ := p.dotted("a procedure")
	p.doubt(at.lo, palisade.CapEvaluate, "CALL", "", "runs the procedure "+name)
	p.loose(false)
}

// preparing reads PREPARE s AS query, MySQL's PREPARE s FROM text, and PREPARE
// TRANSACTION.
func (p *parser) preparing(at token) {
	if p.is("transaction") {
		effectVerb(p, at)
		return
	}
	p.ident("the name of a statement")
	if p.accept("from") {
		p.dynamic(at, "PREPARE")
		p.loose(false)
		return
	}
	if p.cur().op("(") {
		p.take()
		for p.err == nil {
			p.typeName()
			if !p.symbol(",") {
				break
			}
		}
		p.expectSymbol(")")
	}
	p.expect("as")
	p.say(at.lo, palisade.CapSideEffect, "PREPARE", "", "keeps a statement for EXECUTE")
	p.statement()
}

// executing reads EXECUTE s, EXECUTE IMMEDIATE text.
func (p *parser) executing(at token) {
	if p.accept("immediate") || p.in.body {
		p.dynamic(at, "EXECUTE")
	} else {
		p.doubt(at.lo, palisade.CapEvaluate, "EXECUTE", "", "runs the prepared statement "+p.take().show())
	}
	p.loose(false)
}

// declaring reads DECLARE c CURSOR FOR query.
func (p *parser) declaring(at token) {
	p.say(at.lo, palisade.CapSideEffect, "DECLARE", p.cur().text, "")
	p.loose(true)
}

// beginning reads BEGIN as the start of a transaction, and in code as that of
// a block.
func (p *parser) beginning(at token) {
	if p.in.body && !p.is("transaction", "work") {
		if !p.cur().op(";") && p.cur().kind != end {
			p.statement()
		}
		return
	}
	effectVerb(p, at)
}

func (p *parser) starting(at token) {
	if p.is("replica", "slave", "group_replication") {
		networkVerb(p, at)
		return
	}
	effectVerb(p, at)
}

// explaining reads EXPLAIN, which counts as what it explains: with ANALYZE it
// runs it, and without it may compute what is constant in it.
func (p *parser) explaining(at token) {
	if p.cur().op("(") && !p.startsQuery(0) { // (ANALYZE, FORMAT JSON)
		p.take()
		for p.err == nil && !p.cur().op(")") && p.cur().kind != end {
			p.take()
		}
		p.expectSymbol(")")
	}
	if p.d == sqlite { // its EXPLAIN runs nothing, and ANALYZE is a statement, of one name at most
		p.phrase("query", "plan")
		if k := p.ahead(2); p.is("analyze") && p.ahead(1).kind == word && k.kind != end && !k.op(";") && !k.op(".") {
			p.fail("the end of ANALYZE")
			return
		}
		p.statement()
		return
	}
	for p.accept("analyze", "analyse", "verbose", "extended", "partitions", "format") || p.cur().op("=") ||
		p.is("tree", "json", "traditional") && p.ahead(-1).op("=") {
		if p.symbol("=") || p.is("tree", "json", "traditional") {
			p.take()
		}
	}
	if p.is("for") { // EXPLAIN FOR CONNECTION
		p.say(at.lo, palisade.CapSideEffect, "EXPLAIN", "", "looks at another connection")
		p.skip()
		return
	}
	if p.startsQuery(0) || p.cur().kind == word && p.verb(p.cur().text) != nil {
		p.statement()
		return
	}
	if p.d == postgresql {
		p.fail("a statement")
		return
	}
	name, _, table := p.dotted("a table")
	p.say(table.lo, palisade.CapReadData, upper(at.text), name, "the table's columns")
	p.accept("describe")
	if k := p.cur().kind; k == word || k == text || k == quoted {
		p.take()
	}
}

// showing reads SHOW: of what the server is, in catalogs and settings.
func (p *parser) showing(at token) {
	what := p.words(3)
	p.loose(false)
	if what == "" {
		p.fail("a name")
		return
	}
	p.say(at.lo, palisade.CapReadData, "SHOW", what, "")
	p.secretSetting(at, "SHOW", what)
	if strings.HasPrefix(what, "create user") {
		p.fact(at.lo, analysis.Fact{Capability: palisade.CapSecret, Symbol: "SHOW", Argument: what, Kind: analysis.KindCredentials,
			Evidence: "shows the hash of a password"})
	}
}

// secretSettings hold passwords or print them. Source: PostgreSQL's manual, 20.6
// and 20.3.
const secretSettings = `primary_conninfo ssl_passphrase_command`

func (p *parser) secretSetting(at token, symbol, name string) {
	if wordSet(secretSettings)[lower(name)] {
		p.fact(at.lo, analysis.Fact{Capability: palisade.CapSecret, Symbol: symbol, Argument: name, Kind: analysis.KindCredentials,
			Evidence: "a setting that holds a password"})
	}
}
