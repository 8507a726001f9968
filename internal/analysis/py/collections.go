package py

import (
	"palisade/internal/python"
)

func (in *interp) listMethod(n python.Node, l *list, name string, args callArgs) val {
	sure := in.sure(args.scope) && in.depth < maxDepth
	switch name {
	case "append", "add", "appendleft":
		if l.exact && sure && len(l.elems) < 512 && name != "appendleft" {
			l.elems = append(l.elems[:len(l.elems):len(l.elems)], args.at(0))
			in.changed(&l.mark, true)
		} else {
			in.changed(&l.mark, l.blur(args.at(0)))
		}
		return noneValue
	case "insert":
		in.changed(&l.mark, l.blur(args.at(1)))
		return noneValue
	case "extend", "update", "__iadd__", "extendleft":
		in.extend(n, l, args.at(0), sure)
		return noneValue
	case "pop", "popleft", "__next__":
		if l.exact && len(l.elems) > 0 && sure && name == "pop" {
			i := int64(len(l.elems) - 1)
			if len(args.pos) > 0 {
				o, _ := args.pos[0].only()
				j, ok := asInt(o)
				if !ok {
					return orUnknown(l.element())
				}
				if j < 0 {
					j += int64(len(l.elems))
				}
				i = j
			}
			if i >= 0 && i < int64(len(l.elems)) {
				v := l.elems[i]
				rest := append(l.elems[:i:i], l.elems[i+1:]...)
				l.elems = rest
				in.changed(&l.mark, true)
				return v
			}
		}
		v := orUnknown(l.element())
		in.changed(&l.mark, l.blur(val{}))
		return v
	case "__getitem__":
		return in.listItem(l, args.at(0))
	case "__iter__", "copy", "union", "intersection", "difference", "symmetric_difference":
		out := &list{kind: l.kind, elems: l.elems[:len(l.elems):len(l.elems)], exact: l.exact, rest: l.rest}
		if name == "union" {
			for _, v := range args.pos {
				out.blur(in.each(n, v))
			}
		}
		return one(out)
	case "reverse":
		if l.exact && sure {
			rev := make([]val, len(l.elems))
			for i, e := range l.elems {
				rev[len(rev)-1-i] = e
			}
			l.elems = rev
			in.changed(&l.mark, true)
		} else {
			in.changed(&l.mark, l.blur(val{}))
		}
		return noneValue
	case "sort":
		in.changed(&l.mark, l.blur(val{}))
		if key := args.named("key"); !key.empty() {
			in.call(n, key, callArgs{pos: []val{l.element()}})
		}
		return noneValue
	case "clear":
		return noneValue
	case "remove", "discard":
		in.changed(&l.mark, l.blur(val{}))
		return noneValue
	case "index", "count", "__len__":
		return anyNumber
	case "send":
		return l.element()
	}
	all := args.all()
	in.changed(&l.mark, l.blur(join(all, in.each(n, all)))) // whatever it does with them
	return unknown
}

func (in *interp) extend(n python.Node, l *list, v val, sure bool) {
	if elems, ok := in.elements(n, v); ok && l.exact && sure && len(l.elems)+len(elems) < 512 {
		l.elems = append(l.elems[:len(l.elems):len(l.elems)], elems...)
		in.changed(&l.mark, len(elems) > 0)
		return
	}
	in.changed(&l.mark, l.blur(in.each(n, v)))
}

