package palisade

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
)

// ErrNoPermit is returned for a permit that is zero or was spent before.
var ErrNoPermit = errors.New("no permit: code starts only through the gate, once")

// Permit is the right to run one job once. Only [Gate.Run] makes one; the zero Permit is refused.
type Permit struct{ grant *grant }

type grant struct {
	spent atomic.Bool
	job   Job
}

// Spend returns the job that the permit is for. A second call, on any copy of the permit, fails.
func (p Permit) Spend() (Job, error) {
	if p.grant == nil || p.grant.spent.Swap(true) {
		return Job{}, ErrNoPermit
	}
	return p.grant.job, nil
}

// Peek tells what the permit is for without spending it: the run, its tenant, the back-ends that will do.
func (p Permit) Peek() (run, tenant string, backends []string) {
	if p.grant == nil {
		return "", "", nil
	}
	return p.grant.job.Run, p.grant.job.Tenant, p.grant.job.Isolation.Backends
}

// Job is what a back-end runs: the sealed program and the verdict's bounds.
type Job struct {
	Run     string // the run's ID
	Tenant  string // boxes of different tenants share nothing
	Program Program
	Inputs  Inputs
	Files   []File
	Stdin   []byte

	Limits         Limits
	Isolation      Isolation
	DeniedSyscalls []string
	Egress         []Peer
	Abort          []string
	Deterministic  bool

	// Stdout and Stderr receive the program's output, foreign bytes, as it comes; never nil.
	Stdout, Stderr io.Writer

	// Confirm must be called once, after the harness has reported and before the program starts.
	// An error means: kill the box, the result is [Refused].
	Confirm func(ctx context.Context, r Ready) error
}

// Ready is what is known of a box before the program starts.
type Ready struct {
	Backend string `json:"backend"`
	// Trees are the digests that the interpreter inside reports of the program ("") and its modules.
	Trees   map[string]Digest `json:"trees"`
	Layers  map[string]string `json:"layers"`            // in force, as the host observed them
	Runtime string            `json:"runtime"`           // the interpreter and its image
	Refused string            `json:"refused,omitempty"` // why the gate did not let the program start
}
