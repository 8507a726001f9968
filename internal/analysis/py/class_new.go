package py

import (
	"palisade/internal/python"
)

// setter runs what an assignment to an attribute may run.
func (in *interp) setter(n python.Node, c *class, i *instance, attr string, v val) {
	if m := in.classAttribute(c, "__setattr__"); !m.empty() {
		in.call(n, in.bind(m, i, c), callArgs{pos: []val{text(attr), v}})
	}
	held := in.classAttribute(c, attr)
	for j := range held.size() {
		o := held.at(j)
		if d, ok := o.(*instance); ok {
			if dc, ok := d.of.(*class); ok {
				if m := in.classAttribute(dc, "__set__"); !m.empty() {
					in.call(n, in.bind(m, d, dc), callArgs{pos: []val{one(i), v}})
				}
			}
		}
	}
}

// instantiate is the call of a class of the program.
func (in *interp) instantiate(n python.Node, c *class, args callArgs) val {
	self := c.self()
	for i := range c.meta.size() {
		o := c.meta.at(i)
		if m, ok := o.(*class); ok {
			if f := in.classAttribute(m, "__call__"); !f.empty() {
				return join(in.call(n, in.bindMeta(f, c, m), args), one(self))
			}
		}
	}
	out := one(self)
	if m := in.classAttribute(c, "__new__"); !m.empty() {
		out = join(out, in.call(n, m, args.prepend(one(c))))
	}
	_, foreign, open := c.lineage()
	if m := in.classAttribute(c, "__init__"); !m.empty() {
		in.call(n, in.bind(m, self, c), args)
	} else {
		for i, v := range args.pos {
			if i < len(c.fields) {
				in.set(c.attrCell(c.fields[i]), v, false)
			}
			in.drift(v)
		}
		for k, v := range ordered(args.kw) {
			in.set(c.attrCell(k), v, false)
			in.drift(v)
		}
		if m := in.classAttribute(c, "__post_init__"); !m.empty() {
			in.call(n, in.bind(m, self, c), callArgs{})
		}
		for _, f := range foreign {
			in.callSymbol(n, f.(symbol), args)
		}
	}
	if open {
		out.open = true
	}
	return out
}

// implicitSuper is super() inside a method.
func (in *interp) implicitSuper(s *scope) (val, bool) {
	for o := s; o != nil; o = o.outer {
		if o.kind == functionScope && o.fn.class != nil {
			self := o.self
			if self == nil {
				self = o.fn.class.self()
			}
			return in.superOf(o.fn.class, self), true
		}
	}
	return val{}, false
}

// superOf is super() of an object; equal ones are one object.
func (in *interp) superOf(c *class, self object) val {
	key := super{c, self}
	s, ok := in.supers[key]
	if !ok {
		s = &key
		in.supers[key] = s
	}
	return one(s)
}

func (in *interp) superAttribute(n python.Node, s *super, attr string) val {
	own, foreign, open := s.class.lineage()
	for _, k := range own[1:] {
		if cell, ok := k.attrs.vars[attr]; ok {
			return in.bind(cell.ever, s.self, k)
		}
	}
	var out val
	for _, o := range foreign {
		out = join(out, in.symbolAttribute(n, o.(symbol), attr))
	}
	if out.empty() || open {
		if v, ok := in.telling(n, attr, "super()", nil); ok {
			return v
		}
		if attr == "__new__" {
			return join(out, one(symbol("builtins.object.__new__")))
		}
		return join(out, unknown)
	}
	return out
}

// textOf is what str(i), repr(i) or format(i) of an object of the program may
// be: any of the methods that make text of it.
func (in *interp) textOf(n python.Node, i *instance, c *class) val {
	out := val{}
	for _, name := range []string{"__format__", "__str__", "__repr__"} {
		m := in.classAttribute(c, name)
		if m.empty() {
			continue
		}
		args := callArgs{}
		if name == "__format__" {
			args.pos = []val{anyText}
		}
		out = join(out, in.call(n, in.bind(m, i, c), args))
	}
	_, foreign, open := c.lineage()
	if out.empty() || out.open || open || len(foreign) > 0 {
		return join(out.bare(), anyText)
	}
	return out
}

// className is the name of a class: what a statement or type gave it. A metaclass
// of the program's own may give it any.
func (in *interp) className(c *class) val {
	for i := range c.meta.size() {
		if _, own := c.meta.at(i).(*class); own {
			return anyText
		}
	}
	if !c.named.empty() {
		return c.named
	}
	return text(c.name)
}
