package py

import (
	"slices"
	"strconv"

	"palisade/internal/python"
)

// object is one thing that a value may be. Every object type is comparable:
// those with parts are pointers.
type object any

// Objects outside the program.
type (
	// module is an imported library module, by its dotted home name.
	module string
	// symbol is an attribute of a library module: "os.system",
	// "builtins.eval", "pathlib.Path.home".
	symbol string
)

// Constants, and strings and numbers that are known in part.
type (
	cNone     struct{}
	cEllipsis struct{}
	cBool     bool
	cInt      int64
	cFloat    float64
	cStr      string
	cBytes    string
	// number is an int or float that is not known; as text it holds digits,
	// a sign, a point: nothing that leads out of a directory.
	number struct{}
	// pattern is a str in which numbers that are not known stand as '*'.
	pattern string
	// prefix is a str of which only the beginning is known; "" is any str.
	prefix string
	// anyBytes is a bytes that is not known.
	anyBytes struct{}
)

// Objects with parts.
type (
	// list is any ordered or unordered collection or iterator.
	list struct {
		kind  listKind
		elems []val
		exact bool // elems is everything, in order
		rest  val  // what else may be in it

		sum    val // what any of sumOf may be, once computed
		sumOf  *val
		sumLen int
	}
	dict struct {
		keys  []object
		items map[object]val
		exact bool
		rest  val
	}
	function struct {
		node  python.Node // FunctionDef, AsyncFunctionDef or Lambda
		name  string
		args  *python.Arguments
		body  []python.Stmt
		expr  python.Expr // a lambda's body
		outer *scope
		syms  *symbols
		class *class // the class whose body defined it

		defaults   []val
		kwDefaults map[string]val

		params  map[string]*cell // everything that was ever passed
		ret     *cell
		running int
		called  bool
		escaped bool // may be called from where we do not see
		wild    bool // was interpreted with parameters that may be anything
		seen    []*cell
		seenAt  int
		memo    []memo
	}
	class struct {
		name   string
		bases  []val
		meta   val
		attrs  *scope
		inst   map[string]*cell // attributes of all its instances
		fields []string         // its annotated names, in order: a dataclass's parameters
		one    *instance
	}
	// instance is an object of a library's class (of is a symbol) or of the
	// program's own (of is a *class).
	instance struct {
		of   object
		text val // the path of a pathlib.Path; what was read from elsewhere
		args []val
	}
	// method is a function of the program bound to an object.
	method struct {
		fn   *function
		self val
	}
	partial struct {
		fn   val
		args callArgs
	}
	// getter is what operator.attrgetter, itemgetter and methodcaller return.
	getter struct {
		kind string
		keys []val
		args callArgs
	}
	// wrapper is a staticmethod, classmethod or property.
	wrapper struct {
		kind string
		fn   val
	}
)

// Objects that are a view of another.
type (
	// bound is the method name of a constant, a collection or a library's instance.
	bound struct {
		recv object
		name string
	}
	// namespace is the dict behind an object: vars(x), x.__dict__, globals().
	namespace struct{ of object }
	// super is what super() returns.
	super struct {
		class *class
		self  object
	}
	// sliceOf is a constant slice object; an absent part is minInt.
	sliceOf struct{ lower, upper, step int64 }
)

type listKind uint8

const (
	aList listKind = iota
	aTuple
	aSet
	anIterator
)

// val is what an expression may evaluate to: one of objs or, where open, also
// something that is not known.
type val struct {
	objs []object
	open bool
}

// maxObjects bounds the objects of one value.
const maxObjects = 24

var unknown = val{open: true}

func one(o object) val          { return val{objs: []object{o}} }
func text(s string) val         { return one(cStr(s)) }
func (v val) empty() bool       { return len(v.objs) == 0 && !v.open }
func (v val) has(o object) bool { return slices.Contains(v.objs, o) }

// only returns the value's object if there is exactly one and nothing unknown.
func (v val) only() (object, bool) {
	if len(v.objs) == 1 && !v.open {
		return v.objs[0], true
	}
	return nil, false
}

