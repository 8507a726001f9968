package palisade

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
)

// ErrNoPermit is returned for a permit that is zero or was spent before.
var ErrNoPermit = errors.New("no permit: code starts only through the gate, once")

// Permit is the right to run one job once. Only [Gate.Run] makes one; the zero
// Permit is refused.
type Permit struct{ grant *grant }

type grant struct {
	spent atomic.Bool
	job   Job
}

// Spend returns the job that the permit is for. A second call, on any copy of
// the permit, fails.
func (p Permit) Spend() (Job, error) {
	if p.grant == nil || p.grant.spent.Swap(true) {
		return Job{}, ErrNoPermit
	}
	return p.grant.job, nil
}

// Job is what a back-end runs: the sealed program and the verdict's bounds.
type Job struct {
	Run     string // the run's ID
	Program Program
	Inputs  Inputs
	Files   []File
	Stdin   []byte

	Limits         Limits
	Isolation      Isolation
	DeniedSyscalls []string

	// Stdout and Stderr receive the program's output as it comes; never nil.
	// What they are given is foreign bytes.
	Stdout, Stderr io.Writer

	// Confirm must be called once, after the harness has reported and before
	// the first byte of the program runs. An error means: kill the box, the
	// result is [Refused].
	Confirm func(ctx context.Context, r Ready) error
}

// Ready is what is known of a box before the program starts.
type Ready struct {
	Backend string `json:"backend"`
	// Trees are the digests that the interpreter inside reports of the
	// program ("") and its modules.
	Trees map[string]Digest `json:"trees"`
	// Layers are in force, as the host observed them.
	Layers map[string]string `json:"layers"`
	// Runtime describes the interpreter and its image.
	Runtime string `json:"runtime"`
	// Refused says why the gate did not let the program start.
	Refused string `json:"refused,omitempty"`
}
