package py

import (
	"strings"
	"unicode/utf8"
)

// points splits a str into its code points; a lone surrogate in its
// three-byte form is one.
func points(s string) []string {
	out := make([]string, 0, len(s))
	for i := 0; i < len(s); {
		n := pointSize(s[i:])
		out = append(out, s[i:i+n])
		i += n
	}
	return out
}

func pointSize(s string) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	if s[0] == 0xED && len(s) >= 3 && s[1] >= 0xA0 {
		return 3 // a surrogate
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// textItem is an index or a slice of a str or bytes.
func textItem(o object, key val) val {
	k, ok := key.only()
	switch s := o.(type) {
	case cStr:
		if !ok {
			return anyText
		}
		if isASCII(string(s)) {
			return textItemASCII(string(s), k)
		}
		pts := points(string(s))
		if i, isInt := asInt(k); isInt {
			if i < 0 {
				i += int64(len(pts))
			}
			if i >= 0 && i < int64(len(pts)) {
				return text(pts[i])
			}
			return val{}
		}
		if sl, isSlice := k.(sliceOf); isSlice {
			if part, ok := cut(pts, sl); ok {
				return text(strings.Join(part, ""))
			}
		}
		return anyText
	case cBytes:
		if !ok {
			return one(anyBytes{})
		}
		if i, isInt := asInt(k); isInt {
			if i < 0 {
				i += int64(len(s))
			}
			if i >= 0 && i < int64(len(s)) {
				return one(cInt(s[i]))
			}
			return val{}
		}
		if sl, isSlice := k.(sliceOf); isSlice {
			if part, ok := cut([]byte(s), sl); ok {
				return one(cBytes(part))
			}
		}
		return one(anyBytes{})
	case anyBytes:
		if _, isInt := k.(cInt); isInt {
			return anyNumber
		}
		return one(anyBytes{})
	}
	return anyText
}

// textItemASCII is textItem of a str whose code points are its bytes.
func textItemASCII(s string, k object) val {
	if i, isInt := asInt(k); isInt {
		if i < 0 {
			i += int64(len(s))
		}
		if i >= 0 && i < int64(len(s)) {
			return text(s[i : i+1])
		}
		return val{}
	}
	if sl, isSlice := k.(sliceOf); isSlice {
		if part, ok := cut([]byte(s), sl); ok {
			return text(string(part))
		}
	}
	return anyText
}

// cut applies a slice as Python does.
func cut[T any](list []T, s sliceOf) ([]T, bool) {
	n, step := int64(len(list)), s.step
	if step == noPart {
		step = 1
	}
	if step == 0 {
		return nil, false
	}
	bound := func(v, deflt int64) int64 {
		if v == noPart {
			return deflt
		}
		if v < 0 {
			v = max(v+n, -1)
			if step > 0 {
				v = max(v, 0)
			}
		}
		if step > 0 {
			return min(v, n)
		}
		return min(v, n-1)
	}
	var out []T
	if step > 0 {
		lo, hi := bound(s.lower, 0), bound(s.upper, n)
		for i := lo; i < hi; {
			out = append(out, list[i])
			if step > n {
				break
			}
			i += step
		}
		return out, true
	}
	lo, hi := bound(s.lower, n-1), bound(s.upper, -1)
	for i := lo; i > hi && i >= 0; {
		out = append(out, list[i])
		if -step > n {
			break
		}
		i += step
	}
	return out, true
}

func asInt(o object) (int64, bool) {
	switch o := o.(type) {
	case cInt:
		return int64(o), true
	case cBool:
		if o {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// truthOf is the truth of a value, if it is known.
func truthOf(v val) (truth, known bool) {
	if v.open || v.size() == 0 {
		return false, false
	}
	for i := range v.size() {
		o := v.at(i)
		t, ok := truth1(o)
		if !ok || i > 0 && t != truth {
			return false, false
		}
		truth = t
	}
	return truth, true
}

func truth1(o object) (truth, known bool) {
	switch o := o.(type) {
	case cBool:
		return bool(o), true
	case cInt:
		return o != 0, true
	case cFloat:
		return o != 0, true
	case cStr:
		return o != "", true
	case cBytes:
		return o != "", true
	case cNone:
		return false, true
	case module:
		return true, true
	}
	return false, false
}
