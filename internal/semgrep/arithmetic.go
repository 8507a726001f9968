package semgrep

import (
	"cmp"
	"math"
	"strings"
)

func unaryOf(op string, v any) any {
	switch v := v.(type) {
	case bool:
		if op == "Not" {
			return !v
		}
	case int64:
		if op == "USub" {
			return -v
		}
	case float64:
		if op == "USub" {
			return -v
		}
	}
	return nil
}

func arithmetic(op string, a, b any) any {
	if x, ok := a.(string); ok && op == "Add" {
		if y, ok := b.(string); ok && len(x)+len(y) <= maxString {
			return x + y
		}
		return nil
	}
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			return wholeNumbers(op, x, y)
		}
	}
	x, known := number(a)
	y, both := number(b)
	if !known || !both {
		return nil
	}
	switch op {
	case "Add":
		return x + y
	case "Sub":
		return x - y
	case "Mult":
		return x * y
	case "Div":
		return x / y
	case "Mod":
		return math.Mod(x, y)
	case "Pow":
		return math.Pow(x, y)
	}
	return nil
}

func wholeNumbers(op string, x, y int64) any {
	switch op {
	case "Add":
		return x + y
	case "Sub":
		return x - y
	case "Mult":
		return x * y
	case "Pow":
		return math.Pow(float64(x), float64(y))
	case "BitAnd":
		return x & y
	case "BitOr":
		return x | y
	}
	if y == 0 {
		return nil
	}
	switch op {
	case "Div", "FloorDiv":
		return x / y
	case "Mod":
		return x % y
	}
	return nil
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func compareTwo(op string, a, b any) any {
	if a == nil || b == nil {
		return nil
	}
	if op == "In" || op == "NotIn" {
		found, known := contains(b, a)
		if !known {
			return nil
		}
		return found == (op == "In")
	}
	order, comparable := compareValues(a, b)
	switch op {
	case "Eq", "Is":
		return comparable && order == 0
	case "NotEq", "IsNot":
		return !comparable || order != 0
	}
	if !comparable {
		return nil
	}
	switch op {
	case "Lt":
		return order < 0
	case "LtE":
		return order <= 0
	case "Gt":
		return order > 0
	case "GtE":
		return order >= 0
	}
	return nil
}

// compareValues orders two values of one kind; others do not compare.
func compareValues(a, b any) (order int, comparable bool) {
	if x, ok := number(a); ok {
		y, both := number(b)
		return cmp.Compare(x, y), both
	}
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return strings.Compare(x, y), ok
	case bool:
		y, ok := b.(bool)
		if x != y {
			order = 1
		}
		return order, ok
	}
	return 0, false
}

func contains(in, v any) (found, known bool) {
	switch in := in.(type) {
	case string:
		s, ok := v.(string)
		return ok && strings.Contains(in, s), ok
	case []any:
		for _, one := range in {
			if same, _ := compareTwo("Eq", one, v).(bool); same {
				return true, true
			}
		}
		return false, true
	}
	return false, false
}
