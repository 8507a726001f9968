package py

import (
	"math"
	"strings"

	"palisade/internal/python"
)

func (in *interp) compare(s *scope, e *python.Compare) val {
	left := in.eval(s, e.Left)
	out, all := val{}, val{}
	for i, c := range e.Comparators {
		right := in.eval(s, c)
		r := in.compare1(e, e.Ops[i], left, right)
		own := in.ownCompare(e, e.Ops[i], left, right)
		r, all = join(r, own), join(all, own)
		if i == 0 {
			out = r
		} else {
			out = join(out, r)
		}
		left = right
	}
	if len(e.Ops) > 1 {
		return join(all, anyBool)
	}
	return out
}

func (in *interp) compare1(n python.Node, op python.CmpOperator, a, b val) val {
	either := anyBool
	x, ok1 := a.only()
	y, ok2 := b.only()
	if !ok1 || !ok2 {
		if isFrameVal(a) {
			return a // a column of truths
		}
		return either
	}
	if fx, ok := asFloat(x); ok {
		if fy, ok := asFloat(y); ok && math.Abs(fx) < 1<<53 && math.Abs(fy) < 1<<53 {
			return compared(op, fx < fy, fx == fy, either)
		}
	}
	sx, ok1 := x.(cStr)
	sy, ok2 := y.(cStr)
	if ok1 && ok2 {
		if op == python.In || op == python.NotIn {
			return one(cBool(strings.Contains(string(sy), string(sx)) == (op == python.In)))
		}
		if isASCII(string(sx)) && isASCII(string(sy)) || op == python.Eq || op == python.NotEq {
			return compared(op, sx < sy, sx == sy, either)
		}
		return either
	}
	if _, isNone := y.(cNone); isNone && (op == python.Is || op == python.IsNot) {
		_, same := x.(cNone)
		return one(cBool(same == (op == python.Is)))
	}
	if i, ok := x.(*instance); ok && isFrame(i.of) {
		return a
	}
	return either
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func compared(op python.CmpOperator, less, equal bool, either val) val {
	switch op {
	case python.Eq:
		return one(cBool(equal))
	case python.NotEq:
		return one(cBool(!equal))
	case python.Lt:
		return one(cBool(less))
	case python.LtE:
		return one(cBool(less || equal))
	case python.Gt:
		return one(cBool(!less && !equal))
	case python.GtE:
		return one(cBool(!less))
	}
	return either
}

// isFrame reports whether a class is pandas' DataFrame or Series.
func isFrame(of object) bool {
	return of == symbol("pandas.DataFrame") || of == symbol("pandas.Series")
}

func isFrameVal(v val) bool {
	for j := range v.size() {
		o := v.at(j)
		if i, ok := o.(*instance); ok && isFrame(i.of) {
			return true
		}
	}
	return false
}
