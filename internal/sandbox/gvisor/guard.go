package gvisor

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/abi/linux"
	gerrors "gvisor.dev/gvisor/pkg/errors"
	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/fd"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/seccheck"

	"palisade/internal/events"
)

// The guard is code of ours inside the box's kernel: the sentry is this very
// program, so that its table of system calls can be wrapped before it boots.
// It holds the one limit that gVisor's tmpfs lacks, the number of files, and
// counts the calls that any limit made fail. It refuses the system calls that
// the verdict denies (guard_deny.go), and tells what happens inside
// (guard_events.go).
//
// It reaches the sentry as a seccheck sink, which is gVisor's own way of
// handing a configuration and an open file to code inside a sentry. The sink
// asks for no events.

// guardName names the sink.
const guardName = "palisade-guard"

// Keys of the sink's configuration.
const (
	keyMeter  = "meter"  // path of the meter's file, opened outside the sentry
	keyInodes = "inodes" // how many files the scratch directories may hold
	keyMemory = "memory" // from how many bytes on a refused mapping counts
	keyDenied = "denied" // groups of system calls that are refused
	keyFixed  = "fixed"  // chance and clock are fixed: see guard_fixed.go
)

// podConfig is gVisor's pod-init-config.
type podConfig struct {
	TraceSession traceSession `json:"trace_session"`
}

type traceSession struct {
	Name   string      `json:"name"`
	Points []struct{}  `json:"points"`
	Sinks  []traceSink `json:"sinks"`
}

type traceSink struct {
	Name   string         `json:"name"`
	Config map[string]any `json:"config"`
}

// guardConfig is the pod-init-config that puts the guard in force.
func guardConfig(meter string, inodes, memory int64, denied []string, fixed bool) podConfig {
	return podConfig{traceSession{
		Name: seccheck.DefaultSessionName, Points: []struct{}{},
		Sinks: []traceSink{{Name: guardName, Config: map[string]any{
			keyMeter: meter, keyInodes: inodes, keyMemory: memory, keyDenied: denied, keyFixed: fixed,
		}}},
	}}
}

// registerGuard makes the sink known, in the launcher and in the sentry.
func registerGuard(g *guard) {
	seccheck.RegisterSink(seccheck.SinkDesc{Name: guardName, Setup: openMeter, New: g.boot})
}

// openMeter runs in the launcher.
func openMeter(config map[string]any) (*os.File, error) {
	path, ok := config[keyMeter].(string)
	if !ok {
		return nil, errors.New("guard: no meter")
	}
	return os.OpenFile(path, os.O_RDWR|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
}

// guard is the state inside the sentry. Until it has booted it lets nothing be
// created.
type guard struct {
	seccheck.SinkDefaults
	meter  atomic.Pointer[meter]
	events atomic.Pointer[events.Recorder]
	denial atomic.Pointer[denial]
	// made are the files that the program opened to change them.
	made   fileSet
	inodes int64
	memory uint64
	// entries is never less than the number of files in the scratch
	// directories: it counts calls that may have made one. Where it reaches
	// the limit, they are counted.
	entries  atomic.Int64
	counting sync.Mutex
	// tidied is done with the first file that the guest opens.
	tidied sync.Once
	untidy atomic.Bool // it failed: nothing can be opened
	// full says that they were counted at the limit and none was removed since.
	full atomic.Bool
	// chance is the source of random bytes, and holds the clock where that is
	// fixed too.
	chance chance
}

// Name implements seccheck.Sink.
func (g *guard) Name() string { return guardName }

// boot runs in the sentry, before the guest's first process.
func (g *guard) boot(config map[string]any, endpoint *fd.FD) (seccheck.Sink, error) {
	inodes, ok := config[keyInodes].(float64)
	memory, ok2 := config[keyMemory].(float64)
	fix, ok3 := config[keyFixed].(bool)
	if !ok || !ok2 || !ok3 || endpoint == nil || endpoint.FD() < 0 {
		return nil, fmt.Errorf("guard: configuration %v is not whole", config)
	}
	denied, err := denialFrom(config[keyDenied])
	if err != nil {
		return nil, err
	}
	m, err := mapMeter(endpoint.FD())
	if err != nil {
		return nil, err
	}
	g.denial.Store(denied)
	g.events.Store(events.NewRecorder(m.page[meterSize:]))
	g.inodes, g.memory = int64(inodes), uint64(memory)
	if fix {
		g.chance.fixed.Store(&fixed{said: g.events.Load().On})
		seedLayout()
		m.word(wordFixed).Store(meterMagic)
	}
	m.word(wordMagic).Store(meterMagic)
	g.meter.Store(m)
	return g, nil
}

func (g *guard) hit(word int) {
	if m := g.meter.Load(); m != nil {
		m.word(word).Add(1)
	}
}

// install wraps the system calls of every table, and has the tables' fast
// lookups made anew.
func (g *guard) install() {
	clocks := timedCalls()
	for _, table := range kernel.SyscallTables() {
		addMissing(table)
		for number, call := range table.Table {
			if timed := g.timed(clocks, call.Name, call.Fn); timed != nil {
				call.Fn = timed
			}
			// From the inside out: a call that is denied is told as such, and
			// one that is told may still meet a limit.
			if limited := g.wrap(call.Name, call.Fn, table); limited != nil {
				call.Fn = limited
			}
			call.Fn = g.deny(call.Name, g.telling(call.Name, call.Fn))
			table.Table[number] = call
		}
		table.Init()
	}
}

// wrap returns what to call instead of a system call; nil: itself.
func (g *guard) wrap(name string, fn kernel.SyscallFn, table *kernel.SyscallTable) kernel.SyscallFn {
	switch name {
	case "clone", "clone3", "fork", "vfork":
		return g.count(fn, failure{linuxerr.EAGAIN, wordProcesses})
	case "mmap", "mremap":
		return g.mapping(fn)
	case "write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "truncate", "fallocate", "sendfile", "splice":
		return g.count(fn, failure{linuxerr.ENOSPC, wordDisk}, failure{linuxerr.EFBIG, wordDisk})
	case "mkdir", "mkdirat", "mknod", "mknodat", "symlink", "symlinkat", "link", "linkat", "bind":
		return g.count(g.making(fn), failure{linuxerr.ENOSPC, wordDisk})
	case "unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2":
		return g.removing(fn)
	case "sync":
		return g.tidying(fn)
	case "open":
		return g.count(g.opening(fn, 1), failure{linuxerr.EMFILE, wordFiles}, failure{linuxerr.ENOSPC, wordDisk})
	case "openat":
		return g.count(g.opening(fn, 2), failure{linuxerr.EMFILE, wordFiles}, failure{linuxerr.ENOSPC, wordDisk})
	case "creat":
		open, err := table.LookupNo("open")
		if err != nil {
			return g.count(g.making(fn), failure{linuxerr.EMFILE, wordFiles})
		}
		return creating(table, open)
	case "socket", "socketpair", "accept", "accept4", "pipe", "pipe2", "dup", "dup2", "dup3", "fcntl",
		"eventfd", "eventfd2", "epoll_create", "epoll_create1", "timerfd_create", "signalfd", "signalfd4",
		"inotify_init", "inotify_init1", "memfd_create", "pidfd_open":
		return g.count(fn, failure{linuxerr.EMFILE, wordFiles})
	}
	return nil
}

// failure is an error that means that a limit was reached.
type failure struct {
	err  *gerrors.Error
	word int
}

// errInodes is what the guard itself refuses with; it is not the disk's limit.
var errInodes = inodesError{}

type inodesError struct{}

func (inodesError) Error() string { return linuxerr.ENOSPC.Error() }

// count counts a call's failures that mean that a limit was reached.
func (g *guard) count(fn kernel.SyscallFn, failures ...failure) kernel.SyscallFn {
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		value, control, err := fn(t, nr, args)
		if err == nil {
			return value, control, nil
		}
		if err == errInodes { //nolint:errorlint // the sentry compares its errors as they are
			g.hit(wordInodes)
			return value, control, linuxerr.ENOSPC
		}
		for _, f := range failures {
			if linuxerr.Equals(f.err, err) {
				g.hit(f.word)
			}
		}
		return value, control, err
	}
}

