package gvisor

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"palisade"
	"palisade/internal/sandbox/sandboxtest"
)

// ordinaryUser is a user without any right of its own. It need not exist.
const ordinaryUser = 65533

// TestWithoutRoot runs this package's other tests as an ordinary user: the same
// boxes, without control groups.
func TestWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("all tests run without root here")
	}
	newSandbox(t) // gVisor works for root
	root, err := sandboxtest.Root()
	if err != nil {
		t.Fatal(err)
	}
	// The user can read neither this program nor, maybe, the repository.
	dir, err := os.MkdirTemp("/var/tmp", "palisade-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	here := filepath.Join(dir, "internal/sandbox/gvisor")
	own := filepath.Join(dir, "own")
	program := filepath.Join(dir, "program")
	for _, err := range []error{
		os.MkdirAll(here, 0o755), os.Mkdir(own, 0o700), os.Chown(own, ordinaryUser, ordinaryUser), os.Chmod(dir, 0o755),
		copyFile(program, "/proc/self/exe", 0o755), copyFile(filepath.Join(dir, "go.mod"), filepath.Join(root, "go.mod"), 0o644),
		os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(filepath.Join(root, "testdata"))),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := "^(TestSuite|TestDenied|TestTry|TestAtOnce|TestLimitsThatRefuse|TestKilledWithNoWarning|TestCallerGoesAway|TestLauncherDies)$"
	if testing.Short() {
		tests = strings.Replace(tests, "TestSuite|", "", 1)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run", tests, "-test.v", "-test.timeout", "20m")
	cmd.Dir = here
	cmd.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + own, "PALISADE_REQUIRE=gvisor"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}}
	out, err := cmd.CombinedOutput()
	passed := strings.Count(string(out), "--- PASS")
	t.Logf("%d passed", passed)
	if err != nil || passed < 7 {
		t.Errorf("%v\n%s", err, out)
	}
}

func copyFile(to, from string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = io.Copy(out, in)
	return err
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
		job.Confirm = trial(nil).Confirm
		return job
	}
	if err := s.refuse(whole()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*palisade.Job){
		"another back-end":     func(j *palisade.Job) { j.Isolation.Backends = []string{"native"} },
		"no back-end":          func(j *palisade.Job) { j.Isolation.Backends = nil },
		"another language":     func(j *palisade.Job) { j.Program.Language = "shell" },
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
