package shell

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// variable is what a name stands for.
type variable struct {
	value value
	// list holds the elements of an array, in order; keys their subscripts
	// where they are not 0, 1, 2…
	list  []value
	keys  []string
	array bool
	// loose arrays have elements nobody knows where; list holds what each may be.
	loose bool
	// unset says that the variable may also be unset or come from outside.
	unset bool
	// ref is the name that this one refers to (declare -n).
	ref string
}

// The names under which a scope keeps what is not a variable of the program.
const (
	keyFolder    = "\x00folder" // the working directory
	keyStack     = "\x00stack"  // pushd's
	keyArguments = "\x00arguments"
	keyName      = "\x00name" // of $0
)

// maxElements bounds an array; one with more has an unknown element.
const maxElements = 4096

// scope is the variables at a point of the program. It is a layer over those of
// the point where it began, so that a subshell or a branch costs only what it
// changes.
type scope struct {
	vars  map[string]variable
	outer *scope
	// locals are the names that a function declared; nil: not a function's.
	locals map[string]bool
}

func (s *scope) layer() *scope { return &scope{vars: map[string]variable{}, outer: s} }

// lookup finds a variable, following references.
func (s *scope) lookup(name string) (variable, bool) {
	for range 8 {
		v, ok := s.direct(name)
		if !ok || v.ref == "" {
			return v, ok
		}
		name = v.ref
	}
	return variable{value: unknown}, true
}

func (s *scope) direct(name string) (variable, bool) {
	for at := s; at != nil; at = at.outer {
		if v, ok := at.vars[name]; ok {
			return v, true
		}
	}
	return variable{}, false
}

// set gives a variable a value, following references.
func (s *scope) set(name string, v variable) { s.vars[s.target(name)] = v }

// target is the name that a name refers to in the end.
func (s *scope) target(name string) string {
	for range 8 {
		old, ok := s.direct(name)
		if !ok || old.ref == "" {
			break
		}
		name = old.ref
	}
	return name
}

// commit keeps what a layer changed, but for a function's own variables.
func (s *scope) commit() {
	for name, v := range s.vars {
		if !s.locals[name] && name != keyArguments {
			s.outer.vars[name] = v
		}
	}
}

// forget makes what functions changed so far stand for whatever they go on to
// make of it.
func (s *scope) forget() {
	for at := s; at.outer != nil; at = at.outer {
		for name, v := range at.vars {
			if _, done := s.vars[name]; !done || at == s {
				s.vars[name] = widen(v, v)
			}
		}
	}
}

// keep keeps all that a layer changed.
func (s *scope) keep() { maps.Copy(s.outer.vars, s.vars) }

// merge keeps in s what either of two layers over it may have changed.
func (s *scope) merge(a, b *scope) {
	names := slices.Collect(maps.Keys(a.vars))
	for name := range b.vars {
		if _, both := a.vars[name]; !both {
			names = append(names, name)
		}
	}
	for _, name := range names {
		x, okX := a.direct(name)
		y, okY := b.direct(name)
		if !okX {
			x = variable{value: text(""), unset: true}
		}
		if !okY {
			y = variable{value: text(""), unset: true}
		}
		s.vars[name] = either(x, y)
	}
}

// either is a variable that may be one of two.
func either(x, y variable) variable {
	out := variable{unset: x.unset || y.unset, array: x.array || y.array, loose: x.loose || y.loose, ref: x.ref}
	if out.ref == "" {
		out.ref = y.ref
	}
	out.value = join(x.value, y.value)
	if !out.array {
		return out
	}
	longer, shorter := x, y
	if len(y.list) > len(x.list) {
		longer, shorter = y, x
	}
	out.keys = longer.keys
	for i, v := range longer.list {
		if i < len(shorter.list) {
			v = join(v, shorter.list[i])
		}
		out.list = append(out.list, v)
	}
	return out
}

// differ reports whether two variables are not the same.
func differ(x, y variable) bool {
	return !slices.Equal(x.value, y.value) || len(x.list) != len(y.list) || x.ref != y.ref ||
		!slices.EqualFunc(x.list, y.list, func(a, b value) bool { return slices.Equal(a, b) })
}

// widen makes of a variable that changed from x to y in a loop one that stands
// for whatever more turns would make of it.
func widen(x, y variable) variable {
	out := either(x, y)
	out.value = open(out.value)
	if out.array {
		all := value{}
		for _, v := range out.list {
			all = join(all, v)
		}
		out.list, out.keys, out.loose = []value{open(all)}, nil, true
	}
	return out
}

// open is a value and anything that begins as it does.
func open(v value) value {
	out := slices.Clone(v)
	for _, s := range v {
		out = append(out, prefix(s)+worst(s))
	}
	slices.Sort(out)
	return bounded(slices.Compact(out))
}

// element is one element of an array, or of a scalar as an array of one.
func (v variable) element(key string) value {
	if !v.array {
		if key == "0" || key == "-1" || slices.ContainsFunc(v.value, hasHole) {
			return v.value // one that is not known may be an array
		}
		return text("")
	}
	if v.loose || v.keys != nil && strings.HasPrefix(key, "-") {
		return v.any()
	}
	if v.keys != nil {
		for i := len(v.keys) - 1; i >= 0; i-- {
			if v.keys[i] == key {
				return v.list[i]
			}
		}
		return text("")
	}
	n, err := strconv.Atoi(key)
	if err != nil {
		return v.any()
	}
	if n < 0 {
		n += len(v.list)
	}
	if n < 0 || n >= len(v.list) {
		return text("")
	}
	return v.list[n]
}

// scattered is an array of which only what its elements may be is known.
func scattered(v value) variable { return variable{array: true, loose: true, list: []value{v}} }

// any is a value that may be each element.
func (v variable) any() value {
	if !v.array {
		return v.value
	}
	out := value{}
	for _, e := range v.list {
		out = join(out, e)
	}
	if len(out) == 0 {
		return text("")
	}
	return out
}

// all are the elements; a scalar is an array of one.
func (v variable) all() []value {
	if v.array {
		return v.list
	}
	return []value{v.value}
}

// add puts elements at the end of an array that nobody else holds yet.
func (v variable) add(list fields) variable {
	for _, f := range list {
		if len(v.list) >= maxElements || v.keys != nil {
			v = v.put(itoa(len(v.list)), value{f})
			continue
		}
		v.list = append(v.list, value{f})
	}
	return v
}

// put sets an element.
func (v variable) put(key string, e value) variable {
	if !v.array {
		old := v
		v = variable{array: true}
		if !old.unset && old.value != nil {
			v.list = []value{old.value}
		}
	}
	if v.loose {
		return scattered(open(join(v.any(), e)))
	}
	n, err := strconv.Atoi(key)
	if err == nil && v.keys == nil && n >= 0 && n < len(v.list) {
		v.list = slices.Clone(v.list)
		v.list[n] = e
		return v
	}
	if len(v.list) >= maxElements {
		return scattered(open(join(v.any(), e)))
	}
	if err == nil && v.keys == nil && n == len(v.list) {
		v.list = append(v.list[:len(v.list):len(v.list)], e)
		return v
	}
	if v.keys == nil {
		v.keys = make([]string, len(v.list))
		for i := range v.keys {
			v.keys[i] = strconv.Itoa(i)
		}
	}
	v.keys = append(v.keys[:len(v.keys):len(v.keys)], key)
	v.list = append(v.list[:len(v.list):len(v.list)], e)
	return v
}
