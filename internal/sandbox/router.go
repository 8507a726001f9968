package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"palisade"
)

// Backend makes boxes of one kind.
type Backend interface {
	palisade.Sandbox
	// Try brings up one box of a language, in which no program is started, and
	// returns what was in force around it.
	Try(ctx context.Context, l palisade.Language) (palisade.Ready, error)
	Close() error
}

// Router sends each job to the first back-end of those that its verdict names
// which this machine has. A back-end is opened when a job first wants it, so that
// one that no policy names is never started. It is safe for concurrent use.
type Router struct {
	open map[string]func(context.Context) (Backend, error)

	mu     sync.Mutex
	opened map[string]*opening
	closed bool
}

// opening is a back-end that was opened, or is being opened.
type opening struct {
	done    chan struct{}
	backend Backend
	err     error
	at      time.Time
}

// NewRouter returns a router to the back-ends that open opens, by name.
func NewRouter(open map[string]func(context.Context) (Backend, error)) *Router {
	return &Router{open: open, opened: map[string]*opening{}}
}

// Names are those of the back-ends that there are, sorted.
func (r *Router) Names() []string { return slices.Sorted(maps.Keys(r.open)) }

// Backend returns a back-end, opening it if it is not open. One that this machine
// does not have is tried again after a minute.
func (r *Router) Backend(ctx context.Context, name string) (Backend, error) {
	open, ok := r.open[name]
	if !ok {
		return nil, fmt.Errorf("there is no back-end %q: there are %s", name, strings.Join(r.Names(), ", "))
	}
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, errors.New("the sandbox is closed")
	}
	o := r.opened[name]
	first := o == nil || o.failed() && time.Since(o.at) > retryAfter
	if first {
		o = &opening{done: make(chan struct{}), at: time.Now()}
		r.opened[name] = o
	}
	r.mu.Unlock()
	if first {
		o.backend, o.err = open(ctx)
		close(o.done)
	}
	select {
	case <-o.done:
		if o.err != nil {
			return nil, fmt.Errorf("back-end %s: %w", name, o.err)
		}
		return o.backend, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (o *opening) failed() bool {
	select {
	case <-o.done:
		return o.err != nil
	default:
		return false
	}
}

// choose returns the first back-end of names that this machine has.
func (r *Router) choose(ctx context.Context, names []string) (Backend, error) {
	if len(names) == 0 {
		return nil, errors.New("policy names no back-end")
	}
	var errs []error
	for _, name := range names {
		b, err := r.Backend(ctx, name)
		if err == nil {
			return b, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// Image implements [palisade.Sandbox].
func (r *Router) Image(ctx context.Context, l palisade.Language, iso palisade.Isolation) (string, error) {
	b, err := r.choose(ctx, iso.Backends)
	if err != nil {
		return "", err
	}
	return b.Image(ctx, l, iso)
}

// Run implements [palisade.Sandbox]. Where this machine has none of the back-ends
// that policy names, the job is refused.
func (r *Router) Run(ctx context.Context, p palisade.Permit) (palisade.Result, error) {
	_, _, wanted := p.Peek()
	b, err := r.choose(ctx, wanted)
	if err == nil {
		begin := time.Now()
		result, err := b.Run(ctx, p)
		result.Usage.Sandbox = time.Since(begin)
		return result, err
	}
	if _, spent := p.Spend(); spent != nil {
		return palisade.Result{}, spent
	}
	if ctx.Err() != nil {
		return palisade.Result{Status: palisade.Interrupted, ExitCode: -1}, nil
	}
	return palisade.Result{Status: palisade.Refused, Reason: err.Error(), ExitCode: -1, Fix: "palisade doctor says what this machine lacks for a sandbox"}, nil
}

// Close closes every back-end that is open.
func (r *Router) Close() error {
	r.mu.Lock()
	r.closed = true
	all := slices.Collect(maps.Values(r.opened))
	r.mu.Unlock()
	var errs []error
	for _, o := range all {
		<-o.done
		if o.err == nil {
			errs = append(errs, o.backend.Close())
		}
	}
	return errors.Join(errs...)
}
