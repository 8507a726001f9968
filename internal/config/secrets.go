package config

import (
	"fmt"
	"strings"

	"palisade/internal/yamlfile"
)

// secrets reads egress.secrets: names and where their values are. A value itself
// has no place in a configuration.
func (r *reader) secrets(n *yamlfile.Node) {
	all := map[string]Secret{}
	r.Each(n, func(f yamlfile.Field) {
		if !variableName(f.Name) {
			r.Fail(f.Value, fmt.Sprintf("%q is not the name of a secret", f.Name), "write capitals, digits and _, such as EXAMPLE_TOKEN")
			return
		}
		s := Secret{Variable: f.Name}
		r.Keys(f.Value, map[string]func(*yamlfile.Node){
			"file": r.path(&s.File),
			"host": r.text(&s.Host),
			"env":  r.text(&s.Variable),
		})
		switch {
		case s.File == "" || s.Host == "":
			r.Fail(f.Value, "a secret needs a file and a host", "write {file: /path/to/value, host: api.example.com}")
		case strings.ContainsAny(s.Host, "*/@ "):
			r.Fail(f.Value, fmt.Sprintf("%q is not one host", s.Host), "name the one host that gets it, with an optional port")
		case !variableName(s.Variable):
			r.Fail(f.Value, fmt.Sprintf("%q is not a variable for a secret", s.Variable), "write capitals, digits and _")
		case len(all) >= maxItems:
			r.Fail(f.Value, fmt.Sprintf("more than %d secrets", maxItems), "use fewer")
		default:
			all[f.Name] = s
		}
	})
	r.c.Egress.Secrets = all
}

// reserved are variables that mean something to programs and to the way out.
var reserved = []string{"PATH", "HOME", "LANG", "TMPDIR", "LD_", "PYTHON", "NODE_", "BASH_", "SSL_", "CURL_", "GIT_", "REQUESTS_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ENV", "IFS"}

// variableName reports whether a text names a variable that a secret may have.
func variableName(name string) bool {
	if name == "" || len(name) > 64 || name[0] < 'A' || name[0] > 'Z' {
		return false
	}
	for _, taken := range reserved {
		if name == taken || strings.HasSuffix(taken, "_") && strings.HasPrefix(name, taken) || taken == "PYTHON" && strings.HasPrefix(name, taken) {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '_' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
}
