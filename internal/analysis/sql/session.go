package sql

import (
	"strings"

	"palisade"
)

// setting reads SET.
func (p *parser) setting(at token) {
	scope := p.cur()
	symbol := "SET"
	for p.accept("session", "local", "global", "persist", "persist_only") {
		symbol = "SET " + upper(p.ahead(-1).text)
	}
	switch {
	case p.is("role", "authorization") || p.is("default") && p.ahead(1).is("role"), p.is("password"):
		p.say(at.lo, palisade.CapPrivilege, symbol, p.rest(3), "changes who the session is")
		return
	}
	argument := p.rest(3)
	if argument == "" {
		p.stop(&lexError{scope.lo, "SET needs a name"})
		return
	}
	p.say(at.lo, palisade.CapSideEffect, symbol, argument, "")
}

func (p *parser) resetting(at token) {
	if p.is("role") || p.is("session") && p.ahead(1).is("authorization") {
		p.say(at.lo, palisade.CapPrivilege, "RESET", p.rest(2), "changes who the session is")
		return
	}
	effectVerb(p, at)
}

// readingPragmas only tell: "PRAGMA Statements" of SQLite's manual. Those of
// the second list do so where they are given no value.
const (
	readingPragmas = `table_info table_xinfo table_list index_info index_list index_xinfo foreign_key_list foreign_key_check
		database_list collation_list function_list module_list pragma_list compile_options data_version freelist_count
		page_count integrity_check quick_check stats`
	settingPragmas = `application_id user_version schema_version encoding page_size cache_size journal_mode synchronous
		foreign_keys auto_vacuum busy_timeout query_only max_page_count recursive_triggers secure_delete temp_store
		wal_autocheckpoint locking_mode mmap_size read_uncommitted automatic_index case_sensitive_like`
)

// pragma reads SQLite's PRAGMA.
func (p *parser) pragma(at token) {
	name, _, _ := p.dotted("the name of a pragma")
	if _, rest, ok := strings.Cut(name, "."); ok {
		name = rest
	}
	name = lower(name)
	given := !p.cur().op(";") && p.cur().kind != end
	argument := p.pragmaValue()
	switch {
	case wordSet(readingPragmas)[name], !given && wordSet(settingPragmas)[name]:
		p.say(at.lo, palisade.CapReadData, "PRAGMA", strings.TrimSuffix(name+" "+argument, " "), "")
	case name == "writable_schema":
		p.say(at.lo, palisade.CapSchema, "PRAGMA", name, "lets the schema's own table be changed")
	case name == "temp_store_directory" || name == "data_store_directory":
		p.doubt(at.lo, palisade.CapWritePath, "PRAGMA "+name, "", "where SQLite puts its files")
	default:
		p.say(at.lo, palisade.CapSideEffect, "PRAGMA", name, "")
	}
}

func (p *parser) pragmaValue() string {
	switch {
	case p.symbol("="):
		p.cur()
		for p.cur().op("-", "+") {
			p.take()
		}
		return p.take().text
	case p.symbol("("):
		for p.cur().op("-", "+") {
			p.take()
		}
		value := p.take().text
		p.expectSymbol(")")
		return value
	}
	return ""
}

// attaching reads ATTACH: a file, which is made where there is none.
func (p *parser) attaching(at token) {
	p.accept("database")
	t := p.cur()
	if t.kind == text && (t.text == ":memory:" || t.text == "") {
		p.say(at.lo, palisade.CapSideEffect, "ATTACH", t.text, "a database in memory")
	} else {
		i := p.i
		p.fileArgument(at, palisade.CapReadPath, "ATTACH")
		p.i = i
		p.fileArgument(at, palisade.CapWritePath, "ATTACH")
	}
	p.loose(false)
}

// vacuuming reads VACUUM, which in SQLite may write a copy of the database.
func (p *parser) vacuuming(at token) {
	if p.d == sqlite {
		if p.cur().name() {
			p.take()
		}
		if p.accept("into") {
			p.fileArgument(at, palisade.CapWritePath, "VACUUM INTO")
			p.loose(false)
			return
		}
	}
	maintenance(p, at)
}

// handling reads MySQL's HANDLER t OPEN, READ, CLOSE.
func (p *parser) handling(at token) {
	name, _, _ := p.dotted("a table")
	p.say(at.lo, palisade.CapReadData, "HANDLER", name, "goes round SELECT")
	p.say(at.lo, palisade.CapSideEffect, "HANDLER", p.cur().text, "keeps a table open")
	p.loose(false)
}
