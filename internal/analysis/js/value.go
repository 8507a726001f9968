package js

import "strings"

// what is the sort of a value.
type what uint8

const (
	unknown  what = iota // anything that is not tracked
	plain                // a value that leads nowhere: a number, true, null, a result of a harmless call
	text                 // a string of which only the beginning is known: s
	constant             // the string s
	number               // the number n
	known                // something of the language, the runtime or a module: its path is s
	thing                // an object or function of the program: obj
)

// value is one thing that an expression may be.
type value struct {
	what what
	s    string
	n    float64
	obj  *object
	// built says that a string was put together or decoded by the program.
	built bool
}

// set is what an expression may be: any of these. The empty set is an
// expression that nothing reaches, or not yet.
type set []value

// Bounds on a set. More strings or numbers become coarser; more known things
// and objects end the reading, for none of them may be lost.
const (
	maxStrings = 16
	maxNumbers = 8
	maxValues  = 160
)

func str(s string) set              { return set{{what: constant, s: s}} }
func prefix(s string) set           { return set{{what: text, s: s}} }
func ref(path string) set           { return set{{what: known, s: path}} }
func num(n float64) set             { return set{{what: number, n: n}} }
func (o *object) set() set          { return set{{what: thing, obj: o}} }
func (s set) has(v value) bool      { return s.index(v) >= 0 }
func (v value) is(path string) bool { return v.what == known && v.s == path }

var (
	inert    = set{{what: plain}}
	anything = set{{what: unknown}}
)

func (s set) index(v value) int {
	for i := range s {
		if s[i] == v {
			return i
		}
	}
	return -1
}

// with is the union of two sets.
func (s set) with(more set) set {
	if len(s) == 0 {
		return more
	}
	if len(more) == 0 || &s[0] == &more[0] && len(s) >= len(more) {
		return s
	}
	out, own := s, false
	for _, v := range more {
		if v.what == constant || v.what == text || v.what == number {
			out, own = out.plus(v), false
			continue
		}
		if out.has(v) {
			continue
		}
		if len(out) >= maxValues {
			panic(spent{"values of one expression"})
		}
		if !own { // out may be somebody else's
			out, own = append(make(set, 0, len(out)+len(more)), out...), true
		}
		out = append(out, v)
	}
	return out
}

// plus adds a value, within the bounds. It never writes into s.
func (s set) plus(v value) set {
	if s.has(v) {
		return s
	}
	strings, numbers := 0, 0
	for _, old := range s {
		switch old.what {
		case constant, text:
			strings++
			if old.what == text && (v.what == constant || v.what == text) && covers(old, v) {
				if v.what == text || strings > maxStrings {
					return s
				}
			}
		case number:
			numbers++
		}
	}
	switch {
	case v.what == number && numbers >= maxNumbers:
		return s.plusOne(value{what: plain})
	case v.what == text, v.what == constant && strings >= maxStrings:
		return s.coarser(v)
	}
	return s.plusOne(v)
}

func covers(old, v value) bool { return strings.HasPrefix(v.s, old.s) }

func (s set) plusOne(v value) set {
	if s.has(v) {
		return s
	}
	if len(s) >= maxValues {
		panic(spent{"values of one expression"})
	}
	return append(s[:len(s):len(s)], v)
}

// coarser puts a string in as a beginning: at most one is kept.
func (s set) coarser(v value) set {
	out := make(set, 0, len(s)+1)
	begin := v.s
	built := v.built
	for _, old := range s {
		if old.what == text {
			begin = common(begin, old.s)
			built = built || old.built
			continue
		}
		out = append(out, old)
	}
	return append(out, value{what: text, s: begin, built: built})
}

func common(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// callable reports whether a value is a function for sure.
func (v value) callable() bool {
	switch v.what {
	case thing:
		return v.obj.fn != nil || v.obj.class != nil || v.obj.method != "" || v.obj.target != nil
	case known:
		return isCallable(v.s)
	}
	return false
}

// cell holds what a variable, a property or a result may be.
type cell struct{ values set }

// object is a function or object of the program: one for each place that makes
// it, whatever the number of times.
type object struct {
	site  *node
	fn    *function
	class *class
	props map[string]*slot
	order []string
	rest  cell // properties whose names are not known, elements whose places are not
	proto cell // where properties are inherited from
	// copies are known things whose properties it has copies of; describes are
	// objects and known things whose descriptors it holds.
	copies, describes cell
	list              bool // an array whose elements are all in props, in order, while rest is empty
	// method: a method of a value that is not the program's own, such as
	// "".split: its name and the value.
	method string
	recv   cell
	of     *object // the object whose method it is, if it is one
	// target: a function with its this and first arguments bound.
	target    *cell
	this      cell
	bound     []*cell
	active    bool      // it is being called
	generator *function // of which this is a run
	depth     int       // how often it was derived from another one
}

// slot is a property.
type slot struct{ value, get, set cell }

func (o *object) slot(name string) *slot {
	if s := o.props[name]; s != nil {
		return s
	}
	if o.props == nil {
		o.props = map[string]*slot{}
	}
	s := &slot{}
	o.props[name] = s
	o.order = append(o.order, name)
	return s
}

// maxProperties bounds the properties of one object that are told apart.
const maxProperties = 2000
