package iac

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// scope evaluates expressions as far as the file alone tells: variables by
// their defaults, locals by their values. It is HCL's evaluation but for three
// things: what is not known is a gap, what may be one of several is a choice of
// all, and no function does anything.
type scope struct {
	*report
	module *module
	known  map[string]*value // variables and locals that were evaluated
	busy   map[string]bool   // those on the way: a reference to itself is unknown
	names  map[string]*value // each, iterators, and variables of "for"
}

func newScope(r *report, m *module) *scope {
	return &scope{report: r, module: m, known: map[string]*value{}, busy: map[string]bool{}, names: map[string]*value{}}
}

// bind gives a name a value while f runs.
func (s *scope) bind(name string, v *value, f func()) {
	old, had := s.names[name]
	s.names[name] = v
	defer func() {
		if delete(s.names, name); had {
			s.names[name] = old
		}
	}()
	f()
}

// eachOf gives what "each" stands for: any key and any value of a collection.
func eachOf(over *value) *value {
	var keys, values []*value
	for _, v := range alternatives(over) {
		switch {
		case v.is(mapping):
			for _, f := range v.fields {
				keys = append(keys, textAt(f.name, f.place()))
				values = append(values, f.value)
			}
		case v.is(list):
			keys, values = append(keys, v.items...), append(values, v.items...)
		case v.unknown(): // a part of an input is one
			keys, values = append(keys, v), append(values, v)
		}
	}
	if len(values) == 0 {
		keys, values = []*value{unknownAt(over.place())}, []*value{unknownAt(over.place())}
	}
	return &value{kind: mapping, fields: []field{{name: "key", value: oneOf(keys)}, {name: "value", value: oneOf(values)}}}
}

// eval never returns nil.
func (s *scope) eval(e hclsyntax.Expression, depth int) *value {
	s.step()
	if depth > 2*maxDepth { // an operator per level more than brackets
		panic(errBudget)
	}
	if v := s.expression(e, at(e.Range().Start), depth+1); v != nil {
		return v
	}
	return &value{line: e.Range().Start.Line, column: e.Range().Start.Column}
}

func (s *scope) expression(e hclsyntax.Expression, p place, depth int) *value {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return literal(e.Val, p)
	case *hclsyntax.TemplateExpr:
		if len(e.Parts) > 0 { // behind the quote, or below the "<<"
			p = at(e.Parts[0].Range().Start)
		}
		return s.concat(e.Parts, p, depth)
	case *hclsyntax.TemplateWrapExpr:
		return s.eval(e.Wrapped, depth)
	case *hclsyntax.TemplateJoinExpr:
		return s.join(s.eval(e.Tuple, depth), "", p)
	case *hclsyntax.ParenthesesExpr:
		return s.eval(e.Expression, depth)
	case *hclsyntax.ObjectConsKeyExpr:
		if word := hcl.ExprAsKeyword(e); word != "" && !e.ForceNonLiteral {
			return textAt(word, p)
		}
		return s.eval(e.Wrapped, depth)
	case *hclsyntax.TupleConsExpr:
		out := &value{kind: list, line: p.line, column: p.column}
		for _, item := range e.Exprs {
			out.items = append(out.items, s.eval(item, depth))
		}
		return out
	case *hclsyntax.ObjectConsExpr:
		return s.object(e, p, depth)
	case *hclsyntax.ScopeTraversalExpr:
		return s.follow(s.root(e.Traversal, p), e.Traversal[1:], p)
	case *hclsyntax.RelativeTraversalExpr:
		return s.follow(s.eval(e.Source, depth), e.Traversal, p)
	case *hclsyntax.IndexExpr:
		return s.index(s.eval(e.Collection, depth), s.eval(e.Key, depth), p)
	case *hclsyntax.SplatExpr:
		return s.splat(e, p, depth)
	case *hclsyntax.ConditionalExpr:
		return s.conditional(e, depth)
	case *hclsyntax.FunctionCallExpr:
		return s.call(e, p, depth)
	case *hclsyntax.ForExpr:
		return s.forExpr(e, p, depth)
	case *hclsyntax.BinaryOpExpr:
		return binary(e.Op, s.eval(e.LHS, depth), s.eval(e.RHS, depth), p)
	case *hclsyntax.UnaryOpExpr:
		v := s.eval(e.Val, depth)
		switch {
		case e.Op == hclsyntax.OpLogicalNot && v.is(text) && (v.text == "true" || v.text == "false"):
			return textAt(strconv.FormatBool(v.text == "false"), p)
		case e.Op == hclsyntax.OpNegate && v.is(text) && !v.unknown():
			return textAt("-"+v.text, p)
		}
		return unknownAt(p)
	case *hclsyntax.AnonSymbolExpr:
		if v := s.names["*"]; v != nil {
			return v
		}
	}
	return unknownAt(p)
}

func literal(v cty.Value, p place) *value {
	switch {
	case !v.IsKnown():
		return unknownAt(p)
	case v.IsNull():
		return nil
	case v.Type() == cty.String:
		return textAt(clean(v.AsString()), p)
	case v.Type() == cty.Bool:
		return textAt(strconv.FormatBool(v.True()), p)
	case v.Type() == cty.Number:
		return textAt(number(v.AsBigFloat()), p)
	}
	return unknownAt(p)
}

// number writes a number as a template does. A huge exponent stays one.
func number(f *big.Float) string {
	if f.IsInt() && f.MantExp(nil) < 256 {
		return f.Text('f', 0)
	}
	return f.Text('g', 20)
}

