package python

import (
	"math"
	"math/big"
	"strconv"
)

// match checks the cases of a match statement.
func (c *checker) match(m *Match) {
	for i, k := range m.Cases {
		p := &patternCheck{c: c, stores: map[string]bool{}}
		p.pattern(k.Pattern, k.Guard != nil || i == len(m.Cases)-1)
		c.maybe(k.Guard)
		c.body(k.Body)
	}
}

// patternCheck checks one case; stores are the names that it has bound.
type patternCheck struct {
	c      *checker
	stores map[string]bool
}

func (p *patternCheck) store(name string, at Node) {
	if name == "" {
		return
	}
	p.c.bind(name, at)
	if p.stores[name] {
		failNode(at, "multiple assignments to name '"+name+"' in pattern")
	}
	p.stores[name] = true
}

// pattern checks n; irrefutable says that it may match everything.
func (p *patternCheck) pattern(n Pattern, irrefutable bool) {
	p.c.enter(n)
	switch n := n.(type) {
	case *MatchValue:
		p.c.expr(n.Value)
	case *MatchSequence:
		stars := 0
		for _, x := range n.Patterns {
			if _, ok := x.(*MatchStar); ok {
				if stars++; stars > 1 {
					failNode(x, "multiple starred expressions in sequence pattern")
				}
			}
		}
		for i, x := range n.Patterns {
			if _, ok := x.(*MatchStar); ok && i >= 256 {
				failNode(x, "too many expressions in star-unpacking sequence pattern")
			}
			p.pattern(x, true)
		}
	case *MatchMapping:
		p.mapping(n)
	case *MatchClass:
		p.c.expr(n.Cls)
		seen := newNameSet(len(n.KwdAttrs))
		for _, a := range n.KwdAttrs {
			p.c.forbid(a, n, "assign to")
			if !seen.add(a) {
				failNode(n, "attribute name repeated in class pattern: "+a)
			}
		}
		for _, x := range n.Patterns {
			p.pattern(x, true)
		}
		for _, x := range n.KwdPatterns {
			p.pattern(x, true)
		}
	case *MatchStar:
		p.store(n.Name, n)
	case *MatchAs:
		if n.Pattern == nil {
			if !irrefutable {
				if n.Name == "" {
					failNode(n, "wildcard makes remaining patterns unreachable")
				}
				failNode(n, "name capture '"+n.Name+"' makes remaining patterns unreachable")
			}
		} else {
			p.pattern(n.Pattern, irrefutable)
		}
		p.store(n.Name, n)
	case *MatchOr:
		p.or(n, irrefutable)
	}
	p.c.depth--
}

// or checks alternatives, all of which must bind the same names.
func (p *patternCheck) or(n *MatchOr, irrefutable bool) {
	outer := p.stores
	var first map[string]bool
	for i, alt := range n.Patterns {
		p.stores = map[string]bool{}
		p.pattern(alt, irrefutable && i == len(n.Patterns)-1)
		if i == 0 {
			first = p.stores
			continue
		}
		same := len(first) == len(p.stores)
		for name := range first {
			same = same && p.stores[name]
		}
		if !same {
			failNode(n, "alternative patterns bind different names")
		}
	}
	p.stores = outer
	for name := range first {
		if outer[name] {
			failNode(n, "multiple assignments to name '"+name+"' in pattern")
		}
		outer[name] = true
	}
}

func (p *patternCheck) mapping(n *MatchMapping) {
	seen := map[string]bool{}
	for _, k := range n.Keys {
		if key, ok := constantKey(k); ok {
			if seen[key] {
				failNode(k, "mapping pattern checks duplicate key")
			}
			seen[key] = true
		}
		p.c.expr(k)
	}
	for _, x := range n.Patterns {
		p.pattern(x, true)
	}
	p.store(n.Rest, n)
}

// constantKey gives equal strings for literals that are equal in Python.
func constantKey(e Expr) (string, bool) {
	re, im, other, ok := literalValue(e)
	if !ok || other != "" {
		return other, ok
	}
	return re + "+" + im, true
}

// literalValue folds a number of a pattern into its real and imaginary part.
func literalValue(e Expr) (re, im, other string, ok bool) {
	switch e := e.(type) {
	case *Constant:
		switch v := e.Value; v.Kind {
		case Str:
			return "", "", "s" + v.Str, true
		case Bytes:
			return "", "", "b" + v.Str, true
		case None:
			return "", "", "None", true
		case Bool, Int:
			return v.BigInt().String(), "0", "", true
		case Float:
			return floatKey(v.Float), "0", "", true
		case Complex:
			return "0", floatKey(v.Float), "", true
		}
	case *UnaryOp:
		re, im, other, ok = literalValue(e.Operand)
		return negate(re), negate(im), other, ok
	case *BinOp:
		re, im1, _, ok1 := literalValue(e.Left)
		re2, im, _, ok2 := literalValue(e.Right)
		if !ok1 || !ok2 || im1 != "0" || re2 != "0" {
			return "", "", "", false
		}
		if e.Op == Sub {
			im = negate(im)
		}
		return complexPart(re), im, "", true
	}
	return "", "", "", false
}

func negate(s string) string {
	switch {
	case s == "0":
		return s
	case s[0] == '-':
		return s[1:]
	}
	return "-" + s
}

// floatKey writes a float as the equal integer, if there is one.
func floatKey(f float64) string {
	if f == math.Trunc(f) && !math.IsInf(f, 0) {
		n, _ := big.NewFloat(f).Int(nil)
		return n.String()
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// complexPart rounds an integer as conversion to a complex does.
func complexPart(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return floatKey(f)
}
