package iac

import (
	"slices"
	"strings"
)

// kind is the shape of a value.
type kind uint8

const (
	null    kind = iota // nothing stands there
	text                // a string, number or boolean, as its text
	list                // items
	mapping             // fields
	choice              // one of the items: which is known only when it runs
)

// gap stands in a text for what could not be resolved. No source holds it.
const gap = "\x00"

// value is one value of a file, with its place. Methods take nil for null.
type value struct {
	kind         kind
	text         string // of a text; gaps where it is not known
	items        []*value
	fields       []field
	labels       []string // of a block
	line, column int
	how          string // how it was reached, where that is not plain
}

// field is one entry of a mapping. Blocks of one name make one field each.
type field struct {
	name         string
	line, column int
	value        *value
}

// place is where something stands.
type place struct{ line, column int }

func (v *value) place() place {
	if v == nil {
		return place{}
	}
	return place{v.line, v.column}
}

func (f field) place() place { return place{f.line, f.column} }

func textAt(s string, p place) *value {
	return &value{kind: text, text: s, line: p.line, column: p.column}
}

// unknownAt is a value of which nothing is known.
func unknownAt(p place) *value { return textAt(gap, p) }

// input is a value that whoever applies the file gives.
func input(name string, p place) *value {
	v := unknownAt(p)
	v.how = name + inputMark
	return v
}

// inputMark ends the history of an input.
const inputMark = " is given from outside"

func (v *value) isInput() bool { return v.unknown() && strings.HasSuffix(v.how, inputMark) }

func (v *value) is(k kind) bool { return v != nil && v.kind == k }

// unknown reports whether a part of a text is not known.
func (v *value) unknown() bool { return v.is(text) && strings.Contains(v.text, gap) }

// known returns the text up to the first part that is not known.
func (v *value) known() string {
	if !v.is(text) {
		return ""
	}
	s, _, _ := strings.Cut(v.text, gap)
	return s
}

// get returns what stands under a path of names; several blocks of one name, or
// a list on the way, give a choice. What is under an unknown value is unknown.
func (v *value) get(names ...string) *value {
	for _, name := range names {
		var found []*value
		for m := range v.each() {
			switch {
			case m.kind == mapping:
				for _, f := range m.fields {
					if f.name == name {
						found = append(found, f.value)
					}
				}
			case m.unknown():
				found = append(found, unknownAt(m.place()))
			}
		}
		v = oneOf(found)
	}
	return v
}

// oneOf makes a choice of more than one value.
func oneOf(values []*value) *value {
	switch len(values) {
	case 0:
		return nil
	case 1:
		return values[0]
	}
	return &value{kind: choice, items: values, line: values[0].line, column: values[0].column, how: values[0].how}
}

// each yields the items of lists and the alternatives of choices, and a single
// value as itself: providers take one block where they take many.
func (v *value) each() func(yield func(*value) bool) {
	return func(yield func(*value) bool) {
		left := maxSteps
		v.walk(yield, 0, &left)
	}
}

// walk ends the reading where a value is deeper or, by alternatives that share
// parts, larger than what is read: what is not looked at may be anything.
func (v *value) walk(yield func(*value) bool, depth int, left *int) bool {
	if *left--; depth > maxDepth || *left < 0 {
		panic(errBudget)
	}
	switch {
	case v == nil || v.kind == null:
		return true
	case v.kind != list && v.kind != choice:
		return yield(v)
	}
	for _, item := range v.items {
		if !item.walk(yield, depth+1, left) {
			return false
		}
	}
	return true
}

// texts yields the texts among a value's items or alternatives.
func (v *value) texts() func(yield func(*value) bool) {
	return func(yield func(*value) bool) {
		for t := range v.each() {
			if t.kind == text && !yield(t) {
				return
			}
		}
	}
}

// first returns the first known text, "" where there is none.
func (v *value) first() string {
	for t := range v.texts() {
		if s := t.known(); s != "" {
			return s
		}
	}
	return ""
}

// has reports whether one of the texts is one of the words, in any case.
func (v *value) has(words ...string) bool {
	for t := range v.texts() {
		if slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(t.text, w) }) {
			return true
		}
	}
	return false
}

// yes reports whether a value may be true. Besides HCL's and JSON's it takes
// the words of YAML 1.1, which kubectl's decoder takes (go-yaml v2, resolve.go).
func (v *value) yes() bool { return v.has("true", "yes", "y", "on") }

// no reports whether a value may be false.
func (v *value) no() bool { return v.has("false", "no", "n", "off") }

// absent reports whether nothing stands there.
func (v *value) absent() bool { return v == nil || v.kind == null }