// maxChoices bounds the texts that one text of choices becomes.
const maxChoices = 64

// concat puts a template's parts together, for each combination of choices.
func (s *scope) concat(parts []hclsyntax.Expression, p place, depth int) *value {
	outs := []*strings.Builder{new(strings.Builder)}
	how := ""
	for _, part := range parts {
		v := s.eval(part, depth)
		if how == "" {
			how = v.how
		}
		options := s.options(v)
		if len(options)*len(outs) > maxChoices {
			options = []string{gap}
		}
		outs = product(s, outs, options)
	}
	var values []*value
	for _, b := range outs {
		t := textAt(s.fold(b.String()), p)
		t.how = how
		values = append(values, t)
	}
	return oneOf(values)
}

// product appends each of the options to each of the texts.
func product(s *scope, outs []*strings.Builder, options []string) []*strings.Builder {
	base := outs
	for i, option := range options {
		if i == len(options)-1 { // the last one may take the builders themselves
			for _, b := range base {
				b.WriteString(option)
			}
			return outs
		}
		for _, b := range base {
			c := new(strings.Builder)
			c.WriteString(s.fold(b.String()))
			c.WriteString(option)
			outs = append(outs, c)
		}
	}
	return outs
}

// options are the texts that a value may be inside a template.
func (s *scope) options(v *value) []string {
	var out []string
	for t := range v.each() {
		if t.kind != text {
			return []string{gap}
		}
		out = append(out, t.text)
	}
	if len(out) == 0 {
		if v.is(null) || v == nil {
			return []string{""}
		}
		return []string{gap}
	}
	return out
}

func (s *scope) object(e *hclsyntax.ObjectConsExpr, p place, depth int) *value {
	out := &value{kind: mapping, line: p.line, column: p.column}
	for _, item := range e.Items {
		v, keys, n := s.eval(item.ValueExpr, depth), s.eval(item.KeyExpr, depth), 0
		for k := range keys.texts() {
			out.fields = append(out.fields, fieldAt(k.text, at(item.KeyExpr.Range().Start), v))
			n++
		}
		if n == 0 {
			out.fields = append(out.fields, fieldAt(gap, at(item.KeyExpr.Range().Start), v))
		}
	}
	return out
}

// root resolves the first name of a reference.
func (s *scope) root(t hcl.Traversal, p place) *value {
	name := t.RootName()
	if v, ok := s.names[name]; ok {
		return v
	}
	second := ""
	if len(t) > 1 {
		if a, ok := t[1].(hcl.TraverseAttr); ok {
			second = a.Name
		}
	}
	switch name {
	case "path": // module, root, cwd: where the file is
		return &value{kind: mapping, fields: []field{{name: second, value: textAt(".", p)}}}
	case "var":
		return s.named("var."+second, s.module.variables[second], second, p)
	case "local":
		return s.named("local."+second, s.module.locals[second], second, p)
	}
	return unknownAt(p)
}

// named evaluates a variable or a local once, and wraps it so that the
// reference's second name finds it.
func (s *scope) named(full string, l lazy, name string, p place) *value {
	v, done := s.known[full]
	if !done {
		if l == nil || s.busy[full] || len(s.busy) > maxDepth/4 {
			return input(full, p)
		}
		s.busy[full] = true
		saved := s.names
		s.names = map[string]*value{} // a local does not see who asks
		v = l(s)
		s.names = saved
		delete(s.busy, full)
		s.known[full] = v
	}
	if v == nil {
		return nil
	}
	c := *v // a text stands where it is used, and remembers where it came from
	c.how = full + " on line " + strconv.Itoa(v.line)
	if c.kind == text {
		c.line, c.column = p.line, p.column
	}
	return &value{kind: mapping, fields: []field{{name: name, value: &c}}}
}

// follow goes down a reference's remaining steps.
func (s *scope) follow(v *value, steps hcl.Traversal, p place) *value {
	for _, step := range steps {
		switch step := step.(type) {
		case hcl.TraverseAttr:
			v = s.index(v, textAt(step.Name, p), p)
		case hcl.TraverseIndex:
			v = s.index(v, literal(step.Key, p), p)
		default:
			return unknownAt(p)
		}
	}
	return v
}

// index picks from a collection; an index that is not known picks any.
func (s *scope) index(v, key *value, p place) *value {
	s.step()
	var found []*value
	for _, c := range alternatives(v) {
		for k := range key.texts() {
			found = append(found, pick(c, k, p))
		}
		if key.absent() {
			found = append(found, unknownAt(p))
		}
	}
	if out := oneOf(found); out != nil {
		return out
	}
	return unknownAt(p)
}

func pick(c, k *value, p place) *value {
	if c.unknown() { // a part of an input is one
		out := *c
		out.text, out.line, out.column = gap, p.line, p.column
		return &out
	}
	if c.is(mapping) && !k.unknown() {
		if v := c.get(k.text); v != nil {
			return v
		}
		return unknownAt(p)
	}
	if n, err := strconv.Atoi(k.text); err == nil && c.is(list) {
		if n >= 0 && n < len(c.items) {
			return c.items[n]
		}
		return unknownAt(p)
	}
	if c.is(mapping) || c.is(list) { // any of them
		return eachOf(c).get("value")
	}
	return unknownAt(p)
}

// alternatives are a choice's items, or the value itself.
func alternatives(v *value) []*value {
	if v.is(choice) {
		return v.items
	}
	return []*value{v}
}
