package py

import (
	"strings"

	"palisade/internal/analysis"
	"palisade/internal/python"
)

// maxPairs bounds the combinations that an operation is computed for.
const maxPairs = 64

// binary is `a op b`.
func (in *interp) binary(n python.Node, op python.Operator, a, b val) val {
	if a.size()*b.size() > maxPairs {
		return join(widest(a, b), in.ownBinary(n, op, a, b))
	}
	var out val
	if a.open || b.open || hasClass(a) || hasClass(b) {
		out = in.ownBinary(n, op, a, b)
	}
	for i := range a.size() {
		x := a.at(i)
		for i := range b.size() {
			y := b.at(i)
			in.step()
			out = join(out, in.binary1(n, op, x, y))
		}
		if b.open {
			out = join(out, in.half(op, x, true))
		}
	}
	if a.open {
		for i := range b.size() {
			y := b.at(i)
			out = join(out, in.half(op, y, false))
		}
	}
	if a.open && b.open || out.empty() {
		out = join(out, unknown)
	}
	for i := range out.size() {
		o := out.at(i)
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
		for i := range v.size() {
			o := v.at(i)
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
		return anyText
	}
	if allNum {
		return anyNumber
	}
	for _, v := range []val{a, b} {
		for i := range v.size() {
			o := v.at(i)
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
			return anyText
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
			return anyText
		}
	case *instance:
		if x.of == symbol("pathlib.Path") && op == python.Div {
			return in.pathObject(joinPath(x.text, unknown))
		}
		if isExpression(x.of) {
			return join(unknown, one(x))
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
		return anyText
	case cBytes:
		if op == python.Mod {
			return one(anyBytes{})
		}
		if b, ok := y.(cBytes); ok && op == python.Add && len(a)+len(b) <= maxText {
			return one(a + b)
		}
		if i, ok := asInt(y); ok && op == python.Mult {
			if v := repeatText(string(a), i); v.size() == 1 {
				if s, ok := v.at(0).(cStr); ok {
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
			in.merge(d, one(a), true)
			in.merge(d, one(b), true)
			return one(d)
		}
	case *instance:
		return in.instanceOp(n, op, a, y)
	}
	if i, ok := y.(*instance); ok {
		if i.of == symbol("pathlib.Path") && op == python.Div {
			return in.pathObject(joinPath(one(x), i.text))
		}
		if c, ok := i.of.(*class); ok {
			if m := in.classAttribute(c, reflected[op]); !m.empty() {
				return in.call(n, in.bind(m, i, c), callArgs{pos: []val{one(x)}})
			}
		}
		if isExpression(i.of) {
			return one(i)
		}
	}
	return unknown
}

func (in *interp) instanceOp(n python.Node, op python.Operator, a *instance, y object) val {
	if a.of == symbol("pathlib.Path") && op == python.Div {
		return in.pathObject(joinPath(a.text, one(y)))
	}
	if c, ok := a.of.(*class); ok {
		if m := in.classAttribute(c, operators[op]); !m.empty() {
			return in.call(n, in.bind(m, a, c), callArgs{pos: []val{one(y)}})
		}
	}
	if isFrame(a.of) || isExpression(a.of) {
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
