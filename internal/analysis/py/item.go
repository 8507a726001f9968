package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// item is what base[key] may be.
func (in *interp) item(n python.Node, base, key val) val {
	var out val
	if base.open {
		out = unknown
		for _, k := range keysOf(key) {
			if introspective[k] {
				in.introspect(n, k, analysis.KindName, "looked up by name")
			}
		}
	}
	for i := range base.size() {
		o := base.at(i)
		in.step()
		out = join(out, in.objectItem(n, o, key))
	}
	return out
}

func keysOf(key val) []string {
	list, _ := key.strings()
	return list
}

func (in *interp) objectItem(n python.Node, o object, key val) val {
	switch o := o.(type) {
	case *list:
		in.saw(&o.mark)
		return in.listItem(o, key)
	case *dict:
		in.saw(&o.mark)
		return in.dictItem(o, key)
	case cStr, cBytes, pattern, prefix, anyBytes:
		return textItem(o, key)
	case namespace:
		return in.namespaceItem(n, o, key)
	case symbol:
		return in.symbolItem(n, o, key)
	case *instance:
		if c, ok := o.of.(*class); ok {
			if m := in.classAttribute(c, "__getitem__"); !m.empty() {
				return in.call(n, in.bind(m, o, c), callArgs{pos: []val{key}})
			}
			return unknown
		}
		if o.of == symbol("re.Match") || o.of == symbol("builtins.str") {
			return anyText
		}
		if o.of == symbol("pandas.DataFrame") || o.of == fieldOf {
			return one(o)
		}
		if o.of == annotationsOf {
			return join(unknown, in.object(n, fieldOf, nil))
		}
		return unknown
	case *class:
		if m := in.classAttribute(o, "__class_getitem__"); !m.empty() {
			return join(one(o), in.call(n, in.bind(m, o, o), callArgs{pos: []val{key}}))
		}
		if in.metaHas(o, "__getitem__") {
			return unknown
		}
		return one(o) // a generic alias
	}
	return unknown
}

func (in *interp) listItem(l *list, key val) val {
	if !l.exact {
		return orUnknown(l.element())
	}
	in.steps += len(l.elems) / 8
	var out val
	if key.open {
		return orUnknown(l.element())
	}
	for j := range key.size() {
		k := key.at(j)
		switch k := k.(type) {
		case cInt, cBool:
			i, _ := asInt(k)
			if i < 0 {
				i += int64(len(l.elems))
			}
			if i >= 0 && i < int64(len(l.elems)) {
				out = join(out, l.elems[i])
			}
		case sliceOf:
			if part, ok := cut(l.elems, k); ok {
				out = join(out, one(newList(l.kind, part...)))
			}
		case anySlice:
			out = join(out, one(&list{kind: l.kind, rest: l.element()}))
		default:
			return orUnknown(l.element())
		}
	}
	return orUnknown(out)
}

func (in *interp) dictItem(d *dict, key val) val {
	var out val
	if key.open {
		return orUnknown(join(d.element(), unknownIf(!d.exact)))
	}
	for i := range key.size() {
		k := key.at(i)
		switch {
		case !isConstant(k) || !isKnown(k):
			if v, ok := d.items[k]; ok {
				out = join(out, v)
				continue
			}
			out = join(out, d.element())
		default:
			if v, ok := d.items[normalKey(k)]; ok {
				out = join(out, v)
			}
			out = join(out, d.rest)
		}
	}
	if out.empty() {
		return unknown
	}
	return out
}

// orUnknown is what is taken out of a collection that looks empty: a call that
// was not followed may have put something there.
func orUnknown(v val) val {
	if v.empty() {
		return unknown
	}
	return v
}

func unknownIf(b bool) val {
	if b {
		return unknown
	}
	return val{}
}

func isKnown(o object) bool {
	switch o.(type) {
	case number, pattern, prefix, anyBytes:
		return false
	}
	return true
}

// normalKey gives equal keys one form: True is 1.
func normalKey(o object) object {
	if i, ok := asInt(o); ok {
		return cInt(i)
	}
	return o
}

// store puts a value under what key may be and reports whether that is new.
func (d *dict) store(key, v val, sure bool) (changed bool) {
	k, ok := key.only()
	if !ok || !d.takes(k) {
		for i := range key.size() {
			k := key.at(i)
			if d.takes(k) {
				k = normalKey(k)
				changed = d.put(k, join(d.items[k], v)) || changed
			}
		}
		if key.open || key.size() == 0 || !ok || !d.takes(k) {
			changed = d.blur(v) || changed
		}
		return changed
	}
	k = normalKey(k)
	if !sure {
		v = join(d.items[k], v)
	}
	return d.put(k, v)
}

// takes reports whether a dict keeps a key apart: one that is known, as long as
// there are not too many.
func (d *dict) takes(k object) bool {
	if !isKnown(k) {
		return false
	}
	return len(d.keys) < maxObjects || isConstant(k) && len(d.keys) <= 4096
}

// merge copies one mapping into another: {**v}, d.update(v). It reports whether
// that changed it.
func (in *interp) merge(d *dict, v val, sure bool) (changed bool) {
	if v.open {
		changed = d.blur(unknown)
	}
	sure = sure && v.size() == 1 && !v.open
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case *dict:
			in.saw(&o.mark)
			for _, k := range o.keys {
				more := o.items[k]
				if !sure {
					more = join(d.items[k], more)
				}
				changed = d.put(k, more) || changed
			}
			if !o.exact {
				changed = d.blur(o.rest) || changed
			}
		case *list:
			changed = in.fromPairs(d, one(o), sure) || changed
		default:
			changed = d.blur(copiedFrom(o)) || changed
		}
	}
	return changed
}

