package py

import (
	"math"
	"math/bits"
	"strings"

	"palisade/internal/analysis"
	"palisade/internal/python"
)

// maxPairs bounds the combinations that an operation is computed for.
const maxPairs = 64

// binary is `a op b`.
func (in *interp) binary(n python.Node, op python.Operator, a, b val) val {
	if len(a.objs)*len(b.objs) > maxPairs {
		return widest(a, b)
	}
	var out val
	for _, x := range a.objs {
		for _, y := range b.objs {
			in.step()
			out = join(out, in.binary1(n, op, x, y))
		}
		if b.open {
			out = join(out, in.half(op, x, true))
		}
	}
	if a.open {
		for _, y := range b.objs {
			out = join(out, in.half(op, y, false))
		}
	}
	if a.open && b.open || out.empty() {
		out = join(out, unknown)
	}
	for _, o := range out.objs {
		if s, ok := o.(cStr); ok && isBuilt(string(s)) {
			in.built(n, string(s))
		}
	}
	return out
}

// isBuilt reports whether a string that a program puts together is a name
// which nobody needs to put together.
func isBuilt(s string) bool {
	return len(s) > 3 && len(s) < 32 && (introspective[s] && strings.HasPrefix(s, "__") || s == "__import__")
}

func (in *interp) built(n python.Node, s string) {
	in.introspect(n, s, analysis.KindText, "a name put together from parts")
}

// widest is the kind of result that many combinations give.
func widest(a, b val) val {
	out := unknown
	allText, allNum := !a.open && !b.open, !a.open && !b.open
	for _, v := range []val{a, b} {
		for _, o := range v.objs {
			switch o.(type) {
			case cStr, pattern, prefix:
				allNum = false
			case cInt, cFloat, number, cBool:
				allText = false
			default:
				allText, allNum = false, false
			}
		}
	}
	if allText {
		return one(prefix(""))
	}
	if allNum {
		return one(number{})
	}
	for _, v := range []val{a, b} {
		for _, o := range v.objs {
			if !isConstant(o) {
				out = join(out, one(o))
			}
		}
	}
	return out
}

// half is an operation of which one side is not known.
func (in *interp) half(op python.Operator, x object, left bool) val {
	switch x := x.(type) {
	case cStr:
		if op == python.Add && left {
			return one(prefix(x))
		}
		if op == python.Mod && left {
			return one(prefix(beforeVerb(string(x))))
		}
		if op == python.Add {
			return one(prefix(""))
		}
	case pattern:
		if op == python.Add && left {
			return one(prefix(strings.SplitN(string(x), "*", 2)[0]))
		}
	case prefix:
		if op == python.Add && left {
			return one(x)
		}
		if op == python.Add {
			return one(prefix(""))
		}
	case *instance:
		if x.of == symbol("pathlib.Path") && op == python.Div {
			return one(&instance{of: x.of, text: joinPath(x.text, unknown)})
		}
	case *list:
		if op == python.Add || op == python.Mult {
			return join(unknown, one(&list{kind: x.kind, rest: x.element()}))
		}
	}
	return unknown
}

func beforeVerb(s string) string {
	if i := strings.IndexByte(s, '%'); i >= 0 {
		return s[:i]
	}
	return s
}

func (in *interp) binary1(n python.Node, op python.Operator, x, y object) val {
	if v, ok := arithmetic(op, x, y); ok {
		return v
	}
	switch a := x.(type) {
	case cStr, pattern, prefix:
		if op == python.Mod {
			return in.percent(n, x, one(y))
		}
		if op == python.Add {
			return concat(x, y)
		}
		if i, ok := asInt(y); ok && op == python.Mult {
			if s, isStr := a.(cStr); isStr {
				return repeatText(string(s), i)
			}
		}
		return one(prefix(""))
	case cBytes:
		if op == python.Mod {
			return one(anyBytes{})
		}
		if b, ok := y.(cBytes); ok && op == python.Add && len(a)+len(b) <= maxText {
			return one(a + b)
		}
		if i, ok := asInt(y); ok && op == python.Mult {
			if v := repeatText(string(a), i); len(v.objs) == 1 {
				if s, ok := v.objs[0].(cStr); ok {
					return one(cBytes(s))
				}
			}
		}
		return one(anyBytes{})
	case cInt:
		if s, ok := y.(cStr); ok && op == python.Mult {
			return repeatText(string(s), int64(a))
		}
	case *list:
		return in.listOp(op, a, y)
	case *dict:
		if b, ok := y.(*dict); ok && op == python.BitOr {
			d := newDict()
			in.merge(d, one(a))
			in.merge(d, one(b))
			return one(d)
		}
	case *instance:
		return in.instanceOp(n, op, a, y)
	}
	if i, ok := y.(*instance); ok {
		if i.of == symbol("pathlib.Path") && op == python.Div {
			return one(&instance{of: i.of, text: joinPath(one(x), i.text)})
		}
		if c, ok := i.of.(*class); ok {
			if m := in.classAttribute(c, reflected[op]); !m.empty() {
				return in.call(n, in.bind(m, i, c), callArgs{pos: []val{one(x)}})
			}
		}
	}
	return unknown
}

