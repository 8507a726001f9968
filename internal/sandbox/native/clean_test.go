package native

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/sandboxtest"
)

// victimEnv makes the test program a sandbox that is killed in the middle of
// runs; its value is the state folder.
const victimEnv = "PALISADE_NATIVE_VICTIM"

func victim(state string) {
	s, err := New(context.Background(), Config{StateDir: state, Images: os.Getenv("PALISADE_NATIVE_IMAGES"), Pool: &sandbox.PoolLimits{Size: 2, After: 1}})
	if err != nil {
		panic(err)
	}
	job := code("import os, time\nif os.fork() == 0: os.setsid()\nprint('on', flush=True)\ntime.sleep(600)\n")
	job.Program.Language, job.Limits = palisade.Python, limits()
	job.Limits.Wall = time.Hour
	job.Stdout, job.Stderr = os.Stdout, os.Stderr
	job.Confirm = func(context.Context, palisade.Ready) error { return nil }
	for range 2 {
		go func() { _, _ = s.run(context.Background(), job) }()
	}
	select {}
}

// TestKilledWithNoWarning: kill -9 leaves nothing alive, and the next start removes
// what it left.
func TestKilledWithNoWarning(t *testing.T) {
	newSandbox(t)
	state := filepath.Join(t.TempDir(), "state")
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), victimEnv+"="+state, "PALISADE_NATIVE_IMAGES="+images)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scan := bufio.NewScanner(out)
	for said := 0; said < 4 && scan.Scan(); { // each of two runs forks
		if scan.Text() == "on" {
			said++
		}
	}
	family := sandbox.Tree(cmd.Process.Pid)[1:]
	if len(family) < 5 {
		t.Fatalf("only %v run", family)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.Now().Add(10 * time.Second)
	for _, pid := range family {
		for sandbox.Running(pid) && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
		if sandbox.Running(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
	s, err := New(t.Context(), Config{StateDir: state, Images: images})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(state, "boxes-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	groups, _ := filepath.Glob("/sys/fs/cgroup/*/palisade-*-" + strconv.Itoa(cmd.Process.Pid) + "-*")
	if len(groups) > 0 {
		t.Errorf("left: %v", groups)
	}
}

// TestWarmSuite is what every back-end must pass, with boxes of a pool.
func TestWarmSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	o := suiteOptions()
	o.Lacks["hash seed"] = "it is the zygote's"
	sandboxtest.Run(t, func(t testing.TB) palisade.Sandbox {
		return newSandbox(t, func(c *Config) {
			c.Pool = &sandbox.PoolLimits{Size: 3, After: 1, Queue: 100, Patience: time.Minute}
		})
	}, o)
}

// TestSoak: programs of every kind at once, in forked boxes.
func TestSoak(t *testing.T) {
	newSandbox(t) // it works here
	sandboxtest.Soak(t, func(t testing.TB, state string) sandboxtest.Closing {
		s, err := New(t.Context(), Config{StateDir: state, Images: images, Pool: &sandbox.PoolLimits{Size: 4, After: 1, Await: true, Queue: 100, Patience: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, suiteOptions(), sandboxtest.SoakRuns())
}

// TestFresh: boxes of one zygote agree in nothing that is drawn, and share no user
// of the host.
func TestFresh(t *testing.T) {
	s := newSandbox(t, func(c *Config) { c.Pool = &sandbox.PoolLimits{Size: 2, After: 1} })
	r, err := s.roots.Open(t.Context(), palisade.Python)
	if err != nil {
		t.Fatal(err)
	}
	s.pool.Warm(kind{language: palisade.Python, runtime: s.runtime(r), set: "stdlib"})
	waitParked(t, s, 2)
	draw := code("import os, random, uuid, secrets, tempfile, ssl\n" +
		"for x in os.urandom(8).hex(), random.random(), uuid.uuid4(), uuid.uuid1(), secrets.token_hex(8), tempfile.mktemp(), ssl.RAND_bytes(8).hex(): print(x)\n" +
		"print(os.path.exists('/proc/sys'), os.listdir('/sys'), os.environ.get('PALISADE_CANARY'), [p for p in os.listdir('/proc') if p.isdigit()] == [str(os.getpid())])\n")
	t.Setenv("PALISADE_CANARY", "never")
	var said [2][]string
	var users [2]string
	for i := range said {
		job := draw
		job.Confirm = func(_ context.Context, r palisade.Ready) error {
			if r.Layers["start"] != "forked" {
				t.Errorf("start %q", r.Layers["start"])
			}
			return nil
		}
		result := runJob(t, s, job)
		said[i] = strings.Split(strings.TrimSpace(string(result.Stdout.Head)), "\n")
		if result.Status != palisade.OK || len(said[i]) != 8 || said[i][7] != "False [] None True" {
			t.Fatalf("%s: %s%s", result.Status, result.Stdout.Head, result.Stderr.Head)
		}
		b, err := s.pool.Take(t.Context(), kind{language: palisade.Python, runtime: s.runtime(r), set: "stdlib"})
		if err != nil {
			t.Fatal(err)
		}
		status, err := sandbox.StatusOf(b.pid)
		if err != nil {
			t.Fatal(err)
		}
		users[i] = status["Uid"]
		defer b.forget()
	}
	for i := range 7 {
		if said[0][i] == said[1][i] {
			t.Errorf("two boxes drew %s", said[0][i])
		}
	}
	if os.Geteuid() == 0 && mapsAll() && users[0] == users[1] {
		t.Errorf("two boxes have the user %s", users[0])
	}
}

// TestEndsAtOnce: of a box that passes a limit nobody is left within 100 ms.
func TestEndsAtOnce(t *testing.T) {
	s := newSandbox(t)
	job := code("import os, signal, time\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nfor _ in range(10):\n    if os.fork() == 0: os.setsid(); break\nwhile True: time.sleep(1)\n")
	job.Limits = limits()
	job.Limits.Wall = time.Second
	// Others use the machine too: one try in time shows that nothing here takes longer.
	var late time.Duration
	for range 5 {
		r := runJob(t, s, job)
		if late = r.Usage.Wall - time.Second; r.Status != palisade.WallLimit {
			t.Fatalf("%s, %v after the limit", r.Status, late)
		}
		if late <= 100*time.Millisecond {
			return
		}
	}
	t.Errorf("five times late, at last by %v", late)
}

// TestNothingIsLeft: processes, groups, mounts and descriptors are after many runs
// what they were.
func TestNothingIsLeft(t *testing.T) {
	s := newSandbox(t)
	count := func() (fds, groups, mounts int) {
		entries, _ := os.ReadDir("/proc/self/fd")
		dirs, _ := filepath.Glob("/sys/fs/cgroup/*/" + s.home.Name() + "/*/cgroup.procs")
		table, _ := os.ReadFile("/proc/self/mounts")
		return len(entries), len(dirs), strings.Count(string(table), "\n")
	}
	runJob(t, s, code("print(1)"))
	s.running.Wait()
	fds, groups, mounts := count()
	for range 10 {
		runJob(t, s, code("print(1)"))
	}
	s.running.Wait()
	fds2, groups2, mounts2 := count()
	if fds2 > fds+2 || groups2 != groups || groups != 0 || mounts != mounts2 {
		t.Errorf("descriptors %d then %d, groups %d then %d, mounts %d then %d", fds, fds2, groups, groups2, mounts, mounts2)
	}
	if family := sandbox.Tree(os.Getpid()); len(family) > 1 {
		t.Errorf("processes are left: %v", family)
	}
}
