package sandboxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
)

// rig is a gate around a sandbox whose other parts let everything pass.
type rig struct {
	gate     *palisade.Gate
	recorder *memory
	verdict  atomic.Pointer[palisade.Verdict]
	trees    atomic.Pointer[func(map[string]palisade.Digest)]
	ids      atomic.Int64
	mu       sync.Mutex // one run at a time through the fields above
}

func newRig(t testing.TB, s palisade.Sandbox, p palisade.Preparer, i palisade.Inspector) *rig {
	t.Helper()
	r := &rig{recorder: &memory{}}
	gate, err := palisade.NewGate(palisade.Parts{
		Preparer: p, Inspector: &judge{i, r}, Policy: &allowing{r}, Approvals: nobody{}, Sandbox: s,
		Sanitizer: raw{}, Recorder: r.recorder, Now: time.Now,
		NewID: func() string { return fmt.Sprintf("run-%d", r.ids.Add(1)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	r.gate = gate
	return r
}

// run sends one submission through the gate under a verdict.
func (r *rig) run(ctx context.Context, s palisade.Submission, v palisade.Verdict, spoil func(map[string]palisade.Digest)) (palisade.Outcome, palisade.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v.Decision = palisade.Allow
	r.verdict.Store(&v)
	r.trees.Store(nil)
	if spoil != nil {
		r.trees.Store(&spoil)
	}
	r.recorder.reset()
	out, err := r.gate.Run(ctx, s)
	return out, r.recorder.result(), err
}

// judge is an inspector whose digests a case may spoil.
type judge struct {
	palisade.Inspector
	rig *rig
}

func (j *judge) Inspect(ctx context.Context, s palisade.Submission) (palisade.Inspection, error) {
	found, err := j.Inspector.Inspect(ctx, s)
	if spoil := j.rig.trees.Load(); spoil != nil {
		(*spoil)(found.Trees)
	}
	return found, err
}

type allowing struct{ rig *rig }

func (a *allowing) Decide(context.Context, palisade.Case) (palisade.Verdict, error) {
	return *a.rig.verdict.Load(), nil
}

type nobody struct{}

func (nobody) Take(context.Context, string, palisade.Question) (palisade.Approval, error) {
	return palisade.Approval{}, fmt.Errorf("nobody is asked here")
}

// raw hands out what it is given: the suite looks at a guest's own bytes.
type raw struct{}

func (raw) Sanitize(palisade.Case, palisade.Verdict, palisade.Result) palisade.Sanitized {
	return palisade.Sanitized{}
}

func (raw) Refusal(palisade.Case, palisade.Verdict, *palisade.Approval) palisade.Feedback {
	return palisade.Feedback{}
}

func (raw) Writer(_ palisade.Case, w io.Writer) io.WriteCloser { return nopCloser{w} }

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// memory is a record that is forgotten after each run.
type memory struct {
	mu     sync.Mutex
	events []palisade.Event
}

func (m *memory) Append(_ context.Context, _ bool, events ...palisade.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range events {
		if _, err := json.Marshal(e.Data); err != nil {
			return fmt.Errorf("event %s is not JSON: %w", e.Kind, err)
		}
	}
	m.events = append(m.events, events...)
	return nil
}

func (m *memory) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = nil
}

// result is the raw result of the run that was recorded last.
func (m *memory) result() palisade.Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.events {
		if r, ok := e.Data.(palisade.Result); ok && e.Kind == palisade.EventFinished {
			return r
		}
	}
	return palisade.Result{}
}
