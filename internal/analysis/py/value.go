package py

import (
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
		mark
		kind  listKind
		elems []val
		exact bool // elems is everything, in order
		rest  val  // what else may be in it

		placed bool // see interp.place
		sum    val  // what any of sumOf may be, once computed
		sumOf  *val
		sumLen int
	}
	dict struct {
		mark
		keys  []object
		items map[object]val
		exact bool
		rest  val

		placed bool
		sum    val // what any value may be, while summed holds
		summed bool
		anyKey val // what any of the first joined keys may be
		joined int
	}
	function struct {
		node  python.Node // FunctionDef, AsyncFunctionDef or Lambda
		name  string
		args  *python.Arguments
		list  []*python.Arg // all its parameters
		body  []python.Stmt
		expr  python.Expr // a lambda's body
		outer *scope
		syms  *symbols
		class *class // the class whose body defined it

		defaults   []val
		kwDefaults map[string]val

		params   map[string]*cell // everything that was ever passed
		ret      *cell
		frame    *scope // that of its summary
		running  int
		called   bool
		escaped  bool // may be called from where we do not see
		wild     bool // was interpreted with parameters that may be anything
		seen     []sight
		followed []*function // calls that were interpreted for this one alone
		ranAt    int         // the clock when it was interpreted last
		runs     int         // counts how often it was interpreted
		epoch    int         // counts how often seen was emptied
		memo     []memo
	}
	class struct {
		name   string
		bases  []val
		meta   val
		attrs  *scope
		inst   map[string]*cell // attributes of all its instances
		fields []string         // its annotated names, in order: a dataclass's parameters
		one    *instance
		named  val // its name, where no statement makes it

		line    *line // its lineage, once traced
		changes *int  // counts what changes lineages
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
		mark
		fn   val
		args callArgs
	}
	// getter is what operator.attrgetter, itemgetter and methodcaller return.
	getter struct {
		mark
		kind string
		keys []val
		args callArgs
	}
	// wrapper is a staticmethod, classmethod or property.
	wrapper struct {
		mark
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
	// part stands for any method of a constant or a collection, as the receiver
	// of what is looked up in it.
	part struct{}
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

// val is what an expression may evaluate to: one of its objects or, where open,
// also something that is not known. Most values have one object, or none: that
// stands in the value itself. It is small enough to be passed in registers.
type val struct {
	alone object   // nil: there is none, or several
	many  *objects // where there are several
	open  bool
	takes room
}

// room is what a value still takes, after it had too many objects.
type room uint8

const (
	takesAll    room = iota
	takesThings      // no further constants
	takesNone
)

// objects are several that a value may be. Values share them: they do not change
// once they are part of one.
type objects struct {
	list []object
	// grown says that the room behind the list has been given to a value that
	// has more; see collect.
	grown bool
}

// maxObjects bounds the objects of one value.
const maxObjects = 24

var unknown = val{open: true}

// Values that are made all the time.
var (
	noneValue = one(cNone{})
	anyText   = one(prefix(""))
	anyNumber = one(number{})
	anyBool   = oneOf(cBool(true), cBool(false))
)

func one(o object) val    { return val{alone: o} }
func text(s string) val   { return one(cStr(s)) }
func (v val) empty() bool { return v.alone == nil && v.many == nil && !v.open }

// size is how many objects a value has.
func (v val) size() int {
	if v.many != nil {
		return len(v.many.list)
	}
	if v.alone == nil {
		return 0
	}
	return 1
}

// at is one of the objects that a value has.
func (v val) at(i int) object {
	if v.many != nil {
		return v.many.list[i]
	}
	return v.alone
}

// bare is a value without what is not known.
func (v val) bare() val {
	v.open = false
	return v
}

func (v val) has(o object) bool {
	if v.many == nil {
		return v.alone != nil && v.alone == o
	}
	for _, x := range v.many.list {
		if x == o {
			return true
		}
	}
	return false
}

// only returns the value's object if there is exactly one and nothing unknown.
func (v val) only() (object, bool) {
	if v.open {
		return nil, false
	}
	return v.alone, v.alone != nil
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
		return noneValue
	case python.Bool:
		return one(cBool(v.Int != 0))
	case python.Int:
		if v.Big != nil {
			return anyNumber
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
	return anyNumber
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
	for i := range v.size() {
		o := v.at(i)
		if s, ok := o.(cStr); ok {
			list = append(list, string(s))
		} else {
			other = true
		}
	}
	return list, other
}
