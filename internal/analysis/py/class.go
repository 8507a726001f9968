package py

import (
	"slices"

	"palisade/internal/python"
)

func (in *interp) classDef(s *scope, st *python.ClassDef) {
	applied := make([]val, len(st.DecoratorList))
	for i, d := range st.DecoratorList {
		applied[i] = in.load(s, d, asBase)
	}
	in.typeParams(s, st.TypeParams)
	key := classKey{st, s}
	c := in.classes[key]
	if c == nil {
		c = &class{name: st.Name, inst: map[string]*cell{}, changes: &in.lineages}
		in.classes[key] = c
		c.attrs = &scope{kind: classScope, unit: s.unit, outer: s, vars: map[string]*cell{}, class: c}
	}
	c.bases = c.bases[:0]
	for _, b := range st.Bases {
		c.bases = append(c.bases, in.eval(s, b))
	}
	in.lineages++
	kw := map[string]val{}
	for _, k := range st.Keywords {
		v := in.eval(s, k.Value)
		if k.Arg == "metaclass" {
			c.meta = v
		}
		kw[k.Arg] = v
	}
	syms, ok := in.syms[st]
	if !ok {
		syms = collect(nil, st.Body, nil)
		in.syms[st] = syms
	}
	c.attrs.syms = syms
	c.attrs.self = c
	in.store(c.attrs, "__qualname__", text(st.Name))
	in.store(c.attrs, "__module__", text("__main__"))
	for _, b := range st.Body {
		if a, ok := b.(*python.AnnAssign); ok {
			if name, ok := a.Target.(*python.Name); ok && len(c.fields) < 256 {
				c.fields = append(c.fields, name.Id)
			}
		}
	}
	in.body(c.attrs, st.Body)
	for name := range ordered(c.attrs.vars) {
		if lendsMemory(name) {
			in.memory(st, name)
		}
	}
	v := join(in.hooks(st, c, kw), one(c))
	for i := len(applied) - 1; i >= 0; i-- {
		v = in.decorate(st.DecoratorList[i], applied[i], v)
	}
	in.store(s, st.Name, v)
}

// classKey tells the classes of one statement apart by the scopes they are made in.
type classKey struct {
	st    *python.ClassDef
	outer *scope
}

// hooks calls what making a class calls: the metaclass, __init_subclass__ and
// __set_name__. It returns what the class statement makes in the class's place.
func (in *interp) hooks(n python.Node, c *class, kw map[string]val) (made val) {
	for i := range c.meta.size() {
		o := c.meta.at(i)
		switch o := o.(type) {
		case *class:
			for _, name := range []string{"__new__", "__init__", "__prepare__"} {
				if m := in.classAttribute(o, name); !m.empty() {
					in.call(n, in.bind(m, o, o), callArgs{open: true, rest: one(c)})
				}
			}
		case symbol:
			in.call(n, one(o), callArgs{pos: []val{text(c.name), one(newList(aTuple, c.bases...)), one(namespace{c})}, kw: kw})
		case *function, bound, *instance, *partial, *method:
			made = in.call(n, one(o), callArgs{pos: []val{text(c.name), one(newList(aTuple, c.bases...)), one(namespace{c})}, kw: kw})
		}
	}
	for _, b := range c.bases {
		for i := range b.size() {
			o := b.at(i)
			if base, ok := o.(*class); ok {
				if m := in.classAttribute(base, "__init_subclass__"); !m.empty() {
					in.call(n, in.bind(m, c, c), callArgs{kw: kw})
				}
			}
		}
	}
	for name, cell := range ordered(c.attrs.vars) {
		in.styled(n, one(c), name)
		in.pathAttribute(n, one(c), name, cell.ever)
		for j := range cell.ever.size() {
			o := cell.ever.at(j)
			if i, ok := o.(*instance); ok {
				if d, ok := i.of.(*class); ok {
					if m := in.classAttribute(d, "__set_name__"); !m.empty() {
						in.call(n, in.bind(m, i, d), callArgs{pos: []val{one(c), text(name)}})
					}
				}
			}
		}
	}
	return made
}

