package sandbox

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeTree stands for the kernel's tree of control groups in a temporary folder: a
// new group has the files that the kernel gives it, which for version 2 depends on
// what its parent hands down (kernel.org, "Control Group v2", interface files).
func fakeTree(t *testing.T, controllers string) cgroupTree {
	t.Helper()
	c := cgroupTree{root: t.TempDir(), self: "/nowhere", rmdir: fakeRemove}
	c.mkdir = func(dir string) error {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		handed, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "cgroup.subtree_control"))
		if err != nil {
			return err
		}
		files := map[string]string{"cgroup.procs": "", "cgroup.subtree_control": "", "cgroup.kill": "", "cpu.stat": "usage_usec 0\nuser_usec 0\nsystem_usec 0\n"}
		if strings.Contains(string(handed), "+memory") {
			maps.Copy(files, map[string]string{
				"memory.max": "max\n", "memory.swap.max": "max\n", "memory.current": "0\n", "memory.stat": "anon 0\nfile 0\ninactive_file 0\nactive_file 0\n",
				"memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n",
			})
		}
		if strings.Contains(string(handed), "+pids") {
			maps.Copy(files, map[string]string{"pids.max": "max\n", "pids.current": "0\n", "pids.events": "max 0\n"})
		}
		for name, text := range files {
			put(t, dir, name, text)
		}
		return nil
	}
	put(t, c.root, "cgroup.controllers", controllers+"\n")
	put(t, c.root, "cgroup.subtree_control", "")
	return c
}

// fakeRemove removes a group that no process and no other group is in.
func fakeRemove(dir string) error {
	if procs, err := os.ReadFile(filepath.Join(dir, "cgroup.procs")); err != nil || len(procs) > 0 {
		return errors.Join(err, syscall.EBUSY)
	}
	return os.RemoveAll(dir)
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, dir, name, want string) {
	t.Helper()
	if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || strings.TrimSpace(string(data)) != want {
		t.Errorf("%s holds %q (%v), want %q", name, data, err, want)
	}
}

// TestCgroupV2 holds version 2 to its layout of files: one tree, controllers handed
// down, bounds, counters, ends.
func TestCgroupV2(t *testing.T) {
	tree := fakeTree(t, "cpuset cpu io memory hugetlb pids")
	all, err := tree.cgroups("palisade-home")
	if err != nil || all.Version() != 2 {
		t.Fatal(all, err)
	}
	home := filepath.Join(tree.root, "palisade-home")
	holds(t, tree.root, "cgroup.subtree_control", "+memory +pids +cpu")
	holds(t, home, "cgroup.subtree_control", "+memory +pids +cpu")
	g, err := all.New("box1", 40)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "box1")
	holds(t, dir, "pids.max", "40")
	if bounded, err := g.Bounded(); bounded || err != nil {
		t.Errorf("bounded before there is a bound: %v", err)
	}
	for _, size := range []int64{64 << 20, 256 << 20, 1 << 20} { // up and down
		if swap, err := g.LimitMemory(size); !swap || err != nil {
			t.Error(swap, err)
		}
		holds(t, dir, "memory.max", strconv.FormatInt(size, 10))
		holds(t, dir, "memory.swap.max", "0")
	}
	if bounded, err := g.Bounded(); !bounded || err != nil {
		t.Errorf("not bounded: %v", err)
	}
	if err := g.LimitProcesses(7); err != nil {
		t.Error(err)
	}
	holds(t, dir, "pids.max", "7")
	if err := g.Add(4242); err != nil {
		t.Error(err)
	}
	holds(t, dir, "cgroup.procs", "4242")
	if got := g.Entrances(true); !slices.Equal(got, []string{filepath.Join(dir, "cgroup.procs")}) {
		t.Errorf("entrances %v", got)
	}
	counters(t, g, dir)
	put(t, dir, "cgroup.procs", "")
	if err := errors.Join(g.Remove(), all.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the home's group is left: %v", err)
	}
}

