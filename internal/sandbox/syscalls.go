package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// syscallGroups are the system calls that a verdict denies by group name. Names are
// the kernel's, from arch/x86/entry/syscalls/syscall_64.tbl and
// include/uapi/asm-generic/unistd.h of Linux 6.12; a name that an architecture
// (or a sandbox's kernel) does not have is not there to be called. Where a family
// grew a newer call, it stands beside the older ones: a group is closed over
// what does the same.
//
// Every denied call fails with EPERM. Fork is special: clone makes threads too,
// so that its flags are filtered.
func syscallGroups() map[string][]string {
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

// SyscallGroups returns the names of the groups of system calls, sorted.
func SyscallGroups() []string { return slices.Sorted(maps.Keys(syscallGroups())) }

// always are denied to every box, whatever the verdict says: with a user
// namespace of its own a guest could mount a file system that has no limits,
// and a tracer could let calls through that are to seem missing.
func always() []string { return []string{"mount", "namespace", "ptrace"} }

// Flags of clone(2), from include/uapi/linux/sched.h: with the first it makes a
// thread, with any of the others a namespace.
const (
	CloneThread     = 0x00010000
	CloneNamespaces = 0x7e020000 // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
)

// DeniedSyscalls returns the names of the system calls of the denied groups, and
// of those that are always denied, sorted. An unknown group is an error: what
// policy denies must be denied.
func DeniedSyscalls(groups []string) ([]string, error) {
	known := syscallGroups()
	var names []string
	for _, group := range slices.Concat(always(), groups) {
		calls, ok := known[group]
		if !ok {
			return nil, fmt.Errorf("system calls %q: no such group; there are %s", group, strings.Join(SyscallGroups(), ", "))
		}
		names = append(names, calls...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
