package rules

import (
	"context"
	"slices"
	"testing"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/analysis/foreign"
	"palisade/internal/python"
	"palisade/internal/semgrep"
)

func inspect(t testing.TB, src string, modules ...palisade.Module) palisade.Inspection {
	t.Helper()
	return inspectProgram(t, palisade.Program{Language: palisade.Python, Name: "p.py", Source: []byte(src), Modules: modules})
}

// shipped are the pattern rules that come with the product.
type shipped struct{}

func (shipped) Find(l palisade.Language, file string, source []byte, tree *python.Module) ([]palisade.Finding, error) {
	engine, err := semgrep.Default()
	if err != nil {
		return nil, err
	}
	matches, err := engine.Match(semgrep.Source{Path: file, Language: l, Text: source, Tree: tree})
	var found []palisade.Finding
	for _, m := range matches {
		found = append(found, palisade.Finding{
			Rule: m.Rule.ID, Severity: m.Rule.Severity, Capability: palisade.CapPattern, Message: m.Message, File: file, Line: m.Line, Column: m.Column,
		})
	}
	return found, err
}

// direct reads other languages in this process.
type direct struct{}

func (direct) Read(_ context.Context, t analysis.Text) (analysis.Reading, error) {
	return foreign.Direct(t)
}

func inspectProgram(t testing.TB, p palisade.Program) palisade.Inspection {
	t.Helper()
	out, err := Inspector{Reader: direct{}}.Inspect(context.Background(), palisade.Submission{Program: p})
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
			language := palisade.Python
			if l := r.Languages(); l != nil {
				language = l[0]
			}
			findings := func(src string) []palisade.Finding {
				return inspectProgram(t, palisade.Program{Language: language, Name: "p", Source: []byte(src)}).Findings
			}
			is := func(f palisade.Finding) bool { return f.Rule == r.ID }
			bad := r.Bad
			if r.Long != nil {
				bad = append(slices.Clone(bad), r.Long())
			}
			for _, src := range bad {
				if list := findings(src); !slices.ContainsFunc(list, is) {
					t.Errorf("not found in:\n%.200s\nfindings: %v", src, list)
				}
			}
			for _, src := range r.Good {
				if list := findings(src); slices.ContainsFunc(list, is) {
					t.Errorf("found in:\n%.200s\nfindings: %v", src, list)
				}
			}
		})
	}
}
