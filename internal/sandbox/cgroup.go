package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrNoCgroup says that this process cannot make control groups here.
var ErrNoCgroup = errors.New("no control group can be made here")

// Cgroups makes the control groups of one home. It knows both versions: in the
// first each controller has a tree of its own, in the second there is one.
type Cgroups struct {
	tree cgroupTree
	v2   bool
	// dirs are the home's directories: by controller, or under "" in version 2.
	dirs map[string]string
}

// controllers are those of version 1 that a box needs.
var controllers = []string{"memory", "pids", "cpuacct"}

// NewCgroups makes the home's parent groups. ErrNoCgroup means that this
// process may not, or that the host has none.
func NewCgroups(h *Home) (*Cgroups, error) { return hostTree().cgroups(h.Name()) }

func (t cgroupTree) cgroups(home string) (*Cgroups, error) {
	parents, v2, err := t.own()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCgroup, err)
	}
	c := &Cgroups{tree: t, v2: v2, dirs: map[string]string{}}
	for name, parent := range parents {
		dir := filepath.Join(parent, home)
		if err := t.mkdir(dir); err != nil {
			return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoCgroup, err), c.Close())
		}
		c.dirs[name] = dir
		if v2 {
			if err := enable(dir); err != nil {
				return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoCgroup, err), c.Close())
			}
		}
	}
	return c, nil
}

