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
	for i, v := range site.args.pos {
		if i != u.arg { // that one was read
			in.expressionText(n, f, v, site.args.scope)
		}
		texts = join(texts, v)
	}
	for _, v := range ordered(site.args.kw) {
		in.expressionText(n, f, v, site.args.scope)
		texts = join(texts, v)
	}
	within := textsWithin(texts)
	for j := range within.size() {
		i, ok := within.at(j).(*instance)
		if !ok {
			continue
		}
		shown := in.shown(n, i)
		in.expressionText(n, f, shown, site.args.scope)
		if _, other := shown.strings(); other {
			g := f
			g.Unknown, g.Evidence = true, "what an object prints as is evaluated"
			in.report(n, g)
		}
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
