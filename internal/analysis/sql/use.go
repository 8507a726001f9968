package sql

import (
	"errors"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// use says what a call of a function does.
func (p *parser) use(at token, name string, parts int, args []argument) {
	if name == "" { // SQLite has names without a letter
		name = `""`
	}
	bare, builtin := name, parts == 1
	if rest, ok := strings.CutPrefix(name, "pg_catalog."); ok {
		bare, builtin = rest, true
	}
	last := lower(bare[strings.LastIndexByte(bare, '.')+1:])
	e, known := effects()[last]
	switch {
	case known && e.few > 0 && len(args) < e.few:
		// harmless without the argument that names what it acts on
	case known:
		p.effect(at, name, e, args)
		return
	}
	quotedName := at.kind == quoted && (p.d == mysql || bare != last)
	if builtin && !quotedName && pure(last, p.r.known) {
		return
	}
	p.fact(at.lo, analysis.Fact{Capability: palisade.CapSideEffect, Symbol: name, Unknown: true, Kind: analysis.KindName,
		Evidence: "a function that is in no table of functions without effects"})
}

// attribute sees PostgreSQL's attribute notation: (x).f calls f(x), and
// MariaDB's s.nextval.
func (p *parser) attribute(at token, name string) {
	last := lower(name[strings.LastIndexByte(name, '.')+1:])
	server := false // a name that no column has by chance
	for _, prefix := range [...]string{"pg_", "lo_", "dblink", "query_to_xml", "nextval", "setval", "set_config", "load_extension"} {
		server = server || strings.HasPrefix(last, prefix)
	}
	if e, known := effects()[last]; known && server {
		p.doubt(at.lo, e.does, last, "", "a function that is called as an attribute: "+e.why)
	}
}

// effect adds the facts of a function that does something.
func (p *parser) effect(at token, name string, e effect, args []argument) {
	evidence := e.why
	var given *argument
	if e.on > 0 && e.on <= len(args) {
		given = &args[e.on-1]
	}
	switch {
	case e.on == 0:
		p.say(at.lo, e.does, name, "", evidence)
	case given == nil || !given.literal:
		prefix := ""
		if given != nil {
			prefix = given.text
		}
		if isPath(e.does) && prefix != "" {
			prefix = p.path(prefix)
		}
		p.doubt(at.lo, e.does, name, prefix, evidence)
	case isPath(e.does):
		p.file(at.lo, e.does, name, given.text, evidence+p.decoded(given.at))
	default:
		p.say(at.lo, e.does, name, given.text, evidence+p.decoded(given.at))
	}
	if given != nil && e.does == palisade.CapReadData && given.literal {
		p.secretSetting(at, name, given.text)
	}
	if e.also != "" {
		p.doubt(at.lo, e.also, name, "", evidence)
	}
	for _, a := range args {
		if e.sql && a.at.kind == text && (a.literal || a.text != "") && looksLikeSQL(a.text) {
			p.inner(a.at, "text that "+name+" runs", false)
		}
	}
}

// decoded says in evidence that the source spells a string otherwise.
func (p *parser) decoded(t token) string {
	if !t.escaped {
		return ""
	}
	return "; decoded from " + shorten(p.src[t.lo:t.hi])
}

func shorten(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

func isPath(c palisade.Capability) bool {
	return c == palisade.CapReadPath || c == palisade.CapWritePath || c == palisade.CapDeletePath
}

// file adds a fact about a file. A server's relative paths start at a folder
// that only it knows; SQLite's and a client's start at the workspace.
func (p *parser) file(pos int, c palisade.Capability, symbol, path, evidence string) {
	switch {
	case analysis.IsURL(path):
		p.say(pos, palisade.CapNetwork, symbol, path, evidence)
	case p.d == sqlite && p.in.via == "" || strings.HasPrefix(path, "/"), strings.HasPrefix(path, "~"), strings.HasPrefix(path, "file:"):
		p.fact(pos, analysis.Fact{Capability: c, Symbol: symbol, Argument: p.path(path), Evidence: evidence})
	default:
		p.doubt(pos, c, symbol, "", strings.TrimPrefix(evidence+"; relative to a folder of the server: "+shorten(path), "; "))
	}
}

// path gives a path as policy compares it; "" where its start is not known.
func (p *parser) path(path string) string {
	if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "~") && p.d != sqlite {
		return ""
	}
	if rest, ok := strings.CutPrefix(path, "file:"); ok { // SQLite's file:name?mode=ro
		rest, _, _ = strings.Cut(rest, "?")
		path = "/" + strings.TrimLeft(rest, "/")
		if !strings.HasPrefix(rest, "/") {
			path = rest
		}
	}
	return analysis.Path(path)
}

// readFile adds the fact that the file which a literal names is read.
func (p *parser) readFile(at token, path, symbol, evidence string) {
	if analysis.IsURL(path) {
		p.say(at.lo, palisade.CapNetwork, symbol, path, evidence)
		return
	}
	p.fact(at.lo, analysis.Fact{Capability: palisade.CapReadPath, Symbol: symbol, Argument: analysis.Path(path), Evidence: evidence + p.decoded(at)})
}

// fileArgument takes the literal that a statement names a file by, or finds
// that there is none.
func (p *parser) fileArgument(at token, c palisade.Capability, symbol string) {
	if t := p.cur(); t.kind == text {
		p.take()
		if next := p.cur(); next.kind == op && !next.op(";", ",", ")") { // 'a' || 'b'
			p.doubt(at.lo, c, symbol, p.path(t.text), "the path is computed")
			return
		}
		p.file(at.lo, c, symbol, t.text, strings.TrimPrefix(p.decoded(t), "; "))
		return
	}
	p.doubt(at.lo, c, symbol, "", "the path is computed")
}

// looksLikeSQL reports whether a string could be a statement: it has more than
// one word.
func looksLikeSQL(s string) bool { return strings.ContainsAny(strings.TrimSpace(s), " \t\n;/(") }

// inner reads a string that the server runs as SQL, as text of its own. What
// cannot be read there is a fact here.
func (p *parser) inner(t token, via string, body bool) {
	if p.err != nil {
		return
	}
	in := inside{via: via, fixed: t.lo, body: body, depth: p.in.depth + 1}
	if p.in.via != "" {
		in.via = p.in.via + "; " + via
	}
	src, lo, hi := t.text, 0, len(t.text)
	if t.body > 0 { // a dollar-quoted string has places of its own
		src, lo, hi, in.fixed = p.src, t.body, t.body+len(t.text), p.in.fixed
	}
	if p.in.fixed >= 0 {
		in.fixed = p.in.fixed
	}
	facts := len(p.r.facts)
	err := p.r.part(p.d, src, lo, hi, in)
	if syntax, ok := errors.AsType[*analysis.SyntaxError](err); ok {
		p.r.facts = p.r.facts[:max(facts, 0)]
		p.doubt(t.lo, palisade.CapUnresolved, via, "", syntax.Error())
	} else if err != nil {
		p.stop(err)
	}
}
