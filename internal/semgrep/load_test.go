package semgrep

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"palisade"
	"palisade/internal/python"
	"palisade/internal/yamlfile"
)

const ruleHead = "rules:\n  - id: r\n    message: m\n    severity: ERROR\n    languages: [python]\n"

// TestRefused holds what is not supported to an error that names the rule, the
// key and the place.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, rule, want string }{
		{"no rules", "x: 1\n", "x is not supported"},
		{"not a map", "- a\n", "no rules stand here"},
		{"no id", "rules:\n  - message: m\n", "needs an id"},
		{"an id that is none", "rules:\n  - id: a b\n", "needs an id"},
		{"twice", ruleHead + "    pattern: a\n" + strings.TrimPrefix(ruleHead, "rules:\n") + "    pattern: b\n", "rule r: this id stands twice, first at r.yaml:2"},
		{"no message", "rules:\n  - id: r\n    severity: ERROR\n    languages: [python]\n    pattern: a\n", "rule r: message is missing"},
		{"severity", "rules:\n  - id: r\n    message: m\n    severity: LOUD\n    languages: [python]\n    pattern: a\n", `rule r: "LOUD" is no severity`},
		{"unknown language", "rules:\n  - id: r\n    message: m\n    severity: ERROR\n    languages: [cobol]\n    pattern: a\n", "r.yaml:5:17: rules[0].languages[0]: rule r: the language cobol is not read here"},
		{"patterns for another language", "rules:\n  - id: r\n    message: m\n    severity: ERROR\n    languages: [bash]\n    pattern: a\n", "rule r: patterns are not supported for bash"},
		{"unknown key", ruleHead + "    pattern: a\n    patern-not: b\n", "r.yaml:7:5: rules[0].patern-not: rule r: patern-not is not supported here"},
		{"unknown key inside", ruleHead + "    patterns:\n      - pattern: a\n      - pattern-where-python: b\n", "r.yaml:8:9: rules[0].patterns[1].pattern-where-python: rule r: pattern-where-python is not supported here"},
		{"entropy", ruleHead + "    patterns:\n      - pattern: $X\n      - metavariable-analysis:\n          analyzer: redos\n          metavariable: $X\n", "metavariable-analysis"},
		{"join mode", ruleHead + "    mode: join\n", "mode is not supported here"},
		{"new syntax", ruleHead + "    match: a\n", "match is not supported here"},
		{"two patterns", ruleHead + "    pattern: a\n    pattern-regex: b\n", "more than one pattern key"},
		{"not Python", ruleHead + "    pattern: foo(\n", "r.yaml:6:14: rules[0].pattern: rule r: line 1: not a Python pattern: '(' was never closed"},
		{"not Python, further down", ruleHead + "    pattern: |\n      a\n      foo(\n", "rule r: line 2: not a Python pattern"},
		{"none", ruleHead, "no pattern stands here"},
		{"only negative", ruleHead + "    patterns:\n      - pattern-not: a\n", "nothing here finds a place"},
		{"not Python", ruleHead + "    pattern: \"if (x) {\"\n", "not a Python pattern"},
		{"bad metavariable", ruleHead + "    pattern: f($x)\n", "is not a metavariable"},
		{"look-around", ruleHead + "    pattern-regex: (?R)b\n", "is not supported"},
		{"bad expression in a string", ruleHead + "    pattern: |\n      f(\"=~/(/\")\n", "is not supported"},
		{"condition without a name", ruleHead + "    patterns:\n      - pattern: $X\n      - metavariable-regex:\n          regex: a\n", "metavariable and regex belong here"},
		{"a function of a comparison", ruleHead + "    patterns:\n      - pattern: $X\n      - metavariable-comparison:\n          comparison: today() > $X\n", "today"},
		{"a comparison that is code", ruleHead + "    patterns:\n      - pattern: $X\n      - metavariable-comparison:\n          comparison: '__import__(\"os\")'\n", "__import__"},
		{"unknown option", ruleHead + "    options:\n      interfile: true\n    pattern: a\n", "rule r: interfile is not supported here"},
		{"option the other way", ruleHead + "    options:\n      attr_expr: false\n    pattern: a\n", "attr_expr is not supported here"},
		{"taint without sinks", ruleHead + "    mode: taint\n    pattern-sources:\n      - pattern: a\n", "pattern-sources and pattern-sinks belong"},
		{"taint with a pattern", ruleHead + "    mode: taint\n    pattern: a\n    pattern-sources:\n      - pattern: a\n    pattern-sinks:\n      - pattern: b\n", "pattern is not supported here"},
		{"labels that are code", ruleHead + "    mode: taint\n    pattern-sources:\n      - pattern: a\n    pattern-sinks:\n      - pattern: b\n        requires: f(A)\n", "made of labels"},
		{"control sources", ruleHead + "    mode: taint\n    pattern-sources:\n      - pattern: a\n        control: true\n    pattern-sinks:\n      - pattern: b\n", "control is not supported here"},
		{"propagator without to", ruleHead + "    mode: taint\n    pattern-sources:\n      - pattern: a\n    pattern-sinks:\n      - pattern: b\n    pattern-propagators:\n      - pattern: $A\n        from: $A\n", "from and to belong"},
		{"anchors", "rules: &a\n", "anchors"},
		{"too many patterns", ruleHead + "    pattern-either:\n" + strings.Repeat("      - pattern: a\n", maxFormulas+1), "more than 500 patterns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(File{"r.yaml", []byte(c.rule)})
			var problems yamlfile.Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, got: %v", c.want, err)
			}
		})
	}
}

