package semgrep

import (
	"fmt"
	"strings"

	"palisade/internal/python"
)

// text compares the string of a pattern with what is known of an expression:
// "..." is any constant string, "$X" binds its content, "=~/re/" searches it.
func (m *matcher) text(p, t *node, e *env) envs {
	want := p.lit.Str
	if !t.known.isText() {
		return nil
	}
	if want == "..." {
		return envs{e}
	}
	have, ok := t.known.text()
	if !ok {
		return nil
	}
	if name := stringMvar(want); name != "" {
		return m.bind(name, &node{kind: kText, text: have, span: t.span, known: t.known}, e)
	}
	if p.re != nil {
		if m.search(p.re, have, 0) == nil {
			return nil
		}
		return envs{e}
	}
	if have == want && t.known.kind == python.Str {
		return envs{e}
	}
	return nil
}

// stringMvar returns the metavariable that a whole string is, or "".
func stringMvar(s string) string {
	if len(s) < 2 || s[0] != '$' {
		return ""
	}
	if t, err := metavariable(s); err == nil && t.kind == tMvar && t.text == s {
		return s
	}
	return ""
}

// compileStrings compiles the regular expressions in a pattern's strings.
func compileStrings(list []*node) (err error) {
	for _, n := range list {
		n.walk(func(n *node) bool {
			if n.kind == kConst && strings.HasPrefix(n.lit.Str, "=~/") && err == nil {
				n.re, err = compileStringRegexp(n.lit.Str)
			}
			return true
		})
	}
	return err
}

// compileStringRegexp reads "=~/re/flags".
func compileStringRegexp(s string) (*expression, error) {
	end := strings.LastIndexByte(s, '/')
	if end < 3 {
		return nil, fmt.Errorf("%q: a regular expression ends with a slash", s)
	}
	flags := ""
	for _, c := range s[end+1:] {
		if !strings.ContainsRune("ims", c) {
			return nil, fmt.Errorf("%q: the flag %q is not known", s, c)
		}
		flags += string(c)
	}
	expr := s[3:end]
	if flags != "" {
		expr = "(?" + flags + ")" + expr
	}
	return compileRegexp(expr)
}
