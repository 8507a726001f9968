package native

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
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
	dir, err := os.MkdirTemp("", "palisade-native-")
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
	if err == nil {
		_, err = s.Try(t.Context(), palisade.Python)
	}
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), Backend) {
			t.Fatal(err)
		}
		t.Skipf("native boxes do not run here: %v", err)
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

// runJob runs a job without a gate, as only this package can.
func runJob(t testing.TB, s *Sandbox, job palisade.Job) palisade.Result {
	t.Helper()
	var out, errOut bytes.Buffer
	job.Stdout, job.Stderr = &out, &errOut
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
	if err := s.refuse(job); err != nil {
		return palisade.Result{Status: palisade.Refused, Reason: err.Error()}
	}
	result, err := s.run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func code(src string) palisade.Job {
	return palisade.Job{Program: palisade.Program{Name: "p.py", Source: []byte(src)}}
}

// TestRefuses: what cannot be given is refused, with what to do about it.
func TestRefuses(t *testing.T) {
	s := newSandbox(t)
	peers := []palisade.Peer{{Name: "api.example.com"}}
	for want, change := range map[string]func(*palisade.Job){
		"whose back-end is gvisor": func(j *palisade.Job) { j.Deterministic = true },
		"no way out":               func(j *palisade.Job) { j.Egress = peers },
		"a limit is missing":       func(j *palisade.Job) { j.Limits.Inodes = 0 },
		"no such group":            func(j *palisade.Job) { j.DeniedSyscalls = []string{"everything"} },
		"want some of connect":     func(j *palisade.Job) { j.Abort = []string{"open"} },
		"does not want":            func(j *palisade.Job) { j.Isolation.Backends = []string{"gvisor"} },
		"does not run here":        func(j *palisade.Job) { j.Program.Language = palisade.SQL },
		"not whole":                func(j *palisade.Job) { j.Confirm = nil },
	} {
		job := code("print(1)")
		job.Program.Language, job.Limits, job.Isolation.Backends = palisade.Python, limits(), []string{Backend}
		job.Stdout, job.Stderr = io.Discard, io.Discard
		job.Confirm = func(context.Context, palisade.Ready) error { return nil }
		if err := s.refuse(job); err != nil {
			t.Fatalf("an ordinary job: %v", err)
		}
		change(&job)
		if err := s.refuse(job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("refused with %v, want %q", err, want)
		}
	}
}

func TestHello(t *testing.T) {
	s := newSandbox(t)
	start := time.Now()
	r := runJob(t, s, code("import os\nprint('hello', os.getuid(), os.listdir('/'), os.listdir('/etc'), os.listdir('/proc'))\n"))
	if r.Status != palisade.OK || !strings.HasPrefix(string(r.Stdout.Head), "hello 65534") {
		t.Errorf("%+v\n%s\n%s", r, r.Stdout.Head, r.Stderr.Head)
	}
	t.Logf("%v %s %+v\n%v", time.Since(start), r.Stdout.Head, r.Usage, r.Ready)
}
