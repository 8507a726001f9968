package py

import "palisade/internal/python"

// maxAlike is how many collections of one kind a value keeps apart once rounds
// are counted.
const maxAlike = 3

// absorb returns the part of v that have does not cover. Where have holds many
// collections already, a further one is poured into one of them, so that
// rounds end.
func absorb(have, v val) val {
	out := val{open: v.open && !have.open}
	for _, o := range v.objs {
		if have.has(o) || have.has(general(o)) || poured(have, o) {
			continue
		}
		out.objs = append(out.objs, o)
	}
	return out
}

// poured reports whether o was joined into an object of have that is like it.
func poured(have val, o object) bool {
	switch o := o.(type) {
	case *list:
		if like := alike(have, func(x object) bool { l, ok := x.(*list); return ok && l.kind == o.kind }); like != nil {
			l := like.(*list)
			if !coversLoosely(l.element(), o.element(), 1) {
				l.blur(o.element())
			}
			return true
		}
	case *dict:
		if like := alike(have, func(x object) bool { _, ok := x.(*dict); return ok }); like != nil {
			d := like.(*dict)
			if !coversLoosely(d.element(), o.element(), 1) {
				d.blur(o.element())
			}
			return true
		}
	case bound:
		same := func(x object) bool { b, ok := x.(bound); return ok && b.name == o.name }
		if like := alike(have, same); like != nil {
			return poured(val{objs: []object{like.(bound).recv, like.(bound).recv, like.(bound).recv}}, o.recv) || isConstant(o.recv)
		}
	}
	return false
}

// alike returns an object that passes, if at least maxAlike do.
func alike(v val, pass func(object) bool) object {
	n := 0
	for _, o := range v.objs {
		if pass(o) {
			if n++; n >= maxAlike {
				return o
			}
		}
	}
	return nil
}

// generalize keeps what a growing value is made of: any text, any number.
func generalize(v val) val {
	out := val{open: v.open}
	for _, o := range v.objs {
		o = general(o)
		if !out.has(o) {
			out.objs = append(out.objs, o)
		}
	}
	return out
}

// coversLoosely compares collections by what they hold, so that rounds end.
func coversLoosely(a, b val, depth int) bool {
	if b.open && !a.open {
		return false
	}
	for _, o := range b.objs {
		if a.has(o) || a.has(general(o)) {
			continue
		}
		found := depth > 2
		for _, have := range a.objs {
			switch o := o.(type) {
			case *list:
				l, ok := have.(*list)
				found = found || ok && l.kind == o.kind && coversLoosely(l.element(), o.element(), depth+1)
			case *dict:
				d, ok := have.(*dict)
				found = found || ok && coversLoosely(d.element(), o.element(), depth+1)
			case *partial:
				p, ok := have.(*partial)
				found = found || ok && coversLoosely(p.fn, o.fn, depth+1) && coversLoosely(p.args.all(), o.args.all(), depth+1)
			case *instance:
				i, ok := have.(*instance)
				found = found || ok && i.of == o.of && coversLoosely(i.text, o.text, depth+1)
			case bound:
				b, ok := have.(bound)
				found = found || ok && b.name == o.name && coversLoosely(one(b.recv), one(o.recv), depth+1)
			case *wrapper, *getter, *super:
				found = true
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// site gives the object that a place makes: once precision is used up, or when
// functions are read again, it is always the same one, so that rounds end.
func (in *interp) site(n python.Node, kind symbol, fresh object) object {
	if n == nil || !in.coarse() && in.settling < 2 {
		return fresh
	}
	key := objectKey{n, kind}
	have, ok := in.sites[key]
	if !ok {
		in.sites[key] = fresh
		return fresh
	}
	switch have := have.(type) {
	case *list:
		add := fresh.(*list)
		if !coversLoosely(have.element(), add.element(), 2) || have.exact && len(have.elems) != len(add.elems) {
			have.blur(add.element())
		}
	case *dict:
		add := fresh.(*dict)
		for _, k := range add.keys {
			have.put(k, join(have.items[k], add.items[k]))
		}
		if !add.exact {
			have.blur(add.rest)
		}
	}
	return have
}

// madeAt gives the one object of its kind that a call makes: what it was made
// of before is joined.
func (in *interp) madeAt(n python.Node, kind symbol, fresh object) val {
	key := objectKey{n, kind}
	have, ok := in.sites[key]
	if !ok || n == nil {
		in.sites[key] = fresh
		return one(fresh)
	}
	switch have := have.(type) {
	case *partial:
		add := fresh.(*partial)
		have.fn = join(have.fn, add.fn)
		have.args.pos = joinAll(have.args.pos, add.args.pos)
		have.args.open, have.args.rest = have.args.open || add.args.open, join(have.args.rest, add.args.rest)
		for k, v := range add.args.kw {
			if have.args.kw == nil {
				have.args.kw = map[string]val{}
			}
			have.args.kw[k] = join(have.args.kw[k], v)
		}
	case *getter:
		add := fresh.(*getter)
		have.keys = joinAll(have.keys, add.keys)
		have.args.pos = joinAll(have.args.pos, add.args.pos)
	case *wrapper:
		have.fn = join(have.fn, fresh.(*wrapper).fn)
	}
	return one(have)
}
