package py

import (
	"fmt"
	"strings"
	"sync"

	"palisade"
)

// The table of effects says what the callables of libraries do. It is written
// as lines, one file for each area (effects_*.go):
//
//	module: name name.method = use(argument) … -> result
//
// A use names a capability; its argument is the position and keyword of the
// parameter that says what on. "?" behind it: the parameter may be left out,
// and then there is no use; "=x": left out, it is x. "self" is the object of a
// method. Names under "module.Class" are methods; a call of a class gives an
// instance of it unless "-> result" says otherwise ("-> ." is the method's own
// class, "-> ?" nothing known). A name "*" stands for every attribute of the
// module or class that has no line of its own and is not written in capitals.
//
// Uses: process, kill, native, eval, code (a string of Python that is read in
// its place), examples (those in docstrings), deserialize,
// introspect, install, runfile, importpath, thread, exit, listen, sysinfo,
// secret, unresolved, env, ref (looks things up), net, peer (an address tuple), read, write, delete, url
// (a path or a URL to read), mode (read or write by the parameter behind ";"),
// evalif, processif, unresolvedif, readif, deserializeif and processunless (see
// choice; harmless values stand behind "=", between "|"), statement and script
// (SQL), pickle, template (Jinja), writewhen (a path, where the parameter behind
// ";" is true), none.

type useKind uint8

const (
	plain useKind = iota
	pathUse
	urlUse       // a path or a URL that is read
	modeUse      // read or write by a mode
	peerUse      // an address tuple or host
	nameUse      // a plain string: environment name, command
	codeUse      // source text
	refUse       // looks things up: only handing it on is a use
	pmodeUse     // a Path's open
	osModeUse    // flags of os.open
	queryUse     // pandas' query language
	exprUse      // an expression that is evaluated with a library's names
	yamlUse      // yaml.load: depends on its Loader
	npLoadUse    // numpy.load: depends on allow_pickle
	torchLoadUse // torch.load: depends on weights_only
	formulaUse   // a model formula: its terms are Python
	sqlUse       // a database's URL
	ifUse        // there where a parameter is given and not harmless
	unlessUse    // the same, and where it is not given
	stmtUse      // SQL text for SQLite
	scriptUse    // several statements of it
	sqliteUse    // sqlite3.connect
	pickleUse    // a pickle: depends on where it comes from
	templateUse  // a Jinja template: depends on what its fields do
	whenUse      // a path, where another parameter is true
	readUse      // source text that is read in its place where it is known
	docUse       // the examples in the program's docstrings
)

// use is one thing that a callable does.
type use struct {
	kind       useKind
	capability palisade.Capability
	// arg and key tell the parameter; arg is -1 for the object of a method and
	// -2 for none.
	arg      int
	key      string
	optional bool
	deflt    string // what a parameter that is left out is
	hasDeflt bool
	mode     int    // the mode's parameter, for modeUse
	modeKey  string // and its keyword
}

const (
	argSelf = -1
	argNone = -2
)

// waits reports whether the use depends on an argument which only a call has.
func (u use) waits() bool {
	return u.arg != argNone && (u.kind == ifUse || u.capability != palisade.CapProcess && u.kind != codeUse && u.kind != readUse)
}

// effect is all that is known of a callable.
type effect struct {
	uses   []use
	result string // the symbol whose instance it returns; "" its own; "?" unknown
}

type table struct {
	effects  map[string]effect
	stars    map[string]effect // by module or class
	modules  map[string]effect // what an import alone does
	builtins map[string]bool
	values   map[string]val  // the builtins
	methods  map[string]bool // names under a class
	classes  map[string]bool // the classes
	models   map[symbol]model
}

var effectsTable = sync.OnceValue(func() *table {
	t := &table{
		effects: map[string]effect{}, stars: map[string]effect{}, modules: map[string]effect{},
		builtins: map[string]bool{}, values: map[string]val{}, methods: map[string]bool{}, classes: map[string]bool{}, models: allModels(),
	}
	for _, area := range []string{
		effectsBuiltins, effectsOS, effectsFiles, effectsProcess, effectsNet, effectsRuntime,
		effectsData, effectsPlot, effectsNumeric, effectsServices,
	} {
		t.parse(area)
	}
	for _, name := range strings.Fields(builtinNames) {
		t.builtins[name], t.values[name] = true, one(symbol("builtins."+name))
	}
	return t
})

