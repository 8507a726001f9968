package sandbox

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Usage is what processes of the host use together.
type Usage struct {
	CPU time.Duration // with their children that have ended
	// Memory is what they hold, in bytes: private memory, and anonymous files
	// (memfd), which may hold a guest's memory, once.
	Memory int64
}

// clockTick is the unit of times in /proc/PID/stat: USER_HZ, which is 100 on
// every architecture that Linux has had for decades (see proc(5), sysconf(3)).
const clockTick = 10 * time.Millisecond

// Measure sums what processes use. One that has ended counts for nothing: its
// time is in its parent's.
func Measure(pids []int) Usage {
	var u Usage
	files := map[uint64]int64{} // anonymous files by inode
	for _, pid := range pids {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		u.CPU += processTime(dir)
		if kb, err := statusField(dir, "RssAnon"); err == nil {
			u.Memory += kb << 10
		}
		anonymousFiles(dir, files)
	}
	for _, size := range files {
		u.Memory += size
	}
	return u
}

// processTime is fields 14 to 17 of stat: user and system time, a process's own
// and of its children that were waited for.
func processTime(dir string) time.Duration {
	data, err := ReadKernel(filepath.Join(dir, "stat"))
	if err != nil {
		return 0
	}
	fields := statFields(data)
	if len(fields) < 15 {
		return 0
	}
	var ticks int64
	for _, f := range fields[11:15] {
		if n, err := strconv.ParseInt(f, 10, 64); err == nil {
			ticks += n
		}
	}
	return time.Duration(ticks) * clockTick
}

// statusField reads a number of /proc/PID/status.
func statusField(dir, name string) (int64, error) {
	text, err := statusText(dir, name)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSuffix(text, " kB"), 10, 64)
}

func statusText(dir, name string) (string, error) {
	data, err := ReadKernel(filepath.Join(dir, "status"))
	if err != nil {
		return "", err
	}
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok && k == name {
			return strings.TrimSpace(v), nil
		}
	}
	return "", os.ErrNotExist
}

// StatusOf returns the fields of /proc/PID/status.
func StatusOf(pid int) (map[string]string, error) {
	data, err := ReadKernel(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok {
			fields[k] = strings.TrimSpace(v)
		}
	}
	return fields, nil
}

// anonymousFiles adds the memfds that a process holds open, by inode, with the
// memory that each takes.
func anonymousFiles(dir string, files map[uint64]int64) {
	fds := filepath.Join(dir, "fd")
	entries, err := os.ReadDir(fds)
	if err != nil {
		return
	}
	for _, e := range entries {
		link := filepath.Join(fds, e.Name())
		target, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(target, "/memfd:") {
			continue
		}
		var st syscall.Stat_t
		if syscall.Stat(link, &st) == nil {
			files[st.Ino] = st.Blocks * 512 // st_blocks is in 512-byte units, see stat(2)
		}
	}
}

// Tree lists the running processes below root, root included. It is a snapshot:
// what starts meanwhile may be missing.
func Tree(root int) []int {
	pids := []int{root}
	for i := 0; i < len(pids) && len(pids) < maxTree; i++ {
		children, ok := childrenOf(pids[i])
		if !ok {
			return treeByParent(root)
		}
		pids = append(pids, children...)
	}
	return pids
}

// maxTree bounds a listing of processes.
const maxTree = 10_000

// childrenOf reads the kernel's lists of children, which it has if it was built
// with CONFIG_PROC_CHILDREN. A process that has ended has none.
func childrenOf(pid int) (pids []int, ok bool) {
	tasks := filepath.Join("/proc", strconv.Itoa(pid), "task")
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil, true
	}
	for _, t := range threads {
		data, err := ReadKernel(filepath.Join(tasks, t.Name(), "children"))
		if err != nil {
			if _, gone := os.Stat(filepath.Join(tasks, t.Name())); gone != nil {
				continue
			}
			return nil, false
		}
		for field := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids, true
}

// treeByParent finds the processes below root by every process's parent.
func treeByParent(root int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return []int{root}
	}
	children := map[int][]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		data, err := ReadKernel(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		if f := statFields(data); len(f) > 1 {
			if parent, err := strconv.Atoi(f[1]); err == nil {
				children[parent] = append(children[parent], pid)
			}
		}
	}
	pids := []int{root}
	for i := 0; i < len(pids) && len(pids) < maxTree; i++ {
		pids = append(pids, children[pids[i]]...)
	}
	return pids
}

// Running reports whether a process runs: it has not ended, and is no zombie.
func Running(pid int) bool {
	_, err := startTime(pid)
	return err == nil
}
