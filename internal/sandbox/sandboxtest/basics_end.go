package sandboxtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"palisade"
)

func digestOf(data []byte) palisade.Digest { return sha256.Sum256(data) }

func (s *suite) exceptions(t *testing.T) {
	r := s.do(t, call{sub: palisade.Submission{Program: source(
		"import json", "def inner():", "    json.loads('{')", "def outer():", "    inner()", "outer()")}})
	want(t, r, palisade.RuntimeError)
	e := r.Exception
	if e == nil || e.Type != "json.decoder.JSONDecodeError" || !strings.HasPrefix(e.Message, "Expecting property name") {
		t.Fatalf("exception %+v", e)
	}
	frames := []palisade.Frame{{File: "program.py", Line: 6, Function: "<module>"}, {File: "program.py", Line: 5, Function: "outer"}, {File: "program.py", Line: 3, Function: "inner"}}
	if len(e.Frames) != 3 || e.Frames[0] != frames[0] || e.Frames[1] != frames[1] || e.Frames[2] != frames[2] {
		t.Errorf("frames %+v", e.Frames)
	}
	text := stderr(r)
	if !strings.HasPrefix(text, "Traceback (most recent call last):\n  File \"program.py\", line 6, in <module>\n    outer()\n") ||
		strings.Contains(text, "harness") || !strings.Contains(text, "json.loads('{')") {
		t.Errorf("stderr %q", text)
	}
	for _, c := range []struct{ src, kind string }{
		{"def f(): f()\nf()", "RecursionError"},
		{"raise SystemError('x')", "SystemError"},
		{"class Mine(Exception): pass\nraise Mine", "Mine"},
		{"class Mine(Exception):\n    def __str__(self): raise ValueError\nraise Mine", "Mine"},
		{"eval('1 +')", "SyntaxError"},
		{"try:\n    1/0\nexcept ZeroDivisionError as e:\n    raise ValueError('second') from e", "ValueError"},
	} {
		r := s.do(t, call{sub: palisade.Submission{Program: source(c.src)}})
		want(t, r, palisade.RuntimeError)
		if r.Exception == nil || r.Exception.Type != c.kind || r.ExitCode != 1 || !strings.Contains(stderr(r), c.kind) || strings.Contains(stderr(r), "harness") {
			t.Errorf("%q: exit %d, exception %+v, stderr %q", c.src, r.ExitCode, r.Exception, stderr(r))
		}
	}
}

// warnings that the compiler gives are given once, though it works in steps.
func (s *suite) warnings(t *testing.T) {
	r := s.do(t, call{sub: palisade.Submission{Program: source("x = 1", "if x is 1: pass", "y = '\\d'", "assert (x, 'always')", "y")}})
	want(t, r, palisade.OK)
	for _, text := range []string{"invalid escape sequence", "with a literal", "with 'int' literal", "assertion is always true"} {
		if n := strings.Count(stderr(r), text); n > 1 {
			t.Errorf("%q is said %d times: %s", text, n, stderr(r))
		}
	}
	if !strings.Contains(stderr(r), "SyntaxWarning: assertion is always true") {
		t.Errorf("stderr %q", stderr(r))
	}
}

// exits: codes are the program's own, whatever it does on its way out.
func (s *suite) exits(t *testing.T) {
	for _, c := range []struct {
		src    string
		code   int
		status palisade.Status
		out    string
	}{
		{"exit()", 0, palisade.OK, ""},
		{"import sys\nsys.exit(0)", 0, palisade.OK, ""},
		{"import sys\nsys.exit(3)", 3, palisade.RuntimeError, ""},
		{"import sys\nsys.exit(137)", 137, palisade.RuntimeError, ""},
		{"import sys\nsys.exit(-1)", 255, palisade.RuntimeError, ""},
		{"raise SystemExit('why')", 1, palisade.RuntimeError, ""},
		{"import os\nos._exit(7)", 7, palisade.RuntimeError, ""},
		{"import os\nos._exit(0)", 0, palisade.OK, ""},
		{"raise KeyboardInterrupt", 130, palisade.RuntimeError, ""},
		{"import atexit\natexit.register(print, 'bye')\nprint('hi')", 0, palisade.OK, "hi\nbye\n"},
		{"import threading, time\ndef f():\n    time.sleep(0.2); print('thread')\nthreading.Thread(target=f).start()\nprint('main')", 0, palisade.OK, "main\nthread\n"},
		{"class D:\n    def __del__(self): print('deleted')\nd = D()\nprint('end')", 0, palisade.OK, "end\ndeleted\n"},
		{"import sys\nsys.stdout = None", 0, palisade.OK, ""},
		{"import os\nprint('a', flush=True)\nos.close(1); os.close(2)", 0, palisade.OK, "a\n"},
	} {
		r := s.do(t, call{sub: palisade.Submission{Program: source(c.src)}})
		want(t, r, c.status)
		if r.ExitCode != c.code || r.Signal != "" || stdout(r) != c.out {
			t.Errorf("%q: exit %d, signal %q, stdout %q; want exit %d, stdout %q (stderr %q)", c.src, r.ExitCode, r.Signal, stdout(r), c.code, c.out, stderr(r))
		}
	}
}

