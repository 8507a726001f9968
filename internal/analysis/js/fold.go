package js

import (
	"math"
	"strings"
)

// maxText bounds the strings that are put together.
const maxText = 64 << 10

// text is what values are as parts of a text.
func (i *interpreter) text(s set, n *node) set {
	if len(s) == 0 {
		return prefix("")
	}
	var out set
	for _, v := range s {
		switch v.what {
		case constant, text:
			out = out.plus(v)
		case number:
			out = out.plus(value{what: constant, s: formatNumber(v.n)})
		case thing:
			out = out.with(i.textOfThing(v.obj, n))
		case known:
			if strings.HasPrefix(v.s, "/") || !isURLPath(v.s) {
				out = out.plus(value{what: text})
			}
		default:
			out = out.plus(value{what: text})
		}
	}
	return out
}

func isURLPath(path string) bool { return path == "import!.url" }

// textOfThing is an object as a text: an array's elements, or what its own
// toString gives.
func (i *interpreter) textOfThing(o *object, n *node) set {
	if o.list {
		if joined, ok := o.join(","); ok {
			return set{{what: constant, s: joined, built: true}}
		}
		return prefix("")
	}
	for _, name := range []string{"@@toPrimitive", "toString", "valueOf"} {
		if found, ok := i.lookup(o, name); ok {
			return i.callAll(found, o.set(), arguments{}, n).with(prefix(""))
		}
	}
	return prefix("")
}

// concat is x + y.
func (i *interpreter) concat(x, y set) set {
	if len(x) == 0 {
		x = anything
	}
	if len(y) == 0 {
		y = anything
	}
	i.step(len(x) * len(y))
	if i.passes > coarseFrom && len(x)*len(y) > 1 {
		return coarse(x, y)
	}
	var out set
	for _, a := range x {
		for _, b := range y {
			out = out.with(i.plus(a, b))
		}
	}
	return out
}

// coarse is x + y where only the beginning of a text is kept: values that have
// not settled soon grow in a loop.
func coarse(x, y set) set {
	texts := false
	for _, v := range x.with(y) {
		texts = texts || v.what != number && v.what != plain
	}
	if !texts {
		return inert
	}
	begin, first := "", true
	for _, v := range x {
		s := ""
		if v.what == constant || v.what == text {
			s = v.s
		}
		if first {
			begin, first = s, false
		}
		begin = common(begin, s)
	}
	return set{{what: text, s: begin, built: true}}
}

func (i *interpreter) plus(a, b value) set {
	if a.what == number && b.what == number {
		return num(a.n + b.n)
	}
	if a.what == plain && (b.what == plain || b.what == number) || a.what == number && b.what == plain {
		return inert
	}
	x := i.text(a.set(), nil)
	y := i.text(b.set(), nil)
	var out set
	for _, a := range x {
		for _, b := range y {
			out = out.plus(join(a, b))
		}
	}
	return out
}

// join puts two strings together. What is built of two parts that are not
// empty is marked.
func join(a, b value) value {
	built := a.built || b.built || a.s != "" && b.s != ""
	switch {
	case a.what == text:
		return value{what: text, s: a.s, built: built}
	case b.what == text || len(a.s)+len(b.s) > maxText:
		s := a.s + b.s
		if len(s) > 1024 {
			s = s[:1024]
		}
		return value{what: text, s: s, built: built}
	}
	return value{what: constant, s: a.s + b.s, built: built}
}

// arithmetic is an operation on numbers.
func (i *interpreter) arithmetic(op string, x, y set) set {
	if i.passes > coarseFrom && len(x)*len(y) > 1 {
		return inert
	}
	var out set
	for _, a := range x {
		for _, b := range y {
			m, ok := toNumber(a)
			k, also := toNumber(b)
			if !ok || !also {
				return inert
			}
			r, done := calculate(op, m, k)
			if !done || math.IsNaN(r) || math.IsInf(r, 0) {
				return inert
			}
			out = out.plus(value{what: number, n: r})
		}
	}
	if len(out) == 0 {
		return inert
	}
	return out
}

func toNumber(v value) (float64, bool) {
	switch v.what {
	case number:
		return v.n, true
	case constant:
		return numberValue(strings.TrimSpace(v.s))
	}
	return 0, false
}

func calculate(op string, a, b float64) (float64, bool) {
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "/":
		return a / b, b != 0
	case "%":
		return math.Mod(a, b), b != 0
	case "**":
		return math.Pow(a, b), true
	}
	x, y := int32(int64(a)), int32(int64(b))
	switch op {
	case "&":
		return float64(x & y), true
	case "|":
		return float64(x | y), true
	case "^":
		return float64(x ^ y), true
	case "~":
		return float64(^y), true
	case "<<":
		return float64(x << (uint32(y) & 31)), true
	case ">>":
		return float64(x >> (uint32(y) & 31)), true
	case ">>>":
		return float64(uint32(x) >> (uint32(y) & 31)), true
	}
	return 0, false
}
