package rules

import (
	"context"
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/analysis/py"
	"palisade/internal/python"
)

// has returns the first finding of a rule.
func has(out palisade.Inspection, rule string) (palisade.Finding, bool) {
	i := slices.IndexFunc(out.Findings, func(f palisade.Finding) bool { return f.Rule == rule })
	if i < 0 {
		return palisade.Finding{}, false
	}
	return out.Findings[i], true
}

func TestUnparsable(t *testing.T) {
	out := inspect(t, "x = 1\ny = (\n")
	f, ok := has(out, "unparsable")
	if !ok || f.Line == 0 || f.Severity != palisade.Critical || f.Capability != palisade.CapUnparsable {
		t.Errorf("finding %+v", f)
	}
	if len(out.Trees) != 0 {
		t.Error("a program that cannot be parsed has a tree")
	}
	if _, ok := has(inspect(t, "x = 1\x00"), "unparsable"); !ok {
		t.Error("a null byte passed")
	}
	if f, ok := has(inspect(t, "x = 1\n", palisade.Module{Name: "a.b", Source: []byte("def (")}), "unparsable"); !ok || f.File != "a/b.py" {
		t.Errorf("module: %+v", f)
	}
	// Grammar is that of the version which runs the program.
	old := Inspector{Version: python.Version{Major: 3, Minor: 8}}
	sub := palisade.Submission{Program: palisade.Program{Language: palisade.Python, Source: []byte("match x:\n    case 1: pass\n")}}
	if out, err := old.Inspect(context.Background(), sub); err != nil {
		t.Fatal(err)
	} else if _, ok := has(out, "unparsable"); !ok {
		t.Error("a match statement parsed for 3.8")
	}
}

func TestTrees(t *testing.T) {
	src := []byte("import helper\nprint(helper.f())\n")
	out := inspect(t, string(src), palisade.Module{Name: "helper", Source: []byte("def f():\n    return 1\n")})
	tree, err := python.Parse(src, python.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if out.Trees[""] != palisade.Digest(python.Digest(tree)) || out.Trees["helper"].IsZero() || len(out.Trees) != 2 {
		t.Errorf("trees %v", out.Trees)
	}
	if _, ok := has(out, "py-import"); ok {
		t.Error("a module of the submission is an import of the allow-list")
	}
}

// TestModules follows names from module to module.
func TestModules(t *testing.T) {
	mod := func(name, src string) palisade.Module { return palisade.Module{Name: name, Source: []byte(src)} }
	for _, c := range []struct {
		name, main string
		modules    []palisade.Module
		file       string
		line       int
	}{
		{"alias of a module", "import helper\nhelper.o.system('id')\n", []palisade.Module{mod("helper", "import os as o\n")}, "p.py", 2},
		{"from import", "from helper import run\nrun('id')\n", []palisade.Module{mod("helper", "from os import system as run\n")}, "p.py", 2},
		{"star import", "from helper import *\nrun('id')\n", []palisade.Module{mod("helper", "from os import system as run\n")}, "p.py", 2},
		{"function of a module", "import helper\nhelper.go('id')\n", []palisade.Module{mod("helper", "import os\ndef go(c):\n    os.system(c)\n")}, "helper.py", 3},
		{"package", "from pkg.sub import go\ngo('id')\n", []palisade.Module{mod("pkg", ""), mod("pkg.sub", "from . import low\ngo = low.run\n"), mod("pkg.low", "import os\nrun = os.system\n")}, "p.py", 2},
		{"never imported", "x = 1\n", []palisade.Module{mod("helper", "import os\nos.system('id')\n")}, "helper.py", 2},
		{"through getattr", "import helper\ngetattr(helper, 'r' + 'un')('id')\n", []palisade.Module{mod("helper", "import os\nrun = os.system\n")}, "p.py", 2},
		{"set from outside", "import helper, os\nhelper.f = os.system\nhelper.g()\n", []palisade.Module{mod("helper", "f = None\ndef g():\n    f('id')\n")}, "helper.py", 3},
		{"import cycle", "import a\na.run('id')\n", []palisade.Module{mod("a", "import b\nfrom os import system as run\n"), mod("b", "import a\ndef f(): return a.run\n")}, "p.py", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := inspect(t, c.main, c.modules...)
			if !slices.ContainsFunc(out.Findings, func(f palisade.Finding) bool {
				return f.Rule == "py-process" && f.File == c.file && f.Line == c.line && f.Argument == "id"
			}) {
				t.Errorf("not found at %s:%d: %v", c.file, c.line, out.Findings)
			}
		})
	}
}

