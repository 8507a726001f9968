package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"palisade"
	"palisade/internal/analysis"
)

// call is one command with its arguments, on its way through the tables.
type call struct {
	*interp
	sc    *scope
	place place
	// name is the command's own, without folders; written is how it was called.
	name, written string
	args          fields
	stdin         value
	// including says that what is read stands in a file that the command reads.
	including bool
}

// call interprets a simple command.
func (in *interp) call(sc *scope, s *syntax.Stmt, c *syntax.CallExpr, stdin value) value {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			in.assignment(sc, a)
		}
		_, out := in.redirections(sc, s.Redirs, stdin)
		return in.sink(text(""), out)
	}
	lists := in.words(sc, c.Args) // before the assignments, as the shell does
	restore := in.temporary(sc, c.Assigns, slices.ContainsFunc(lists, keepsAssignments))
	if in.input != nil && len(stdin) == 1 && stdin[0] == string([]byte{holeInput}) {
		stdin = in.input
	}
	stdin, out := in.redirections(sc, s.Redirs, stdin)
	p, printed := in.at(c.Args[0]), value{}
	for _, argv := range lists {
		printed = join(printed, in.dispatch(sc, p, argv, stdin))
	}
	restore()
	return in.sink(printed, out)
}

// keepsAssignments reports whether a command line begins with a part of the
// shell before which assignments may stay, or with something unknown.
func keepsAssignments(argv fields) bool {
	if len(argv) == 0 || hasHole(argv[0]) {
		return true
	}
	switch plain(argv[0]) {
	case "export", "readonly", "declare", "typeset", "local", "eval", "source", ".", "exec", "set", "unset", "trap", "command", "builtin", ":":
		return true
	}
	return false
}

// temporary makes the assignments before a command, and returns what takes them
// back.
func (in *interp) temporary(sc *scope, list []*syntax.Assign, stays bool) (restore func()) {
	type saved struct {
		name string
		v    variable
		had  bool
	}
	var old []saved
	for _, a := range list {
		v, had := sc.vars[a.Name.Value]
		old = append(old, saved{a.Name.Value, v, had})
		in.assignment(sc, a)
	}
	return func() {
		for _, o := range slices.Backward(old) {
			now := sc.vars[o.name]
			if o.had {
				sc.vars[o.name] = o.v
			} else {
				delete(sc.vars, o.name)
			}
			if stays { // export x, and others, make of it a variable of the shell
				sc.vars[o.name] = either(in.quiet(sc, o.name), now)
			}
		}
	}
}

// dispatch runs a command whose name and arguments are fields. It gives what
// the command prints.
func (in *interp) dispatch(sc *scope, p place, argv fields, stdin value) value {
	in.step(1 + len(argv)/8)
	for len(argv) > 0 && argv[0] == "" {
		argv = argv[1:] // an empty name: nothing is run, but doubt means that the next may be it
	}
	if len(argv) == 0 {
		return text("")
	}
	if in.calls >= maxCalls {
		in.unresolved(p, shown(argv[0]), "commands inside commands, too deep to be read")
		return unknown
	}
	in.calls++
	defer func() { in.calls-- }()
	c := &call{interp: in, sc: sc, place: p, written: argv[0], args: slices.Clone(argv[1:]), stdin: stdin}
	for i, a := range c.args { // those that xargs and its kin made
		c.args[i] = markLast(a)
	}
	if has(argv[0], markDecoded) {
		c.report(palisade.CapObfuscation, "the command's name is written in an encoded form", analysis.KindComputed)
	}
	switch {
	case hasHole(argv[0]):
		return c.computed()
	case isPattern(argv[0]):
		return c.pattern()
	}
	c.written = plain(argv[0])
	return c.resolved()
}

