package iac

import (
	"strings"

	"palisade/internal/analysis"
)

// stage is one stage of a build: what its variables hold and who runs in it.
type stage struct {
	place
	env        map[string]string // ENV and ARG; a gap where it is not known
	argOnly    map[string]bool   // those that only ARG sets: ENV beats them
	user       *value
	shell      []string // nil: /bin/sh -c
	files      []madeFile
	entrypoint *instruction
	cmd        *instruction
}

func newStage() *stage { return &stage{env: map[string]string{}, argOnly: map[string]bool{}} }

// expand puts variables into a text as BuildKit does: $NAME, ${NAME},
// ${NAME:-word}, ${NAME:+word}; other modifiers give something unknown. Nothing
// is expanded in single quotes or behind the escape. Quotes are removed.
func (r *report) expand(s string, env map[string]string, escape byte) string {
	e := expander{report: r, env: env, escape: escape}
	return r.fold(e.text(s, 0))
}

type expander struct {
	*report
	env    map[string]string
	escape byte
}

func (e expander) text(s string, depth int) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		if b.Len() > maxText || depth > 20 {
			panic(errBudget)
		}
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && s[i+1] == '\n':
			i++
		case c == '\'' && quote != '"':
			quote ^= c
		case c == '"' && quote != '\'':
			quote ^= c
		case c == e.escape && quote != '\'' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case c == '$' && quote != '\'':
			v, n := e.variable(s[i+1:], depth)
			b.WriteString(v)
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// variable reads what follows a "$" and says how many bytes that was.
func (e expander) variable(s string, depth int) (string, int) {
	e.step()
	if !strings.HasPrefix(s, "{") {
		n := nameLength(s)
		if n == 0 {
			return "$", 0
		}
		return e.lookup(s[:n]), n
	}
	n := nameLength(s[1:])
	end := closing(s)
	if end < 0 {
		panic(&analysis.SyntaxError{Message: "a variable's brace is not closed"}) // as BuildKit says
	}
	if n == 0 {
		return gap, end + 1
	}
	name, modifier := s[1:1+n], s[1+n:end]
	v, set := e.env[name]
	full := set && v != ""
	switch {
	case modifier == "":
		return e.lookup(name), end + 1
	case strings.HasPrefix(modifier, ":-") || strings.HasPrefix(modifier, "-"):
		if full || set && modifier[0] == '-' {
			return v, end + 1
		}
		return e.text(strings.TrimPrefix(modifier, ":")[1:], depth+1), end + 1
	case strings.HasPrefix(modifier, ":+") || strings.HasPrefix(modifier, "+"):
		if !full {
			return "", end + 1
		}
		return e.text(strings.TrimPrefix(modifier, ":")[1:], depth+1), end + 1
	}
	return gap, end + 1
}

// lookup gives a variable that the file sets; of any other nothing is known,
// since the base image may set it.
func (e expander) lookup(name string) string {
	if v, ok := e.env[name]; ok {
		return v
	}
	return gap
}

func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}

// closing finds the brace that ends "{…", counting those inside.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// splitWords splits at blanks outside quotes; quotes stay.
func splitWords(s string) []string {
	var out []string
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && s[i+1] == '\n':
			i++
			fallthrough
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if b.Len() > 0 {
				out = append(out, b.String())
				b.Reset()
			}
		case c == '\\' && quote != '\'' && i+1 < len(s):
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
		default:
			if quote == 0 && (c == '\'' || c == '"') {
				quote = c
			} else if c == quote {
				quote = 0
			}
			b.WriteByte(c)
		}
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}
