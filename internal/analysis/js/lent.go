package js

// lent is a property that an object has from something known: it inherits from
// it, or is a copy of it.
func (i *interpreter) lent(path, name string, n *node) (out set, found bool) {
	switch {
	case path == "globalThis":
		out = i.global(name)
		return out, len(out) > 1 || out[0].what != unknown
	case name == "constructor" && path != "Function.prototype":
		return nil, false // its own
	}
	if full := canonical(path + "." + name); effective(full) || i.stored[full] != nil || whole(path) {
		return i.memberOfKnown(path, name, n), true
	}
	return nil, false
}

// whole reports whether anything of a known thing is followed where another
// object lends it: what leads from there is no effect by itself.
func whole(path string) bool {
	switch path {
	case "globalThis", "process", "module!", "require", "Function.prototype":
		return true
	}
	return isBuiltin(path) && path != "module" // whose instances have more than it
}

// anyLent is a property of a name that is not known, of what an object has from
// something known.
func (i *interpreter) anyLent(o *object, keys set, n *node, seen map[*object]bool) (out set) {
	seen[o] = true
	i.step(1)
	for _, v := range o.copies.values {
		if whole(v.s) {
			out = out.with(i.anyMember(v, keys, n))
		}
	}
	for _, v := range o.proto.values {
		switch {
		case v.what == known && whole(v.s):
			out = out.with(i.anyMember(v, keys, n))
		case v.what == thing && !seen[v.obj]:
			out = out.with(i.anyLent(v.obj, keys, n, seen))
		}
	}
	return out
}

// descriptors is an object of descriptors: any name leads to what holds what
// the object has under it.
func descriptors(i *interpreter, c call) set {
	o := i.object(c.node, "descriptors", nil)
	i.add(&o.describes, c.args.at(0))
	one := i.object(c.node, "descriptor", nil)
	i.add(&o.rest, one.set())
	for _, v := range c.args.at(0) {
		i.add(&one.slot("value").value, i.anyMember(v, nil, c.node))
	}
	return o.set()
}

// described is the descriptor of a property, of objects whose descriptors an
// object holds.
func (i *interpreter) described(o *object, name string, n *node) (set, bool) {
	var out set
	for _, v := range o.describes.values {
		var held set
		ok := false
		switch {
		case v.what == known:
			held, ok = i.lent(v.s, name, n)
			if !ok {
				held, ok = i.memberOfKnown(v.s, name, n), true
			}
		case v.callable() && (name == "prototype" || name == "name" || name == "length"):
		case v.what == thing && v.obj.props[name] != nil:
			held, ok = i.read(v.obj.props[name], v.set()), true
		case v.what == thing:
			for _, c := range v.obj.copies.values {
				more, found := i.lent(c.s, name, n)
				held, ok = held.with(more), ok || found
			}
		}
		if !ok {
			continue
		}
		d := i.object(o.site, "descriptor "+name, o)
		i.add(&d.slot("value").value, held)
		for _, accessor := range []string{"get", "set"} {
			s := d.slot(accessor)
			if v.what == known {
				i.add(&s.value, held)
			} else if own := v.obj.props[name]; own != nil {
				i.add(&s.value, own.get.values.with(own.set.values))
			}
		}
		out = out.with(d.set())
	}
	return out, len(out) > 0
}

// accessors are the getters, or the setters, of an object's property.
func (i *interpreter) accessors(o *object, name string, setters bool, seen map[*object]bool) (out set) {
	seen[o] = true
	i.step(1)
	if s := o.props[name]; s != nil {
		out = s.get.values
		if setters {
			out = s.set.values
		}
	}
	for _, p := range o.proto.values {
		if p.what == thing && !seen[p.obj] {
			out = out.with(i.accessors(p.obj, name, setters, seen))
		}
	}
	return out
}

// withReceiver calls the accessors of properties with another object as this.
func (i *interpreter) withReceiver(targets set, names []string, receiver set, setters bool, n *node, args ...set) (out set) {
	for _, v := range targets {
		for _, name := range names {
			if v.what == thing && len(receiver) > 0 {
				out = out.with(i.callAll(i.accessors(v.obj, name, setters, map[*object]bool{}), receiver, arguments{list: args}, n))
			}
		}
	}
	return out
}

// inherits is util.inherits: what new of one function makes inherits from what
// new of the other makes.
func inherits(i *interpreter, c call) set {
	for _, v := range c.args.at(0) {
		if v.what != thing || v.obj.fn == nil {
			continue
		}
		for _, from := range c.args.at(1) {
			i.add(&i.prototype(v.obj).proto, i.member(from, "prototype", c.node))
		}
	}
	return inert
}
