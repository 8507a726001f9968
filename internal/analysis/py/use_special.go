package py

import (
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// openUse is Path.open and os.open: what they do depends on mode or flags.
func (in *interp) openUse(n python.Node, f analysis.Fact, u use, v val, site *callSite) {
	read, write := true, true
	if u.kind == pmodeUse {
		read, write = fileMode(site.args.get(u.mode, u.modeKey))
	} else if flags := site.args.get(u.mode, u.modeKey); flags.has(symbol("os.O_RDONLY")) && flags.size() == 1 || flags.has(cInt(0)) {
		write = false
	}
	if read {
		in.paths(n, f, v, false)
	}
	if write {
		f.Capability = palisade.CapWritePath
		in.paths(n, f, v, false)
	}
}

// loader is a function that reads a format which may carry code, by choice.
func (in *interp) loader(n python.Node, f analysis.Fact, u use, v val, site *callSite) {
	unsafe := true
	switch u.kind {
	case yamlUse:
		loader := site.args.get(1, "Loader")
		unsafe = loader.empty() || loader.open
		for i := range loader.size() {
			o := loader.at(i)
			s, ok := o.(symbol)
			if !ok || s != "yaml.SafeLoader" && s != "yaml.CSafeLoader" && s != "yaml.BaseLoader" {
				unsafe = true
			}
		}
		unsafe = unsafe && !in.plainYAML(n, v)
	case npLoadUse:
		allow := site.args.get(2, "allow_pickle")
		truth, known := truthOf(allow)
		unsafe = !allow.empty() && (truth || !known)
	case torchLoadUse:
		only := site.args.named("weights_only")
		truth, known := truthOf(only)
		unsafe = !known || !truth
	}
	if unsafe {
		in.report(n, f)
	}
	if u.kind != yamlUse {
		f.Capability = palisade.CapReadPath
		in.paths(n, f, v, false)
	}
}

// formula is a statistical model as text, "y ~ np.log(x) + C(z)": its terms are
// Python and are read as such, in the names of the program.
func (in *interp) formula(n python.Node, f analysis.Fact, v val, s *scope) {
	list, other := v.strings()
	for _, src := range list {
		for term := range strings.FieldsFuncSeq(src, func(r rune) bool { return r == '~' || r == '|' || r == ':' }) {
			in.runText(n, strings.TrimSpace(term), s)
		}
	}
	if other && !v.open {
		for i := range v.size() {
			o := v.at(i)
			if _, ok := o.(prefix); ok {
				f.Unknown, f.Kind = true, analysis.KindComputed
				f.Evidence = "a formula is computed"
				in.report(n, f)
				return
			}
		}
	}
}

// expressionText reads texts that are known, where they are more than an
// expression over names and numbers.
func (in *interp) expressionText(n python.Node, f analysis.Fact, v val, s *scope) {
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

// expression is a string that a library evaluates with Python's own eval
// (sympy's sympify, numexpr): an expression over names and numbers is what it
// is for.
func (in *interp) expression(n python.Node, f analysis.Fact, v val, s *scope, known bool) {
	f.Kind = analysis.KindText
	in.expressionText(n, f, v, s)
	if known && namesThings[f.Symbol[strings.LastIndexByte(f.Symbol, '.')+1:]] {
		for i := range v.size() {
			o := v.at(i)
			p, ok := o.(prefix)
			in.byText = in.byText || ok && p == ""
		}
		return
	}
	if in.byText && strings.HasSuffix(f.Symbol, ".lambdify") {
		in.unresolved(n, f.Symbol, "an expression becomes code, and the names in it are computed")
	}
	for i := range v.size() {
		o := v.at(i)
		if p, ok := o.(prefix); ok {
			f.Unknown = true
			f.Evidence = "a string that is evaluated is computed; it starts with " + clip(string(p))
			in.report(n, f)
			return
		}
	}
}

// namesThings are functions of sympy whose texts are mostly computed names.
var namesThings = nameSet("Symbol symbols Dummy Wild Function MatrixSymbol IndexedBase Idx var subs")

// textsWithin is v with what its lists and dicts hold, three deep.
func textsWithin(v val) val {
	out, level := v, v
	var seen []object
	for range 3 {
		var next val
		for i := range level.size() {
			o := level.at(i)
			l, isList := o.(*list)
			d, isDict := o.(*dict)
			if !isList && !isDict || slices.Contains(seen, o) {
				continue
			}
			seen = append(seen, o)
			if isList {
				next = join(next, l.element())
			} else {
				next = join(next, d.element())
			}
		}
		out, level = join(out, next), next
	}
	return out
}

// walksAttributes reports whether an expression does more than arithmetic and
// plain calls.
func walksAttributes(tree *python.Module) bool {
	out := false
	python.Inspect(tree, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Attribute, *python.Lambda, *python.Import, *python.ImportFrom, *python.JoinedStr:
			out = true
		case *python.Name:
			out = out || strings.HasPrefix(n.Id, "_") || n.Id == "eval" || n.Id == "exec" || n.Id == "open" ||
				n.Id == "getattr" || n.Id == "compile" || n.Id == "globals" || n.Id == "vars" || n.Id == "breakpoint"
		}
		return !out
	})
	return out
}

// database is a database's URL, file or connection.
func (in *interp) database(n python.Node, f analysis.Fact, v val) {
	for i := range v.size() {
		o := v.at(i)
		s, ok := o.(cStr)
		if !ok {
			continue
		}
		if file, ok := strings.CutPrefix(string(s), "sqlite:///"); ok {
			g := f
			g.Capability, g.Argument = palisade.CapWritePath, analysis.Path(file)
			in.report(n, g)
			continue
		}
		in.argument(n, f, string(s))
	}
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '_'
}

// metadata reports a literal address of a metadata service.
func (in *interp) metadata(n python.Node, host string) {
	in.report(n, analysis.Fact{
		Capability: palisade.CapNetwork, Symbol: "metadata service", Argument: host, Kind: analysis.KindAddress,
	})
}
