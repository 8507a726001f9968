package semgrep

import (
	"fmt"
	"strconv"

	"palisade/internal/yamlfile"
)

// search reads what a rule that searches looks for: one of four keys.
func (l *loader) search(n *yamlfile.Node, fields []yamlfile.Field) *formula {
	var out *formula
	before := len(l.d.Problems)
	for _, f := range fields {
		one := l.positive(f)
		if one == nil {
			continue
		}
		if out != nil {
			l.fail(n, "more than one pattern key stands here", "put them into patterns:")
			return nil
		}
		out = one
	}
	if out == nil && len(l.d.Problems) == before {
		l.fail(n, "no pattern stands here", "write pattern, patterns, pattern-either or pattern-regex")
	}
	return out
}

// positive reads a key that finds places; nil where it is refused.
func (l *loader) positive(f yamlfile.Field) *formula {
	switch f.Name {
	case "pattern":
		return l.pattern(f.Value)
	case "pattern-regex":
		return l.regexp(f.Value)
	case "patterns":
		return l.patterns(f.Value)
	case "pattern-either":
		return l.either(f.Value)
	}
	l.unsupported(f)
	return nil
}

func (l *loader) enough(n *yamlfile.Node) bool {
	if l.count++; l.count == maxFormulas {
		l.fail(n, fmt.Sprintf("there are more than %d patterns", maxFormulas), "split the rule")
	}
	return l.count < maxFormulas
}

func (l *loader) pattern(n *yamlfile.Node) *formula {
	text := l.d.Text(n)
	if text == "" || !l.enough(n) {
		return nil
	}
	p := l.parsed[text]
	if p == nil {
		var err error
		if p, err = parsePattern(text); err != nil {
			l.fail(n, err.Error(), "write a Python pattern")
			return nil
		}
		l.parsed[text] = p
	}
	return &formula{op: isPattern, pattern: p}
}

func (l *loader) regexp(n *yamlfile.Node) *formula {
	text := l.d.Text(n)
	if text == "" || !l.enough(n) {
		return nil
	}
	re := l.compile(n, "(?m)"+text)
	if re == nil {
		return nil
	}
	return &formula{op: isRegexp, regex: re}
}

func (l *loader) compile(n *yamlfile.Node, expr string) *expression {
	re, err := compileRegexp(expr)
	if err != nil {
		l.fail(n, err.Error(), "write it otherwise")
		return nil
	}
	return re
}

func (l *loader) either(n *yamlfile.Node) *formula {
	out := &formula{op: isOr}
	for _, item := range l.d.Items(n) {
		for _, f := range l.fields(item) {
			var one *formula
			if f.Name == "pattern-inside" {
				one = l.wrap(isInside, l.nested(f.Value))
			} else {
				one = l.positive(f)
			}
			if one != nil {
				out.kids = append(out.kids, one)
			}
		}
	}
	return l.filled(n, out)
}

// filled refuses a list without anything that finds places.
func (l *loader) filled(n *yamlfile.Node, f *formula) *formula {
	for _, k := range f.kids {
		if k.op != isNot {
			return f
		}
	}
	if l.inside > 0 && len(f.kids)+len(f.conds) > 0 {
		return f // it starts with all that the metavariable is bound to
	}
	l.fail(n, "nothing here finds a place", "add a pattern")
	return nil
}

// nested reads a pattern, or a map with one of the keys that find places.
func (l *loader) nested(n *yamlfile.Node) *formula {
	if n.Kind != yamlfile.Map {
		return l.pattern(n)
	}
	return l.search(n, n.Fields)
}

// patterns reads what must all hold.
func (l *loader) patterns(n *yamlfile.Node) *formula {
	out := &formula{op: isAnd}
	for _, item := range l.d.Items(n) {
		for _, f := range l.fields(item) {
			l.conjunct(out, f)
		}
	}
	return l.filled(n, out)
}

func (l *loader) conjunct(out *formula, f yamlfile.Field) {
	var one *formula
	switch f.Name {
	case "pattern-not":
		one = l.wrap(isNot, l.nested(f.Value))
	case "pattern-not-inside":
		one = l.wrap(isNot, l.wrap(isInside, l.nested(f.Value)))
	case "pattern-not-regex":
		one = l.wrap(isNot, l.regexp(f.Value))
	case "pattern-inside":
		one = l.wrap(isInside, l.nested(f.Value))
	case "metavariable-regex", "metavariable-pattern", "metavariable-comparison", "metavariable-type":
		if c := l.condition(f); c != nil {
			out.conds = append(out.conds, c)
		}
	case "focus-metavariable":
		out.focus = append(out.focus, l.names(f.Value))
	default:
		one = l.positive(f)
	}
	if one != nil {
		out.kids = append(out.kids, one)
	}
}

func (l *loader) wrap(op operator, f *formula) *formula {
	if f == nil {
		return nil
	}
	return &formula{op: op, kids: []*formula{f}}
}

