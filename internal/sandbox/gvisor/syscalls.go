package gvisor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"
)

// groups are the system calls that a verdict denies by group name. Names are
// the kernel's, from arch/x86/entry/syscalls/syscall_64.tbl and
// include/uapi/asm-generic/unistd.h of Linux 6.12; a name that an architecture
// (or gVisor's kernel) does not have is not there to be called. Where a family
// grew a newer call, it stands beside the older ones: a group is closed over
// what does the same.
//
// Every denied call fails with EPERM. Fork is special: see [threadsOnly].
func groups() map[string][]string {
	return map[string][]string{
		"exec":   {"execve", "execveat"},
		"socket": {"socket", "socketpair", "bind", "connect", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg"},
		"mount":  {"mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree", "move_mount", "mount_setattr", "swapon", "swapoff"},
		"ptrace": {"ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "process_madvise"},
		"fork":   {"fork", "vfork"},
		// namespaces: clone's flags are filtered too.
		"namespace": {"unshare", "setns"},
		"module":    {"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"},
		"bpf":       {"bpf", "perf_event_open", "userfaultfd"},
		"keyring":   {"add_key", "request_key", "keyctl"},
		"io_uring":  {"io_uring_setup", "io_uring_enter", "io_uring_register"},
		"device":    {"mknod", "mknodat", "iopl", "ioperm", "quotactl", "quotactl_fd"},
		"clock":     {"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime"},
		"host":      {"reboot", "syslog", "acct", "sethostname", "setdomainname", "vhangup", "personality", "lookup_dcookie", "open_by_handle_at", "name_to_handle_at", "fanotify_init"},
		"identity":  {"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capset"},
		"memfd":     {"memfd_create", "memfd_secret"},
		"ipc":       {"shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"},
		"kill":      {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"},
		"priority":  {"setpriority", "sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity", "ioprio_set"},
	}
}

// Flags of clone(2), from include/uapi/linux/sched.h.
const (
	cloneThread     = 0x00010000
	cloneNamespaces = 0x7e020000 // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
)

// GroupNames returns the names of the groups of system calls, sorted.
func GroupNames() []string { return slices.Sorted(maps.Keys(groups())) }

// always are denied to every box, whatever the verdict says: with a user
// namespace of its own a guest could mount a file system that has no limits,
// and a tracer could let calls through that are to seem missing.
func always() []string { return []string{"mount", "namespace", "ptrace"} }

// seccomp returns the filter that denies the named groups, and those that are
// always denied. An unknown name is an error: what policy denies must be denied.
func seccomp(denied []string) (*specs.LinuxSeccomp, error) {
	known := groups()
	var names []string
	for _, group := range slices.Concat(always(), denied) {
		calls, ok := known[group]
		if !ok {
			return nil, fmt.Errorf("system calls %q: no such group; there are %s", group, strings.Join(GroupNames(), ", "))
		}
		names = append(names, calls...)
	}
	slices.Sort(names)
	filter := &specs.LinuxSeccomp{
		DefaultAction: specs.ActAllow,
		Syscalls:      []specs.LinuxSyscall{{Names: slices.Compact(names), Action: specs.ActErrno}, noPriority()},
	}
	if slices.Contains(denied, "fork") {
		filter.Syscalls = append(filter.Syscalls, threadsOnly()...)
	} else {
		filter.Syscalls = append(filter.Syscalls, noNamespaces()...)
	}
	return filter, nil
}

// threadsOnly lets clone make threads and nothing else. The flags of clone3 are
// in memory, where a filter cannot see them, so that it must seem to be
// missing: libc then uses clone. The sentry's OCI filter knows one errno,
// EPERM, and libc gives up on that; but a call that is to be traced and has no
// tracer fails with ENOSYS (SECCOMP_RET_TRACE in seccomp(2)).
func threadsOnly() []specs.LinuxSyscall {
	return []specs.LinuxSyscall{
		{Names: []string{"clone3"}, Action: specs.ActTrace},
		{Names: []string{"clone"}, Action: specs.ActErrno, Args: []specs.LinuxSeccompArg{
			{Index: 0, Op: specs.OpMaskedEqual, Value: cloneThread, ValueTwo: 0},
		}},
	}
}

// noNamespaces denies clone with any namespace flag: one rule a flag, since a
// rule can only compare masked bits for equality.
func noNamespaces() []specs.LinuxSyscall {
	calls := []specs.LinuxSyscall{{Names: []string{"clone3"}, Action: specs.ActTrace}}
	for bit := uint64(1); bit != 0 && bit <= cloneNamespaces; bit <<= 1 {
		if bit&cloneNamespaces == 0 {
			continue
		}
		calls = append(calls, specs.LinuxSyscall{
			Names: []string{"clone"}, Action: specs.ActErrno,
			Args: []specs.LinuxSeccompArg{{Index: 0, Op: specs.OpMaskedEqual, Value: bit, ValueTwo: bit}},
		})
	}
	return calls
}

// noPriority denies setpriority(2) with a negative value, which is a privilege
// that gVisor's kernel gives to everyone.
func noPriority() specs.LinuxSyscall {
	const largest = 1<<31 - 1 // of an int
	return specs.LinuxSyscall{Names: []string{"setpriority"}, Action: specs.ActErrno, Args: []specs.LinuxSeccompArg{
		{Index: 2, Op: specs.OpGreaterThan, Value: largest},
	}}
}