// counters holds what is read of a group to the files' words.
func counters(t *testing.T, g *Cgroup, dir string) {
	t.Helper()
	put(t, dir, "memory.current", "1000000\n")
	put(t, dir, "memory.stat", "anon 5\nfile 700000\nkernel 9\ninactive_file 100000\nactive_file 200000\n")
	put(t, dir, "memory.events", "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n")
	put(t, dir, "cpu.stat", "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\nnr_periods 0\n")
	put(t, dir, "pids.events", "max 4\n")
	put(t, dir, "pids.current", "6\n")
	held, err := g.Held()
	kills, err2 := g.OOMKills()
	cpu, err3 := g.CPU()
	tasks, err4 := g.Tasks()
	if err := errors.Join(err, err2, err3, err4); err != nil || held != 700_000 || kills != 2 || cpu != 1500*time.Millisecond || tasks != 6 || g.PIDsRefused() != 4 {
		t.Errorf("held %d, kills %d, cpu %v, tasks %d, refused %d: %v", held, kills, cpu, tasks, g.PIDsRefused(), err)
	}
	put(t, dir, "memory.stat", "anon 5\n")
	put(t, dir, "cpu.stat", "user_usec 1\n")
	if _, err := g.Held(); err == nil {
		t.Error("memory.stat without its lines was read")
	}
	if _, err := g.CPU(); err == nil {
		t.Error("cpu.stat without its line was read")
	}
}

// TestCgroupV2Refuses: what is not there is not pretended.
func TestCgroupV2Refuses(t *testing.T) {
	for _, controllers := range []string{"", "cpu io", "cpu pids", "memory pids", "cpu memory_recursiveprot pids"} {
		if all, err := fakeTree(t, controllers).cgroups("h"); !errors.Is(err, ErrNoCgroup) {
			t.Errorf("controllers %q: %v, %v", controllers, all, err)
		}
	}
	tree := fakeTree(t, "cpu memory pids")
	if err := os.Remove(filepath.Join(tree.root, "cgroup.subtree_control")); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.cgroups("h"); !errors.Is(err, ErrNoCgroup) {
		t.Errorf("controllers that cannot be handed down: %v", err)
	}
	tree = fakeTree(t, "cpu memory pids")
	all, err := tree.cgroups("h")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(tree.root, "h"), "cgroup.subtree_control", "")
	if g, err := all.New("box", 1); err == nil {
		t.Errorf("a box without the pids controller: %v", g)
	}
	if left, _ := filepath.Glob(filepath.Join(tree.root, "h", "box")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestCgroupV2Kill: the kernel kills the whole group where it can, else each process
// of it is killed.
func TestCgroupV2Kill(t *testing.T) {
	tree := fakeTree(t, "cpu memory pids")
	all, err := tree.cgroups("h")
	if err != nil {
		t.Fatal(err)
	}
	g, err := all.New("box", 9)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(tree.root, "h", "box")
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.Add(cmd.Process.Pid); err != nil {
		t.Error(err)
	}
	g.Kill()
	holds(t, dir, "cgroup.kill", "1")
	if !Running(cmd.Process.Pid) {
		t.Error("it was killed beside the kernel's own way")
	}
	if err := os.Remove(filepath.Join(dir, "cgroup.kill")); err != nil { // before Linux 5.14
		t.Fatal(err)
	}
	g.Kill()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("it ended otherwise: %v", err)
	}
}

// TestCgroupV1Parents: in version 1 each controller has a tree of its own, some
// share one, and this process's own groups are the parents.
func TestCgroupV1Parents(t *testing.T) {
	tree := cgroupTree{root: t.TempDir()}
	tree.self = filepath.Join(tree.root, "self")
	text := "12:pids:/a/b\n5:cpu,cpuacct:/c\n3:memory:/\n1:name=systemd:/x\n0::/y\n"
	put(t, tree.root, "self", text)
	for _, dir := range []string{"pids/a/b", "cpuacct/c", "memory"} {
		if err := os.MkdirAll(filepath.Join(tree.root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	parents, v2, err := tree.own()
	want := map[string]string{"pids": tree.root + "/pids/a/b", "cpuacct": tree.root + "/cpuacct/c", "memory": tree.root + "/memory"}
	if err != nil || v2 || !maps.Equal(parents, want) {
		t.Errorf("%v %v %v", parents, v2, err)
	}
	for _, bad := range []string{"", "3:memory:/\n5:cpuacct:/c\n", strings.Replace(text, "/a/b", "/gone", 1)} {
		put(t, tree.root, "self", bad)
		if parents, _, err := tree.own(); err == nil {
			t.Errorf("%q: %v", bad, parents)
		}
	}
}
