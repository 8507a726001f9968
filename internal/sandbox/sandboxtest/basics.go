package sandboxtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"palisade"
)

// basics are what a program may rely on.
func (s *suite) basics(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"permit", s.permit}, {"output", s.output}, {"live", s.live}, {"value", s.value}, {"arguments", s.arguments},
		{"files", s.files}, {"too much", s.tooMuch}, {"stdin", s.stdin}, {"modules", s.modules}, {"exceptions", s.exceptions},
		{"warnings", s.warnings}, {"exits", s.exits}, {"packages", s.packages}, {"denials", s.denials}, {"displays", s.displays}, {"main", s.main}, {"digests", s.digests},
		{"caller", s.caller}, {"chance", s.chance},
	} {
		t.Run(c.name, c.run)
	}
}

func source(lines ...string) palisade.Program {
	return palisade.Program{Source: []byte(strings.Join(lines, "\n") + "\n")}
}

// permit: code starts only through the gate.
func (s *suite) permit(t *testing.T) {
	if r, err := s.sandbox.Run(t.Context(), palisade.Permit{}); err == nil || r.MayHaveRun || r.Status == palisade.OK {
		t.Errorf("a zero permit: %+v, %v", r, err)
	}
}

func (s *suite) output(t *testing.T) {
	r := s.do(t, call{sub: palisade.Submission{Program: source(
		"import sys", "print('out é')", "print('err', file=sys.stderr)", "sys.stdout.write('no newline')")}})
	want(t, r, palisade.OK)
	if stdout(r) != "out é\nno newline" || stderr(r) != "err\n" {
		t.Errorf("stdout %q, stderr %q", stdout(r), stderr(r))
	}
	if r.ExitCode != 0 || r.Signal != "" || !r.MayHaveRun || len(r.LimitsHit)+len(r.Anomalies) > 0 {
		t.Errorf("%+v", r)
	}
	if r.Usage.Wall <= 0 || r.Usage.Wall > time.Minute {
		t.Errorf("usage %+v", r.Usage)
	}

	// Head and tail of each stream are kept; what is between is counted.
	r = s.do(t, call{limits: palisade.Limits{Kept: 1000}, sub: palisade.Submission{Program: source(
		"print('begin')", "for i in range(1000): print('x' * 99)", "print('end')")}})
	want(t, r, palisade.OK)
	if got := r.Stdout; got.Total != 100_010 || len(got.Head) != 500 || len(got.Tail) != 500 || !got.Truncated() ||
		!bytes.HasPrefix(got.Head, []byte("begin\n")) || !bytes.HasSuffix(got.Tail, []byte("end\n")) {
		t.Errorf("kept %d + %d of %d", len(got.Head), len(got.Tail), got.Total)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

type slow struct{ until <-chan struct{} }

func (s slow) Write(p []byte) (int, error) { <-s.until; return len(p), nil }

// live: who watches gets the output as it comes, and cannot hurt the run.
func (s *suite) live(t *testing.T) {
	var seen bytes.Buffer
	prog := source("import sys", "for i in range(3000): print('line', i)", "print('bad', file=sys.stderr)")
	r := s.do(t, call{sub: palisade.Submission{Program: prog, Live: palisade.Live{Stdout: &seen}}})
	want(t, r, palisade.OK)
	if int64(seen.Len()) != r.Stdout.Total {
		t.Errorf("the live writer saw %d bytes of %d", seen.Len(), r.Stdout.Total)
	}
	r = s.do(t, call{sub: palisade.Submission{Program: prog, Live: palisade.Live{Stdout: broken{}, Stderr: broken{}}}})
	want(t, r, palisade.OK)
	if !strings.HasSuffix(stdout(r), "line 2999\n") {
		t.Errorf("a broken live writer lost output: %q", stdout(r))
	}
	release := make(chan struct{})
	time.AfterFunc(time.Second, func() { close(release) })
	r = s.do(t, call{sub: palisade.Submission{Program: prog, Live: palisade.Live{Stdout: slow{release}}}})
	want(t, r, palisade.OK)
}

func (s *suite) value(t *testing.T) {
	for _, c := range []struct{ returns, want string }{
		{"None", "null"},
		{"True", "true"},
		{"10 ** 30 + 1", "1000000000000000000000000000001"},
		{"-2.5", "-2.5"},
		{"1e300", "1e+300"},
		{"'\"\\\\\\n\\x00é\\U0001f600'", `"\"\\\n\u0000é` + "\U0001f600" + `"`},
		{"[1, (2, 3), {'a': {4}}]", `[1,[2,3],{"a":[4]}]`},
		{"{1: 2, None: 3, True: 4.5}", `{"1":4.5,"null":3}`},
		{"__import__('decimal').Decimal('1.25')", "1.25"},
		{"__import__('fractions').Fraction(6, 3)", "2"},
		{"int('9' * 4000) ** 2 % 10 ** 5000", ""},
	} {
		p := source("def solution():", "    return "+c.returns)
		p.Entry = "solution"
		r := s.do(t, call{sub: palisade.Submission{Program: p}})
		want(t, r, palisade.OK)
		if c.want != "" && string(r.Value) != c.want || !json.Valid(r.Value) {
			t.Errorf("%s: value %s, want %s", c.returns, r.Value, c.want)
		}
	}
	for _, bad := range []string{"float('nan')", "[1, float('inf')]", "object()", "b'x'", "1j", "{(1, 2): 3}", "'x' * 2_000_000"} {
		p := source("def solution():", "    return "+bad)
		p.Entry = "solution"
		r := s.do(t, call{sub: palisade.Submission{Program: p}})
		want(t, r, palisade.RuntimeError)
		if r.Value != nil || r.Exception == nil || r.ExitCode != 1 {
			t.Errorf("%s: value %s, exception %+v, exit %d", bad, r.Value, r.Exception, r.ExitCode)
		}
	}
	// An asynchronous entry function is run to its end.
	p := source("import asyncio", "async def solution(n):", "    await asyncio.sleep(0)", "    return n + 1")
	p.Entry = "solution"
	r := s.do(t, call{sub: palisade.Submission{Program: p, Inputs: palisade.Inputs{Args: map[string]json.RawMessage{"n": json.RawMessage("1")}}}})
	want(t, r, palisade.OK)
	if string(r.Value) != "2" {
		t.Errorf("asynchronous value %s", r.Value)
	}
}

// arguments reach the function as they are, and never as code.
func (s *suite) arguments(t *testing.T) {
	p := source("def solution(big, text, nested, pos, /, *, flag=None):",
		"    return {'big': big, 'text': text, 'nested': nested, 'flag': flag, 'types': [type(x).__name__ for x in (big, text, nested, flag)], 'pos': pos}")
	p.Entry = "solution"
	args := map[string]json.RawMessage{
		"big":    json.RawMessage("12345678901234567890123456789"),
		"text":   json.RawMessage(`"'); print('ESCAPED'); ('\u00e9\n\\"`),
		"nested": json.RawMessage(`{"z": [1.5, -2, true, null], "a": {"b": 1e3}}`),
		"pos":    json.RawMessage("0"),
	}
	r := s.do(t, call{sub: palisade.Submission{Program: p, Inputs: palisade.Inputs{Args: args}}})
	want(t, r, palisade.OK)
	var got struct {
		Big    json.Number
		Text   string
		Nested json.RawMessage
		Types  []string
	}
	if err := json.Unmarshal(r.Value, &got); err != nil {
		t.Fatal(err)
	}
	if got.Big != "12345678901234567890123456789" || got.Text != "'); print('ESCAPED'); ('é\n\\" ||
		string(got.Nested) != `{"z":[1.5,-2,true,null],"a":{"b":1000.0}}` || !slices.Equal(got.Types, []string{"int", "str", "dict", "NoneType"}) {
		t.Errorf("got %s", r.Value)
	}
	if stdout(r) != "" {
		t.Errorf("stdout %q", stdout(r))
	}
}

// files: data goes in, what was changed comes out, and nothing else.
func (s *suite) files(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 100_000)
	in := []palisade.File{
		{Name: "a.txt", Data: []byte("hello")}, {Name: "deep/er/b.bin", Data: []byte{0, 255, 10}},
		{Name: "same.txt", Data: []byte("same")}, {Name: "big.bin", Data: big}, {Name: "empty", Data: nil},
	}
	r := s.do(t, call{sub: palisade.Submission{Files: in, Program: source(
		"import os",
		"assert open('a.txt').read() == 'hello'",
		"assert open('deep/er/b.bin', 'rb').read() == bytes([0, 255, 10])",
		"assert os.path.getsize('big.bin') == 1600000 and os.path.getsize('empty') == 0",
		"open('a.txt', 'a').write(' world')",
		"os.makedirs('out/x'); open('out/x/c.csv', 'w').write('1,2\\n')",
		"left = open('left.txt', 'w'); left.write('not closed')",
		"open('big.bin', 'ab').write(b'!')",
		"os.symlink('/etc/passwd', 'link.txt'); os.symlink('a.txt', 'own.txt')",
		"open('/tmp/not-mine', 'w').write('x')",
	)}})
	want(t, r, palisade.OK)
	got := map[string]string{}
	for _, a := range r.Artifacts {
		got[a.Name] = string(a.Data)
		if a.Size != int64(len(a.Data)) || a.Digest != digestOf(a.Data) {
			t.Errorf("artifact %s: size %d, digest %s", a.Name, a.Size, a.Digest)
		}
	}
	for name, data := range map[string]string{"a.txt": "hello world", "out/x/c.csv": "1,2\n", "left.txt": "not closed", "big.bin": string(big) + "!"} {
		if got[name] != data {
			t.Errorf("artifact %s: %.40q", name, got[name])
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("artifacts that are none: %v", got)
	}
}

// tooMuch: what is not kept is named.
func (s *suite) tooMuch(t *testing.T) {
	r := s.do(t, call{sub: palisade.Submission{Program: source(
		"import os", "f = open('huge.bin', 'wb')", "f.write(b'x'); os.truncate(f.fileno(), 40 << 20)", "open('small.txt', 'w').write('kept')")}})
	want(t, r, palisade.OK)
	if len(r.Artifacts) != 1 || r.Artifacts[0].Name != "small.txt" || !strings.Contains(stderr(r), "'huge.bin' is not kept") ||
		!strings.Contains(strings.Join(r.Anomalies, "\n"), "not kept") {
		t.Errorf("%d artifacts, stderr %q, anomalies %q", len(r.Artifacts), stderr(r), r.Anomalies)
	}
}

func (s *suite) stdin(t *testing.T) {
	text := "first line\n" + strings.Repeat("x", 300_000)
	r := s.do(t, call{sub: palisade.Submission{Stdin: []byte(text), Program: source(
		"import sys", "print(input())", "print(len(sys.stdin.read()))", "try: input()", "except EOFError: print('end')")}})
	want(t, r, palisade.OK)
	if stdout(r) != "first line\n300000\nend\n" {
		t.Errorf("stdout %q", stdout(r))
	}
	r = s.do(t, call{sub: palisade.Submission{Program: source("print(open(0).read() == '')")}})
	if stdout(r) != "True\n" {
		t.Errorf("empty standard input: %q %q", stdout(r), stderr(r))
	}
}

// modules come from the judged trees, and from nowhere else.
func (s *suite) modules(t *testing.T) {
	p := source(
		"import helper, pkg.inner, sys, traceback, inspect",
		"from pkg import inner",
		"print(helper.double(4), inner.NAME, helper.__name__, inner.__file__)",
		"print(inspect.getsource(helper.double).strip())",
		"open('evil.py', 'w').write('print(\"ESCAPED\")'); open('/tmp/evil.py', 'w').write('print(\"ESCAPED\")')",
		"try: import evil",
		"except ImportError: print('no evil')",
		"assert not {'', '.', '/work', '/tmp'} & set(sys.path), sys.path",
		"helper.fail()")
	p.Modules = []palisade.Module{
		{Name: "helper", Source: []byte("def double(x):\n    return 2 * x\n\ndef fail():\n    raise KeyError('from helper')\n")},
		{Name: "pkg.inner", Source: []byte("NAME = __name__\n")},
	}
	r := s.do(t, call{sub: palisade.Submission{Program: p}})
	want(t, r, palisade.RuntimeError)
	if stdout(r) != "8 pkg.inner helper pkg/inner.py\ndef double(x):\n    return 2 * x\nno evil\n" {
		t.Errorf("stdout %q", stdout(r))
	}
	if e := r.Exception; e == nil || e.Type != "KeyError" || len(e.Frames) != 2 || e.Frames[1] != (palisade.Frame{File: "helper.py", Line: 5, Function: "fail"}) {
		t.Errorf("exception %+v", e)
	}
	if len(r.Ready.Trees) != 3 {
		t.Errorf("trees %v", r.Ready.Trees)
	}
}

func (s *suite) displays(t *testing.T) {
	r := s.do(t, call{sub: palisade.Submission{Program: source(
		"class Table:", "    def __repr__(self): return 'plain'", "    def _repr_html_(self): return '<b>rich</b>'", "Table()")}})
	want(t, r, palisade.OK)
	if len(r.Rich) != 1 || r.Rich[0].Data["text/plain"] != "plain" || r.Rich[0].Data["text/html"] != "<b>rich</b>" {
		t.Errorf("rich %+v", r.Rich)
	}
	for _, quiet := range []string{"x = 1", "print(1)", "'only a text'", "class C:\n    def __repr__(self): 1/0\nC()\nNone"} {
		r := s.do(t, call{sub: palisade.Submission{Program: source(quiet)}})
		want(t, r, palisade.OK)
		if len(r.Rich) != 0 {
			t.Errorf("%q displays %+v", quiet, r.Rich)
		}
	}
	r = s.do(t, call{sub: palisade.Submission{Program: source("list(range(10 ** 6))")}})
	want(t, r, palisade.OK)
	if len(r.Rich) != 1 || len(r.Rich[0].Data["text/plain"]) > 64<<10 {
		t.Errorf("a huge list displays as %d values", len(r.Rich))
	}
	if !s.has("matplotlib") {
		t.Skip("matplotlib is not installed")
	}
	r = s.do(t, call{sub: palisade.Submission{Program: source(
		"import matplotlib.pyplot as plt", "plt.plot([1, 2, 3])", "plt.figure()", "plt.bar([1], [2])", "None")}, limits: slowly})
	want(t, r, palisade.OK)
	if len(r.Rich) != 2 {
		t.Fatalf("%d figures, want 2; %s %v", len(r.Rich), stderr(r), r.Anomalies)
	}
	for _, rich := range r.Rich {
		if png, err := base64.StdEncoding.DecodeString(rich.Data["image/png"]); err != nil || len(png) < 1000 {
			t.Errorf("a figure of %d bytes: %v", len(png), err)
		}
	}
}

// slowly is for programs that load large packages.
var slowly = palisade.Limits{CPU: time.Minute, Wall: time.Minute}

func (s *suite) has(pkg string) bool {
	_, err := os.Stat(filepath.Join(s.Packages, pkg))
	return err == nil
}

// packages: what is installed beside the interpreter can be used.
func (s *suite) packages(t *testing.T) {
	for pkg, lines := range map[string][]string{
		"numpy":      {"import numpy as np", "print(np.linalg.inv(np.eye(3) * 2).tolist()[0])", "print(np.random.default_rng(1).random() < 1)"},
		"pandas":     {"import pandas as pd", "print(pd.DataFrame({'a': [1, 2], 'b': [3, 4]}).groupby('a').sum().to_dict())", "print(pd.Timestamp('2024-06-01', tz='Europe/Berlin').utcoffset())"},
		"matplotlib": {"import matplotlib.pyplot as plt", "plt.plot([1])", "plt.savefig('plot.png')", "print(open('plot.png', 'rb').read(4))"},
	} {
		if !s.has(pkg) {
			t.Logf("%s is not installed", pkg)
			continue
		}
		// As the data profile has it.
		limits := palisade.Limits{CPU: time.Minute, Wall: time.Minute, OpenFiles: 20, Processes: 16}
		r := s.do(t, call{limits: limits, sub: palisade.Submission{Program: source(lines...)}})
		want(t, r, palisade.OK)
		if stderr(r) != "" || strings.Count(stdout(r), "\n") != len(lines)-1 && pkg != "matplotlib" {
			t.Errorf("%s: stdout %q, stderr %q", pkg, stdout(r), stderr(r))
		}
	}
	// What numpy and pandas count with comes out as plain JSON.
	if !s.has("pandas") {
		return
	}
	p := source("import numpy as np, pandas as pd", "def solution():",
		"    return [np.int64(3), np.float32(0.5), np.array([[1, 2], [3, 4]]), np.bool_(True), pd.Series([1.5, 2]), pd.DataFrame({'a': [1], 'b': ['x']}), {np.int64(1): np.str_('s')}]")
	p.Entry = "solution"
	r := s.do(t, call{limits: slowly, sub: palisade.Submission{Program: p}})
	want(t, r, palisade.OK)
	if string(r.Value) != `[3,0.5,[[1,2],[3,4]],true,[1.5,2.0],[{"a":1,"b":"x"}],{"1":"s"}]` {
		t.Errorf("value %s", r.Value)
	}
}

// denials: what every program needs goes on working when all that most do not
// need is denied.
func (s *suite) denials(t *testing.T) {
	s.need(t, "deny")
	deny := []string{"exec", "fork", "socket", "mount", "ptrace", "namespace", "module", "bpf", "keyring", "io_uring", "device", "clock", "host", "identity", "memfd", "ipc"}
	p := source("import sys, threading, tempfile, subprocess, uuid", "from helper import double", "text = sys.stdin.read()",
		"results = []", "thread = threading.Thread(target=lambda: results.append(double(4)))", "thread.start(); thread.join()",
		"with tempfile.NamedTemporaryFile('w+') as f:", "    f.write('x'); f.seek(0); assert f.read() == 'x'",
		"open('out.txt', 'w').write(open('in.txt').read().upper())",
		"def solution(n):", "    return [len(text), n, results]")
	p.Entry = "solution"
	p.Modules = []palisade.Module{{Name: "helper", Source: []byte("def double(x): return 2 * x\n")}}
	for _, size := range []int{100, 200_000} {
		r := s.do(t, call{deny: deny, sub: palisade.Submission{
			Program: p, Files: []palisade.File{{Name: "in.txt", Data: []byte("abc")}}, Stdin: bytes.Repeat([]byte("i"), size),
			Inputs: palisade.Inputs{Args: map[string]json.RawMessage{"n": json.RawMessage("1")}},
		}})
		want(t, r, palisade.OK)
		if string(r.Value) != fmt.Sprintf("[%d,1,[8]]", size) || len(r.Artifacts) != 1 || string(r.Artifacts[0].Data) != "ABC" || len(r.Anomalies) > 0 {
			t.Errorf("value %s, artifacts %v, anomalies %v", r.Value, r.Artifacts, r.Anomalies)
		}
	}
	if s.has("pandas") {
		r := s.do(t, call{deny: deny, limits: slowly, sub: palisade.Submission{Program: source("import pandas as pd", "print(pd.Series([1, 2]).sum())")}})
		want(t, r, palisade.OK)
		if stdout(r) != "3\n" || stderr(r) != "" {
			t.Errorf("stdout %q, stderr %q", stdout(r), stderr(r))
		}
	}
}
