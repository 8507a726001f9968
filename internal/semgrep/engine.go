package semgrep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/python"
)

// Source is a file to match.
type Source struct {
	// Path is what `paths` of a rule speaks of.
	Path     string
	Language palisade.Language
	// Text is normalized: UTF-8, lines end in "\n".
	Text []byte
	// Tree is that of Text, for Python. Nil: it is parsed.
	Tree *python.Module
}

// Match is one place where a rule matches.
type Match struct {
	Rule *Rule
	// Line and Column count from 1, columns in bytes; the end is behind the
	// last byte.
	Line, Column, EndLine, EndColumn int
	// Metavars is the text of what each metavariable is bound to.
	Metavars map[string]string
	// Message is the rule's with the metavariables filled in.
	Message string
}

// Engine holds rules. It is safe for many goroutines.
type Engine struct{ rules []*Rule }

// Rules returns the rules in the order of their files.
func (e *Engine) Rules() []*Rule { return slices.Clone(e.rules) }

// Match returns where the rules match in a file, by place. An error means that
// the file could not be read or the rules ran over their budget: then nothing
// is known of it, and doubt means no.
func (e *Engine) Match(s Source) (out []Match, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = nil, fmt.Errorf("match %s: %w", s.Path, asError(v))
		}
	}()
	tree := s.Tree
	if s.Language == palisade.Python && tree == nil {
		newest := python.Version{Major: 3, Minor: 14} // takes what older ones do
		if tree, err = python.Parse(s.Text, python.Options{Version: newest}); err != nil {
			return nil, fmt.Errorf("match %s: %w", s.Path, err)
		}
	}
	f := newFile(s, tree)
	f.budget.left += ruleStep*len(e.rules) + byteStep*len(s.Text)
	shared := map[patternKey][]hit{}
	for _, r := range e.rules {
		if !r.forLanguage(s.Language) || !r.forPath(s.Path) || !r.mayMatch(f.names) {
			continue
		}
		one := &finder{matcher: &matcher{file: f, options: r.options}, memo: map[*formula][]hit{}, shared: shared}
		for _, h := range one.rule(r) {
			if len(out) == maxMatches {
				panic(errBudget)
			}
			out = append(out, one.match(r, h))
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
	return out, nil
}

// maxMatches bounds what is said of one file.
const maxMatches = 20_000

// asError turns what was recovered into an error: a fault of ours must not
// take the process down.
func asError(v any) error {
	if err, ok := v.(error); ok && errors.Is(err, errBudget) {
		return err
	}
	return fmt.Errorf("panic: %v", v)
}

// rule returns a rule's hits, one for each place.
func (r *finder) rule(rule *Rule) []hit {
	var list []hit
	if rule.taint != nil {
		list = r.follow(rule.taint)
	} else {
		list = r.eval(rule.formula)
	}
	seen := map[span]bool{}
	var out []hit
	for _, h := range list {
		if !seen[h.span] {
			seen[h.span] = true
			out = append(out, h)
		}
	}
	return out
}

func (r *finder) match(rule *Rule, h hit) Match {
	m := Match{
		Rule: rule, Line: h.from.line(), Column: h.from.col() + 1, EndLine: h.to.line(), EndColumn: h.to.col() + 1,
		Metavars: map[string]string{},
	}
	for e := h.env; e != nil; e = e.parent {
		m.Metavars[e.name] = shorten(r.written(e.val))
	}
	m.Message = r.message(rule.Message, m.Metavars, h.env)
	return m
}

// maxWritten bounds the text of a metavariable in a match, in bytes.
const maxWritten = 200

func shorten(s string) string {
	if len(s) > maxWritten {
		s = strings.ToValidUTF8(s[:maxWritten], "") + "…"
	}
	return s
}

// message fills the metavariables in; value($X) is what is known of one.
func (r *finder) message(text string, vars map[string]string, e *env) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var pairs []string
	names := make([]string, 0, len(vars))
	for name := range vars {
		names = append(names, name)
	}
	// Longer names first: $XY is not $X with a Y behind.
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for _, name := range names {
		pairs = append(pairs, "value("+name+")", shorten(r.content(e.lookup(name), true)))
	}
	for _, name := range names {
		pairs = append(pairs, name, vars[name])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
