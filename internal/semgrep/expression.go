package semgrep

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"palisade/internal/semgrep/perlre"
)

// expression is a regular expression: Go's, which cannot run away, or for what
// that does not know one of Perl's, which the budget ends.
type expression struct {
	fast *regexp.Regexp
	slow *perlre.Regexp
}

// maxRegexp bounds the text of an expression, in bytes.
const maxRegexp = 4096

// compileRegexp reads an expression in Perl's form.
func compileRegexp(expr string) (*expression, error) {
	if len(expr) > maxRegexp {
		return nil, fmt.Errorf("the regular expression is longer than %d bytes", maxRegexp)
	}
	fast, err := regexp.Compile(goSyntax(expr))
	if err == nil {
		return &expression{fast: fast}, nil
	}
	slow, slowErr := perlre.Compile(expr)
	if slowErr != nil {
		return nil, fmt.Errorf("the regular expression is not supported: %w", slowErr)
	}
	return &expression{slow: slow}, nil
}

// names returns those of the groups, the whole as the first.
func (x *expression) names() []string {
	if x.fast != nil {
		return x.fast.SubexpNames()
	}
	return x.slow.SubexpNames()
}

// search returns the offsets of the first match and of its groups, or nil.
func (m *matcher) search(x *expression, text string, from int) []int {
	if x.fast != nil {
		m.step(1 + len(text)/8)
		return x.fast.FindStringSubmatchIndex(text)
	}
	loc, ok := x.slow.Find(text, from, m.step)
	if !ok {
		panic(errBudget)
	}
	return loc
}

// searchAll returns all matches that do not overlap.
func (m *matcher) searchAll(x *expression, text string) [][]int {
	if x.fast != nil {
		m.step(1 + len(text)/4)
		return x.fast.FindAllStringSubmatchIndex(text, maxHits)
	}
	var out [][]int
	for from := 0; from <= len(text); {
		loc := m.search(x, text, from)
		if loc == nil {
			break
		}
		out = append(out, loc)
		if from = loc[1]; loc[1] == loc[0] {
			from++
		}
	}
	return out
}

// anchored anchors an expression on the left, as Semgrep does. One that starts
// with `.*` over lines matches just where the rest is found at all, which is
// quicker to look for; but then its groups may be others.
func anchored(expr string) string {
	whole := "^(?:" + expr + ")"
	re, err := syntax.Parse(goSyntax(expr), syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat || re.Sub[0].Op != syntax.OpStar || re.Sub[0].Sub[0].Op != syntax.OpAnyChar {
		return whole
	}
	for _, name := range re.CapNames() {
		if name != "" {
			return whole
		}
	}
	re.Sub = re.Sub[1:]
	return re.String()
}

// goSyntax spells \Z, \h and \R as Go does. Source: pcre2pattern(3).
func goSyntax(expr string) string {
	var out strings.Builder
	for i := 0; i < len(expr); i++ {
		if expr[i] != '\\' || i+1 == len(expr) {
			out.WriteByte(expr[i])
			continue
		}
		i++
		switch expr[i] {
		case 'Z':
			out.WriteString(`(?-m:\n?\z)`)
		case 'h':
			out.WriteString(`[ \t]`)
		case 'R':
			out.WriteString(`(?:\r\n|\n|\r)`)
		default:
			out.WriteByte('\\')
			out.WriteByte(expr[i])
		}
	}
	return out.String()
}