// Close removes the home's groups. Those of boxes must be gone.
func (c *Cgroups) Close() error {
	var errs []error
	for _, dir := range c.dirs {
		if err := c.tree.remove(dir); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Version is 1 or 2.
func (c *Cgroups) Version() int {
	if c.v2 {
		return 2
	}
	return 1
}

// Cgroup holds the processes of one box.
type Cgroup struct {
	tree cgroupTree
	v2   bool
	dirs map[string]string
}

// New makes a box's group, with at most pids processes and threads of the host.
func (c *Cgroups) New(box string, pids int) (*Cgroup, error) {
	g := &Cgroup{tree: c.tree, v2: c.v2, dirs: map[string]string{}}
	for name, parent := range c.dirs {
		dir := filepath.Join(parent, box)
		if err := c.tree.mkdir(dir); err != nil {
			return nil, errors.Join(fmt.Errorf("box's group: %w", err), g.Remove())
		}
		g.dirs[name] = dir
	}
	if err := write(g.dir("pids"), "pids.max", strconv.Itoa(pids)); err != nil {
		return nil, errors.Join(err, g.Remove())
	}
	return g, nil
}

func (g *Cgroup) dir(controller string) string {
	if g.v2 {
		controller = ""
	}
	return g.dirs[controller]
}

// Add moves a process of the host into the group.
func (g *Cgroup) Add(pid int) error {
	for _, dir := range g.dirs {
		if err := write(dir, "cgroup.procs", strconv.Itoa(pid)); err != nil {
			return fmt.Errorf("move process %d: %w", pid, err)
		}
	}
	return nil
}

// Entrances are the files into which a process writes "0" to enter the group. A
// single thread moves without waiting for the whole kernel where the kernel
// knows that it is one.
func (g *Cgroup) Entrances(thread bool) []string {
	name := "cgroup.procs"
	if thread && !g.v2 {
		name = "tasks"
	}
	var files []string
	for _, dir := range g.dirs {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}

// Tasks counts the processes and threads that are in the group.
func (g *Cgroup) Tasks() (int, error) {
	n, err := readInt(g.dir("pids"), "pids.current")
	return int(n), err
}

// LimitProcesses moves the bound on processes and threads.
func (g *Cgroup) LimitProcesses(pids int) error {
	return write(g.dir("pids"), "pids.max", strconv.Itoa(pids))
}

// Processes lists the processes of the host that are in the group.
func (g *Cgroup) Processes() []int { return groupProcesses(g.dir("memory")) }

func groupProcesses(dir string) []int {
	data, err := ReadKernel(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil
	}
	var pids []int
	for field := range strings.FieldsSeq(string(data)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// LimitMemory bounds memory and swap together, in bytes. It may be called again
// to move the bound. Without a swap controller only memory is bounded, and the
// second result is false if the host has swap.
func (g *Cgroup) LimitMemory(bytes int64) (swap bool, err error) {
	dir, value := g.dir("memory"), strconv.FormatInt(bytes, 10)
	if g.v2 {
		if err := write(dir, "memory.max", value); err != nil {
			return false, err
		}
		err := write(dir, "memory.swap.max", "0")
		if errors.Is(err, fs.ErrNotExist) {
			return !hostSwaps(), nil
		}
		return err == nil, err
	}
	// Memory with swap may never be below memory: raising and lowering need
	// opposite orders.
	both := "memory.memsw.limit_in_bytes"
	raised := write(dir, both, value) // fails when lowering
	if err := write(dir, "memory.limit_in_bytes", value); err != nil {
		return false, err
	}
	switch {
	case raised == nil:
		return true, nil
	case errors.Is(raised, fs.ErrNotExist):
		return !hostSwaps(), nil
	}
	err = write(dir, both, value)
	return err == nil, err
}

// Bounded reports whether memory and swap of the group have a bound, as the
// kernel tells it.
func (g *Cgroup) Bounded() (bool, error) {
	dir := g.dir("memory")
	names := []string{"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}
	if g.v2 {
		names = []string{"memory.max", "memory.swap.max"}
	}
	for i, name := range names {
		value, err := readInt(dir, name)
		switch {
		case err == nil && value < unbounded:
		case i == 1 && errors.Is(err, fs.ErrNotExist) && !hostSwaps():
		case errors.Is(err, strconv.ErrSyntax): // "max"
			return false, nil
		default:
			return false, err
		}
	}
	return true, nil
}

// unbounded is more than any bound of ours: version 1 says "no limit" as a
// number close to 2^63.
const unbounded = 1 << 60

func hostSwaps() bool {
	data, err := ReadKernel("/proc/swaps")
	return err != nil || bytes.Count(data, []byte("\n")) > 1
}

// Memory is how much the group uses now, in bytes, page cache included.
func (g *Cgroup) Memory() (int64, error) {
	if g.v2 {
		return readInt(g.dir("memory"), "memory.current")
	}
	return readInt(g.dir("memory"), "memory.usage_in_bytes")
}

// Held is how much of the group's memory cannot be taken back: what it uses,
// without page cache of files.
func (g *Cgroup) Held() (int64, error) {
	used, err := g.Memory()
	if err != nil {
		return 0, err
	}
	cache, err := readKeys(g.dir("memory"), "memory.stat", "inactive_file", "active_file")
	if err != nil {
		return 0, err
	}
	return max(used-cache[0]-cache[1], 0), nil
}

// OOMKills counts the processes of the group that the kernel killed for memory.
func (g *Cgroup) OOMKills() (int64, error) {
	if g.v2 {
		return readKey(g.dir("memory"), "memory.events", "oom_kill")
	}
	return readKey(g.dir("memory"), "memory.oom_control", "oom_kill")
}

// CPU is the processor time that the group has used.
func (g *Cgroup) CPU() (time.Duration, error) {
	if g.v2 {
		usec, err := readKey(g.dir("cpu"), "cpu.stat", "usage_usec")
		return time.Duration(usec) * time.Microsecond, err
	}
	ns, err := readInt(g.dir("cpuacct"), "cpuacct.usage")
	return time.Duration(ns), err
}

// PIDsRefused counts the processes and threads that the group's own bound
// refused. It is a backstop: a sentry that reaches it dies.
func (g *Cgroup) PIDsRefused() int64 {
	n, err := readKey(g.dir("pids"), "pids.events", "max")
	if err != nil {
		return 0
	}
	return n
}

// Kill kills whatever is left in the group: in version 2 at once, also those that
// are just being started (from Linux 5.14 on).
func (g *Cgroup) Kill() {
	dir := g.dir("memory")
	if g.v2 && write(dir, "cgroup.kill", "1") == nil {
		return
	}
	killGroup(dir)
}

// Remove kills whatever is left in the group and removes it.
func (g *Cgroup) Remove() error {
	var errs []error
	for _, dir := range g.dirs {
		if err := g.tree.remove(dir); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
