package js

import (
	"net/url"
	"path"
	"sort"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

func nodeModels() map[string]model {
	return map[string]model{
		"path.join":                 joinPath,
		"path.resolve":              resolvePath,
		"path.normalize":            onPath(path.Clean),
		"path.dirname":              onPath(path.Dir),
		"path.basename":             baseName,
		"path.extname":              onPath(path.Ext),
		"path.relative":             func(i *interpreter, c call) set { return c.args.at(1) },
		"path.format":               func(i *interpreter, c call) set { return prefix("") },
		"path.toNamespacedPath":     first,
		"URL":                       newURL,
		"url.fileURLToPath":         fileFromURL,
		"url.pathToFileURL":         first,
		"url.format":                first,
		"url.parse":                 first,
		"require.resolve.paths":     nothing,
		"import!.resolve":           first,
		"os.tmpdir":                 func(*interpreter, call) set { return str("/tmp") },
		"os.homedir":                func(*interpreter, call) set { return str("~") },
		"process.cwd":               func(*interpreter, call) set { return str(analysis.Workspace) },
		"fs.open":                   func(i *interpreter, c call) set { i.escape(c.args.all(), c.node); return openFile(i, c) },
		"worker_threads.workerData": nothing,
		"process.exit":              nothing,
		"module.registerHooks":      registerHooks,
		"process.execArgv.push":     addOption, "process.execArgv.unshift": addOption,
		"cluster.settings.execArgv.push": addOption, "cluster.settings.execArgv.unshift": addOption,
		"Error.captureStackTrace": nothing,
	}
}

// openFile is an open file: a number, or a handle.
func openFile(*interpreter, call) set { return set{{what: number, n: 3}} }

func joinPath(i *interpreter, c call) set {
	return i.paste(c, false)
}

func resolvePath(i *interpreter, c call) set {
	return i.paste(c, true)
}

// paste puts the parts of a path behind one another; from is whether an
// absolute part starts again.
func (i *interpreter) paste(c call, again bool) set {
	out := str("")
	if again {
		out = str(analysis.Workspace)
	}
	for _, s := range c.args.list {
		var next set
		part := i.text(s, c.node)
		for _, a := range out {
			for _, b := range part {
				next = next.plus(under(a, b, again))
			}
		}
		out = next
	}
	if c.args.open {
		var open set
		for _, v := range out {
			open = open.plus(value{what: text, s: v.s})
		}
		return open
	}
	return out
}

func under(a, b value, again bool) value {
	switch {
	case a.what == text:
		return a // what follows is not known either
	case again && strings.HasPrefix(b.s, "/"):
		return value{what: b.what, s: b.s}
	case b.what == text:
		s := a.s + "/" + b.s
		if a.s == "" {
			s = b.s
		}
		return value{what: text, s: s}
	case a.s == "":
		return value{what: constant, s: b.s}
	case strings.HasPrefix(a.s, "~"):
		return value{what: constant, s: a.s + "/" + b.s}
	}
	return value{what: constant, s: path.Clean(a.s + "/" + b.s)}
}

func onPath(f func(string) string) model {
	return func(i *interpreter, c call) set {
		var out set
		for _, v := range i.text(c.args.at(0), c.node) {
			if v.what == constant {
				out = out.plus(value{what: constant, s: f(v.s)})
				continue
			}
			out = out.plus(value{what: text})
		}
		return out
	}
}

func baseName(i *interpreter, c call) set {
	suffix, _ := single(c.args.at(1))
	return onPath(func(s string) string { return strings.TrimSuffix(path.Base(s), suffix) })(i, c)
}

// newURL is a URL as its text, with a base where it is relative.
func newURL(i *interpreter, c call) set {
	var out set
	for _, v := range i.text(c.args.at(0), c.node) {
		base, computed := single(i.text(c.args.at(1), c.node))
		if v.what != constant || c.args.missing(1) || computed {
			out = out.plus(v)
			continue
		}
		b, err := url.Parse(base)
		if err != nil {
			out = out.plus(v)
			continue
		}
		r, err := b.Parse(v.s)
		if err != nil {
			out = out.plus(v)
			continue
		}
		out = out.plus(value{what: constant, s: r.String()})
	}
	return out
}

func fileFromURL(i *interpreter, c call) set {
	var out set
	for _, v := range i.text(c.args.at(0), c.node) {
		s := v.s
		if rest, ok := strings.CutPrefix(s, "file://"); ok {
			if decoded, ok := percent(rest); ok {
				s = decoded
			}
		}
		out = out.plus(value{what: v.what, s: s})
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// module is what require and import give for a name.
func (i *interpreter) module(names set, n *node) set {
	if len(names) == 0 {
		names = anything
	}
	var out set
	for _, v := range names {
		if v.what == constant && v.s == "" {
			continue
		}
		if v.what != constant {
			i.report(fact{
				capability: palisade.CapUnresolved, kind: analysis.KindComputed, symbol: "require", argument: v.s, unknown: true,
				evidence: "the name of a module is computed: " + i.source(n),
			}, n)
			out = out.with(anything)
			continue
		}
		if v.built {
			i.report(fact{
				capability: palisade.CapObfuscation, kind: analysis.KindComputed, symbol: v.s,
				evidence: "the name of a module is put together: " + i.source(n),
			}, n)
		}
		out = out.with(i.moduleNamed(v.s, n))
	}
	return out
}

func (i *interpreter) moduleNamed(name string, n *node) set {
	short := strings.TrimPrefix(name, "node:")
	if to, ok := moduleAliases[short]; ok {
		short = to
	}
	switch {
	case isBuiltin(short):
		i.report(fact{capability: palisade.CapImport, symbol: short, argument: short}, n)
		return ref(short)
	case strings.HasPrefix(name, "data:"):
		i.dataModule(name, n)
		return anything
	case analysis.IsURL(name):
		i.report(fact{capability: palisade.CapRemoteCode, symbol: "import", argument: name}, n)
		return anything
	case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "file:"):
		i.fileModule(name, n)
		return anything
	}
	i.report(fact{capability: palisade.CapImport, symbol: short, argument: short}, n)
	i.packageWritten(short, n)
	if e := entryOf("pkg:" + short); e != nil && e.named && i.reporting {
		i.applyNamed("pkg:"+short, e, n)
	}
	return ref("pkg:" + short)
}

// fileModule is a module in a file: data, native code or code that was not
// read.
func (i *interpreter) fileModule(name string, n *node) {
	f := fact{capability: palisade.CapRunFile, symbol: "require", argument: analysis.Path(name)}
	switch {
	case strings.HasSuffix(name, ".json"):
		f.capability = palisade.CapReadPath
	case strings.HasSuffix(name, ".node"):
		f.capability = palisade.CapNative
	}
	i.report(f, n)
	if f.capability == palisade.CapRunFile {
		f.capability = palisade.CapReadPath
		i.report(f, n)
		i.runWrittenAs(f.argument, "require", n)
	}
}

// dataModule is a module whose text is in its name: data:text/javascript,…
func (i *interpreter) dataModule(name string, n *node) {
	i.report(fact{capability: palisade.CapEvaluate, symbol: "import", argument: clip(name), kind: analysis.KindText}, n)
	head, body, ok := strings.Cut(name, ",")
	if !ok || strings.Contains(head, "json") {
		return
	}
	source, ok := percent(body)
	if strings.Contains(head, ";base64") {
		source, ok = fromBase64(source)
	}
	if ok {
		i.embed(palisade.JavaScript, "", source, "import", n)
	}
}

func (i *interpreter) importCall(n *node) set {
	args := i.evalArguments(n.kids)
	return i.module(i.text(args.at(0), n), n)
}

func (i *interpreter) importStatement(n *node) {
	found := i.module(str(n.name), n)
	for _, m := range n.imports {
		if m.name == "*" || m.name == "default" {
			i.add(&m.binding.cell, found)
			continue
		}
		for _, v := range found {
			got := i.member(v, m.name, n)
			i.add(&m.binding.cell, got)
			i.mentionAt(n, got)
		}
	}
}
