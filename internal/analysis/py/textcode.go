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
			walks = walksOut(tree)
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
		for _, o := range v.objs {
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

// walksOut reports whether a query does more than compare columns.
func walksOut(tree *python.Module) bool {
	out := false
	python.Inspect(tree, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Attribute:
			out = out || !seriesMethods[n.Attr]
		case *python.Call:
			if name, ok := n.Func.(*python.Name); ok {
				out = out || !seriesMethods[name.Id]
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
