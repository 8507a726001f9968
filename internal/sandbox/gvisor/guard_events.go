package gvisor

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/hostarch"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/vfs"

	"palisade/internal/events"
)

// The guard tells what a program does from go on: see package events. A name is
// read from the program's memory, which another thread may change meanwhile;
// that of a file that was opened is the kernel's own, of the descriptor that the
// call returned.

// told is an act to be told.
type told struct {
	kind         events.Kind
	what, detail string
	// near says that a peer is no network peer, which never ends a run.
	near bool
	// fails says why the act will not happen, where the call does not tell.
	fails string
}

// describe says what a call would do; false: nothing to be told.
type describe func(t *kernel.Task, args arch.SyscallArguments) (told, bool)

// tell tells of a call before it is made, so that it can be refused, and how it
// ended.
func (g *guard) tell(fn kernel.SyscallFn, what describe) kernel.SyscallFn {
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		r := g.events.Load()
		if !r.On() {
			return fn(t, nr, args)
		}
		a, ok := what(t, args)
		if !ok || r.Spare(a.kind) {
			return fn(t, nr, args)
		}
		if r.Aborts(a.kind) && !a.near {
			r.Record(a.kind, a.what, "ended the run", true)
			g.end(t, a.kind)
			return 0, nil, linuxerr.EPERM
		}
		value, control, err := fn(t, nr, args)
		g.outcome(r, a, err)
		return value, control, err
	}
}

// outcome records an act with how its call ended.
func (g *guard) outcome(r *events.Recorder, a told, err error) {
	if restarts(err) {
		return // it will be made again
	}
	if !happened(a.kind, err) {
		a.fails = errnoName(err)
	}
	if a.fails != "" {
		r.Record(a.kind, a.what, strings.TrimSpace(a.fails+" "+a.detail), true)
		return
	}
	if a.kind == events.Fork {
		r.Started()
	}
	r.Record(a.kind, a.what, a.detail, false)
}

// happened reports whether a call did what it is for. One that is under way or
// will be made again did.
func happened(k events.Kind, err error) bool {
	return err == nil || k == events.Connect && (linuxerr.Equals(linuxerr.EINPROGRESS, err) || linuxerr.Equals(linuxerr.EISCONN, err))
}

// end ends the run, here and now: no call of any process returns to it.
// The host sees the mark, and kills the box if this does not.
func (g *guard) end(t *kernel.Task, by events.Kind) {
	g.events.Load().End(by)
	t.Kernel().Kill(linux.WaitStatusTerminationSignal(linux.SIGKILL))
}

// telling returns what to call instead of a system call whose acts are told.
func (g *guard) telling(name string, fn kernel.SyscallFn) kernel.SyscallFn {
	switch name {
	case "execve":
		return g.tell(fn, execution(0, -1))
	case "execveat":
		return g.tell(fn, execution(1, 0))
	case "fork", "vfork":
		return g.tell(fn, func(*kernel.Task, arch.SyscallArguments) (told, bool) { return told{kind: events.Fork}, true })
	case "clone":
		return g.tell(fn, func(_ *kernel.Task, args arch.SyscallArguments) (told, bool) {
			return told{kind: events.Fork}, args[0].Uint64()&linux.CLONE_THREAD == 0
		})
	case "connect":
		return g.tell(fn, func(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
			return peerAt(t, args[1].Pointer(), args[2].Uint())
		})
	case "sendto":
		return g.tell(fn, func(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
			return peerAt(t, args[4].Pointer(), args[5].Uint())
		})
	case "sendmsg":
		return g.tell(fn, func(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
			return messageTo(t, args[1].Pointer())
		})
	case "sendmmsg":
		return g.tellMessages(fn)
	case "bind":
		return g.tell(fn, binding)
	case "listen":
		return g.tell(fn, listening)
	}
	switch name {
	case "open":
		return g.tellOpen(fn, -1, 0, 1)
	case "openat":
		return g.tellOpen(fn, 0, 1, 2)
	case "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile":
		return g.wrote(fn, 0)
	case "splice":
		return g.wrote(fn, 2)
	}
	if what := fileAct(name); what != nil {
		return g.tell(fn, what)
	}
	return fn
}

// execution is an execve. What is not there is not executed, which its call
// returns too late to be seen here.
func execution(pathArg, dirArg int) describe {
	return func(t *kernel.Task, args arch.SyscallArguments) (told, bool) {
		dir := int32(linux.AT_FDCWD)
		if dirArg >= 0 {
			dir = args[dirArg].Int()
		}
		a := told{kind: events.Exec, what: pathAt(t, dir, args[pathArg].Pointer()), detail: arguments(t, args[pathArg+1].Pointer())}
		if !exists(t, a.what) {
			a.fails = "ENOENT"
		}
		return a, true
	}
}

// maxArguments bounds how many arguments of a command are told.
const maxArguments = 16

// arguments are those of a command, as a shell would take them or near that.
func arguments(t *kernel.Task, at hostarch.Addr) string {
	var b strings.Builder
	for range maxArguments {
		word := t.Arch().Native(0)
		if _, err := word.CopyIn(t, at); err != nil || t.Arch().Value(word) == 0 || b.Len() > events.MaxDetail {
			return b.String()
		}
		text, err := t.CopyInString(hostarch.Addr(t.Arch().Value(word)), events.MaxDetail+1)
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if text != "" || err == nil {
			text = events.Word(text)
		}
		b.WriteString(text)
		at += hostarch.Addr(t.Arch().Width())
	}
	b.WriteString(" …")
	return b.String()
}

// pathAt reads the path that a call names, made absolute.
func pathAt(t *kernel.Task, dir int32, at hostarch.Addr) string {
	name, err := t.CopyInString(at, linux.PATH_MAX)
	if err != nil && name == "" {
		return "(unreadable)"
	}
	if dir == linux.AT_FDCWD || path.IsAbs(name) {
		return absolute(t, name)
	}
	f := t.GetFile(dir)
	if f == nil {
		return name
	}
	defer f.DecRef(t)
	return path.Join(fileName(t, f), name)
}

// absolute makes a path absolute that begins in the working directory.
func absolute(t *kernel.Task, name string) string {
	if path.IsAbs(name) {
		return name
	}
	root := t.FSContext().RootDirectory()
	defer root.DecRef(t)
	start := t.FSContext().WorkingDirectory()
	defer start.DecRef(t)
	base, _ := t.Kernel().VFS().PathnameWithDeleted(t, root, start)
	return path.Join(base, name)
}

// errnoName names why a call failed.
func errnoName(err error) string {
	if name := unix.ErrnoName(errnoOf(err)); name != "" {
		return name
	}
	return "failed"
}

func errnoOf(err error) unix.Errno { return unix.Errno(kernel.ExtractErrno(err, 0)) }

// restarts reports whether a call is made again after a signal: such errors are
// from 512 on (include/linux/errno.h) and reach no program.
func restarts(err error) bool { return err != nil && errnoOf(err) >= 512 }

// exists reports whether there is a file at an absolute path, as the program
// would find it.
func exists(t *kernel.Task, name string) bool {
	root := t.FSContext().RootDirectory()
	defer root.DecRef(t)
	_, err := t.Kernel().VFS().StatAt(t, t.Credentials(), pathOperation(root, name), &vfs.StatOptions{})
	return err == nil
}
