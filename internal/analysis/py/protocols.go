package py

import (
	"palisade/internal/python"
)

// special calls a method that Python looks up on the type of an object of the
// program: on an instance's class, on a class's metaclass. False: there is none.
func (in *interp) special(n python.Node, o object, name string, args ...val) (val, bool) {
	switch o := o.(type) {
	case *instance:
		if c, ok := o.of.(*class); ok {
			if m := in.classAttribute(c, name); !m.empty() {
				return in.call(n, in.bind(m, o, c), callArgs{pos: args}), true
			}
		}
	case *class:
		for i := range o.meta.size() {
			m := o.meta.at(i)
			if meta, ok := m.(*class); ok {
				if f := in.classAttribute(meta, name); !f.empty() {
					return in.call(n, in.bindMeta(f, o, meta), callArgs{pos: args}), true
				}
			}
		}
	}
	return val{}, false
}

// specials is special on everything that a value may be.
func (in *interp) specials(n python.Node, v val, name string, args ...val) val {
	var out val
	if name == "" {
		return out
	}
	for i := range v.size() {
		o := v.at(i)
		if r, ok := in.special(n, o, name, args...); ok {
			out = join(out, r)
		}
	}
	return out
}

// ownBinary is an operator on objects of the program, from either side.
func (in *interp) ownBinary(n python.Node, op python.Operator, a, b val) val {
	return join(in.specials(n, a, operators[op], b), in.specials(n, b, reflected[op], a))
}

// inPlace is an augmented assignment to objects of the program.
func (in *interp) inPlace(n python.Node, op python.Operator, a, b val) val {
	name := operators[op]
	if name == "" {
		return val{}
	}
	return in.specials(n, a, "__i"+name[2:], b)
}

// comparisons are the methods of the left side and of the right. Source: the
// Data Model, "Basic customization".
var comparisons = map[python.CmpOperator][2]string{
	python.Lt: {"__lt__", "__gt__"}, python.LtE: {"__le__", "__ge__"}, python.Gt: {"__gt__", "__lt__"},
	python.GtE: {"__ge__", "__le__"}, python.Eq: {"__eq__", "__eq__"}, python.NotEq: {"__ne__", "__ne__"},
}

// ownCompare is a comparison of objects of the program, which may give anything.
func (in *interp) ownCompare(n python.Node, op python.CmpOperator, a, b val) val {
	if op == python.In || op == python.NotIn {
		in.specials(n, b, "__contains__", a) // the answer is a truth
		return val{}
	}
	names := comparisons[op]
	return join(in.specials(n, a, names[0], b), in.specials(n, b, names[1], a))
}

func hasClass(v val) bool {
	for i := range v.size() {
		o := v.at(i)
		if _, ok := o.(*class); ok {
			return true
		}
	}
	return false
}
