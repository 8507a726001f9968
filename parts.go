package palisade

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

// Preparer knows languages.
type Preparer interface {
	// Prepare returns the submission sealed: source normalized (what is judged is what runs), inputs
	// checked. Source that cannot be normalized is left as it is and found unparsable later; inputs
	// that do not fit give an *InputError.
	Prepare(ctx context.Context, s Submission) (Submission, error)
	// CheckValue checks the entry function's value against what the submission says that it returns.
	CheckValue(s Submission, value json.RawMessage) error
}

// Inspector reads a sealed submission without executing any of it.
type Inspector interface {
	Inspect(ctx context.Context, s Submission) (Inspection, error)
}

// Policy decides. It is pure: equal cases get equal verdicts, and more findings never loosen one.
type Policy interface {
	Decide(ctx context.Context, c Case) (Verdict, error)
}

// Approvals asks humans.
type Approvals interface {
	// Take consumes a granted approval for the question's binding if there is one, atomically with
	// recording it for the run; otherwise it makes sure that the question stands and returns it.
	Take(ctx context.Context, run string, q Question) (Approval, error)
}

// Sandbox runs a job in a box that nobody used before and nobody uses after.
type Sandbox interface {
	// Image identifies the runtime that would run the program under iso.
	Image(ctx context.Context, lang Language, iso Isolation) (string, error)
	// Run spends the permit. A program's failure is a Status; an error means that the sandbox
	// failed, and Result.MayHaveRun still tells whether the program may have run.
	Run(ctx context.Context, p Permit) (Result, error)
}

// Sanitizer makes a guest's words safe.
type Sanitizer interface {
	// Sanitize turns a result into what may be handed out.
	Sanitize(c Case, v Verdict, r Result) Sanitized
	// Refusal says why a case did not run and what is allowed instead.
	Refusal(c Case, v Verdict, a *Approval) Feedback
	// Writer wraps w so that a program's bytes reach it sanitized. Close flushes; a nil w discards.
	Writer(c Case, w io.Writer) io.WriteCloser
}

// Recorder keeps the record.
type Recorder interface {
	// Append puts events on the record in order; durable: they and all before are on stable storage then.
	Append(ctx context.Context, durable bool, events ...Event) error
}

// Parts are what a gate is made of. All are required.
type Parts struct {
	Preparer  Preparer
	Inspector Inspector
	Policy    Policy
	Approvals Approvals
	Sandbox   Sandbox
	Sanitizer Sanitizer
	Recorder  Recorder
	Now       func() time.Time
	NewID     func() string
}
