package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/python"
)

// Options describe the back-end under test.
type Options struct {
	// Backend is the name that it reports.
	Backend string
	// Python is the version of its interpreter.
	Python python.Version
	// Layers must be in force in every run, as in [palisade.Isolation].
	Layers map[string]string
	// Packages is the folder of packages that are installed beside the
	// interpreter; empty: Debian's. Some of what is there is tried.
	Packages string
	// Lacks names what the back-end does not have, each with the reason. Cases
	// that need it are skipped. See the "needs" line of the escape corpus:
	// isolation, network, cpu, memory, processes, files, disk, inodes, deny; and
	// text: programs that run as text; hash seed: one for each box; determinism.
	Lacks map[string]string
	// Languages are those that the back-end runs beside Python on this host;
	// what is not here is skipped with the reason, or fails where
	// PALISADE_REQUIRE names the language.
	Languages []palisade.Language
	// Forbid lists texts of the host that no program may ever print, such as
	// the back-end's state folder.
	Forbid []string
}

// suite is one back-end on its way through the cases.
type suite struct {
	Options
	sandbox palisade.Sandbox
	rig     *rig
}

// Run runs every case against one sandbox from newSandbox, which cleans up
// after itself by t.Cleanup.
func Run(t *testing.T, newSandbox func(t testing.TB) palisade.Sandbox, o Options) {
	t.Setenv("PALISADE_CANARY", canary)
	if o.Packages == "" {
		o.Packages = "/usr/lib/python3/dist-packages"
	}
	s := &suite{Options: o, sandbox: newSandbox(t)}
	s.rig = newRig(t, s.sandbox, preparer(o.Python), reader{t: t, version: o.Python})
	t.Run("basics", s.basics)
	t.Run("shell", s.shell)
	t.Run("javascript", s.javascript)
	t.Run("differentials", s.differentials)
	t.Run("meeting", s.meeting)
	t.Run("deterministic", s.deterministic)
	t.Run("acts", s.acts)
	t.Run("reported", s.reported)
	t.Run("escapes", s.escapes)
}

// canary stands in the environment of the host's process.
const canary = "canary-5f0f3b1c9a"

// call is one run.
type call struct {
	sub    palisade.Submission
	limits palisade.Limits // zero fields: the suite's
	deny   []string
	abort  []string
	spoil  func(map[string]palisade.Digest)
	ctx    context.Context
	// deterministic asks for a box in which chance and clock are fixed.
	deterministic bool
}

// suiteLimits are wide enough for every case that does not aim at them.
var suiteLimits = palisade.Limits{
	CPU: 10 * time.Second, Wall: 20 * time.Second, Memory: 512 << 20, Output: 16 << 20, Kept: 64 << 10,
	Processes: 64, OpenFiles: 64, Disk: 64 << 20, Inodes: 4096,
}

func (s *suite) try(t *testing.T, c call) (palisade.Outcome, palisade.Result, error) {
	t.Helper()
	v := s.verdict(c)
	if c.sub.Program.Language == "" {
		c.sub.Program.Language = palisade.Python
	}
	if c.sub.Program.Name == "" {
		c.sub.Program.Name = "program.py"
	}
	ctx := c.ctx
	if ctx == nil {
		ctx = t.Context()
	}
	out, result, err := s.rig.run(ctx, c.sub, v, c.spoil)
	if err == nil {
		s.noLeak(t, result)
	}
	return out, result, err
}

// verdict allows a call, within limits.
func (s *suite) verdict(c call) palisade.Verdict {
	return palisade.Verdict{
		Limits:         withDefaults(c.limits),
		Isolation:      palisade.Isolation{Backends: []string{s.Backend}, Layers: s.Layers},
		DeniedSyscalls: c.deny,
		Abort:          c.abort, Deterministic: c.deterministic,
	}
}

// do is try for a run that must not fail in the gate.
func (s *suite) do(t *testing.T, c call) palisade.Result {
	t.Helper()
	out, result, err := s.try(t, c)
	if err != nil {
		t.Fatalf("gate: %v", err)
	}
	if out.Status != result.Status || out.Success != (result.Status == palisade.OK) {
		t.Errorf("outcome says %s, success %v; result says %s", out.Status, out.Success, result.Status)
	}
	return result
}

func withDefaults(l palisade.Limits) palisade.Limits {
	d := suiteLimits
	set := func(to *int64, v int64) {
		if v != 0 {
			*to = v
		}
	}
	if l.CPU != 0 {
		d.CPU = l.CPU
	}
	if l.Wall != 0 {
		d.Wall = l.Wall
	}
	if l.Processes != 0 {
		d.Processes = l.Processes
	}
	if l.OpenFiles != 0 {
		d.OpenFiles = l.OpenFiles
	}
	set(&d.Memory, l.Memory)
	set(&d.Output, l.Output)
	set(&d.Kept, l.Kept)
	set(&d.Disk, l.Disk)
	set(&d.Inodes, l.Inodes)
	return d
}

// noLeak holds what a program wrote to what it must never know.
func (s *suite) noLeak(t *testing.T, r palisade.Result) {
	t.Helper()
	said := stdout(r) + stderr(r) + string(r.Value)
	for _, a := range r.Artifacts {
		said += string(a.Data)
	}
	if s.lacks("isolation") {
		return
	}
	for what, text := range s.secrets() {
		if len(text) >= 6 && strings.Contains(said, text) {
			t.Errorf("the program learned %s (%q)", what, text)
		}
	}
}

// secrets are texts of this host that a program could only have from it.
func (s *suite) secrets() map[string]string {
	found := map[string]string{"a variable of the host's environment": canary}
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		found["the host's boot id"] = strings.TrimSpace(string(id))
	}
	if name, err := os.Hostname(); err == nil {
		found["the host's name"] = name
	}
	if wd, err := os.Getwd(); err == nil {
		found["a folder of the host"] = filepath.Dir(wd)
	}
	for i, text := range s.Forbid {
		found[fmt.Sprintf("forbidden text %d", i)] = text
	}
	return found
}

func (s *suite) lacks(what string) bool { return s.Lacks[what] != "" }

// need skips a case for what the back-end lacks.
func (s *suite) need(t *testing.T, what ...string) {
	t.Helper()
	for _, w := range what {
		if reason := s.Lacks[w]; reason != "" {
			t.Skipf("needs %s: %s", w, reason)
		}
	}
}

// needLanguage skips a case in a language whose interpreter is not here.
func (s *suite) needLanguage(t *testing.T, l palisade.Language) {
	t.Helper()
	switch {
	case l == palisade.Python || slices.Contains(s.Languages, l):
	case s.lacks("text"):
		s.need(t, "text")
	case slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), string(l)):
		t.Fatalf("%s is required and does not run here", l)
	default:
		t.Skipf("%s does not run here", l)
	}
}

func stdout(r palisade.Result) string { return string(r.Stdout.Head) + string(r.Stdout.Tail) }
func stderr(r palisade.Result) string { return string(r.Stderr.Head) + string(r.Stderr.Tail) }

// want holds a result to a status and shows what the program said otherwise.
func want(t *testing.T, r palisade.Result, status ...palisade.Status) {
	t.Helper()
	if !slices.Contains(status, r.Status) {
		t.Errorf("status %q (exit %d, signal %q, limits %v, reason %q), want %q\nstdout: %.2000s\nstderr: %.2000s\nanomalies: %v",
			r.Status, r.ExitCode, r.Signal, r.LimitsHit, r.Reason, status, stdout(r), stderr(r), r.Anomalies)
	}
}

// Root returns the repository's root, found by its go.mod.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}
