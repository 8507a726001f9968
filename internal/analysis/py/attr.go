package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// attribute is what base.attr may be.
func (in *interp) attribute(n python.Node, base val, attr string) val {
	var out val
	if !in.deeper() {
		return in.unknownAttribute(n, attr)
	}
	defer in.shallower()
	if looksInside[attr] {
		symbol := "builtins.object." + attr
		in.report(n, analysis.Fact{Capability: palisade.CapCall, Symbol: symbol, Argument: symbol, Evidence: spelled(n)})
	}
	if base.open {
		out = in.unknownAttribute(n, attr)
	}
	if annotationNames[attr] {
		out = join(out, one(in.instanceOf(annotationsOf)))
	}
	for i := range base.size() {
		o := base.at(i)
		in.step()
		out = join(out, in.objectAttribute(n, o, attr))
	}
	return out
}

// looksInside are the attributes that every object has and that show what it
// is made of: harmless alone, and where most walks begin. Policy can forbid them.
var looksInside = map[string]bool{"__class__": true, "__dict__": true, "__dir__": true}

// maxDeep bounds walks through objects that may lead back to themselves.
const maxDeep = 200

// deeper notes one more step of such a walk; false means that it ends here.
func (in *interp) deeper() bool {
	if in.deep >= maxDeep {
		return false
	}
	in.deep++
	in.step()
	return true
}

func (in *interp) shallower() { in.deep-- }

func (in *interp) objectAttribute(n python.Node, o object, attr string) val {
	switch o := o.(type) {
	case module:
		return in.moduleAttribute(n, o, attr)
	case opaque:
		return in.unknownAttribute(n, attr)
	case *unit:
		return in.unitAttribute(n, o, attr)
	case symbol:
		return in.symbolAttribute(n, o, attr)
	case *class:
		return in.classObject(n, o, attr)
	case *instance:
		return in.instanceAttribute(n, o, attr)
	case *super:
		return in.superAttribute(n, o, attr)
	case *method:
		if attr == "__self__" {
			return o.self
		}
		if attr == "__func__" {
			return one(o.fn)
		}
		return in.objectAttribute(n, o.fn, attr)
	case *partial:
		switch attr {
		case "func":
			return o.fn
		case "args":
			return one(newList(aTuple, o.args.pos...))
		}
	case bound:
		switch attr {
		case "__self__":
			return one(o.recv)
		case "__call__":
			return one(o)
		}
		if _, ok := o.recv.(*instance); ok {
			return in.unknownAttribute(n, attr)
		}
	}
	if attr == "__call__" {
		return one(o)
	}
	if v, ok := in.telling(n, attr, "", o); ok {
		return v
	}
	switch attr {
	case "__class__":
		return one(classOf(o))
	case "__name__", "__qualname__", "__doc__", "__module__":
		if f, ok := o.(*function); ok && attr == "__name__" {
			return join(text(f.name), in.looseAttribute(attr))
		}
		return anyText
	case "__dict__":
		return one(namespace{o})
	}
	switch o.(type) {
	case *function:
		return join(in.looseAttribute(attr), unknown)
	case bound:
		o = part{} // all parts of methods are alike
	}
	return join(in.looseAttribute(attr), one(bound{o, attr}))
}

// classOf is the builtin type of an object.
func classOf(o object) object {
	switch o := o.(type) {
	case cStr, pattern, prefix:
		return symbol("builtins.str")
	case cBytes, anyBytes:
		return symbol("builtins.bytes")
	case cInt:
		return symbol("builtins.int")
	case cBool:
		return symbol("builtins.bool")
	case cFloat, number:
		return symbol("builtins.float")
	case *dict, namespace:
		return symbol("builtins.dict")
	case *list:
		return symbol([...]string{"builtins.list", "builtins.tuple", "builtins.set", "builtins.object"}[o.kind])
	case *instance:
		return o.of
	case *class:
		return symbol("builtins.type")
	}
	return symbol("builtins.object")
}

