package py

import (
	"strings"

	"palisade/internal/python"
)

// opaque stands for an object that is not known.
type opaque struct{}

// orUnit is the scope that locals() sees.
func (s *scope) orUnit(in *interp) *scope {
	if s == nil {
		return in.unit.scope
	}
	return s.frame()
}

// first is what a value is, if it can be nothing else.
func first(v val) object {
	if v.size() == 1 && !v.open {
		return v.at(0)
	}
	return nil
}

func eachText(v val, f func(object) val) val {
	out := val{}
	for i := range v.size() {
		o := v.at(i)
		out = join(out, f(o))
	}
	if v.open {
		out = join(out, f(nil))
	}
	return out
}

// printed runs what printing an object of the program runs.
func (in *interp) printed(n python.Node, v val) {
	for j := range v.size() {
		o := v.at(j)
		if i, ok := o.(*instance); ok {
			if c, ok := i.of.(*class); ok {
				in.textOf(n, i, c)
			}
		}
	}
}

func (in *interp) mapCall(n python.Node, a callArgs) val {
	star := false
	if c, ok := n.(*python.Call); ok {
		star = strings.HasSuffix(spelled(c.Func), "starmap")
	}
	var columns [][]val
	exact, size := len(a.pos) > 1, -1
	for i := 1; i < len(a.pos); i++ {
		elems, ok := in.elements(n, a.pos[i])
		exact = exact && ok && len(elems) <= maxUnroll
		columns = append(columns, elems)
		if size < 0 || len(elems) < size {
			size = len(elems)
		}
	}
	out := &list{kind: anIterator, exact: true}
	apply := func(args []val) val {
		ca := callArgs{pos: args, scope: a.scope}
		if star {
			ca = callArgs{scope: a.scope}
			if elems, ok := in.elements(n, args[0]); ok {
				ca.pos = elems
			} else {
				ca.open, ca.rest = true, in.each(n, args[0])
			}
		}
		return in.call(n, a.pos[0], ca)
	}
	if exact && !in.coarse() {
		for i := range size {
			args := make([]val, len(columns))
			for j := range columns {
				args[j] = columns[j][i]
			}
			out.elems = append(out.elems, apply(args))
		}
		return one(out)
	}
	if len(a.pos) == 0 {
		return unknown
	}
	var args []val
	for _, v := range a.pos[1:] {
		args = append(args, in.each(n, v))
	}
	if a.open || len(args) == 0 {
		args = append(args, unknown)
	}
	out.blur(apply(args))
	return one(out)
}

func (in *interp) zip(n python.Node, a callArgs) val {
	size, exact := -1, !a.open
	var columns [][]val
	for _, v := range a.pos {
		elems, ok := in.elements(n, v)
		exact = exact && ok
		columns = append(columns, elems)
		if size < 0 || len(elems) < size {
			size = len(elems)
		}
	}
	out := newList(anIterator)
	if exact {
		for i := range size {
			t := newList(aTuple)
			for _, c := range columns {
				t.elems = append(t.elems, c[i])
			}
			out.elems = append(out.elems, one(t))
		}
		return one(out)
	}
	t := newList(aTuple)
	for _, v := range a.pos {
		t.elems = append(t.elems, in.each(n, v))
	}
	out.blur(one(t))
	return one(out)
}

func (in *interp) makeBytes(n python.Node, a callArgs) val {
	if len(a.pos) == 0 {
		return one(cBytes(""))
	}
	if v := a.pos[0]; v.size() > 1 || v.open {
		out := val{}
		for i := range v.size() {
			o := v.at(i)
			out = join(out, in.makeBytes(n, callArgs{pos: append([]val{one(o)}, a.pos[1:]...), kw: a.kw}))
		}
		if v.open {
			out = join(out, one(anyBytes{}))
		}
		return out
	}
	switch o := first(a.pos[0]).(type) {
	case cStr:
		return in.encode(string(o), a.get(1, "encoding"))
	case cBytes:
		return one(o)
	case *list:
		out := make([]byte, 0, len(o.elems))
		for _, e := range o.elems {
			i, ok := asInt(first(e))
			if !ok || i < 0 || i > 255 || e.size() != 1 || e.open {
				return one(anyBytes{})
			}
			out = append(out, byte(i))
		}
		if o.exact {
			return one(cBytes(out))
		}
	}
	return one(anyBytes{})
}

