package native

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"palisade"
	"palisade/internal/events"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/roots"
)

// drainTime is how long the pipes of a dead box are read on: what is in them is
// there already.
const drainTime = 500 * time.Millisecond

// Run implements [palisade.Sandbox].
func (s *Sandbox) Run(ctx context.Context, p palisade.Permit) (palisade.Result, error) {
	job, err := p.Spend()
	if err != nil {
		return palisade.Result{}, err
	}
	if reason := s.refuse(job); reason != nil {
		return roots.Refused(reason), nil
	}
	s.running.Add(1)
	defer s.running.Done()
	return s.run(ctx, job)
}

// run runs a job that was not refused.
func (s *Sandbox) run(ctx context.Context, job palisade.Job) (palisade.Result, error) {
	root, err := s.rootOf(ctx, job)
	if err != nil {
		return roots.Refused(err), nil
	}
	way, err := s.openWay(ctx, job)
	if err != nil {
		return s.noBox(ctx, job, err)
	}
	defer way.close()
	b, err := s.boxFor(ctx, root, job)
	if err != nil {
		return s.noBox(ctx, job, err)
	}
	r := &run{box: b, job: job, way: way, settled: make(chan string, 1)}
	result, err := r.do(ctx)
	s.running.Go(b.forget) // what is left of it is dead already
	return result, err
}

// noBox is the result of a run for which no box could be had.
func (s *Sandbox) noBox(ctx context.Context, job palisade.Job, err error) (palisade.Result, error) {
	if none, ok := errors.AsType[*sandbox.ExitError](err); ok {
		s.log.Error("a run has no way out", slog.String("run", job.Run), slog.Any("error", none.Err))
		return palisade.Result{Status: palisade.Refused, Reason: err.Error(), Fix: none.Fix, ExitCode: -1}, nil
	}
	if ctx.Err() != nil {
		return palisade.Result{Status: palisade.Interrupted, ExitCode: -1}, nil
	}
	if busy, ok := errors.AsType[*sandbox.BusyError](err); ok {
		return palisade.Result{Status: palisade.Refused, Reason: err.Error(), Fix: busy.Fix(), ExitCode: -1}, nil
	}
	return palisade.Result{ExitCode: -1}, err
}

// refuse reports why a job will not be started.
func (s *Sandbox) refuse(job palisade.Job) error {
	if err := s.serves(job.Program.Language, job.Isolation); err != nil {
		return err
	}
	if !job.Limits.Complete() {
		return errors.New("a limit is missing: an unlimited run is refused")
	}
	if err := s.refuseEgress(job); err != nil {
		return err
	}
	if job.Deterministic {
		return &roots.Refusal{Fix: "a deterministic run needs a profile whose back-end is gvisor: native boxes fix neither chance nor time"}
	}
	if job.Confirm == nil || job.Stdout == nil || job.Stderr == nil {
		return errors.New("the job is not whole")
	}
	_, err := sandbox.DeniedSyscalls(job.DeniedSyscalls)
	_, err2 := events.Aborts(job.Abort)
	return errors.Join(err, err2)
}

// rootOf returns what a job's box is made of, or why there is none for it.
func (s *Sandbox) rootOf(ctx context.Context, job palisade.Job) (roots.Root, error) {
	r, err := s.roots.Open(ctx, job.Program.Language)
	if err != nil {
		return r, err
	}
	return r, r.Runs(job.Program.Language, job.DeniedSyscalls)
}

// run is one job in its box.
type run struct {
	*box
	job     palisade.Job
	way     *wayOut
	watch   sandbox.Watch
	seen    seen
	settled chan string // what the box says once the job's bounds are in force
}

// do gives the job to the box, holds the conversation and judges the end.
func (r *run) do(ctx context.Context) (palisade.Result, error) {
	r.watch = sandbox.Watch{
		Limits: r.job.Limits, Every: r.every(), Use: r.use, Passed: r.passed,
		End: r.end, Slay: r.slayAndDrain, Now: r.now, Log: r.log,
	}
	exit := r.watchExit()
	if err := r.prepare(); err != nil {
		return palisade.Result{ExitCode: -1}, fmt.Errorf("give the box its job: %w", err)
	}
	t, err := sandbox.Converse(ctx, r.job, r.pipes, sandbox.Hooks{
		Backend: Backend, Runtime: r.runtime(r.zygote.root),
		Layers:       r.layers,
		Go:           r.begin,
		Kill:         r.watch.Kill,
		AddressSpace: r.addressSpace(),
		Processes:    r.harnessProcesses(),
		Exit:         r.way.exit,
	})
	return t.Result(r.observe(r.awaitExit(exit, t.Started)), err), nil
}

// prepare has the box take the job's bounds, before the harness has heard of the
// program.
func (r *run) prepare() error {
	if r.group != nil {
		if err := r.group.LimitProcesses(r.maxProcesses()); err != nil {
			return err
		}
		if _, err := r.group.LimitMemory(parkedMemory + r.job.Limits.Memory); err != nil {
			return err
		}
	}
	code, err := filterFor(r.job.DeniedSyscalls)
	if err != nil {
		return err
	}
	if err := r.seen.start(r); err != nil {
		return err
	}
	// Nobody waits for the answer here: it has come when the harness reports.
	defer r.way.handedOver()
	return send(r.control, r.way.ends,
		strconv.FormatInt(r.job.Limits.Disk, 10), strconv.FormatInt(r.job.Limits.Inodes+ownInodes, 10), string(code))
}

// begin starts the budget: go is about to be said.
func (r *run) begin() error {
	if err := r.seen.beginActs(time.Now()); err != nil {
		return err
	}
	used, err := r.watch.Begin()
	if err != nil || r.group == nil {
		return err
	}
	_, err = r.group.LimitMemory(used.Memory + r.job.Limits.Memory + slack(r.job.Limits.Memory))
	return err
}
