package policy

import (
	"iter"
	"slices"
	"strings"

	"palisade"
)

// Lists name things that are allowed, asked about or denied. Deny beats ask
// beats allow; what none of them names is left to whoever holds the lists.
type Lists struct {
	Allow []string `json:"allow,omitempty"`
	Ask   []string `json:"ask,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// each calls f for each list with its name, strictest first.
func (l *Lists) each(f func(name string, d palisade.Decision, patterns *[]string)) {
	f("deny", palisade.Deny, &l.Deny)
	f("ask", palisade.Ask, &l.Ask)
	f("allow", palisade.Allow, &l.Allow)
}

// merge adds the other's patterns.
func (l *Lists) merge(other Lists) {
	l.Allow = union(l.Allow, other.Allow)
	l.Ask = union(l.Ask, other.Ask)
	l.Deny = union(l.Deny, other.Deny)
}

// sorted returns a copy in canonical order.
func (l Lists) sorted() Lists {
	return Lists{union(nil, l.Allow), union(nil, l.Ask), union(nil, l.Deny)}
}

func union(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// matcher answers quickly which pattern of a list matches a dotted name:
// exactly ("os"), with all beneath ("numpy.*": numpy, numpy.linalg), or by a
// beginning ("assert_*").
type matcher struct {
	exact    map[string]string // name → pattern
	beneath  map[string]string
	prefixes []string // with their trailing star
}

func newMatcher(patterns []string) matcher {
	m := matcher{exact: map[string]string{}, beneath: map[string]string{}}
	for _, p := range patterns {
		if base, ok := strings.CutSuffix(p, ".*"); ok {
			m.beneath[base] = p
		} else if strings.HasSuffix(p, "*") {
			m.prefixes = append(m.prefixes, p)
		} else {
			m.exact[p] = p
		}
	}
	return m
}

// match returns the pattern that matches the whole name.
func (m matcher) match(name string) (string, bool) {
	if p, ok := m.exact[name]; ok {
		return p, true
	}
	for part := range prefixes(name) {
		if p, ok := m.beneath[part]; ok {
			return p, true
		}
	}
	for _, p := range m.prefixes {
		if strings.HasPrefix(name, p[:len(p)-1]) {
			return p, true
		}
	}
	return "", false
}

// within returns the pattern that matches the name or a part of it that holds
// it: a denied package denies what is in it.
func (m matcher) within(name string) (string, bool) {
	for part := range prefixes(name) {
		if p, ok := m.match(part); ok {
			return p, true
		}
	}
	return "", false
}

// gate is lists made quick.
type gate struct{ allow, ask, deny matcher }

func newGate(l Lists) gate {
	return gate{newMatcher(l.Allow), newMatcher(l.Ask), newMatcher(l.Deny)}
}

// strict looks for a deny, then an ask, of the name or of what holds it.
func (g gate) strict(name string) (palisade.Decision, string, bool) {
	if p, ok := g.deny.within(name); ok {
		return palisade.Deny, "deny[" + p + "]", true
	}
	if p, ok := g.ask.within(name); ok {
		return palisade.Ask, "ask[" + p + "]", true
	}
	return palisade.Allow, "", false
}

// decide judges a name; the last value is false when no list names it.
func (g gate) decide(name string) (palisade.Decision, string, bool) {
	if d, key, ok := g.strict(name); ok {
		return d, key, true
	}
	if p, ok := g.allow.match(name); ok {
		return palisade.Allow, "allow[" + p + "]", true
	}
	return palisade.Deny, "", false
}

// prefixes yields the name and each beginning of it that ends at a dot, longest
// first: a.b.c, a.b, a.
func prefixes(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := len(name); at > 0; at = strings.LastIndexByte(name[:at], '.') {
			if !yield(name[:at]) {
				return
			}
		}
	}
}

// cutModule returns the part of a dotted name inside a module; false when the
// name is the module itself or lies elsewhere.
func cutModule(symbol, module string) (string, bool) {
	rest, ok := strings.CutPrefix(symbol, module)
	if !ok || len(rest) < 2 || rest[0] != '.' {
		return "", false
	}
	return rest[1:], true
}
