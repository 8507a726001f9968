package rules

import (
	"regexp"
	"strings"
	"sync"

	"palisade"
	"palisade/internal/analysis/secret"
)

// mask stands for a credential wherever a finding would repeat it.
const mask = "[credential]"

// headBytes is how much of a credential must stand in a text to be known again:
// shorter ones are no credentials of gitleaks' rules, and a shorter rest of one
// that was cut off tells nothing.
const headBytes = 8

// masker replaces credentials in texts. It holds them by their first bytes.
type masker map[string][]string

// add takes a credential as it stands in code, and as it reads when it is
// quoted in a message or was quoted in the code.
func (m masker) add(credential string) {
	for _, form := range []string{credential, quoted(credential), unquoted(credential)} {
		if len(form) < headBytes {
			continue
		}
		head := form[:headBytes]
		m[head] = append(m[head], form)
	}
}

// quoted is a text as shorten writes it, without the quotes around it; "" where
// that is the text itself.
func quoted(s string) string {
	if q := strings.Trim(quote(s), `"`); q != s {
		return q
	}
	return ""
}

var unquote = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\'`, "'", `\\`, `\`)

// unquoted is what a text means as a literal; "" where that is the text itself.
func unquoted(s string) string {
	if u := unquote.Replace(s); u != s {
		return u
	}
	return ""
}

// text replaces every credential, also one whose end was cut off.
func (m masker) text(s string) string {
	if len(m) == 0 {
		return s
	}
	var out strings.Builder
	done := 0
	for i := 0; i+headBytes <= len(s); i++ {
		n := m.at(s[i:])
		if n == 0 {
			continue
		}
		out.WriteString(s[done:i] + mask)
		done = i + n
		i = done - 1
	}
	return out.String() + s[done:]
}

// at returns how long the credential is that a text begins with; 0: none.
func (m masker) at(s string) int {
	longest := 0
	for _, form := range m[s[:headBytes]] {
		n := common(form, s)
		if n > longest && (n == len(form) || cutOff(s[n:]) || 3*n >= len(form) && closes(s[n:])) {
			longest = n
		}
	}
	return longest
}

// common is the length of what two texts begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// cutOff reports whether what follows says that a text was cut off.
func cutOff(rest string) bool {
	return rest == "" || strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, "...")
}

// closes reports whether a literal ends here: the first of the parts that a
// credential is put together from.
func closes(rest string) bool { return rest[0] == '\'' || rest[0] == '"' }

// mask hides the credentials that were found in the submission, and those that
// findings put together from parts. Policy still judges what stood there.
func (r *reading) mask(findings []palisade.Finding) {
	hide := masker{}
	var search secret.Search
	for _, text := range made(findings) {
		if _, complete := search.Find("", text); !complete {
			hide.add(text) // it may hold one
		}
		for _, groups := range passwords().FindAllStringSubmatch(text, -1) {
			hide.add(strings.Join(groups[1:], "")) // one of them is not empty
		}
	}
	for _, found := range []*secret.Search{&r.code, &r.data, &search} {
		for _, credential := range found.Secrets() {
			hide.add(credential)
		}
	}
	for i := range findings {
		hide.finding(&findings[i])
	}
}

// passwords are credentials that no rule of gitleaks knows by their form, by where
// they stand: the user's part of a URL (RFC 3986, 3.2.1), a setting of a
// connection, the user and password of -u.
var passwords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)://[^/\s:@]*:([^/\s@]+)@|(?:password|passwd|pwd|secret|token)=([^\s&;'",]+)|(?:-u|--user)[ =]["']?[^\s:"'/]+:([^\s:"'/]+)`)
})

// finding replaces credentials in all that a finding says.
func (m masker) finding(f *palisade.Finding) {
	before := *f
	f.Symbol, f.Argument = m.text(f.Symbol), m.text(f.Argument)
	f.Message, f.Evidence = m.text(f.Message), m.text(f.Evidence)
	if f.Symbol != before.Symbol || f.Argument != before.Argument {
		f.Whole = &before
	}
}

// made are the texts in findings that may hold more than any line of the code,
// each once.
func made(findings []palisade.Finding) []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range findings {
		for _, text := range []string{f.Argument, f.Evidence, f.Message} {
			if len(text) >= headBytes && !seen[text] {
				seen[text] = true
				out = append(out, text)
			}
		}
	}
	return out
}
