package local

import (
	"context"

	"palisade"
	"palisade/internal/analysis/foreign"
	"palisade/internal/lang"
	"palisade/internal/policy"
	"palisade/internal/rules"
)

// Reader reads and judges programs without running them. It needs no sandbox
// and no state. It must be closed.
type Reader struct {
	config    Config
	preparer  preparer
	inspector rules.Inspector
	policy    *policy.Set
	readers   *foreign.Pool
}

// NewReader wires a reader with the policy and configuration that a gate would
// have.
func NewReader(c Config) (*Reader, error) {
	cfg, err := Stateless(c)
	if err != nil {
		return nil, err
	}
	set, patterns, err := loadPolicy(c, cfg, nil)
	if err != nil {
		return nil, err
	}
	version := interpreterVersion(cfg.Runtime.Python)
	readers := foreign.NewPool(foreign.Config{})
	return &Reader{
		c, preparer{lang.Preparer{Python: version, Judge: true}, set.Names()}, rules.Inspector{Version: version, Reader: readers, Patterns: patterns}, set, readers,
	}, nil
}

// Close ends the processes that read.
func (r *Reader) Close() error { return r.readers.Close() }

// Check reports whether there is such a profile; the empty name is the default.
func (r *Reader) Check(profile string) error { return r.preparer.known(profile) }

// Scan seals a submission, reads it and judges it. Its findings carry their
// evidence: it is for whoever owns the policy, not for whoever wrote the program.
func (r *Reader) Scan(ctx context.Context, s palisade.Submission) (palisade.Inspection, palisade.Verdict, error) {
	s.Door = r.config.door()
	if s.Submitter == "" {
		s.Submitter = r.config.submitter()
	}
	sealed, err := r.preparer.Prepare(ctx, s)
	if err != nil {
		return palisade.Inspection{}, palisade.Verdict{}, err
	}
	inspection, err := r.inspector.Inspect(ctx, sealed)
	if err != nil {
		return palisade.Inspection{}, palisade.Verdict{}, err
	}
	verdict, err := r.policy.DecideEach(ctx, palisade.Case{Submission: sealed, Inspection: inspection})
	return inspection, verdict, err
}
