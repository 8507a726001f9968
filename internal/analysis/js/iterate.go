package js

import "strconv"

// index reads a property's name as an array index.
func index(name string) (int, bool) {
	if name == "" || len(name) > 6 || name[0] < '0' || name[0] > '9' {
		return 0, false
	}
	k, err := strconv.Atoi(name)
	return k, err == nil && (name[0] != '0' || name == "0")
}

// items gives the elements of arrays and strings one by one, where they are
// known one by one.
func (i *interpreter) items(s set, n *node) (out []set, exact bool) {
	if len(s) == 1 {
		switch v := s[0]; {
		case v.what == thing && v.obj.list && len(v.obj.rest.values) == 0:
			return v.obj.items(), true
		case v.what == constant && len(v.s) <= 4096:
			for _, r := range v.s {
				out = append(out, set{{what: constant, s: string(r), built: true}})
			}
			return out, true
		}
	}
	if all := i.elements(s, n); len(all) > 0 {
		out = append(out, all)
	}
	return out, false
}

// items are an array's elements in order.
func (o *object) items() []set {
	var out []set
	for k := 0; k < len(o.props); k++ {
		s := o.props[strconv.Itoa(k)]
		if s == nil {
			break
		}
		out = append(out, s.value.values)
	}
	return out
}

// elements is whatever iterating over values gives.
func (i *interpreter) elements(s set, n *node) set {
	var out set
	for _, v := range s {
		switch v.what {
		case constant:
			if len(v.s) <= 64 {
				for _, r := range v.s {
					out = out.plus(value{what: constant, s: string(r), built: true})
				}
				continue
			}
			out = out.with(prefix(""))
		case thing:
			out = out.with(i.elementsOf(v.obj, n))
		case known:
			out = out.with(anything)
		default:
			out = out.with(anything)
		}
	}
	return out
}

func (i *interpreter) elementsOf(o *object, n *node) set {
	out := o.rest.values
	for _, name := range o.order {
		if _, ok := index(name); ok {
			out = out.with(o.props[name].value.values)
		}
	}
	found, ok := i.lookup(o, "@@iterator")
	if !ok {
		found, ok = i.lookup(o, "@@asyncIterator")
	}
	if !ok {
		return out
	}
	for _, v := range i.settled(i.callAll(found, o.set(), arguments{}, n)) {
		if v.what != thing {
			out = out.with(anything)
			continue
		}
		out = out.with(v.obj.rest.values)
		next, _ := i.lookup(v.obj, "next")
		for _, step := range i.settled(i.callAll(next, v.set(), arguments{}, n)) {
			out = out.with(i.member(step, "value", n))
		}
	}
	return out
}

// element is the k-th of what iterating gives, for a pattern.
func (i *interpreter) element(s set, k int, n *node) set {
	var out set
	for _, v := range s {
		switch {
		case v.what == thing && v.obj.props["@@iterator"] == nil && v.obj.props[strconv.Itoa(k)] != nil:
			out = out.with(v.obj.props[strconv.Itoa(k)].value.values).with(v.obj.rest.values)
		case v.what == thing:
			out = out.with(i.elementsOf(v.obj, n))
		case v.what == constant:
			out = out.with(i.member(v, strconv.Itoa(k), n))
		default:
			out = out.with(anything)
		}
	}
	return out
}

// keys is what a for-in loop goes through.
func (i *interpreter) keys(s set) set {
	var out set
	for _, v := range s {
		switch {
		case v.what == thing && len(v.obj.rest.values)+len(v.obj.copies.values) == 0 && len(v.obj.order) <= maxStrings:
			for _, name := range v.obj.order {
				out = out.with(str(name))
			}
		case v.what == known:
			out = out.with(prefix(""))
		default:
			out = out.with(prefix(""))
		}
	}
	return out
}

// settled is what awaiting gives: what promises hold, anything else itself,
// and what its then passes on.
func (i *interpreter) settled(s set) set {
	var out set
	for _, v := range s {
		if v.what == thing && v.obj.props["then"] != nil && v.obj.fn == nil {
			held := &v.obj.slot("@@settled").value
			give := i.object(v.obj.site, "give", v.obj)
			give.method = "(give)"
			i.add(&give.recv, v.set())
			i.callAll(v.obj.props["then"].value.values, v.set(), arguments{list: []set{give.set(), give.set()}}, v.obj.site)
			out = out.with(held.values).with(anything)
			continue
		}
		if v.what == thing && v.obj.props["@@settled"] != nil {
			out = out.with(v.obj.props["@@settled"].value.values)
			continue
		}
		out = out.plus(v)
	}
	return out
}