func (in *interp) dictMethod(n python.Node, d *dict, name string, args callArgs) val {
	sure := in.sure(args.scope)
	switch name {
	case "get", "pop", "__getitem__", "setdefault":
		v := in.dictItem(d, args.at(0))
		if k, ok := args.at(0).only(); ok && d.exact && isKnown(k) {
			if _, has := d.items[normalKey(k)]; !has {
				v = args.at(1)
				if v.empty() {
					v = noneValue
				}
				if in.unfollowed {
					v = join(v, unknown)
				}
			}
		} else {
			v = join(v, args.at(1))
		}
		if name == "setdefault" {
			in.changed(&d.mark, d.store(args.at(0), join(in.dictItem(d, args.at(0)), args.at(1)), false))
		}
		return v
	case "fromkeys":
		return in.callSymbol(n, "builtins.dict.fromkeys", args)
	case "items":
		l := newList(aList)
		for _, k := range d.keys {
			l.elems = append(l.elems, one(newList(aTuple, one(k), d.items[k])))
		}
		if !d.exact {
			l.blur(one(newList(aTuple, unknown, d.rest)))
		}
		return one(l)
	case "keys", "__iter__":
		l := newList(aList)
		for _, k := range d.keys {
			l.elems = append(l.elems, one(k))
		}
		if !d.exact {
			l.blur(unknown)
		}
		return one(l)
	case "values":
		l := newList(aList)
		for _, k := range d.keys {
			l.elems = append(l.elems, d.items[k])
		}
		if !d.exact {
			l.blur(d.rest)
		}
		return one(l)
	case "update", "__ior__", "__init__":
		for _, v := range args.pos {
			in.changed(&d.mark, in.merge(d, v, sure))
		}
		for k, v := range ordered(args.kw) {
			in.changed(&d.mark, d.store(text(k), v, sure))
		}
		return noneValue
	case "__setitem__":
		in.changed(&d.mark, d.store(args.at(0), args.at(1), sure))
		return noneValue
	case "copy":
		c := newDict()
		in.merge(c, one(d), true)
		c.exact = d.exact
		return one(c)
	case "popitem":
		return one(newList(aTuple, unknown, d.element()))
	}
	return unknown
}

// namespaceMethod is a method of vars(x), globals() and the like.
func (in *interp) namespaceMethod(n python.Node, ns namespace, name string, args callArgs) val {
	switch name {
	case "get", "__getitem__", "pop", "setdefault":
		if name == "setdefault" {
			in.setNamespace(n, ns, args.at(0), args.at(1))
		}
		return join(in.namespaceItem(n, ns, args.at(0)), args.at(1))
	case "update", "__setitem__":
		if name == "__setitem__" {
			in.setNamespace(n, ns, args.at(0), args.at(1))
		} else {
			for _, v := range args.pos {
				in.setNamespace(n, ns, unknown, in.values(v))
			}
			for k, v := range ordered(args.kw) {
				in.setNamespace(n, ns, text(k), v)
			}
		}
		return noneValue
	case "items", "values", "copy", "popitem":
		return in.allOf(n, ns, name)
	case "keys", "__iter__":
		return one(&list{rest: anyText})
	}
	return unknown
}

// allOf is all that a namespace holds: harmless for an object of the program,
// anything for a module.
func (in *interp) allOf(n python.Node, ns namespace, name string) val {
	v := unknown
	switch of := ns.of.(type) {
	case module, symbol, modules:
		in.unresolved(n, "namespace", "everything in a module is taken")
	case *scope:
		in.steps += len(of.vars) / 2
		for _, c := range ordered(of.vars) {
			v = join(v, c.ever)
		}
	case *class:
		v = join(v, in.everything(of))
	case *instance:
		if c, ok := of.of.(*class); ok {
			in.steps += len(c.inst) / 2
			for _, cell := range ordered(c.inst) {
				v = join(v, cell.ever)
			}
		}
	}
	if name == "items" {
		return one(&list{rest: one(newList(aTuple, anyText, v))})
	}
	return one(&list{rest: v})
}

// handed notes that a collection was given to a callable that is not followed,
// with others: it may have been put in any order, and they into it.
func (in *interp) handed(args callArgs) {
	for i, v := range args.pos {
		var others val
		asOf, cost := -1, 0
		for k := range v.size() {
			o := v.at(k)
			l, isList := o.(*list)
			d, isDict := o.(*dict)
			if !isList && !isDict || isList && l.kind == aTuple {
				continue
			}
			if asOf == in.clock { // nothing has changed: they are the same
				in.steps += cost
			} else {
				start := in.steps
				others = in.besides(args, i)
				asOf, cost = in.clock, in.steps-start
			}
			if isList {
				in.changed(&l.mark, l.blur(others))
			} else if !others.empty() {
				in.changed(&d.mark, d.blur(others))
			}
		}
	}
}

// besides is what all arguments but one may be, and what may be in them.
func (in *interp) besides(args callArgs, i int) val {
	out := args.rest
	for j, v := range args.pos {
		if j != i {
			out = join(join(out, v), in.each(nil, v))
		}
	}
	return out
}