// TestRefusedTogether holds Load to all complaints at once, over all files.
func TestRefusedTogether(t *testing.T) {
	_, err := Load(
		File{"a.yaml", []byte(ruleHead + "    pattern: f(\n")},
		File{"b.yaml", []byte(strings.ReplaceAll(ruleHead, "id: r", "id: s") + "    match: a\n")},
	)
	for _, want := range []string{"a.yaml:6", "rule r", "b.yaml:6", "rule s"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
}

// TestRuleFields holds what a rule says of itself to its file.
func TestRuleFields(t *testing.T) {
	e, err := Load(File{"r.yaml", []byte(`rules:
  - id: my.rule-1
    message: uses $F with $X, value($X)
    severity: WARNING
    languages: [python]
    metadata:
      cwe: [CWE-1, CWE-2]
      anything: {a: b}
      remedy: Do not.
    fix: g($X)
    paths:
      include: ["*.py", src/**/*.txt]
      exclude: [tests, "*_test.py"]
    pattern: $F($X)
`)})
	if err != nil {
		t.Fatal(err)
	}
	r := e.Rules()[0]
	if r.ID != "my.rule-1" || r.Severity != palisade.Medium || r.Line != 2 || r.Fix != "g($X)" || r.Metadata == nil || r.Taint() || r.Remedy() != "Do not." {
		t.Errorf("%+v", r)
	}
	for path, want := range map[string]bool{
		"a.py": true, "x/a.py": true, "a.txt": false, "src/a.txt": true, "src/x/y/a.txt": true,
		"tests/a.py": false, "x/tests/a.py": false, "a_test.py": false, "": false,
	} {
		if got := r.forPath(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
	found, err := e.Match(Source{Path: "a.py", Language: palisade.Python, Text: []byte("x = 'v'\nfoo(x)\n")})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	m := found[0]
	if m.Message != "uses foo with x, v" || m.Line != 2 || m.Column != 1 || m.EndLine != 2 || m.EndColumn != 7 || m.Metavars["$X"] != "x" {
		t.Errorf("%+v", m)
	}
}

// TestPlaces holds what a metavariable is focused on to its own place.
func TestPlaces(t *testing.T) {
	for _, c := range []struct{ pattern, src, want string }{
		{"def $X(...): ...", "@d\nasync def  name(a): pass\n", "2:12-2:16"},
		{"class $X: ...", "class C(B): pass\n", "1:7-1:8"},
		{"def f(..., $X, ...): ...", "def f(f1, é, b=1): pass\n", "1:7-1:9"},
		{"f($X=1)", "f( key = 1)\n", "1:4-1:7"},
		{"$O.$X", "aa.\\\n  bb\n", "2:3-2:5"},
		{"import a as $X", "import a as b\n", "1:13-1:14"},
		{"try: ...\nexcept $E as $X: ...", "try:\n  pass\nexcept E as e:\n  pass\n", "3:13-3:14"},
		{"f(\"$X\")", "f('ab')\n", "1:3-1:7"},
	} {
		e, err := Load(File{"r.yaml", []byte(ruleHead + "    patterns:\n      - pattern: |\n          " +
			strings.ReplaceAll(c.pattern, "\n", "\n          ") + "\n      - focus-metavariable: $X\n")})
		if err != nil {
			t.Fatal(err)
		}
		found, err := e.Match(source(t, c.src))
		if err != nil || len(found) == 0 {
			t.Errorf("%s: %d matches, %v", c.pattern, len(found), err)
			continue
		}
		m := found[0]
		if got := fmt.Sprintf("%d:%d-%d:%d", m.Line, m.Column, m.EndLine, m.EndColumn); got != c.want {
			t.Errorf("%s: at %s, not %s", c.pattern, got, c.want)
		}
	}
}

// TestParallel holds an engine to many users at once.
func TestParallel(t *testing.T) {
	e, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	src := source(t, "import os, sys\nos.system('x' + sys.argv[1])\nurl = 'https://pastebin.com/raw/x'\n")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if found, err := e.Match(src); err != nil || len(found) != 3 {
					t.Error(len(found), err)
				}
			}
		})
	}
	group.Wait()
}

