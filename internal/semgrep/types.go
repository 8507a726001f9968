package semgrep

import "palisade/internal/python"

// hasType reports whether an expression is known to have a type: a literal, a
// parameter or variable with an annotation, or what calling the type gives.
func (m *matcher) hasType(t, want *node) bool {
	name := want.dotted()
	if name == "string" { // Semgrep's word for it
		name = "str"
	}
	if want.kind == kMvar || name == "" {
		return false
	}
	if t.known != nil && t.known.kind.String() == name && t.known.kind != python.Ellipsis {
		return true
	}
	switch t.kind {
	case kCall:
		return m.named(t.kids[0], want)
	case kName:
		for _, annotation := range m.file.annotations(t.text) {
			if m.named(annotation, want) {
				return true
			}
		}
	case kList:
		return name == "list"
	case kDict:
		return name == "dict"
	case kSet:
		return name == "set"
	case kTuple:
		return name == "tuple"
	case kFString:
		return name == "str"
	}
	return false
}

// named reports whether an expression is the name of a type.
func (m *matcher) named(t, want *node) bool {
	return len(m.match(want, t, nil)) > 0
}

// annotations returns the types that the file gives a name anywhere. Scopes
// are not told apart: doubt finds more.
func (f *file) annotations(name string) []*node {
	if f.types == nil {
		f.types = map[string][]*node{}
		for _, p := range f.byKind[kParam] {
			if p.kids[1] != nil {
				f.types[p.kids[0].text] = append(f.types[p.kids[0].text], p.kids[1])
			}
		}
		for _, a := range f.byKind[kAssign] {
			for _, t := range a.kids[0].kids {
				f.assigned(a, t)
			}
		}
	}
	return f.types[name]
}

func (f *file) assigned(a, t *node) {
	if t.kind != kName {
		return
	}
	if a.kids[2] != nil {
		f.types[t.text] = append(f.types[t.text], a.kids[2])
	}
	if v := a.kids[1]; v != nil && v.kind == kCall {
		f.types[t.text] = append(f.types[t.text], v.kids[0])
	}
}
