package python

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// generator writes programs that mostly parse and often break a rule behind
// the grammar: scopes, blocks, targets, patterns.
type generator struct {
	rng   *rand.Rand
	out   strings.Builder
	minor int
}

func (g *generator) one(of ...string) string { return of[g.rng.IntN(len(of))] }

func (g *generator) name() string {
	if g.rng.IntN(60) == 0 {
		return g.one("__debug__", "_", "__class__", "__x", "match", "type", "case", "é")
	}
	return g.one("a", "b", "c", "d")
}

func (g *generator) names() string {
	s := g.name()
	for g.rng.IntN(3) == 0 {
		s += ", " + g.name()
	}
	return s
}

func (g *generator) exprs(depth int, sep string) string {
	s := g.expr(depth)
	for g.rng.IntN(2) == 0 {
		s += sep + g.expr(depth)
	}
	return s
}

func (g *generator) comp(depth int) string {
	s := ""
	for first := true; first || g.rng.IntN(3) == 0; first = false {
		s += g.one(" ", " ", " ", " async ") + "for " + g.target(depth) + " in " + g.expr(depth)
		if g.rng.IntN(3) == 0 {
			s += " if " + g.expr(depth)
		}
	}
	return s
}

func (g *generator) expr(depth int) string {
	if depth <= 0 {
		return g.one(g.name(), g.name(), "1", "'s'", "b'y'", "1.5", "2j", "None", "...", "True")
	}
	e := func() string { return g.expr(depth - 1 - g.rng.IntN(2)) }
	switch g.rng.IntN(34) {
	case 0, 1:
		return "(" + g.name() + " := " + e() + ")"
	case 2:
		return "[" + e() + g.comp(depth-1) + "]"
	case 3:
		return "{" + e() + g.comp(depth-1) + "}"
	case 4:
		return "{" + e() + ": " + e() + g.comp(depth-1) + "}"
	case 5:
		return "(" + e() + g.comp(depth-1) + ")"
	case 6:
		return "lambda " + g.params(depth-1, false) + ": " + e()
	case 7:
		return g.one("(yield)", "(yield from "+e()+")", "(yield "+e()+")", "(await "+e()+")", "await "+g.name())
	case 8:
		return e() + g.one(" + ", " - ", " ** ", " @ ", " // ", " << ", " | ", " % ") + e()
	case 9:
		return e() + g.one(" and ", " or ") + e()
	case 10:
		return e() + g.one(" < ", " in ", " not in ", " is ", " is not ", " == ", " != ") + e()
	case 11:
		return g.one("not ", "-", "~", "+") + e()
	case 12:
		return e() + " if " + e() + " else " + e()
	case 13, 14:
		s := g.name() + "("
		for range g.rng.IntN(4) {
			s += g.one(e(), "*"+e(), g.name()+"="+e(), "**"+e()) + ", "
		}
		return s + ")"
	case 15:
		return g.name() + "(" + e() + g.comp(depth-1) + ")"
	case 16:
		return g.name() + "[" + g.one(e(), e()+":"+e(), e()+", "+e(), "*"+e(), "::"+e(), g.name()+" := "+e()) + "]"
	case 17:
		return e() + "." + g.name()
	case 18:
		return "(" + g.exprs(depth-1, ", ") + ",)"
	case 19:
		return "[" + g.exprs(depth-1, g.one(", ", ", *")) + "]"
	case 20:
		return "{" + g.exprs(depth-1, g.one(", ", ", *")) + "}"
	case 21:
		return "{" + e() + ": " + e() + ", **" + e() + "}"
	case 22:
		return `f"` + g.one("", "x") + "{" + strings.ReplaceAll(strings.ReplaceAll(e(), `"`, ""), `\`, "") + g.one("", "=", "!r", ":>{a}", "=!s:x") + "}" + g.one("", "y") + `"`
	case 23:
		return "(" + g.one("*", "") + e() + ", " + g.one("*", "") + e() + ")"
	case 24:
		return "'a' " + g.one("f'{b}'", "'c'", "b'd'", "u'e'", `"\x41"`)
	}
	return g.name()
}

func (g *generator) target(depth int) string {
	switch g.rng.IntN(12) {
	case 0:
		return g.name() + "." + g.name()
	case 1:
		return g.name() + "[" + g.expr(depth-1) + "]"
	case 2:
		return "(" + g.target(depth-1) + ", " + g.one("*", "") + g.target(depth-1) + ")"
	case 3:
		return "[" + g.one("*", "") + g.target(depth-1) + "]"
	case 4:
		return g.one("*", "") + g.name() + ", " + g.one("*", "") + g.name()
	case 5:
		return "(" + g.name() + ")"
	case 6:
		return g.one("*"+g.name(), g.name()+",", "()", "f()", "1")
	}
	return g.name()
}

func (g *generator) params(depth int, annotated bool) string {
	var list []string
	for range g.rng.IntN(4) {
		p := g.one("", "", "", "", "*", "**") + g.one("a", "b", "c", "d", "e", "f")
		if annotated && g.rng.IntN(3) == 0 {
			p += ": " + g.expr(depth-1)
		}
		if g.rng.IntN(4) == 0 {
			p += " = " + g.expr(depth-1)
		}
		list = append(list, p)
		if g.rng.IntN(6) == 0 {
			list = append(list, g.one("/", "*"))
		}
	}
	return strings.Join(list, ", ")
}

func (g *generator) pattern(depth int) string {
	if depth <= 0 {
		return g.one(g.name(), "_", "1", "-1", "'s'", "None", "1+2j", "a.b", "True")
	}
	p := func() string { return g.pattern(depth - 1) }
	switch g.rng.IntN(10) {
	case 0:
		return p() + " | " + p()
	case 1:
		return "(" + p() + " as " + g.name() + ")"
	case 2:
		return "[" + p() + ", " + g.one("*"+g.name(), "*_", p()) + "]"
	case 3:
		return "(" + p() + ", " + p() + ")"
	case 4:
		return "{" + g.one("1", "'k'", "a.b", "True", "-1", "None", "1.0") + ": " + p() + ", " + g.one("1", "'k'", "2") + ": " + p() + g.one("", ", **"+g.name()) + "}"
	case 5:
		return "A(" + p() + ", " + g.name() + "=" + p() + ", " + g.name() + "=" + p() + ")"
	case 6:
		return "(" + p() + ")"
	}
	return g.pattern(0)
}

func (g *generator) typeParams(depth int) string {
	if g.minor < 12 || g.rng.IntN(3) > 0 {
		return ""
	}
	def := func() string {
		if g.minor < 13 || g.rng.IntN(3) > 0 {
			return ""
		}
		return " = " + g.one("", "*") + g.expr(depth-1)
	}
	s := g.one("a", "b", "T") + g.one("", ": "+g.expr(depth-1)) + def()
	if g.rng.IntN(2) == 0 {
		s += ", " + g.one("", "*", "**") + g.one("a", "T", "U") + def()
	}
	return "[" + s + "]"
}

func (g *generator) block(indent string, depth int) {
	for first := true; first || g.rng.IntN(2) == 0; first = false {
		g.stmt(indent+" ", depth-1)
	}
}

func (g *generator) stmt(indent string, depth int) {
	line := func(s string) { g.out.WriteString(indent + s + "\n") }
	e := func() string { return g.expr(2) }
	n := 40
	if depth <= 0 {
		n = 24
	}
	switch g.rng.IntN(n) {
	case 0, 1:
		line("global " + g.names())
	case 2, 3:
		line("nonlocal " + g.names())
	case 4, 5:
		line(g.target(2) + " = " + g.one("", g.target(1)+" = ") + g.one(e(), "yield", "*"+e(), "*"+e()+", "+e()))
	case 6:
		line(g.target(1) + ": " + e() + g.one("", " = "+e()))
	case 7:
		line(g.target(1) + g.one(" += ", " @= ", " **= ") + e())
	case 8:
		line("return" + g.one("", " "+e(), " *"+e()+", "+e(), " *"+e()))
	case 9:
		line(g.one("break", "continue", "pass"))
	case 10:
		line("import " + g.one("a", "a.b", "a as b", "a.b as c", "__debug__"))
	case 11:
		line("from " + g.one("a", ".", "..a", "__future__") + " import " + g.one("a", "a as b", "(a, b)", "*", "annotations", "division"))
	case 12:
		line("del " + g.target(1))
	case 13:
		line(g.one("raise", "raise "+e(), "raise "+e()+" from "+e(), "assert "+e(), "assert "+e()+", "+e()))
	case 14:
		line(g.one("yield", "yield "+e(), "await "+e(), "yield from "+e(), "*"+e(), "*"+e()+", "+e()))
	case 15:
		if g.minor >= 12 {
			line("type " + g.name() + g.typeParams(2) + " = " + e())
		}
	case 16, 17, 18, 19, 20, 21, 22, 23:
		line(e())
	case 24, 25, 26, 27:
		for range g.rng.IntN(2) {
			line("@" + e())
		}
		line(g.one("", "", "async ") + "def " + g.name() + g.typeParams(2) + "(" + g.params(2, true) + ")" + g.one("", " -> "+e()) + ":")
		g.block(indent, depth)
	case 28, 29:
		line("class " + g.one("A", "B", "a") + g.typeParams(2) + g.one("", "("+e()+", "+g.one("", "*")+e()+", "+g.name()+"="+e()+")") + ":")
		g.block(indent, depth)
	case 30, 31:
		line(g.one("", "", "async ") + "for " + g.target(2) + " in " + g.one(e(), "*"+e()+", "+e()) + ":")
		g.block(indent, depth)
		if g.rng.IntN(3) == 0 {
			line("else:")
			g.block(indent, depth)
		}
	case 32:
		line("while " + e() + ":")
		g.block(indent, depth)
	case 33:
		line("if " + e() + ":")
		g.block(indent, depth)
		if g.rng.IntN(2) == 0 {
			line(g.one("else:", "elif "+e()+":"))
			g.block(indent, depth)
		}
	case 34:
		open, end := g.one("", "("), ""
		if open != "" {
			end = ")"
		}
		line(g.one("", "", "async ") + "with " + open + e() + g.one("", " as "+g.target(1)) + g.one("", ", "+e()+" as "+g.name()) + end + ":")
		g.block(indent, depth)
	case 35, 36:
		line("try:")
		g.block(indent, depth)
		star := ""
		if g.minor >= 11 {
			star = g.one("", "", "*")
		}
		for range g.rng.IntN(3) {
			line("except" + star + g.one("", " "+e(), " "+e()+" as "+g.name(), " a, b") + ":")
			g.block(indent, depth)
		}
		if g.rng.IntN(2) == 0 {
			line("else:")
			g.block(indent, depth)
		}
		if g.rng.IntN(2) == 0 {
			line("finally:")
			g.block(indent, depth)
		}
	default:
		line("match " + g.one(e(), e()+", "+e()) + ":")
		for first := true; first || g.rng.IntN(2) == 0; first = false {
			g.out.WriteString(indent + " case " + g.pattern(2) + g.one("", "", " if "+e()) + ":\n")
			g.block(indent+" ", depth)
		}
	}
}

// TestGeneratedAgree is TestMutationsAgree with programs made from the grammar.
func TestGeneratedAgree(t *testing.T) {
	o := startOracle(t)
	count, seed := 15_000, uint64(1)
	if s := os.Getenv("PALISADE_MUTATIONS"); s != "" {
		count, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("PALISADE_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	g := &generator{rng: rand.New(rand.NewPCG(seed, 9)), minor: o.version.Minor}
	var both, neither int
	failed := map[string]int{}
	for range count {
		g.out.Reset()
		for range 1 + g.rng.IntN(3) {
			g.stmt("", 3)
		}
		src := []byte(g.out.String())
		theirs, ok := o.ask(t, "hash", src)
		our, err := ours(src, o.version)
		what := ""
		switch {
		case err != nil && !ok:
			neither++
		case err != nil:
			what = fmt.Sprintf("refused (%v), CPython accepts", err)
		case !ok:
			what = "accepted, CPython: " + theirs
		case our[:64] != theirs[:64]:
			tree, _ := o.ask(t, "tree", src)
			what = "digests differ: " + difference(jsonOf(src, o.version), tree)
		case o.version.Minor == 11 && our != theirs:
			tree, _ := o.ask(t, "tree", src)
			what = "positions differ: " + difference(jsonOf(src, o.version), tree)
		default:
			both++
		}
		if what != "" {
			kind, _, _ := strings.Cut(what, "'")
			if failed[kind]++; failed[kind] <= 3 {
				t.Errorf("%s:\n%s", what, src)
			}
		}
	}
	t.Logf("%d programs: %d accepted by both, %d by neither", count, both, neither)
}
