package iac

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// conditional gives the branch that is taken, or both where that is not known.
func (s *scope) conditional(e *hclsyntax.ConditionalExpr, depth int) *value {
	c := s.eval(e.Condition, depth)
	yes, no := s.eval(e.TrueResult, depth), s.eval(e.FalseResult, depth)
	switch {
	case c.how != "": // a variable's default: whoever applies the file may set it
	case c.is(text) && c.text == "true":
		return yes
	case c.is(text) && c.text == "false":
		return no
	}
	return &value{kind: choice, items: []*value{yes, no}, line: yes.line, column: yes.column, how: "one of two: the condition is not fixed"}
}

// forExpr evaluates the body once, for any of the collection's items.
func (s *scope) forExpr(e *hclsyntax.ForExpr, p place, depth int) *value {
	each := eachOf(s.eval(e.CollExpr, depth))
	var out *value
	s.bind(e.ValVar, each.get("value"), func() {
		body := func() {
			if e.CondExpr != nil {
				s.eval(e.CondExpr, depth)
			}
			v := s.eval(e.ValExpr, depth)
			if e.KeyExpr == nil {
				out = &value{kind: list, items: []*value{v}, line: p.line, column: p.column}
				return
			}
			out = &value{kind: mapping, line: p.line, column: p.column}
			for k := range s.eval(e.KeyExpr, depth).texts() {
				out.fields = append(out.fields, fieldAt(k.text, p, v))
			}
		}
		if e.KeyVar == "" {
			body()
			return
		}
		s.bind(e.KeyVar, each.get("key"), body)
	})
	return out
}

func (s *scope) splat(e *hclsyntax.SplatExpr, p place, depth int) *value {
	out := &value{kind: list, line: p.line, column: p.column}
	for item := range s.eval(e.Source, depth).each() {
		s.bind("*", item, func() { out.items = append(out.items, s.eval(e.Each, depth)) })
	}
	return out
}

// binary folds comparisons and sums of what is known.
func binary(op *hclsyntax.Operation, a, b *value, p place) *value {
	if !a.is(text) || !b.is(text) || a.unknown() || b.unknown() {
		return unknownAt(p)
	}
	how := a.how
	if how == "" {
		how = b.how
	}
	out := unknownAt(p)
	switch op {
	case hclsyntax.OpEqual:
		out = textAt(strconv.FormatBool(a.text == b.text), p)
	case hclsyntax.OpNotEqual:
		out = textAt(strconv.FormatBool(a.text != b.text), p)
	case hclsyntax.OpLogicalAnd:
		out = textAt(strconv.FormatBool(a.text == "true" && b.text == "true"), p)
	case hclsyntax.OpLogicalOr:
		out = textAt(strconv.FormatBool(a.text == "true" || b.text == "true"), p)
	case hclsyntax.OpAdd, hclsyntax.OpSubtract, hclsyntax.OpMultiply:
		out = arithmetic(op, a.text, b.text, p)
	}
	out.how = how
	return out
}

func arithmetic(op *hclsyntax.Operation, a, b string, p place) *value {
	if len(a)+len(b) > 64 {
		return unknownAt(p)
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return unknownAt(p)
	}
	switch op {
	case hclsyntax.OpAdd:
		x += y
	case hclsyntax.OpSubtract:
		x -= y
	default:
		x *= y
	}
	if x != x || x > 1e15 || x < -1e15 {
		return unknownAt(p)
	}
	return textAt(number(big.NewFloat(x)), p)
}

// join puts a collection's texts together.
func (s *scope) join(v *value, separator string, p place) *value {
	var parts []string
	for t := range v.each() {
		if t.kind != text {
			return unknownAt(p)
		}
		parts = append(parts, t.text)
	}
	out := textAt(s.fold(strings.Join(parts, separator)), p)
	out.how = v.how
	return out
}
