package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// cgroupTree is where control groups are, and how folders of it come and go.
type cgroupTree struct {
	root  string // where they are mounted
	self  string // the file that says in which groups this process is
	mkdir func(dir string) error
	rmdir func(dir string) error
}

// hostTree is this machine's.
func hostTree() cgroupTree {
	return cgroupTree{
		root: "/sys/fs/cgroup", self: "/proc/self/cgroup",
		mkdir: func(dir string) error { return os.Mkdir(dir, 0o755) },
		rmdir: syscall.Rmdir,
	}
}

// wanted are the controllers of version 2 that a box needs.
var wanted = []string{"memory", "pids", "cpu"}

// own returns the groups below which this process makes its own.
func (t cgroupTree) own() (parents map[string]string, v2 bool, err error) {
	data, err := os.ReadFile(filepath.Join(t.root, "cgroup.controllers"))
	if err != nil {
		parents, err := t.ownOfV1()
		return parents, false, err
	}
	// Version 2: below a group with processes nothing may be limited, so that ours
	// stand at the root, where that rule does not hold.
	for _, want := range wanted {
		if !slices.Contains(strings.Fields(string(data)), want) {
			return nil, true, fmt.Errorf("the %s controller is not there", want)
		}
	}
	return map[string]string{"": t.root}, true, enable(t.root)
}

// ownOfV1 returns this process's groups in the trees of each controller.
func (t cgroupTree) ownOfV1() (map[string]string, error) {
	data, err := os.ReadFile(t.self)
	if err != nil {
		return nil, err
	}
	parents := map[string]string{}
	for line := range strings.Lines(string(data)) {
		// hierarchy:controllers:path, see cgroups(7)
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) < 3 {
			continue
		}
		for name := range strings.SplitSeq(parts[1], ",") {
			if slices.Contains(controllers, name) {
				parents[name] = filepath.Join(t.root, name, parts[2])
			}
		}
	}
	for _, want := range controllers {
		if parents[want] == "" {
			return nil, fmt.Errorf("the %s controller is not there", want)
		}
		if _, err := os.Stat(parents[want]); err != nil {
			return nil, err
		}
	}
	return parents, nil
}

// enable lets the groups below dir have the controllers that a box needs: all or
// none.
func enable(dir string) error {
	return write(dir, "cgroup.subtree_control", "+"+strings.Join(wanted, " +"))
}

// groupPatience is how long remove waits for processes to end.
const groupPatience = 5 * time.Second

// remove removes a group and those below it.
func (t cgroupTree) remove(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := t.remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	for deadline := time.Now().Add(groupPatience); ; time.Sleep(2 * time.Millisecond) {
		err := t.rmdir(dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, syscall.EBUSY) || time.Now().After(deadline) {
			return fmt.Errorf("remove group %s: %w", dir, err)
		}
		killGroup(dir)
	}
}

func killGroup(dir string) {
	for _, pid := range groupProcesses(dir) {
		if pid > 1 && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
