package semgrep

import (
	"errors"
	"fmt"
	"strings"

	"palisade"
	"palisade/internal/yamlfile"
)

// File is a rule file to load.
type File struct {
	Name string
	Data []byte
}

// Bounds of what is loaded.
const (
	maxRules    = 5000
	maxFormulas = 500 // patterns of one rule
)

// Load reads rule files. A rule that uses something which is not supported is
// a problem that names it, and so is a second rule of the same ID: then there
// is no engine, and the error is of type yamlfile.Problems.
func Load(files ...File) (*Engine, error) {
	l := &loader{seen: map[string]string{}, parsed: map[string]*pattern{}}
	for _, f := range files {
		l.file(f)
	}
	if err := l.d.Problems.Err(); err != nil {
		return nil, err
	}
	return &Engine{rules: l.rules}, nil
}

type loader struct {
	d      yamlfile.Decoder
	rules  []*Rule
	seen   map[string]string   // IDs, and where they stand
	rule   *Rule               // being read
	count  int                 // its formulas
	inside int                 // metavariable-pattern that is being read
	parsed map[string]*pattern // by their text: rules often have the same
}

// fail adds a problem that names the rule.
func (l *loader) fail(n *yamlfile.Node, message, fix string) {
	if l.rule != nil && l.rule.ID != "" {
		message = fmt.Sprintf("rule %s: %s", l.rule.ID, message)
	}
	l.d.Fail(n, message, fix)
}

// unsupported refuses a key by its name.
func (l *loader) unsupported(f yamlfile.Field) {
	at := *f.Value
	at.Line, at.Column, at.Path = f.Line, f.Column, yamlfile.Join(strings.TrimSuffix(strings.TrimSuffix(f.Value.Path, f.Name), "."), f.Name)
	l.fail(&at, fmt.Sprintf("%s is not supported here", f.Name), "remove the rule, or write it without")
}

func (l *loader) file(f File) {
	root, err := yamlfile.Parse(f.Name, f.Data)
	if problems := (yamlfile.Problems)(nil); errors.As(err, &problems) {
		l.d.Problems = append(l.d.Problems, problems...)
		return
	}
	if root.Kind != yamlfile.Map {
		l.d.Fail(root, "no rules stand here", "write rules: and a list of rules")
		return
	}
	for _, field := range root.Fields {
		if field.Name != "rules" {
			l.unsupported(field)
			continue
		}
		for _, n := range l.d.Items(field.Value) {
			if len(l.rules) >= maxRules {
				l.d.Fail(n, fmt.Sprintf("there are more than %d rules", maxRules), "load fewer")
				return
			}
			l.readRule(n)
		}
	}
}

// readRule reads one rule, first what it is, then what it looks for.
func (l *loader) readRule(n *yamlfile.Node) {
	if !l.d.Want(n, yamlfile.Map) {
		return
	}
	r := &Rule{File: n.File, Line: n.Line, options: defaults()}
	l.rule, l.count = r, 0
	fields := map[string]yamlfile.Field{}
	for _, f := range n.Fields {
		fields[f.Name] = f
	}
	if id, ok := fields["id"]; ok {
		r.ID = l.d.Text(id.Value)
	}
	if !validID(r.ID) {
		l.fail(n, "a rule needs an id", "write letters, digits, dots, hyphens and underscores")
		return
	}
	if first, twice := l.seen[r.ID]; twice {
		l.fail(n, "this id stands twice, first at "+first, "keep one")
	}
	l.seen[r.ID] = n.Place()
	var formulas []yamlfile.Field
	mode := "search"
	for _, f := range n.Fields {
		switch f.Name {
		case "id":
		case "message":
			r.Message = l.d.Text(f.Value)
		case "severity":
			r.Severity = l.severity(f.Value)
		case "languages":
			r.Languages = l.d.Texts(f.Value)
		case "metadata":
			r.Metadata = f.Value
		case "fix":
			r.Fix = l.d.Text(f.Value)
		case "fix-regex", "min-version", "max-version", "source", "category", "version", "license":
			// Nothing that changes what matches.
		case "mode":
			mode = l.d.Text(f.Value)
		case "options":
			l.options(f.Value)
		case "paths":
			l.paths(f.Value)
		default:
			formulas = append(formulas, f)
		}
	}
	for _, key := range []string{"message", "severity", "languages"} {
		if _, ok := fields[key]; !ok {
			l.fail(n, key+" is missing", "write it")
		}
	}
	switch mode {
	case "search":
		r.formula = l.search(n, formulas)
	case "taint":
		r.taint = l.taint(n, formulas)
	default:
		l.unsupported(fields["mode"])
	}
	l.languages(fields["languages"])
	l.rules = append(l.rules, r)
	l.rule = nil
}

