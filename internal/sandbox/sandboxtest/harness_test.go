package sandboxtest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"palisade"
)

func testLimits() palisade.Limits {
	return palisade.Limits{CPU: 10 * time.Second, Wall: 20 * time.Second, Memory: 1 << 30, Output: 1 << 20, Kept: 64 << 10,
		Processes: 256, OpenFiles: 64, Disk: 64 << 20, Inodes: 1000}
}

func runBare(t *testing.T, job palisade.Job) palisade.Result {
	t.Helper()
	b := &bare{t: t, python: python(t)}
	if job.Program.Name == "" {
		job.Program.Name = "program.py"
	}
	if job.Limits == (palisade.Limits{}) {
		job.Limits = testLimits()
	}
	var live bytes.Buffer
	if job.Stdout == nil {
		job.Stdout, job.Stderr = &live, &bytes.Buffer{}
	}
	if job.Confirm == nil {
		job.Confirm = func(context.Context, palisade.Ready) error { return nil }
	}
	r, err := b.run(t.Context(), job)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	return r
}

func python(t *testing.T) string {
	if p := os.Getenv("PALISADE_TEST_PYTHON"); p != "" {
		return p
	}
	return "/usr/bin/python3"
}

func program(src string) palisade.Program {
	return palisade.Program{Language: palisade.Python, Source: []byte(src)}
}

func TestBareHello(t *testing.T) {
	r := runBare(t, palisade.Job{Program: program("print('hi')\nx = 2\nx + 1\n")})
	t.Logf("%+v\n%s%s", r, r.Stdout.Head, r.Stderr.Head)
	p := program("def f(a, b=2):\n  return {'a': a, 'b': [b, 1.5, None, True, 'é\"']}\n1/0 if False else None\nopen('o.txt','w').write('x')\nimport sys\ng=open('p.txt','w'); g.write('left')\nprint(input())\n")
	p.Entry = "f"
	r = runBare(t, palisade.Job{Program: p, Stdin: []byte("line\n"), Inputs: palisade.Inputs{Args: map[string]json.RawMessage{"a": []byte("123456789012345678901234567890")}}})
	t.Logf("%+v\n%s%s", r, r.Stdout.Head, r.Stderr.Head)
	r = runBare(t, palisade.Job{Program: program("def f():\n  raise ValueError('x') from KeyError(1)\nf()\n")})
	t.Logf("%+v\n%s%s", r, r.Stdout.Head, r.Stderr.Head)
}
