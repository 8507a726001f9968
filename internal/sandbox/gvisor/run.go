package gvisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"palisade"
	"palisade/internal/sandbox"
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
	b, err := s.newBox(ctx, job)
	if err != nil {
		if ctx.Err() != nil {
			return palisade.Result{Status: palisade.Interrupted, ExitCode: -1}, nil
		}
		return palisade.Result{ExitCode: -1}, fmt.Errorf("make a box: %w", err)
	}
	result, err := b.run(ctx)
	return result, errors.Join(err, b.close())
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
	_, err := seccomp(job.DeniedSyscalls)
	return err
}

// box is one box from its making to its end.
type box struct {
	*Sandbox
	job    palisade.Job
	remote *remote
	pid    int // the sentry's
	sentry sandbox.Owner
	group  *sandbox.Cgroup
	dir    string
	pipes  sandbox.Pipes
	ours   []*os.File // the host's ends of the pipes
	budget budget
}

// newBox makes a box whose first process has just been started. On an error
// nothing is left.
func (s *Sandbox) newBox(ctx context.Context, job palisade.Job) (_ *box, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, bootPatience, errors.New("the box did not start"))
	defer cancel()
	b := &box{Sandbox: s, job: job}
	id := s.nextBox()
	defer func() {
		if err == nil {
			return
		}
		if words := b.panicked(); words != "" {
			err = fmt.Errorf("%w: the box's kernel said: %s", err, words)
		}
		err = errors.Join(err, b.close())
	}()
	launcher, err := s.launch(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.bundle(id); err != nil {
		return nil, err
	}
	theirs, err := b.makePipes()
	defer closeAll(theirs)
	if err != nil {
		return nil, err
	}
	if s.groups != nil {
		if b.group, err = s.groups.New(id, hostPIDs(job.Limits)); err != nil {
			return nil, err
		}
	}
	if b.remote, b.pid, err = launcher.create(ctx, id, b.dir, theirs); err != nil {
		return nil, err
	}
	if b.sentry, err = sandbox.OwnerOf(b.pid); err != nil {
		return nil, err
	}
	// Moving a process into a control group waits for the whole kernel, some
	// 10 ms, which the start of the guest's first process need not wait for: no
	// byte of a program runs before layers has seen all of the box in there.
	confined := make(chan error, 1)
	go func() { confined <- b.confine() }()
	err = b.remote.start(ctx)
	return b, errors.Join(err, <-confined, b.confineRest())
}

// bundle writes the box's OCI description.
func (b *box) bundle(id string) error {
	spec, err := b.spec(b.start, b.job.Limits, b.job.DeniedSyscalls)
	if err != nil {
		return err
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	b.dir = filepath.Join(b.home.Dir, id)
	pod, err := json.Marshal(guardConfig(b.meterPath(), b.job.Limits.Inodes, b.countedMemory()))
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

// makePipes makes the four pipes and returns the box's ends, in the order of
// guestFDs.
func (b *box) makePipes() (theirs []*os.File, err error) {
	var ends [len(guestFDs)][2]*os.File // read, write
	for i := range ends {
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, fmt.Errorf("pipe: %w", err)
		}
		ends[i] = [2]*os.File{r, w}
		if guestFDs[i] == inFD { // the guest reads
			theirs, b.ours = append(theirs, r), append(b.ours, w)
		} else {
			theirs, b.ours = append(theirs, w), append(b.ours, r)
		}
	}
	b.pipes = sandbox.Pipes{Stdout: b.ours[0], Stderr: b.ours[1], In: b.ours[2], Out: b.ours[3]}
	return theirs, nil
}

// run holds the conversation and judges the end.
func (b *box) run(ctx context.Context) (palisade.Result, error) {
	exit := b.watchExit()
	t, err := sandbox.Converse(ctx, b.job, b.pipes, sandbox.Hooks{
		Backend: Backend, Runtime: b.runtime(),
		Layers:       b.layers,
		Go:           b.begin,
		Kill:         b.kill,
		AddressSpace: b.addressSpace(),
	})
	observed := b.observe(b.awaitExit(exit, t.Started))
	reasons := []string{observed.Reason, t.Reason}
	if err != nil {
		reasons = append(reasons, err.Error())
	}
	observed.Reason = strings.Join(slices.DeleteFunc(reasons, func(r string) bool { return r == "" }), "; ")
	return t.Result(observed), nil
}

// close ends the box and frees what it held.
func (b *box) close() error {
	b.budget.stop()
	var errs []error
	if b.remote != nil {
		errs = append(errs, b.remote.destroy())
	}
	closeAll(b.ours)
	if b.group != nil {
		errs = append(errs, b.group.Remove())
	}
	if b.dir != "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}
	return errors.Join(errs...)
}