// main: the program finds itself where a script would.
func (s *suite) main(t *testing.T) {
	r := s.do(t, call{sub: palisade.Submission{Program: source(
		"import sys, os, __main__, pickle, dataclasses",
		"assert __name__ == '__main__' and __main__.__dict__ is globals()",
		"assert sys.argv == ['program.py'], sys.argv",
		"assert set(globals()) - {'sys', 'os', '__main__', 'pickle', 'dataclasses'} <= {'__name__', '__doc__', '__package__', '__loader__', '__spec__', '__builtins__', '__file__', '__annotations__'}, list(globals())",
		"assert os.getcwd() == os.path.realpath('.') and __file__ == os.path.join(os.getcwd(), 'program.py')",
		"@dataclasses.dataclass",
		"class Point:", "    x: int = 1",
		"assert pickle.loads(pickle.dumps(Point(2))) == Point(2)",
		"assert sys.stdin.read() == ''",
		"assert not sys.flags.no_user_site or sys.flags.isolated",
		"if __name__ == '__main__': print('yes')")}})
	want(t, r, palisade.OK)
	if stdout(r) != "yes\n" {
		t.Errorf("stdout %q", stdout(r))
	}
	r = s.do(t, call{sub: palisade.Submission{Program: source(
		"import inspect, traceback, sys", "def f(x):", "    return 1 / x  # here", "print(inspect.getsource(f))",
		"try:", "    f(0)", "except ZeroDivisionError:", "    traceback.print_exc(file=sys.stdout)")}})
	want(t, r, palisade.OK)
	if strings.Count(stdout(r), "return 1 / x  # here") != 2 || !strings.Contains(stdout(r), "File \"program.py\", line 6, in <module>\n    f(0)\n") {
		t.Errorf("source lines: %s%s", stdout(r), stderr(r))
	}
	if !s.lacks("isolation") {
		r := s.do(t, call{sub: palisade.Submission{Program: source("import os; print(os.getcwd(), os.environ['HOME'], sorted(os.listdir('/work')))")}})
		if stdout(r) != "/work /work []\n" {
			t.Errorf("working directory: %q", stdout(r))
		}
	}
}

// digests: what was not judged does not run.
func (s *suite) digests(t *testing.T) {
	for what, spoil := range map[string]func(map[string]palisade.Digest){
		"another tree":   func(trees map[string]palisade.Digest) { trees[""] = palisade.Digest{1} },
		"no tree":        func(trees map[string]palisade.Digest) { delete(trees, "") },
		"a tree more":    func(trees map[string]palisade.Digest) { trees["other"] = trees[""] },
		"another module": func(trees map[string]palisade.Digest) { trees["helper"] = trees[""] },
	} {
		p := source("print('ESCAPED')", "open('x', 'w').write('ESCAPED')", "import helper")
		p.Modules = []palisade.Module{{Name: "helper", Source: []byte("print('ESCAPED')\n")}}
		r := s.do(t, call{sub: palisade.Submission{Program: p}, spoil: spoil})
		want(t, r, palisade.Refused)
		if r.MayHaveRun || stdout(r) != "" || len(r.Artifacts) > 0 || !strings.Contains(r.Reason, "differential") && what != "no tree" {
			t.Errorf("%s: may have run: %v, stdout %q, reason %q", what, r.MayHaveRun, stdout(r), r.Reason)
		}
	}
	// A layer that policy wants and that is not there.
	layers := s.Layers
	s.Layers = map[string]string{"moat": "deep"}
	defer func() { s.Layers = layers }()
	r := s.do(t, call{sub: palisade.Submission{Program: source("print('ESCAPED')")}})
	want(t, r, palisade.Refused)
	if r.MayHaveRun || stdout(r) != "" {
		t.Errorf("ran without a layer: %+v", r)
	}
}

// caller: a caller who goes away ends the run at once.
func (s *suite) caller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := time.Now()
	time.AfterFunc(2*time.Second, cancel)
	_, r, err := s.try(t, call{ctx: ctx, sub: palisade.Submission{Program: source("print('on', flush=True)", "import time", "time.sleep(15)")}})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	want(t, r, palisade.Interrupted)
	if took := time.Since(started); took > 8*time.Second {
		t.Errorf("ended %v after the start", took)
	}
}

// chance: two boxes never draw the same numbers.
func (s *suite) chance(t *testing.T) {
	p := source("import os, random, uuid", "print(os.urandom(16).hex())", "print(random.random())", "print(uuid.uuid4())", "print(hash('seed'))",
		"try:", "    import numpy", "    print(numpy.random.random(3).tolist())", "except ImportError: pass")
	first := s.do(t, call{sub: palisade.Submission{Program: p}})
	second := s.do(t, call{sub: palisade.Submission{Program: p}})
	want(t, first, palisade.OK)
	want(t, second, palisade.OK)
	a, b := strings.Split(stdout(first), "\n"), strings.Split(stdout(second), "\n")
	for i := range min(len(a), len(b)) - 1 {
		if a[i] == b[i] && (i != 3 || !s.lacks("hash seed")) {
			t.Errorf("line %d of two runs is the same: %s", i+1, a[i])
		}
	}
}
