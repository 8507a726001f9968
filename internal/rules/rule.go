package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"palisade"
	"palisade/internal/analysis"
)

// Rule is one kind of finding.
type Rule struct {
	// ID is stable and made of words: policy files name it. Its first word says
	// which language the rule is for (see prefixes); without one of those it is
	// for every language, and its programs are Python.
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
	// Long makes a bad program that is too long to stand in Bad.
	Long func() string
}

// prefixes are the first words of IDs, and the languages that they stand for.
var prefixes = map[string][]palisade.Language{
	"py":     {palisade.Python},
	"sh":     {palisade.Shell},
	"js":     {palisade.JavaScript, palisade.TypeScript},
	"sql":    {palisade.SQL},
	"tf":     {palisade.Terraform},
	"k8s":    {palisade.Kubernetes},
	"docker": {palisade.Dockerfile},
}

// Languages are those that the rule is for; nil: every one.
func (r Rule) Languages() []palisade.Language {
	word, _, _ := strings.Cut(r.ID, "-")
	return prefixes[word]
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

// Find returns the rule of an ID.
func Find(id string) (Rule, bool) {
	i := slices.IndexFunc(catalogue, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return catalogue[i], true
}

// Validate reports the first fault of a catalogue: a rule without a text, an
// ID that is not words or stands twice, a capability without a rule for the
// rest of its facts.
func Validate(list []Rule) error {
	seen, general := map[string]bool{}, map[subject]bool{}
	for _, r := range list {
		switch {
		case r.ID == "" || strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
			return fmt.Errorf("rule %q: an ID is made of lower-case words with hyphens", r.ID)
		case seen[r.ID]:
			return fmt.Errorf("rule %s stands twice", r.ID)
		case r.Title == "" || r.Says == "" || r.Description == "" || r.Remedy == "":
			return fmt.Errorf("rule %s: a text is missing", r.ID)
		case r.Capability == "":
			return fmt.Errorf("rule %s: no capability", r.ID)
		case len(r.Bad) == 0 && r.Long == nil || len(r.Good) == 0:
			return fmt.Errorf("rule %s: it needs a bad and a good program", r.ID)
		}
		seen[r.ID] = true
		for _, s := range r.subjects() {
			if r.Match == nil && general[s] {
				return fmt.Errorf("rule %s: a second rule for the rest of %s in %q", r.ID, s.capability, s.language)
			}
			general[s] = general[s] || r.Match == nil
		}
	}
	for _, r := range list {
		for _, s := range r.subjects() {
			if !general[s] && !general[subject{"", s.capability}] {
				return fmt.Errorf("capability %s: no rule for facts in %q that %s leaves out", s.capability, s.language, r.ID)
			}
		}
	}
	return nil
}

// subject is what a rule is about; the language "" stands for every one.
type subject struct {
	language   palisade.Language
	capability palisade.Capability
}

func (r Rule) subjects() []subject {
	languages := r.Languages()
	if languages == nil {
		return []subject{{"", r.Capability}}
	}
	out := make([]subject, len(languages))
	for i, l := range languages {
		out[i] = subject{l, r.Capability}
	}
	return out
}

// catalogueIndex is the index of the catalogue.
var catalogueIndex = sync.OnceValue(func() index { return newIndex(catalogue) })

// index finds the rule of a fact.
type index map[subject][]*Rule

func newIndex(list []Rule) index {
	ix := index{}
	for i := range list {
		r := &list[i]
		for _, s := range r.subjects() {
			ix[s] = append(ix[s], r)
		}
	}
	for _, rules := range ix { // narrow ones first
		slices.SortStableFunc(rules, func(a, b *Rule) int {
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
	for _, s := range [2]subject{{f.Language, f.Capability}, {"", f.Capability}} {
		for _, r := range ix[s] {
			if r.Match == nil || r.Match(f) {
				return palisade.Finding{
					Rule: r.ID, Severity: r.Severity, Capability: f.Capability, Message: message(r, f),
					File: f.File, Line: f.Line, Column: f.Column,
					Argument: f.Argument, Unknown: f.Unknown, Symbol: f.Symbol, Evidence: strings.TrimPrefix(f.Evidence, "…"),
				}
			}
		}
	}
	// A capability without a rule is a fault of the catalogue: doubt means no.
	return palisade.Finding{
		Rule: "analysis-failed", Severity: palisade.Critical, Capability: palisade.CapFailed,
		Message: fmt.Sprintf("no rule knows the capability %q in %q", f.Capability, f.Language), File: f.File, Line: f.Line, Column: f.Column,
	}
}

// message is a rule's clause with what the fact adds.
func message(r *Rule, f analysis.Fact) string {
	switch {
	case f.Kind == analysis.KindSyntax && f.Argument != "":
		return r.Says + ": " + sentence(f.Argument)
	case f.Kind == analysis.KindLookalike:
		return r.Says + ": " + shorten(f.Argument) + ", near " + f.Symbol
	case f.Unknown && f.Argument != "":
		return r.Says + ": " + f.Symbol + " of something that begins with " + shorten(f.Argument)
	case f.Symbol != "" && f.Argument != "" && f.Symbol != f.Argument:
		return r.Says + ": " + f.Symbol + " of " + shorten(f.Argument)
	case f.Symbol != "":
		return r.Says + ": " + shorten(f.Symbol)
	case f.Argument != "":
		return r.Says + ": " + shorten(f.Argument)
	}
	return r.Says
}

// shorten quotes what a program says, so that a message stays one line.
func shorten(s string) string {
	end := ""
	if len(s) > 80 {
		s, end = strings.ToValidUTF8(s[:80], ""), "..."
	}
	return quote(s + end)
}

// sentence is what a parser says: it has quotes of its own.
func sentence(s string) string {
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "..."
	}
	quoted := strconv.QuoteToASCII(strings.ReplaceAll(s, "…", "..."))
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// quote quotes a text that is not one plain word. The mark of what was left out
// stays as readable as the rest.
func quote(s string) string {
	s = strings.ReplaceAll(s, "…", "...")
	if strings.IndexFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e }) < 0 {
		return s
	}
	return strconv.QuoteToASCII(s)
}

// outside reports whether a fact's path is known and not in the workspace.
func outside(f analysis.Fact) bool { return f.Argument != "" && !analysis.InWorkspace(f.Argument) }
