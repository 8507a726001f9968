package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"palisade"
	"palisade/internal/auth"
)

// Causes for which a run is ended.
var (
	errHungUp   = errors.New("the caller hung up")
	errCanceled = errors.New("canceled by the caller")
	errDrained  = errors.New("the server stops")
)

// live is a run of this server, from when it was taken to a while after its end.
type live struct {
	id     string
	tenant string
	feed   *feed
	cancel context.CancelCauseFunc
	done   chan struct{} // closed at the end; result stands then
	result result
	// checked is how long the gate's own check before the start took.
	checked time.Duration
}

// result is how a run came out: an outcome as it is on the record, or an error.
type result struct {
	outcome json.RawMessage
	err     *Error
	sandbox time.Duration // of it all, what was the box's; 0: not known
	locked  bool          // nothing runs until the operator says so
}

// keepFor and keepMost bound the ended runs whose feeds are kept.
const (
	keepFor  = time.Minute
	keepMost = 200
)

// runs are those of this server.
type runs struct {
	base context.Context // what runs is under
	stop context.CancelCauseFunc

	mu       sync.Mutex
	all      map[string]*live
	ended    []*live // the oldest first
	active   int
	draining bool
	idle     chan struct{} // closed when draining and nothing is active
}

func newRuns() *runs {
	base, stop := context.WithCancelCause(context.Background())
	return &runs{base: base, stop: stop, all: map[string]*live{}, idle: make(chan struct{})}
}

// begin takes a run in.
func (r *runs) begin(id, tenant string) (*live, context.Context, *Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining {
		return nil, nil, errStopping
	}
	ctx, cancel := context.WithCancelCause(r.base)
	l := &live{id: id, tenant: tenant, feed: newFeed(), cancel: cancel, done: make(chan struct{})}
	r.all[id] = l
	r.active++
	return l, ctx, nil
}

// end tells how a run came out, and forgets old ones.
func (r *runs) end(l *live, how result) {
	l.result = how
	close(l.done)
	l.feed.end()
	l.cancel(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = append(r.ended, l)
	for len(r.ended) > keepMost {
		r.drop()
	}
	time.AfterFunc(keepFor, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.ended) > 0 && r.ended[0] == l {
			r.drop()
		}
	})
	if r.active--; r.active == 0 && r.draining {
		close(r.idle)
	}
}

// drop forgets the oldest that ended. r.mu must be held.
func (r *runs) drop() {
	delete(r.all, r.ended[0].id)
	r.ended = r.ended[1:]
}

// find returns a run of this server, or nil.
func (r *runs) find(id string) *live {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[id]
}

// drain takes nothing new and waits for what runs; what still does when ctx ends
// is ended, and waited for.
func (r *runs) drain(ctx context.Context) {
	r.mu.Lock()
	if !r.draining {
		r.draining = true
		if r.active == 0 {
			close(r.idle)
		}
	}
	r.mu.Unlock()
	select {
	case <-r.idle:
	case <-ctx.Done():
		r.stop(errDrained)
		<-r.idle
	}
}

func (r *runs) isDraining() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.draining
}

// Observe is told of each step once it is on the record: it is counted, and those
// who look on at its run see it.
func (s *Server) Observe(e palisade.Event) {
	s.figures.observe(e)
	if l := s.runs.find(e.Run); l != nil {
		if e.Kind == palisade.EventStarted {
			l.checked = s.c.Now().Sub(e.Time)
		}
		l.feed.add("event", step{string(e.Kind), e.Time.UTC()})
	}
}

// step is the data of an event of the record; what stands in it is not told.
type step struct {
	Kind string    `json:"kind"`
	Time time.Time `json:"time"`
}

// start takes a submission to the gate in the background, once there is a place.
// claimed says that the run is on the record already.
func (s *Server) start(asked context.Context, sub palisade.Submission, claimed bool, most time.Duration) (*live, *Error) {
	who := askingOf(asked)
	l, ctx, failed := s.runs.begin(sub.Run, who.caller.Tenant)
	if failed != nil {
		return nil, failed
	}
	sub.Live = palisade.Live{Stdout: &text{feed: l.feed, name: "stdout"}, Stderr: &text{feed: l.feed, name: "stderr"}}
	leave := keepRoom(asked)
	go func() {
		defer leave()
		how := s.take(ctx, who, sub, claimed, most)
		how.sandbox = max(how.sandbox-l.checked, 0)
		l.tell(how)
		s.runs.end(l, how)
	}()
	return l, nil
}

// take waits for a place and runs a submission, if who asks is known then still.
func (s *Server) take(ctx context.Context, who asking, sub palisade.Submission, claimed bool, most time.Duration) result {
	tenant := who.caller.Tenant
	err := s.admission.enter(ctx, tenant, most)
	if err == nil {
		defer s.admission.leave(tenant)
		err = who.still(ctx)
	}
	if err != nil {
		if claimed {
			if err := s.c.Index.Abandon(context.WithoutCancel(ctx), sub.Run); err != nil {
				return result{err: s.known(sub.Run, err)}
			}
		}
		return result{err: s.neverRan(sub.Run, err)}
	}
	out, err := s.c.Gate.Run(ctx, sub)
	if err != nil {
		return result{err: s.runFailed(sub.Run, err)}
	}
	if err := s.c.Artifacts.keep(tenant, out); err != nil { // the run has its outcome all the same
		slog.Error("http", slog.String("run", sub.Run), slog.Any("error", err))
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return result{err: s.known(sub.Run, err)}
	}
	return result{outcome: raw, sandbox: out.Usage.Sandbox, locked: s.isLocked()}
}

// neverRan is why a run was not handed to the gate.
func (s *Server) neverRan(run string, err error) *Error {
	switch {
	case errors.Is(err, errHungUp), errors.Is(err, errCanceled):
		return &Error{status: 409, Code: "canceled", Message: "it was canceled while it waited for a place; it never ran", Run: run}
	case errors.Is(err, errDrained):
		return errStopping
	case errors.Is(err, auth.ErrUnauthenticated): // others may wait for it whose key is good
		return &Error{status: 409, Code: "canceled", Message: "the key that it came with ended while it waited for a place; it never ran", Run: run}
	}
	e := *s.known(run, err)
	e.Run = run
	return &e
}

// runFailed is why the gate has no outcome.
func (s *Server) runFailed(run string, err error) *Error {
	if invalid, ok := errors.AsType[*palisade.InputError](err); ok {
		return &Error{status: 422, Code: "invalid", Message: invalid.Reason, Run: run}
	}
	e := *s.known(run, err)
	e.Run, e.MayHaveRun = run, s.mayHaveRun(run)
	return &e
}

// mayHaveRun is what the record says of a run that the gate lost; in doubt, yes.
func (s *Server) mayHaveRun(run string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	found, err := s.c.Index.Run(ctx, everything, run)
	return err != nil || found.MayHaveRun || found.Started
}

// everything is who sees every run: the door itself, which then answers within
// what it knows of its caller.
var everything = auth.Caller{Tenant: auth.System, Name: "door:api", Roles: []auth.Role{auth.Auditor}}

// tell tells those who look on how a run came out.
func (l *live) tell(how result) {
	for _, e := range ending(how, false) {
		l.feed.add(e.Name, e.Data)
	}
}