// computed is a command whose name is not wholly known.
func (c *call) computed() value {
	if end := plain(suffix(c.written)); strings.HasPrefix(end, "/") && path.Base(end) != "/" {
		c.name = path.Base(end)
		return c.known()
	}
	if has(c.written, holeNetwork) {
		c.fact(c.place, analysis.Fact{
			Capability: palisade.CapRemoteCode, Symbol: "command", Unknown: true, Kind: analysis.KindComputed,
			Evidence: "the command's name came over the network",
		})
	}
	c.fact(c.place, analysis.Fact{Capability: palisade.CapProcess, Unknown: true, Kind: analysis.KindComputed, Evidence: "the command is " + shown(c.written)})
	c.unresolved(c.place, "command", "the command's name is computed: "+shown(c.written))
	return value{worst(strings.Join(c.args, "") + squash(c.stdin))}
}

// pattern is a command whose name is a pattern of files: every command that it
// may match is one.
func (c *call) pattern() value {
	pat := plain(c.written)
	c.report(palisade.CapObfuscation, "the command's name is a pattern of files", analysis.KindComputed)
	out, found := value{}, 0
	for _, name := range commandNames() {
		if ok, _ := path.Match(path.Base(pat), name); ok && found < maxVectors {
			found++
			d := *c
			d.name, d.written = name, name
			out = join(out, d.known())
		}
	}
	if found == 0 || found == maxVectors {
		c.unresolved(c.place, "command", "the command's name is the pattern "+pat)
	}
	return join(out, unknown)
}

// resolved is a command whose name is known.
func (c *call) resolved() value {
	if bodies := c.functions[c.written]; len(bodies) > 0 {
		out := value{}
		arguments := make([]value, len(c.args))
		for i, a := range c.args {
			arguments[i] = value{a}
		}
		for _, body := range bodies {
			out = join(out, c.enter(c.sc, body, arguments, c.stdin))
		}
		return out
	}
	c.name = path.Base(c.written)
	if strings.Contains(c.written, "/") && !systemFolder(path.Dir(analysis.Path(c.absolute(c.sc, c.written)))) {
		return c.file()
	}
	return c.known()
}

// systemFolder reports whether what lies in a folder is what the system put
// there. Source: the Filesystem Hierarchy Standard.
func systemFolder(dir string) bool {
	switch dir {
	case "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin":
		return true
	}
	return false
}

// file is a command that is named by its path: code that lies there. If the
// program wrote it, it is read.
func (c *call) file() value {
	c.role(roleFile, c.written, nil)
	c.process()
	if content, ok := c.files[fileKey(c.absolute(c.sc, c.written))]; ok {
		return c.script(content, c.written)
	}
	if isCommand(c.name) { // a copy of it, most likely
		return c.known()
	}
	c.operandsOfUnknown()
	return value{worst(strings.Join(c.args, "") + squash(c.stdin))}
}

// known is a command by its name, which functions do not hide.
func (c *call) known() value {
	if b := builtin(c.name); b != nil && (!strings.Contains(c.written, "/") || alsoProgram(c.name)) {
		if strings.Contains(c.written, "/") {
			c.process()
		}
		return b(c)
	}
	row, ok := command(c.name)
	if !ok {
		c.process()
		c.fact(c.place, analysis.Fact{
			Capability: palisade.CapUnresolved, Symbol: c.name, Argument: c.line(), Kind: analysis.KindName,
			Evidence: "no table knows what this command does",
		})
		c.operandsOfUnknown()
		return value{worst(strings.Join(c.args, "") + squash(c.stdin))}
	}
	if !row.pure {
		c.process()
	}
	return c.apply(row)
}

// alsoProgram reports whether a part of the shell exists as a program as well.
func alsoProgram(name string) bool {
	switch name {
	case "echo", "printf", "test", "[", "true", "false", "kill", "pwd":
		return true
	}
	return false
}

// process reports that a program is started. Of a word that may be nothing, or
// something unknown, the line with the unknown says both.
func (c *call) process() {
	line := c.line()
	for i := len(c.facts) - 1; i >= 0 && c.facts[i].Line == c.place.line && c.facts[i].Column == c.place.column; i-- {
		f := &c.facts[i]
		rest, longer := strings.CutPrefix(line, strings.TrimSpace(f.Argument))
		if f.Capability == palisade.CapProcess && f.Symbol == c.name && longer && f.Kind == analysis.KindUse && strings.TrimSpace(rest) == "…" {
			f.Argument = line
			return
		}
	}
	c.fact(c.place, analysis.Fact{Capability: palisade.CapProcess, Symbol: c.name, Argument: line, Evidence: c.how()})
}