func toInt(a callArgs) val {
	if len(a.pos) == 0 {
		return one(cInt(0))
	}
	o, ok := a.pos[0].only()
	if i, isInt := asInt(o); ok && isInt {
		return one(cInt(i))
	}
	s, known, _ := plainText(o)
	if !ok || !known || len(s) > 20 {
		return anyNumber
	}
	base := int64(10)
	if b := a.get(1, "base"); !b.empty() {
		i, known := asInt(first(b))
		if !known {
			return one(number{})
		}
		base = i
	}
	if i, ok := parseInt(strings.TrimSpace(s), base); ok {
		return one(cInt(i))
	}
	return anyNumber
}

func rangeList(a callArgs) val {
	bounds := [3]int64{0, 0, 1}
	for i, v := range a.pos {
		o, ok := v.only()
		n, isInt := asInt(o)
		if !ok || !isInt || i > 2 {
			return one(rangeOf{})
		}
		bounds[i] = n
	}
	if len(a.pos) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	lo, hi, step := bounds[0], bounds[1], bounds[2]
	if step == 0 || len(a.pos) == 0 || a.open || abs(lo) > 1<<40 || abs(hi) > 1<<40 || abs(step) > 1<<40 {
		return one(rangeOf{})
	}
	if n := (hi - lo) / step; n > maxUnroll {
		return one(rangeOf{})
	}
	out := newList(anIterator)
	for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
		out.elems = append(out.elems, one(cInt(i)))
	}
	return one(out)
}

// dynamicClass is type(name, bases, namespace).
func (in *interp) dynamicClass(n python.Node, a callArgs) val {
	key := objectKey{n, "class"}
	c := in.made[key]
	if c == nil {
		c = &class{changes: &in.lineages, name: "type", inst: map[string]*cell{}}
		c.attrs = &scope{kind: classScope, unit: in.unit, outer: in.unit.scope, vars: map[string]*cell{}, class: c, syms: &symbols{}}
		in.made[key] = c
	}
	if l, ok := first(a.at(1)).(*list); ok {
		c.bases = l.elems
		in.lineages++
	} else if last := len(c.bases) - 1; !a.at(1).empty() && (last < 0 || !c.bases[last].open) {
		c.bases = append(c.bases[:len(c.bases):len(c.bases)], unknown)
		in.lineages++
	}
	c.named = join(c.named, orUnknown(a.at(0)))
	given := a.at(2)
	for i := range given.size() {
		o := given.at(i)
		d, ok := o.(*dict)
		if !ok {
			continue
		}
		for _, k := range d.keys {
			name, ok := k.(cStr)
			if !ok {
				continue
			}
			v := d.items[k]
			in.refer(n, v, false)
			if name == "__doc__" {
				in.documented(n, v)
			}
			in.styled(n, one(c), string(name))
			in.pathAttribute(n, one(c), string(name), v)
			for i := range v.size() {
				o := v.at(i)
				if f, ok := o.(*function); ok && f.class == nil {
					f.class = c
				}
			}
			cell := c.attrs.vars[string(name)]
			if cell == nil {
				cell = newCell()
				c.attrs.vars[string(name)] = cell
			}
			in.set(cell, v, false)
		}
	}
	return one(c)
}

// numeric is a function that gives a number for numbers; an object of the
// program may make it give anything.
func numeric(in *interp, n python.Node, a callArgs) val {
	out := anyNumber
	for _, v := range a.pos {
		for i := range v.size() {
			o := v.at(i)
			if !isNumber(o) {
				out = unknown
			}
		}
		out.open = out.open || v.open
	}
	return out
}

// fieldNames are the names of a namedtuple: a text or a list of texts.
func fieldNames(in *interp, n python.Node, v val) []string {
	if s, ok := first(v).(cStr); ok {
		return strings.Fields(strings.ReplaceAll(string(s), ",", " "))
	}
	var out []string
	elems, _ := in.elements(n, v)
	for _, e := range elems {
		if s, ok := first(e).(cStr); ok {
			out = append(out, string(s))
		}
	}
	return out
}
