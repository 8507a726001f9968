package gvisor

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"palisade"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/sandboxtest"
)

// TestWithoutRoot runs this package's other tests as an ordinary user: the same
// boxes, without control groups.
func TestWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("all tests run without root here")
	}
	newSandbox(t) // gVisor works for root
	tests := []string{"TestDenied", "TestEachKind", "TestAbort", "TestTry", "TestAtOnce", "TestLimitsThatRefuse", "TestKilledWithNoWarning", "TestCallerGoesAway", "TestLauncherDies"}
	if !testing.Short() {
		tests = append(tests, "TestSuite")
	}
	sandboxtest.AsUser(t, Backend, tests...)
}

// TestRefusals: what will not be run, and that nothing was made for it.
func TestRefusals(t *testing.T) {
	s := newSandbox(t)
	if _, err := s.Run(t.Context(), palisade.Permit{}); err == nil {
		t.Error("a zero permit was taken")
	}
	whole := func() palisade.Job {
		job := code("print('ran')")
		job.Limits = limits()
		job.Isolation.Backends = []string{Backend}
		job.Program.Language = palisade.Python
		job.Stdout, job.Stderr = io.Discard, io.Discard
		job.Confirm = sandbox.Trial(Backend, palisade.Python, nil).Confirm
		return job
	}
	if err := s.refuse(whole()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*palisade.Job){
		"another back-end":     func(j *palisade.Job) { j.Isolation.Backends = []string{"native"} },
		"no back-end":          func(j *palisade.Job) { j.Isolation.Backends = nil },
		"another language":     func(j *palisade.Job) { j.Program.Language = palisade.SQL },
		"no limits":            func(j *palisade.Job) { j.Limits = palisade.Limits{} },
		"no limit on inodes":   func(j *palisade.Job) { j.Limits.Inodes = 0 },
		"an unknown group":     func(j *palisade.Job) { j.DeniedSyscalls = []string{"all"} },
		"nobody to confirm":    func(j *palisade.Job) { j.Confirm = nil },
		"nowhere for the text": func(j *palisade.Job) { j.Stdout = nil },
	} {
		job := whole()
		spoil(&job)
		if err := s.refuse(job); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// TestRolesAreNotForUsers: the names under which the program runs itself do
// nothing when a user types them.
func TestRolesAreNotForUsers(t *testing.T) {
	for _, args := range [][]string{{launcherName}, {launcherName, "/nonexistent", "odd"}, {sandboxName, bootVerb}} {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
		cmd.Args = args
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%v succeeded: %s", args, out)
		}
	}
}
