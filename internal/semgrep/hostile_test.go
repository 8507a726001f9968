package semgrep

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"palisade"
	"palisade/internal/python"
)

// patternRule is a rule file with one pattern and, perhaps, options.
func patternRule(pattern, options string) File {
	return File{"r.yaml", fmt.Appendf(nil, "rules:\n  - id: r\n    message: m\n    severity: ERROR\n    languages: [python]\n%s    pattern: |\n      %s\n",
		options, strings.ReplaceAll(pattern, "\n", "\n      "))}
}

// taintRuleFile follows data from source() to sink(...).
const taintRuleFile = `rules:
  - id: t
    message: m
    severity: ERROR
    languages: [python]
    mode: taint
    pattern-sources:
      - pattern: source()
    pattern-sinks:
      - pattern: sink(...)
`

func repeat(n int, f func(i int) string) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(f(i))
	}
	return out.String()
}

func nestedLoops(n int) string {
	return repeat(n, func(i int) string { return fmt.Sprintf("%sfor i%d in x:\n", strings.Repeat(" ", i), i) }) +
		repeat(n, func(i int) string { return fmt.Sprintf("%sv%d = v%d\n", strings.Repeat(" ", n), i, i+1) }) +
		fmt.Sprintf("%sv%d = source()\n%ssink(v0)\n", strings.Repeat(" ", n), n, strings.Repeat(" ", n))
}

// hostile are rules and programs that a simple matcher would not survive.
func hostile() map[string]struct {
	rule File
	src  string
} {
	type attack = struct {
		rule File
		src  string
	}
	symbolic := "    options:\n      symbolic_propagation: true\n"
	letters := func(n int, sep string) string {
		return strings.TrimSuffix(repeat(n, func(i int) string { return fmt.Sprintf("x%d%s", i, sep) }), sep)
	}
	return map[string]attack{
		"dots among arguments": {
			patternRule("f("+strings.Repeat("..., 1, ", 20)+"2)", ""), "f(" + strings.Repeat("1, ", 20000) + "3)\n",
		},
		"dots and names among arguments": {
			patternRule("f(..., $A, ..., $B, ..., $C, ..., $A, $B, $C)", ""), "f(" + letters(3000, ", ") + ")\n",
		},
		"many by name": {
			patternRule("f($...A, $...B, $...C, $...A)", ""), "f(" + letters(2000, ", ") + ")\n",
		},
		"dots between statements": {
			patternRule(strings.Repeat("a()\n...\n", 10)+"b()", ""), strings.Repeat("a()\n", 20000),
		},
		"names between statements": {
			patternRule("$A = $B\n...\n$C = $D\n...\n$E = $F\n...\n$A = $F", ""), repeat(3000, func(i int) string { return fmt.Sprintf("v%d = w%d\n", i, i) }),
		},
		"many statements by name": {
			patternRule("$...A\n$...B\n$...C\nx()", ""), strings.Repeat("a()\n", 3000),
		},
		"dots in nested bodies": {
			patternRule("if $A:\n    ...\n    if $B:\n        ...\n        $C()", ""),
			repeat(90, func(i int) string { return strings.Repeat(" ", i) + "if x:\n" + strings.Repeat(" ", i+1) + "f()\n" }),
		},
		"entries in any order": {
			patternRule("{..., $A: $B, ..., $C: $D, ..., $E: $F, ...}", ""), "d = {" + repeat(3000, func(i int) string { return fmt.Sprintf("'%d': %d, ", i, i) }) + "}\n",
		},
		"keywords in any order": {
			patternRule("f(..., $A=1, $B=2, $C=3, $D=4, $E=5, ...)", ""), "f(" + repeat(200, func(i int) string { return fmt.Sprintf("k%d=%d, ", i, i%4) }) + ")\n",
		},
		"operators in any order": {
			patternRule("$A | $B | $C | $D | $E | $F | $G | $H | $A", ""), letters(200, " | ") + "\n",
		},
		"operands in a row": {
			patternRule("$A and $B and $C and $D and $E and $F and zz", ""), letters(300, " and ") + "\n",
		},
		"class bodies in any order": {
			patternRule("class $C:\n    $A = 1\n    $B = 1\n    $D = 1\n    $E = 2", ""), "class C:\n" + repeat(300, func(i int) string { return fmt.Sprintf("    v%d = 1\n", i) }),
		},
		"names that stand for names": {
			patternRule("g(1)", symbolic), "x0 = f(1)\n" + repeat(3000, func(i int) string { return fmt.Sprintf("x%d = f(x%d, x%d)\n", i+1, i, i) }) + "g(x3000)\n",
		},
		"deep names": {
			patternRule("f(<... f(<... f(<... g(1) ...>) ...>) ...>)", symbolic), "x0 = f(1)\n" + repeat(200, func(i int) string { return fmt.Sprintf("x%d = f(x%d, x%d)\n", i+1, i, i) }),
		},
		"deep in deep": {
			patternRule("<... f(<... f(<... f(<... $X ...>) ...>) ...>) ...>", ""), strings.Repeat("f(", 190) + "1" + strings.Repeat(")", 190) + "\n",
		},
		"attributes": {
			patternRule("$X. ... .a. ... .a. ... .b", ""), "x" + strings.Repeat(".a", 2500) + "\n",
		},
		"sums": {patternRule("$X + ... + $Y", ""), letters(1400, " + ") + "\n"},
		"elif": {
			patternRule("if $X: ...", ""), "if x:\n v = 1\n" + repeat(700, func(i int) string { return fmt.Sprintf("elif x%d:\n v%d = 1\n", i, i) }),
		},
		"strings that grow": {
			patternRule(`f("...")`, ""), "a = '" + strings.Repeat("x", 16000) + "'\n" + repeat(8000, func(i int) string { return fmt.Sprintf("b%d = a + 'y'\n", i) }),
		},
		"strings that double": {
			patternRule(`f("...")`, ""), "a = 'x'\n" + strings.Repeat("a = a + a\n", 5000) + "f(a)\n",
		},
		"taint in loops":      {File{"t.yaml", []byte(taintRuleFile)}, nestedLoops(18)},
		"taint of many parts": {File{"t.yaml", []byte(taintRuleFile)}, repeat(4000, func(i int) string { return fmt.Sprintf("a.b%d = source()\nsink(a)\n", i) })},
		"taint in a long chain": {
			File{"t.yaml", []byte(taintRuleFile)}, "x0 = source()\nwhile y:\n" + repeat(3000, func(i int) string { return fmt.Sprintf("    x%d = x%d\n", 3000-i, 2999-i) }) + "sink(x3000)\n",
		},
	}
}