// parse reads lines of the table. The text is part of the program: a mistake
// in it is a bug, which the tests find.
func (t *table) parse(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		mod, rest, ok := strings.Cut(line, ": ")
		names, does, ok2 := strings.Cut(rest, " = ")
		if !ok || !ok2 {
			panic("effects: " + line)
		}
		does, result, _ := strings.Cut(does, " -> ")
		var uses []use
		for _, u := range strings.Fields(does) {
			uses = append(uses, parseUse(u)...)
		}
		for _, n := range strings.Fields(names) {
			e := effect{uses, strings.TrimSpace(result)}
			if e.result == "." {
				e.result = mod
			}
			switch n {
			case "*":
				t.stars[mod] = e
			case "import":
				t.modules[mod] = e
			default:
				t.effects[mod+"."+n] = e
				if isClass(mod) {
					t.classes[mod] = true
					t.methods[mod+"."+n] = true
				}
			}
		}
	}
}

var useNames = map[string]struct {
	kind       useKind
	capability palisade.Capability
}{
	"process": {nameUse, palisade.CapProcess}, "kill": {nameUse, palisade.CapKill},
	"native": {nameUse, palisade.CapNative}, "eval": {codeUse, palisade.CapEvaluate},
	"code": {readUse, palisade.CapEvaluate}, "deserialize": {plain, palisade.CapDeserialize},
	"introspect": {plain, palisade.CapIntrospect}, "install": {nameUse, palisade.CapInstall},
	"runfile": {pathUse, palisade.CapRunFile}, "importpath": {pathUse, palisade.CapImportPath},
	"thread": {plain, palisade.CapThread}, "exit": {plain, palisade.CapExit},
	"listen": {peerUse, palisade.CapListen}, "sysinfo": {plain, palisade.CapSystemInfo},
	"secret": {nameUse, palisade.CapSecret}, "unresolved": {plain, palisade.CapUnresolved},
	"env": {nameUse, palisade.CapEnvironment}, "net": {nameUse, palisade.CapNetwork},
	"peer": {peerUse, palisade.CapNetwork}, "read": {pathUse, palisade.CapReadPath},
	"write": {pathUse, palisade.CapWritePath}, "delete": {pathUse, palisade.CapDeletePath}, "url": {urlUse, palisade.CapReadPath},
	"mode": {modeUse, palisade.CapReadPath}, "ref": {refUse, palisade.CapUnresolved},
	"pmode": {pmodeUse, palisade.CapReadPath}, "osmode": {osModeUse, palisade.CapReadPath},
	"query": {queryUse, palisade.CapEvaluate}, "expr": {exprUse, palisade.CapEvaluate},
	"yaml": {yamlUse, palisade.CapDeserialize}, "npload": {npLoadUse, palisade.CapDeserialize},
	"torchload": {torchLoadUse, palisade.CapDeserialize}, "sql": {sqlUse, palisade.CapNetwork},
	"formula": {formulaUse, palisade.CapEvaluate},
	"evalif":  {ifUse, palisade.CapEvaluate}, "processif": {ifUse, palisade.CapProcess},
	"unresolvedif": {ifUse, palisade.CapUnresolved}, "processunless": {unlessUse, palisade.CapProcess},
	"statement": {stmtUse, palisade.CapWritePath}, "script": {scriptUse, palisade.CapWritePath},
	"sqlite": {sqliteUse, palisade.CapWritePath},
	"pickle": {pickleUse, palisade.CapDeserialize}, "template": {templateUse, palisade.CapEvaluate},
	"examples": {docUse, palisade.CapEvaluate}, "writewhen": {whenUse, palisade.CapWritePath}, "readif": {ifUse, palisade.CapReadPath},
	"deserializeif": {ifUse, palisade.CapDeserialize},
}

