package secret

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed rules.json
var rulesJSON []byte

// rule is one of gitleaks' rules. Its expressions are compiled when they are
// first needed: most never are.
type rule struct {
	ID          string       `json:"id"`
	Description string       `json:"description"`
	Regex       string       `json:"regex"`
	Path        string       `json:"path,omitempty"`
	Entropy     float64      `json:"entropy,omitempty"`
	SecretGroup int          `json:"secret_group,omitempty"`
	Keywords    []string     `json:"keywords,omitempty"` // lower case
	Allow       []*allowlist `json:"allow,omitempty"`

	regex, path func() *regexp.Regexp
}

// allowlist says what is no secret although a rule matches it.
type allowlist struct {
	All       bool     `json:"all,omitempty"` // all of it must hold, not one
	Target    string   `json:"target,omitempty"`
	Paths     []string `json:"paths,omitempty"`
	Regexes   []string `json:"regexes,omitempty"`
	StopWords []string `json:"stop_words,omitempty"` // lower case

	paths, regexes func() []*regexp.Regexp
}

// set is what rules.json holds.
type set struct {
	Version string       `json:"version"` // of gitleaks
	Rules   []*rule      `json:"rules"`
	Allow   []*allowlist `json:"allow"`
}

// catalogue reads the rules once.
var catalogue = sync.OnceValue(func() *set {
	s := &set{}
	if err := json.Unmarshal(rulesJSON, s); err != nil {
		panic(err) // it is in the binary, or the binary was not built from this tree
	}
	for _, r := range s.Rules {
		r.regex, r.path = compiled(r.Regex), compiled(r.Path)
		prepare(r.Allow)
	}
	prepare(s.Allow)
	return s
})

func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func prepare(lists []*allowlist) {
	for _, a := range lists {
		a.paths, a.regexes = compiledAll(a.Paths), compiledAll(a.Regexes)
	}
}

func compiledAll(expressions []string) func() []*regexp.Regexp {
	return sync.OnceValue(func() []*regexp.Regexp {
		out := make([]*regexp.Regexp, len(expressions))
		for i, e := range expressions {
			out[i] = regexp.MustCompile(e)
		}
		return out
	})
}

// allows judges one match. Paths alone allow nothing: whoever names a file
// would name it so.
func (a *allowlist) allows(name, secret, match, line string) bool {
	target := secret
	switch a.Target {
	case "match":
		target = match
	case "line":
		target = line
	}
	any := func(list []*regexp.Regexp, text string) bool {
		return slices.ContainsFunc(list, func(r *regexp.Regexp) bool { return r.MatchString(text) })
	}
	regex := any(a.regexes(), target)
	lower := strings.ToLower(secret)
	word := slices.ContainsFunc(a.StopWords, func(w string) bool { return strings.Contains(lower, w) })
	if !a.All {
		return regex || word
	}
	if len(a.Regexes) == 0 && len(a.StopWords) == 0 {
		return false
	}
	return (regex || len(a.Regexes) == 0) && (word || len(a.StopWords) == 0) && (len(a.Paths) == 0 || any(a.paths(), name))
}
