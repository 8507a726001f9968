package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// examples reads what doctest.testmod runs: the examples in the docstrings of
// the program. Source: Python Library Reference, "doctest", "Which docstrings
// are examined".
func (in *interp) examples(n python.Node, f analysis.Fact, module val) {
	f.Kind = analysis.KindText
	in.docRun = true
	u := in.unit
	if o, ok := module.only(); ok {
		switch o := o.(type) {
		case *unit:
			u = o
		case cNone:
		default:
			in.report(n, f)
			return
		}
	} else if !module.empty() {
		f.Unknown = true
		in.report(n, f)
		return
	}
	if in.docs || u.scope == nil || u.scope.vars["__test__"] != nil {
		f.Unknown, f.Evidence = true, "docstrings are computed"
		in.report(n, f)
		return
	}
	var all strings.Builder
	all.WriteString(examplesOf(u.tree.Body))
	python.Inspect(u.tree, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.ClassDef:
			all.WriteString(examplesOf(n.Body))
		case *python.FunctionDef:
			all.WriteString(examplesOf(n.Body))
		case *python.AsyncFunctionDef:
			all.WriteString(examplesOf(n.Body))
		}
		return true
	})
	in.exampleCode(n, all.String(), u.scope)
}

// exampleCode runs examples, each on its own: one that does not parse fails
// alone.
func (in *interp) exampleCode(n python.Node, all string, s *scope) {
	for _, src := range strings.Split(all, exampleEnd) {
		if strings.TrimSpace(src) == "" {
			continue
		}
		if len(src) > maxCode {
			in.unresolved(n, "doctest", "an example is too long to be read")
			return
		}
		if tree := parseText(src); tree != nil {
			outer := in.at
			if outer == nil {
				in.at = n
			}
			in.maybe(s, tree.Body)
			in.at = outer
		}
	}
}

// exampleEnd stands between examples; it cannot stand in one.
const exampleEnd = "\x00"

// examplesOf gives the code of the examples in a body's docstring.
func examplesOf(body []python.Stmt) string {
	if len(body) == 0 {
		return ""
	}
	st, ok := body[0].(*python.ExprStmt)
	if !ok {
		return ""
	}
	c, ok := st.Value.(*python.Constant)
	if !ok || c.Value.Kind != python.Str {
		return ""
	}
	var out strings.Builder
	inside := false // on the lines of an example, not on what it prints
	for line := range strings.Lines(c.Value.Str) {
		text := strings.TrimSpace(line)
		begins := text == ">>>" || strings.HasPrefix(text, ">>> ")
		inside = begins || inside && strings.HasPrefix(text, "...")
		switch {
		case !inside:
		case begins:
			out.WriteString(exampleEnd + strings.TrimPrefix(text[3:], " ") + "\n")
		default:
			out.WriteString(strings.TrimPrefix(strings.TrimRight(strings.TrimLeft(line, " \t")[3:], "\r\n"), " ") + "\n")
		}
	}
	return out.String()
}

// documented notes an assignment to a docstring: its examples are not known then.
func (in *interp) documented(n python.Node, v val) {
	in.docs = true
	list, other := v.strings()
	for _, s := range list {
		other = other || strings.Contains(s, ">>>")
	}
	if other && in.docRun {
		in.report(n, analysis.Fact{Capability: palisade.CapEvaluate, Symbol: "__doc__", Unknown: true, Kind: analysis.KindText, Evidence: "a docstring whose examples are run is assigned"})
	}
}
