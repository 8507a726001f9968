package py

import (
	"palisade/internal/python"
)

// assigned evaluates the right-hand side of an assignment. What is kept in a
// plain variable stays in sight; anywhere else it may be called unseen.
func (in *interp) assigned(s *scope, target, value python.Expr) val {
	how := asEscape
	switch target.(type) {
	case *python.Name:
		if s.kind != classScope {
			how = asTracked
		}
	case *python.Tuple, *python.List:
		how = asTracked
	}
	return in.load(s, value, how)
}

func (in *interp) assignAll(s *scope, targets []python.Expr, value python.Expr) {
	how := asTracked
	for _, t := range targets {
		if _, ok := t.(*python.Name); !ok || s.kind == classScope {
			how = asEscape
		}
	}
	v := in.load(s, value, how)
	for _, t := range targets {
		in.assign(s, t, v)
	}
}

// assign stores v into a target of any form.
func (in *interp) assign(s *scope, target python.Expr, v val) {
	switch t := target.(type) {
	case *python.Name:
		in.store(s, t.Id, v)
		if t.Id == "__doc__" || t.Id == "__test__" {
			in.documented(t, v)
		}
		if annotationNames[t.Id] {
			in.annotates(t, t.Id)
		}
	case *python.Starred:
		in.assign(s, t.Value, in.place(t, one(&list{rest: in.each(target, v)})))
	case *python.Tuple:
		in.unpack(s, t, t.Elts, v)
	case *python.List:
		in.unpack(s, t, t.Elts, v)
	case *python.Attribute:
		base := in.load(s, t.Value, asBase)
		in.touch(t.Value, base)
		in.setAttribute(t, base, t.Attr, v, in.sure(s))
	case *python.Subscript:
		base := in.load(s, t.Value, asBase)
		in.touch(t.Value, base)
		key := in.eval(s, t.Slice)
		in.setItem(t, base, key, v, in.sure(s))
	}
}

func (in *interp) unpack(s *scope, n python.Node, targets []python.Expr, v val) {
	star := -1
	for i, t := range targets {
		if _, ok := t.(*python.Starred); ok {
			star = i
		}
	}
	exact, ok := in.elements(n, v)
	switch {
	case ok && star < 0 && len(exact) == len(targets):
		for i, t := range targets {
			in.assign(s, t, exact[i])
		}
	case ok && star >= 0 && len(exact) >= len(targets)-1:
		tail := len(targets) - star - 1
		for i, t := range targets {
			switch {
			case i < star:
				in.assign(s, t, exact[i])
			case i == star:
				in.assign(s, t.(*python.Starred).Value, in.place(t, one(newList(aList, exact[star:len(exact)-tail]...))))
			default:
				in.assign(s, t, exact[len(exact)-(len(targets)-i)])
			}
		}
	default:
		each := in.each(n, v)
		// Several collections of one shape keep their columns apart.
		for i, t := range targets {
			col, ok := in.column(v, i, len(targets))
			if !ok || star >= 0 {
				col = each
			}
			in.assign(s, t, col)
		}
	}
}

// column is what stands at place i of each collection that v may be.
func (in *interp) column(v val, i, n int) (val, bool) {
	if v.open || v.size() == 0 {
		return val{}, false
	}
	var out val
	for j := range v.size() {
		o := v.at(j)
		l, ok := o.(*list)
		if !ok || !l.exact || len(l.elems) != n {
			return val{}, false
		}
		out = join(out, l.elems[i])
	}
	return out, true
}

func (in *interp) augmented(s *scope, st *python.AugAssign) {
	var old val
	switch t := st.Target.(type) {
	case *python.Name:
		old = in.name(s, t)
	default:
		old = in.load(s, t, asBase)
	}
	v := in.eval(s, st.Value)
	if st.Op == python.Add && !old.open && old.size() > 0 {
		lists := true
		for i := range old.size() {
			o := old.at(i)
			l, ok := o.(*list)
			lists = lists && ok && l.kind == aList
		}
		if lists { // it changes in place
			for i := range old.size() {
				o := old.at(i)
				in.extend(st, o.(*list), v, in.sure(s) && old.size() == 1)
			}
			in.assign(s, st.Target, old)
			return
		}
	}
	if st.Op == python.BitOr {
		for i := range old.size() {
			o := old.at(i)
			switch o := o.(type) {
			case *dict:
				in.changed(&o.mark, in.merge(o, v, in.sure(s) && old.size() == 1))
				in.assign(s, st.Target, old)
				return
			case *list:
				in.changed(&o.mark, o.blur(in.each(st, v)))
				in.assign(s, st.Target, old)
				return
			}
		}
	}
	made := in.binary(st, st.Op, old, v)
	if own := in.inPlace(st, st.Op, old, v); !own.empty() {
		made = join(made, own)
	}
	in.assign(s, st.Target, in.computed(st, made))
}

func (in *interp) unbind(s *scope, target python.Expr) {
	switch t := target.(type) {
	case *python.Name:
		h := s.home(t.Id)
		if c, ok := h.vars[t.Id]; ok && h.kind == moduleScope && in.table.builtins[t.Id] {
			in.set(c, one(symbol("builtins."+t.Id)), s.certain() && h == s.frame())
		}
	case *python.Tuple:
		for _, e := range t.Elts {
			in.unbind(s, e)
		}
	case *python.List:
		for _, e := range t.Elts {
			in.unbind(s, e)
		}
	case *python.Attribute:
		in.load(s, t.Value, asBase)
	case *python.Subscript:
		in.load(s, t.Value, asBase)
		in.eval(s, t.Slice)
	}
}