// names reads one metavariable or a list of them.
func (l *loader) names(n *yamlfile.Node) []string {
	if n.Kind == yamlfile.Scalar {
		return []string{l.name(n)}
	}
	var out []string
	for _, item := range l.d.Items(n) {
		out = append(out, l.name(item))
	}
	return out
}

// name reads a metavariable; that of a regular expression's group may have any
// name.
func (l *loader) name(n *yamlfile.Node) string {
	text := l.d.Text(n)
	if text != "" && (len(text) < 2 || text[0] != '$') {
		l.fail(n, fmt.Sprintf("%q is no metavariable", text), "write $ and a name")
	}
	return text
}

func (l *loader) condition(f yamlfile.Field) condition {
	switch f.Name {
	case "metavariable-regex":
		return l.regexpCondition(f.Value)
	case "metavariable-comparison":
		return l.comparison(f.Value)
	case "metavariable-type":
		return l.typeCondition(f.Value)
	}
	return l.patternCondition(f.Value)
}

func (l *loader) regexpCondition(n *yamlfile.Node) condition {
	c := &regexpCondition{}
	for _, f := range l.fields(n) {
		switch f.Name {
		case "metavariable":
			c.name = l.name(f.Value)
		case "regex":
			c.regex = l.compile(f.Value, anchored(l.d.Text(f.Value)))
		case "constant-propagation":
			c.constants = l.d.Bool(f.Value)
		default:
			l.unsupported(f)
		}
	}
	if c.name == "" || c.regex == nil {
		l.fail(n, "metavariable and regex belong here", "write both")
		return nil
	}
	return c
}

func (l *loader) typeCondition(n *yamlfile.Node) condition {
	c := &typeCondition{}
	for _, f := range l.fields(n) {
		switch f.Name {
		case "metavariable":
			c.name = l.name(f.Value)
		case "type":
			l.addType(c, f.Value)
		case "types":
			for _, item := range l.d.Items(f.Value) {
				l.addType(c, item)
			}
		default:
			l.unsupported(f)
		}
	}
	if c.name == "" || len(c.types) == 0 {
		l.fail(n, "metavariable and type belong here", "write both")
		return nil
	}
	return c
}

func (l *loader) addType(c *typeCondition, n *yamlfile.Node) {
	if f := l.pattern(n); f != nil && f.pattern.shape == anExpression {
		c.types = append(c.types, f.pattern.list[0])
	}
}

func (l *loader) patternCondition(n *yamlfile.Node) condition {
	c := &patternCondition{}
	var rest []yamlfile.Field
	text := false
	for _, f := range l.fields(n) {
		switch f.Name {
		case "metavariable":
			c.name = l.name(f.Value)
		case "language":
			switch lang := l.d.Text(f.Value); lang {
			case "python", "python3", "py":
			case "generic", "regex", "none":
				text = true
			default:
				l.fail(f.Value, fmt.Sprintf("the language %s is not read inside a metavariable", lang), "use pattern-regex with language: regex")
			}
		default:
			rest = append(rest, f)
		}
	}
	l.inside++
	c.formula = l.patternsOrSearch(n, rest)
	l.inside--
	if c.name == "" {
		l.fail(n, "metavariable belongs here", "write it")
	}
	if text && c.formula != nil && !c.formula.onlyText() {
		l.fail(n, "patterns are not supported for text", "write pattern-regex")
	}
	if c.name == "" || c.formula == nil {
		return nil
	}
	return c
}

// patternsOrSearch also takes the keys of `patterns` that stand directly in a map.
func (l *loader) patternsOrSearch(n *yamlfile.Node, fields []yamlfile.Field) *formula {
	out := &formula{op: isAnd}
	for _, f := range fields {
		l.conjunct(out, f)
	}
	if len(out.kids) == 1 && out.kids[0].op != isNot && len(out.conds)+len(out.focus) == 0 {
		return out.kids[0]
	}
	return l.filled(n, out)
}

func (l *loader) comparison(n *yamlfile.Node) condition {
	c := &comparison{}
	for _, f := range l.fields(n) {
		switch f.Name {
		case "metavariable":
			c.name = l.name(f.Value)
		case "comparison":
			c.expr = l.expression(f.Value)
		case "base":
			base, err := strconv.Atoi(l.d.Text(f.Value))
			if err != nil || base < 2 || base > 36 {
				l.fail(f.Value, "a base is a number from 2 to 36", "write one")
			}
			c.base = base
		case "strip":
			c.strip = l.d.Bool(f.Value)
		default:
			l.unsupported(f)
		}
	}
	if c.expr == nil {
		l.fail(n, "comparison belongs here", "write it")
		return nil
	}
	if err := c.check(); err != nil {
		l.fail(n, err.Error(), "write it otherwise")
		return nil
	}
	return c
}

func (l *loader) expression(n *yamlfile.Node) *node {
	f := l.pattern(n)
	if f == nil || f.pattern.shape != anExpression {
		return nil
	}
	return f.pattern.list[0]
}
