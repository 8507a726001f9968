package py

import (
	"strings"

	"palisade"
	"palisade/internal/python"
)

// A module that is used as a value (an element, an argument, what a function
// returns) may be put where we do not see: into a queue, an array, an
// exception, through a protocol that is not followed. It is adrift then: an
// attribute of something that is not known may be one of its. The same holds
// for a callable that waits for its argument and is returned.
const (
	modulesAdrift   = "\x00modules"
	callablesAdrift = "\x00callables"
)

// drift notes that what a value holds is handed on.
func (in *interp) drift(v val) {
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case module:
			if strings.Contains(string(o), "._") && !in.exports.isModule(string(o)) {
				continue // a guess; see maxPrivate
			}
			in.set(in.looseCell(modulesAdrift), one(o), false)
		case *instance:
			if o.of == symbolPath {
				in.set(in.looseCell(modulesAdrift), one(o), false)
			}
		case symbol:
			if e, ok := in.lookup(string(o)); ok && waiting(e) {
				in.set(in.looseCell(callablesAdrift), one(o), false)
			}
		}
	}
}

func waiting(e effect) bool {
	for _, u := range e.uses {
		if u.waits() {
			return true
		}
	}
	return false
}

// driftAll notes that all that a scope or a class holds is handed on.
func (in *interp) driftAll(vars map[string]*cell) {
	in.steps += len(vars) / 2
	for _, c := range ordered(vars) {
		in.drift(c.ever)
	}
}

// referNamespace is the dict behind an object that is handed on whole.
func (in *interp) referNamespace(n python.Node, ns namespace) {
	switch of := ns.of.(type) {
	case module, symbol, modules:
		in.unresolved(n, "namespace", "everything in a module is taken")
	case *scope:
		in.driftAll(of.vars)
	case *class:
		in.driftAll(of.attrs.vars)
	}
}

// adrift is what an attribute of something that is not known may be, if it is
// one of the modules that are adrift: those that do something, and modules.
func (in *interp) adrift(n python.Node, attr string) val {
	c := in.lookOut(modulesAdrift)
	if since, ok := in.unmoored[attr]; ok && since == c.since {
		return val{}
	}
	var out val
	for i := range c.ever.size() {
		o := c.ever.at(i)
		m, ok := o.(module)
		if !ok {
			if pathOnly[attr] {
				out = join(out, one(bound{o, attr}))
			}
			continue
		}
		switch t := in.exported(string(m), attr).of.(type) {
		case module:
			out = join(out, one(t))
		case symbol:
			if in.telltale(t) && (in.table.lists(t) || !in.exports.lacks(string(m), attr)) {
				out = join(out, in.moduleAttribute(n, m, attr))
			}
		}
	}
	if out.empty() {
		in.unmoored[attr] = c.since
	}
	return out
}

// lacks reports whether the table knows a module and that it has no such name.
func (e *exports) lacks(mod, attr string) bool {
	m, known := e.of(mod)
	if !known {
		return false
	}
	_, has := m[attr]
	return !has
}

// lists reports whether a name has a line of its own: what a module defines
// itself is not among its re-exports.
func (t *table) lists(s symbol) bool {
	_, effect := t.effects[string(s)]
	_, model := t.models[s]
	return effect || model || t.classes[string(s)]
}

// pathOnly are methods of paths that texts and tables do not have.
var pathOnly = nameSet(`open unlink rmdir mkdir chmod lchmod iterdir glob rglob touch write_text write_bytes read_text
	read_bytes symlink_to hardlink_to`)

// telltale reports whether a name of a module that is adrift counts: one that
// does something of its own, a class whose objects do, one that is modelled.
func (in *interp) telltale(s symbol) bool {
	if _, ok := in.table.models[s]; ok || in.table.classes[string(s)] {
		return true
	}
	if e, ok := in.table.effects[string(s)]; ok {
		return len(e.uses) > 0
	}
	e, ok := in.lookup(string(s))
	return ok && len(e.uses) > 0 && e.uses[0].capability != palisade.CapUnresolved
}

// lookOut gives what is adrift, and notes that whoever runs has asked: it is
// read again when there is more.
func (in *interp) lookOut(key string) *cell {
	c := in.looseCell(key)
	in.saw(&c.mark)
	if in.run == nil {
		in.unit.asked = true
	}
	return c
}

// again reads a file's body once more where it asked for what is adrift and
// there is more by now.
func (in *interp) again(u *unit) bool {
	since := max(in.looseCell(modulesAdrift).since, in.looseCell(callablesAdrift).since)
	if !u.asked || since <= u.readAt || u.state != 2 {
		return false
	}
	unit, frame := in.unit, in.frame
	in.unit, in.frame, u.readAt = u, u.scope, in.clock
	in.maybe(u.scope, u.tree.Body)
	in.unit, in.frame = unit, frame
	return true
}

// callAdrift is the call of something that is not known: it may be a callable
// that was returned to where we do not see.
func (in *interp) callAdrift(n python.Node, args callArgs) {
	c := in.lookOut(callablesAdrift)
	for i := range c.ever.size() {
		o := c.ever.at(i)
		s, ok := o.(symbol)
		if !ok {
			continue
		}
		e, _ := in.lookup(string(s))
		for _, u := range e.uses {
			in.use(n, s, u, &callSite{args: args, self: args.at(0)}, "returned earlier")
		}
	}
}

// missing is an attribute that neither an object of the program nor any of its
// classes has: something else gives it.
func (in *interp) missing(n python.Node, attr string) val {
	in.steps += len(in.classes) / 8
	for _, c := range in.classes {
		if c.attrs.vars[attr] != nil || c.inst[attr] != nil && !c.inst[attr].ever.empty() {
			return unknown
		}
	}
	return in.unknownAttribute(n, attr)
}