// self is the one object that stands for all instances of a class.
func (c *class) self() *instance {
	if c.one == nil {
		c.one = &instance{of: c}
	}
	return c.one
}

// instanceOf is an object of a class of which nothing else is known; there is one
// for each class.
func (in *interp) instanceOf(of object) *instance {
	i, ok := in.plains[of]
	if !ok {
		i = &instance{of: of}
		in.plains[of] = i
	}
	return i
}

func (c *class) attrCell(name string) *cell {
	cell, ok := c.inst[name]
	if !ok {
		cell = newCell()
		c.inst[name] = cell
	}
	return cell
}

// everything is all that a class and its instances hold.
func (in *interp) everything(c *class) val {
	in.steps += (len(c.attrs.vars) + len(c.inst)) / 2
	var out val
	for _, cell := range ordered(c.attrs.vars) {
		out = join(out, cell.ever)
	}
	for _, cell := range ordered(c.inst) {
		out = join(out, cell.ever)
	}
	return out
}

// lineage is the class and its bases in the program, nearest first, and
// whether it has others: a base that is a library's or not known.
func (c *class) lineage() (own []*class, foreign []object, open bool) {
	if l := c.line; l == nil || l.at != *c.changes {
		c.line = c.trace()
	}
	return c.line.own, c.line.foreign, c.line.open
}

// line is a lineage, as of a count of what changes lineages.
type line struct {
	own     []*class
	foreign []object
	open    bool
	at      int
}

func (c *class) trace() *line {
	l := &line{at: *c.changes}
	todo := []*class{c}
	for len(todo) > 0 && len(l.own) < 32 {
		k := todo[0]
		todo = todo[1:]
		if slices.Contains(l.own, k) {
			continue
		}
		l.own = append(l.own, k)
		for _, b := range k.bases {
			l.open = l.open || b.open
			for i := range b.size() {
				o := b.at(i)
				switch o := o.(type) {
				case *class:
					todo = append(todo, o)
				case symbol:
					if o != "builtins.object" {
						l.foreign = append(l.foreign, o)
					}
				default:
					l.open = true
				}
			}
		}
	}
	return l
}

// classAttribute finds a name in a class and its bases, unbound. Empty: there
// is none in the program.
func (in *interp) classAttribute(c *class, name string) val {
	own, _, _ := c.lineage()
	for _, k := range own {
		if cell, ok := k.attrs.vars[name]; ok {
			in.saw(&cell.mark)
			return cell.ever
		}
	}
	return val{}
}

func (in *interp) metaHas(c *class, name string) bool {
	for i := range c.meta.size() {
		o := c.meta.at(i)
		if m, ok := o.(*class); ok && !in.classAttribute(m, name).empty() {
			return true
		}
	}
	return c.meta.open
}

// bind turns what a class holds into what an access through o gives.
func (in *interp) bind(v val, o object, c *class) val {
	out := val{open: v.open}
	if !in.deeper() {
		return unknown
	}
	defer in.shallower()
	_, isClass := o.(*class)
	for i := range v.size() {
		f := v.at(i)
		switch f := f.(type) {
		case *function:
			if isClass {
				out = join(out, one(f))
			} else {
				out = join(out, one(in.methodOf(f, o)))
			}
		case *wrapper:
			in.saw(&f.mark)
			switch f.kind {
			case "staticmethod":
				out = join(out, f.fn)
			case "classmethod":
				for i := range f.fn.size() {
					g := f.fn.at(i)
					if fn, ok := g.(*function); ok {
						out = join(out, one(in.methodOf(fn, c)))
					} else {
						out = join(out, one(g))
					}
				}
			default:
				if isClass {
					out = join(out, one(f))
				} else {
					out = join(out, in.call(c.at(), in.bind(f.fn, o, c), callArgs{}))
				}
			}
		case *instance:
			if d, ok := f.of.(*class); ok {
				if m := in.classAttribute(d, "__get__"); !m.empty() {
					out = join(out, in.call(d.at(), in.bind(m, f, d), callArgs{pos: []val{one(o), one(c)}}))
					continue
				}
			}
			out = join(out, one(f))
		default:
			out = join(out, one(f))
		}
	}
	return out
}

