package secret

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// Work bounds what one search does, in bytes times the expressions that are
// run over them: about two seconds.
const Work = 16 << 20

// maxFound bounds what is found in one text.
const maxFound = 200

// Found is a credential in a text.
type Found struct {
	Rule        string // gitleaks' ID, such as "aws-access-token"
	Description string // gitleaks' sentence about it
	Line        int    // where the rule's match begins, from 1
	Column      int    // from 1, in bytes
}

// Search looks through several texts with one bound on its work. The zero
// Search is ready.
type Search struct {
	done    int
	secrets map[string]bool
}

// Secrets are the texts of all credentials that were found, for whoever must not
// repeat them.
func (s *Search) Secrets() []string { return slices.Sorted(maps.Keys(s.secrets)) }

func (s *Search) keep(text string) {
	if s.secrets == nil {
		s.secrets = map[string]bool{}
	}
	s.secrets[text] = true
}

// Find returns the credentials in a text, by place; false says that the work
// is done before the text was searched with every rule. name is the text's
// file, for rules that are about kinds of files; it may be empty.
func (s *Search) Find(name, text string) ([]Found, bool) {
	lower := strings.ToLower(text)
	var found []Found
	complete := true
	for _, r := range catalogue().Rules {
		if !r.mayMatch(name, lower) {
			continue
		}
		if s.done += len(text); s.done > Work {
			complete = false
			break
		}
		for _, at := range r.regex().FindAllStringIndex(text, maxFound) {
			if len(found) >= maxFound {
				break
			}
			if credential, ok := r.secret(name, text, at); ok {
				s.keep(credential)
				found = append(found, r.place(text, at[0]))
			}
		}
	}
	slices.SortFunc(found, func(a, b Found) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return particular(found), complete
}

// mayMatch is what costs little: the file's name and the keywords.
func (r *rule) mayMatch(name, lower string) bool {
	if r.Path != "" && !r.path().MatchString(name) {
		return false
	}
	return len(r.Keywords) == 0 || slices.ContainsFunc(r.Keywords, func(word string) bool { return strings.Contains(lower, word) })
}

// secret judges a match as gitleaks does (detect/detect.go, detectRule), and
// returns the part of it that is the credential.
func (r *rule) secret(name, text string, at []int) (string, bool) {
	match := strings.Trim(text[at[0]:at[1]], "\n")
	secret := match
	if groups := r.regex().FindStringSubmatch(match); len(groups) > 1 {
		secret = group(groups, r.SecretGroup, match)
	}
	if r.Entropy > 0 && entropy(secret) <= r.Entropy {
		return "", false
	}
	line := lineAt(text, at[0], at[1])
	for _, lists := range [][]*allowlist{catalogue().Allow, r.Allow} {
		for _, a := range lists {
			if a.allows(name, secret, match, line) {
				return "", false
			}
		}
	}
	return secret, true
}

func group(groups []string, wanted int, match string) string {
	if wanted > 0 && wanted < len(groups) {
		return groups[wanted]
	}
	for _, g := range groups[1:] {
		if g != "" {
			return g
		}
	}
	return match
}

// entropy is Shannon's, in bits a character, as gitleaks reckons it.
func entropy(s string) float64 {
	count := map[rune]int{}
	for _, r := range s {
		count[r]++
	}
	bits := 0.0
	for _, n := range count {
		p := float64(n) / float64(len(s))
		bits -= p * math.Log2(p)
	}
	return bits
}

// lineAt returns the lines in which a match stands.
func lineAt(text string, start, end int) string {
	from := strings.LastIndexByte(text[:start], '\n') + 1
	to := strings.IndexByte(text[end:], '\n')
	if to < 0 {
		return text[from:]
	}
	return text[from : end+to]
}

func (r *rule) place(text string, at int) Found {
	for at < len(text) && text[at] == '\n' {
		at++
	}
	before := text[:at]
	return Found{r.ID, r.Description, 1 + strings.Count(before, "\n"), at - strings.LastIndexByte(before, '\n')}
}

// particular drops what a generic rule found on a line where another one found
// something too.
func particular(found []Found) []Found {
	return slices.DeleteFunc(found, func(f Found) bool {
		return strings.HasPrefix(f.Rule, "generic") && slices.ContainsFunc(found, func(other Found) bool {
			return other.Line == f.Line && !strings.HasPrefix(other.Rule, "generic")
		})
	})
}