// looseAttribute is what was stored under a name on objects that were not known.
func (in *interp) looseAttribute(attr string) val {
	c, ok := in.loose[attr]
	if !ok {
		return val{}
	}
	in.saw(&c.mark)
	return c.ever
}

func (in *interp) looseCell(key string) *cell {
	c, ok := in.loose[key]
	if !ok {
		c = &cell{}
		in.loose[key] = c
	}
	return c
}

// moduleAttribute is an attribute of a library's module; each is a fact.
func (in *interp) moduleAttribute(n python.Node, m module, attr string) val {
	name := string(m)
	if strings.HasPrefix(attr, "__") && strings.HasSuffix(attr, "__") && !(name == "builtins" && in.table.builtins[attr]) {
		return in.moduleDunder(n, m, attr)
	}
	found := in.exported(name, attr)
	patched, sure := in.looseAttribute(found.loose), found.sure
	switch o := found.of.(type) {
	case module:
		in.imported(n, string(o), spelled(n))
		if strings.HasPrefix(attr, "_") || leaks[attr] && !strings.HasPrefix(string(o), name+".") {
			in.private(n, name+"."+attr)
		}
		return join(one(found.of), patched)
	case symbol:
		result := found.of
		if own := found.own.(symbol); o != own {
			if _, does := in.lookup(string(o)); does {
				home := string(o)[:strings.LastIndexByte(string(o), '.')]
				if home != "builtins" {
					in.imported(n, home, spelled(n))
				}
			} else {
				o, result = own, found.own
			}
		}
		if !strings.HasPrefix(string(o), "builtins.") {
			in.mention(n, string(o))
		}
		if _, does := in.lookup(string(o)); !does && strings.HasPrefix(attr, "_") && attr != "_" && sure {
			in.private(n, string(o))
		}
		if !sure && strings.HasPrefix(attr, "_") && strings.Count(name, "._") < maxPrivate {
			// Perhaps a module of another version: its attributes are followed.
			in.imported(n, name+"."+attr, spelled(n))
			in.private(n, name+"."+attr)
			return join(one(module(name+"."+attr)), patched)
		}
		if sure && strings.HasPrefix(attr, "_") && strings.Count(name, "._") < maxPrivate && in.exports.unknownTo(name, attr) {
			return join(join(one(result), one(module(name+"."+attr))), patched)
		}
		return join(one(result), patched)
	}
	return unknown
}

// maxPrivate bounds the private modules of a module that are taken for there,
// each in the one before, where no table knows them: numpy._core._internal.
const maxPrivate = 2

// unknownTo reports whether the table lists nothing of this name.
func (e *exports) unknownTo(mod, attr string) bool {
	m, ok := e.of(mod)
	if !ok {
		return true
	}
	_, ok = m[attr]
	return !ok
}

func (in *interp) private(n python.Node, name string) {
	in.introspect(n, name, analysis.KindPrivate, spelled(n))
}

func (in *interp) moduleDunder(n python.Node, m module, attr string) val {
	switch attr {
	case "__name__":
		return text(string(m))
	case "__doc__", "__version__", "__file__", "__path__", "__all__", "__package__", "__author__", "__license__":
		return anyText
	case "__dict__":
		return one(namespace{m})
	case "__class__":
		return one(symbol("types.ModuleType"))
	case "__stdout__", "__stderr__", "__stdin__":
		if m == "sys" {
			return one(symbol("sys." + strings.Trim(attr, "_")))
		}
	}
	v, ok := in.telling(n, attr, string(m), m)
	if !ok {
		in.introspect(n, string(m)+"."+attr, analysis.KindName, spelled(n))
		v = unknown
	}
	return v
}

// unitAttribute is a name of one of the submission's own modules.
func (in *interp) unitAttribute(n python.Node, u *unit, attr string) val {
	if attr == "__dict__" {
		return one(namespace{u})
	}
	if u.scope != nil {
		if c, ok := u.scope.vars[attr]; ok {
			in.saw(&c.mark)
			return join(c.ever, in.looseAttribute("unit "+u.name+":"+attr))
		}
	}
	if sub, ok := in.units[u.name+"."+attr]; ok && u.name != "" {
		in.runUnit(sub)
		return one(sub)
	}
	if v, ok := in.telling(n, attr, u.name, u); ok {
		return v
	}
	return in.unknownAttribute(n, attr)
}

