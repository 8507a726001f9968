package incident

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"palisade"
)

// Poll is how often a gate looks at the brake while something runs. A look is a
// few system calls, some 20 µs; a gate in which nothing runs does not look.
const Poll = 50 * time.Millisecond

// Brake is a gate's side: it holds a sandbox to the folder's state. It is safe
// for concurrent use.
type Brake struct {
	folder *Folder
	cut    func() error

	mu   sync.Mutex
	runs map[string]*run
	off  bool          // egress was off at the last look
	stop chan struct{} // ends the watch; nil: nothing runs
}

// run is one that is registered.
type run struct {
	tenant string
	cancel context.CancelCauseFunc

	shown chan struct{} // closed once the folder has the run, or err says why not
	leave func() error
	err   error
}

// New returns a gate's brake. cut, if any, is called when every way out is to be
// cut; where it fails, what runs is ended.
func New(f *Folder, cut func() error) *Brake {
	return &Brake{folder: f, cut: cut, runs: map[string]*run{}}
}

// EgressOff reports why no peer may be reached now; nil: those that policy
// allows. A proxy asks before it opens a connection.
func (b *Brake) EgressOff() error {
	s, err := b.folder.State()
	switch {
	case err != nil:
		return err
	case s.Lockdown.On:
		return byLockdown(s.Lockdown)
	case s.EgressOff.On:
		return errors.New("every way out is cut" + s.EgressOff.String())
	}
	return nil
}

// enter registers a run. Its context ends, with a *stopped as its cause, when
// the brake is pulled. Making the file takes as long as some programs, so that it
// is made while the run gets its box; may waits for it.
func (b *Brake) enter(ctx context.Context, id, tenant string) (context.Context, *run) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &run{tenant: tenant, cancel: cancel, shown: make(chan struct{})}
	go func() {
		defer close(r.shown)
		r.leave, r.err = b.folder.register(Running{Run: id, Tenant: tenant, PID: os.Getpid(), Since: b.folder.now().UTC()})
	}()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs[id] = r
	if b.stop == nil {
		b.stop = make(chan struct{})
		go b.watch(b.stop)
	}
	return ctx, r
}

func (b *Brake) leave(id string) {
	b.mu.Lock()
	r := b.runs[id]
	delete(b.runs, id)
	if len(b.runs) == 0 && b.stop != nil {
		close(b.stop)
		b.stop = nil
	}
	b.mu.Unlock()
	r.cancel(nil)
	if <-r.shown; r.err == nil {
		_ = r.leave() // a file that stays is nobody's, and is swept by whoever looks
	}
}

// watch looks at the folder while something runs.
func (b *Brake) watch(stop chan struct{}) {
	tick := time.NewTicker(Poll)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			b.look()
		}
	}
}

// look ends what is to be ended.
func (b *Brake) look() {
	s, _ := b.folder.State() // in doubt, a lockdown
	requests := b.folder.requests()
	b.mu.Lock()
	newlyOff := s.EgressOff.On && !b.off
	b.off = s.EgressOff.On
	for id, r := range b.runs {
		if why := verdict(s, requests, id, r.tenant); why != nil {
			r.cancel(why)
		}
	}
	b.mu.Unlock()
	if !newlyOff || b.cut == nil {
		return
	}
	if err := b.cut(); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, r := range b.runs {
			r.cancel(byCut(err))
		}
	}
}

// verdict says why a run may not go on; nil: it may.
func verdict(s State, requests []Request, id, tenant string) *stopped {
	if s.Lockdown.On {
		return byLockdown(s.Lockdown)
	}
	for _, r := range requests {
		if r.Matches(id, tenant) {
			return byRequest(r)
		}
	}
	return nil
}

// may reports why a run that has entered may not start now. It is registered first:
// whoever pulls the brake after this look finds it.
func (b *Brake) may(id string) error {
	b.mu.Lock()
	r := b.runs[id]
	b.mu.Unlock()
	if r == nil {
		return fmt.Errorf("run %s is not known to the brake", id)
	}
	if <-r.shown; r.err != nil {
		return fmt.Errorf("show the run to the brake: %w", r.err)
	}
	return b.pulled(id, r)
}

// pulled reports whether the brake is pulled for a run, which is then ended.
func (b *Brake) pulled(id string, r *run) error {
	s, _ := b.folder.State() // in doubt, a lockdown
	if why := verdict(s, b.folder.requests(), id, r.tenant); why != nil {
		r.cancel(why)
		return why
	}
	return nil
}

// Sandbox returns a sandbox in which nothing starts in a lockdown, and from
// which every run can be taken.
func (b *Brake) Sandbox(inner palisade.Sandbox) palisade.Sandbox { return braked{inner, b} }

type braked struct {
	palisade.Sandbox
	brake *Brake
}

// Run implements [palisade.Sandbox].
func (s braked) Run(ctx context.Context, p palisade.Permit) (palisade.Result, error) {
	id, tenant, _ := p.Peek()
	if id == "" {
		return s.Sandbox.Run(ctx, p) // no permit, as the back-end will find
	}
	ctx, r := s.brake.enter(ctx, id, tenant)
	defer s.brake.leave(id)
	if s.brake.pulled(id, r) != nil { // no box is made for it
		return judge(ctx, palisade.Result{Status: palisade.Refused, ExitCode: -1}, nil)
	}
	result, err := s.Sandbox.Run(ctx, p)
	return judge(ctx, result, err)
}

// judge tells a run that the brake ended from one whose caller went away.
func judge(ctx context.Context, r palisade.Result, err error) (palisade.Result, error) {
	why, ok := errors.AsType[*stopped](context.Cause(ctx))
	if !ok {
		return r, err
	}
	switch r.Status {
	case palisade.Interrupted, palisade.Refused, palisade.SandboxError, palisade.Unknown:
	default:
		return r, err // it had ended by itself
	}
	if err != nil {
		return r, fmt.Errorf("%w: %w", why, err)
	}
	reason := why.reason
	if r.Status == palisade.SandboxError && r.Reason != "" {
		reason += "; " + r.Reason
	}
	r.Status, r.Reason, r.Fix = palisade.Killed, reason, why.fix
	if !r.MayHaveRun {
		r.Status = palisade.Refused
	}
	return r, nil
}

// Recorder returns a recorder that asks the brake when a start is on the record:
// it is the last step before a program's first byte.
func (b *Brake) Recorder(inner palisade.Recorder) palisade.Recorder { return recorder{inner, b} }

type recorder struct {
	palisade.Recorder
	brake *Brake
}

// Append implements [palisade.Recorder].
func (r recorder) Append(ctx context.Context, durable bool, events ...palisade.Event) error {
	if err := r.Recorder.Append(ctx, durable, events...); err != nil {
		return err
	}
	for _, e := range events {
		if e.Kind == palisade.EventStarted {
			if err := r.brake.may(e.Run); err != nil {
				return err
			}
		}
	}
	return nil
}
