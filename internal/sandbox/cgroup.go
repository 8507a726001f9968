package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cgroupRoot is where control groups are mounted.
const cgroupRoot = "/sys/fs/cgroup"

// ErrNoCgroup says that this process cannot make control groups here.
var ErrNoCgroup = errors.New("no control group can be made here")

// Cgroups makes the control groups of one home. It knows both versions: in the
// first each controller has a tree of its own, in the second there is one.
type Cgroups struct {
	v2 bool
	// dirs are the home's directories: by controller, or under "" in version 2.
	dirs map[string]string
}

// controllers are those of version 1 that a box needs.
var controllers = []string{"memory", "pids", "cpuacct"}

// NewCgroups makes the home's parent groups. ErrNoCgroup means that this
// process may not, or that the host has none.
func NewCgroups(h *Home) (*Cgroups, error) {
	parents, v2, err := ownGroups()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCgroup, err)
	}
	c := &Cgroups{v2: v2, dirs: map[string]string{}}
	for name, parent := range parents {
		dir := filepath.Join(parent, h.Name())
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoCgroup, err), c.Close())
		}
		c.dirs[name] = dir
		if v2 {
			if err := enable(dir, "memory", "pids", "cpu"); err != nil {
				return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoCgroup, err), c.Close())
			}
		}
	}
	return c, nil
}

// ownGroups returns the groups below which this process makes its own.
func ownGroups() (map[string]string, bool, error) {
	if data, err := os.ReadFile(filepath.Join(cgroupRoot, "cgroup.controllers")); err == nil {
		// Version 2: below a group with processes nothing may be limited, so
		// that ours stand at the root, where that rule does not hold.
		if !bytes.Contains(data, []byte("memory")) {
			return nil, true, errors.New("the memory controller is not there")
		}
		return map[string]string{"": cgroupRoot}, true, enable(cgroupRoot, "memory", "pids", "cpu")
	}
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, false, err
	}
	parents := map[string]string{}
	for line := range strings.SplitSeq(string(data), "\n") {
		// hierarchy:controllers:path, see cgroups(7)
		parts := strings.SplitN(line, ":", 3)
		if len(parts) < 3 {
			continue
		}
		for name := range strings.SplitSeq(parts[1], ",") {
			for _, want := range controllers {
				if name == want {
					parents[name] = filepath.Join(cgroupRoot, name, parts[2])
				}
			}
		}
	}
	for _, want := range controllers {
		if parents[want] == "" {
			return nil, false, fmt.Errorf("the %s controller is not there", want)
		}
		if _, err := os.Stat(parents[want]); err != nil {
			return nil, false, err
		}
	}
	return parents, false, nil
}

// enable lets the groups below dir have controllers.
func enable(dir string, names ...string) error {
	for _, name := range names {
		if err := write(dir, "cgroup.subtree_control", "+"+name); err != nil {
			return err
		}
	}
	return nil
}

// Close removes the home's groups. Those of boxes must be gone.
func (c *Cgroups) Close() error {
	var errs []error
	for _, dir := range c.dirs {
		if err := removeGroup(dir); err != nil {
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
	v2   bool
	dirs map[string]string
}

// New makes a box's group, with at most pids processes and threads of the host.
func (c *Cgroups) New(box string, pids int) (*Cgroup, error) {
	g := &Cgroup{v2: c.v2, dirs: map[string]string{}}
	for name, parent := range c.dirs {
		dir := filepath.Join(parent, box)
		if err := os.Mkdir(dir, 0o755); err != nil {
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

// Processes lists the processes of the host that are in the group.
func (g *Cgroup) Processes() []int { return groupProcesses(g.dir("memory")) }

func groupProcesses(dir string) []int {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
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
	_, statErr := os.Stat(filepath.Join(dir, both))
	hasBoth := statErr == nil
	if hasBoth {
		_ = write(dir, both, value) // succeeds when raising
	}
	if err := write(dir, "memory.limit_in_bytes", value); err != nil {
		return false, err
	}
	if !hasBoth {
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
	data, err := os.ReadFile("/proc/swaps")
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

// Kill kills whatever is left in the group.
func (g *Cgroup) Kill() { killGroup(g.dir("memory")) }

// Remove kills whatever is left in the group and removes it.
func (g *Cgroup) Remove() error {
	var errs []error
	for _, dir := range g.dirs {
		if err := removeGroup(dir); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func killGroup(dir string) {
	for _, pid := range groupProcesses(dir) {
		if pid > 1 && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// groupPatience is how long removeGroup waits for processes to end.
const groupPatience = 5 * time.Second

// removeGroup removes a group and those below it.
func removeGroup(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeGroup(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	for deadline := time.Now().Add(groupPatience); ; time.Sleep(2 * time.Millisecond) {
		err := syscall.Rmdir(dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, syscall.EBUSY) || time.Now().After(deadline) {
			return fmt.Errorf("remove group %s: %w", dir, err)
		}
		killGroup(dir)
	}
}

func write(dir, name, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

func readInt(dir, name string) (int64, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
}

// readKey reads one line of a file of "name value" lines.
func readKey(dir, name, key string) (int64, error) {
	values, err := readKeys(dir, name, key)
	if err != nil {
		return 0, err
	}
	return values[0], nil
}

// readKeys reads lines of a file of "name value" lines. All must be there.
func readKeys(dir, name string, keys ...string) ([]int64, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	values, found := make([]int64, len(keys)), 0
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		k, v, _ := strings.Cut(s.Text(), " ")
		i := slices.Index(keys, k)
		if i < 0 {
			continue
		}
		if values[i], err = strconv.ParseInt(strings.TrimSpace(v), 10, 64); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		found++
	}
	if found != len(keys) {
		return nil, fmt.Errorf("%s has not all of %v", name, keys)
	}
	return values, nil
}
