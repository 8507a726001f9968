package js

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// declare gives a declared name its value.
func (i *interpreter) declare(n *node) {
	if n.kids[1] == nil {
		return
	}
	i.assign(n.kids[0], i.eval(n.kids[1]))
}

// assignment evaluates an assignment, with or without an operation.
func (i *interpreter) assignment(n *node) set {
	target := n.kids[0]
	s := i.eval(n.kids[1])
	switch n.op {
	case "=":
	case "&&=", "||=", "??=":
		s = s.with(i.eval(target))
	case "+=":
		s = i.grow(target, s)
	case "++":
		i.eval(target)
		s = inert
	default:
		s = i.arithmetic(strings.TrimSuffix(n.op, "="), i.eval(target), s)
		if len(s) > 0 && i.passes > 3 {
			s = inert
		}
	}
	i.assign(target, s)
	return s
}

// grow is what target += s may give. A variable that is added to is followed
// for a few passes; then only its beginning is kept, for it may be in a loop.
func (i *interpreter) grow(target *node, s set) set {
	old := i.eval(target)
	out := i.concat(old, s)
	if i.passes <= 3 {
		return out
	}
	var coarse set
	for _, v := range out {
		switch v.what {
		case constant:
			if old.has(v) || i.holds(target, v) {
				coarse = coarse.plus(v)
				continue
			}
			begin := ""
			for k, o := range old {
				if o.what == constant || o.what == text {
					if k == 0 || begin == "" {
						begin = o.s
					} else {
						begin = common(begin, o.s)
					}
				}
			}
			coarse = coarse.plus(value{what: text, s: begin, built: true})
		case number:
			coarse = coarse.plus(value{what: plain})
		default:
			coarse = coarse.plus(v)
		}
	}
	return coarse
}

func (i *interpreter) holds(target *node, v value) bool {
	return target.binding != nil && target.binding.cell.values.has(v)
}

// assign gives a target a value: a name, a property or a pattern of them.
func (i *interpreter) assign(target *node, s set) {
	if target == nil {
		return
	}
	i.step(1)
	switch target.kind {
	case nIdent:
		i.assignName(target, s)
	case nMember, nIndex:
		i.assignMember(target, s)
	case nArray:
		i.assignArray(target, s)
	case nObject:
		i.assignObject(target, s)
	case nAssign:
		i.assign(target.kids[0], s.with(i.eval(target.kids[1])))
	case nSpread:
		i.assign(target.kids[0], s)
	case nDeclare, nGroup:
		i.eval(target)
	default:
		i.eval(target)
	}
}

func (i *interpreter) assignName(target *node, s set) {
	if target.binding == nil {
		i.add(cellOf(i.globals, target.name), s)
		i.assigned(canonical(target.name), s, target)
		return
	}
	if over, ok := i.overlay[target.binding]; ok {
		i.overlay[target.binding] = over.with(s)
	}
	i.add(&target.binding.cell, s)
}

func (i *interpreter) assignMember(target *node, s set) {
	base := i.eval(target.kids[0])
	names, all := []string{target.name}, true
	if target.kind == nIndex {
		names, all = keyNames(i.eval(target.kids[1]))
	}
	for _, v := range base {
		for _, name := range names {
			i.store(v, name, s, target)
		}
		if !all {
			i.storeAny(v, s, target)
		}
	}
	if len(base) == 0 {
		i.escape(s, target)
	}
}

// store puts a value into a property.
func (i *interpreter) store(v value, name string, s set, n *node) {
	switch v.what {
	case known:
		i.storeKnown(v.s, name, s, n)
	case thing:
		o := v.obj
		isFunction := o.fn != nil || o.class != nil
		switch {
		case name == "prototype" && isFunction:
			i.add(&i.prototype(o).proto, s)
			return
		case name == "__proto__":
			i.add(&o.proto, s)
			return
		}
		i.define(o, name, 0, s)
		i.callSetters(o, name, s, map[*object]bool{})
	default:
		i.escape(s, n)
	}
}

func (i *interpreter) callSetters(o *object, name string, s set, seen map[*object]bool) {
	seen[o] = true
	i.step(1)
	if slot := o.props[name]; slot != nil {
		for _, f := range slot.set.values {
			if f.what == thing && f.obj.fn != nil {
				i.callFunction(f.obj, o.set(), arguments{list: []set{s}}, f.obj.site)
			}
		}
	}
	for _, p := range o.proto.values {
		if p.what == thing && !seen[p.obj] {
			i.callSetters(p.obj, name, s, seen)
		}
	}
}

func (i *interpreter) storeKnown(path, name string, s set, n *node) {
	if path == "globalThis" {
		i.add(cellOf(i.globals, name), s)
		i.assigned(canonical(name), s, n)
		return
	}
	full := canonical(path + "." + name)
	i.add(cellOf(i.stored, full), s)
	if strings.HasSuffix(path, ".prototype") {
		i.add(cellOf(i.stored, "prototype."+name), s)
	}
	i.assigned(full, s, n)
	if path == "module!" && name == "exports" || path == "module!.exports" {
		i.export(s, n)
	}
}

// export lets others call what a module gives: with anything.
func (i *interpreter) export(s set, n *node) {
	for _, v := range s {
		if v.what == thing && v.obj.fn != nil && v.obj.class == nil {
			i.escape(v.set(), n)
		}
	}
}

func (i *interpreter) storeAny(v value, s set, n *node) {
	switch v.what {
	case thing:
		i.add(&v.obj.rest, s)
	case known:
		if strings.HasSuffix(v.s, ".prototype") {
			i.assigned(v.s+".[…]", s, n)
		}
		if effective(v.s) || v.s == "globalThis" {
			i.report(fact{
				capability: palisade.CapUnresolved, kind: analysis.KindComputed, symbol: display(v.s) + "[…]", unknown: true,
				evidence: "a property of a computed name is set: " + i.source(n),
			}, n)
		}
		i.escape(s, n)
	default:
		i.escape(s, n)
	}
}

func (i *interpreter) assignArray(target *node, s set) {
	for k, kid := range target.kids {
		if kid == nil {
			continue
		}
		if kid.kind == nSpread {
			rest := i.object(kid, "rest", nil)
			i.add(&rest.rest, i.elements(s, kid))
			i.assign(kid.kids[0], rest.set())
			continue
		}
		i.assign(kid, i.element(s, k, kid))
	}
}

func (i *interpreter) assignObject(target *node, s set) {
	for _, p := range target.props {
		if p.spread {
			rest := i.object(target, "rest", nil)
			i.copyProperties(rest, s, target)
			i.assign(p.value, rest.set())
			for _, v := range s {
				if v.what == known {
					i.assign(p.value, v.set())
				}
			}
			continue
		}
		var out set
		if p.key == nil {
			for _, v := range s {
				out = out.with(i.member(v, p.name, target))
			}
		} else {
			out = i.computed(s, i.eval(p.key), target)
		}
		i.mentionAt(p.value, out)
		i.assign(p.value, out)
	}
}

// copyProperties is what {...s} and Object.assign do.
func (i *interpreter) copyProperties(o *object, s set, n *node) {
	for _, v := range s {
		switch v.what {
		case thing:
			if v.obj == o {
				continue
			}
			for _, name := range v.obj.order {
				i.define(o, name, 0, i.read(v.obj.props[name], v.set()))
			}
			i.add(&o.rest, v.obj.rest.values)
			i.add(&o.copies, v.obj.copies.values)
			i.add(&o.describes, v.obj.describes.values)
		case known:
			i.add(&o.copies, v.set())
		}
	}
}
