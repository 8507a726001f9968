package gvisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/events"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/packet"
	"palisade/internal/sandbox/roots"
)

const (
	// bootPatience bounds the time until a box's first process runs.
	bootPatience = 30 * time.Second
	// drainTime is how long the pipes of a dead box are read on: what is in
	// them is there already.
	drainTime = 500 * time.Millisecond
)

// Run implements [palisade.Sandbox].
func (s *Sandbox) Run(ctx context.Context, p palisade.Permit) (palisade.Result, error) {
	job, err := p.Spend()
	if err != nil {
		return palisade.Result{}, err
	}
	if reason := s.refuse(job); reason != nil {
		return palisade.Result{Status: palisade.Refused, Reason: reason.Error(), ExitCode: -1}, nil
	}
	s.running.Add(1)
	defer s.running.Done()
	r, err := s.rootOf(ctx, job)
	if err != nil {
		return roots.Refused(err), nil
	}
	b, err := s.takeWarm(ctx, r, job)
	if b != nil {
		result, err := b.run(ctx)
		s.running.Go(b.forget) // what is left of it is dead already
		return result, err
	}
	if busy, ok := errors.AsType[*sandbox.BusyError](err); ok {
		return palisade.Result{Status: palisade.Refused, Reason: busy.Error(), Fix: busy.Fix(), ExitCode: -1}, nil
	}
	if err == nil {
		b, err = s.newBox(ctx, r, job)
	}
	if err != nil {
		return s.notMade(ctx, job, err)
	}
	result, err := b.run(ctx)
	return result, errors.Join(err, b.close())
}

// notMade is the result of a job whose box, or its way out, could not be made.
func (s *Sandbox) notMade(ctx context.Context, job palisade.Job, err error) (palisade.Result, error) {
	if none, ok := errors.AsType[*sandbox.ExitError](err); ok {
		s.log.Error("a run has no way out", slog.String("run", job.Run), slog.Any("error", none.Err))
		return palisade.Result{Status: palisade.Refused, Reason: err.Error(), Fix: none.Fix, ExitCode: -1}, nil
	}
	if ctx.Err() != nil {
		return palisade.Result{Status: palisade.Interrupted, ExitCode: -1}, nil
	}
	return palisade.Result{ExitCode: -1}, fmt.Errorf("make a box: %w", err)
}

// refuse reports why a job will not be started.
func (s *Sandbox) refuse(job palisade.Job) error {
	if err := s.serves(job.Program.Language, job.Isolation); err != nil {
		return err
	}
	if !job.Limits.Complete() {
		return errors.New("a limit is missing: an unlimited run is refused")
	}
	if job.Confirm == nil || job.Stdout == nil || job.Stderr == nil {
		return errors.New("the job is not whole")
	}
	if len(job.Egress) > 0 && s.config.Egress == nil {
		return errors.New("the job has peers, and this sandbox no way out")
	}
	if len(job.Egress) > 0 && slices.Contains(job.DeniedSyscalls, "socket") {
		return errors.New("the job has peers, and its verdict denies sockets")
	}
	if _, err := newDenial(job.DeniedSyscalls); err != nil {
		return err
	}
	_, err := events.Aborts(job.Abort)
	return err
}

// rootOf returns what a job's box is made of, or why there is none for it.
func (s *Sandbox) rootOf(ctx context.Context, job palisade.Job) (root, error) {
	r, err := s.openRoot(ctx, job.Program.Language)
	if err != nil {
		return r, err
	}
	if len(job.Egress) > 0 {
		r = r.withExit()
	}
	return r, r.runs(job.Program.Language, job.DeniedSyscalls)
}

// box is one box from its making to its end.
type box struct {
	*Sandbox
	root root
	job  palisade.Job
	from origin
	// confined is what was observed around the kernel of a box that was parked.
	confined map[string]string
	remote   *remote
	pid      int // the sentry's
	pidfd    int // -1: none
	sentry   sandbox.Owner
	group    *sandbox.Cgroup
	dir      string
	pipes    sandbox.Pipes
	ours     []*os.File // the host's ends of the pipes
	exit     sandbox.Exit
	budget   budget
	meter    *os.File // open from go on
}

// newBox makes a box whose first process has just been started. On an error
// nothing is left.
func (s *Sandbox) newBox(ctx context.Context, r root, job palisade.Job) (*box, error) {
	return s.makeBox(ctx, r, job, origin{})
}

// origin says what a box starts from. The zero value: nothing.
type origin struct {
	image    string // a checkpoint
	template bool   // it is made to be saved itself
	exit     bool   // its channel to a way out is kept for the job that it has not yet
}

