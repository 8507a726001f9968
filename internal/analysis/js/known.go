package js

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// callKnown calls something of the language, the runtime or a module.
func (i *interpreter) callKnown(path string, this set, args arguments, n *node, isNew bool) set {
	e := entryOf(path)
	if strings.HasPrefix(path, "fs.") {
		i.writes(path, args, n)
	}
	if e != nil && (!e.named || n.kind == nCall && n.kids[0] == i.callee || isNew || needsArguments(e)) {
		for _, f := range e.effects {
			i.apply(path, f, args, n)
		}
	}
	if m := models()[path]; m != nil {
		return m(i, call{path, this, args, n, isNew})
	}
	if strings.Contains(path, ".prototype.") {
		return i.callPrototype(path, this, args, n)
	}
	i.escape(args.all(), n)
	switch {
	case e != nil && e.result != "":
		return ref(e.result)
	case strings.HasPrefix(path, "pkg:"):
		root := strings.TrimPrefix(path, "pkg:")
		if end := strings.IndexAny(root, ".("); end >= 0 && !strings.Contains(root[:end], "/") {
			root = root[:end]
		}
		return ref("pkg:" + strings.TrimSuffix(root, "()") + "()")
	}
	if isNew {
		return inert.with(ref(path + "()"))
	}
	return anything
}

// needsArguments reports whether the effects of a call say more than its name.
func needsArguments(e *entry) bool {
	for _, f := range e.effects {
		if f.arg >= 0 || f.does == "function" || f.does == "walk" {
			return true
		}
	}
	return false
}

// callPrototype calls Array.prototype.slice and the like: a method, of this.
func (i *interpreter) callPrototype(path string, this set, args arguments, n *node) set {
	_, name, _ := cutLast(path)
	var out set
	for _, v := range this {
		out = out.with(i.callMethodOf(v, name, args, n))
	}
	return out
}

// apply reports one effect of a call.
func (i *interpreter) apply(path string, f effect, args arguments, n *node) {
	if !i.reporting {
		return
	}
	switch f.does {
	case "read", "write", "delete", "open", "file", "runfile", "worker":
		i.applyPath(path, f, args, n)
	case "tests":
		i.testFiles(path, args, n)
	case "node":
		i.startNode(path, f, args, n)
	case "shell", "run":
		i.applyCommand(path, f, args, n)
	case "net", "port", "peer", "listen":
		i.applyPeer(path, f, args, n)
	case "eval", "function", "walk":
		i.applyCode(path, f, args, n)
	case "maybe":
		i.maybeCode(path, args, n)
	case "sql":
		i.applyQuery(path, f, args, n)
	default:
		out := fact{capability: capabilityOf(f.does), symbol: path}
		if f.arg >= 0 {
			out.argument, out.unknown = single(args.at(f.arg))
		}
		i.report(out, n)
	}
}

// single is a set as an argument: the one string or number that it is.
func single(s set) (argument string, unknown bool) {
	if len(s) == 1 {
		switch v := s[0]; v.what {
		case constant:
			return v.s, false
		case number:
			return formatNumber(v.n), false
		case text:
			return v.s, true
		}
	}
	return "", true
}

// applyPath reports an effect on a file.
func (i *interpreter) applyPath(path string, f effect, args arguments, n *node) {
	s := args.at(f.arg)
	if f.does == "worker" {
		for _, o := range options(args) {
			i.nodeOptions(path, o, n)
		}
		if i.workerText(path, args, n) {
			return
		}
	}
	if f.arg < 0 {
		i.report(fact{capability: capabilityOf(f.does), symbol: path, unknown: true}, n)
		return
	}
	if args.missing(f.arg) && f.arg > 0 {
		return
	}
	if len(s) == 0 {
		s = anything
	}
	for _, c := range i.pathCapabilities(f.does, args) {
		for _, v := range i.paths(s) {
			switch v.what {
			case number: // an open file
			case constant, text:
				if v.s == "" && v.what == text {
					i.report(fact{capability: c, symbol: path, unknown: true}, n)
					continue
				}
				if strings.HasPrefix(v.s, "data:") && c == palisade.CapRunFile {
					i.dataModule(v.s, n)
					continue
				}
				at := fact{capability: c, symbol: path, argument: analysis.Path(v.s), unknown: v.what == text}
				i.report(at, n)
				if c == palisade.CapRunFile {
					at.capability = palisade.CapReadPath
					i.report(at, n)
					i.runWrittenAs(at.argument, path, n)
				}
			default:
				i.report(fact{capability: c, symbol: path, unknown: true}, n)
				if c == palisade.CapRunFile && path != "child_process.fork" { // a command, which is read as one
					i.report(fact{
						capability: palisade.CapUnresolved, kind: analysis.KindComputed, symbol: "require", unknown: true,
						evidence: "the name of a file that is run is computed: " + i.source(n),
					}, n)
				}
			}
		}
	}
}

// workerText takes the program that a worker is given as text.
func (i *interpreter) workerText(path string, args arguments, n *node) bool {
	for _, option := range args.at(1) {
		if option.what == thing && option.obj.props["eval"] != nil {
			i.applyCode(path, effect{does: "eval", arg: 0}, args, n)
			return true
		}
	}
	return false
}

// paths are values as paths: URLs of files are paths.
func (i *interpreter) paths(s set) set {
	var out set
	for _, v := range s {
		if v.what == known && strings.HasSuffix(v.s, "()") {
			v = value{what: unknown}
		}
		if v.what == plain && len(s) > 1 {
			continue
		}
		if v.what == thing && v.obj.list {
			if joined, ok := v.obj.join(","); ok {
				v = value{what: constant, s: joined}
			}
		}
		if v.what == unknown && len(s) > 1 && s.known() {
			// What is also not known was not reached by any call.
			v = value{what: text}
		}
		out = out.plus(v)
	}
	return out
}

func (s set) known() bool {
	for _, v := range s {
		if v.what == constant {
			return true
		}
	}
	return false
}

// pathCapabilities are the capabilities of an effect on a file: of opening one,
// what its flags say (Node.js 20, "File system flags").
func (i *interpreter) pathCapabilities(does string, args arguments) []palisade.Capability {
	switch does {
	case "file":
		return []palisade.Capability{palisade.CapReadPath, palisade.CapWritePath}
	case "open":
		flags, computed := single(args.at(1))
		switch {
		case args.missing(1) || !computed && flags == "r":
			return []palisade.Capability{palisade.CapReadPath}
		case !computed && !strings.ContainsAny(flags, "r+0123456789"):
			return []palisade.Capability{palisade.CapWritePath}
		}
		return []palisade.Capability{palisade.CapReadPath, palisade.CapWritePath}
	}
	return []palisade.Capability{capabilityOf(does)}
}
