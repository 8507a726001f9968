package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// maxArgument bounds the text of an argument in a fact, in bytes.
const maxArgument = 512

// report keeps a fact about the node n.
func (in *interp) report(n python.Node, f analysis.Fact) {
	if len(in.facts) >= in.budget.Facts {
		panic(stop{ErrBudget})
	}
	within := n
	if in.at != nil {
		n = in.at
	}
	p := n.Position()
	f.File, f.Line = in.unit.file, p.Line
	if p.Line > 0 {
		f.Column = p.Col + 1
	}
	f.Argument = clip(f.Argument)
	key := factKey{f.File, f.Line, f.Column, string(f.Capability), f.Symbol, f.Argument, f.Unknown}
	if f.Capability == palisade.CapImport || f.Capability == palisade.CapCall {
		key.line, key.col = 0, 0 // one fact for each module and callable
	}
	if in.seen[key] {
		return
	}
	if in.seen == nil {
		in.seen = map[factKey]bool{}
	}
	in.seen[key] = true
	if f.Capability != palisade.CapImport && f.Capability != palisade.CapCall {
		f.Evidence = in.explain(within, f)
	}
	f.Evidence = clip(f.Evidence)
	in.facts = append(in.facts, f)
}

func clip(s string) string {
	if len(s) <= maxArgument {
		return s
	}
	return strings.ToValidUTF8(s[:maxArgument], "") + "…"
}

// mention reports the name of a callable, once for each file.
func (in *interp) mention(n python.Node, name string) {
	if in.mentioned[name] == in.unit {
		return
	}
	if in.mentioned == nil {
		in.mentioned = map[string]*unit{}
	}
	in.mentioned[name] = in.unit
	in.report(n, analysis.Fact{Capability: palisade.CapCall, Symbol: name, Argument: name, Evidence: respelled(n, name)})
}

// imported reports the use of a module.
func (in *interp) imported(n python.Node, name, evidence string) {
	in.report(n, analysis.Fact{Capability: palisade.CapImport, Symbol: name, Argument: name, Evidence: evidence})
	if e, ok := in.table.modules[name]; ok {
		for _, u := range e.uses {
			in.use(n, symbol(name), u, nil, evidence)
		}
	}
}

// unresolved reports what could not be resolved.
func (in *interp) unresolved(n python.Node, what, evidence string) {
	in.report(n, analysis.Fact{
		Capability: palisade.CapUnresolved, Symbol: what, Unknown: true,
		Kind: analysis.KindComputed, Evidence: evidence,
	})
}

// introspect reports a walk into the interpreter's own objects.
func (in *interp) introspect(n python.Node, what string, kind analysis.Kind, evidence string) {
	in.report(n, analysis.Fact{Capability: palisade.CapIntrospect, Symbol: what, Kind: kind, Evidence: evidence})
}

// refer reports a symbol that is named but not called here. While it is kept
// in a variable (tracked), a callable whose use depends on its argument waits
// for its call.
func (in *interp) refer(n python.Node, v val, tracked bool) {
	tracked = tracked && !in.coarse() // calls are not followed then
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case symbol:
			e, ok := in.lookup(string(o))
			if !ok {
				continue
			}
			for _, u := range e.uses {
				if tracked && u.waits() {
					continue
				}
				in.use(n, o, u, nil, "")
			}
		case module:
			if !tracked {
				in.drift(one(o))
			}
		case namespace:
			if !tracked {
				in.referNamespace(n, o)
			}
		case *instance:
			if !tracked && o.of == symbolPath {
				in.drift(one(o))
			}
		case bound:
			in.referBound(n, o, tracked)
		case *function:
			if !tracked {
				o.escaped = true
			}
		case *method:
			if !tracked {
				o.fn.escaped = true
			}
		}
	}
}

// touch reports an object of a library of which a part is used: sys.modules,
// sys.path. Its mere use counts, unlike that of a callable.
func (in *interp) touch(n python.Node, base val) {
	for i := range base.size() {
		o := base.at(i)
		s, ok := o.(symbol)
		if !ok || s == "os.environ" || s == "os.environb" {
			continue
		}
		e, ok := in.table.effects[string(s)]
		if !ok {
			continue
		}
		for _, u := range e.uses {
			if u.arg == argNone {
				in.use(n, s, u, nil, "")
			}
		}
	}
}

// referBound reports the method of a library's instance that is named but not called.
func (in *interp) referBound(n python.Node, b bound, tracked bool) {
	i, ok := b.recv.(*instance)
	if !ok {
		return
	}
	name, ok := i.of.(symbol)
	if !ok {
		return
	}
	full := in.dotted(string(name), b.name)
	if e, ok := in.lookup(full); ok {
		for _, u := range e.uses {
			if tracked && u.waits() {
				continue
			}
			in.use(n, symbol(full), u, nil, "")
		}
	}
}
