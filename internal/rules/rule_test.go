package rules

import (
	"context"
	"slices"
	"testing"

	"palisade"
)

func inspect(t testing.TB, src string, modules ...palisade.Module) palisade.Inspection {
	t.Helper()
	out, err := Inspector{}.Inspect(context.Background(), palisade.Submission{
		Program: palisade.Program{Language: palisade.Python, Name: "p.py", Source: []byte(src), Modules: modules},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCatalogue(t *testing.T) {
	if err := Validate(All()); err != nil {
		t.Fatal(err)
	}
}

// TestExamples holds each rule to its own programs.
func TestExamples(t *testing.T) {
	for _, r := range All() {
		t.Run(r.ID, func(t *testing.T) {
			found := func(src string) bool {
				return slices.ContainsFunc(inspect(t, src).Findings, func(f palisade.Finding) bool { return f.Rule == r.ID })
			}
			for _, src := range r.Bad {
				if !found(src) {
					t.Errorf("not found in:\n%.200s\nfindings: %v", src, inspect(t, src).Findings)
				}
			}
			for _, src := range r.Good {
				if found(src) {
					t.Errorf("found in:\n%.200s\nfindings: %v", src, inspect(t, src).Findings)
				}
			}
		})
	}
}