// validID reports whether an ID may stand in messages and marks.
func validID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return id != "" && len(id) <= 200 && strings.Trim(id, letters) == ""
}

// severities are Semgrep's words, old and new.
func (l *loader) severity(n *yamlfile.Node) palisade.Severity {
	switch text := l.d.Text(n); text {
	case "CRITICAL":
		return palisade.Critical
	case "ERROR", "HIGH":
		return palisade.High
	case "WARNING", "MEDIUM":
		return palisade.Medium
	case "INFO", "LOW":
		return palisade.Low
	case "INVENTORY", "EXPERIMENT":
		return palisade.Info
	default:
		l.fail(n, fmt.Sprintf("%q is no severity", text), "write ERROR, WARNING, INFO, CRITICAL, HIGH, MEDIUM or LOW")
	}
	return palisade.Info
}

// languages holds each language to what can be read of it: all of Python, and
// text of the others.
func (l *loader) languages(f yamlfile.Field) {
	r := l.rule
	if f.Value == nil {
		return
	}
	for i, word := range r.Languages {
		at := f.Value.Items[i]
		lang, known := language(word)
		switch {
		case !known:
			l.fail(at, fmt.Sprintf("the language %s is not read here", word), "remove it")
		case lang == palisade.Python:
		case r.taint != nil || r.formula != nil && !r.formula.onlyText():
			l.fail(at, fmt.Sprintf("patterns are not supported for %s", word), "write pattern-regex, or remove the language")
		}
		r.anywhere = r.anywhere || known && lang == ""
		r.speaks = append(r.speaks, lang)
	}
	if len(r.Languages) == 0 {
		l.fail(f.Value, "no language stands here", "write languages: [python]")
	}
}

func (l *loader) paths(n *yamlfile.Node) {
	for _, f := range l.fields(n) {
		for _, text := range l.d.Texts(f.Value) {
			re, err := glob(text)
			switch {
			case err != nil:
				l.fail(f.Value, err.Error(), "write a glob")
			case f.Name == "include":
				l.rule.include = append(l.rule.include, re)
			case f.Name == "exclude":
				l.rule.exclude = append(l.rule.exclude, re)
			}
		}
		if f.Name != "include" && f.Name != "exclude" {
			l.unsupported(f)
		}
	}
}

// fields returns the fields of a map; a complaint where it is none.
func (l *loader) fields(n *yamlfile.Node) []yamlfile.Field {
	if !l.d.Want(n, yamlfile.Map) {
		return nil
	}
	return n.Fields
}

// options reads the options that are known. One that is not, or that asks for
// another way of matching than there is, is refused.
func (l *loader) options(n *yamlfile.Node) {
	o := &l.rule.options
	for _, f := range l.fields(n) {
		if f.Name == "taint_focus_on" && (f.Value.Text == "source" || f.Value.Text == "sink") {
			o.focusSource = f.Value.Text == "source"
			continue
		}
		on := f.Value.Text == "true"
		if f.Value.Text != "true" && f.Value.Text != "false" {
			l.unsupported(f)
			continue
		}
		switch f.Name {
		case "ac_matching":
			o.acMatching = on
		case "commutative_boolop":
			o.commutativeBool = on
		case "constant_propagation":
			o.constants = on
		case "symmetric_eq":
			o.symmetricEq = on
		case "symbolic_propagation":
			o.symbolic = on
		case "taint_assume_safe_functions":
			o.safeFunctions = on
		case "taint_assume_safe_indexes":
			o.safeIndexes = on
		case "taint_assume_safe_numbers":
			o.safeNumbers = on
		case "taint_assume_safe_booleans":
			o.safeBooleans = on
		case "taint_assume_safe_comparisons":
			o.safeComparisons = on
		case "taint_only_propagate_through_assignments":
			o.onlyAssignments = on
		case "taint_unify_mvars":
			o.unifyMvars = on
		case "vardef_assign", "flddef_assign", "attr_expr", "go_deeper_expr", "go_deeper_stmt", "implicit_deep_exprstmt", "implicit_ellipsis", "decorators_order_matters":
			// What is so here, or changes nothing for Python.
			if on == (f.Name == "decorators_order_matters") {
				l.unsupported(f)
			}
		default:
			l.unsupported(f)
		}
	}
}
