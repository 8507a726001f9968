package foreign

import (
	"fmt"
	"runtime/debug"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// Bounds of a child.
const (
	// maxData bounds its private memory (RLIMIT_DATA), in bytes: reading 256 KiB
	// takes a few tens of MiB.
	maxData = 1 << 30
	// heapGoal makes the collector work harder well before that.
	heapGoal = 512 << 20
	// maxStack bounds one goroutine's stack, in bytes: a parser that recurses
	// without end then dies at once, not after the runtime's own 1 GB.
	maxStack = 64 << 20
	// maxCPU bounds its processor time over all texts, in seconds.
	maxCPU = 3600
)

// confine takes from this process what a computation does not need: files,
// network, other processes, more memory. What is open stays open: the host's
// pipes. It cannot be undone.
func confine() error {
	debug.SetMemoryLimit(heapGoal)
	debug.SetMaxStack(maxStack)
	for _, l := range []struct {
		resource int
		most     uint64
	}{
		{unix.RLIMIT_DATA, maxData}, {unix.RLIMIT_CPU, maxCPU},
		{unix.RLIMIT_FSIZE, 0}, {unix.RLIMIT_CORE, 0}, {unix.RLIMIT_MEMLOCK, 0},
	} {
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			return fmt.Errorf("bound the reader: %w", err)
		}
	}
	err := seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno,
			Syscalls: []seccomp.SyscallGroup{{
				Action: seccomp.ActionAllow, Names: computing(),
				NamesWithCondtions: []seccomp.NameWithConditions{{
					Name:       "clone",
					Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD}},
				}},
			}, {
				// Its flags are in memory, out of a filter's sight. A C library that
				// is told that it does not exist makes its threads with clone.
				Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"},
			}},
		},
	})
	if err != nil {
		return fmt.Errorf("filter the reader's system calls: %w", err)
	}
	return nil
}

// computing are the system calls of a Go program that reads and writes what is
// open and computes: memory, threads (with clone above), clocks, signals among
// its own threads. Source: runtime/sys_linux_amd64.s, sys_linux_arm64.s and
// os_linux.go of Go 1.26.
func computing() []string {
	return []string{
		"read", "write", "close", "mmap", "munmap", "mprotect", "madvise", "mincore", "brk", "futex",
		"sched_yield", "sched_getaffinity", "nanosleep", "clock_nanosleep", "clock_gettime", "gettimeofday",
		"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "tgkill", "getpid", "gettid",
		"exit", "exit_group", "getrandom", "restart_syscall", "set_robust_list", "rseq",
		"epoll_create1", "epoll_pwait", "epoll_ctl", "eventfd2", "timer_create", "timer_settime", "timer_delete", "fcntl",
	}
}
