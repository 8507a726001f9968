package js

// closure is the value of a function expression. Its body is visited here,
// once a pass: with the this of where it stands, if it is an arrow function.
func (i *interpreter) closure(n *node, home *object) *object {
	f := n.fn
	o := i.object(n, "function", nil)
	o.fn, f.owner = f, o
	if home != nil {
		f.home = home
	}
	if f.self != nil {
		i.add(&f.self.cell, o.set())
	}
	if i.seen[f] != i.passes || len(i.inline) > 0 && len(i.inline) < maxInline {
		i.seen[f] = i.passes
		i.visit(f)
	}
	return o
}

// visit goes through a function's parameters and body.
func (i *interpreter) visit(f *function) {
	outer := i.frame
	defer func() { i.frame = outer }()
	this, args, home := f.this.values, i.argumentsOf(f), f.home
	if f.arrow {
		this, args, home = outer.this, outer.args, outer.home
	}
	i.frame = frame{fn: f, this: this, args: args, home: home}
	for _, p := range f.params {
		if p != nil && p.kind == nAssign {
			i.assign(p.kids[0], i.eval(p.kids[1]))
		}
	}
	for _, n := range f.body {
		i.eval(n)
	}
}

func (i *interpreter) argumentsOf(f *function) *object {
	if f.arrow {
		return nil
	}
	o := i.object(f.node, "arguments", nil)
	i.add(&o.rest, f.args.values)
	if f.owner != nil {
		i.add(&o.slot("callee").value, f.owner.set())
	}
	return o
}

// arguments are a call's: those that are told apart, then what else there may
// be (from a spread).
type arguments struct {
	list []set
	more set
	open bool // there may be more
}

// at gives an argument.
func (a arguments) at(k int) set {
	if k < len(a.list) {
		return a.list[k].with(nil)
	}
	return a.more
}

// missing reports whether an argument is certainly not given.
func (a arguments) missing(k int) bool { return k >= len(a.list) && !a.open }

func (a arguments) from(k int) arguments {
	if k >= len(a.list) {
		return arguments{more: a.more, open: a.open}
	}
	return arguments{list: a.list[k:], more: a.more, open: a.open}
}

// all is the union of the arguments.
func (a arguments) all() set {
	out := a.more
	for _, s := range a.list {
		out = out.with(s)
	}
	return out
}

// call gives what a function of the program returns for arguments.
func (i *interpreter) callFunction(o *object, this set, args arguments, n *node) set {
	f := o.fn
	i.step(1)
	if !f.arrow {
		i.add(&f.args, args.all())
		i.add(&f.this, i.receiver(f, this))
	}
	for k, p := range f.params {
		switch {
		case p == nil:
		case p.kind == nSpread:
			rest := i.object(p, "rest", nil)
			for _, s := range args.from(k).list {
				i.add(&rest.rest, s)
			}
			i.add(&rest.rest, args.more)
			i.assign(p.kids[0], rest.set())
		default:
			i.assign(p, args.at(k))
		}
	}
	if f.generator {
		g := i.object(f.node, "generator", nil)
		i.add(&g.rest, f.yields.values)
		g.generator = f
		return g.set()
	}
	if out, ok := i.follow(f, args); ok {
		return out
	}
	return f.returns.values
}

// receiver is this inside a function that is called on a value: outside strict
// code, the global object where it is called on nothing, or on null.
func (i *interpreter) receiver(f *function, this set) set {
	if f.strict {
		return this
	}
	if len(this) == 0 || len(this) == 1 && this[0].what == plain {
		return ref("globalThis")
	}
	return this
}

// follow evaluates a function that only gives one expression with just these
// arguments, so that what a program decodes with one function stays apart.
func (i *interpreter) follow(f *function, args arguments) (set, bool) {
	if f.result == nil || len(i.inline) >= maxInline || i.followed >= maxFollow || args.open {
		return nil, false
	}
	for _, g := range i.inline {
		if g == f {
			return nil, false
		}
	}
	i.followed++
	over := map[*binding]set{}
	for k, p := range f.params {
		target := p
		if p != nil && p.kind == nAssign {
			target = p.kids[0]
		}
		if target == nil || target.kind != nIdent || target.binding == nil {
			return nil, false
		}
		s := args.at(k)
		if p.kind == nAssign && len(s) == 0 {
			outer := i.frame
			if !f.arrow {
				i.frame.this = f.this.values
			}
			s = i.eval(p.kids[1])
			i.frame = outer
		}
		over[target.binding] = s
	}
	saved := map[*binding]set{}
	for b, s := range over {
		if old, ok := i.overlay[b]; ok {
			saved[b] = old
		}
		i.overlay[b] = s
	}
	outer := i.frame
	if !f.arrow {
		i.frame = frame{fn: f, this: f.this.values, args: i.argumentsOf(f), home: f.home}
	} else {
		i.frame.fn = f
	}
	i.inline = append(i.inline, f)
	out := i.eval(f.result)
	i.inline = i.inline[:len(i.inline)-1]
	i.frame = outer
	for b := range over {
		delete(i.overlay, b)
		if old, ok := saved[b]; ok {
			i.overlay[b] = old
		}
	}
	return out, true
}

// classValue is the value of a class: a function with a prototype.
func (i *interpreter) classValue(n *node) *object {
	k := n.class
	o := i.object(n, "class", nil)
	o.class = k
	if k.self != nil {
		i.add(&k.self.cell, o.set())
	}
	proto := i.prototype(o)
	i.add(&proto.slot("constructor").value, o.set())
	instance := i.instance(o)
	if k.extends != nil {
		for _, v := range i.eval(k.extends) {
			i.add(&o.proto, set{v})
			if v.what == thing {
				i.add(&proto.proto, i.prototype(v.obj).set())
			} else if v.what == known {
				i.add(&proto.proto, ref(v.s).with(ref(v.s+".prototype")))
			}
		}
	}
	for _, m := range k.members {
		home, receiver := proto, instance
		if m.static {
			home, receiver = o, o
		}
		var s set
		if m.value != nil {
			f := i.closure(m.value, home)
			s = f.set()
			i.add(&m.value.fn.this, receiver.set())
			switch {
			case m.accessor == 'f':
				s = m.value.fn.returns.values
				home = receiver
			case m.name == "constructor" && m.key == nil && !m.static:
				o.fn = m.value.fn
				continue
			}
		}
		for _, name := range i.propertyNames(m) {
			i.define(home, name, m.accessor, s)
		}
	}
	for _, b := range k.blocks {
		i.add(&b.fn.this, o.set())
		i.closure(b, o)
	}
	return o
}

// prototype is the object that a function's instances inherit from.
func (i *interpreter) prototype(o *object) *object { return i.object(o.site, "prototype", o) }

// instance is the object that new of a function makes.
func (i *interpreter) instance(o *object) *object {
	made := i.object(o.site, "instance", o)
	i.add(&made.proto, i.prototype(o).set())
	return made
}

// super is what super means as an object: where the home object inherits from.
func (i *interpreter) super() set {
	if i.frame.home == nil {
		return anything
	}
	return i.frame.home.proto.values.with(anything)
}
