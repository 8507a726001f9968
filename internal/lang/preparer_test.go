package lang

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/python"
)

func prepare(t *testing.T, change func(s *palisade.Submission)) (palisade.Submission, error) {
	t.Helper()
	s := palisade.Submission{Program: palisade.Program{Language: palisade.Python, Source: []byte("def f(x): return x\n")}}
	if change != nil {
		change(&s)
	}
	out, err := Preparer{Reserved: []string{"numpy"}}.Prepare(context.Background(), s)
	if invalid := (*palisade.InputError)(nil); err != nil && !errors.As(err, &invalid) {
		t.Fatalf("%v is no input error", err)
	}
	return out, err
}

func TestPrepareRefuses(t *testing.T) {
	module := func(names ...string) func(*palisade.Submission) {
		return func(s *palisade.Submission) {
			for _, n := range names {
				s.Program.Modules = append(s.Program.Modules, palisade.Module{Name: n})
			}
		}
	}
	file := func(names ...string) func(*palisade.Submission) {
		return func(s *palisade.Submission) {
			for _, n := range names {
				s.Files = append(s.Files, palisade.File{Name: n})
			}
		}
	}
	entry := func(name string, args ...string) func(*palisade.Submission) {
		return func(s *palisade.Submission) {
			s.Program.Entry = name
			s.Inputs.Args = map[string]json.RawMessage{}
			for i := 0; i < len(args); i += 2 {
				s.Inputs.Args[args[i]] = json.RawMessage(args[i+1])
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*palisade.Submission)
		says   string
	}{
		"another language":       {func(s *palisade.Submission) { s.Program.Language = "cobol" }, `"cobol" is not known: there are`},
		"no language":            {func(s *palisade.Submission) { s.Program.Language = "" }, "is not known"},
		"name with controls":     {func(s *palisade.Submission) { s.Program.Name = "a\x1b[31m.py" }, "printable"},
		"long name":              {func(s *palisade.Submission) { s.Program.Name = strings.Repeat("a", 2000) }, "printable"},
		"huge source":            {func(s *palisade.Submission) { s.Program.Source = make([]byte, MaxSource+1) }, "at most"},
		"huge prompt":            {func(s *palisade.Submission) { s.Prompt = strings.Repeat("x", MaxPrompt+1) }, "prompt"},
		"huge stdin":             {func(s *palisade.Submission) { s.Stdin = make([]byte, MaxStdin+1) }, "standard input"},
		"module without a name":  {module(""), "1 to 200"},
		"module path":            {module("../os"), "identifiers"},
		"module folder":          {module("a/b"), "identifiers"},
		"module keyword":         {module("a.class"), "identifiers"},
		"module empty part":      {module("a..b"), "identifiers"},
		"module starts with dot": {module(".a"), "identifiers"},
		"module of other script": {module("оs"), "identifiers"},
		"module of the library":  {module("json"), "must not be replaced"},
		"inside of the library":  {module("os.path2"), "must not be replaced"},
		"module of another age":  {module("distutils"), "must not be replaced"},
		"module of next year":    {module("annotationlib"), "must not be replaced"},
		"private module":         {module("_socket"), "must not be replaced"},
		"main":                   {module("__main__"), "must not be replaced"},
		"site hook":              {module("sitecustomize"), "must not be replaced"},
		"installed package":      {module("numpy"), "must not be replaced"},
		"module twice":           {module("a", "b", "a"), "twice"},
		"many modules":           {func(s *palisade.Submission) { s.Program.Modules = make([]palisade.Module, MaxModules+1) }, "at most"},
		"file above":             {file("../a"), "clean relative"},
		"file absolute":          {file("/etc/passwd"), "clean relative"},
		"file dots":              {file("a/../b"), "clean relative"},
		"file with newline":      {file("a\nb"), "not allowed"},
		"file reversed":          {file("a\u202etxt"), "not allowed"},
		"file like a flag":       {file("-rf"), "not allowed"},
		"file not UTF-8":         {file("\xff"), "UTF-8"},
		"file twice":             {file("a", "a"), "cannot both"},
		"file and folder":        {file("a/b", "a"), "cannot both"},
		"many files":             {func(s *palisade.Submission) { s.Files = make([]palisade.File, MaxFiles+1) }, "at most"},
		"huge files": {func(s *palisade.Submission) {
			s.Files = []palisade.File{{Name: "a", Data: make([]byte, MaxFileData+1)}}
		}, "more than"},
		"entry that is code":   {entry("f(1)"), "identifier"},
		"entry keyword":        {entry("class"), "identifier"},
		"entry that is not":    {entry("g"), "defines no function g"},
		"argument without one": {func(s *palisade.Submission) { s.Inputs.Args = map[string]json.RawMessage{"x": json.RawMessage("1")} }, "need an entry"},
		"schema without one":   {func(s *palisade.Submission) { s.Inputs.Returns = json.RawMessage("{}") }, "need an entry"},
		"missing argument":     {entry("f"), `"x" is missing`},
		"unknown argument":     {entry("f", "x", "1", "y", "2"), "no such parameter; it has x"},
		"argument name":        {entry("f", "x y", "1"), "not an identifier"},
		"argument not JSON":    {entry("f", "x", "{"), `argument "x"`},
		"argument of Python":   {entry("f", "x", "None"), `argument "x"`},
		"two values":           {entry("f", "x", "1 2"), "more than one value"},
		"no value":             {entry("f", "x", ""), `argument "x"`},
		"deep argument":        {entry("f", "x", strings.Repeat("[", 300)+strings.Repeat("]", 300)), "nested"},
		"out of range":         {entry("f", "x", "1e999"), "out of range"},
		"too many digits":      {entry("f", "x", strings.Repeat("9", maxIntDigits+1)), "digits"},
		"huge argument":        {entry("f", "x", `"`+strings.Repeat("x", MaxArgs)+`"`), "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := prepare(t, c.change)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error with %q", err, c.says)
			}
		})
	}
}

