package py

import (
	"strings"

	"palisade/internal/python"
)

// getattr is getattr(v, name); a dotted name is a walk, as attrgetter takes it.
func (in *interp) getattr(n python.Node, v, name val) val {
	names, other := name.strings()
	var out val
	for _, s := range names {
		r := v
		for part := range strings.SplitSeq(s, ".") {
			r = in.attribute(n, r, part)
		}
		out = join(out, r)
	}
	if other {
		if !ownNames(v, name) {
			in.computedAttribute(n, v)
		}
		out = join(out, unknown)
		if !v.open {
			for i := range v.size() {
				o := v.at(i)
				switch o := o.(type) {
				case *instance:
					if c, ok := o.of.(*class); ok {
						out = join(out, in.bind(in.everything(c), o, c))
					}
				case *class:
					out = join(out, in.everything(o))
				case *unit:
					if o.scope != nil {
						in.steps += len(o.scope.vars) / 2
						for _, c := range ordered(o.scope.vars) {
							out = join(out, c.ever)
						}
					}
				}
			}
		}
	}
	return out
}

// computedAttribute reports a lookup by a name that is not known, on anything
// that could have more than data.
func (in *interp) computedAttribute(n python.Node, v val) {
	what := "getattr"
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case module:
			what = string(o)
		case symbol:
			what = string(o)
		}
	}
	in.unresolved(n, what, "an attribute is looked up by a name that is computed")
}

// ownNames reports whether a lookup by a name that is known in part can only
// find what the program's own classes define: the name begins with a letter,
// so that it is none of the interpreter's.
func ownNames(v, name val) bool {
	if v.open || name.open || v.size() == 0 {
		return false
	}
	for i := range name.size() {
		o := name.at(i)
		var s string
		switch o := o.(type) {
		case prefix:
			s = string(o)
		case pattern:
			s = string(o)
		case cStr:
			continue
		default:
			return false
		}
		if s == "" || s[0] == '_' || s[0] == '*' || s[0] >= 0x80 {
			return false
		}
	}
	for j := range v.size() {
		o := v.at(j)
		i, ok := o.(*instance)
		if !ok {
			return false
		}
		c, ok := i.of.(*class)
		if !ok {
			return false
		}
		if _, foreign, open := c.lineage(); open || len(foreign) > 0 {
			return false
		}
	}
	return true
}
