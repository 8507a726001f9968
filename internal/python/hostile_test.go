package python

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostile are programs made to crash, hang or bloat a parser.
func hostile() map[string]string {
	rep := strings.Repeat
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int, alphabet string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return string(b)
	}
	printable := func() string {
		var b strings.Builder
		for c := byte(32); c < 127; c++ {
			b.WriteByte(c)
		}
		return b.String() + "\n\n\t"
	}()
	nestedF := func(n int, open, end string) string { return rep(open, n) + "a" + rep(end, n) }
	indented := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(rep(" ", i) + line + "\n")
		}
		return b.String() + rep(" ", n) + "a\n"
	}
	m := map[string]string{
		"parens 100k":          rep("(", 100_000) + rep(")", 100_000),
		"parens open":          rep("(", 1_000_000),
		"brackets open":        rep("[", 1_000_000),
		"braces open":          rep("{", 1_000_000),
		"parens closed":        rep(")", 1_000_000),
		"mixed brackets":       rep("([{", 300_000),
		"200 lists in a row":   rep(rep("[", 199)+rep("]", 199)+"\n", 10_000),
		"line 10 MB add":       "x = 1" + rep("+1", 5_000_000-10),
		"line 10 MB names":     rep("a,", 5_000_000),
		"line 10 MB numbers":   "[" + rep("1,", 5_000_000-10) + "]",
		"line 10 MB name":      rep("a", 10_000_000),
		"line 10 MB spaces":    "a" + rep(" ", 10_000_000) + "b",
		"line 10 MB string":    "'" + rep("a", 10_000_000) + "'",
		"line 10 MB escapes":   "'" + rep(`\x41`, 2_500_000) + "'",
		"line 10 MB open":      "'" + rep("a", 10_000_000),
		"triple open":          `"""` + rep("a\n", 5_000_000),
		"triple starts":        rep(`"""a`, 1_000_000),
		"quotes":               rep(`'`, 5_000_001),
		"newlines 10 M":        rep("\n", 10_000_000),
		"comments":             rep("#\n", 5_000_000),
		"semicolons":           rep("a;", 5_000_000),
		"passes":               rep("pass\n", 2_000_000),
		"continuations 500k":   "x = 1" + rep("\\\n", 500_000) + "+ 2\n",
		"continuations +":      "x = 1" + rep(" +\\\n1", 200_000) + "\n",
		"continuations EOF":    "x = 1" + rep("\\\n", 500_000),
		"indent continuation":  rep(" \\\n", 500_000) + "a",
		"decimal 1 MB":         rep("9", 1_000_000),
		"hex 5 MB":             "0x" + rep("f", 5_000_000),
		"octal 5 MB":           "0o" + rep("7", 5_000_000),
		"binary 5 MB":          "0b" + rep("1", 5_000_000),
		"underscores":          "1" + rep("_1", 2_000_000),
		"float 5 MB":           "1." + rep("1", 5_000_000),
		"exponent":             "1e" + rep("9", 1_000_000),
		"hex literals":         rep("0x"+rep("f", 100)+"\n", 50_000),
		"decimal literals":     rep(rep("9", 4300)+"\n", 500),
		"unary minus":          rep("-", 1_000_000) + "1",
		"unary not":            rep("not ", 500_000) + "a",
		"tilde":                rep("~", 1_000_000) + "a",
		"await":                "async def f():\n " + rep("await ", 100_000) + "a",
		"await parens":         "async def f():\n " + rep("await (", 199) + "a" + rep(")", 199),
		"lambda":               rep("lambda:", 500_000) + "a",
		"lambda defaults":      rep("lambda a=", 300_000) + "a",
		"if else":              rep("a if a else ", 500_000) + "a",
		"power":                rep("a**", 1_000_000) + "a",
		"power minus":          rep("a**-", 1_000_000) + "a",
		"attributes":           "a" + rep(".a", 2_000_000),
		"calls":                "a" + rep("()", 2_000_000),
		"subscripts":           "a" + rep("[a]", 1_000_000),
		"or":                   rep("a or ", 1_000_000) + "a",
		"compare":              rep("a<", 1_000_000) + "a",
		"is not":               rep("a is not ", 500_000) + "a",
		"assign":               rep("a=", 2_000_000) + "a",
		"walrus":               rep("(a:=", 199) + "a" + rep(")", 199),
		"walrus open":          rep("(a:=", 500_000),
		"yield":                "def f():\n " + rep("(yield ", 199) + rep(")", 199),
		"star":                 rep("*", 1_000_000) + "a",
		"star targets":         "for " + rep("*", 1_000_000) + "a in b: c",
		"del":                  "del " + rep("a,", 1_000_000),
		"global":               "global " + rep("a,", 1_000_000) + "a",
		"import dots":          "import a" + rep(".a", 1_000_000),
		"import spaced dots":   "import a" + rep(" . a", 1_000_000),
		"from dots":            "from " + rep(".", 5_000_000) + " import a",
		"with items":           "with " + rep("a,", 1_000_000) + "a: b",
		"with parens":          "with (" + rep("a as b,", 500_000) + "): b",
		"with parens failing":  "with (" + rep("a, ", 500_000) + "yield): b",
		"with nested":          "with " + rep("(", 199) + "a" + rep(")", 199) + " as b: c",
		"with many":            rep("with (a, b, yield_): pass\n", 200_000),
		"match many":           rep("match (a, b)\n", 300_000),
		"match line":           "match " + rep("(a)", 1_000_000),
		"match semicolons":     rep("match (a);", 500_000),
		"match nested":         "match a:\n case " + rep("[", 199) + rep("]", 199) + ": b",
		"match open":           "match a:\n case " + rep("[", 1_000_000),
		"match or":             "match a:\n case " + rep("1|", 1_000_000) + "1: b",
		"match or names":       "match a:\n case " + rep("[a]|", 100_000) + "[a]: b",
		"match as":             "match a:\n case " + rep("(", 199) + "1" + rep(" as b)", 199) + ": b",
		"match keys":           "match a:\n case {" + rep("1:_,", 100_000) + "}: b",
		"match class":          "match a:\n case A(" + rep("a=_,", 100_000) + "): b",
		"match names":          "match a:\n case [" + numbered("a%d,", 100_000) + "]: b",
		"match cases":          "match a:\n" + rep(" case 1: b\n", 300_000),
		"elif":                 "if a: b\n" + rep("elif a: b\n", 300_000),
		"else if":              indented(90, "if a: b\nelse:"),
		"nested if":            indented(99, "if a:"),
		"nested if 1000":       indented(1000, "if a:"),
		"nested def":           indented(99, "def f():"),
		"nested class":         indented(99, "class A:"),
		"nested for":           indented(99, "for a in b:"),
		"nested try":           indented(99, "try:"),
		"wide indents":         rep("if a:\n"+rep(" ", 5000)+"b\n", 1000),
		"tabs":                 rep("\t", 5_000_000) + "a",
		"form feeds":           rep("\f", 5_000_000) + "a",
		"decorators":           rep("@a\n", 1_000_000) + "def f(): pass",
		"decorators alone":     rep("@a\n", 1_000_000),
		"handlers":             "try: a\n" + rep("except b: c\n", 300_000),
		"parameters":           "def f(" + numbered("a%d,", 200_000) + "): pass",
		"parameters same":      "def f(" + rep("a,", 200_000) + "): pass",
		"keywords":             "f(" + numbered("a%d=1,", 200_000) + ")",
		"keywords class":       "class A(" + numbered("a%d=1,", 200_000) + "): pass",
		"type parameters":      "class A[" + numbered("a%d,", 200_000) + "]: pass",
		"comprehension":        "[a " + rep("for a in b ", 200_000) + "]",
		"comprehension ifs":    "[a for a in b " + rep("if c ", 300_000) + "]",
		"nested comprehension": rep("[", 199) + "a" + rep(" for a in b]", 199),
		"walrus comprehension": rep("[", 190) + "(x:=1)" + rep(" for a in b]", 190),
		"walrus names":         "[" + numbered("(a%d:=1),", 50_000) + " ]\n" + rep("[(a:=1) for b in c]\n", 50_000),
		"globals":              numbered("def f%d():\n global a\n a = 1\n", 50_000),
		"nonlocals":            "def f():\n a = 1\n" + numbered(" def g%d():\n  nonlocal a\n", 50_000),
		"dict":                 "{" + rep("a:b,", 1_000_000) + "}",
		"dict nested":          rep("{a:", 199) + "b" + rep("}", 199),
		"dict unpack":          "{" + rep("**a,", 1_000_000) + "}",
		"slices":               "a[" + rep("::,", 1_000_000) + "]",
		"slices colons":        "a[" + rep(":", 1_000_000) + "]",
		"lambda colon":         rep("lambda a:lambda b:", 200_000),
		"strings":              rep("'a' ", 1_000_000),
		"strings f":            rep("f'{a}' ", 200_000),
		"f fields":             "f'" + rep("{a}", 300_000) + "'",
		"f spec":               "f'{a:" + rep("{b}", 300_000) + "}'",
		"f braces":             "f'" + rep("{{", 1_000_000) + "'",
		"f open":               "f'" + rep("{", 1_000_001) + "'",
		"f nested":             nestedF(150, "f'{", "}'"),
		"f nested 10k":         nestedF(10_000, "f'{", "}'"),
		"f nested open":        rep("f'{", 300_000),
		"f nested triple":      nestedF(149, "f'''{", "}'''"),
		"f nested spec":        rep("f'{a:{", 100_000),
		"f parens":             "f'{" + rep("(", 300_000) + "}'",
		"f unterminated":       rep("f'", 1_000_000),
		"f debug":              "f'" + rep("{a=}", 200_000) + "'",
		"f comments":           "f'''" + rep("{a#\n}", 200_000) + "'''",
		"f lambda":             "f'{" + rep("lambda:", 100_000) + "a}'",
		"f not":                "f'{" + rep("not ", 100_000) + "a}'",
		"t fields":             "t'" + rep("{a}", 300_000) + "'",
		"f names":              "f'" + rep(`\N{DIGIT ONE}`, 200_000) + "'",
		"names":                "'" + rep(`\N{DIGIT ONE}`, 500_000) + "'",
		"names unknown":        rep("'\\N{NO SUCH NAME}'\n", 10),
		"names hangul":         "'" + rep(`\N{HANGUL SYLLABLE GA}`, 300_000) + "'",
		"unicode names":        rep("é=1\n", 500_000),
		"unicode name":         rep("é", 2_000_000),
		"nfkc":                 rep("ﷺ", 1_000_000),
		"nfkc name":            "a" + rep("\u0301\u0327", 500_000),
		"nfkc ligatures":       rep("ﬃ", 1_000_000) + "=1",
		"not unicode":          rep("\u200b", 1_000_000),
		"random printable":     random(1_000_000, printable),
		"random tokens":        random(1_000_000, "()[]{}:;,.=+-*/'\"\\\n aif0"),
		"random openers":       random(1_000_000, "([{'f"),
		"random indents":       random(1_000_000, " \t\na:"),
		"random quotes":        random(1_000_000, "'\"f{}\n"),
		"arrows":               rep("->", 1_000_000),
		"colons":               rep(":", 1_000_000),
		"annotations":          rep("a:b=c;", 500_000),
		"dots":                 rep(".", 3_000_000),
		"backslashes":          rep("\\", 1_000_000),
		"ats":                  "a" + rep("@a", 1_000_000),
		"left deep in parens":  rep("(", 199) + "a" + rep("+a)", 199) + rep("+a", 500_000),
		"left deep nested":     rep("("+"", 100) + "a" + rep(rep("+a", 2900)+")", 100),
	}
	return m
}

