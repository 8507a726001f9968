package js

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// access evaluates a property access: what it is taken from, and what it is.
func (i *interpreter) access(n *node) (base, out set) {
	quiet, called := i.quiet == n, i.callee == n
	x := n.kids[0]
	i.base = x
	if n.kind == nMember && (n.name == "name" || n.name == "length") {
		i.quiet = x // x.constructor.name says what x is
	}
	base = i.eval(x)
	var keys set
	if n.kind == nIndex {
		keys = i.eval(n.kids[1])
	}
	i.calling = called
	if n.kind == nMember {
		for _, v := range base {
			out = out.with(i.member(v, n.name, n))
		}
		if len(base) == 0 {
			out = i.member(value{}, n.name, n)
		}
	} else {
		out = i.computed(base, keys, n)
	}
	i.calling = false
	if quiet {
		i.quiet = n
	}
	if called {
		i.callee = n
	}
	i.mention(n, out)
	return base, out
}

// computed is a property whose name is an expression.
func (i *interpreter) computed(base, keys set, n *node) set {
	if len(base) == 0 {
		base = anything
	}
	names, all := keyNames(keys)
	var out set
	for _, v := range base {
		for _, name := range names {
			found := i.member(v, name, n)
			i.hiddenName(v, name, keys, found, n)
			out = out.with(found)
		}
		if !all {
			out = out.with(i.anyMember(v, keys, n))
		}
	}
	return out
}

// hiddenName reports a name of something of the runtime that is put together
// where the name could have been written.
func (i *interpreter) hiddenName(v value, name string, keys, found set, n *node) {
	telling := name == "constructor" || name == "__proto__" || name == "mainModule"
	if !telling && (v.what != known || !effective(v.s+"."+name) && v.s != "globalThis") {
		return
	}
	for _, k := range keys {
		if k.what == constant && k.s == name && k.built && (v.what == known || telling) {
			i.report(fact{
				capability: palisade.CapObfuscation, kind: analysis.KindComputed, symbol: name,
				evidence: "the name of a property is put together: " + i.source(n),
			}, n)
		}
	}
}

// anyMember is a property of a name that is not known.
func (i *interpreter) anyMember(v value, keys set, n *node) set {
	switch v.what {
	case known:
		if effective(v.s) || v.s == "globalThis" {
			i.report(fact{
				capability: palisade.CapUnresolved, kind: analysis.KindComputed, symbol: display(v.s) + "[…]", unknown: true,
				evidence: "the name of a property is computed: " + i.source(n),
			}, n)
		}
		out := anything
		for path, c := range i.stored {
			if strings.HasPrefix(path, v.s+".") {
				out = out.with(c.values)
			}
		}
		if v.s == "Function.prototype" {
			out = out.with(ref(someConstructor))
		}
		return out
	case thing:
		o := v.obj
		out := o.rest.values.with(anything)
		for _, name := range o.order {
			out = out.with(i.read(o.props[name], v.set()))
		}
		for _, p := range o.proto.values {
			if p.what == thing && p.obj != o {
				out = out.with(p.obj.rest.values)
				for _, name := range p.obj.order {
					out = out.with(i.read(p.obj.props[name], v.set()))
				}
			}
		}
		return out.with(i.anyLent(o, keys, n, map[*object]bool{}))
	}
	return anything
}

func (v value) set() set { return set{v} }

// read is a slot's value: what it holds, and what its getter returns.
func (i *interpreter) read(s *slot, this set) set {
	i.step(1 + len(s.get.values))
	out := s.value.values
	for _, g := range s.get.values {
		if g.what == thing && g.obj.fn != nil {
			out = out.with(i.callFunction(g.obj, this, arguments{}, g.obj.site))
		}
	}
	return out
}

// member is the property of a value.
func (i *interpreter) member(v value, name string, n *node) set {
	i.step(1)
	switch v.what {
	case known:
		return i.memberOfKnown(v.s, name, n)
	case thing:
		return i.memberOfThing(v.obj, name, n)
	}
	switch name {
	case "constructor":
		if v.what == unknown {
			return ref(someConstructor)
		}
		return ref("Object")
	case "__proto__":
		return ref("Object.prototype")
	}
	if v.what == constant {
		if out := characterOf(v, name); out != nil {
			return out
		}
	}
	if (v.what == constant || v.what == text || v.what == number) && (i.calling || stringMethod(name)) {
		return i.method(v, name, n).set().with(i.extended(name))
	}
	out := anything.with(i.extended(name))
	if i.calling { // only then does it matter which method it is
		out = out.with(i.method(v, name, n).set())
	}
	return out
}

// extended is what the program itself puts under a name into the prototypes of
// the language.
func (i *interpreter) extended(name string) set {
	if c := i.stored["prototype."+name]; c != nil {
		return c.values
	}
	return nil
}

func characterOf(v value, name string) set {
	if name == "length" {
		return num(float64(len([]rune(v.s))))
	}
	if k, ok := index(name); ok {
		if r := []rune(v.s); k < len(r) {
			return set{{what: constant, s: string(r[k]), built: true}}
		}
		return inert
	}
	return nil
}

// method is a method of a value that is not an object of the program's own.
func (i *interpreter) method(v value, name string, n *node) *object {
	o := i.object(n, "method "+name, v.obj)
	o.method, o.of = name, v.obj
	i.add(&o.recv, v.set())
	return o
}

// someConstructor is what x.constructor is where x is not known: a function,
// so that its own constructor is Function.
const (
	someConstructor = "(constructor)"
	functionByWalk  = "(Function)"
)

