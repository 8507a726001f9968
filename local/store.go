package local

import (
	"context"
	"iter"

	"palisade"
	"palisade/internal/approval"
	"palisade/internal/audit"
)

// questions lets the queue of approvals live in the audit log: the two packages are
// stages and do not know each other.
type questions struct{ log *audit.Log }

// Update implements [approval.Store].
func (q questions) Update(ctx context.Context, f func(approval.View) ([]palisade.Event, error)) error {
	return q.log.Update(ctx, func(v audit.View) ([]palisade.Event, error) { return f(view{v}) })
}

type view struct{ audit.View }

// Records implements [approval.View].
func (v view) Records(from int64, kinds ...palisade.EventKind) iter.Seq2[approval.Record, error] {
	return func(yield func(approval.Record, error) bool) {
		for r, err := range v.View.Records(from, kinds...) {
			if !yield(approval.Record{Index: r.Index, Run: r.Run, Kind: r.Kind, Time: r.Time, Data: r.Data}, err) {
				return
			}
		}
	}
}
