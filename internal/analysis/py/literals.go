package py

import (
	"strings"

	"palisade/internal/analysis"
	"palisade/internal/python"
)

// literals looks at the constants of a file once, whatever they are used for.
func (in *interp) literals(u *unit) {
	outer := in.unit
	in.unit = u
	python.Inspect(u.tree, func(n python.Node) bool {
		in.step()
		if c, ok := n.(*python.Constant); ok && (c.Value.Kind == python.Str || c.Value.Kind == python.Bytes) {
			in.literal(c)
		}
		return true
	})
	in.unit = outer
}

// told is what a text tells by itself: a name that it is, an attribute that it
// walks, the address of a metadata service in it.
type told struct{ name, walk, host string }

func readText(s string) told {
	t := told{walk: fieldWalk(s), host: analysis.MetadataHost(s)}
	if introspectiveText(s) {
		t.name = s
	}
	return t
}

// literal reports what a text tells by itself.
func (in *interp) literal(n *python.Constant) {
	t := readText(n.Value.Str)
	if t.name != "" {
		in.introspect(n, t.name, analysis.KindText, "a name in a string")
	}
	if t.walk != "" {
		in.introspect(n, t.walk, analysis.KindText, "a format field walks attributes")
	}
	if t.host != "" {
		in.metadata(n, t.host)
	}
}

// fieldWalk finds a replacement field that walks into the interpreter, in a
// string that may become a template: "{0.__globals__}". It gives the attribute.
func fieldWalk(s string) string {
	if len(s) > maxText {
		return ""
	}
	for rest := s; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return ""
		}
		rest = after
		field, _, closed := strings.Cut(after, "}")
		if !closed || strings.ContainsAny(field, " \n\"'(") {
			continue
		}
		for _, part := range strings.Split(field, ".")[1:] {
			if end := strings.IndexAny(part, "[!:"); end >= 0 {
				part = part[:end]
			}
			if introspective[part] {
				return part
			}
		}
	}
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
		var out val
		given := args.at(0)
		for i := range given.size() {
			o := given.at(i)
			out = join(out, in.formatMethod(n, o, rest))
		}
		if args.at(0).open {
			out = join(out, in.formatMethod(n, prefix(""), rest))
		}
		return out
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
