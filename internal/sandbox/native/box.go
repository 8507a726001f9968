package native

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"palisade/internal/sandbox"
	"palisade/internal/sandbox/packet"
)

// box is one box from its making to its end: parked, it waits for a job; it takes
// one, and is destroyed.
type box struct {
	*Sandbox
	zygote *zygote
	id     string
	group  *sandbox.Cgroup
	free   func() // gives the user behind the box back

	control *net.UnixConn
	pipes   sandbox.Pipes
	ours    []*os.File // the host's ends of the pipes
	first   int        // pidfd of the box's first process
	main    int        // pidfd of the one that runs the harness
	scratch int        // the file system of both scratch directories
	calls   int        // on which the host is told of system calls
	// mounts keeps the box's mounts beyond its processes: the kernel waits
	// milliseconds to let go of them, which whoever waits for the box's end
	// need not.
	mounts  *os.File
	around  map[string]string // layers that were in force when it was parked
	pid     int               // of main, on the host
	initPID int

	dead    chan struct{} // closed when no process of the box is left
	closing sync.Once
	closed  error
}

// Box implements [sandbox.Template]: it makes a box that is parked. On an error
// nothing is left.
func (z *zygote) Box(ctx context.Context) (_ *box, err error) {
	if err := z.hold(); err != nil {
		return nil, err
	}
	b := &box{Sandbox: z.s, zygote: z, id: z.s.nextBox(), first: -1, main: -1, scratch: -1, calls: -1}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("make a box: %w", err), b.Close())
		}
	}()
	theirs, err := b.makePipes()
	defer func() { packet.CloseAll(theirs) }()
	if err != nil {
		return nil, err
	}
	ours, channel, err := packet.Pair()
	if err != nil {
		return nil, err
	}
	b.control = ours
	theirs = append([]*os.File{channel}, theirs...)
	user, free, err := z.s.users.take()
	if err != nil {
		return nil, err
	}
	b.free = free
	entrances, err := b.makeGroup()
	theirs = append(theirs, entrances...)
	if err != nil {
		return nil, err
	}
	if err := z.order(theirs, strconv.Itoa(user), strconv.Itoa(len(entrances))); err != nil {
		return nil, fmt.Errorf("ask the zygote: %w", err)
	}
	packet.CloseAll(theirs)
	theirs = nil
	return b, b.awaitParked(ctx)
}

func (z *zygote) order(files []*os.File, fields ...string) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	return send(z.control, files, fields...)
}

// makePipes makes the four pipes and returns the box's ends, in the order of the
// box's descriptors: output, errors, frames in, frames out.
func (b *box) makePipes() (theirs []*os.File, err error) {
	for i := range 4 {
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, fmt.Errorf("pipe: %w", err)
		}
		if i == 2 { // the box reads
			theirs, b.ours = append(theirs, r), append(b.ours, w)
		} else {
			theirs, b.ours = append(theirs, w), append(b.ours, r)
		}
	}
	b.pipes = sandbox.Pipes{Stdout: b.ours[0], Stderr: b.ours[1], In: b.ours[2], Out: b.ours[3]}
	return theirs, nil
}

// makeGroup makes the box's control group and opens the files by which its first
// process enters it: a process that moves itself waits for nobody.
func (b *box) makeGroup() (entrances []*os.File, err error) {
	if b.groups == nil {
		return nil, nil
	}
	if b.group, err = b.groups.New(b.id, parkedPIDs); err != nil {
		return nil, err
	}
	if _, err := b.group.LimitMemory(parkedMemory); err != nil {
		return nil, err
	}
	for _, name := range b.group.Entrances(true) {
		f, err := os.OpenFile(name, os.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return entrances, err
		}
		entrances = append(entrances, f)
	}
	return entrances, nil
}

// awaitParked waits until the box is at rest.
func (b *box) awaitParked(ctx context.Context) error {
	if err := b.control.SetReadDeadline(time.Now().Add(boxPatience)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = b.control.SetReadDeadline(time.Now()) })
	defer stop()
	_, fds, err := expect(b.control, 'P')
	if ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	if err != nil || len(fds) != 4 {
		packet.CloseFDs(fds)
		return errors.Join(err, errWhole(len(fds) == 4 || err != nil))
	}
	b.first, b.main, b.scratch, b.calls = fds[0], fds[1], fds[2], fds[3]
	var err2 error
	b.initPID, err = pidOf(b.first)
	b.pid, err2 = pidOf(b.main)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	b.dead = make(chan struct{})
	go b.watchDeath()
	if b.mounts, err = os.Open("/proc/" + strconv.Itoa(b.pid) + "/ns/mnt"); err != nil {
		return err
	}
	b.around, err = b.surroundings()
	return err
}

func errWhole(ok bool) error {
	if ok {
		return nil
	}
	return errors.New("descriptors are missing")
}

// watchDeath waits until the box's first process is gone: the kernel has then
// ended every other one of its namespace.
func (b *box) watchDeath() {
	defer close(b.dead)
	for {
		// A pidfd can be read when its process has ended: pidfd_open(2).
		fds := []unix.PollFd{{Fd: int32(b.first), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// alive reports whether the box has not ended.
func (b *box) alive() bool {
	select {
	case <-b.dead:
		return false
	default:
		return true
	}
}

// end kills the box's first process, and with it the others. It does not wait.
func (b *box) end() {
	if b.first >= 0 {
		// It may be dead already.
		_ = unix.PidfdSendSignal(b.first, unix.SIGKILL, nil, 0)
	}
}

// slay kills the box's processes by another way than their namespace.
func (b *box) slay() {
	if b.group != nil {
		b.group.Kill()
	}
	if b.initPID > 1 {
		for _, pid := range sandbox.Tree(b.initPID) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// deadPatience is how long a killed box may take to be gone. It is a sign of a
// broken host if it is reached: the zygote is then ended, and every box with it.
const deadPatience = 10 * time.Second

// Close ends the box and frees what it held.
func (b *box) Close() error {
	b.closing.Do(func() { b.closed = b.close() })
	return b.closed
}

func (b *box) close() error {
	var errs []error
	b.end()
	if b.dead != nil {
		timer := time.NewTimer(deadPatience)
		select {
		case <-b.dead:
		case <-timer.C:
			b.slay()
			errs = append(errs, errors.New("the box does not end: its zygote is ended"))
			b.zygote.kill()
			<-b.dead
		}
		timer.Stop()
	}
	if b.control != nil {
		_ = b.control.Close()
	}
	packet.CloseAll(append(b.ours, b.mounts))
	packet.CloseFDs([]int{b.first, b.main, b.scratch, b.calls})
	if b.group != nil {
		errs = append(errs, b.group.Remove())
	}
	if b.free != nil {
		b.free()
	}
	return errors.Join(append(errs, b.zygote.letGo())...)
}
