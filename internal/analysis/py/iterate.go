package py

import (
	"palisade/internal/python"
)

// elements gives the elements of an iterable in their order, if known.
func (in *interp) elements(n python.Node, v val) ([]val, bool) {
	o, ok := v.only()
	if !ok {
		return nil, false
	}
	switch o := o.(type) {
	case *list:
		in.saw(&o.mark)
		return o.elems, o.exact && o.kind != aSet || o.exact && len(o.elems) < 2
	case *dict:
		in.saw(&o.mark)
		if !o.exact {
			return nil, false
		}
		out := make([]val, len(o.keys))
		for i, k := range o.keys {
			out[i] = one(k)
		}
		return out, true
	case cStr:
		if len(o) > 4096 {
			return nil, false
		}
		out := make([]val, 0, len(o))
		for _, r := range points(string(o)) {
			out = append(out, text(r))
		}
		return out, true
	case cBytes:
		if len(o) > 4096 {
			return nil, false
		}
		out := make([]val, len(o))
		for i := range len(o) {
			out[i] = one(cInt(o[i]))
		}
		return out, true
	}
	return nil, false
}

// each is what any element of an iterable may be.
func (in *interp) each(n python.Node, v val) val {
	out := val{open: v.open}
	if !in.deeper() {
		return unknown
	}
	defer in.shallower()
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case *list:
			in.saw(&o.mark)
			out = join(out, o.element())
		case *dict:
			in.saw(&o.mark)
			if out.empty() {
				out = o.key()
			} else {
				for _, k := range o.keys {
					out = join(out, one(k))
				}
			}
			if !o.exact {
				out = join(out, anyText)
			}
		case cStr, pattern, prefix:
			if s, ok := o.(cStr); ok && len(s) <= 40 {
				for _, r := range points(string(s)) {
					out = join(out, text(r))
				}
				continue
			}
			out = join(out, anyText)
		case cBytes, anyBytes:
			out = join(out, anyNumber)
		case *instance:
			out = join(out, in.iterate(n, o))
		case rangeOf:
			out = join(out, anyNumber)
		case symbol:
			if o == "sys.argv" || o == "sys.stdin" {
				out = join(out, anyText)
				continue
			}
			if n != nil {
				in.refer(n, one(o), false)
			}
			out.open = true
		case namespace:
			out = join(out, anyText)
		case *class:
			out = join(join(out, unknown), in.everything(o))
		default:
			out.open = true
		}
	}
	if out.empty() {
		return val{}
	}
	return out
}

// rangeOf is a range that is too long to be listed.
type rangeOf struct{}

// iterate is what the iteration of an instance gives.
func (in *interp) iterate(n python.Node, i *instance) val {
	c, ok := i.of.(*class)
	if !ok {
		if s, ok := i.of.(symbol); ok && (s == "io.TextIOWrapper" || s == "re.Match") {
			return anyText
		}
		if i.of == fieldOf {
			return join(unknown, one(i))
		}
		return unknown
	}
	var out val
	if m := in.classAttribute(c, "__iter__"); !m.empty() {
		made := in.call(n, in.bind(m, i, c), callArgs{})
		if made.has(i) {
			if m := in.classAttribute(c, "__next__"); !m.empty() {
				out = join(out, in.call(n, in.bind(m, i, c), callArgs{}))
			}
			return out
		}
		return join(out, in.each(n, made))
	}
	if m := in.classAttribute(c, "__getitem__"); !m.empty() {
		return in.call(n, in.bind(m, i, c), callArgs{pos: []val{anyNumber}})
	}
	return unknown
}

func newCell() *cell { return &cell{} }
