package py

import (
	"slices"

	"palisade/internal/python"
)

// place gives each collection that was just made at a place the object that
// stands for it; see site.
func (in *interp) place(n python.Node, v val) val {
	for i := range v.size() {
		o := v.at(i)
		at := in.placed(n, o)
		if at == o {
			continue
		}
		out := collector{val: val{open: v.open, takes: v.takes}, want: v.size()}
		for j := range i {
			out.put(v.at(j))
		}
		out.put(at)
		for j := i + 1; j < v.size(); j++ {
			if o := in.placed(n, v.at(j)); !out.has(o) {
				out.put(o)
			}
		}
		return out.val
	}
	return v
}

// computed is what an operation or a library's callable gave, in its place.
func (in *interp) computed(n python.Node, v val) val {
	if in.settling >= generalRounds {
		v = generalize(v)
	}
	return in.place(n, v)
}

func (in *interp) placed(n python.Node, o object) object {
	switch c := o.(type) {
	case *list:
		if c.placed {
			return o
		}
		c.placed, c.born = true, in.frame
		if at := in.site(n, placedKinds[c.kind], o); at != o {
			return at
		}
		for _, v := range c.elems {
			placeParts(v)
		}
		placeParts(c.rest)
	case *dict:
		if c.placed {
			return o
		}
		c.placed, c.born = true, in.frame
		return in.site(n, "dict", o)
	}
	return o
}

// placeParts notes that what a collection holds is not new.
func placeParts(v val) {
	for i := range v.size() {
		o := v.at(i)
		switch c := o.(type) {
		case *list:
			c.placed = true
		case *dict:
			c.placed = true
		}
	}
}

var placedKinds = [...]symbol{aList: "list", aTuple: "tuple", aSet: "set", anIterator: "iterator"}

// site gives the object that a place makes. Once precision is used up, and in a
// loop, it is always the same one, and in a summary that of the round before,
// so that rounds end.
func (in *interp) site(n python.Node, kind symbol, fresh object) object {
	f := in.frame
	one := in.coarse() || f != nil && f.loops > 0
	if n == nil || f == nil || !one && !f.summary {
		return fresh
	}
	key := objectKey{n, kind}
	at := f.made[key]
	if at == nil {
		if f.made == nil {
			f.made = map[objectKey]*made{}
		}
		at = &made{}
		f.made[key] = at
	}
	if at.run != f.run {
		at.run, at.next = f.run, 0
	}
	i := min(at.next, maxMade-1)
	if one {
		i = 0
	}
	at.next++
	if i >= len(at.objs) {
		at.objs = append(at.objs, fresh)
		return fresh
	}
	in.pour(at.objs[i], fresh)
	return at.objs[i]
}

// made is what a place makes: the first, second, … object of a run.
type made struct {
	objs      []object
	run, next int
}

// maxMade bounds the objects that are kept apart for one place.
const maxMade = 16

// pour puts what a new object of a place holds into the one that stands for it.
func (in *interp) pour(have, fresh object) {
	switch have := have.(type) {
	case *list:
		add := fresh.(*list)
		if have.exact && add.exact && len(have.elems) == len(add.elems) {
			for i, v := range add.elems {
				if more := in.pourValue(have.elems[i], v); !same(more, have.elems[i]) {
					have.elems = slices.Clone(have.elems)
					have.elems[i], have.sumOf = more, nil
					in.changed(&have.mark, true)
				}
			}
			return
		}
		in.changed(&have.mark, have.blur(val{}))
		in.changed(&have.mark, have.blur(in.pourValue(have.rest, add.element())))
	case *dict:
		add := fresh.(*dict)
		for _, k := range add.keys {
			in.changed(&have.mark, have.put(k, in.pourValue(have.items[k], add.items[k])))
		}
		if !add.exact {
			in.changed(&have.mark, have.blur(in.pourValue(have.rest, add.rest)))
		}
	}
}

// pourValue joins values; a new collection in add is poured into one of its
// kind in have.
func (in *interp) pourValue(have, add val) val {
	if covers(have, add) {
		return have
	}
	rest := collector{val: val{open: add.open}}
	for i := range add.size() {
		o := add.at(i)
		l, ok := o.(*list)
		if !ok || l.placed {
			rest.put(o)
			continue
		}
		into := have.listOf(l.kind)
		if into == nil {
			l.placed = true
			rest.put(o)
			continue
		}
		in.pour(into, l)
	}
	return join(have, rest.val)
}

// listOf is the first collection of its kind that a value has.
func (v val) listOf(kind listKind) *list {
	for i := range v.size() {
		if l, ok := v.at(i).(*list); ok && l.kind == kind {
			return l
		}
	}
	return nil
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
		changed := grow(&have.fn, add.fn)
		open := add.args.open
		if len(have.args.pos) == len(add.args.pos) {
			changed = growAll(have.args.pos, add.args.pos) || changed
		} else {
			open = true
			for _, v := range add.args.pos {
				changed = grow(&have.args.rest, v) || changed
			}
		}
		changed = grow(&have.args.rest, add.args.rest) || open && !have.args.open || changed
		have.args.open = have.args.open || open
		for k, v := range ordered(add.args.kw) {
			if have.args.kw == nil {
				have.args.kw = map[string]val{}
			}
			old := have.args.kw[k]
			changed = grow(&old, v) || changed
			have.args.kw[k] = old
		}
		in.changed(&have.mark, changed)
	case *getter:
		add := fresh.(*getter)
		changed := growAll(have.keys, add.keys)
		in.changed(&have.mark, growAll(have.args.pos, add.args.pos) || changed)
	case *wrapper:
		in.changed(&have.mark, grow(&have.fn, fresh.(*wrapper).fn))
	}
	return one(have)
}

// grow joins more into a value and reports whether that is new.
func grow(v *val, more val) bool {
	out := join(*v, more)
	changed := !same(out, *v)
	*v = out
	return changed
}

// growAll joins values one by one.
func growAll(have, more []val) (changed bool) {
	for i := range min(len(have), len(more)) {
		changed = grow(&have[i], more[i]) || changed
	}
	return changed
}
