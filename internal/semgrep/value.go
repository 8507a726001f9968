package semgrep

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"palisade/internal/python"
)

// value is what constant propagation knows of an expression: its literal, or
// at least that it is some constant of a type.
type value struct {
	kind python.ValueKind
	lit  *python.Value // nil: some constant of the kind
}

// Bounds of what is put together while reading, in bytes: of one string, and
// of all in a file. Beyond them a string is known to be one, but not which.
const (
	maxString = 1 << 14
	maxFolded = 4 << 20
)

func literal(v python.Value) *value {
	if v.Kind == python.Ellipsis {
		return nil
	}
	return &value{kind: v.Kind, lit: &v}
}

func (v *value) isText() bool {
	return v != nil && (v.kind == python.Str || v.kind == python.Bytes)
}

// text returns the content of a known string.
func (v *value) text() (string, bool) {
	if v.isText() && v.lit != nil {
		return v.lit.Str, true
	}
	return "", false
}

// same reports whether both are known and equal, as literals.
func (v *value) same(o *value) bool {
	return v != nil && o != nil && v.lit != nil && o.lit != nil && sameLiteral(*v.lit, *o.lit)
}

func sameLiteral(a, b python.Value) bool {
	if a.Kind != b.Kind || a.Str != b.Str || a.Int != b.Int || a.Float != b.Float {
		return false
	}
	if a.Big == nil || b.Big == nil {
		return a.Big == b.Big
	}
	return a.Big.Cmp(b.Big) == 0
}

// join is what is known where two paths meet.
func join(a, b *value) *value {
	switch {
	case a == nil || b == nil || a.kind != b.kind:
		return nil
	case a.same(b):
		return a
	}
	return &value{kind: a.kind}
}

// binary computes an operation on constants; nil where nothing is known.
func binary(op string, a, b *value) *value {
	switch {
	case op == "Add" && a.isText() && b.isText():
		return concat(a, b)
	case op == "Mult" && (a.isText() && repeats(b) || b.isText() && repeats(a)):
		if a.isText() {
			return &value{kind: a.kind}
		}
		return &value{kind: b.kind}
	case a != nil && b != nil && a.kind == python.Int && b.kind == python.Int:
		return integers(op, a, b)
	}
	return nil
}

// repeats reports whether a string may be multiplied by the value: a string
// times anything that is no constant at all is still made of that string.
func repeats(v *value) bool { return v == nil || v.kind == python.Int }

func concat(a, b *value) *value {
	x, known := a.text()
	y, both := b.text()
	if !known || !both || len(x)+len(y) > maxString {
		return &value{kind: a.kind}
	}
	return &value{kind: a.kind, lit: &python.Value{Kind: a.kind, Str: x + y}}
}

// integers computes what fits into 64 bits.
func integers(op string, a, b *value) *value {
	if a.lit == nil || b.lit == nil || a.lit.Big != nil || b.lit.Big != nil {
		return &value{kind: python.Int}
	}
	x, y, z := big.NewInt(a.lit.Int), big.NewInt(b.lit.Int), new(big.Int)
	switch op {
	case "Add":
		z.Add(x, y)
	case "Sub":
		z.Sub(x, y)
	case "Mult":
		z.Mul(x, y)
	case "BitOr":
		z.Or(x, y)
	case "BitAnd":
		z.And(x, y)
	default:
		return &value{kind: python.Int}
	}
	if !z.IsInt64() {
		return &value{kind: python.Int}
	}
	return &value{kind: python.Int, lit: &python.Value{Kind: python.Int, Int: z.Int64()}}
}

// either is what `a and b or c` may be: the last operand of an `and` inside an
// `or`, or any operand.
func either(n *node) *value {
	var out *value
	for i, k := range n.kids {
		v := k.known
		if n.text == "Or" && k.kind == kBool && k.text == "And" {
			v = k.kids[len(k.kids)-1].known
		}
		if i == 0 {
			out = v
		} else {
			out = join(out, v)
		}
	}
	return out
}

// joined is the value of an f-string all of whose parts are known.
func joined(parts []*node) *value {
	var out strings.Builder
	whole := true
	for _, p := range parts {
		v := p.known
		if p.kind == kField {
			v = p.kids[0].known
			if p.text != "" || p.kids[1] != nil {
				whole = false
			}
		}
		if v == nil {
			return nil
		}
		s, ok := formatted(v)
		if whole = whole && ok && out.Len()+len(s) <= maxString; whole {
			out.WriteString(s)
		}
	}
	if !whole {
		return &value{kind: python.Str}
	}
	return &value{kind: python.Str, lit: &python.Value{Kind: python.Str, Str: out.String()}}
}

// formatted is a constant as an f-string writes it.
func formatted(v *value) (string, bool) {
	switch {
	case v.lit == nil:
		return "", false
	case v.kind == python.Str:
		return v.lit.Str, true
	case v.kind == python.Int && v.lit.Big == nil:
		return strconv.FormatInt(v.lit.Int, 10), true
	}
	return "", false
}

// negate is a minus in front of a number.
func negate(op string, v *value) *value {
	switch {
	case op != "USub" || v == nil || v.lit == nil || v.lit.Big != nil:
		return nil
	case v.kind == python.Int && v.lit.Int != math.MinInt64:
		return &value{kind: v.kind, lit: &python.Value{Kind: v.kind, Int: -v.lit.Int}}
	case v.kind == python.Float:
		return &value{kind: v.kind, lit: &python.Value{Kind: v.kind, Float: -v.lit.Float}}
	}
	return nil
}
