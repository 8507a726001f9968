package palisade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// InputError says that a submission is not valid: it never ran; the submitter can mend it.
type InputError struct{ Reason string }

func (e *InputError) Error() string { return e.Reason }

// RunError says that the gate itself failed. A door shows the run's ID; the cause is for operators.
type RunError struct {
	Run string
	Err error
}

func (e *RunError) Error() string { return fmt.Sprintf("run %s: %v", e.Run, e.Err) }
func (e *RunError) Unwrap() error { return e.Err }

// Gate is the one path from a submission to its outcome.
type Gate struct{ parts Parts }

// NewGate returns a gate over its parts; every part is required.
func NewGate(p Parts) (*Gate, error) {
	if p.Preparer == nil || p.Inspector == nil || p.Policy == nil || p.Approvals == nil ||
		p.Sandbox == nil || p.Sanitizer == nil || p.Recorder == nil || p.Now == nil || p.NewID == nil {
		return nil, errors.New("gate: a part is missing")
	}
	return &Gate{p}, nil
}

// Run takes one submission from the door to the answer. Each step is on the record before the next one
// starts. A step that cannot be taken, or cannot be recorded, ends the run: doubt means no.
//
// A denial is an Outcome. An *InputError means that the submission is not valid; any other error, a
// *RunError, that the gate itself failed.
func (g *Gate) Run(ctx context.Context, s Submission) (Outcome, error) {
	r := &run{Parts: g.parts, id: cmp.Or(s.Run, g.parts.NewID())}
	out, err := r.take(ctx, s)
	if err == nil {
		return out, nil
	}
	if invalid, ok := errors.AsType[*InputError](err); ok {
		if err := r.record(ctx, true, EventRejected, map[string]string{"reason": invalid.Reason}); err != nil {
			return Outcome{}, &RunError{r.id, err}
		}
		return Outcome{}, invalid
	}
	// The record may be what failed, so that this may fail too: the run ends either way.
	return Outcome{}, &RunError{r.id, errors.Join(err, r.record(ctx, true, EventFailed, map[string]string{"error": err.Error()}))}
}

// run is one run on its way through the gate.
type run struct {
	Parts
	id       string
	c        Case
	approval *Approval
}

func (r *run) take(ctx context.Context, s Submission) (Outcome, error) {
	if err := r.receive(ctx, s); err != nil {
		return Outcome{}, err
	}
	if err := r.inspect(ctx); err != nil {
		return Outcome{}, err
	}
	verdict, err := r.decide(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if verdict.Decision != Allow {
		return r.answer(ctx, r.refusal(verdict))
	}
	result, err := r.execute(ctx, verdict)
	if err != nil {
		return Outcome{}, err
	}
	return r.answer(ctx, r.outcome(verdict, result))
}

// receive puts the submission on the record and seals it: what is checked is what runs.
func (r *run) receive(ctx context.Context, s Submission) error {
	if err := r.record(ctx, false, EventReceived, s); err != nil {
		return err
	}
	sealed, err := r.Preparer.Prepare(ctx, s)
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	r.c.Submission = sealed
	return nil
}

// inspect reads the program.
func (r *run) inspect(ctx context.Context) error {
	inspection, err := r.Inspector.Inspect(ctx, r.c.Submission)
	if err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	r.c.Inspection = inspection
	return r.record(ctx, false, EventInspected, inspection)
}

// decide asks policy, and a human where policy says so. A human's answer never turns a denial.
func (r *run) decide(ctx context.Context) (Verdict, error) {
	verdict, err := r.Policy.Decide(ctx, r.c)
	if err != nil {
		return Verdict{}, fmt.Errorf("decide: %w", err)
	}
	if err := r.record(ctx, false, EventDecided, verdict); err != nil {
		return Verdict{}, err
	}
	if verdict.Decision != Ask {
		return verdict, nil
	}
	image, err := r.Sandbox.Image(ctx, r.c.Submission.Program.Language, verdict.Isolation)
	if err != nil {
		return Verdict{}, fmt.Errorf("identify the runtime: %w", err)
	}
	approval, err := r.Approvals.Take(ctx, r.id, Question{Case: r.c, Verdict: verdict, Image: image})
	if err != nil {
		return Verdict{}, fmt.Errorf("approval: %w", err)
	}
	r.approval = &approval
	switch {
	case approval.Granted:
		verdict.Decision = Allow
		verdict.Policy = "approvals (" + verdict.Policy + ")"
	case approval.Denied:
		verdict.Decision = Deny
	}
	return verdict, nil
}

// execute runs the program under a permit made here and nowhere else.
func (r *run) execute(ctx context.Context, v Verdict) (Result, error) {
	s := r.c.Submission
	stdout, stderr := r.Sanitizer.Writer(r.c, s.Live.Stdout), r.Sanitizer.Writer(r.c, s.Live.Stderr)
	if r.c.Inspection.Runs != nil {
		s.Program.Source = r.c.Inspection.Runs
	}
	permit := Permit{&grant{job: Job{
		Run: r.id, Tenant: s.Tenant, Program: s.Program, Inputs: s.Inputs, Files: s.Files, Stdin: s.Stdin,
		Limits: v.Limits, Isolation: v.Isolation, DeniedSyscalls: v.DeniedSyscalls,
		Egress: v.Egress, Abort: v.Abort, Deterministic: v.Deterministic,
		Stdout: stdout, Stderr: stderr,
		Confirm: func(ctx context.Context, ready Ready) error { return r.confirm(ctx, v, ready) },
	}}}
	result, err := r.Sandbox.Run(ctx, permit)
	if err != nil {
		result.Status, result.Reason = SandboxError, err.Error()
	}
	// The live view is a convenience: its failure must not lose the result.
	_, _ = stdout.Close(), stderr.Close()
	r.checkValue(&result)
	return result, r.record(ctx, false, EventFinished, result)
}

// confirm compares what a box reports with what was judged, on the record, before the start.
func (r *run) confirm(ctx context.Context, v Verdict, ready Ready) error {
	err := errors.Join(sameTrees(r.c.Inspection.Trees, ready.Trees), inForce(v.Isolation, ready))
	if err != nil {
		ready.Refused = err.Error()
	}
	return errors.Join(err, r.record(ctx, true, EventStarted, ready))
}

// checkValue holds the entry function's value to its schema.
func (r *run) checkValue(result *Result) {
	if result.Status != OK || r.c.Submission.Program.Entry == "" {
		return
	}
	if err := r.Preparer.CheckValue(r.c.Submission, result.Value); err != nil {
		result.Status, result.Reason = RuntimeError, "the entry function's value does not fit: "+err.Error()
	}
}

// answer records the outcome, durably, and hands it out.
func (r *run) answer(ctx context.Context, out Outcome) (Outcome, error) {
	out.Complete()
	return out, r.record(ctx, true, EventOutcome, out)
}

// record is not stopped by a caller who hangs up: what was begun is recorded.
func (r *run) record(ctx context.Context, durable bool, kind EventKind, data any) error {
	err := r.Recorder.Append(context.WithoutCancel(ctx), durable, Event{Run: r.id, Kind: kind, Time: r.Now(), Data: data})
	if err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}
