package gvisor

import (
	"time"

	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/hostarch"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// The system calls by which a guest of a deterministic box looks at clocks and
// waits for them. In every other box they are gVisor's own.

// fixedCall is a system call in a deterministic box; fn is gVisor's own.
type fixedCall func(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error)

// timed returns what to call instead of a system call that has to do with time;
// nil: itself.
func (g *guard) timed(calls map[string]fixedCall, name string, fn kernel.SyscallFn) kernel.SyscallFn {
	call := calls[name]
	switch name {
	case "getrandom":
		call = func(_ *fixed, _ kernel.SyscallFn, t *kernel.Task, _ uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
			n, err := g.chance.getrandom(t, args)
			return n, nil, err
		}
	case "execve", "execveat":
		call = func(_ *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (value uintptr, control *kernel.SyscallControl, err error) {
			err = g.chance.execute(t, func() (err error) {
				value, control, err = fn(t, nr, args)
				return err
			})
			return value, control, err
		}
	}
	if call == nil {
		return nil
	}
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		f := g.chance.fixed.Load()
		if f == nil {
			return fn(t, nr, args)
		}
		if !f.install(t, &g.chance) {
			return 0, nil, linuxerr.EPERM
		}
		return call(f, fn, t, nr, args)
	}
}

func timedCalls() map[string]fixedCall {
	return map[string]fixedCall{
		"clock_gettime":   clockGettime,
		"gettimeofday":    gettimeofday,
		"time":            timeOfDay,
		"times":           times,
		"getrusage":       getrusage,
		"nanosleep":       waits(spec(0), slept),
		"clock_nanosleep": clockNanosleep,
		"futex":           futex,
		"poll":            waits(millis(2), nothing),
		"ppoll":           waits(spec(2), nothing),
		"select":          waits(timeval(4), nothing),
		"pselect6":        waits(spec(4), nothing),
		"epoll_wait":      waits(millis(3), nothing),
		"epoll_pwait":     waits(millis(3), nothing),
		"epoll_pwait2":    waits(spec(3), nothing),
		"rt_sigtimedwait": waits(spec(2), again),
		"read":            reads,
		"clone":           forks,
		"clone3":          forks,
		"fork":            forks,
		"vfork":           forks,
		"wait4":           reaps,
		"waitpid":         reaps,
		"timer_create":    onMonotonic,
		"timerfd_create":  onMonotonic,
		"timer_settime":   relativeOnly,
		"timerfd_settime": relativeOnly,
	}
}

// clockGettime implements clock_gettime(2).
func clockGettime(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	var ts linux.Timespec
	switch id := args[0].Int(); id {
	case linux.CLOCK_REALTIME, linux.CLOCK_REALTIME_COARSE:
		ts = linux.NsecToTimespec(wallOf(f.look(t)))
	case linux.CLOCK_MONOTONIC, linux.CLOCK_MONOTONIC_COARSE, linux.CLOCK_MONOTONIC_RAW, linux.CLOCK_BOOTTIME:
		ts = linux.NsecToTimespec(upOf(f.look(t)))
	default:
		if id >= 0 && id != linux.CLOCK_PROCESS_CPUTIME_ID && id != linux.CLOCK_THREAD_CPUTIME_ID {
			return fn(t, nr, args) // says that there is no such clock
		}
		// Processor time passes as all time does. That of another process is
		// no better known.
		ts = linux.NsecToTimespec(f.look(t))
	}
	_, err := ts.CopyOut(t, args[1].Pointer())
	return 0, nil, err
}

// gettimeofday implements gettimeofday(2).
func gettimeofday(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	if args[0].Pointer() != 0 {
		tv := linux.NsecToTimeval(wallOf(f.look(t)))
		if _, err := tv.CopyOut(t, args[0].Pointer()); err != nil {
			return 0, nil, err
		}
	}
	args[0].Value = 0
	return fn(t, nr, args) // the time zone
}

// timeOfDay implements time(2).
func timeOfDay(f *fixed, _ kernel.SyscallFn, t *kernel.Task, _ uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	now := linux.TimeT(wallOf(f.look(t)) / int64(time.Second))
	if addr := args[0].Pointer(); addr != 0 {
		if _, err := now.CopyOut(t, addr); err != nil {
			return 0, nil, err
		}
	}
	return uintptr(now), nil, nil
}

// times implements times(2).
func times(f *fixed, _ kernel.SyscallFn, t *kernel.Task, _ uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	passed := time.Duration(f.look(t))
	if addr := args[0].Pointer(); addr != 0 {
		r := linux.Tms{UTime: linux.ClockTFromDuration(passed)}
		if _, err := r.CopyOut(t, addr); err != nil {
			return 0, nil, err
		}
	}
	return uintptr(linux.ClockTFromDuration(fixedUptime + passed)), nil, nil
}

// getrusage implements getrusage(2): time is the guest's, and what a program
// holds, which is not the same twice, is not told.
func getrusage(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	if value, control, err := fn(t, nr, args); err != nil {
		return value, control, err
	}
	r := linux.Rusage{UTime: linux.NsecToTimeval(f.look(t))}
	_, err := r.CopyOut(t, args[1].Pointer())
	return 0, nil, err
}

// reads is read(2), with which the harness hears go.
func reads(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	value, control, err := fn(t, nr, args)
	if err == nil {
		f.hear()
	}
	return value, control, err
}

// forks is a call that may make a process.
func forks(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	child, control, err := fn(t, nr, args)
	if err == nil {
		f.born(t, kernel.ThreadID(child))
	}
	return child, control, err
}

// reaps is a call that waits for a process's end.
func reaps(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	child, control, err := fn(t, nr, args)
	if err == nil && child > 0 && args[2].Int()&(linux.WUNTRACED|linux.WCONTINUED) == 0 {
		f.reaped(t, kernel.ThreadID(child))
	}
	return child, control, err
}

// limit reads how long a call waits at most; negative: for ever, or not known.
type limit func(t *kernel.Task, args arch.SyscallArguments) time.Duration

// over tells from a call's answer that its time was over.
type over func(value uintptr, err error) bool

// waits is a call that waits for a time at most, on the host's clock.
func waits(most limit, isOver over) fixedCall {
	return func(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		begun, wait := f.peek(t), most(t, args)
		value, control, err := fn(t, nr, args)
		if wait > 0 && isOver(value, err) {
			f.until(t, begun+int64(wait))
		}
		return value, control, err
	}
}

func slept(_ uintptr, err error) bool       { return err == nil }
func nothing(value uintptr, err error) bool { return err == nil && value == 0 }
func timedOut(_ uintptr, err error) bool    { return linuxerr.Equals(linuxerr.ETIMEDOUT, err) }
func again(_ uintptr, err error) bool       { return linuxerr.Equals(linuxerr.EAGAIN, err) }
func readSpec(t *kernel.Task, addr hostarch.Addr) time.Duration {
	var ts linux.Timespec
	if addr == 0 {
		return -1
	}
	if _, err := ts.CopyIn(t, addr); err != nil || !ts.Valid() {
		return -1 // the call itself will say so
	}
	return time.Duration(ts.ToNsecCapped())
}

// spec is a timespec at the address that an argument holds.
func spec(arg int) limit {
	return func(t *kernel.Task, args arch.SyscallArguments) time.Duration {
		return readSpec(t, args[arg].Pointer())
	}
}

// timeval is a timeval at the address that an argument holds.
func timeval(arg int) limit {
	return func(t *kernel.Task, args arch.SyscallArguments) time.Duration {
		var tv linux.Timeval
		addr := args[arg].Pointer()
		if addr == 0 {
			return -1
		}
		if _, err := tv.CopyIn(t, addr); err != nil {
			return -1
		}
		return time.Duration(tv.ToNsecCapped())
	}
}

// millis is an argument in milliseconds.
func millis(arg int) limit {
	return func(_ *kernel.Task, args arch.SyscallArguments) time.Duration {
		return time.Duration(args[arg].Int()) * time.Millisecond
	}
}

// clockNanosleep implements clock_nanosleep(2) for the clocks that show time, and
// for processor time, which passes alike.
func clockNanosleep(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	wall := args[0].Int() == linux.CLOCK_REALTIME
	args[0].Value = linux.CLOCK_MONOTONIC // the only one of the kernel's that passes
	if args[1].Int()&linux.TIMER_ABSTIME == 0 {
		return waits(spec(2), slept)(f, fn, t, nr, args)
	}
	at := readSpec(t, args[2].Pointer())
	if at < 0 {
		return fn(t, nr, args)
	}
	until := sinceGo(at, wall)
	err := f.block(t, nil, until)
	if linuxerr.Equals(linuxerr.ETIMEDOUT, err) {
		return 0, nil, nil
	}
	return 0, nil, linuxerr.ConvertIntr(err, linuxerr.ERESTARTNOHAND)
}

// sinceGo is a time on one of the guest's clocks as nanoseconds since go.
func sinceGo(at time.Duration, wall bool) int64 {
	if wall {
		return int64(at) - wallOf(0)
	}
	return int64(at) - upOf(0)
}

// block waits for c until a time of the guest's, in nanoseconds since go.
func (f *fixed) block(t *kernel.Task, c <-chan struct{}, until int64) error {
	wait := time.Duration(max(until-f.peek(t), 0))
	err := t.BlockWithDeadline(c, true, t.Kernel().MonotonicClock().Now().Add(wait))
	if linuxerr.Equals(linuxerr.ETIMEDOUT, err) {
		f.until(t, until)
	}
	return err
}

// futex implements futex(2), in which some waits end at a time of day.
func futex(f *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	op, timeout := args[1].Int(), args[3].Pointer()
	switch op &^ (linux.FUTEX_PRIVATE_FLAG | linux.FUTEX_CLOCK_REALTIME) {
	case linux.FUTEX_WAIT:
		return waits(spec(3), timedOut)(f, fn, t, nr, args)
	case linux.FUTEX_LOCK_PI:
		if timeout != 0 {
			return 0, nil, linuxerr.ENOSYS // gVisor's waits on the clock that stands
		}
	case linux.FUTEX_WAIT_BITSET:
		at := readSpec(t, timeout)
		if at < 0 || args[5].Uint() == 0 {
			return fn(t, nr, args)
		}
		return 0, nil, f.futexUntil(t, args, sinceGo(at, op&linux.FUTEX_CLOCK_REALTIME != 0))
	}
	return fn(t, nr, args)
}

// futexUntil is gVisor's futexWaitAbsolute (pkg/sentry/syscalls/linux), with
// another clock.
func (f *fixed) futexUntil(t *kernel.Task, args arch.SyscallArguments, until int64) error {
	w := t.FutexWaiter()
	private := args[1].Int()&linux.FUTEX_PRIVATE_FLAG != 0
	if err := t.Futex().WaitPrepare(w, t, args[0].Pointer(), private, args[2].Uint(), args[5].Uint()); err != nil {
		return err
	}
	err := f.block(t, w.C, until)
	t.Futex().WaitComplete(w, t)
	return linuxerr.ConvertIntr(err, linuxerr.ERESTARTSYS)
}

// onMonotonic makes a timer on the clock of the kernel's that passes.
func onMonotonic(_ *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	if args[0].Int() == linux.CLOCK_REALTIME {
		args[0].Value = linux.CLOCK_MONOTONIC
	}
	return fn(t, nr, args)
}

// relativeOnly refuses timers that end at a time of day: which of the guest's
// clocks it is on is not known any more.
func relativeOnly(_ *fixed, fn kernel.SyscallFn, t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
	if args[1].Int()&linux.TIMER_ABSTIME != 0 {
		return 0, nil, linuxerr.EINVAL
	}
	return fn(t, nr, args)
}
