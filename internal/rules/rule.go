package rules

import (
	"fmt"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// Rule is one kind of finding.
type Rule struct {
	// ID is stable and made of words: policy files name it.
	ID       string
	Title    string
	Severity palisade.Severity
	// Capability is that of the facts which the rule is about.
	Capability palisade.Capability
	// Match narrows those facts down. Nil: all that no narrower rule takes.
	Match func(analysis.Fact) bool
	// Says is what the program could do, in one clause; the symbol and the
	// argument are added to it.
	Says string
	// Description explains the danger, Remedy what to write instead.
	Description, Remedy string
	// CWE is the weakness's number in the Common Weakness Enumeration; 0: none.
	CWE int
	// Bad programs have a finding of this rule, Good ones have none.
	Bad, Good []string
}

// catalogue holds the rules in the order of their files. It is written only
// while the package's variables are initialized.
var catalogue []Rule

// add puts a rule into the catalogue.
func add(r Rule) bool {
	catalogue = append(catalogue, r)
	return true
}

// All returns the rules, by ID.
func All() []Rule {
	out := slices.Clone(catalogue)
	slices.SortFunc(out, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Validate reports the first fault of a catalogue: a rule without a text, an
// ID that is not words or stands twice, a capability without a rule for the
// rest of its facts.
func Validate(list []Rule) error {
	seen, general := map[string]bool{}, map[palisade.Capability]bool{}
	for _, r := range list {
		switch {
		case r.ID == "" || strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz-") != "":
			return fmt.Errorf("rule %q: an ID is made of lower-case words with hyphens", r.ID)
		case seen[r.ID]:
			return fmt.Errorf("rule %s stands twice", r.ID)
		case r.Title == "" || r.Says == "" || r.Description == "" || r.Remedy == "":
			return fmt.Errorf("rule %s: a text is missing", r.ID)
		case r.Capability == "":
			return fmt.Errorf("rule %s: no capability", r.ID)
		case len(r.Bad) == 0 || len(r.Good) == 0:
			return fmt.Errorf("rule %s: it needs a bad and a good program", r.ID)
		case r.Match == nil && general[r.Capability]:
			return fmt.Errorf("rule %s: a second rule for the rest of %s", r.ID, r.Capability)
		}
		seen[r.ID] = true
		general[r.Capability] = general[r.Capability] || r.Match == nil
	}
	for _, r := range list {
		if !general[r.Capability] {
			return fmt.Errorf("capability %s: no rule for facts that %s leaves out", r.Capability, r.ID)
		}
	}
	return nil
}

// index finds the rule of a fact.
type index map[palisade.Capability][]Rule

func newIndex(list []Rule) index {
	ix := index{}
	for _, r := range list {
		ix[r.Capability] = append(ix[r.Capability], r)
	}
	for _, rules := range ix { // narrow ones first
		slices.SortStableFunc(rules, func(a, b Rule) int {
			switch {
			case a.Match != nil && b.Match == nil:
				return -1
			case a.Match == nil && b.Match != nil:
				return 1
			}
			return 0
		})
	}
	return ix
}

// finding turns a fact into the finding of its rule.
func (ix index) finding(f analysis.Fact) palisade.Finding {
	for _, r := range ix[f.Capability] {
		if r.Match == nil || r.Match(f) {
			return palisade.Finding{
				Rule: r.ID, Severity: r.Severity, Capability: f.Capability, Message: message(r, f),
				File: f.File, Line: f.Line, Column: f.Column,
				Argument: f.Argument, Unknown: f.Unknown, Symbol: f.Symbol, Evidence: f.Evidence,
			}
		}
	}
	// A capability without a rule is a fault of the catalogue: doubt means no.
	return palisade.Finding{
		Rule: "analysis-failed", Severity: palisade.Critical, Capability: palisade.CapFailed,
		Message: fmt.Sprintf("no rule knows the capability %q", f.Capability), File: f.File, Line: f.Line, Column: f.Column,
	}
}

// message is a rule's clause with what the fact adds.
func message(r Rule, f analysis.Fact) string {
	var b strings.Builder
	b.WriteString(r.Says)
	switch {
	case f.Unknown && f.Argument != "":
		fmt.Fprintf(&b, ": %s of something under %s", f.Symbol, shorten(f.Argument))
	case f.Symbol != "" && f.Argument != "" && f.Symbol != f.Argument:
		fmt.Fprintf(&b, ": %s of %s", f.Symbol, shorten(f.Argument))
	case f.Symbol != "":
		fmt.Fprintf(&b, ": %s", shorten(f.Symbol))
	case f.Argument != "":
		fmt.Fprintf(&b, ": %s", shorten(f.Argument))
	}
	return b.String()
}

// shorten quotes what a program says, so that a message stays one line.
func shorten(s string) string {
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "…"
	}
	plain := strings.IndexFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e }) < 0
	if plain {
		return s
	}
	return fmt.Sprintf("%+q", s)
}

// under reports whether a path is a folder or in it.
func under(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// outside reports whether a fact's path is known and not in the workspace.
func outside(f analysis.Fact) bool {
	return f.Argument != "" && !under(f.Argument, analysis.Workspace) && !under(f.Argument, "/tmp")
}
