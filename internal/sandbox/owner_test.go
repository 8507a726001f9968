package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOwner(t *testing.T) {
	me, err := OwnerOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if me.Dead() {
		t.Error("this process is dead")
	}
	for name, change := range map[string]func(*Owner){
		"another boot":  func(o *Owner) { o.Boot = "another" },
		"another start": func(o *Owner) { o.Start++ },
		"no process":    func(o *Owner) { o.PID = 1 << 30 },
	} {
		o := me
		change(&o)
		if !o.Dead() {
			t.Errorf("%s: not dead", name)
		}
	}
	other := me
	other.Namespace++
	other.PID = 1 << 30
	if other.Dead() {
		t.Error("of another namespace's process nothing is known")
	}
}

func TestZombieIsDead(t *testing.T) {
	cmd := exec.Command("/bin/true")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	o, err := OwnerOf(cmd.Process.Pid)
	if err != nil {
		t.Skip("it was too quick")
	}
	for !o.Dead() { // it ends, and nobody has waited for it
	}
	if err := syscall.Kill(o.PID, 0); err != nil {
		t.Errorf("it is no zombie: %v", err)
	}
	_ = cmd.Wait()
}

func TestHomeIsPrivate(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := NewHome(open); err == nil {
		t.Error("a directory that others may read was taken")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if _, err := NewHome(link); err == nil {
		t.Error("a link was taken")
	}
}

func TestSweepLeavesWhatIsNotOurs(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "state")
	living, err := NewHome(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"boxes-x", "other"} {
		if err := os.Mkdir(filepath.Join(parent, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(parent, "boxes-x", ownerFile), []byte("not json"), 0o600); err != nil {
		t.Fatal(err)
	}
	swept, err := Sweep(parent)
	if err != nil || swept.Homes != 0 || swept.Processes != 0 {
		t.Errorf("swept %+v, %v", swept, err)
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 3 {
		t.Errorf("%d entries are left, %v", len(entries), err)
	}
	if err := living.Close(); err != nil {
		t.Error(err)
	}
	if swept, err := Sweep(filepath.Join(parent, "nothing")); err != nil || swept.Homes != 0 {
		t.Errorf("a state that never was: %+v, %v", swept, err)
	}
}

// TestOrphanGroup: a group whose home is gone is removed if its owner is dead.
func TestOrphanGroup(t *testing.T) {
	h, err := NewHome(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	groups, err := NewCgroups(h)
	if err != nil {
		t.Skip(err)
	}
	defer groups.Close()
	g, err := groups.New("box", 100)
	if err != nil {
		t.Fatal(err)
	}
	if bounded, err := g.Bounded(); err != nil || bounded {
		t.Errorf("a new group is bounded: %v, %v", bounded, err)
	}
	for _, limit := range []int64{64 << 20, 128 << 20, 32 << 20} { // up and down
		if _, err := g.LimitMemory(limit); err != nil {
			t.Error(err)
		}
	}
	if bounded, err := g.Bounded(); err != nil || !bounded {
		t.Errorf("not bounded: %v, %v", bounded, err)
	}
	sleeper := exec.Command("/bin/sleep", "60")
	sleeper.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := sleeper.Start(); err != nil {
		t.Skip(err)
	}
	go sleeper.Wait()
	if err := g.Add(sleeper.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if pids := g.Processes(); len(pids) != 1 || pids[0] != sleeper.Process.Pid {
		t.Errorf("processes %v", pids)
	}
	if held, err := g.Held(); err != nil || held < 0 {
		t.Errorf("holds %d, %v", held, err)
	}
	if kills, err := g.OOMKills(); err != nil || kills != 0 {
		t.Errorf("%d kills, %v", kills, err)
	}
	if _, err := sweepOrphans(); err != nil {
		t.Error(err)
	}
	if !Running(sleeper.Process.Pid) {
		t.Error("the group of a living owner was swept")
	}
	if err := g.Remove(); err != nil { // kills what is in it
		t.Error(err)
	}
	if Running(sleeper.Process.Pid) {
		t.Error("the process lives")
	}
}
