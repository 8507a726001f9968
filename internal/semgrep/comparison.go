package semgrep

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"palisade/internal/python"
)

// comparison is `metavariable-comparison`: a Python expression over what is
// bound, which must be true. Where a part of it has no value, it does not hold.
type comparison struct {
	name string // with strip and base: the metavariable that they are for
	expr *node
	base int
	// matchers are the expressions of calls of re.match.
	matchers map[*node]*expression
	strip    bool
}

func (c *comparison) speaksOf() []string {
	var out []string
	c.expr.walk(func(n *node) bool {
		if n.kind == kMvar {
			out = append(out, n.text)
		}
		return true
	})
	return out
}

func (c *comparison) holds(r *finder, e *env) []*env {
	v := &calculator{c, r, e}
	if ok, known := v.eval(c.expr).(bool); !ok || !known {
		return nil
	}
	return []*env{e}
}

// check reports what a comparison uses that the calculator does not know.
func (c *comparison) check() error {
	var bad error
	c.expr.walk(func(n *node) bool {
		switch n.kind {
		case kMvar, kConst, kBool, kUnary, kBinary, kCompare, kList, kTuple, kArgs, kIdent:
		case kCall:
			if name := n.kids[0].dotted(); name == "re.match" {
				bad = c.matcher(n.kids[1].kids)
			} else if !knownFunction(name) {
				bad = fmt.Errorf("the function %q is not known in a comparison", name)
			}
		case kName, kAttr:
			if name := n.dotted(); !knownFunction(name) && name != "re" {
				bad = fmt.Errorf("the name %q is not known in a comparison", name)
			}
		default:
			bad = fmt.Errorf("a comparison is made of operators, constants, metavariables, int, float, str, len, lower, upper and re.match")
		}
		return bad == nil
	})
	return bad
}

// matcher compiles the expression of a call of re.match.
func (c *comparison) matcher(args []*node) error {
	if len(args) != 2 || !args[0].known.isText() {
		return errors.New("re.match takes a constant expression and a text")
	}
	text, _ := args[0].known.text()
	x, err := compileRegexp("^(?:" + text + ")")
	if c.matchers == nil {
		c.matchers = map[*node]*expression{}
	}
	c.matchers[args[0]] = x
	return err
}

func knownFunction(name string) bool {
	switch name {
	case "int", "float", "str", "len", "lower", "upper", "re.match":
		return true
	}
	return false
}

// calculator computes with int64, float64, string, bool and []any; nil is no
// value.
type calculator struct {
	*comparison
	r *finder
	e *env
}

func (c *calculator) eval(n *node) any {
	c.r.step(1)
	switch n.kind {
	case kMvar:
		return c.metavariable(n.text)
	case kConst:
		return constantOf(n.known)
	case kBool:
		return c.boolean(n)
	case kUnary:
		return unaryOf(n.text, c.eval(n.kids[0]))
	case kBinary:
		return arithmetic(n.text, c.eval(n.kids[0]), c.eval(n.kids[1]))
	case kCompare:
		return c.compare(n)
	case kList, kTuple:
		out := make([]any, 0, len(n.kids))
		for _, k := range n.kids {
			out = append(out, c.eval(k))
		}
		return out
	case kCall:
		return c.call(n)
	}
	return nil
}

func constantOf(v *value) any {
	switch {
	case v == nil || v.lit == nil:
		return nil
	case v.isText():
		return v.lit.Str
	case v.kind == python.Bool:
		return v.lit.Int != 0
	case v.kind == python.Int && v.lit.Big != nil:
		f, _ := new(big.Float).SetInt(v.lit.Big).Float64()
		return f
	case v.kind == python.Int:
		return v.lit.Int
	case v.kind == python.Float:
		return v.lit.Float
	}
	return nil
}

// metavariable is the constant that is bound, read as strip and base say.
func (c *calculator) metavariable(name string) any {
	n := c.e.lookup(name)
	if n == nil {
		return nil
	}
	if name == c.name && (c.strip || c.base != 0) {
		text := strings.Trim(c.r.content(n, true), "\"'`")
		if i, err := strconv.ParseInt(text, c.base, 64); err == nil {
			return i
		}
		return nil
	}
	return constantOf(n.known)
}

func (c *calculator) boolean(n *node) any {
	for _, k := range n.kids {
		v, ok := c.eval(k).(bool)
		if !ok {
			return nil
		}
		if v != (n.text == "And") {
			return v
		}
	}
	return n.text == "And"
}

func (c *calculator) compare(n *node) any {
	ops := strings.Fields(n.text)
	for i, op := range ops {
		ok, known := compareTwo(op, c.eval(n.kids[i]), c.eval(n.kids[i+1])).(bool)
		if !known {
			return nil
		}
		if !ok {
			return false
		}
	}
	return true
}

func (c *calculator) call(n *node) any {
	args := n.kids[1].kids
	name := n.kids[0].dotted()
	if name == "re.match" && len(args) == 2 {
		return c.matches(args[0], args[1])
	}
	if len(args) != 1 {
		return nil
	}
	if name == "str" && args[0].kind == kMvar {
		if bound := c.e.lookup(args[0].text); bound != nil {
			return c.r.content(bound, true)
		}
		return nil
	}
	v := c.eval(args[0])
	switch name {
	case "int":
		return toInt(v)
	case "float":
		if s, ok := v.(string); ok {
			if f, err := strconv.ParseFloat(s, 64); err == nil {
				return f
			}
			return nil
		}
		if f, ok := number(v); ok {
			return f
		}
	case "str":
		if v != nil {
			return fmt.Sprint(v)
		}
	}
	s, ok := v.(string)
	switch {
	case !ok:
	case name == "len":
		return int64(len([]rune(s)))
	case name == "lower":
		return strings.ToLower(s)
	case name == "upper":
		return strings.ToUpper(s)
	}
	return nil
}

func toInt(v any) any {
	switch v := v.(type) {
	case string:
		if i, err := strconv.ParseInt(strings.TrimSpace(v), 0, 64); err == nil {
			return i
		}
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return nil
}

// matches is re.match with a constant expression.
func (c *calculator) matches(expr, subject *node) any {
	s, both := c.eval(subject).(string)
	if subject.kind == kMvar && !both {
		if n := c.e.lookup(subject.text); n != nil {
			s, both = c.r.content(n, true), true
		}
	}
	if !both || c.matchers[expr] == nil {
		return nil
	}
	return c.r.search(c.matchers[expr], s, 0) != nil
}