// TestTooMany holds a rule that matches everywhere to an error, not to a list
// that is cut short.
func TestTooMany(t *testing.T) {
	e, err := Load(patternRule("f()", ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Match(source(t, strings.Repeat("f()\n", maxMatches+1))); !errors.Is(err, errBudget) {
		t.Error(err)
	}
}

// TestOtherLanguages holds rules of text to programs of any language.
func TestOtherLanguages(t *testing.T) {
	e, err := Load(File{"r.yaml", []byte(`rules:
  - id: any
    message: m
    severity: ERROR
    languages: [generic]
    pattern-regex: (?i)secret\s*=\s*(\S+)
  - id: shell
    message: removes $1
    severity: ERROR
    languages: [bash]
    patterns:
      - pattern-regex: rm -rf (\S+)
      - metavariable-regex:
          metavariable: $1
          regex: /
      - pattern-not-regex: rm -rf /tmp\b
`)})
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("secret = x\nrm -rf /\nrm -rf /tmp\nrm -rf a\n")
	for lang, want := range map[palisade.Language]int{palisade.Shell: 2, palisade.JavaScript: 1, palisade.SQL: 1} {
		found, err := e.Match(Source{Path: "x", Language: lang, Text: text})
		if err != nil || len(found) != want {
			t.Errorf("%s: %d matches, %v", lang, len(found), err)
		}
		if lang == palisade.Shell && (found[1].Message != "removes /" || found[1].Line != 2 || found[1].Column != 1) {
			t.Errorf("%+v", found[1])
		}
	}
}

// TestUnreadable holds a file that is no Python to an error.
func TestUnreadable(t *testing.T) {
	e, err := Load(patternRule("f(...)", ""))
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Match(Source{Path: "p.py", Language: palisade.Python, Text: []byte("f(\n")})
	var bad *python.SyntaxError
	if !errors.As(err, &bad) {
		t.Error(err)
	}
	if found, err := e.Match(Source{Path: "p.py", Language: palisade.Python}); err != nil || len(found) > 0 {
		t.Error(found, err)
	}
}
