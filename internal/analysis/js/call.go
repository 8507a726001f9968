package js

// evalArguments evaluates a call's arguments.
func (i *interpreter) evalArguments(kids []*node) arguments {
	var a arguments
	for _, kid := range kids {
		if kid == nil {
			continue
		}
		if kid.kind != nSpread {
			s := i.eval(kid)
			if a.open {
				a.more = a.more.with(s)
			} else {
				a.list = append(a.list, s)
			}
			continue
		}
		items, exact := i.items(i.eval(kid.kids[0]), kid)
		if exact && !a.open {
			a.list = append(a.list, items...)
			continue
		}
		a.open = true
		for _, item := range items {
			a.more = a.more.with(item)
		}
		a.more = a.more.with(anything)
	}
	return a
}

func (i *interpreter) evalCall(n *node) set {
	callee := n.kids[0]
	i.callee = callee
	var this, fns set
	switch callee.kind {
	case nMember, nIndex:
		this, fns = i.access(callee)
		if callee.kind == nMember && (callee.name == "call" || callee.name == "apply" || callee.name == "bind") {
			fns = methodsOnly(fns) // it is the functions' own, whatever they are
		}
		if callee.kids[0].kind == nSuper {
			this = i.frame.this
		}
	case nSuper:
		return i.callSuper(i.evalArguments(n.kids[1:]), n)
	default:
		fns = i.eval(callee)
	}
	i.callee = callee
	return i.callAll(fns, this, i.evalArguments(n.kids[1:]), n)
}

func methodsOnly(fns set) set {
	var out set
	for _, v := range fns {
		if v.what != unknown {
			out = append(out, v)
		}
	}
	return out
}

func (i *interpreter) evalNew(n *node) set {
	i.callee = n.kids[0]
	fns := i.eval(n.kids[0])
	args := i.evalArguments(n.kids[1:])
	var out set
	for _, v := range fns {
		out = out.with(i.construct(v, args, n))
	}
	if len(fns) == 0 {
		i.escape(args.all(), n)
		return anything
	}
	return out
}

// callSuper calls the constructor of the class that this one extends.
func (i *interpreter) callSuper(args arguments, n *node) set {
	home := i.frame.home
	if home == nil {
		return anything
	}
	for _, c := range home.proto.values {
		switch {
		case c.what == known:
			i.callKnown(c.s, i.frame.this, args, n, true)
		case c.what == thing:
			if made := c.obj.props["constructor"]; made != nil {
				for _, v := range made.value.values {
					if v.what == thing && v.obj.fn != nil {
						given := i.callFunction(v.obj, i.frame.this, args, n)
						for _, this := range i.frame.this {
							if this.what == thing {
								i.becomes(given, this.obj)
							}
						}
					}
				}
			}
		}
	}
	return i.frame.this
}

// callAll calls whatever of a set can be called.
func (i *interpreter) callAll(fns, this set, args arguments, n *node) set {
	if len(fns) == 0 {
		i.escape(args.all(), n)
		return anything
	}
	var out set
	for _, v := range fns {
		out = out.with(i.call(v, this, args, n))
	}
	return out
}

func (i *interpreter) call(v value, this set, args arguments, n *node) set {
	i.step(1)
	if i.calls++; i.calls > maxCalls {
		panic(spent{"calls inside one another"})
	}
	defer func() { i.calls-- }()
	switch v.what {
	case known:
		out := i.callKnown(v.s, this, args, n, false)
		if read[v.s] {
			out = out.with(set{v})
		}
		return out
	case thing:
		return i.callThing(v.obj, this, args, n)
	}
	i.escape(args.all(), n)
	return anything
}

// read are globals that are no functions: where one is called, it is what reads
// it that is, from a descriptor of globalThis, whose get stands for what it gives.
var read = map[string]bool{"process": true, "globalThis": true, "navigator": true, "crypto": true, "performance": true}

