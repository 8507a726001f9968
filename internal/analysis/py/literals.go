package py

import (
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// literals looks at the constants of a file once, whatever they are used for.
func (in *interp) literals(u *unit) {
	outer := in.unit
	in.unit = u
	python.Inspect(u.tree, func(n python.Node) bool {
		in.step()
		c, ok := n.(*python.Constant)
		if !ok || c.Value.Kind != python.Str && c.Value.Kind != python.Bytes {
			return true
		}
		s := c.Value.Str
		if introspectiveText(s) {
			in.introspect(n, s, analysis.KindText, "a name in a string")
		}
		if host := metadataHost(s); host != "" {
			in.metadata(n, host)
		}
		return true
	})
	in.unit = outer
}

// introspectiveText reports whether a string is exactly a name that nobody
// needs but to look it up.
func introspectiveText(s string) bool {
	switch s {
	case "__globals__", "__builtins__", "__subclasses__", "__import__", "__code__", "__closure__",
		"__mro__", "__bases__", "__base__", "__getattribute__", "gi_frame", "tb_frame", "f_globals",
		"f_builtins", "f_back", "f_locals", "cr_frame", "_getframe", "__loader__", "__reduce_ex__":
		return true
	}
	return false
}

// byName are methods of pandas' objects that call the method which a string names.
var byName = nameSet("agg aggregate apply transform map pipe")

// formatter is string.Formatter: its fields walk attributes, and get_field
// hands out what it finds.
func (in *interp) formatter(n python.Node, name string, args callArgs) val {
	rest := args.drop()
	if name == "vformat" || name == "get_field" {
		rest = callArgs{open: true}
		if elems, ok := in.elements(n, args.at(1)); ok {
			rest = callArgs{pos: elems, mapping: args.at(2)}
		}
	}
	switch name {
	case "format", "vformat":
		return in.formatMethod(n, first(args.at(0)), rest)
	case "get_field":
		names, other := args.at(0).strings()
		var v val
		for _, s := range names {
			auto := 0
			v = join(v, in.fieldValue(n, s, rest, &auto))
		}
		if other {
			in.unresolved(n, "string.Formatter.get_field", "an attribute is looked up by a name that is computed")
			v = join(v, unknown)
		}
		in.refer(n, v, false)
		return one(newList(aTuple, v, unknown))
	}
	return unknown
}
