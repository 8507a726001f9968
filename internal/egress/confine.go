package egress

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// Bounds of the proxy's process.
const (
	// maxData bounds its private memory (RLIMIT_DATA), in bytes.
	maxData = 2 << 30
	// heapGoal makes the collector work harder well before that.
	heapGoal = 1 << 30
	// maxFiles bounds its descriptors: sockets, and two pipes for each run.
	maxFiles = 16384
	// nobody is the user that it is where the gate is root.
	nobody = 65534
)

// confine takes from this process what a proxy does not need: files, other
// programs, other processes, sockets but the Internet's. What is open stays open.
// It cannot be undone.
func confine() error {
	debug.SetMemoryLimit(heapGoal)
	for _, l := range []struct {
		resource int
		most     uint64
	}{
		{unix.RLIMIT_DATA, maxData}, {unix.RLIMIT_NOFILE, maxFiles},
		{unix.RLIMIT_FSIZE, 0}, {unix.RLIMIT_CORE, 0}, {unix.RLIMIT_MEMLOCK, 0},
	} {
		if err := bound(l.resource, l.most); err != nil {
			return fmt.Errorf("bound the proxy: %w", err)
		}
	}
	if err := dropRoot(); err != nil {
		return err
	}
	if err := hideFiles(); err != nil {
		return err
	}
	err := seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno,
			Syscalls: []seccomp.SyscallGroup{{
				Action: seccomp.ActionAllow, Names: needed(),
				NamesWithCondtions: []seccomp.NameWithConditions{
					with("clone", 0, seccomp.BitsSet, unix.CLONE_THREAD),
					with("socket", 0, seccomp.Equal, unix.AF_INET),
					with("socket", 0, seccomp.Equal, unix.AF_INET6),
				},
			}, {
				// Its flags are in memory, out of a filter's sight. A C library that
				// is told that it does not exist makes its threads with clone.
				Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"},
			}},
		},
	})
	if err != nil {
		return fmt.Errorf("filter the proxy's system calls: %w", err)
	}
	return nil
}

func with(name string, argument uint32, op seccomp.Operation, value uint64) seccomp.NameWithConditions {
	return seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{{Argument: argument, Operation: op, Value: value}}}
}

// bound lowers a limit; one that is lower already stays.
func bound(resource int, most uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	most = min(most, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most})
}

// dropRoot makes this process nobody's, where it is root's.
func dropRoot() error {
	if os.Geteuid() != 0 {
		return nil
	}
	// The syscall package does this in all threads.
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("the proxy's groups: %w", err)
	}
	if err := syscall.Setresgid(nobody, nobody, nobody); err != nil {
		return fmt.Errorf("the proxy's group: %w", err)
	}
	if err := syscall.Setresuid(nobody, nobody, nobody); err != nil {
		return fmt.Errorf("the proxy's user: %w", err)
	}
	// It was cleared with the user, and the gate's death must end this process.
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}

// hideFiles denies every file by Landlock, below what seccomp denies. A kernel
// without it (before 5.13) has the filter alone.
func hideFiles() error {
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("no new privileges: %w", errno)
	}
	// All rights of the first version (include/uapi/linux/landlock.h): executing,
	// reading, writing, listing, removing, making.
	attr := struct{ files uint64 }{1<<13 - 1}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	runtime.KeepAlive(&attr)
	if errno == unix.ENOSYS || errno == unix.EOPNOTSUPP {
		return nil
	}
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	defer func() { _ = unix.Close(int(fd)) }() // the kernel keeps the rules
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

// needed are the system calls of a Go program that computes and speaks over
// sockets and pipes: see internal/analysis/foreign for the first part; the
// second is from net and os of Go 1.26.
func needed() []string {
	return []string{
		"read", "write", "close", "mmap", "munmap", "mprotect", "madvise", "mincore", "brk", "futex",
		"sched_yield", "sched_getaffinity", "nanosleep", "clock_nanosleep", "clock_gettime", "gettimeofday",
		"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "tgkill", "getpid", "gettid",
		"exit", "exit_group", "getrandom", "restart_syscall", "set_robust_list", "rseq",
		"epoll_create1", "epoll_pwait", "epoll_ctl", "eventfd2", "timer_create", "timer_settime", "timer_delete", "fcntl",

		"connect", "getsockopt", "setsockopt", "getsockname", "getpeername", "shutdown", "bind",
		"sendto", "recvfrom", "sendmsg", "recvmsg", "writev", "splice", "pipe2",
	}
}
