package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// maxCode bounds a string that is read as code, in bytes.
const maxCode = 16 << 10

// maxTexts bounds the strings that are read as code in one program.
const maxTexts = 64

// runText interprets a string that is run as code, at the place n.
func (in *interp) runText(n python.Node, src string, s *scope) {
	if s == nil {
		s = in.unit.scope
	}
	if len(src) > maxCode || in.texts >= maxTexts || in.at != nil && in.texts > 8 {
		in.unresolved(n, "code", "text that is run as code is too long or too deep to be read")
		return
	}
	in.texts++
	tree := parseText(src)
	if tree == nil {
		return // it does not run either
	}
	outer := in.at
	if outer == nil {
		in.at = n
	}
	in.depth++
	if in.depth <= maxDepth {
		in.maybe(s, tree.Body)
	}
	in.depth--
	in.at = outer
}

// code reports text that is run as code, and reads it where it is known.
func (in *interp) code(n python.Node, f analysis.Fact, v val, s *scope) {
	f.Kind = analysis.KindText
	open := v.open || v.empty()
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case cStr, cBytes:
			src, _, _ := plainText(o)
			f.Argument = src
			in.report(n, f)
			in.runText(n, src, s)
		case *instance:
			if o.of == symbol("builtins.compile") {
				f.Argument = "compiled code"
				in.report(n, f)
				continue
			}
			open = true
		case *function, *method:
		default:
			open = true
		}
	}
	if open {
		f.Argument, f.Unknown = "", true
		in.report(n, f)
	}
}

// readCode reads text that runs as code where it stands in the program, as if
// it were written there; one that is not known is reported.
func (in *interp) readCode(n python.Node, f analysis.Fact, v val, s *scope) {
	rest := collector{val: val{open: v.open}}
	for i := range v.size() {
		o := v.at(i)
		if src, known, _ := plainText(o); known {
			in.runText(n, src, s)
			continue
		}
		rest.put(o)
	}
	if !rest.empty() {
		in.code(n, f, rest.val, s)
	}
}

func parseText(src string) *python.Module {
	norm, err := python.Normalize([]byte(src))
	if err != nil {
		return nil
	}
	tree, err := python.Parse(norm, python.Options{})
	if err != nil {
		tree, err = python.Parse([]byte(strings.TrimSpace(string(norm))+"\n"), python.Options{})
	}
	if err != nil {
		return nil
	}
	return tree
}

// query reads a string for pandas' query or eval: "@name" is a name of the
// program, `a b` a column.
func (in *interp) query(n python.Node, name string, v val, s *scope, sure bool) {
	list, other := v.strings()
	for _, src := range list {
		tree := parseText(queryText(src))
		walks := tree == nil && strings.ContainsAny(src, "@_")
		if tree != nil {
			walks = in.walksOut(tree, s)
		}
		if walks {
			in.report(n, analysis.Fact{
				Capability: palisade.CapEvaluate, Symbol: name, Argument: src, Kind: analysis.KindText,
				Evidence: "the string walks attributes or calls",
			})
			if tree != nil {
				in.runText(n, queryText(src), s)
			}
		}
	}
	if other && sure {
		for i := range v.size() {
			o := v.at(i)
			if safeQuery(o) {
				return
			}
		}
		in.report(n, analysis.Fact{
			Capability: palisade.CapEvaluate, Symbol: name, Unknown: true, Kind: analysis.KindComputed,
			Evidence: "a string that is code is computed",
		})
	}
}

// safeQuery reports whether a query that is known in part holds only numbers
// beside what is known.
func safeQuery(o object) bool {
	p, ok := o.(pattern)
	return ok && !strings.ContainsAny(string(p), "@_.(")
}

// queryText turns a query into Python.
func queryText(src string) string {
	var b strings.Builder
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '`':
			end := strings.IndexByte(src[i+1:], '`')
			if end < 0 {
				return src
			}
			b.WriteString("_column")
			i += end + 1
		case c == '@':
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}

// seriesMethods are the calls that a query may make on a column or a number.
var seriesMethods = nameSet(`isin notna notnull isna isnull between abs sum mean min max median std str dt contains
	startswith endswith lower upper strip len year month day hour minute second date dayofweek weekday
	sin cos exp log expm1 log1p sqrt sinh cosh tanh arcsin arccos arctan arccosh arcsinh arctanh arctan2
	floor ceil round astype index columns values cat codes any all eq ne lt le gt ge`)

// walksOut reports whether a query does more than compare columns and read
// public attributes of the program's own objects.
func (in *interp) walksOut(tree *python.Module, s *scope) bool {
	out := false
	python.Inspect(tree, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Attribute:
			out = out || !seriesMethods[n.Attr] && !in.plainAttribute(n, s)
		case *python.Call:
			switch f := n.Func.(type) {
			case *python.Name:
				out = out || !seriesMethods[f.Id]
			case *python.Attribute:
				out = out || !seriesMethods[f.Attr]
			}
		case *python.Name:
			out = out || strings.HasPrefix(n.Id, "__")
		case *python.Lambda, *python.Import, *python.ImportFrom, *python.Await, *python.JoinedStr:
			out = true
		}
		return !out
	})
	return out
}

// plainAttribute reports whether a.b.c walks public attributes of an object
// that the program has, and of no module.
func (in *interp) plainAttribute(e *python.Attribute, s *scope) bool {
	if strings.HasPrefix(e.Attr, "_") || leaks[e.Attr] || s == nil {
		return false
	}
	switch base := e.Value.(type) {
	case *python.Attribute:
		return in.plainAttribute(base, s)
	case *python.Name:
		h := s.find(base.Id)
		if h == nil || h.vars[base.Id] == nil {
			return false
		}
		v := h.vars[base.Id].ever
		for i := range v.size() {
			o := v.at(i)
			if _, ok := o.(*instance); !ok {
				return false
			}
		}
		return v.size() > 0
	}
	return false
}

// annotation evaluates an annotation. Strings in it are code too: get_type_hints
// and all that is built on it (singledispatch, for one) evaluate them.
func (in *interp) annotation(s *scope, e python.Expr) {
	in.eval(s, e)
	python.Inspect(e, func(n python.Node) bool {
		if c, ok := n.(*python.Constant); ok && c.Value.Kind == python.Str &&
			(strings.Contains(c.Value.Str, "(") || strings.Contains(c.Value.Str, "__")) {
			in.runText(c, c.Value.Str, s)
		}
		return true
	})
}

// withoutGlobals is a call of timeit without globals=globals(): the text is
// read in the names of the program anyway.
func withoutGlobals(e *python.Call, fn val) *python.Call {
	o, ok := fn.only()
	if !ok || o != symbol("timeit.timeit") && o != symbol("timeit.repeat") && o != symbol("timeit.Timer") {
		return e
	}
	for i, k := range e.Keywords {
		if c, ok := k.Value.(*python.Call); ok && k.Arg == "globals" && len(c.Args) == 0 {
			if name, ok := c.Func.(*python.Name); ok && name.Id == "globals" {
				short := *e
				short.Keywords = append(e.Keywords[:i:i], e.Keywords[i+1:]...)
				return &short
			}
		}
	}
	return e
}
