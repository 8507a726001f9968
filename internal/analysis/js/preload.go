package js

import (
	"maps"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// runFiles reports files whose code is run: of each, that it is read, and what
// the program itself wrote into it.
func (i *interpreter) runFiles(symbol string, s set, n *node) {
	for _, v := range s {
		if v.what != thing || !v.obj.list {
			i.runFile(symbol, v, n)
			continue
		}
		for _, item := range append(v.obj.items(), v.obj.rest.values) {
			for _, one := range item {
				i.runFile(symbol, one, n)
			}
		}
	}
}

func (i *interpreter) runFile(symbol string, v value, n *node) {
	i.applyPath(symbol, effect{does: "runfile"}, arguments{list: []set{v.set()}}, n)
}

// testFiles is run of node:test: a process of Node.js for each file. Source:
// Node.js 20, "Test runner", run([options]).
func (i *interpreter) testFiles(symbol string, args arguments, n *node) {
	named := false
	for _, v := range args.at(0) {
		if v.what != thing {
			continue
		}
		for _, name := range []string{"files", "globPatterns", "globalSetupPath", "cwd"} {
			if p := v.obj.props[name]; p != nil {
				named = named || name == "files"
				i.runFiles(symbol, p.value.values, n)
			}
		}
		i.nodeOptions(symbol, v.obj, n)
		if len(v.obj.rest.values) > 0 {
			i.runFiles(symbol, anything, n)
		}
	}
	if named {
		return
	}
	i.runFiles(symbol, str("."), n)
	for _, file := range slices.Sorted(maps.Keys(i.written)) { // what it finds there
		if strings.HasSuffix(file, "js") || strings.HasSuffix(file, "ts") {
			i.runWritten(file, symbol, n)
		}
	}
}

// nodeOptions takes what an object of options says of how a worker or a process
// of Node.js begins: its own options and its variables.
func (i *interpreter) nodeOptions(symbol string, o *object, n *node) {
	if p := o.props["execArgv"]; p != nil {
		i.preloads(symbol, p.value.values, n)
	}
	if p := o.props["env"]; p != nil {
		i.embed(palisade.Shell, "", exports(p.value.values), display(symbol), n)
	}
}

// preloadOptions are those options of Node.js that run a file. Source: Node.js
// 20, "Command-line API".
var preloadOptions = map[string]bool{
	"-r": true, "--require": true, "--import": true, "--loader": true, "--experimental-loader": true,
	"--test-reporter": true, "--test-global-setup": true,
}

// preloads are options of Node.js: some run a file before the program.
func (i *interpreter) preloads(symbol string, s set, n *node) {
	for _, v := range s {
		if v.what != thing || !v.obj.list && len(v.obj.rest.values) == 0 {
			if v.what != plain && !v.is("process.execArgv") {
				i.unknownOptions(n)
			}
			continue
		}
		next := false
		for _, item := range v.obj.items() {
			next = i.preload(symbol, item, next, n)
		}
		if len(v.obj.rest.values) > 0 {
			i.preload(symbol, v.obj.rest.values, next, n)
			i.unknownOptions(n)
		}
	}
}

// preload takes one option, or the value of the one before.
func (i *interpreter) preload(symbol string, item set, isValue bool, n *node) (next bool) {
	if isValue {
		i.runFiles(symbol, item, n)
		return false
	}
	for _, v := range item {
		name, file, attached := strings.Cut(v.s, "=")
		switch {
		case v.what != constant && v.what != text:
			i.unknownOptions(n)
		case preloadOptions[name] && attached:
			i.runFiles(symbol, set{{what: v.what, s: file}}, n)
		case preloadOptions[name]:
			next = true
		case v.what == text && !attached && !strings.HasPrefix(v.s, "--max"):
			i.unknownOptions(n)
		}
	}
	return next
}

// addOption puts options to those with which Node.js starts others of its kind.
func addOption(i *interpreter, c call) set {
	next := false
	if i.reporting {
		for _, s := range c.args.list {
			next = i.preload(c.path, s, next, c.node)
		}
		if c.args.open {
			i.unknownOptions(c.node)
		}
	}
	return inert
}

func (i *interpreter) unknownOptions(n *node) {
	i.report(fact{
		capability: palisade.CapUnresolved, kind: analysis.KindComputed, symbol: "require", unknown: true,
		evidence: "options of Node.js that are computed: " + i.source(n),
	}, n)
}

// copied remembers what a file is given that is a copy of another one, or
// another name of it.
func (i *interpreter) copied(args arguments) {
	for _, to := range i.paths(args.at(1)) {
		for _, from := range i.paths(args.at(0)) {
			if from.what != constant || to.what != constant {
				continue
			}
			if c := i.written[analysis.Path(from.s)]; c != nil {
				i.add(cellOf(i.written, analysis.Path(to.s)), c.values)
			}
		}
	}
}

// runWrittenAs is runWritten of the files that a name may mean. Source: Node.js
// 20, "Modules: CommonJS modules", require(X).
func (i *interpreter) runWrittenAs(name, via string, n *node) {
	i.runWritten(name, via, n)
	for _, end := range []string{".js", ".cjs", ".mjs", ".ts", "/index.js", "/index.mjs"} {
		i.runWritten(name+end, via, n)
	}
}

// packageWritten reads what the program wrote into the folder of a package that
// it loads.
func (i *interpreter) packageWritten(name string, n *node) {
	i.runWrittenAs(analysis.Path("node_modules/"+name), "require", n)
	for _, file := range slices.Sorted(maps.Keys(i.written)) {
		if strings.Contains(file, "/node_modules/"+name+"/") && !strings.HasSuffix(file, "/index.js") && !strings.HasSuffix(file, ".json") {
			i.runWritten(file, "require", n)
		}
	}
}

// registerHooks is module.registerHooks: what its load gives as source is run.
func registerHooks(i *interpreter, c call) set {
	for _, v := range c.args.at(0) {
		if v.what != thing {
			continue
		}
		load, _ := i.lookup(v.obj, "load")
		for _, given := range i.callback(load, c.node, prefix(""), anything, anything) {
			if given.what != thing || given.obj.props["source"] == nil || !i.reporting {
				continue
			}
			i.applyCode(c.path, effect{does: "eval"}, arguments{list: []set{given.obj.props["source"].value.values}}, c.node)
		}
	}
	return inert
}
