package semgrep

import (
	"errors"
	"testing"

	"palisade"
	"palisade/internal/python"
)

// FuzzPattern holds any pattern and any program to an answer or an error: no
// crash, no hang.
func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{
		{"f(..., $X, k=1, ...)", "f(1, 2, k=1)\n"},
		{"$X = $Y\n...\n$Z($X)", "a = b\nif c:\n    d(a)\n"},
		{"def $F(..., $A=$B, *$C): ...", "def f(a, b=1, *c): pass\n"},
		{"<... $X.$Y ...>", "a.b(c.d)\n"},
		{"f\"...{$X}...\"", "f'a{b}c'\n"},
		{"{..., $K: $V, ...}", "{1: 2, **a}\n"},
		{"class $C(..., $B, ...):\n  ...\n  $X = 1", "class C(A, B):\n    x = 1\n"},
		{"try: ...\nexcept $E as $N: ...", "try:\n    x\nexcept E as n:\n    y\n"},
		{"$X & ... & $Y", "a & b & c\n"},
		{"match $X:\n  case [..., $Y]: ...", "match a:\n    case [b, c]:\n        pass\n"},
		{"($X: int).f($...A)", "x: int = 1\nx.f(1, 2)\n"},
		{"lambda ..., $X: $X", "lambda a, b: b\n"},
		{"@$D(...)\ndef f(...): ...", "@d(1)\ndef f(): pass\n"},
		{"from $M import $X as $Y", "from a.b import c as d\n"},
		{"\"=~/a(b|c)*/i\"", "'ABC'\n"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, src string) {
		p, err := parsePattern(pattern)
		if err != nil {
			return
		}
		text, err := python.Normalize([]byte(src))
		if err != nil {
			return
		}
		tree, err := python.Parse(text, python.Options{Version: python.Version{Major: 3, Minor: 14}})
		if err != nil {
			return
		}
		if err := search(p, Source{Text: text, Language: palisade.Python}, tree); err != nil && !errors.Is(err, errBudget) {
			t.Errorf("%q in %q: %v", pattern, src, err)
		}
	})
}

// search finds a pattern under all options; only the budget is an error.
func search(p *pattern, s Source, tree *python.Module) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if e, ok := v.(error); ok && errors.Is(e, errBudget) {
				err = e
				return
			}
			panic(v)
		}
	}()
	for _, o := range []options{defaults(), {acMatching: true, constants: true, symbolic: true, commutativeBool: true, symmetricEq: true}, {}} {
		m := &matcher{file: newFile(s, tree), options: o}
		m.file.budget.left = 1_000_000
		m.find(p)
	}
	return nil
}

// FuzzLoad holds any rule file to an engine or an error, and an engine to an
// answer.
func FuzzLoad(f *testing.F) {
	for _, file := range Shipped() {
		f.Add(string(file.Data))
	}
	f.Add(taintRuleFile)
	f.Add(ruleHead + "    patterns:\n      - pattern: f($X)\n      - metavariable-comparison:\n          comparison: int($X) > 1\n      - metavariable-pattern:\n          metavariable: $X\n          pattern: a\n")
	src := []byte("import os\na = source()\nfor b in a:\n    f(b, '1')\nsink(b)\nos.system('x' + b)\n")
	f.Fuzz(func(t *testing.T, rules string) {
		e, err := Load(File{"r.yaml", []byte(rules)})
		if err != nil {
			return
		}
		if _, err := e.Match(Source{Path: "p.py", Language: palisade.Python, Text: src}); err != nil && !errors.Is(err, errBudget) {
			t.Error(err)
		}
	})
}
