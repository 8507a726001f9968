package iac

import (
	"strings"
)

// spot is a field on the way through a block: what every provider's resources
// are asked, whatever their kind.
type spot struct {
	*report
	address string
	path    []string // the names from the block to the field, in lower case
	parents []*value // the mappings from the block to the one that holds the field
	field
}

// checks are asked of every field.
var checks = []func(spot){
	spot.credentials, spot.openings, spot.rights, spot.destruction, spot.exposure, spot.scripts, spot.names, spot.container,
}

// visit asks the checks of every field at and under a value.
func (r *report) visit(address string, v *value) {
	r.walk(spot{report: r, address: address}, v, 0)
}

func (r *report) walk(at spot, v *value, depth int) {
	if depth > maxDepth {
		panic(errBudget)
	}
	for m := range v.each() {
		r.step()
		if m.kind == text {
			r.metadata(m, at.address)
			r.document(at, m, depth)
			continue
		}
		in := at
		in.parents = append(at.parents[:len(at.parents):len(at.parents)], m)
		in.statement(m)
		for _, f := range m.fields {
			r.step()
			in.field = f
			in.path = append(at.path[:len(at.path):len(at.path)], strings.ToLower(f.name))
			for _, check := range checks {
				check(in)
			}
			r.walk(in, f.value, depth+1)
		}
	}
}

// document reads JSON that stands in a text, such as a policy.
func (r *report) document(at spot, t *value, depth int) {
	s := strings.TrimSpace(t.text)
	if len(s) < 2 || !(s[0] == '{' && s[len(s)-1] == '}' || s[0] == '[' && s[len(s)-1] == ']') || !strings.Contains(s, `"`) {
		return
	}
	r.fold(s)
	v, err := readJSON(r, strings.ReplaceAll(t.text, gap, jsonGap), t.place(), false)
	switch {
	case err == nil && depth < maxDepth:
		r.walk(at, v, depth+20) // a document in a document in a document ends soon
	case t.unknown():
		r.unresolved(t.place(), at.address, "a document that is not wholly in the file")
	}
}

// name is the field's own name, in lower case.
func (s spot) name() string { return s.path[len(s.path)-1] }

// parent is the mapping that holds the field.
func (s spot) parent() *value { return s.parents[len(s.parents)-1] }

func (s spot) symbol() string { return s.address + "." + strings.Join(s.path, ".") }

// within reports whether one of the names on the way, or the address, holds one
// of the words.
func (s spot) within(words ...string) bool {
	for _, w := range words {
		if strings.Contains(s.address, w) {
			return true
		}
		for _, name := range s.path {
			if strings.Contains(name, w) {
				return true
			}
		}
	}
	return false
}

// beside finds a setting in the mapping that holds the field, or above it.
func (s spot) beside(names ...string) *value {
	for i := len(s.parents) - 1; i >= 0; i-- {
		for _, name := range names {
			for _, f := range s.parents[i].fields {
				if strings.EqualFold(f.name, name) {
					return f.value
				}
			}
		}
	}
	return nil
}

// where is the place of a value of the field: its own, or the field's.
func (s spot) where(v *value) place {
	if v != nil && v.line > 0 {
		return v.place()
	}
	return s.field.place()
}