// join returns a value that may be either. It does not change its operands.
func join(a, b val) val {
	if a.empty() {
		return b
	}
	if b.empty() {
		return a
	}
	out := val{a.objs[:len(a.objs):len(a.objs)], a.open || b.open}
	if len(b.objs) == 1 && !b.open && a.holds(b.objs[0]) {
		return a
	}
	for _, o := range b.objs {
		if !out.holds(o) {
			out.objs = append(out.objs, o)
		}
	}
	if len(out.objs) > maxNumbers {
		out = thin(out)
	}
	if len(out.objs) > maxObjects {
		out = shrink(out)
	}
	return out
}

// maxNumbers bounds the numbers of one value.
const maxNumbers = 8

// thin lets any number stand for many.
func thin(v val) val {
	n := 0
	for _, o := range v.objs {
		switch o.(type) {
		case cInt, cFloat:
			n++
		}
	}
	if n <= maxNumbers {
		return v
	}
	out := val{objs: []object{number{}}, open: v.open}
	for _, o := range v.objs {
		switch o.(type) {
		case cInt, cFloat, number:
		default:
			out.objs = append(out.objs, o)
		}
	}
	return out
}

// holds reports whether a value may be o, also as one of any text or number.
func (v val) holds(o object) bool {
	for _, have := range v.objs {
		if have == o {
			return true
		}
		switch have := have.(type) {
		case number:
			switch o.(type) {
			case cInt, cFloat:
				return true
			}
		case prefix:
			if have == "" {
				switch o.(type) {
				case cStr, pattern, prefix:
					return true
				}
			}
		}
	}
	return false
}

// shrink makes a large value coarser: first any text and any number stand for
// the many, then constants are dropped. What a program does with a module or a
// function must stay in sight.
func shrink(v val) val {
	out := generalize(v)
	if len(out.objs) <= maxObjects {
		return out
	}
	kept := val{open: true}
	for _, o := range out.objs {
		if !isConstant(o) && len(kept.objs) < maxObjects {
			kept.objs = append(kept.objs, o)
		}
	}
	return kept
}

// covers reports whether a holds everything that b does.
func covers(a, b val) bool {
	if b.open && !a.open {
		return false
	}
	for _, o := range b.objs {
		if !a.has(o) && !a.has(general(o)) {
			return false
		}
	}
	return true
}

// general is what a constant is one of.
func general(o object) object {
	switch o.(type) {
	case cStr, pattern, prefix:
		return prefix("")
	case cInt, cFloat, number:
		return number{}
	case cBytes:
		return anyBytes{}
	}
	return o
}

func isConstant(o object) bool {
	switch o.(type) {
	case cNone, cEllipsis, cBool, cInt, cFloat, cStr, cBytes, number, pattern, prefix, anyBytes, sliceOf:
		return true
	}
	return false
}

// constant turns a literal into an object.
func constant(v python.Value) val {
	switch v.Kind {
	case python.None:
		return one(cNone{})
	case python.Bool:
		return one(cBool(v.Int != 0))
	case python.Int:
		if v.Big != nil {
			return one(number{})
		}
		return one(cInt(v.Int))
	case python.Float:
		return one(cFloat(v.Float))
	case python.Str:
		return one(cStr(v.Str))
	case python.Bytes:
		return one(cBytes(v.Str))
	case python.Ellipsis:
		return one(cEllipsis{})
	}
	return one(number{})
}

// asText gives a constant as str() would. Of a number that is not known it
// gives "*" and exact is false.
func asText(o object) (s string, exact, ok bool) {
	switch o := o.(type) {
	case cStr:
		return string(o), true, true
	case pattern:
		return string(o), false, true
	case number, cFloat:
		return "*", false, true
	case cInt:
		return strconv.FormatInt(int64(o), 10), true, true
	case cBool:
		if o {
			return "True", true, true
		}
		return "False", true, true
	case cNone:
		return "None", true, true
	}
	return "", false, false
}

// strings returns the constant strings of a value and whether it may be
// something else.
func (v val) strings() (list []string, other bool) {
	other = v.open
	for _, o := range v.objs {
		if s, ok := o.(cStr); ok {
			list = append(list, string(s))
		} else {
			other = true
		}
	}
	return list, other
}
