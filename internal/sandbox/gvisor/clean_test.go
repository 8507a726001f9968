package gvisor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"palisade"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/sandboxtest"
)

// TestNothingIsLeft runs many boxes and compares the host before and after.
func TestNothingIsLeft(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	s := newSandbox(t, func(c *Config) { c.StateDir = state })
	for range 3 {
		runJob(t, s, code("pass"))
	}
	before := sandboxtest.Look(t, s.home.Name(), state, images)
	runs := 200
	if testing.Short() {
		runs = 20
	}
	for i := range runs {
		src := "pass"
		switch i % 20 {
		case 5:
			src = "import os\nif os.fork() == 0:\n  while True: pass\n"
		case 10:
			src = "import os; os.kill(os.getpid(), 9)"
		case 15:
			src = "open('/work/x','w').write('y' * 100000); 1/0"
		}
		runJob(t, s, code(src))
	}
	sandboxtest.Settle()
	sandboxtest.Look(t, s.home.Name(), state, images).Unchanged(t, before)
}

// TestSoak: programs of every kind at once, in restored boxes.
func TestSoak(t *testing.T) {
	newSandbox(t) // it works here
	sandboxtest.Soak(t, func(t testing.TB, state string) sandboxtest.Closing {
		s, err := New(t.Context(), Config{StateDir: state, Images: images, Pool: soakPool()})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, suiteOptions(), sandboxtest.SoakRuns())
}

// soakPool has every caller wait for a warm box.
func soakPool() *sandbox.PoolLimits {
	return &sandbox.PoolLimits{Size: 4, After: 1, Await: true, Queue: 100, Patience: time.Minute}
}

// victimEnv makes the test program a palisade that is to be killed.
const victimEnv = "PALISADE_TEST_VICTIM"

// victim makes a box that runs for long, says so, and waits to be killed.
func victim(state string) {
	s, err := New(context.Background(), Config{StateDir: state, Images: os.Getenv("PALISADE_TEST_IMAGES")})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	job := code("import os\nfor _ in range(3):\n  if os.fork() == 0: break\nwhile True: pass\n")
	job.Stdout, job.Stderr = io.Discard, io.Discard
	job.Limits = limits()
	job.Limits.CPU, job.Limits.Wall = time.Hour, time.Hour
	job.Isolation.Backends = []string{Backend}
	job.Program.Language = palisade.Python
	job.Confirm = func(context.Context, palisade.Ready) error { return nil }
	b, err := boxFor(context.Background(), s, job)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	go b.run(context.Background())
	time.Sleep(500 * time.Millisecond)
	fmt.Println("running", b.pid, s.home.Dir)
	select {}
}

// startVictim runs a palisade with a busy box.
func startVictim(t *testing.T, state string) (cmd *exec.Cmd, home string, tree []int) {
	t.Helper()
	cmd = exec.Command("/proc/self/exe")
	cmd.Env = []string{victimEnv + "=" + state, "PALISADE_TEST_IMAGES=" + images}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) != 3 || fields[0] != "running" {
		t.Fatalf("victim said %q, %v", line, err)
	}
	tree = sandbox.Tree(cmd.Process.Pid)
	if pid, _ := strconv.Atoi(fields[1]); !slices.Contains(tree, pid) || len(tree) < 4 {
		t.Fatalf("the box %s is not below its palisade: %v", fields[1], tree)
	}
	return cmd, fields[2], tree
}