// namespaceItem is a lookup by name in the dict behind an object.
func (in *interp) namespaceItem(n python.Node, ns namespace, key val) val {
	var out val
	names, other := key.strings()
	for _, name := range names {
		if annotationNames[name] {
			out = join(out, one(in.instanceOf(annotationsOf)))
		}
		switch of := ns.of.(type) {
		case *scope:
			out = join(out, in.scopeItem(n, of, name))
		case modules:
			out = join(out, in.importName(n, name, "sys.modules"))
		default:
			out = join(out, in.attribute(n, one(ns.of), name))
		}
	}
	if other {
		if i, ok := ns.of.(*instance); ok {
			if c, ok := i.of.(*class); ok {
				return join(join(out, unknown), in.everything(c))
			}
		}
		if _, ok := ns.of.(modules); ok {
			in.unresolved(n, "sys.modules", "a module looked up by a name that is computed")
		} else {
			in.unresolved(n, "namespace", "a name that is computed is looked up")
		}
		out = join(out, unknown)
	}
	return out
}

// modules is sys.modules.
type modules struct{}

func (in *interp) scopeItem(n python.Node, s *scope, name string) val {
	if c, ok := s.vars[name]; ok {
		in.saw(&c.mark)
		return c.ever
	}
	if name == "__builtins__" || in.table.builtins[name] && s.kind != moduleScope {
		in.introspect(n, name, analysis.KindName, "looked up by name")
		return one(module("builtins"))
	}
	if v, ok := in.telling(n, name, "", nil); ok {
		return v
	}
	return unknown
}

func (in *interp) symbolItem(n python.Node, s symbol, key val) val {
	switch s {
	case "os.environ", "os.environb":
		in.environment(n, s, key)
		return anyText
	case "sys.argv":
		return anyText
	case "sys.modules":
		return in.namespaceItem(n, namespace{modules{}}, key)
	}
	if strings.HasPrefix(string(s), "typing.") || strings.HasPrefix(string(s), "typing_extensions.") {
		// A text in a generic is a reference that is evaluated when it is resolved.
		list, _ := textsWithin(key).strings()
		for _, src := range list {
			if strings.Contains(src, "(") || strings.Contains(src, "__") {
				in.runText(n, src, nil)
			}
		}
	}
	return one(s) // a generic alias, such as list[int]
}

// environment reports the use of environment variables by name.
func (in *interp) environment(n python.Node, s symbol, key val) {
	names, other := key.strings()
	for _, name := range names {
		in.report(n, analysis.Fact{Capability: palisade.CapEnvironment, Symbol: string(s), Argument: name})
	}
	if other || key.empty() {
		in.report(n, analysis.Fact{Capability: palisade.CapEnvironment, Symbol: string(s), Unknown: true})
	}
}

// setItem stores base[key] = v.
func (in *interp) setItem(n python.Node, base, key, v val, sure bool) {
	for j := range base.size() {
		o := base.at(j)
		switch o := o.(type) {
		case *list:
			k, ok := key.only()
			i, isInt := asInt(k)
			if ok && isInt && o.exact && sure {
				if i < 0 {
					i += int64(len(o.elems))
				}
				if i >= 0 && i < int64(len(o.elems)) {
					o.elems[i], o.sumOf = v, nil
					in.changed(&o.mark, true)
					continue
				}
			}
			if _, isSlice := k.(sliceOf); isSlice || key.has(anySlice{}) {
				v = in.each(n, v)
			}
			in.changed(&o.mark, o.blur(v))
		case *dict:
			in.annotationKey(n, key)
			in.changed(&o.mark, o.store(key, v, sure))
		case namespace:
			in.setNamespace(n, o, key, v)
		case symbol:
			switch o {
			case "os.environ", "os.environb":
				in.environment(n, o, key)
				in.environmentSetting(n, key, v)
			case "sys.modules":
				in.introspect(n, "sys.modules", analysis.KindUse, "assigned")
			default:
				if isSettings(o) {
					in.settingItem(n, key, v)
				}
			}
		case *instance:
			if o.of == annotationsOf {
				in.annotates(n, "__annotations__")
			}
			if s, ok := o.of.(symbol); ok && isSettings(s) {
				in.settingItem(n, key, v)
			}
			if c, ok := o.of.(*class); ok {
				if m := in.classAttribute(c, "__setitem__"); !m.empty() {
					in.call(n, in.bind(m, o, c), callArgs{pos: []val{key, v}})
				}
			}
		}
	}
}

func (in *interp) setNamespace(n python.Node, ns namespace, key, v val) {
	names, other := key.strings()
	for _, name := range names {
		if annotationNames[name] {
			in.annotates(n, name)
		}
		switch of := ns.of.(type) {
		case *scope:
			c, ok := of.vars[name]
			if !ok {
				c = newCell()
				of.vars[name] = c
			}
			in.set(c, v, false)
		default:
			in.setAttribute(n, one(ns.of), name, v, false)
		}
	}
	if i, ok := ns.of.(*instance); ok && other {
		if c, ok := i.of.(*class); ok {
			in.set(c.attrCell("*"), v, false)
			return
		}
	}
	if other {
		in.unresolved(n, "namespace", "a name that is computed is assigned")
	}
}