func (in *interp) instanceOp(n python.Node, op python.Operator, a *instance, y object) val {
	if a.of == symbol("pathlib.Path") && op == python.Div {
		return one(&instance{of: a.of, text: joinPath(a.text, one(y))})
	}
	if c, ok := a.of.(*class); ok {
		if m := in.classAttribute(c, operators[op]); !m.empty() {
			return in.call(n, in.bind(m, a, c), callArgs{pos: []val{one(y)}})
		}
	}
	if isFrame(a.of) {
		return one(a)
	}
	return unknown
}

var operators = map[python.Operator]string{
	python.Add: "__add__", python.Sub: "__sub__", python.Mult: "__mul__", python.MatMult: "__matmul__",
	python.Div: "__truediv__", python.Mod: "__mod__", python.Pow: "__pow__", python.LShift: "__lshift__",
	python.RShift: "__rshift__", python.BitOr: "__or__", python.BitXor: "__xor__", python.BitAnd: "__and__",
	python.FloorDiv: "__floordiv__",
}

var reflected = map[python.Operator]string{
	python.Add: "__radd__", python.Sub: "__rsub__", python.Mult: "__rmul__", python.MatMult: "__rmatmul__",
	python.Div: "__rtruediv__", python.Mod: "__rmod__", python.Pow: "__rpow__", python.LShift: "__rlshift__",
	python.RShift: "__rrshift__", python.BitOr: "__ror__", python.BitXor: "__rxor__", python.BitAnd: "__rand__",
	python.FloorDiv: "__rfloordiv__",
}

func (in *interp) listOp(op python.Operator, a *list, y object) val {
	if b, ok := y.(*list); ok && op == python.Add {
		if a.exact && b.exact && len(a.elems)+len(b.elems) <= 512 {
			return one(newList(a.kind, append(a.elems[:len(a.elems):len(a.elems)], b.elems...)...))
		}
		return one(&list{kind: a.kind, rest: join(a.element(), b.element())})
	}
	if i, ok := asInt(y); ok && op == python.Mult && a.exact && i >= 0 && i*int64(len(a.elems)) <= 256 && i < 1024 {
		out := newList(a.kind)
		for range i {
			out.elems = append(out.elems, a.elems...)
		}
		return one(out)
	}
	return one(&list{kind: a.kind, rest: a.element()})
}

// concat joins two texts of which parts may not be known.
func concat(x, y object) val {
	if p, ok := x.(prefix); ok {
		return one(p)
	}
	a, exactA, _ := asText(x)
	var b string
	exactB := true
	switch y := y.(type) {
	case cStr:
		b = string(y)
	case pattern:
		b, exactB = string(y), false
	case prefix:
		if exactA && len(a)+len(y) <= maxText {
			return one(prefix(a + string(y)))
		}
		return one(prefix(strings.SplitN(a, "*", 2)[0]))
	default:
		return val{} // a TypeError
	}
	if len(a)+len(b) > maxText {
		return one(prefix(a[:min(len(a), 256)]))
	}
	if exactA && exactB {
		return text(a + b)
	}
	return one(pattern(a + b))
}

func repeatText(s string, n int64) val {
	if n <= 0 || s == "" {
		return text("")
	}
	if n > maxText || int64(len(s))*n > maxText {
		return one(prefix(s[:min(len(s), 256)]))
	}
	return text(strings.Repeat(s, int(n)))
}

// arithmetic folds numbers.
func arithmetic(op python.Operator, x, y object) (val, bool) {
	a, ok1 := asInt(x)
	b, ok2 := asInt(y)
	if ok1 && ok2 {
		if r, ok := intOp(op, a, b); ok {
			return one(r), true
		}
		return one(number{}), true
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
			return one(number{}), true
		}
		return one(cFloat(r)), true
	}
	if isNumber(x) && isNumber(y) {
		return one(number{}), true
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
	for _, o := range v.objs {
		i, isInt := asInt(o)
		switch {
		case e.Op == python.Not:
			if t, ok := truth1(o); ok {
				out = join(out, one(cBool(!t)))
			} else {
				out = join(out, val{objs: []object{cBool(true), cBool(false)}})
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
				out = join(out, one(number{}))
			}
		default:
			out = join(out, in.unaryOwn(e, o))
		}
	}
	if e.Op == python.Not && v.open {
		return val{objs: []object{cBool(true), cBool(false)}}
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

func (in *interp) compare(s *scope, e *python.Compare) val {
	left := in.eval(s, e.Left)
	out := val{}
	for i, c := range e.Comparators {
		right := in.eval(s, c)
		r := in.compare1(e, e.Ops[i], left, right)
		if i == 0 {
			out = r
		} else {
			out = join(out, r)
		}
		left = right
	}
	if len(e.Ops) > 1 {
		return val{objs: []object{cBool(true), cBool(false)}}
	}
	return out
}

func (in *interp) compare1(n python.Node, op python.CmpOperator, a, b val) val {
	either := val{objs: []object{cBool(true), cBool(false)}}
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
	for _, o := range v.objs {
		if i, ok := o.(*instance); ok && isFrame(i.of) {
			return true
		}
	}
	return false
}
