package gvisor

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"

	"palisade/internal/events"
)

// The guard also refuses the system calls that the verdict denies. gVisor's own
// way, an OCI seccomp filter inside the sentry, answers before the table of
// calls is looked at, so that nobody learns what a program tried; the table
// holds for every process of the box just as well, and its answers are counted.

// denial is what a box's programs may not call.
type denial struct {
	names map[string]bool
	// threadsOnly lets clone make threads and nothing else.
	threadsOnly bool
}

// newDenial returns the denial of the named groups, and of those that are always
// denied. An unknown name is an error: what policy denies must be denied.
func newDenial(denied []string) (*denial, error) {
	names, err := deniedCalls(denied)
	if err != nil {
		return nil, err
	}
	d := &denial{names: map[string]bool{}, threadsOnly: slices.Contains(denied, "fork")}
	for _, name := range names {
		d.names[name] = true
	}
	return d, nil
}

// denialFrom reads the guard's configuration.
func denialFrom(value any) (*denial, error) {
	list, ok := value.([]any)
	if !ok && value != nil {
		return nil, fmt.Errorf("guard: denied system calls %v", value)
	}
	var denied []string
	for _, v := range list {
		name, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("guard: denied system calls %v", value)
		}
		denied = append(denied, name)
	}
	return newDenial(denied)
}

// addMissing puts calls into the table that gVisor does not know, so that who
// tries them is seen: they fail as they do without it.
func addMissing(table *kernel.SyscallTable) {
	for number, name := range map[uintptr]string{
		unix.SYS_MOUNT_SETATTR: "mount_setattr", unix.SYS_PIDFD_GETFD: "pidfd_getfd",
		unix.SYS_PROCESS_MADVISE: "process_madvise", unix.SYS_QUOTACTL_FD: "quotactl_fd", unix.SYS_MEMFD_SECRET: "memfd_secret",
	} {
		if _, there := table.Table[number]; !there {
			table.Table[number] = kernel.Syscall{Name: name, Fn: func(*kernel.Task, uintptr, arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
				return 0, nil, linuxerr.ENOSYS
			}}
		}
	}
}

// deny returns what to call instead of a system call that may be denied.
func (g *guard) deny(name string, fn kernel.SyscallFn) kernel.SyscallFn {
	switch name {
	case "clone":
		return g.denyClone(fn)
	case "clone3":
		return g.denyClone3
	case "setpriority":
		fn = g.denyPriority(fn)
	}
	if !slices.Contains(deniable(), name) {
		return fn
	}
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		// Before the guard has booted everything is denied.
		if d := g.denial.Load(); d == nil || d.names[name] {
			g.refused(t, name, args)
			return 0, nil, linuxerr.EPERM
		}
		return fn(t, nr, args)
	}
}

// denyClone holds clone to threads where that is wanted, and always to the
// namespaces that are there.
func (g *guard) denyClone(fn kernel.SyscallFn) kernel.SyscallFn {
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		d, flags := g.denial.Load(), args[0].Uint64()
		if d == nil || flags&cloneNamespaces != 0 || d.threadsOnly && flags&linux.CLONE_THREAD == 0 {
			g.refused(t, "clone", args)
			return 0, nil, linuxerr.EPERM
		}
		return fn(t, nr, args)
	}
}

// denyClone3 is clone3, which must seem to be missing: its flags are in memory,
// where another thread may change them after a look. A C library then uses
// clone. It is counted where that look shows what clone would be refused.
func (g *guard) denyClone3(t *kernel.Task, _ uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	var wanted linux.CloneArgs
	if d := g.denial.Load(); d != nil && g.events.Load().On() {
		size := args[1].SizeT()
		if size < linux.CLONE_ARGS_SIZE_VER0 || size > linux.CLONE_ARGS_SIZE_VER2 {
			size = 0
		}
		if _, err := wanted.CopyInN(t, args[0].Pointer(), int(size)); size > 0 && err == nil &&
			(wanted.Flags&cloneNamespaces != 0 || d.threadsOnly && wanted.Flags&linux.CLONE_THREAD == 0) {
			g.refused(t, "clone3", args)
		}
	}
	return 0, nil, linuxerr.ENOSYS
}

// denyPriority denies a negative priority, which is a privilege that gVisor's
// kernel gives to everyone.
func (g *guard) denyPriority(fn kernel.SyscallFn) kernel.SyscallFn {
	const largest = 1<<31 - 1 // of an int
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		if args[2].Uint64() > largest {
			g.refused(t, "setpriority", args)
			return 0, nil, linuxerr.EPERM
		}
		return fn(t, nr, args)
	}
}

// refused notes a call that policy denies: by its name, and as what it would
// have done.
func (g *guard) refused(t *kernel.Task, name string, args arch.SyscallArguments) {
	r := g.events.Load()
	if !r.On() {
		return
	}
	r.Record(events.Syscall, name, "", true)
	ends, by := r.Aborts(events.Syscall), events.Syscall
	if a, ok := wouldBe(t, name, args); ok {
		r.Record(a.kind, a.what, deniedDetail, true)
		if r.Aborts(a.kind) && !a.near {
			ends, by = true, a.kind
		}
	}
	if ends {
		g.end(t, by)
	}
}

// deniedDetail says why an act did not happen.
const deniedDetail = "denied by policy"

// wouldBe says what a denied call would have done.
func wouldBe(t *kernel.Task, name string, args arch.SyscallArguments) (told, bool) {
	switch name {
	case "execve":
		return told{kind: events.Exec, what: pathAt(t, linux.AT_FDCWD, args[0].Pointer())}, true
	case "execveat":
		return told{kind: events.Exec, what: pathAt(t, args[0].Int(), args[1].Pointer())}, true
	case "fork", "vfork", "clone", "clone3":
		return told{kind: events.Fork}, true
	case "connect":
		return peerAt(t, args[1].Pointer(), args[2].Uint())
	case "sendto":
		return peerAt(t, args[4].Pointer(), args[5].Uint())
	}
	return told{}, false
}
