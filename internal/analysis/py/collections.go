package py

import (
	"palisade/internal/python"
)

func (in *interp) listMethod(n python.Node, l *list, name string, args callArgs) val {
	in.clock++ // what was remembered of calls no longer holds
	sure := in.sure(args.scope) && in.depth < maxDepth
	switch name {
	case "append", "add", "appendleft":
		if l.exact && sure && len(l.elems) < 512 && name != "appendleft" {
			l.elems = append(l.elems[:len(l.elems):len(l.elems)], args.at(0))
		} else {
			l.blur(args.at(0))
		}
		return one(cNone{})
	case "insert":
		l.blur(args.at(1))
		return one(cNone{})
	case "extend", "update", "__iadd__", "extendleft":
		in.extend(n, l, args.at(0), sure)
		return one(cNone{})
	case "pop", "popleft", "__next__":
		if l.exact && len(l.elems) > 0 && sure && name == "pop" {
			i := int64(len(l.elems) - 1)
			if len(args.pos) > 0 {
				o, _ := args.pos[0].only()
				j, ok := asInt(o)
				if !ok {
					return l.element()
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
				return v
			}
		}
		v := l.element()
		l.blur(val{})
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
		} else {
			l.blur(val{})
		}
		return one(cNone{})
	case "sort":
		l.blur(val{})
		if key := args.named("key"); !key.empty() {
			in.call(n, key, callArgs{pos: []val{l.element()}})
		}
		return one(cNone{})
	case "clear":
		return one(cNone{})
	case "remove", "discard":
		l.blur(val{})
		return one(cNone{})
	case "index", "count", "__len__":
		return one(number{})
	case "send":
		return l.element()
	}
	all := args.all()
	l.blur(join(all, in.each(n, all))) // whatever it does with them
	return unknown
}

func (in *interp) extend(n python.Node, l *list, v val, sure bool) {
	if elems, ok := in.elements(n, v); ok && l.exact && sure && len(l.elems)+len(elems) < 512 {
		l.elems = append(l.elems[:len(l.elems):len(l.elems)], elems...)
		return
	}
	l.blur(in.each(n, v))
}

func (in *interp) dictMethod(n python.Node, d *dict, name string, args callArgs) val {
	if name != "get" && name != "items" && name != "keys" && name != "values" {
		in.clock++
	}
	sure := in.sure(args.scope)
	switch name {
	case "get", "pop", "__getitem__", "setdefault":
		v := in.dictItem(d, args.at(0))
		if k, ok := args.at(0).only(); ok && d.exact && isKnown(k) {
			if _, has := d.items[normalKey(k)]; !has {
				v = args.at(1)
				if v.empty() {
					v = one(cNone{})
				}
			}
		} else {
			v = join(v, args.at(1))
		}
		if name == "setdefault" {
			in.putItem(d, args.at(0), join(in.dictItem(d, args.at(0)), args.at(1)), false)
		}
		return v
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
			in.merge(d, v)
		}
		for k, v := range ordered(args.kw) {
			in.putItem(d, text(k), v, sure)
		}
		return one(cNone{})
	case "__setitem__":
		in.putItem(d, args.at(0), args.at(1), sure)
		return one(cNone{})
	case "copy":
		c := newDict()
		in.merge(c, one(d))
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
		return one(cNone{})
	case "items", "values", "copy", "popitem":
		return in.allOf(n, ns, name)
	case "keys", "__iter__":
		return one(&list{rest: one(prefix(""))})
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
		for _, c := range ordered(of.vars) {
			v = join(v, c.ever)
		}
	case *class:
		v = join(v, of.everything())
	case *instance:
		if c, ok := of.of.(*class); ok {
			for _, cell := range ordered(c.inst) {
				v = join(v, cell.ever)
			}
		}
	}
	if name == "items" {
		return one(&list{rest: one(newList(aTuple, one(prefix("")), v))})
	}
	return one(&list{rest: v})
}

// handed notes that a collection was given to a callable that is not followed,
// with others: it may have been put in any order, and they into it.
func (in *interp) handed(args callArgs) {
	for i, v := range args.pos {
		for _, o := range v.objs {
			l, isList := o.(*list)
			d, isDict := o.(*dict)
			if !isList && !isDict || isList && l.kind == aTuple {
				continue
			}
			others := args.rest
			for j, w := range args.pos {
				if j != i {
					others = join(join(others, w), in.each(nil, w))
				}
			}
			in.clock++
			if isList {
				l.blur(others)
			} else if !others.empty() {
				d.blur(others)
			}
		}
	}
}