// maxTime is what one file may take; the bound of the steps is far below it on
// a quiet machine.
const maxTime = 20 * time.Second

// TestHostile holds every attack to an answer, or to the error of the budget,
// in bounded time.
func TestHostile(t *testing.T) {
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			e, err := Load(c.rule)
			if err != nil {
				t.Fatal(err)
			}
			text, err := python.Normalize([]byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := python.Parse(text, python.Options{})
			if err != nil {
				t.Fatal(err)
			}
			start := processor(t)
			found, err := e.Match(Source{Path: "p.py", Language: palisade.Python, Text: text, Tree: tree})
			took := processor(t) - start
			if err != nil && !errors.Is(err, errBudget) {
				t.Error(err)
			}
			t.Logf("%d matches, %v, %v", len(found), err, took.Round(time.Millisecond))
			if took > maxTime {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestLargeBenign holds the shipped rules to an answer on large programs as
// people write them: tables of data, and long code.
func TestLargeBenign(t *testing.T) {
	e, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]string{
		"numbers": "x = [" + strings.Repeat("1, ", 80000) + "]\n",
		"strings": "x = [" + repeat(12000, func(i int) string { return fmt.Sprintf("'word %d', ", i) }) + "]\n",
		"a dict":  "x = {" + repeat(10000, func(i int) string { return fmt.Sprintf("'key%d': 'v%d', ", i, i) }) + "}\n",
		"rows":    "x = [" + repeat(4000, func(i int) string { return fmt.Sprintf("{'name': 'n%d', 'value': %d},\n", i, i) }) + "]\n",
		"code": repeat(2000, func(i int) string {
			return fmt.Sprintf("def f%d(a, b=1):\n    c = a + b\n    if c > %d:\n        print('x', c)\n    return c\n", i, i)
		}),
		"requests": "import os, requests, subprocess\n" + repeat(1500, func(i int) string {
			return fmt.Sprintf("v%d = os.environ['A%d']\nrequests.get('https://example.com/%d')\n", i, i, i)
		}),
		"sql": "import sqlite3\ndb = sqlite3.connect('x')\n" + repeat(1500, func(i int) string { return fmt.Sprintf("q%d = 'select * from t%d'\ndb.execute(q%d)\n", i, i, i) }),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			found, err := e.Match(source(t, src))
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d bytes, %d matches, %v", len(src), len(found), time.Since(start).Round(time.Millisecond))
			if len(found) > 0 {
				t.Errorf("found %s at %d", found[0].Rule.ID, found[0].Line)
			}
		})
	}
}

// processor is the time that this process has computed: others on the machine
// do not count.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
