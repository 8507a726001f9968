package local

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/policy"
	"palisade/internal/python"
	"palisade/internal/rules"
	"palisade/internal/semgrep"
)

// patterns are the pattern rules that come with the product, and the owner's.
type patterns struct{ engine *semgrep.Engine }

// loadPatterns reads the rules of files that policy names, and more files beside.
// What is wrong with one of them is an error: no rule is left out in silence.
func loadPatterns(named []policy.RuleFile, more []string) (patterns, error) {
	if len(named) == 0 && len(more) == 0 {
		engine, err := semgrep.Default()
		return patterns{engine}, err
	}
	for _, path := range more {
		read, err := policy.ReadRuleFiles(path)
		if err != nil {
			return patterns{}, err
		}
		named = slices.Concat(named, read)
	}
	files := semgrep.Shipped()
	for _, f := range named {
		files = append(files, semgrep.File{Name: f.Name, Data: f.Data})
	}
	engine, err := semgrep.Load(files...)
	if err != nil {
		return patterns{}, fmt.Errorf("pattern rules: %w", err)
	}
	return patterns{engine}, nil
}

// Find implements [rules.Patterns].
func (p patterns) Find(l palisade.Language, file string, source []byte, tree *python.Module) ([]palisade.Finding, error) {
	matches, err := p.engine.Match(semgrep.Source{Path: file, Language: l, Text: source, Tree: tree})
	if err != nil {
		return nil, err
	}
	found := make([]palisade.Finding, 0, len(matches))
	for _, m := range matches {
		found = append(found, palisade.Finding{
			Rule: m.Rule.ID, Severity: m.Rule.Severity, Capability: palisade.CapPattern,
			Message: strings.Join(strings.Fields(m.Message), " "), File: file, Line: m.Line, Column: m.Column, Evidence: bound(m.Metavars),
		})
	}
	return found, nil
}

// bound says what the metavariables of a match stand for.
func bound(vars map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		words = append(words, name+" is "+strings.Join(strings.Fields(vars[name]), " "))
	}
	return strings.Join(words, "; ")
}

// Rules are the rules that run with files of pattern rules that policy names:
// the catalogue's, those that come with the product, and those in the files.
func Rules(named []policy.RuleFile) ([]policy.Rule, error) {
	p, err := loadPatterns(named, nil)
	if err != nil {
		return nil, err
	}
	return p.rules(), nil
}

// PatternRules are the pattern rules alone: those that come with the product,
// those of files that policy names, and those of more files and folders.
func PatternRules(named []policy.RuleFile, more []string) ([]*semgrep.Rule, error) {
	p, err := loadPatterns(named, more)
	if err != nil {
		return nil, err
	}
	return p.engine.Rules(), nil
}

// rules are the catalogue's rules and the patterns, as policy knows them.
func (p patterns) rules() []policy.Rule {
	var out []policy.Rule
	for _, r := range rules.All() {
		out = append(out, policy.Rule{ID: r.ID, Severity: r.Severity, Capability: r.Capability, Languages: r.Languages(), Remedy: r.Remedy})
	}
	for _, r := range p.engine.Rules() {
		out = append(out, policy.Rule{ID: r.ID, Severity: r.Severity, Capability: palisade.CapPattern, Languages: r.ForLanguages(), Remedy: r.Remedy()})
	}
	return out
}