func (i *interpreter) callThing(o *object, this set, args arguments, n *node) set {
	switch {
	case o.target != nil:
		if o.active { // bound to itself, again and again
			return anything
		}
		o.active = true
		defer func() { o.active = false }()
		all := arguments{open: args.open, more: args.more}
		for _, b := range o.bound {
			all.list = append(all.list, b.values)
		}
		all.list = append(all.list, args.list...)
		if len(o.this.values) > 0 {
			this = o.this.values
		}
		return i.callAll(o.target.values, this, all, n)
	case o.method != "":
		return i.callMethod(o, this, args, n)
	case o.class != nil, o.fn != nil:
		if o.fn == nil {
			return anything
		}
		return i.callFunction(o, this, args, n)
	}
	// An object is not called, but for what stands for a function: see Proxy.
	if s := o.props["@@call"]; s != nil {
		list := i.newList(n, "trapped", nil, args.list)
		i.add(&list.rest, args.more)
		return i.callAll(s.value.values, nil, arguments{list: []set{o.proto.values, this, list.set()}}, n)
	}
	i.escape(args.all(), n)
	return anything
}

func (i *interpreter) construct(v value, args arguments, n *node) set {
	i.step(1)
	switch v.what {
	case known:
		return i.callKnown(v.s, nil, args, n, true)
	case thing:
		o := v.obj
		switch {
		case o.target != nil:
			var out set
			for _, t := range o.target.values {
				if t.what != thing || t.obj.target == nil {
					out = out.with(i.construct(t, args, n))
				}
			}
			return out
		case o.fn != nil || o.class != nil:
			return i.instantiate(o, args, n)
		}
		return i.callThing(o, nil, args, n)
	}
	i.escape(args.all(), n)
	return anything
}

// instantiate makes the object of a class, or of a function called with new.
func (i *interpreter) instantiate(o *object, args arguments, n *node) set {
	made := i.instance(o)
	out := made.set()
	if o.fn != nil {
		for _, v := range i.callFunction(o, made.set(), args, n) {
			if v.what == thing || v.what == known {
				out = out.plus(v)
			}
		}
		return out
	}
	// A class without a constructor passes its arguments on.
	for _, v := range o.proto.values {
		switch {
		case v.what == known:
			out = out.with(i.callKnown(v.s, made.set(), args, n, true))
		case v.what == thing && v.obj != o && v.obj.fn != nil:
			out = out.with(i.becomes(i.callFunction(v.obj, made.set(), args, n), made))
		}
	}
	return out
}

// becomes is what the constructor above gives in the place of an object: that
// is this, from there on.
func (i *interpreter) becomes(given set, made *object) set {
	var out set
	for _, v := range given {
		if v.what == known || v.what == thing && v.obj != made {
			out = append(out, v)
			i.add(&made.proto, v.set())
		}
	}
	return out
}

// escape gives values to code that is not followed: it may call the functions
// among them, with anything.
func (i *interpreter) escape(s set, n *node) { i.escapeTo(s, n, 0) }

func (i *interpreter) escapeTo(s set, n *node, depth int) {
	if depth > 4 {
		return
	}
	for _, v := range s {
		switch v.what {
		case known:
			i.handed(v.s, n)
		case thing:
			i.step(1)
			o := v.obj
			switch {
			case o.class != nil:
			case o.fn != nil:
				i.callFunction(o, nil, arguments{open: true, more: anything}, n)
			case o.target != nil:
				i.escapeTo(o.target.values, n, depth+1)
			case depth < 2 && o.method == "":
				for _, lent := range o.copies.values.with(o.proto.values) {
					if lent.what == known && whole(lent.s) {
						i.handed(lent.s, n)
					}
				}
				for _, name := range o.order {
					i.escapeTo(o.props[name].value.values, n, depth+2)
				}
			}
		}
	}
}

// callback calls the functions among values with arguments of the language's
// making.
func (i *interpreter) callback(fns set, n *node, args ...set) set {
	return i.callbackAs(nil, fns, n, args...)
}

// callbackAs is callback with a this that the program may have named: the global
// object, outside strict code, where it has not.
func (i *interpreter) callbackAs(this, fns set, n *node, args ...set) set {
	var out set
	for _, v := range fns {
		if v.what == thing || v.what == known {
			out = out.with(i.call(v, this, arguments{list: args}, n))
		}
	}
	return out
}
