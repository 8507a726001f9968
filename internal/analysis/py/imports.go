package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

func (in *interp) importStmt(s *scope, st *python.Import) {
	for _, a := range st.Names {
		v := in.importName(a, a.Name, "")
		if a.Asname == "" {
			if top, _, dotted := strings.Cut(a.Name, "."); dotted {
				v = in.moduleValue(top)
			}
		}
		in.store(s, bindingOf(a), v)
	}
}

// moduleValue is the object of a module that has been imported.
func (in *interp) moduleValue(name string) val {
	if u, ok := in.own(name); ok {
		in.runUnit(u)
		return one(u)
	}
	return one(module(homeModule(name)))
}

// importName imports a module by its dotted name and gives it.
func (in *interp) importName(n python.Node, name, evidence string) val {
	if u, ok := in.own(name); ok {
		in.runUnit(u)
		return one(u)
	}
	in.imported(n, name, evidence)
	return one(module(homeModule(name)))
}

func (in *interp) importFrom(s *scope, st *python.ImportFrom) {
	if st.Module == "__future__" && st.Level == 0 {
		return
	}
	name := st.Module
	if st.Level > 0 {
		base, ok := relative(in.unit, st.Level, st.Module)
		if !ok {
			in.report(st, analysis.Fact{
				Capability: palisade.CapImport, Symbol: strings.Repeat(".", st.Level) + st.Module,
				Argument: strings.Repeat(".", st.Level) + st.Module, Unknown: true,
			})
			for _, a := range st.Names {
				in.bindImport(s, a, unknown)
			}
			return
		}
		name = base
	}
	var from object
	if u, ok := in.own(name); ok {
		in.runUnit(u)
		from = u
	} else if in.isPackage(name) {
		from = &unit{name: name, state: 2}
	} else {
		in.imported(st, name, "")
		from = module(homeModule(name))
	}
	for _, a := range st.Names {
		if a.Name == "*" {
			in.importStar(s, from)
			continue
		}
		if sub, ok := in.units[name+"."+a.Name]; ok {
			in.runUnit(sub)
			in.bindImport(s, a, one(sub))
			continue
		}
		in.bindImport(s, a, in.objectAttribute(a, from, a.Name))
	}
}

// isPackage reports whether a name is only the parent of modules of the submission.
func (in *interp) isPackage(name string) bool {
	for u := range in.units {
		if strings.HasPrefix(u, name+".") && name != "" {
			return true
		}
	}
	return false
}

func (in *interp) bindImport(s *scope, a *python.Alias, v val) {
	name := a.Asname
	if name == "" {
		name = a.Name
	}
	in.store(s, name, v)
}

// relative resolves a relative import from within a module of the submission.
func relative(u *unit, level int, name string) (string, bool) {
	if u.name == "" {
		return "", false
	}
	parts := strings.Split(u.name, ".")
	if level > len(parts) {
		return "", false
	}
	parts = parts[:len(parts)-level]
	if name != "" {
		parts = append(parts, name)
	}
	if len(parts) == 0 {
		return "", false
	}
	return strings.Join(parts, "."), true
}

func (in *interp) importStar(s *scope, from object) {
	switch from := from.(type) {
	case *unit:
		if from.scope == nil {
			return
		}
		for name, c := range ordered(from.scope.vars) {
			if !strings.HasPrefix(name, "_") {
				in.store(s, name, c.ever)
			}
		}
		s.stars = append(s.stars, from)
	case module:
		s.stars = append(s.stars, from)
	}
}

// dynamicImport is __import__(name) or importlib.import_module(name).
func (in *interp) dynamicImport(n python.Node, how string, name val, top bool) val {
	names, other := name.strings()
	var out val
	for _, m := range names {
		v := in.importName(n, m, how+" with this name")
		if head, _, dotted := strings.Cut(m, "."); dotted && top {
			v = in.moduleValue(head)
		}
		out = join(out, v)
	}
	if other || name.empty() {
		in.report(n, analysis.Fact{
			Capability: palisade.CapUnresolved, Symbol: how, Unknown: true, Kind: analysis.KindComputed,
			Evidence: "a module is imported by a name that is computed",
		})
		in.report(n, analysis.Fact{Capability: palisade.CapImport, Symbol: how, Unknown: true, Kind: analysis.KindComputed})
		out = join(out, unknown)
	}
	return out
}

// own is a module of the submission; "__main__" is the program itself.
func (in *interp) own(name string) (*unit, bool) {
	switch name {
	case "":
		return nil, false
	case "__main__":
		name = ""
	}
	u, ok := in.units[name]
	return u, ok
}
