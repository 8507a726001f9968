package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/yamlfile"
)

// Rule is what policy knows of a rule that makes findings: that there is one of
// its ID, for lines under `rules:`, and what is said of its findings. It is no
// part of a profile's digest.
type Rule struct {
	ID       string
	Severity palisade.Severity
	// Capability is that of its findings; [palisade.CapPattern] for a pattern rule.
	Capability palisade.Capability
	// Languages are those that it is for. Nil: every one.
	Languages []palisade.Language
	// Remedy is what to write instead, in a sentence. Empty: nothing is said.
	Remedy string
}

// Rules returns every rule that runs, those of the owner's files of pattern
// rules among them.
type Rules func(files []RuleFile) ([]Rule, error)

// knownRules are rules by ID; nil: it is not known which there are.
type knownRules map[string]Rule

// known asks which rules there are.
func (rules Rules) known(files []RuleFile) (knownRules, error) {
	list, err := rules(files)
	if err != nil {
		return nil, err
	}
	known := knownRules{}
	for _, r := range list {
		known[r.ID] = r
	}
	return known, nil
}

// checkRules holds the lines under `rules:` to the rules that there are: one
// that names another would raise nothing, in silence.
func (b *builder) checkRules(known knownRules) {
	for _, line := range b.ruled {
		if _, ok := known[line.Name]; !ok {
			b.d.Fail(line.Value, fmt.Sprintf("there is no rule %q, so that the line would raise nothing", line.Name), known.instead(line.Name))
		}
	}
}

// instead says what may be meant by the ID of a rule that there is not.
func (known knownRules) instead(id string) string {
	if own, ok := Own(id); ok {
		return fmt.Sprintf("that is policy's own finding: %s decides", own.Line)
	}
	if near := yamlfile.Nearest(id, slices.Sorted(maps.Keys(known))); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "palisade rules list has them all; a file of pattern rules is named under rule_files"
}

// OwnFinding is a finding that policy itself makes, about a program as a whole
// or about who asks. No rule finds it.
type OwnFinding struct {
	ID       string
	Severity palisade.Severity
	Title    string
	// Line is what decides about it, and Remedy what to do.
	Line, Remedy string
}

// OwnFindings returns the findings that policy itself makes.
func OwnFindings() []OwnFinding {
	return []OwnFinding{
		{"condition", palisade.Medium, "Fulfills a condition of the profile (high, where one could not be evaluated)", "conditions of the profile", "Write a program that the condition's own words leave alone."},
		{"language-not-allowed", palisade.High, "Is in a language that the profile does not take", "languages of the profile", "Choose a profile that takes the language, or write the program in one that this profile takes."},
		{"no-tree", palisade.Critical, "Was not read, so that there is nothing to hold it to", "always.no_tree, which no file can change", "Send a program that can be read."},
		{"profile-not-allowed", palisade.High, "Asks for a profile that its caller may not name", "callers in config.yaml", "Leave the profile out, or have config.yaml give it to the caller."},
		{"profile-unknown", palisade.High, "Asks for a profile that does not exist", "profiles of the policy", "Name a profile that there is: palisade policy show lists them."},
		{"score", palisade.Medium, "Reaches for too much, or hides too much, in one program", "score of the profile", "Write a plainer program: fewer capabilities, nothing encoded."},
	}
}

// Own returns the finding of policy's own with an ID.
func Own(id string) (OwnFinding, bool) {
	all := OwnFindings()
	i := slices.IndexFunc(all, func(f OwnFinding) bool { return f.ID == id })
	if i < 0 {
		return OwnFinding{}, false
	}
	return all[i], true
}

// ownFinding is a finding of policy's own about a program as a whole.
func ownFinding(id string, program palisade.Program, message string) palisade.Finding {
	own, _ := Own(id)
	return palisade.Finding{Rule: id, Severity: own.Severity, Message: message, File: cmp.Or(program.Name, "program")}
}

// remedy is what a rule says to write instead, as a part of a sentence.
func (known knownRules) remedy(id string) string {
	text := strings.TrimSuffix(strings.Join(strings.Fields(known[id].Remedy), " "), ".")
	if text == "" || strings.HasPrefix(text, "Nothing") || len(text) > maxListed {
		return ""
	}
	if second := text[1:]; second != "" && (second[0] >= 'a' && second[0] <= 'z' || second[0] == ' ') {
		return strings.ToLower(text[:1]) + second
	}
	return text
}
