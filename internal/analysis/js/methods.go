package js

// callMethod calls a method of a value that is not the program's own function.
func (i *interpreter) callMethod(o *object, this set, args arguments, n *node) set {
	receivers := o.recv.values
	if len(this) > 0 && n.kind == nCall && n.kids[0] == o.site && o.method[0] != '(' { // x.method(): of what x is this time
		receivers = nil
		for _, v := range this {
			if v.obj == o.of {
				receivers = append(receivers, v)
			}
		}
	}
	var out set
	for _, v := range receivers {
		out = out.with(i.callMethodOf(v, o.method, args, n))
	}
	return out
}

func (i *interpreter) callMethodOf(v value, name string, args arguments, n *node) set {
	i.step(1)
	switch name {
	case "call":
		if callsThrough(v) {
			return i.call(v, args.at(0), args.from(1), n)
		}
	case "apply":
		if callsThrough(v) {
			return i.call(v, args.at(0), i.spread(args.at(1), n), n)
		}
	case "bind":
		if callsThrough(v) {
			return i.bind(v, args, n)
		}
	case "then":
		return i.then(v, args, n)
	case "catch", "finally":
		return v.set().with(i.callback(args.at(0), n, anything.with(i.thrown.values)))
	case "deref":
		return v.set()
	case "valueOf":
		if v.what == known {
			return v.set()
		}
	case "(give)":
		if v.what == thing {
			i.add(&v.obj.slot("@@settled").value, args.at(0))
		}
		return inert
	case "(made)":
		i.escape(args.all(), n)
		return v.set()
	case "__defineGetter__", "__defineSetter__":
		names, all := keyNames(args.at(0))
		if !all {
			names = append(names, "")
		}
		for _, name := range names {
			if v.what == thing {
				i.define(v.obj, name, 'g', args.at(1))
			}
		}
		i.callback(args.at(1), n)
		return inert
	case "__lookupGetter__", "__lookupSetter__":
		return i.computed(v.set(), args.at(0), n)
	}
	if name == "call" || name == "apply" || name == "bind" {
		// A function that is not known is called: this is no argument of it.
		i.escape(args.from(1).all(), n)
		i.escape(without(args.at(0), "globalThis"), n)
		return anything
	}
	if v.what == thing && v.obj.method == "" && v.obj.fn == nil {
		if out, ok := i.callCollection(v.obj, name, args, n); ok {
			return out
		}
		return i.callArray(v.obj, name, args, n)
	}
	if v.what == constant || v.what == text || v.what == number {
		return i.callString(v, name, args, n)
	}
	// A method of something that is not tracked: what is given to it may be
	// called with anything.
	i.statementText(v, name, args, n)
	i.escape(args.all(), n)
	return anything
}

// without is a set without a known thing.
func without(s set, path string) set {
	var out set
	for _, v := range s {
		if !v.is(path) {
			out = append(out, v)
		}
	}
	return out
}

// callsThrough reports whether call, apply and bind of a value are those of
// functions.
func callsThrough(v value) bool {
	return v.what == known || v.what == thing && (v.obj.fn != nil || v.obj.class != nil || v.obj.method != "" || v.obj.target != nil)
}

// spread makes arguments of an array.
func (i *interpreter) spread(s set, n *node) arguments {
	items, exact := i.items(s, n)
	if exact {
		return arguments{list: items}
	}
	a := arguments{open: true, more: anything}
	for _, item := range items {
		a.more = a.more.with(item)
	}
	return a
}

func (i *interpreter) bind(v value, args arguments, n *node) set {
	o := i.object(n, "bound", v.obj)
	if o.target == nil {
		o.target = &cell{}
	}
	i.add(o.target, v.set())
	i.add(&o.this, args.at(0))
	for k, s := range args.from(1).list {
		if k >= len(o.bound) {
			o.bound = append(o.bound, &cell{})
		}
		i.add(o.bound[k], s)
	}
	return o.set()
}

// then calls a promise's continuation with what it holds. A promise is not
// told apart from that.
func (i *interpreter) then(v value, args arguments, n *node) set {
	i.callback(args.at(1), n, anything)
	out := i.callback(args.at(0), n, i.settled(v.set()))
	if len(out) == 0 {
		return v.set()
	}
	return i.settled(out)
}

// callCollection calls a method of a Map or a Set.
func (i *interpreter) callCollection(o *object, name string, args arguments, n *node) (set, bool) {
	if !collection(o) {
		return nil, false
	}
	switch name {
	case "set":
		i.add(&o.rest, args.at(1))
		i.add(&o.slot("@@keys").value, args.at(0))
		return o.set(), true
	case "add":
		i.add(&o.rest, args.at(0))
		return o.set(), true
	case "get":
		return o.rest.values.with(inert), true
	case "forEach":
		i.callbackAs(args.at(1), args.at(0), n, o.rest.values, o.rest.values)
		return inert, true
	case "values", "entries", "keys":
		all := i.object(n, "iterator", o)
		i.add(&all.rest, o.rest.values)
		i.add(&all.rest, o.slot("@@keys").value.values)
		if name == "entries" {
			i.add(&all.rest, all.set())
		}
		return all.set(), true
	case "has", "delete", "clear":
		return inert, true
	}
	return nil, false
}

func collection(o *object) bool { return o.props["@@collection"] != nil }
