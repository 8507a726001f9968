package py

import (
	"strings"

	"palisade/internal/analysis"
	"palisade/internal/python"
)

// telling reports an attribute whose name alone says what it is for. It
// returns what the attribute then is.
func (in *interp) telling(n python.Node, attr, where string, o object) (val, bool) {
	if introspective[attr] {
		name := attr
		if where != "" {
			name = where + "." + attr
		}
		in.introspect(n, name, analysis.KindName, spelled(n))
		v := unknown
		if attr == "__getattribute__" && o != nil {
			return in.madeAt(n, "getattribute", &partial{fn: one(symbol("builtins.getattr")), args: callArgs{pos: []val{one(o)}}}), true
		}
		if attr == "__builtins__" {
			v = join(v, one(module("builtins")))
		}
		return v, true
	}
	return val{}, false
}

// unknownAttribute is an attribute of something that is not known.
func (in *interp) unknownAttribute(n python.Node, attr string) val {
	if v, ok := in.telling(n, attr, "", nil); ok {
		return v
	}
	if attr == "__dict__" {
		return join(unknown, one(namespace{opaque{}}))
	}
	if ofStyler(n, attr) {
		in.drawnBy(n, attr)
	}
	out := join(join(unknown, in.looseAttribute(attr)), in.adrift(n, attr))
	if attr == "raw" { // of a file, a stream or a response
		out = join(out, in.object(n, "io.FileIO", nil))
	}
	if e, ok := in.table.effects["?."+attr]; ok {
		for _, u := range e.uses {
			if !u.waits() {
				in.use(n, symbol(attr), u, nil, spelled(n))
			}
		}
		out = join(out, one(symbol("?."+attr)))
	}
	if leaks[attr] {
		out = join(out, one(module(homeModule(strings.TrimLeft(attr, "_")))))
		if attr[0] == '_' {
			in.imported(n, homeModule(strings.TrimLeft(attr, "_")), spelled(n))
		}
	}
	return out
}
