package sandboxtest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"palisade/internal/sandbox"
)

// Host is what a box that was not cleared away would show in.
type Host struct {
	Descriptors, Threads, Files int
	// Memory is what this process holds of the machine's, in bytes.
	Memory                    int64
	Mounts, Groups, Processes []string
}

// Look tells what there is on the host: of this process, below the folders a
// back-end works in, and of control groups whose path holds group.
func Look(t testing.TB, group string, folders ...string) Host {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	var h Host
	for line := range strings.Lines(read(t, "/proc/self/mountinfo")) {
		// Others may mount too: what is ours would name us or gVisor.
		if strings.Contains(line, "runsc") || slices.ContainsFunc(folders, func(dir string) bool { return strings.Contains(line, dir) }) {
			h.Mounts = append(h.Mounts, line)
		}
	}
	h.Descriptors, h.Threads = count(t, "/proc/self/fd"), count(t, "/proc/self/task")
	for _, dir := range folders {
		_ = filepath.WalkDir(dir, func(string, os.DirEntry, error) error { h.Files++; return nil })
	}
	_ = filepath.WalkDir("/sys/fs/cgroup", func(p string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.Contains(p, group) {
			h.Groups = append(h.Groups, p)
		}
		return nil
	})
	for _, pid := range sandbox.Tree(os.Getpid()) {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if first, _, _ := strings.Cut(string(name), "\x00"); pid != os.Getpid() && first != "" {
			h.Processes = append(h.Processes, first)
		}
	}
	slices.Sort(h.Processes)
	// The second field of statm is resident pages, see proc(5).
	pages, err := strconv.ParseInt(strings.Fields(read(t, "/proc/self/statm"))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	h.Memory = pages * int64(os.Getpagesize())
	return h
}

// Unchanged fails the test if something is there that was not. A few threads more
// are the Go runtime's, which keeps those that it once needed.
func (h Host) Unchanged(t testing.TB, before Host) {
	t.Helper()
	t.Logf("before %+v", before)
	t.Logf("after  %+v", h)
	if !slices.Equal(h.Mounts, before.Mounts) || h.Files != before.Files ||
		!slices.Equal(h.Groups, before.Groups) || !slices.Equal(h.Processes, before.Processes) {
		t.Error("something was left")
	}
	if h.Descriptors > before.Descriptors+2 || h.Threads > before.Threads+8 {
		t.Errorf("descriptors %d to %d, threads %d to %d", before.Descriptors, h.Descriptors, before.Threads, h.Threads)
	}
	if h.Memory > before.Memory+64<<20 {
		t.Errorf("memory %d MiB to %d MiB", before.Memory>>20, h.Memory>>20)
	}
}

// Settle waits a moment for what ends by itself.
func Settle() { time.Sleep(200 * time.Millisecond) }

func read(t testing.TB, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func count(t testing.TB, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