func (s *Sandbox) makeBox(ctx context.Context, r root, job palisade.Job, from origin) (_ *box, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, bootPatience, errors.New("the box did not start"))
	defer cancel()
	if job.Deterministic {
		r.start = r.start.Deterministic()
	}
	b := &box{Sandbox: s, root: r, job: job, from: from, pidfd: -1}
	id := s.nextBox()
	defer func() {
		if err == nil {
			return
		}
		err = errors.Join(b.withLastWords(err), b.close())
	}()
	launcher, err := s.launch(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.bundle(id); err != nil {
		return nil, err
	}
	theirs, err := b.makePipes(ctx)
	defer packet.CloseAll(theirs)
	if err != nil {
		return nil, err
	}
	if s.groups != nil {
		if b.group, err = s.groups.New(id, hostPIDs(job.Limits, r.start.Processes)); err != nil {
			return nil, err
		}
	}
	asked := request{Box: id, Bundle: b.dir, Template: from.template}
	if b.remote, b.pid, err = launcher.create(ctx, asked, theirs); err != nil {
		return nil, err
	}
	// The launcher has not waited for it, so that the number is still its own.
	if b.pidfd, err = unix.PidfdOpen(b.pid, 0); err != nil {
		return nil, fmt.Errorf("watch the box: %w", err)
	}
	if b.sentry, err = sandbox.OwnerOf(b.pid); err != nil {
		return nil, err
	}
	// Moving a process into a control group waits for the whole kernel, some
	// 10 ms, which the start of the guest's first process need not wait for: no
	// byte of a program runs before layers has seen all of the box in there.
	confined := make(chan error, 1)
	go func() { confined <- b.confine() }()
	err = b.remote.start(ctx, from.image)
	return b, errors.Join(err, <-confined, b.confineRest())
}

// bundle writes the box's OCI description.
func (b *box) bundle(id string) error {
	data, err := json.Marshal(b.spec(b.root, b.job.Limits))
	if err != nil {
		return err
	}
	b.dir = filepath.Join(b.home.Dir, id)
	pod, err := json.Marshal(guardConfig(b.meterPath(), b.job.Limits.Inodes, b.countedMemory(), b.job.DeniedSyscalls, b.job.Deterministic))
	if err != nil {
		return err
	}
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(b.dir, "config.json"), data, 0o600),
		os.WriteFile(filepath.Join(b.dir, podFile), pod, 0o600),
		makeMeter(b.meterPath()),
	)
}

// podFile is the name of gVisor's pod-init-config in a bundle.
const podFile = "pod.json"

// panicFile is where the box's kernel leaves its last words.
const panicFile = "panic"

func (b *box) meterPath() string { return filepath.Join(b.dir, "meter") }
func (b *box) panicPath() string { return filepath.Join(b.dir, panicFile) }

// makePipes makes the box's pipes and returns its ends, in the order of
// guestFDs.
func (b *box) makePipes(ctx context.Context) (theirs []*os.File, err error) {
	ends := make([][2]*os.File, plainFDs, len(guestFDs)) // read, write
	if len(b.job.Egress) > 0 || b.from.exit {
		ends = ends[:len(guestFDs)]
	}
	for i := range ends {
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, fmt.Errorf("pipe: %w", err)
		}
		ends[i] = [2]*os.File{r, w}
		if guestFDs[i] == inFD || guestFDs[i] == sandbox.ExitIn { // the guest reads
			theirs, b.ours = append(theirs, r), append(b.ours, w)
		} else {
			theirs, b.ours = append(theirs, w), append(b.ours, r)
		}
	}
	b.pipes = sandbox.Pipes{Stdout: b.ours[0], Stderr: b.ours[1], In: b.ours[2], Out: b.ours[3]}
	if !b.from.exit {
		err = b.openExit(ctx)
	}
	return theirs, err
}

// openExit opens the way out of a box that has a job, where that has peers.
func (b *box) openExit(ctx context.Context) (err error) {
	if len(b.job.Egress) == 0 || b.exit != nil {
		return nil
	}
	toBox, fromBox := b.ours[plainFDs], b.ours[plainFDs+1]
	b.ours = b.ours[:plainFDs] // they are the proxy's now
	exit, err := b.config.Egress.Open(ctx, b.job, fromBox, toBox)
	if err == nil {
		b.exit = exit
	}
	return err
}

// run holds the conversation and judges the end.
func (b *box) run(ctx context.Context) (palisade.Result, error) {
	if err := b.openExit(ctx); err != nil {
		return b.notMade(ctx, b.job, err)
	}
	exit := b.watchExit()
	t, err := sandbox.Converse(ctx, b.job, b.pipes, sandbox.Hooks{
		Backend: Backend, Runtime: b.runtime(b.root),
		Layers:       b.layers,
		Go:           b.begin,
		Kill:         b.kill,
		AddressSpace: b.addressSpace(),
		Processes:    b.root.start.Processes,
		Exit:         b.exit,
	})
	return t.Result(b.observe(b.awaitExit(exit, t.Started)), err), nil
}

// forget frees what a box held whose result was handed out.
func (b *box) forget() {
	if err := b.close(); err != nil {
		b.log.Error("a box could not be destroyed", slog.String("box", b.remote.id), slog.Any("error", err))
	}
}

// close ends the box and frees what it held.
func (b *box) close() error {
	b.budget.stop()
	var errs []error
	if b.remote != nil {
		errs = append(errs, b.remote.destroy())
	}
	if b.exit != nil {
		b.exit.Close()
	}
	packet.CloseAll(b.ours)
	packet.CloseAll([]*os.File{b.meter})
	if b.group != nil {
		errs = append(errs, b.group.Remove())
	}
	if b.dir != "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}
	if b.pidfd >= 0 {
		errs = append(errs, unix.Close(b.pidfd))
	}
	return errors.Join(errs...)
}