// TestKilledWithNoWarning holds what must be true after kill -9: no process
// lives longer than a second, and the next start removes the rest.
func TestKilledWithNoWarning(t *testing.T) {
	newSandbox(t) // the image is there, and gVisor works
	state := filepath.Join(t.TempDir(), "state")
	cmd, home, tree := startVictim(t, state)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	start := time.Now()
	for left := tree; len(left) > 0; left = slices.DeleteFunc(left, func(pid int) bool { return !sandbox.Running(pid) }) {
		if time.Since(start) > time.Second {
			t.Fatalf("processes %v live on", left)
		}
		time.Sleep(time.Millisecond)
	}
	t.Logf("%d processes were gone after %v", len(tree), time.Since(start))
	if _, err := os.Stat(home); err != nil {
		t.Fatalf("there is nothing to sweep: %v", err)
	}
	// What is not ours, or whose owner lives, is left alone.
	foreign := filepath.Join(state, "boxes-of-someone")
	living, err := sandbox.NewHome(state)
	if err == nil {
		err = os.Mkdir(foreign, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := newSandbox(t, func(c *Config) { c.StateDir = state })
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead home is still there: %v", err)
	}
	for _, dir := range []string{foreign, living.Dir, s.home.Dir} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("swept what was not dead: %v", err)
		}
	}
	if left := sandboxtest.Look(t, strings.TrimPrefix(filepath.Base(home), "boxes-"), state).Groups; len(left) > 0 {
		t.Errorf("groups %v are left", left)
	}
}

// TestSweepKillsWhatLived: a box that outlived its owner is ended by the next
// start.
func TestSweepKillsWhatLived(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	h, err := sandbox.NewHome(state)
	if err != nil {
		t.Fatal(err)
	}
	orphan := exec.Command("/bin/sleep", "60")
	orphan.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := orphan.Start(); err != nil {
		t.Skip(err)
	}
	defer orphan.Wait()
	if err := h.AddMember(orphan.Process.Pid); err != nil {
		t.Fatal(err)
	}
	// The owner is made one that is dead: same number, another start.
	record := fmt.Sprintf(`{"pid":%d,"start":1,"boot":%q,"namespace":%d}`, h.Owner.PID, h.Owner.Boot, h.Owner.Namespace)
	if err := os.WriteFile(filepath.Join(h.Dir, "owner.json"), []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	swept, err := sandbox.Sweep(state)
	if err != nil || swept.Processes != 1 || swept.Homes != 1 {
		t.Errorf("swept %+v, %v", swept, err)
	}
	for start := time.Now(); sandbox.Running(orphan.Process.Pid); time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Second {
			t.Fatal("the orphan lives")
		}
	}
}

// TestCallerGoesAway: a run whose caller hangs up is interrupted, and leaves
// nothing.
func TestCallerGoesAway(t *testing.T) {
	s := newSandbox(t)
	ctx, cancel := context.WithCancel(t.Context())
	job := code("while True: pass")
	job.Stdout, job.Stderr = io.Discard, io.Discard
	job.Limits = limits()
	job.Isolation.Backends = []string{Backend}
	job.Program.Language = palisade.Python
	job.Confirm = func(context.Context, palisade.Ready) error {
		time.AfterFunc(300*time.Millisecond, cancel)
		return nil
	}
	b, err := boxFor(ctx, s, job)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r, err := b.run(ctx)
	if err := errors.Join(err, b.close()); err != nil {
		t.Error(err)
	}
	if r.Status != palisade.Interrupted || !r.MayHaveRun || time.Since(start) > 5*time.Second {
		t.Errorf("%+v after %v", r, time.Since(start))
	}
	if left := sandbox.Tree(s.launcher.cmd.Process.Pid); len(left) != 1 {
		t.Errorf("processes %v are left", left)
	}
}

// TestLauncherDies: the boxes die with it, their runs say so, and the next run
// has a new one.
func TestLauncherDies(t *testing.T) {
	s := newSandbox(t)
	job := code("while True: pass")
	job.Confirm = func(context.Context, palisade.Ready) error {
		time.AfterFunc(300*time.Millisecond, func() { _ = s.launcher.cmd.Process.Kill() }) // it runs by then
		return nil
	}
	if r := runJob(t, s, job); r.Status != palisade.SandboxError || !r.MayHaveRun {
		t.Errorf("%+v", r)
	}
	if r := runJob(t, s, code("pass")); r.Status != palisade.OK {
		t.Errorf("the next run: %+v", r)
	}
}
