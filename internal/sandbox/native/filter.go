package native

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"palisade/internal/sandbox"
)

// allowed are the system calls that a box may make where its verdict does not
// deny them: what programs of the languages that run are known to need, which
// is what container engines allow (containers/common pkg/seccomp, default_linux.go)
// without all that needs a privilege, reaches other processes' memory, or has
// no use in a box: tracing, keys, io_uring, bpf, perf, userfaultfd, mounts,
// namespaces, clocks, modules, quotas, swap, file handles, memory policies of
// machines, and calls that libc has not used for decades. What is not here
// fails with EPERM. Names are the kernel's; one that an architecture does not
// have is left out.
var allowed = []string{
	// Files and what is open.
	"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2",
	"open", "openat", "creat", "close", "close_range", "lseek", "_llseek",
	"stat", "fstat", "lstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2",
	"getdents", "getdents64", "readlink", "readlinkat", "getcwd", "chdir", "fchdir",
	"mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "fchownat", "lchown", "umask",
	"utime", "utimes", "utimensat", "futimesat", "mknod", "mknodat",
	"truncate", "ftruncate", "fallocate", "fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "fadvise64", "readahead",
	"copy_file_range", "sendfile", "splice", "tee", "vmsplice",
	"dup", "dup2", "dup3", "fcntl", "flock", "ioctl", "pipe", "pipe2",
	"getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr",
	"setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
	"inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch",
	// Waiting.
	"select", "pselect6", "poll", "ppoll", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2",
	"eventfd", "eventfd2", "signalfd", "signalfd4", "timerfd_create", "timerfd_settime", "timerfd_gettime",
	"io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "io_pgetevents",
	// Memory.
	"mmap", "munmap", "mremap", "mprotect", "madvise", "brk", "mincore", "msync", "mlock", "mlock2", "munlock", "mlockall", "munlockall",
	"pkey_alloc", "pkey_free", "pkey_mprotect", "memfd_create", "membarrier", "get_mempolicy",
	// Processes, threads and signals. Clone is below.
	"fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid",
	"getpid", "getppid", "gettid", "getpgid", "getpgrp", "getsid", "setpgid", "setsid", "set_tid_address", "set_robust_list", "get_robust_list",
	"kill", "tkill", "tgkill", "pidfd_open", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
	"rt_sigaction", "rt_sigprocmask", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigreturn", "sigaltstack", "pause",
	"alarm", "setitimer", "getitimer", "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete", "restart_syscall",
	"futex", "futex_wait", "futex_wake", "futex_waitv", "futex_requeue", "rseq", "arch_prctl", "prctl", "capget",
	"sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler", "sched_setscheduler", "sched_setparam",
	"sched_getattr", "sched_setattr", "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval",
	"getpriority", "setpriority", "ioprio_get", "ioprio_set", "getrlimit", "setrlimit", "prlimit64", "getrusage", "times", "getcpu",
	// Who and when. The calls that change who one is fail by themselves.
	"getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups",
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capset",
	"time", "gettimeofday", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "uname", "sysinfo", "getrandom",
	// Sockets, of a network that has nothing but its own loopback.
	"socketpair", "bind", "connect", "listen", "accept", "accept4", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown",
	"sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "recvmmsg",
	// System V and POSIX, of a namespace of its own.
	"shmget", "shmat", "shmdt", "shmctl", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl",
	"mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
}

// families are the sockets that may be made: local ones, and those of the
// network that the box has. Others, of which some have had more holes than
// users, are refused. So is netlink but for its routes (NETLINK_ROUTE is 0), of
// which libc asks what interfaces there are. Numbers are of include/linux/socket.h.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6}

// Of fcntl(2).
var duplicates = []uint32{unix.F_DUPFD, unix.F_DUPFD_CLOEXEC}

// told are the system calls at which the host looks before they are made, by what
// it looks at then.
var told = map[string]look{
	"open": lookFiles, "openat": lookFiles, "creat": lookFiles,
	"socket": lookFiles, "socketpair": lookFiles, "accept": lookFiles, "accept4": lookFiles,
	"pipe": lookFiles, "pipe2": lookFiles, "dup": lookFiles, "eventfd": lookFiles, "eventfd2": lookFiles,
	"epoll_create": lookFiles, "epoll_create1": lookFiles, "timerfd_create": lookFiles, "signalfd": lookFiles, "signalfd4": lookFiles,
	"inotify_init": lookFiles, "inotify_init1": lookFiles, "memfd_create": lookFiles, "pidfd_open": lookFiles,
	"unlink": lookScratch, "unlinkat": lookScratch, "rmdir": lookScratch, "rename": lookScratch, "renameat": lookScratch,
	"renameat2": lookScratch, "truncate": lookSize, "ftruncate": lookSize, "fallocate": lookSize,
}

// acting are the system calls that the host is told of for the record alone. Clone
// is below.
var acting = []string{
	"execve", "execveat", "fork", "vfork", "connect", "sendmmsg", "bind", "listen",
	"mkdir", "mkdirat", "mknod", "mknodat", "symlink", "symlinkat", "link", "linkat",
}

// silent are calls that a verdict may deny and that are made so often where it does
// not that the host is not told of them: the kernel alone refuses them. Nobody can
// make them who was refused what comes before them.
var silent = []string{"recvfrom", "recvmsg", "recvmmsg", "semop", "semtimedop", "msgsnd", "msgrcv"}

