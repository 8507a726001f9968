package rules

import (
	"cmp"
	"slices"

	"palisade"
	"palisade/internal/python"
)

// Patterns are rules in another form, run over one file at a time. tree is the
// file's where it is Python. An error says that the file could not be held to
// them.
type Patterns interface {
	Find(l palisade.Language, file string, source []byte, tree *python.Module) ([]palisade.Finding, error)
}

// match holds one file to the pattern rules.
func (r *reading) match(l palisade.Language, file string, source []byte, tree *python.Module) {
	if r.Patterns == nil {
		return
	}
	found, err := r.Patterns.Find(l, file, source, tree)
	r.matches = append(r.matches, found...)
	if err != nil {
		r.facts = append(r.facts, failed(file, err.Error()))
	}
}

// byPlace sorts findings by where they are; those of one place stay in order.
func byPlace(findings []palisade.Finding) {
	slices.SortStableFunc(findings, func(a, b palisade.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
