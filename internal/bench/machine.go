package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Machine is where figures come from.
type Machine struct {
	Processors int
	Model      string
	Memory     int64 // bytes
	Kernel     string
	System     string // such as "Debian GNU/Linux 12 (bookworm)"
}

// ThisMachine looks at the host. What it does not find is empty.
func ThisMachine() Machine {
	m := Machine{Processors: runtime.NumCPU(), Model: lineOf("/proc/cpuinfo", "model name"), System: strings.Trim(fieldOf("/etc/os-release", "PRETTY_NAME", "="), `"`)}
	var uts unix.Utsname
	if err := unix.Uname(&uts); err == nil {
		m.Kernel = unix.ByteSliceToString(uts.Release[:])
	}
	kib, _, _ := strings.Cut(lineOf("/proc/meminfo", "MemTotal"), " ")
	if n, err := strconv.ParseInt(kib, 10, 64); err == nil {
		m.Memory = n << 10
	}
	return m
}

// String is one line.
func (m Machine) String() string {
	return fmt.Sprintf("%d × %s, %.0f GiB, %s, kernel %s", m.Processors, m.Model, float64(m.Memory)/(1<<30), m.System, m.Kernel)
}

// LoadAverage is how many processes waited for a processor in the last minute;
// 0 where that cannot be read.
func LoadAverage() float64 {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(data), " ")
	n, _ := strconv.ParseFloat(first, 64) // 0
	return n
}

func lineOf(file, key string) string { return fieldOf(file, key, ":") }

func fieldOf(file, key, separator string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(line, separator)
		if ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Process is one process of the host.
type Process struct {
	Pid, Parent int
	// CPU is the processor time that it and those of its children that it waited
	// for have used.
	CPU time.Duration
}

// tick is the unit of times in /proc, which has been 10 ms on every architecture
// for as long as Linux has had USER_HZ (proc(5), sysconf(_SC_CLK_TCK)).
const tick = 10 * time.Millisecond

// Tree returns a process and all below it.
func Tree(root int) []Process {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	children := map[int][]Process{}
	var tree []Process
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		p, err := parseStat(string(data))
		if err != nil {
			continue
		}
		if p.Pid == root {
			tree = append(tree, p)
		}
		children[p.Parent] = append(children[p.Parent], p)
	}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i].Pid]...)
	}
	return tree
}

// parseStat reads a line of /proc/PID/stat. The name may hold anything, so that
// fields count from the last bracket: state is the third, the parent the fourth,
// utime, stime, cutime and cstime the fourteenth to the seventeenth (proc(5)).
func parseStat(line string) (Process, error) {
	open, last := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || last < open {
		return Process{}, fmt.Errorf("stat %q: no name", line)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line[:open]))
	if err != nil {
		return Process{}, fmt.Errorf("stat: %w", err)
	}
	fields := strings.Fields(line[last+1:])
	if len(fields) < 15 {
		return Process{}, fmt.Errorf("stat of %d: %d fields", pid, len(fields))
	}
	p := Process{Pid: pid}
	if p.Parent, err = strconv.Atoi(fields[1]); err != nil {
		return Process{}, fmt.Errorf("stat of %d: %w", pid, err)
	}
	for _, field := range fields[11:15] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Process{}, fmt.Errorf("stat of %d: %w", pid, err)
		}
		p.CPU += time.Duration(n) * tick
	}
	return p, nil
}

// Own is what one process alone has used and holds: its processor time without that
// of its children, and its resident memory in bytes.
func Own(pid int) (cpu time.Duration, resident int64, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	line := string(data)
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(fields) < 22 {
		return 0, 0, fmt.Errorf("stat of %d: %d fields", pid, len(fields))
	}
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("stat of %d: %w", pid, err)
		}
		cpu += time.Duration(n) * tick
	}
	pages, err := strconv.ParseInt(fields[21], 10, 64) // rss
	if err != nil {
		return 0, 0, fmt.Errorf("stat of %d: %w", pid, err)
	}
	return cpu, pages * int64(os.Getpagesize()), nil
}

// TotalCPU is what processes have used together.
func TotalCPU(tree []Process) (sum time.Duration) {
	for _, p := range tree {
		sum += p.CPU
	}
	return sum
}

// TotalPSS is the memory that processes hold, in bytes, where a page that several
// share counts by its share. Processes that have one address space between them, as
// gVisor's stubs do, hold it once.
func TotalPSS(tree []Process) (sum int64) {
	for i, p := range tree {
		if slices.ContainsFunc(tree[:i], func(q Process) bool { return oneMemory(p.Pid, q.Pid) }) {
			continue
		}
		kib, _, _ := strings.Cut(lineOf(filepath.Join("/proc", strconv.Itoa(p.Pid), "smaps_rollup"), "Pss"), " ")
		n, _ := strconv.ParseInt(kib, 10, 64) // 0: it has ended
		sum += n << 10
	}
	return sum
}

// oneMemory reports whether two processes have the same address space, as
// kcmp(2) tells; where it does not, they count as two.
func oneMemory(a, b int) bool {
	const vm = 1 // KCMP_VM: include/uapi/linux/kcmp.h
	same, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(a), uintptr(b), vm, 0, 0, 0)
	return errno == 0 && same == 0
}
