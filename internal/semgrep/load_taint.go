package semgrep

import (
	"palisade/internal/yamlfile"
)

// taint reads a rule that follows data.
func (l *loader) taint(n *yamlfile.Node, fields []yamlfile.Field) *taintRule {
	t := &taintRule{}
	for _, f := range fields {
		switch f.Name {
		case "pattern-sources":
			t.sources = l.specs(f.Value, "source")
		case "pattern-sinks":
			t.sinks = l.specs(f.Value, "sink")
		case "pattern-sanitizers":
			t.sanitizers = l.specs(f.Value, "sanitizer")
		case "pattern-propagators":
			t.propagators = l.propagators(f.Value)
		default:
			l.unsupported(f)
		}
	}
	if len(t.sources) == 0 || len(t.sinks) == 0 {
		l.fail(n, "pattern-sources and pattern-sinks belong to a taint rule", "write both")
	}
	return t
}

func (l *loader) specs(n *yamlfile.Node, role string) []*taintSpec {
	var out []*taintSpec
	for _, item := range l.d.Items(n) {
		if s := l.spec(item, role); s != nil {
			out = append(out, s)
		}
	}
	return out
}

func (l *loader) spec(n *yamlfile.Node, role string) *taintSpec {
	s := &taintSpec{}
	if role == "source" {
		s.label = plainLabel
	}
	var rest []yamlfile.Field
	for _, f := range l.fields(n) {
		switch {
		case f.Name == "exact":
			s.exact = l.d.Bool(f.Value)
			s.deep = !s.exact
		case f.Name == "by-side-effect" && role != "sink":
			s.sideEffect = f.Value.Text != "false"
			s.onlyAfter = f.Value.Text == "only" || role == "sanitizer" && s.sideEffect
			if f.Value.Text != "only" && f.Value.Text != "true" && f.Value.Text != "false" {
				l.unsupported(f)
			}
		case f.Name == "label" && role == "source":
			s.label = l.d.Text(f.Value)
		case f.Name == "not_conflicting" && role == "sanitizer":
			s.aside = l.d.Bool(f.Value)
		case f.Name == "requires" && role != "sanitizer":
			s.requires = l.labels(f.Value)
		default:
			rest = append(rest, f)
		}
	}
	if s.formula = l.patternsOrSearch(n, rest); s.formula == nil {
		return nil
	}
	return s
}

// labels reads a condition over labels.
func (l *loader) labels(n *yamlfile.Node) *node {
	expr := l.expression(n)
	if expr == nil {
		return nil
	}
	bad := false
	expr.walk(func(n *node) bool {
		bad = bad || n.kind != kName && n.kind != kBool && (n.kind != kUnary || n.text != "Not")
		return !bad
	})
	if bad {
		l.fail(n, "a condition is made of labels, and, or, not and brackets", "write it so")
		return nil
	}
	return expr
}

func (l *loader) propagators(n *yamlfile.Node) []*propagatorSpec {
	var out []*propagatorSpec
	for _, item := range l.d.Items(n) {
		p := &propagatorSpec{sideEffect: true}
		var rest []yamlfile.Field
		for _, f := range l.fields(item) {
			switch f.Name {
			case "from":
				p.from = l.name(f.Value)
			case "to":
				p.to = l.name(f.Value)
			case "by-side-effect":
				p.sideEffect = l.d.Bool(f.Value)
			case "label":
				p.label = l.d.Text(f.Value)
			case "replace-labels":
				p.replace = l.d.Texts(f.Value)
			case "requires":
				p.requires = l.labels(f.Value)
			default:
				rest = append(rest, f)
			}
		}
		p.formula = l.patternsOrSearch(item, rest)
		if p.from == "" || p.to == "" {
			l.fail(item, "from and to belong to a propagator", "write both")
		}
		if p.formula != nil {
			out = append(out, p)
		}
	}
	return out
}