func TestModuleNames(t *testing.T) {
	for _, name := range []string{"os", "numpy", "json.decoder"} {
		out := inspect(t, "import os\nos.system('id')\n", palisade.Module{Name: name, Source: []byte("def system(x): pass\n")})
		if _, ok := has(out, "py-import-path"); !ok {
			t.Errorf("%s: a module that hides one of the runtime's passed: %v", name, out.Findings)
		}
	}
	out := inspect(t, "x = 1\n", palisade.Module{Name: "a", Source: []byte("x = 1")}, palisade.Module{Name: "a", Source: []byte("x = 2")})
	if _, ok := has(out, "analysis-failed"); !ok {
		t.Error("a module that stands twice passed")
	}
}

func TestEntry(t *testing.T) {
	sub := palisade.Submission{Program: palisade.Program{
		Language: palisade.Python, Entry: "solution", Source: []byte("def solution(path='a.txt'):\n    return open(path).read()\nsolution()\n"),
	}}
	out, err := Inspector{}.Inspect(context.Background(), sub)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := has(out, "py-read-computed"); !ok {
		t.Error("an entry function's argument is not known, but was taken for its default")
	}
}

func TestNeverFails(t *testing.T) {
	out, err := Inspector{}.Inspect(context.Background(), palisade.Submission{Program: palisade.Program{Language: "cobol", Source: []byte("x")}})
	if _, ok := has(out, "analysis-failed"); !ok || err != nil {
		t.Errorf("another language: %v, %v", out.Findings, err)
	}
	out, err = Inspector{MaxBytes: 10}.Inspect(context.Background(), palisade.Submission{Program: palisade.Program{Language: palisade.Python, Source: []byte("x = 1234567")}})
	if f, ok := has(out, "oversized"); !ok || err != nil || f.Capability != palisade.CapOversized || len(out.Trees) != 0 {
		t.Errorf("oversized: %v, %v", out.Findings, err)
	}
	out, err = Inspector{Budget: py.Budget{Steps: 10}}.Inspect(context.Background(), palisade.Submission{Program: palisade.Program{Language: palisade.Python, Source: []byte(strings.Repeat("f(x)\n", 100))}})
	if f, ok := has(out, "analysis-failed"); !ok || err != nil || f.Capability != palisade.CapFailed {
		t.Errorf("over budget: %v, %v", out.Findings, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Inspector{}).Inspect(ctx, palisade.Submission{}); err == nil {
		t.Error("a context that has ended was ignored")
	}
}

func TestPlaces(t *testing.T) {
	out := inspect(t, "import os\n\nif True:\n    x = 'é'; os.system('id')\n")
	f, ok := has(out, "py-process")
	if !ok || f.Line != 4 || f.Column != 15 || f.Symbol != "os.system" || f.Argument != "id" || f.Unknown {
		t.Errorf("finding %+v", f)
	}
	out = inspect(t, "x = 'a\u202eb'\n")
	if f, ok := has(out, "hidden-characters"); !ok || f.Line != 1 || f.Column != 7 || f.Argument != "U+202E" {
		t.Errorf("finding %+v", f)
	}
	if !slices.IsSortedFunc(out.Findings, func(a, b palisade.Finding) int { return a.Line - b.Line }) {
		t.Error("findings are not sorted by place")
	}
}

// TestArguments: what a finding is about.
func TestArguments(t *testing.T) {
	for _, c := range []struct {
		src, rule, argument string
		unknown             bool
	}{
		{"open('data.csv')", "py-read", "/work/data.csv", false},
		{"open('../data.csv')", "py-read-outside", "/data.csv", false},
		{"open('~/x')", "py-read-outside", "~/x", false},
		{"open('/work/../etc/passwd')", "py-read-outside", "/etc/passwd", false},
		{"import os\nopen(os.path.join('/etc', x))", "py-read-computed", "", true}, // x may be absolute
		{"open(f'/etc/{x}')", "py-read-outside", "/etc", true},
		{"open(x)", "py-read-computed", "", true},
		{"open('a' + x)", "py-read-computed", "", true},
		{"open('a', 'w')", "py-write", "/work/a", false},
		{"open('a', 'r+')", "py-write", "/work/a", false},
		{"open('a', m)", "py-write", "/work/a", false},
		{"import requests\nrequests.get('https://a.example/x')", "py-network", "https://a.example/x", false},
		{"import requests\nrequests.get(u)", "py-network", "", true},
		{"import socket\nsocket.socket().connect(('10.0.0.1', 80))", "py-network", "10.0.0.1:80", false},
		{"import pandas as pd\npd.read_csv('s3://b/x.csv')", "py-network", "s3://b/x.csv", false},
		{"import subprocess\nsubprocess.run(['ls', '-l'])", "py-process", "ls -l", false},
		{"import subprocess\nsubprocess.run(x)", "py-process", "", true},
		{"import os\nos.environ['A']", "py-environment", "A", false},
		{"import os\nos.environ[x]", "py-environment", "", true},
		{"import os\nos.environ.get('A', 1)", "py-environment", "A", false},
		{"import numpy as np\nnp.load('a.npy')", "py-read", "/work/a.npy", false},
		{"import matplotlib.pyplot as plt\nplt.savefig('a.png')", "py-write", "/work/a.png", false},
		{"import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nfig.savefig('a.png')", "py-write", "/work/a.png", false},
	} {
		f, ok := has(inspect(t, c.src+"\n"), c.rule)
		if !ok || f.Argument != c.argument || f.Unknown != c.unknown {
			t.Errorf("%s: %s argument %q unknown %v, found %v", c.src, c.rule, c.argument, c.unknown, inspect(t, c.src+"\n").Findings)
		}
	}
}

// TestPublic: how something was reached is not for the submitter.
func TestPublic(t *testing.T) {
	f, ok := has(inspect(t, "import os as secret_alias\ngetattr(secret_alias, 'sys' + 'tem')('id')\n"), "py-process")
	if !ok || f.Evidence == "" {
		t.Fatalf("no evidence: %+v", f)
	}
	if strings.Contains(f.Message, "secret_alias") || f.Public().Evidence != "" {
		t.Errorf("evidence in public: %+v", f.Public())
	}
}

func FuzzInspect(f *testing.F) {
	for _, name := range []string{"testdata/evasions.txt", "testdata/evasions_flow.txt", "testdata/benign.txt"} {
		for _, src := range blocks(f, name) {
			f.Add(src)
		}
	}
	for _, src := range bombs() {
		if len(src) < 4000 {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		a := inspect(t, src)
		b := inspect(t, src)
		if !slices.Equal(a.Findings, b.Findings) {
			t.Error("read differently the second time")
		}
		for _, x := range a.Findings {
			if strings.Contains(x.Evidence, "panic") || strings.Contains(x.Evidence, "analysis failed") {
				t.Errorf("%+v", x)
			}
		}
	})
}

// panicking is a part that is broken.
type panicking struct{}

func (panicking) Read(context.Context, analysis.Text) (analysis.Reading, error) { panic("reader") }
func (panicking) Find(palisade.Language, string, []byte, *python.Module) ([]palisade.Finding, error) {
	panic("patterns")
}

// TestPanicDenies: whatever breaks, in the reading or in a rule, denies that one
// program and nothing else.
func TestPanicDenies(t *testing.T) {
	broken := index{{"", palisade.CapImport}: {{Match: func(analysis.Fact) bool { panic("rule") }}}}
	whole := catalogueIndex
	defer func() { catalogueIndex = whole }()
	for name, c := range map[string]struct {
		inspector Inspector
		language  palisade.Language
		rules     index
	}{
		"reader":   {Inspector{Reader: panicking{}}, palisade.Shell, nil},
		"patterns": {Inspector{Patterns: panicking{}}, palisade.Python, nil},
		"rule":     {Inspector{}, palisade.Python, broken},
	} {
		catalogueIndex = func() index {
			if c.rules != nil {
				return c.rules
			}
			return whole()
		}
		got, err := c.inspector.Inspect(context.Background(), palisade.Submission{Program: palisade.Program{Language: c.language, Source: []byte("import os\n")}})
		if err != nil || len(got.Findings) != 1 || got.Findings[0].Capability != palisade.CapFailed || len(got.Trees) != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
