package semgrep

import (
	"strings"
	"testing"

	"palisade"
)

// held is a rule without its head, and a program whose lines that end with
// "#!" are where it matches.
type held struct{ name, rule, src string }

func (h held) check(t *testing.T) {
	t.Helper()
	indented := "    " + strings.ReplaceAll(strings.TrimSpace(h.rule), "\n", "\n    ") + "\n"
	e, err := Load(File{"r.yaml", []byte(ruleHead + indented)})
	if err != nil {
		t.Fatal(err)
	}
	s := source(t, h.src)
	s.Language = palisade.Python
	found, err := e.Match(s)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]bool{}
	for _, m := range found {
		got[m.Line] = true
	}
	for i, line := range strings.Split(h.src, "\n") {
		if want := strings.HasSuffix(line, "#!"); want != got[i+1] {
			t.Errorf("line %d, %q: found %v", i+1, line, got[i+1])
		}
	}
}

// TestFormulas holds what puts patterns together to its meaning.
func TestFormulas(t *testing.T) {
	for _, c := range []held{
		{"both", `
patterns:
  - pattern: f($X)
  - pattern: f(1)
`, "f(1) #!\nf(2)\n"},
		{"the inner of two", `
patterns:
  - pattern: g(...)
  - pattern: |
      if $X:
        ...
`, "g(0)\nif x:\n    g(1) #!\n"},
		{"either", `
pattern-either:
  - pattern: f(1)
  - patterns:
      - pattern: f($X)
      - pattern: f(2)
  - pattern-regex: zz+
`, "f(1) #!\nf(2) #!\nf(3)\nzzz = 1 #!\n"},
		{"not", `
patterns:
  - pattern: f($X)
  - pattern-not: f("...")
`, "f(1) #!\nf('a')\nx = 'a'\nf(x)\nf(y) #!\n"},
		{"inside agrees", `
patterns:
  - pattern: $X.run()
  - pattern-inside: |
      $X = make()
      ...
`, "a = make()\na.run() #!\nb.run()\n"},
		{"not inside", `
patterns:
  - pattern: f(...)
  - pattern-not-inside: |
      def safe(...):
        ...
`, "f() #!\ndef safe():\n    f()\ndef other():\n    f() #!\n"},
		{"not inside agrees", `
patterns:
  - pattern: f($X)
  - pattern-not-inside: |
      check($X)
      ...
`, "check(a)\nf(a)\nf(b) #!\n"},
		{"inside a map", `
patterns:
  - pattern: f(...)
  - pattern-inside:
      pattern-either:
        - pattern: g(...)
        - pattern: h(...)
`, "f()\ng(f()) #!\nh(1, f()) #!\n"},
		{"a regular expression of a name", `
patterns:
  - pattern: $F(...)
  - metavariable-regex:
      metavariable: $F
      regex: (get|put)_
`, "get_x() #!\nput_() #!\nforget_x()\n"},
		{"a regular expression of a string", `
patterns:
  - pattern: f($X)
  - metavariable-regex:
      metavariable: $X
      regex: ^['"]a+['"]$
`, "f('aa') #!\nf(\"a\") #!\nf(aa)\nf('ab')\nx = 'aa'\nf(x)\n"},
		{"one and many by one name", `
patterns:
  - pattern: f($...X)
  - pattern-not: f(..., **$X)
  - focus-metavariable: $...X
`, "f(1, 2) #!\nf(**d)\n"},
		{"not is not inside", `
patterns:
  - pattern: f(...)
  - pattern-not: g(f(...))
  - pattern-not-inside: h(...)
`, "g(f(1)) #!\nh(f(1))\n"},
		{"a regular expression of a constant", `
patterns:
  - pattern: f($X)
  - metavariable-regex:
      metavariable: $X
      regex: ^a+$
      constant-propagation: true
`, "x = 'aa'\nf(x) #!\n"},
		{"a pattern of a metavariable", `
patterns:
  - pattern: f($X)
  - metavariable-pattern:
      metavariable: $X
      pattern-either:
        - pattern: $A + $B
        - pattern: g(...)
`, "f(1 + 2) #!\nf(g(1)) #!\nf(h(g(1))) #!\nf(1)\n"},
		{"no pattern of a metavariable", `
patterns:
  - pattern: f($X)
  - metavariable-pattern:
      metavariable: $X
      patterns:
        - pattern-not: g(...)
`, "f(1) #!\nf(g(1))\nf(h(g(1))) #!\n"},
		{"text of a metavariable", `
patterns:
  - pattern: f("$X")
  - metavariable-pattern:
      metavariable: $X
      language: regex
      patterns:
        - pattern-regex: b
        - pattern-not-regex: c
`, "f('abc') #!\nf('ab') #!\nf('a')\n"},
		{"numbers", `
patterns:
  - pattern: f($X)
  - metavariable-comparison:
      comparison: $X > 2 ** 10 and $X % 2 == 0
`, "f(2048) #!\nf(2049)\nf(10)\nf(x)\nf('a')\nx = 4096\nf(x) #!\n"},
		{"numbers in another base", `
patterns:
  - pattern: f("$X")
  - metavariable-comparison:
      metavariable: $X
      comparison: $X == 255
      base: 16
`, "f('ff') #!\nf('255')\nf('zz')\n"},
		{"comparison of strings", `
patterns:
  - pattern: f($X)
  - metavariable-comparison:
      comparison: str($X) in ["a", "b"] or re.match("z.*y", $X) or len($X) == 5
`, "f('a') #!\nf(a) #!\nf('zxy') #!\nf('c')\nf('12345') #!\n"},
		{"octal", `
patterns:
  - pattern: chmod($P, $X)
  - metavariable-comparison:
      comparison: $X & 2 == 2
`, "chmod(p, 0o777) #!\nchmod(p, 0o755)\n"},
		{"types", `
patterns:
  - pattern: $X.run()
  - metavariable-type:
      metavariable: $X
      types: [Conn, pool.Pool]
`, "from pool import Pool\ndef f(a: Conn, b: Pool, c: Other):\n    a.run() #!\n    b.run() #!\n    c.run()\n"},
		{"focus", `
patterns:
  - pattern: |
      def $F(..., $X, ...):
        ...
        sink($X)
  - focus-metavariable: $X
`, "def f(\n    a,\n    b, #!\n):\n    sink(b)\n"},
		{"focus on any of", `
patterns:
  - pattern: |
      f($A,
        $B)
  - focus-metavariable: [$A, $B]
`, "f(\n    a, #!\n    b, #!\n)\n"},
		{"groups of a regular expression", `
patterns:
  - pattern-regex: "key-(?P<ID>[0-9]+)"
  - metavariable-regex:
      metavariable: $ID
      regex: "1"
`, "x = 'key-12' #!\ny = 'key-23'\n"},
		{"symmetry", `
options:
  symmetric_eq: true
pattern: $X == 1
`, "a == 1 #!\n1 == a #!\na != 1\n"},
		{"and in any order", `
options:
  commutative_boolop: true
pattern: a and b
`, "b and a #!\na and b #!\na or b\n"},
		{"constants off", `
options:
  constant_propagation: false
pattern: f("...")
`, "x = 'a'\nf(x)\nf('b') #!\n"},
		{"symbols", `
options:
  symbolic_propagation: true
pattern: conn().cursor().execute(...)
`, "c = conn()\nd = c.cursor()\nd.execute(1) #!\nc = other()\ne = c.cursor()\ne.execute(1)\n"},
		{"symbols stop at branches", `
options:
  symbolic_propagation: true
pattern: f(g())
`, "x = g()\nf(x) #!\nif c:\n    x = h()\nf(x)\n"},
	} {
		t.Run(c.name, c.check)
	}
}

// TestMarks holds the reader of annotations to Semgrep's.
func TestMarks(t *testing.T) {
	e, err := Load(patternRule("f(...)", ""))
	if err != nil {
		t.Fatal(err)
	}
	src := `# ruleid: r
f(1)
# ok: r
g(1)
#ruleid:r
g(2)
# ok: other, r
f(2)
f(3)
# todoruleid: r
g(3)
# todook: r
f(4)
# ruleid: r
# ok: other
f(5)
`
	report, err := Test(e, source(t, src))
	if err != nil {
		t.Fatal(err)
	}
	want := []Failure{{"r", 6, true}, {"r", 8, false}, {"r", 9, false}}
	if report.Checked != 7 || len(report.Failures) != len(want) {
		t.Fatalf("%+v", report)
	}
	for i, f := range report.Failures {
		if f != want[i] {
			t.Errorf("%+v, not %+v", f, want[i])
		}
	}
}