func TestPrepareSeals(t *testing.T) {
	module := []palisade.Module{{Name: "helper", Source: []byte("a = 1\r\n")}, {Name: "pkg.inner", Source: []byte("\xef\xbb\xbfb = 2")}}
	out, err := prepare(t, func(s *palisade.Submission) {
		s.Program.Source = []byte("\xef\xbb\xbfprint(1)\r\nprint(2)\rprint(3)\n")
		s.Program.Modules = module
		s.Files = []palisade.File{{Name: "data/x é.csv"}, {Name: "data/y.csv"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(out.Program.Source); got != "print(1)\nprint(2)\nprint(3)\n" {
		t.Errorf("source %q", got)
	}
	if out.Program.Name != "program.py" || string(out.Program.Modules[0].Source) != "a = 1\n" || string(out.Program.Modules[1].Source) != "b = 2" {
		t.Errorf("%+v", out.Program)
	}
	if string(module[0].Source) != "a = 1\r\n" {
		t.Error("the caller's own modules were changed")
	}
	// What is sealed is sealed: preparing it again changes nothing.
	again, err := Preparer{}.Prepare(context.Background(), out)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(out) {
		t.Errorf("%v, %+v", err, again)
	}
	// Source that cannot be normalized is for the reading to find.
	for _, bad := range []string{"print(1)\x00", "# coding: utf-7\n", "\xff"} {
		out, err := prepare(t, func(s *palisade.Submission) { s.Program.Source = []byte(bad) })
		if err != nil || string(out.Program.Source) != bad {
			t.Errorf("%q: %q, %v", bad, out.Program.Source, err)
		}
	}
	// An entry function of a program that cannot be parsed is not looked for.
	if _, err := prepare(t, func(s *palisade.Submission) { s.Program.Source = []byte("def ("); s.Program.Entry = "f" }); err != nil {
		t.Error(err)
	}
}

func TestUnfence(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"```python\nprint(1)\n```", "print(1)\n"},
		{"\n```Python3\nprint(1)\n```\n\n", "print(1)\n"},
		{"```\nprint(1)\n```", "print(1)\n"},
		{"~~~py\nx\n~~~", "x\n"},
		{"````python\nx = '''\n```\n'''\n````", "x = '''\n```\n'''\n"},
		{"```python title=\"a.py\"\nx\n```", "x\n"},
		{"```{python}\nx\n```", "x\n"},
		{"```python\n```", ""},
		{"```bash\nls\n```", "```bash\nls\n```"},
		{"```python\nx\n", "```python\nx\n"},
		{"```python\nx\n```\ntext", "```python\nx\n```\ntext"},
		{"```python\nx\n```\n```python\ny\n```", "```python\nx\n```\n```python\ny\n```"},
		{"print('''\n```python\nx\n```\n''')", "print('''\n```python\nx\n```\n''')"},
		{"", ""},
		{"```", "```"},
	} {
		if got := string(unfence([]byte(c.in), "python", "py", "python3")); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func withSource(src string, args map[string]string) error {
	s := palisade.Submission{Program: palisade.Program{Language: palisade.Python, Source: []byte(src), Entry: "f"}}
	s.Inputs.Args = map[string]json.RawMessage{}
	for name, value := range args {
		s.Inputs.Args[name] = json.RawMessage(value)
	}
	_, err := Preparer{Python: python.Version{Major: 3, Minor: 11}}.Prepare(context.Background(), s)
	return err
}

func TestAnnotations(t *testing.T) {
	for _, c := range []struct{ annotation, good, bad string }{
		{"int", "1 -3 123456789012345678901234567890", `1.5 1.0 "1" true null [] {}`},
		{"float", "1 1.5 1e3", `"1" true null`},
		{"str", `"" "x"`, "1 null [] true"},
		{"bool", "true false", `1 0 "true" null`},
		{"None", "null", `0 false ""`},
		{"Any", `1 null {"a":[1]}`, ""},
		{"object", "1", ""},
		{"list", "[] [1,null]", "{} 1 null"},
		{"list[int]", "[] [1,2]", `[1,"2"] [1.5] {} 1`},
		{"List[List[float]]", "[[1,2.5],[]]", `[1] [["x"]]`},
		{"typing.Sequence[str]", `["a"]`, `[1] "a"`},
		{"dict", "{}", "[]"},
		{"dict[str, int]", `{"a":1}`, `{"a":"1"} []`},
		{"t.Mapping[str, list[int]]", `{"a":[1]}`, `{"a":1}`},
		{"tuple", "[1]", "1"},
		{"tuple[int, str]", `[1,"a"]`, `[1] ["a",1] [1,"a",2]`},
		{"Tuple[int, ...]", "[] [1,2]", `["a"]`},
		{"Optional[int]", "1 null", `"1" 1.5`},
		{"Union[int, str]", `1 "a"`, "null 1.5"},
		{"int | None", "1 null", `"x"`},
		{"int | str | list[int]", `1 "x" [1]`, `null ["x"]`},
		{`Literal["a", 1, None, True]`, `"a" 1 null true`, `"b" 2 false []`},
		{"'list[int]'", "[1]", "1"},
		{"Annotated[int, 'meters']", "1", `"x"`},
	} {
		src := "from typing import *\nimport typing, typing as t\ndef f(x: " + c.annotation + "): pass\n"
		for _, good := range strings.Fields(c.good) {
			if err := withSource(src, map[string]string{"x": good}); err != nil {
				t.Errorf("%s, %s: %v", c.annotation, good, err)
			}
		}
		for _, bad := range strings.Fields(c.bad) {
			err := withSource(src, map[string]string{"x": bad})
			if err == nil || !strings.Contains(err.Error(), `argument "x" of f: want `) {
				t.Errorf("%s, %s: %v", c.annotation, bad, err)
			}
		}
	}
	for _, unknown := range []string{"complex", "MyClass", "np.ndarray", "Callable[[int], int]", "set[int]", "dict[int, str]", "f()", "list[MyClass]", "1", "lambda: 1", "'('", "int + str", "Literal[1.5]"} {
		src := "def f(x: " + unknown + " = None, y=1): pass\n"
		if err := withSource(src, map[string]string{"x": "1"}); err == nil || !strings.Contains(err.Error(), "not understood") {
			t.Errorf("%s: %v", unknown, err)
		}
		if err := withSource(src, map[string]string{"y": "1"}); err != nil {
			t.Errorf("%s, not passed: %v", unknown, err)
		}
	}
}

func TestSignatures(t *testing.T) {
	args := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for _, p := range pairs {
			m[p] = "1"
		}
		return m
	}
	for _, c := range []struct {
		src  string
		args map[string]string
		says string // empty: fits
	}{
		{"def f(): pass", nil, ""},
		{"def f(a, b=2, *, c, d=4): pass", args("a", "c"), ""},
		{"def f(a, b=2, *, c, d=4): pass", args("a", "b", "c", "d"), ""},
		{"def f(a, b=2, *, c, d=4): pass", args("a"), `"c" is missing`},
		{"def f(a, b=2): pass", args("b"), `"a" is missing`},
		{"def f(): pass", args("a"), "it has none"},
		{"def f(*args): pass", args("args"), "no such parameter"},
		{"def f(a, *args): pass", args("a"), ""},
		{"def f(a, **more): pass", args("a", "b", "c"), ""},
		{"def f(a, **more: str): pass", args("a", "b"), "want str"},
		{"def f(a, b=1, c=2, /): pass", args("a", "b"), ""},
		{"def f(a, b=1, c=2, /): pass", args("a", "c"), `needs argument "b"`},
		{"async def f(a: int): pass", args("a"), ""},
		{"f = lambda a: a", args("anything"), ""},
		{"from helper import f", args("anything"), ""},
		{"from helper import *", args("anything"), ""},
		{"@decorated\ndef f(a: str): pass", args("b"), ""},
		{"@decorated\ndef f(a: str): pass", args("a"), "want str"},
		{"if x:\n    def f(a): pass\nelse:\n    def f(b): pass", args("b"), ""},
		{"try:\n    def f(a): pass\nexcept: pass", args("a"), ""},
		{"def f(a): pass\ndef f(b): pass", args("a"), "no such parameter"},
		{"def f(a): pass\nf = 1", args("b"), ""},
		{"class C:\n    def f(self): pass", nil, "defines no function"},
		{"def g():\n    def f(): pass", nil, "defines no function"},
		{"(f, g) = 1, 2", nil, ""},
		{"f: int", nil, "defines no function"},
	} {
		err := withSource(c.src+"\n", c.args)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%q with %v: %v, want %q", c.src, c.args, err, c.says)
		}
	}
}