// Messages are told where they name a peer, which of sendmsg cannot be seen in
// registers. It is told always, but for the one by which the box hands over its own
// channel, with flags that no protocol takes (MSG_SYN, MSG_FIN and MSG_RST of
// include/linux/socket.h) and that no program may give: see filter.
const handOver = 0x1600

// tellable reports whether the host is told of a call, of clone in some cases.
var tellable = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{"clone": true, "sendto": true, "sendmsg": true}
	deniable, err := sandbox.DeniedSyscalls(sandbox.SyscallGroups())
	if err != nil {
		panic(err) // the groups are those that there are
	}
	for name := range told {
		names[name] = true
	}
	for _, name := range slices.Concat(acting, deniable) {
		names[name] = !slices.Contains(silent, name)
	}
	return names
})

// counted is what no control group counts, so that the host must be told of it.
type counted struct {
	// forks: each new process and thread.
	forks bool
	// mapping: each mapping of at least so many bytes. 0: none.
	mapping uint64
}

// toldFilter has the host told of calls, and refuses none. It is in force before
// there is a job, whose own filter comes beside it: where that refuses, the kernel
// asks nobody (seccomp(2), precedence of actions). What a verdict denies is
// refused by the host, so that it can be told.
func toldFilter(count counted) ([]byte, error) {
	p, err := newProgram()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(tellable())) {
		switch {
		case !tellable()[name]:
		case name == "sendto":
			p.rule(name, allow, condition{argument: 4, atLeast: 1, action: notifyHost})
		case name == "sendmsg":
			p.rule(name, notifyHost, condition{argument: 2, equals: []uint32{handOver}, action: allow})
		case name == "clone" && !count.forks: // threads are no act
			p.rule(name, notifyHost, condition{argument: 0, bits: sandbox.CloneNamespaces, action: notifyHost},
				condition{argument: 0, bits: sandbox.CloneThread, action: allow})
		default:
			p.rule(name, notifyHost)
		}
	}
	p.rule("fcntl", allow, condition{argument: 1, equals: duplicates, action: notifyHost})
	if count.mapping > 0 {
		p.rule("mmap", allow, condition{argument: 1, atLeast: count.mapping, action: notifyHost})
		p.rule("mremap", allow, condition{argument: 2, atLeast: count.mapping, action: notifyHost})
	}
	return p.bytes(allow), nil
}

// filters keeps those that were made, by what they deny: policies name few sets.
var filters sync.Map

// filterFor is [filter], made once.
func filterFor(denied []string) ([]byte, error) {
	key := strings.Join(denied, ",")
	if made, ok := filters.Load(key); ok {
		return made.([]byte), nil //nolint:forcetypeassert // nothing else is stored
	}
	made, err := filter(denied)
	if err == nil {
		filters.Store(key, made)
	}
	return made, err
}

// filter returns the filter of a job as the kernel takes it. denied are a
// verdict's groups.
func filter(denied []string) ([]byte, error) {
	refused, err := sandbox.DeniedSyscalls(denied)
	if err != nil {
		return nil, err
	}
	p, err := newProgram()
	if err != nil {
		return nil, err
	}
	denies := func(name string) bool { return slices.Contains(refused, name) }
	for _, name := range refused {
		switch {
		case !tellable()[name], slices.Contains(special, name):
		default:
			p.rule(name, allow) // the host refuses it
		}
	}
	for _, name := range allowed {
		switch {
		case denies(name), slices.Contains(special, name):
		case name == "ioctl": // what could be put into the input of a terminal
			p.rule(name, allow, condition{argument: 1, equals: []uint32{unix.TIOCSTI, unix.TIOCLINUX}, action: refuse})
		default:
			p.rule(name, allow)
		}
	}
	p.special(denies)
	return p.bytes(refuse), nil
}

// special are the calls whose rules are not a name alone.
var special = []string{"socket", "sendto", "sendmsg", "clone", "clone3", "openat2"}

// special adds their rules.
func (p *program) special(denies func(name string) bool) {
	if denies("socket") {
		p.rule("socket", allow) // the host refuses it
	} else {
		p.rule("socket", refuse, condition{argument: 0, equals: families, action: allow},
			condition{argument: 0, equals: []uint32{unix.AF_NETLINK}, zero: 2, action: allow})
	}
	if denies("sendto") { // the host refuses those that it is told of
		p.rule("sendto", refuse, condition{argument: 4, atLeast: 1, action: allow})
	} else {
		p.rule("sendto", allow)
	}
	p.rule("sendmsg", allow, condition{argument: 2, equals: []uint32{handOver}, action: refuse})
	// The host is told of each clone that makes a namespace, or no thread.
	p.rule("clone", allow)
	// The flags of these are in memory, out of a filter's sight. A C library that
	// is told that they do not exist uses clone and openat.
	p.rule("clone3", missing)
	p.rule("openat2", missing)
}

// initFilter is that of the first process of a box, which waits for the
// program's: what CPython's waitpid loop and the end of the process need.
func initFilter() ([]byte, error) {
	p, err := newProgram()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{
		"wait4", "write", "exit", "exit_group", "rt_sigreturn", "rt_sigaction", "rt_sigprocmask", "restart_syscall",
		"brk", "mmap", "munmap", "madvise", "futex", "getpid", "close",
	} {
		p.rule(name, allow)
	}
	return p.bytes(refuse), nil
}