// maxDots bounds the name of a symbol.
const maxDots = 10

// symbolAttribute is an attribute of a library's class, function or object.
func (in *interp) symbolAttribute(n python.Node, s symbol, attr string) val {
	full := in.dotted(string(s), attr)
	if strings.Count(string(s), ".") >= maxDots {
		full = string(s) // a walk that a loop makes longer and longer
	}
	if ofFiles(s, attr) {
		in.private(n, full)
	}
	if _, ok := in.table.effects[full]; ok {
		return join(one(symbol(full)), in.looseAttribute(attr))
	}
	switch attr {
	case "__call__", "__wrapped__":
		return one(s)
	case "__name__", "__qualname__":
		name := text(string(s)[strings.LastIndexByte(string(s), '.')+1:])
		if isException(string(s)) { // it stands for those of the program's own, too
			name = anyText
		}
		return join(name, in.looseAttribute(attr))
	case "__doc__", "__module__":
		return anyText
	case "__class__":
		return one(symbol("builtins.type"))
	case "__dict__":
		return one(namespace{s})
	case "raw":
		return in.object(n, "io.FileIO", nil)
	case "__self__":
		in.introspect(n, full, analysis.KindName, spelled(n))
		home := string(s)[:strings.LastIndexByte(string(s), '.')]
		return join(one(module(home)), unknown)
	}
	if v, ok := in.telling(n, attr, string(s), s); ok {
		return v
	}
	if leaks[attr] && !strings.HasPrefix(string(s), "builtins.") {
		return in.leaked(n, attr, join(one(symbol(full)), one(module(homeModule(strings.TrimLeft(attr, "_"))))))
	}
	return join(join(one(symbol(full)), in.looseAttribute(attr)), in.adrift(n, attr))
}

// leaked reports a module that was reached through something of a library.
func (in *interp) leaked(n python.Node, attr string, v val) val {
	in.imported(n, homeModule(strings.TrimLeft(attr, "_")), spelled(n))
	return v
}

// instanceAttribute is an attribute of an object of a known class.
func (in *interp) instanceAttribute(n python.Node, i *instance, attr string) val {
	if c, ok := i.of.(*class); ok {
		return in.ownAttribute(n, i, c, attr)
	}
	name := string(i.of.(symbol))
	if attr == "__class__" {
		return one(i.of)
	}
	if attr == "__dict__" {
		return one(namespace{i})
	}
	if attr == "__name__" || attr == "__qualname__" {
		return join(anyText, in.looseAttribute(attr)) // a class or function that a library made
	}
	if ofFiles(i.of.(symbol), attr) {
		in.private(n, name+"."+attr)
	}
	if v, ok := in.libraryProperty(n, i, name, attr); ok {
		return v
	}
	if attr == "obj" && isException(name) {
		in.introspect(n, name+".obj", analysis.KindName, "an exception's object")
		return unknown
	}
	if _, ok := in.lookup(in.dotted(name, attr)); ok {
		return join(one(bound{i, attr}), in.looseAttribute(attr))
	}
	if v, ok := in.telling(n, attr, name, i); ok {
		return v
	}
	if e, ok := in.table.effects["?."+attr]; ok && len(e.uses) > 0 && !strings.HasPrefix(name, "builtins.") {
		return join(in.unknownAttribute(n, attr), one(bound{i, attr}))
	}
	if leaks[attr] {
		return in.leaked(n, attr, join(unknown, one(module(homeModule(strings.TrimLeft(attr, "_"))))))
	}
	return join(join(one(bound{i, attr}), in.looseAttribute(attr)), in.adrift(n, attr))
}

func isException(name string) bool {
	short := strings.TrimPrefix(name, "builtins.")
	return short != name && (short == "AttributeError" || short == "NameError" || short == "Exception" ||
		short == "BaseException" || short == "ExceptionGroup" || short == "BaseExceptionGroup")
}