// at is a place for what happens without a node of its own.
func (c *class) at() python.Node { return &python.Pass{} }

// methodOf keeps one method object for each function and receiver.
func (in *interp) methodOf(f *function, self object) *method {
	key := methodKey{f, self}
	m, ok := in.methods[key]
	if !ok {
		m = &method{f, one(self)}
		in.methods[key] = m
	}
	return m
}

type methodKey struct {
	fn   *function
	self object
}

// ownAttribute is an attribute of an instance of a class of the program.
func (in *interp) ownAttribute(n python.Node, i *instance, c *class, attr string) val {
	switch attr {
	case "__class__":
		return one(c)
	case "__dict__":
		return one(namespace{i})
	}
	own, foreign, open := c.lineage()
	var out val
	for _, k := range own {
		for _, name := range []string{attr, "*"} {
			if cell, ok := k.inst[name]; ok {
				in.saw(&cell.mark)
				out = join(out, cell.ever)
			}
		}
	}
	if v := in.classAttribute(c, attr); !v.empty() {
		return join(out, in.bind(v, i, c))
	}
	if m := in.classAttribute(c, "__getattr__"); !m.empty() && attr != "__getattr__" {
		out = join(out, in.call(n, in.bind(m, i, c), callArgs{pos: []val{text(attr)}}))
	}
	if m := in.classAttribute(c, "__getattribute__"); !m.empty() && attr != "__getattribute__" {
		out = join(out, in.call(n, in.bind(m, i, c), callArgs{pos: []val{text(attr)}}))
	}
	for _, s := range foreign {
		out = join(out, in.instanceAttribute(n, in.instanceOf(s), attr))
	}
	if out.empty() || open {
		if v, ok := in.telling(n, attr, c.name, i); ok {
			return v
		}
		if open {
			return join(out, in.unknownAttribute(n, attr))
		}
		cell := c.attrCell(attr) // it may be set later
		in.saw(&cell.mark)
		return join(out, in.missing(n, attr))
	}
	return out
}

// classObject is an attribute of a class of the program itself.
func (in *interp) classObject(n python.Node, c *class, attr string) val {
	if v := in.classAttribute(c, attr); !v.empty() {
		return in.bind(v, c, c)
	}
	switch attr {
	case "__name__", "__qualname__":
		return in.className(c)
	case "__doc__", "__module__":
		return anyText
	case "__dict__":
		return one(namespace{c})
	case "__class__":
		return join(c.meta, one(symbol("builtins.type")))
	}
	var out val
	for i := range c.meta.size() {
		o := c.meta.at(i)
		if m, ok := o.(*class); ok {
			if v := in.classAttribute(m, attr); !v.empty() {
				out = join(out, in.bindMeta(v, c, m))
			} else if g := in.classAttribute(m, "__getattr__"); !g.empty() {
				out = join(out, in.call(n, in.bindMeta(g, c, m), callArgs{pos: []val{text(attr)}}))
			}
		}
	}
	if v, ok := in.telling(n, attr, c.name, c); ok {
		return v
	}
	_, foreign, _ := c.lineage()
	for _, s := range foreign {
		out = join(out, in.symbolAttribute(n, s.(symbol), attr))
	}
	if cell, ok := c.inst[attr]; ok {
		out = join(out, cell.ever)
	}
	if out.empty() {
		return in.missing(n, attr)
	}
	return out
}

// bindMeta binds a metaclass's functions to the class that is its instance.
func (in *interp) bindMeta(v val, c, meta *class) val {
	out := val{open: v.open}
	for i := range v.size() {
		f := v.at(i)
		if fn, ok := f.(*function); ok {
			out = join(out, one(in.methodOf(fn, c)))
			continue
		}
		out = join(out, in.bind(one(f), meta, meta))
	}
	return out
}
