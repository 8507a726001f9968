package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"palisade"
	"palisade/internal/analysis"
)

// arithmetic gives the value of an arithmetic expression, as text.
func (in *interp) arithmetic(sc *scope, x syntax.ArithmExpr) value {
	n, ok := in.evaluate(sc, x)
	if !ok {
		return unknown
	}
	return text(strconv.FormatInt(n, 10))
}

// evaluate computes an expression; false: it is not known. Everything in it is
// looked at in any case: words run substitutions, assignments assign.
func (in *interp) evaluate(sc *scope, x syntax.ArithmExpr) (int64, bool) {
	in.step(1)
	switch x := x.(type) {
	case *syntax.Word:
		return in.operand(sc, x)
	case *syntax.ParenArithm:
		return in.evaluate(sc, x.X)
	case *syntax.UnaryArithm:
		return in.unary(sc, x)
	case *syntax.BinaryArithm:
		return in.binary(sc, x)
	case *syntax.FlagsArithm:
		return in.evaluate(sc, x.X)
	}
	return 0, false
}

// operand is a word in an expression: a number, a name, or an expansion that
// becomes an expression itself.
func (in *interp) operand(sc *scope, w *syntax.Word) (int64, bool) {
	if len(w.Parts) == 1 {
		if pe, ok := w.Parts[0].(*syntax.ParamExp); ok && pe.Index != nil && pe.Short && !pe.Dollar.IsValid() {
			values, _ := in.parameter(sc, pe, true)
			return in.evaluated(sc, in.at(w), values[0], 0)
		}
	}
	return in.evaluated(sc, in.at(w), in.text(sc, w), 0)
}

// evaluated is text that is evaluated as an expression. A name stands for its
// value, which is evaluated in turn; a subscript in it may run commands.
func (in *interp) evaluated(sc *scope, p place, v value, depth int) (int64, bool) {
	in.step(1)
	if depth > 8 || len(v) == 0 {
		return 0, false
	}
	result, all := int64(0), true
	for i, s := range v {
		n, ok := in.evaluatedText(sc, p, s, depth)
		if i > 0 && n != result {
			all = false
		}
		result, all = n, all && ok
	}
	return result, all
}

func (in *interp) evaluatedText(sc *scope, p place, s string, depth int) (int64, bool) {
	t := strings.TrimSpace(plain(s))
	if n, ok := integer(t); ok {
		return n, true
	}
	switch {
	case hasHole(s):
		if has(s, holeInput) || has(s, holeFile) || has(s, holeNetwork) {
			in.fact(p, analysis.Fact{
				Capability: palisade.CapEvaluate, Symbol: "arithmetic", Unknown: true, Kind: analysis.KindText,
				Evidence: "a value from outside is evaluated as arithmetic, in which a subscript may run commands: " + shown(s),
			})
		}
		return 0, false
	case syntax.ValidName(t):
		v, ok := sc.lookup(t)
		if !ok {
			return 0, true
		}
		if v.value == nil {
			v.value = v.element("0")
		}
		return in.evaluated(sc, p, v.value, depth+1)
	case strings.ContainsAny(t, "$`["):
		in.run(sc, p, value{": $((" + t + "))"}, "arithmetic", unknown)
	}
	return 0, false
}

// integer reads a constant: decimal, 0 octal, 0x, or base#digits.
func integer(s string) (int64, bool) {
	if s == "" {
		return 0, true
	}
	base := 10
	if b, digits, ok := strings.Cut(s, "#"); ok {
		n, err := strconv.Atoi(b)
		if err != nil || n < 2 || n > 36 {
			return 0, false
		}
		base, s = n, digits
	} else if len(s) > 2 && (s[:2] == "0x" || s[:2] == "0X") {
		base, s = 16, s[2:]
	} else if len(s) > 1 && s[0] == '0' {
		base = 8
	}
	n, err := strconv.ParseInt(s, base, 64)
	return n, err == nil
}

func (in *interp) unary(sc *scope, x *syntax.UnaryArithm) (int64, bool) {
	n, ok := in.evaluate(sc, x.X)
	switch x.Op {
	case syntax.Not:
		return truth(n == 0), ok
	case syntax.BitNegation:
		return ^n, ok
	case syntax.Minus:
		return -n, ok
	case syntax.Plus:
		return n, ok
	case syntax.Inc, syntax.Dec:
		next := n + 1
		if x.Op == syntax.Dec {
			next = n - 1
		}
		in.put(sc, x.X, next, ok)
		if x.Post {
			return n, ok
		}
		return next, ok
	}
	return 0, false
}

// put assigns to what stands left of an arithmetic assignment.
func (in *interp) put(sc *scope, target syntax.ArithmExpr, n int64, ok bool) {
	w, isWord := target.(*syntax.Word)
	if !isWord {
		return
	}
	v := unknown
	if ok {
		v = text(strconv.FormatInt(n, 10))
	}
	if name := w.Lit(); syntax.ValidName(name) {
		in.assign(sc, in.at(w), name, v)
		return
	}
	if len(w.Parts) == 1 {
		if pe, ok := w.Parts[0].(*syntax.ParamExp); ok && pe.Index != nil && pe.Param != nil {
			in.assignElement(sc, pe.Param.Value, pe.Index, v)
		}
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// assignments are the operators that assign, and what they compute before.
var assignments = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul, syntax.QuoAssgn: syntax.Quo,
	syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And, syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor,
	syntax.ShlAssgn: syntax.Shl, syntax.ShrAssgn: syntax.Shr,
}

func (in *interp) binary(sc *scope, x *syntax.BinaryArithm) (int64, bool) {
	if x.Op == syntax.Assgn {
		n, ok := in.evaluate(sc, x.Y)
		in.put(sc, x.X, n, ok)
		return n, ok
	}
	a, okA := in.evaluate(sc, x.X)
	side := sc
	switch x.Op {
	case syntax.AndArit, syntax.OrArit, syntax.TernQuest, syntax.TernColon: // the right side may not be evaluated
		side = sc.layer()
		defer func() { sc.merge(sc.layer(), side) }()
	}
	b, okB := in.evaluate(side, x.Y)
	op, assigns := assignments[x.Op]
	if !assigns {
		op = x.Op
	}
	n, ok := compute(op, a, b)
	ok = ok && okA && okB
	if assigns {
		in.put(sc, x.X, n, ok)
	}
	return n, ok
}

func compute(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 || b == -1 {
			return 0, false
		}
		if op == syntax.Rem {
			return a % b, true
		}
		return a / b, true
	case syntax.Pow:
		return power(a, b)
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.Shl:
		return a << (b & 63), true
	case syntax.Shr:
		return a >> (b & 63), true
	case syntax.Eql:
		return truth(a == b), true
	case syntax.Neq:
		return truth(a != b), true
	case syntax.Lss:
		return truth(a < b), true
	case syntax.Gtr:
		return truth(a > b), true
	case syntax.Leq:
		return truth(a <= b), true
	case syntax.Geq:
		return truth(a >= b), true
	case syntax.AndArit:
		return truth(a != 0 && b != 0), true
	case syntax.OrArit:
		return truth(a != 0 || b != 0), true
	case syntax.Comma:
		return b, true
	}
	return 0, false
}

func power(a, b int64) (int64, bool) {
	if b < 0 || b > 64 {
		return 0, false
	}
	out := int64(1)
	for range b {
		out *= a
	}
	return out, true
}
