package js

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// fact is what is reported at a node.
type fact struct {
	capability       palisade.Capability
	symbol, argument string
	unknown          bool
	kind             analysis.Kind
	evidence         string
}

// report keeps a fact, in the last pass only. Its place is an offset of the
// canonical text until [Read] finds it in the source.
func (i *interpreter) report(f fact, n *node) {
	if !i.reporting {
		return
	}
	if len(i.facts) >= maxFacts {
		panic(spent{"facts"})
	}
	evidence := f.evidence
	if evidence == "" && n != nil {
		if s := i.source(n); !strings.Contains(s, f.symbol) {
			evidence = "written as " + s
		}
	}
	at := 0
	if n != nil {
		at = n.pos
	}
	if f.capability == palisade.CapReadPath && !f.unknown && analysis.IsCredential(f.argument) {
		i.report(fact{capability: palisade.CapSecret, symbol: f.symbol, argument: f.argument, kind: analysis.KindCredentials}, n)
	}
	i.facts = append(i.facts, analysis.Fact{
		Capability: f.capability, Symbol: display(f.symbol), Argument: f.argument, Unknown: f.unknown,
		File: i.file, Line: 0, Column: at, Kind: f.kind, Evidence: evidence,
	})
}

// source is the beginning of what a node is made of, on one line.
func (i *interpreter) source(n *node) string {
	if n == nil || n.pos >= len(i.program.text) {
		return ""
	}
	s := i.program.text[n.pos:]
	if line := strings.IndexByte(s, '\n'); line >= 0 {
		s = s[:line]
	}
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return s
}

// mention reports what is a use already where it is named, unless the
// expression is only compared or its type asked for.
func (i *interpreter) mention(n *node, s set) {
	quiet := i.quiet == n
	if quiet {
		i.quiet = nil
	}
	if !i.reporting || quiet {
		return
	}
	i.mentionAt(n, s)
}

func (i *interpreter) mentionAt(n *node, s set) {
	if !i.reporting {
		return
	}
	for _, v := range s {
		if v.what != known {
			continue
		}
		if v.s == "process.env" && n != i.base {
			i.report(fact{capability: palisade.CapEnvironment, symbol: v.s, unknown: true}, n)
		}
		if name, ok := strings.CutPrefix(v.s, "process.env."); ok {
			name, _, _ = strings.Cut(name, ".")
			i.report(fact{capability: palisade.CapEnvironment, symbol: "process.env", argument: name}, n)
			continue
		}
		if v.s == "process.mainModule.require" {
			i.report(fact{capability: palisade.CapIntrospect, symbol: v.s}, n)
			continue
		}
		if e := entryOf(v.s); e != nil && e.named && n != i.callee {
			i.applyNamed(v.s, e, n)
		}
	}
}

// applyNamed reports a thing with an effect that is not called here.
func (i *interpreter) applyNamed(path string, e *entry, n *node) {
	for _, f := range e.effects {
		switch f.does {
		case "walk":
			i.report(fact{capability: palisade.CapIntrospect, symbol: path}, n)
		case "eval":
			i.report(fact{capability: palisade.CapEvaluate, symbol: path, unknown: true, kind: analysis.KindComputed}, n)
		default:
			i.report(fact{capability: capabilityOf(f.does), symbol: path}, n)
		}
	}
}

// handed reports a thing with an effect that is given to code which is not
// followed.
func (i *interpreter) handed(path string, n *node) {
	e := entryOf(path)
	if e == nil && (effective(path) || path == "require" || path == "globalThis") && path != "Error" {
		i.report(fact{
			capability: palisade.CapUnresolved, kind: analysis.KindName, symbol: path,
			evidence: "it is handed to code that is not followed: " + i.source(n),
		}, n)
	}
	if e == nil || e.named {
		return
	}
	for _, f := range e.effects {
		if c := capabilityOf(f.does); c != "" {
			i.report(fact{capability: c, symbol: path, unknown: f.arg >= 0}, n)
		}
	}
}

// assigned reports what replaces something of the runtime or the language.
func (i *interpreter) assigned(path string, s set, n *node) {
	if name, ok := strings.CutPrefix(path, "process.env."); ok {
		i.report(fact{capability: palisade.CapEnvironment, symbol: "process.env", argument: name}, n)
		i.embed(palisade.Shell, "", export(name, s), "process.env", n)
		return
	}
	if path == "process.env" {
		i.embed(palisade.Shell, "", exports(s), path, n)
	}
	owner, name, dotted := cutLast(path)
	switch {
	case path == "cluster.settings.exec" && i.reporting:
		i.runFiles(path, s, n)
	case (path == "cluster.settings.execArgv" || path == "process.execArgv") && i.reporting:
		i.preloads(path, s, n)
	case dotted && strings.HasSuffix(owner, ".prototype") && (owner == "Object.prototype" || owner == "Function.prototype" ||
		arrayMethod(name) || stringMethod(name) || objectMethod(name) || name == "then" || name == "[…]"):
		i.report(fact{capability: palisade.CapIntrospect, symbol: path, kind: analysis.KindShadow}, n)
	case entryOf(path) != nil && len(entryOf(path).effects) > 0, path == "require", path == "JSON.parse", path == "process.mainModule":
		i.report(fact{capability: palisade.CapIntrospect, symbol: path, kind: analysis.KindShadow}, n)
	}
}

func cutLast(path string) (owner, name string, dotted bool) {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 {
		return "", path, false
	}
	return path[:dot], path[dot+1:], true
}

// capabilityOf is the capability of an effect whose argument does not matter
// or is not known.
func capabilityOf(does string) palisade.Capability {
	switch does {
	case "read", "open", "file":
		return palisade.CapReadPath
	case "write":
		return palisade.CapWritePath
	case "delete":
		return palisade.CapDeletePath
	case "shell", "run", "process":
		return palisade.CapProcess
	case "runfile", "worker", "tests":
		return palisade.CapRunFile
	case "net", "port", "peer":
		return palisade.CapNetwork
	case "listen":
		return palisade.CapListen
	case "env":
		return palisade.CapEnvironment
	case "kill":
		return palisade.CapKill
	case "sys":
		return palisade.CapSystemInfo
	case "native":
		return palisade.CapNative
	case "eval", "function":
		return palisade.CapEvaluate
	case "introspect", "walk", "maybe":
		return palisade.CapIntrospect
	case "importpath":
		return palisade.CapImportPath
	case "thread":
		return palisade.CapThread
	case "exit":
		return palisade.CapExit
	case "privilege":
		return palisade.CapPrivilege
	case "install":
		return palisade.CapInstall
	case "deserialize":
		return palisade.CapDeserialize
	case "secret":
		return palisade.CapSecret
	case "sql":
		return palisade.CapReadData
	}
	return ""
}