func parseUse(s string) []use {
	if s == "none" {
		return nil
	}
	name, args, has := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	def, ok := useNames[name]
	if !ok {
		panic("effects: unknown use " + s)
	}
	u := use{kind: def.kind, capability: def.capability, arg: argNone}
	if !has {
		u.kind = plain
		return []use{u}
	}
	first, mode, _ := strings.Cut(args, ";")
	u.arg, u.key, u.optional, u.deflt, u.hasDeflt = parameter(first)
	if mode != "" {
		u.mode, u.modeKey, _, _, _ = parameter(mode)
	}
	return []use{u}
}

// parameter reads "0,path", "0,path?", "0,path=x" or "self".
func parameter(s string) (arg int, key string, optional bool, deflt string, has bool) {
	s, deflt, has = strings.Cut(s, "=")
	if strings.HasSuffix(s, "?") {
		s, optional = s[:len(s)-1], true
	}
	if s == "self" {
		return argSelf, "", optional, deflt, has
	}
	pos, key, _ := strings.Cut(s, ",")
	if pos == "" {
		return 99, key, optional, deflt, has // by keyword only
	}
	if _, err := fmt.Sscanf(pos, "%d", &arg); err != nil {
		panic("effects: bad parameter " + s)
	}
	return arg, key, optional, deflt, has
}

// found is what the table says of a name.
type found struct {
	effect effect
	known  bool
}

// lookup is the table's, remembered.
func (in *interp) lookup(name string) (effect, bool) {
	f, ok := in.lookups[name]
	if !ok {
		f.effect, f.known = in.table.lookup(name)
		if in.lookups == nil {
			in.lookups = map[string]found{}
		}
		in.lookups[name] = f
	}
	return f.effect, f.known
}

// dotted joins a name and that of a part, once.
func (in *interp) dotted(name, part string) string {
	key := [2]string{name, part}
	full, ok := in.names[key]
	if !ok {
		full = name + "." + part
		in.names[key] = full
	}
	return full
}

// export is what the table of re-exports says of a module's attribute.
type export struct {
	of    object // the module or symbol that it is
	sure  bool
	own   object // the symbol under the module's own name
	loose string // the key of what is stored in its place
}

// exported resolves mod.attr, once; see exports.attribute.
func (in *interp) exported(mod, attr string) *export {
	key := [2]string{mod, attr}
	m := in.resolved[key]
	if m == nil {
		m = &export{own: symbol(mod + "." + attr), loose: mod + ":" + attr}
		m.of, m.sure = in.exports.attribute(mod, attr)
		if in.resolved == nil {
			in.resolved = map[[2]string]*export{}
		}
		in.resolved[key] = m
	}
	return m
}

// lookup finds what a symbol does, through its class's or module's "*".
func (t *table) lookup(name string) (effect, bool) {
	if e, ok := t.effects[name]; ok {
		return e, true
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return effect{}, false
	}
	last := name[dot+1:]
	if strings.ToUpper(last) == last && last != "_" {
		return effect{}, false // a constant
	}
	if top, _, dotted := strings.Cut(name[:dot], "."); dotted && flat[top] {
		if e, ok := t.effects[top+"."+last]; ok {
			return e, true // the home of what the package exports at its top
		}
	}
	for base := name[:dot]; ; {
		if e, ok := t.stars[base]; ok {
			return e, true
		}
		dot = strings.LastIndexByte(base, '.')
		if dot < 0 {
			return effect{}, false
		}
		base = base[:dot]
	}
}

// flat are packages whose functions have one name at the top and another home
// below it, which differs between versions.
var flat = nameSet("numpy pandas matplotlib sympy torch yaml requests tensorflow")

// isClass reports whether lines of the table are about a class: it has a
// class's name and is not a module (PIL.Image is one).
func isClass(mod string) bool {
	last := mod[strings.LastIndexByte(mod, '.')+1:]
	_, isModule := reexports().lines[mod]
	return mod == "socket.socket" || last[0] >= 'A' && last[0] <= 'Z' && !isModule
}
