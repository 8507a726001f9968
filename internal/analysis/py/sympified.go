package py

import (
	"strings"

	"palisade/internal/analysis"
	"palisade/internal/python"
)

// sympified reads what else sympy is given. Whatever parameter it stands in, a
// text is evaluated (sympify), and so is str() of an object that sympy does not
// know. Source: sympy.core.sympify, "The string fallback in sympify".
func (in *interp) sympified(n python.Node, f analysis.Fact, u use, site *callSite) {
	f.Kind = analysis.KindText
	var texts val
	for i, v := range append(site.args.pos[:len(site.args.pos):len(site.args.pos)], in.keywords(site.args)...) {
		if i != u.arg || i >= len(site.args.pos) { // that one was read
			in.sympifiedText(n, f, v, site.args.scope)
		}
		texts = join(texts, v)
	}
	within := textsWithin(texts)
	for j := range within.size() {
		i, ok := within.at(j).(*instance)
		if !ok {
			continue
		}
		shown := in.shown(n, i)
		in.sympifiedText(n, f, shown, site.args.scope)
		if _, other := shown.strings(); other {
			g := f
			g.Unknown, g.Evidence = true, "what an object prints as is evaluated"
			in.report(n, g)
		}
	}
}

// keywords is every argument that is given by name.
func (in *interp) keywords(args callArgs) []val {
	var out []val
	for _, v := range ordered(args.kw) {
		out = append(out, v)
	}
	return out
}

// sympifiedText reads texts that are known, where they are more than an
// expression over names and numbers.
func (in *interp) sympifiedText(n python.Node, f analysis.Fact, v val, s *scope) {
	list, _ := textsWithin(v).strings()
	for _, src := range list {
		tree := parseText(strings.ReplaceAll(src, "^", "**"))
		if tree == nil || !walksAttributes(tree) {
			continue
		}
		g := f
		g.Argument = src
		in.report(n, g)
		in.runText(n, src, s)
	}
}

// shown is the text that str makes of an object whose text the program decides:
// one of its classes that says so, an exception with its message, a UserString.
func (in *interp) shown(n python.Node, i *instance) val {
	switch of := i.of.(type) {
	case *class:
		var out val
		for _, name := range []string{"__str__", "__repr__"} {
			if m := in.classAttribute(of, name); !m.empty() {
				out = join(out, in.call(n, in.bind(m, i, of), callArgs{}))
			}
		}
		if _, foreign, _ := of.lineage(); out.empty() && len(foreign) > 0 && !isExpression(foreign[0]) {
			return given(i)
		}
		return out
	case symbol:
		name := string(of)
		if name == "collections.UserString" || strings.HasPrefix(name, "builtins.") &&
			(strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Warning") || strings.HasSuffix(name, "Exit")) {
			return given(i)
		}
	}
	return val{}
}

// given is what an instance was made of.
func given(i *instance) val {
	var out val
	for _, v := range i.args {
		out = join(out, v)
	}
	return out
}

// isExpression reports whether a class is one of sympy's.
func isExpression(of object) bool {
	s, ok := of.(symbol)
	return ok && strings.HasPrefix(string(s), "sympy.")
}