// numbered repeats a format with numbers in it.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestHostile holds each of them to less than a second and 256 MiB.
func TestHostile(t *testing.T) {
	for name, src := range hostile() {
		t.Run(name, func(t *testing.T) {
			for _, v := range []Version{{3, 8}, {3, 11}, {3, 14}} {
				runtime.GC()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start, used := time.Now(), processorTime(t)
				m, err := Parse([]byte(src), Options{Version: v})
				took := min(time.Since(start), processorTime(t)-used) // others on the machine do not count
				runtime.ReadMemStats(&after)
				if m == nil && err == nil {
					t.Fatal("neither a tree nor an error")
				}
				if err != nil && strings.Contains(err.Error(), "internal error") {
					t.Errorf("%s: %v", v, err)
				}
				size := (after.TotalAlloc - before.TotalAlloc) >> 20
				if took > time.Second || size > 256 {
					t.Errorf("%s: took %v and %d MiB (%v)", v, took, size, err)
				}
				if m == nil {
					continue
				}
				start, used = time.Now(), processorTime(t)
				HexDigest(m)
				if err := WriteJSON(io.Discard, m); err != nil {
					t.Error(err)
				}
				Inspect(m, func(Node) bool { return true })
				if took := min(time.Since(start), processorTime(t)-used); took > 5*time.Second {
					t.Errorf("%s: digest, JSON and walk took %v", v, took)
				}
			}
		})
	}
}

// processorTime is what this process has used so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