func (i *interpreter) memberOfKnown(path, name string, n *node) set {
	if path == "globalThis" && !ownMethod(name) {
		return i.global(name)
	}
	full := canonical(path + "." + name)
	var out set
	if c := i.stored[full]; c != nil {
		out = c.values
	}
	prototype := strings.HasSuffix(path, ".prototype")
	switch name {
	case "constructor":
		switch {
		case path == "module!" || path == "process.mainModule":
			return out.with(ref("module"))
		case path == "process.stdin":
			return out.with(ref("fs.ReadStream")).with(ref("net.Socket"))
		case path == "process.stdout" || path == "process.stderr":
			return out.with(ref("fs.WriteStream")).with(ref("net.Socket"))
		case strings.HasSuffix(path, "()") && isGlobal(strings.TrimSuffix(path, "()")):
			return out.with(ref(strings.TrimSuffix(path, "()")))
		case prototype && path != "Function.prototype":
			return out.with(ref(strings.TrimSuffix(path, ".prototype")))
		case isCallable(path) || prototype:
			return out.with(ref(functionByWalk))
		}
		return out.with(ref("Object"))
	case "__proto__":
		if isCallable(path) {
			return out.with(ref("Function.prototype"))
		}
		if path == "module!" {
			return out.with(ref("module.prototype"))
		}
		return out.with(ref("Object.prototype"))
	case "call", "apply", "bind":
		if isCallable(path) && !prototype {
			return out.with(i.method(value{what: known, s: path}, name, n).set())
		}
	case "valueOf", "__lookupGetter__", "__lookupSetter__", "__defineGetter__", "__defineSetter__":
		if !prototype {
			return out.with(i.method(value{what: known, s: path}, name, n).set())
		}
	case "then", "catch", "finally", "deref":
		if entryOf(full) == nil { // a promise is what it holds
			return out.with(i.method(value{what: known, s: path}, name, n).set())
		}
	case "caller":
		if isCallable(path) {
			return ref("(caller)")
		}
	}
	if full == "process.env.HOME" || full == "process.env.USERPROFILE" {
		out = out.with(str("~")) // as os.homedir says
	}
	if isConstant := constantOf(full); isConstant != nil {
		return out.with(isConstant)
	}
	return out.with(ref(full))
}

// ownMethod reports whether a property of globalThis is no variable of the
// program's: a method that every object has, or one of what a promise is not
// told apart from.
func ownMethod(name string) bool {
	switch name {
	case "valueOf", "__lookupGetter__", "__lookupSetter__", "__defineGetter__", "__defineSetter__", "then", "catch", "finally", "deref":
		return true
	}
	return false
}

func (i *interpreter) memberOfThing(o *object, name string, n *node) set {
	out, found := i.lookup(o, name)
	isFunction := o.fn != nil || o.class != nil || o.target != nil
	if isFunction {
		switch name {
		case "prototype":
			return out.with(i.prototype(o).set())
		case "call", "apply", "bind":
			return out.with(i.method(value{what: thing, obj: o}, name, n).set())
		case "constructor":
			return out.with(ref(functionByWalk))
		case "__proto__":
			return out.with(ref("Function.prototype")).with(o.proto.values)
		case "caller":
			return out.with(ref("(caller)"))
		case "arguments":
			if o.fn != nil && !o.fn.arrow {
				return out.with(i.argumentsOf(o.fn).set())
			}
		case "name":
			if !found {
				return inert
			}
		}
	}
	if o.method != "" {
		return out.with(i.memberOfMethod(o, name, n))
	}
	if found {
		return out
	}
	switch name {
	case "constructor":
		for _, p := range o.proto.values {
			if p.what == thing && p.callable() {
				return ref(functionByWalk)
			}
		}
		if o.list {
			return ref("Array")
		}
		return ref("Object")
	case "__proto__":
		return o.proto.values.with(ref("Object.prototype"))
	}
	out = anything.with(i.extended(name))
	if i.calling || o.list && arrayMethod(name) || objectMethod(name) {
		out = out.with(i.method(value{what: thing, obj: o}, name, n).set())
	}
	if _, isIndex := index(name); isIndex || len(o.rest.values) > 0 && !collection(o) && !arrayMethod(name) {
		out = out.with(o.rest.values)
	}
	return out
}

// memberOfMethod is a property of a method such as "".split, or of a property
// that is not known to be one.
func (i *interpreter) memberOfMethod(o *object, name string, n *node) set {
	switch name {
	case "call", "apply", "bind":
		return i.method(value{what: thing, obj: o}, name, n).set()
	case "constructor":
		if sureMethod(o) {
			return ref(functionByWalk)
		}
		return ref(someConstructor)
	case "__proto__":
		return ref("Object.prototype").with(ref("Function.prototype"))
	}
	return i.member(value{}, name, n)
}

// lookup finds a property in an object or where it inherits from.
func (i *interpreter) lookup(o *object, name string) (out set, found bool) {
	return i.lookupIn(o, name, map[*object]bool{})
}

func (i *interpreter) lookupIn(o *object, name string, seen map[*object]bool) (out set, found bool) {
	seen[o] = true
	i.step(1)
	if s := o.props[name]; s != nil {
		out, found = i.read(s, o.set()), true
	}
	if len(o.describes.values) > 0 && !found {
		out, found = i.described(o, name, o.site)
	}
	for _, c := range o.copies.values {
		more, ok := i.lent(c.s, name, o.site)
		out, found = out.with(more), found || ok
	}
	for _, p := range o.proto.values {
		switch {
		case p.what == thing && !seen[p.obj]:
			more, ok := i.lookupIn(p.obj, name, seen)
			out, found = out.with(more), found || ok
		case p.what == known && !found:
			out, found = i.lent(p.s, name, o.site)
		}
	}
	return out, found
}