// how says how the command is written, where that is not its name.
func (c *call) how() string {
	if c.written == c.name {
		return ""
	}
	return "written " + shown(c.written)
}

// line is the command line, as far as it is known.
func (c *call) line() string {
	out := c.name
	for _, a := range c.args {
		if len(out) > 200 {
			return out + " …"
		}
		if len(a) > 100 {
			a = a[:100]
		}
		out += " " + strings.ToValidUTF8(shown(a), "…")
	}
	return out
}

// report reports a capability of the command as such.
func (c *call) report(what palisade.Capability, why string, kind analysis.Kind) {
	c.fact(c.place, analysis.Fact{Capability: what, Symbol: strings.ToValidUTF8(shown(c.symbol()), "…"), Kind: kind, Evidence: why})
}

func (c *call) symbol() string {
	if c.name != "" {
		return c.name
	}
	return c.written
}

// operandsOfUnknown reports the paths and peers that a command which no table
// knows is given: it may do with them what it likes.
func (c *call) operandsOfUnknown() {
	for _, a := range c.args {
		if _, v, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
			a = v
		}
		switch written := plain(a); {
		case strings.HasPrefix(written, "-"):
		case analysis.IsURL(prefix(written)):
			c.peer(c.place, a, c.name)
		case strings.Contains(written, "/") || strings.HasPrefix(written, "~") || strings.HasPrefix(written, ".."):
			c.path(c.sc, c.place, palisade.CapWritePath, a, c.name)
		}
	}
}

// invoke runs arguments as a command of their own.
func (c *call) invoke(argv fields) value {
	if len(argv) == 0 {
		return text("")
	}
	return c.dispatch(c.sc, c.place, argv, c.stdin)
}

// shell runs text as shell code.
func (c *call) shell(code value, how string) value {
	return c.run(c.sc, c.place, code, how, c.stdin)
}

// content is what a file holds for this command, to which some names are its
// own descriptors.
func (c *call) content(sc *scope, s string) value {
	switch p := plain(s); {
	case p == "/dev/stdin", p == "/dev/fd/0", p == "/proc/self/fd/0", p == "-":
		return c.stdin
	case strings.HasPrefix(p, "/dev/fd/"), strings.HasPrefix(p, "/proc/self/fd/"):
		if v, ok := c.descriptors[path.Base(p)]; ok {
			return v
		}
	}
	return c.interp.content(sc, s)
}

// script runs the content of a file, in the language that its first line names.
func (c *call) script(content value, how string) value {
	out := value{}
	for _, s := range content {
		first, _, _ := strings.Cut(s, "\n")
		interpreter := ""
		if rest, ok := strings.CutPrefix(first, "#!"); ok {
			words := strings.Fields(plain(rest))
			if len(words) > 1 && path.Base(words[0]) == "env" {
				words = words[1:]
			}
			if len(words) > 0 {
				interpreter = path.Base(words[0])
			}
		}
		if l, ok := languageOf(interpreter); ok && l != palisade.Shell {
			c.embed(l, "", s, interpreter+" "+how)
			out = join(out, unknown)
			continue
		}
		out = join(out, c.shell(value{s}, how))
	}
	return out
}

// embed hands a program in another language to the reader of that language.
func (c *call) embed(l palisade.Language, dialect, source, via string) {
	if strings.TrimSpace(source) == "" {
		return
	}
	c.interp.computed(c.place, source, via)
	if hasHole(source) {
		source = filled(source)
	}
	if len(c.embedded) >= maxEmbedded {
		c.unresolved(c.place, via, "too many programs inside the program")
		return
	}
	e := analysis.Embedded{Language: l, Dialect: dialect, Source: plain(source), Line: c.place.line, Column: c.place.column, Via: via}
	if !slices.Contains(c.embedded, e) {
		c.embedded = append(c.embedded, e)
	}
}

// maxEmbedded bounds the programs in other languages.
const maxEmbedded = 200
