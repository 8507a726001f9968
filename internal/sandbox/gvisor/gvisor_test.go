package gvisor

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"palisade"
)

// images is shared by all tests: the first one to need it builds it.
var images string

func TestMain(m *testing.M) {
	if Reexec() {
		return
	}
	if state := os.Getenv(victimEnv); state != "" {
		victim(state)
		return
	}
	dir, err := os.MkdirTemp("", "palisade-gvisor-")
	if err != nil {
		panic(err)
	}
	images = dir
	if keep := os.Getenv("PALISADE_TEST_IMAGES"); keep != "" {
		images = keep // from one run of the tests to the next
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func newSandbox(t testing.TB, change ...func(*Config)) *Sandbox {
	t.Helper()
	c := Config{StateDir: filepath.Join(t.TempDir(), "state"), Images: images}
	for _, f := range change {
		f(&c)
	}
	s, err := New(t.Context(), c)
	if err != nil {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), "gvisor") {
			t.Fatal(err)
		}
		t.Skipf("gVisor does not run here: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func limits() palisade.Limits {
	return palisade.Limits{
		CPU: 10 * time.Second, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20, Kept: 64 << 10,
		Processes: 32, OpenFiles: 64, Disk: 32 << 20, Inodes: 1000,
	}
}

// fill makes a job whole.
func fill(job *palisade.Job) {
	job.Stdout, job.Stderr = io.Discard, io.Discard
	job.Isolation.Backends = []string{Backend}
	if job.Program.Language == "" {
		job.Program.Language = palisade.Python
	}
	if job.Confirm == nil {
		job.Confirm = func(context.Context, palisade.Ready) error { return nil }
	}
	if job.Limits == (palisade.Limits{}) {
		job.Limits = limits()
	}
}

// runJob runs a job without a gate, as only this package can.
func runJob(t testing.TB, s *Sandbox, job palisade.Job) palisade.Result {
	t.Helper()
	fill(&job)
	if err := s.refuse(job); err != nil {
		return palisade.Result{Status: palisade.Refused, Reason: err.Error()}
	}
	r, err := s.rootOf(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return runIn(t, s, r, job)
}

// runIn runs a whole job in a box that is made of r.
func runIn(t testing.TB, s *Sandbox, r root, job palisade.Job) palisade.Result {
	t.Helper()
	b, err := s.takeWarm(t.Context(), r, job)
	if err == nil && b == nil {
		b, err = s.newBox(t.Context(), r, job)
	}
	if err != nil {
		t.Fatal(err)
	}
	result, err := b.run(t.Context())
	if err := b.close(); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// boxFor makes a box for a job.
func boxFor(ctx context.Context, s *Sandbox, job palisade.Job) (*box, error) {
	r, err := s.rootOf(ctx, job)
	if err != nil {
		return nil, err
	}
	return s.newBox(ctx, r, job)
}

func code(src string) palisade.Job {
	return palisade.Job{Program: palisade.Program{Name: "p.py", Source: []byte(src)}}
}

func TestHello(t *testing.T) {
	s := newSandbox(t)
	r := runJob(t, s, code("import os\nprint('hello', os.getuid(), os.listdir('/'), os.listdir('/etc'))\n"))
	if r.Status != palisade.OK || !strings.HasPrefix(string(r.Stdout.Head), "hello 65534") {
		t.Errorf("%+v\n%s\n%s", r, r.Stdout.Head, r.Stderr.Head)
	}
	t.Logf("%s %+v\n%v", r.Stdout.Head, r.Usage, r.Ready)
}

func TestLimitsThatRefuse(t *testing.T) {
	s := newSandbox(t)
	for name, c := range map[string]struct {
		src   string
		limit string
	}{
		"inodes": {`
import os
n = 0
try:
    while True:
        open(f'/work/f{n}', 'w').close(); n += 1
except OSError as e:
    print(n, e.errno)
for i in range(10): os.unlink(f'/work/f{i}')
for i in range(10): os.mkdir(f'/tmp/d{i}')
open('/work/f20', 'a').close()
try: os.mkdir('/tmp/more')
except OSError as e: print(e.errno)
raise SystemExit(3)
`, "inodes"},
		"disk": {`
try:
    with open('/work/f', 'wb') as f:
        while True: f.write(b'x' * 65536)
except OSError as e: print(e.errno)
raise SystemExit(3)
`, "disk"},
		"files": {`
l = []
try:
    while True: l.append(open('/dev/null'))
except OSError as e: print(len(l), e.errno)
l.clear()
raise SystemExit(3)
`, "files"},
		"processes": {`
import os, time
n = 0
try:
    while True:
        if os.fork() == 0: time.sleep(30)
        n += 1
except OSError as e: print(n, e.errno)
raise SystemExit(3)
`, "processes"},
	} {
		t.Run(name, func(t *testing.T) {
			r := runJob(t, s, code(c.src))
			t.Logf("%s %v %v exit %d: %s%s", r.Status, r.LimitsHit, r.Usage, r.ExitCode, r.Stdout.Head, r.Stderr.Head)
			if len(r.LimitsHit) != 1 || r.LimitsHit[0] != c.limit {
				t.Errorf("limits hit: %v", r.LimitsHit)
			}
		})
	}
}
