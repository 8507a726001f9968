package semgrep

import (
	"regexp"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/yamlfile"
)

// Rule is one rule of a file.
type Rule struct {
	ID       string
	Message  string // may speak of metavariables
	Severity palisade.Severity
	// Languages are those of the rule, in Semgrep's words.
	Languages []string
	// Metadata is what the owner wrote under `metadata`: of it, only [Rule.Remedy]
	// and [Rule.CWE] are read.
	Metadata *yamlfile.Node
	// Fix is what the owner would write instead. It is never applied.
	Fix string
	// File and Line are where the rule stands.
	File string
	Line int

	options  options
	include  []*regexp.Regexp
	exclude  []*regexp.Regexp
	formula  *formula // of a rule that searches
	taint    *taintRule
	anywhere bool // for any language
	speaks   []palisade.Language
}

// Taint reports whether the rule follows data from sources to sinks.
func (r *Rule) Taint() bool { return r.taint != nil }

// Remedy is what the owner says to write instead, under `metadata.remedy`; else
// empty.
func (r *Rule) Remedy() string {
	if v := r.metadata("remedy"); v != nil {
		return v.Text
	}
	return ""
}

// CWE are the weaknesses that the owner names under `metadata.cwe`, as written.
func (r *Rule) CWE() []string {
	v := r.metadata("cwe")
	if v == nil {
		return nil
	}
	var out []string
	for _, item := range append([]*yamlfile.Node{v}, v.Items...) {
		if item.Text != "" {
			out = append(out, item.Text)
		}
	}
	return out
}

// metadata is the value of one key; nil: there is none.
func (r *Rule) metadata(name string) *yamlfile.Node {
	if r.Metadata == nil {
		return nil
	}
	for _, f := range r.Metadata.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// BuiltIn reports whether the rule comes with the product.
func (r *Rule) BuiltIn() bool { return slices.Contains(shippedNames(".yaml"), r.File) }

// ForLanguages are the languages of programs that the rule is for; nil: any.
func (r *Rule) ForLanguages() []palisade.Language {
	if r.anywhere {
		return nil
	}
	return r.speaks
}

// forLanguage reports whether the rule is for programs of a language.
func (r *Rule) forLanguage(l palisade.Language) bool {
	if r.anywhere {
		return true
	}
	for _, one := range r.speaks {
		if one == l {
			return true
		}
	}
	return false
}

// forPath holds a path to the rule's `paths`.
func (r *Rule) forPath(path string) bool {
	for _, glob := range r.exclude {
		if glob.MatchString(path) {
			return false
		}
	}
	for _, glob := range r.include {
		if glob.MatchString(path) {
			return true
		}
	}
	return len(r.include) == 0
}

// mayMatch reports whether the names that the rule cannot do without occur.
func (r *Rule) mayMatch(names map[string]struct{}) bool {
	if r.taint != nil {
		return r.taint.mayMatch(names)
	}
	return r.formula.mayMatch(names)
}

// languages are Semgrep's words for the languages that can be read here. "" is
// any language. Source: Semgrep's "Supported languages".
func language(word string) (l palisade.Language, known bool) {
	switch word {
	case "python", "python3", "py":
		return palisade.Python, true
	case "bash", "sh":
		return palisade.Shell, true
	case "javascript", "js":
		return palisade.JavaScript, true
	case "typescript", "ts":
		return palisade.TypeScript, true
	case "sql":
		return palisade.SQL, true
	case "terraform", "hcl", "tf":
		return palisade.Terraform, true
	case "yaml":
		return palisade.Kubernetes, true
	case "dockerfile", "docker":
		return palisade.Dockerfile, true
	case "generic", "regex", "none":
		return "", true
	}
	return "", false
}

// glob compiles a pattern of `paths`: `*` stays in a folder, `**` does not; a
// pattern matches a path, a part of it from a folder on, or a folder in it.
func glob(pattern string) (*regexp.Regexp, error) {
	var out strings.Builder
	out.WriteString(`(?s)(?:^|/)`)
	pattern = strings.Trim(pattern, "/")
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], "**/"):
			out.WriteString(`(?:.*/)?`)
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			out.WriteString(`.*`)
			i++
		case c == '*':
			out.WriteString(`[^/]*`)
		case c == '?':
			out.WriteString(`[^/]`)
		default:
			out.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	out.WriteString(`(?:/|$)`)
	return regexp.Compile(out.String())
}
