package sql

import (
	"strings"

	"palisade"
)

// copying reads PostgreSQL's COPY: between a table or a query and a file, a
// program or the client.
func (p *parser) copying(at token) {
	p.accept("binary")
	table := ""
	query := p.cur().op("(")
	if query {
		p.take()
		p.statement()
		p.expectSymbol(")")
	} else {
		table, _, _ = p.dotted("a table")
		if p.cur().op("(") {
			p.columnList()
		}
	}
	to := p.accept("to")
	if !to && (query || !p.accept("from")) {
		p.fail("TO")
		return
	}
	switch {
	case table == "":
	case to:
		p.say(at.lo, palisade.CapReadData, "COPY", table, "")
	default:
		p.say(at.lo, palisade.CapWriteData, "COPY", table, "")
	}
	direction, file := "COPY FROM", palisade.CapReadPath
	if to {
		direction, file = "COPY TO", palisade.CapWritePath
	}
	switch t := p.cur(); {
	case p.accept("program"):
		command := p.cur()
		if command.kind == text {
			p.say(at.lo, palisade.CapProcess, direction+" PROGRAM", command.text, "runs a program on the server"+p.decoded(command))
		} else {
			p.doubt(at.lo, palisade.CapProcess, direction+" PROGRAM", "", "runs a program on the server")
		}
	case p.accept("stdin", "stdout"):
		if !to {
			p.say(at.lo, palisade.CapSideEffect, direction, t.text, "reads rows from the client")
		}
	default:
		p.fileArgument(at, file, direction)
	}
	p.loose(true)
}

// loading reads MySQL's LOAD DATA and LOAD XML, and PostgreSQL's LOAD of a
// library.
func (p *parser) loading(at token) {
	if !p.is("data", "xml", "index") {
		p.say(at.lo, palisade.CapNative, "LOAD", p.cur().text, "loads native code into the server")
		p.take()
		p.loose(false)
		return
	}
	if p.is("index") {
		effectVerb(p, at)
		return
	}
	symbol := "LOAD " + upper(p.take().text)
	for p.accept("low_priority", "concurrent", "local") {
		if p.ahead(-1).is("local") {
			symbol += " LOCAL"
		}
	}
	if p.accept("infile", "inpath") || p.accept("from") && p.accept("infile", "s3", "url") {
		p.fileArgument(at, palisade.CapReadPath, symbol)
	} else {
		p.fail("INFILE")
	}
	for p.err == nil && p.cur().kind != end && !p.cur().op(";") && !p.is("into") {
		p.take()
	}
	p.expect("into")
	p.accept("table")
	p.target(at, symbol)
	p.loose(false)
}

// importing reads IMPORT FOREIGN SCHEMA and MySQL's IMPORT TABLE FROM file.
func (p *parser) importing(at token) {
	if p.accept("table") {
		p.expect("from")
		p.fileArgument(at, palisade.CapReadPath, "IMPORT TABLE")
	} else {
		p.doubt(at.lo, palisade.CapNetwork, "IMPORT", "", "reads the schema of another server")
	}
	p.say(at.lo, palisade.CapSchema, "IMPORT", p.words(3), "")
	p.skip()
}

// client reads a command of psql, mysql or sqlite3, which no server sees.
// Sources: psql's manual, "Meta-Commands"; MySQL's, 6.5.1.2; SQLite's "Command
// Line Shell".
func (p *parser) client(t token) {
	name, rest, _ := strings.Cut(strings.TrimLeft(t.text, `\.`), " ")
	prefix := t.text[:1]
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(name, "!") {
		name, rest = "!", strings.TrimSpace(strings.TrimPrefix(t.text, `\!`))
	}
	symbol := prefix + name
	path := func(c palisade.Capability) {
		words := strings.Fields(rest)
		last := ""
		if len(words) > 0 {
			last = strings.Trim(words[len(words)-1], `'";`)
			if name == "import" || name == "lo_import" {
				last = strings.Trim(words[0], `'";`)
			}
		}
		switch {
		case strings.HasPrefix(rest, "|"):
			p.say(t.lo, palisade.CapProcess, symbol, strings.TrimSpace(rest[1:]), "the client pipes into a program")
		case last == "":
			p.say(t.lo, palisade.CapSideEffect, symbol, "", "a command of the client")
		default:
			p.clientFile(t, c, symbol, last)
		}
	}
	switch name {
	case "!", "shell", "system":
		p.say(t.lo, palisade.CapProcess, symbol, rest, "the client runs a program")
	case "copy":
		p.clientCopy(t, rest)
	case "i", "ir", "include", "include_relative", "read", "source", ".":
		p.say(t.lo, palisade.CapEvaluate, symbol, rest, "the client runs a file of SQL")
		path(palisade.CapReadPath)
	case "import", "restore", "lo_import", "open":
		path(palisade.CapReadPath)
		if name == "open" {
			path(palisade.CapWritePath)
		}
	case "o", "out", "w", "write", "g", "gx", "output", "once", "excel", "backup", "save", "clone", "log", "T", "tee", "lo_export", "s", "archive", "trace", "dump":
		path(palisade.CapWritePath)
	case "gexec", "gset", "set", "e", "edit", "ef", "ev", "parameter":
		p.doubt(t.lo, palisade.CapEvaluate, symbol, "", "the client makes or runs text of its own")
	case "load":
		p.say(t.lo, palisade.CapNative, symbol, rest, "loads native code into the client")
	case "c", "connect", "C", "r", "u":
		p.doubt(t.lo, palisade.CapNetwork, symbol, "", "the client connects to another database")
	case "setenv", "getenv", "cd", "P", "pager":
		p.doubt(t.lo, palisade.CapProcess, symbol, "", "changes what the client runs, or where")
	case "d", "dt", "dv", "dn", "df", "di", "l", "list", "tables", "schema", "indexes", "indices", "databases":
		p.say(t.lo, palisade.CapReadData, symbol, rest, "a command of the client")
	default:
		p.say(t.lo, palisade.CapSideEffect, symbol, rest, "a command of the client")
	}
}

// clientFile adds a fact about a file of the client: it starts in the
// workspace.
func (p *parser) clientFile(t token, c palisade.Capability, symbol, path string) {
	d := p.d
	p.d = sqlite // its paths are the client's
	p.file(t.lo, c, symbol, path, "a file of the client")
	p.d = d
}

// clientCopy reads psql's \copy.
func (p *parser) clientCopy(t token, rest string) {
	words := strings.Fields(strings.TrimSuffix(rest, ";"))
	for n, w := range words {
		to, from := strings.EqualFold(w, "to"), strings.EqualFold(w, "from")
		if !to && !from || n+1 >= len(words) {
			continue
		}
		c, data := palisade.CapWritePath, palisade.CapReadData
		if from {
			c, data = palisade.CapReadPath, palisade.CapWriteData
		}
		p.say(t.lo, data, `\copy`, strings.Join(words[:n], " "), "")
		if strings.EqualFold(words[n+1], "program") {
			p.say(t.lo, palisade.CapProcess, `\copy`, strings.Trim(strings.Join(words[n+2:], " "), `'"`), "the client runs a program")
		} else {
			p.clientFile(t, c, `\copy`, strings.Trim(words[n+1], `'"`))
		}
		return
	}
	p.doubt(t.lo, palisade.CapUnresolved, `\copy`, "", "not understood")
}
