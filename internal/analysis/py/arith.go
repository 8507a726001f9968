package py

import (
	"math"
	"math/bits"

	"palisade/internal/python"
)

// arithmetic folds numbers.
func arithmetic(op python.Operator, x, y object) (val, bool) {
	a, ok1 := asInt(x)
	b, ok2 := asInt(y)
	if ok1 && ok2 {
		if r, ok := intOp(op, a, b); ok {
			return one(r), true
		}
		return anyNumber, true
	}
	fa, ok1 := asFloat(x)
	fb, ok2 := asFloat(y)
	if ok1 && ok2 {
		var r float64
		switch op {
		case python.Add:
			r = fa + fb
		case python.Sub:
			r = fa - fb
		case python.Mult:
			r = fa * fb
		case python.Div:
			if fb == 0 {
				return val{}, true
			}
			r = fa / fb
		default:
			return anyNumber, true
		}
		return one(cFloat(r)), true
	}
	if isNumber(x) && isNumber(y) {
		return anyNumber, true
	}
	return val{}, false
}

func isNumber(o object) bool {
	switch o.(type) {
	case cInt, cBool, cFloat, number:
		return true
	}
	return false
}

func asFloat(o object) (float64, bool) {
	switch o := o.(type) {
	case cFloat:
		return float64(o), true
	case cInt:
		return float64(o), true
	case cBool:
		i, _ := asInt(o)
		return float64(i), true
	}
	return 0, false
}

func intOp(op python.Operator, a, b int64) (object, bool) {
	switch op {
	case python.Add:
		r := a + b
		return cInt(r), (r > a) == (b > 0)
	case python.Sub:
		r := a - b
		return cInt(r), (r < a) == (b > 0)
	case python.Mult:
		hi, lo := bits.Mul64(abs(a), abs(b))
		return cInt(a * b), hi == 0 && lo < 1<<62
	case python.FloorDiv, python.Mod:
		if b == 0 || a == math.MinInt64 {
			return number{}, true
		}
		q, r := a/b, a%b
		if r != 0 && (r < 0) != (b < 0) {
			q, r = q-1, r+b
		}
		if op == python.Mod {
			return cInt(r), true
		}
		return cInt(q), true
	case python.Div:
		if b == 0 {
			return number{}, true
		}
		return cFloat(float64(a) / float64(b)), true
	case python.Pow:
		r := int64(1)
		if b < 0 || b > 62 || abs(a) > 1<<31 {
			return number{}, true
		}
		for range b {
			hi, lo := bits.Mul64(abs(r), abs(a))
			if hi != 0 || lo >= 1<<62 {
				return number{}, true
			}
			r *= a
		}
		return cInt(r), true
	case python.LShift:
		if b < 0 || b > 62 || abs(a) >= 1<<(62-b) {
			return number{}, true
		}
		return cInt(a << b), true
	case python.RShift:
		if b < 0 {
			return number{}, true
		}
		return cInt(a >> min(b, 63)), true
	case python.BitOr:
		return cInt(a | b), true
	case python.BitXor:
		return cInt(a ^ b), true
	case python.BitAnd:
		return cInt(a & b), true
	}
	return number{}, true
}

func abs(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

func (in *interp) unary(e *python.UnaryOp, v val) val {
	out := val{open: v.open}
	for j := range v.size() {
		o := v.at(j)
		i, isInt := asInt(o)
		switch {
		case e.Op == python.Not:
			if t, ok := truth1(o); ok {
				out = join(out, one(cBool(!t)))
			} else {
				out = join(out, anyBool)
			}
		case isInt && e.Op == python.USub && i != math.MinInt64:
			out = join(out, one(cInt(-i)))
		case isInt && e.Op == python.UAdd:
			out = join(out, one(cInt(i)))
		case isInt && e.Op == python.Invert:
			out = join(out, one(cInt(^i)))
		case isNumber(o):
			if f, ok := o.(cFloat); ok && e.Op == python.USub {
				out = join(out, one(-f))
			} else {
				out = join(out, anyNumber)
			}
		default:
			out = join(out, in.unaryOwn(e, o))
		}
	}
	if e.Op == python.Not && v.open {
		return anyBool
	}
	return out
}

func (in *interp) unaryOwn(e *python.UnaryOp, o object) val {
	i, ok := o.(*instance)
	if !ok {
		return unknown
	}
	c, ok := i.of.(*class)
	if !ok {
		if isFrame(i.of) {
			return one(i)
		}
		return unknown
	}
	name := map[python.UnaryOperator]string{python.USub: "__neg__", python.UAdd: "__pos__", python.Invert: "__invert__"}[e.Op]
	if m := in.classAttribute(c, name); !m.empty() {
		return in.call(e, in.bind(m, i, c), callArgs{})
	}
	return unknown
}