// mapping counts refused mappings of at least g.memory bytes. Both calls have
// the new length as their second or third argument.
func (g *guard) mapping(fn kernel.SyscallFn) kernel.SyscallFn {
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		value, control, err := fn(t, nr, args)
		if err != nil && linuxerr.Equals(linuxerr.ENOMEM, err) && max(args[1].Uint64(), args[2].Uint64()) >= g.memory {
			g.hit(wordMemory)
		}
		return value, control, err
	}
}

// making holds a call that makes a file to the limit.
func (g *guard) making(fn kernel.SyscallFn) kernel.SyscallFn {
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		if !g.reserve(t) {
			return 0, nil, errInodes
		}
		value, control, err := fn(t, nr, args)
		if err != nil {
			g.entries.Add(-1)
		}
		return value, control, err
	}
}

// removing notes that files may have become fewer.
func (g *guard) removing(fn kernel.SyscallFn) kernel.SyscallFn {
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		value, control, err := fn(t, nr, args)
		if err == nil {
			g.full.Store(false)
		}
		return value, control, err
	}
}

// opening holds an open to the limit where it may make a file: at the limit
// what exists can still be opened.
func (g *guard) opening(fn kernel.SyscallFn, flags int) kernel.SyscallFn {
	making := g.making(fn)
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		g.tidied.Do(func() { g.untidy.Store(removeDevices(t) != nil) })
		if g.untidy.Load() {
			return 0, nil, linuxerr.EPERM
		}
		if f := g.chance.fixed.Load(); f != nil && !f.install(t, &g.chance) {
			return 0, nil, linuxerr.EPERM
		}
		asked := args[flags].Uint64()
		temporary := asked&linux.O_TMPFILE == linux.O_TMPFILE
		if asked&linux.O_CREAT == 0 && !temporary {
			return fn(t, nr, args)
		}
		value, control, err := making(t, nr, args)
		if err != errInodes || temporary || asked&linux.O_EXCL != 0 { //nolint:errorlint // as above
			return value, control, err
		}
		args[flags].Value = uintptr(asked &^ linux.O_CREAT)
		value, control, err = fn(t, nr, args)
		if linuxerr.Equals(linuxerr.ENOENT, err) {
			err = errInodes
		}
		return value, control, err
	}
}

// creating makes creat(2) the open(2) that it stands for.
func creating(table *kernel.SyscallTable, open uintptr) kernel.SyscallFn {
	return func(t *kernel.Task, _ uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		args[2] = args[1] // the mode
		args[1].Value = linux.O_CREAT | linux.O_WRONLY | linux.O_TRUNC
		return table.Lookup(open)(t, open, args)
	}
}
