package py

import (
	"math/rand/v2"
	"strings"
)

// generated makes expressions at random, the same ones every time.
func generated(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var str, num func(depth int) string
	str = func(depth int) string {
		if depth <= 0 {
			return pick(`"a"`, `"/etc"`, `"..x"`, `""`, `"aBc dE"`, `"a,b"`, `"%s"`, `"x{}y"`, `"é"`, `"\x1c"`)
		}
		s := str(depth - 1)
		switch r.IntN(16) {
		case 0:
			return "(" + s + " + " + str(depth-1) + ")"
		case 1:
			return s + "[" + pick("", "1", "-1", "5", "-9") + ":" + pick("", "0", "2", "-1", "-7") + ":" + pick("", "1", "2", "-1", "-2") + "]"
		case 2:
			return s + "." + pick("upper", "lower", "swapcase", "capitalize", "title", "strip", "lstrip", "rstrip", "casefold") + "()"
		case 3:
			return s + ".replace(" + str(depth-1) + ", " + str(depth-1) + ")"
		case 4:
			return s + ".join([" + str(depth-1) + ", " + str(depth-1) + "])"
		case 5:
			return "(" + s + " * " + pick("0", "2", "-1") + ")"
		case 6:
			if strings.ContainsAny(s, `\'`) {
				return s // not in a replacement field before 3.12
			}
			return "f\"{" + strings.ReplaceAll(s, `"`, "'") + "}" + pick("", "-{1}", "{2:d}") + "\""
		case 7:
			return "\"{}/{}\".format(" + s + ", " + pick(str(depth-1), num(depth-1)) + ")"
		case 8:
			return "\"%s:%s\" % (" + s + ", " + pick(str(depth-1), num(depth-1)) + ")"
		case 9:
			return "str(" + num(depth-1) + ")"
		case 10:
			return "(" + s + " if " + num(depth-1) + " else " + str(depth-1) + ")"
		case 11:
			return "os.path.join(" + s + ", " + str(depth-1) + ")"
		case 12:
			return "os.path." + pick("dirname", "basename", "normpath") + "(" + s + ")"
		case 13:
			return s + ".strip(" + str(depth-1) + ")"
		case 14:
			return "\"\".join(c for c in " + s + " if c != 'a')"
		}
		return s + ".encode().decode()"
	}
	num = func(depth int) string {
		if depth <= 0 {
			return pick("0", "1", "-3", "7", "255", "True", "2.5")
		}
		switch r.IntN(5) {
		case 0:
			return "len(" + str(depth-1) + ")"
		case 1:
			return "(" + num(depth-1) + pick(" + ", " - ", " * ", " // ", " % ", " == ", " < ") + num(depth-1) + ")"
		case 2:
			return "int(" + str(depth-1) + " == " + str(depth-1) + ")"
		case 3:
			return "(" + str(depth-1) + " in " + str(depth-1) + ")"
		}
		return "(-" + num(depth-1) + ")"
	}
	out := make([]string, 0, n)
	for range n {
		if r.IntN(4) == 0 {
			out = append(out, num(3))
		} else {
			out = append(out, str(1+r.IntN(3)))
		}
	}
	return out
}
