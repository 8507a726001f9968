package httpapi

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	defaultBody  = 32 << 20
	defaultQueue = 64
	defaultRate  = 200
	// Streams hold a connection each for as long as their run takes.
	defaultStreams       = 256
	defaultTenantStreams = 64
	// patience is how long a caller who waits for the answer waits for a place,
	// and asyncPatience how long one who does not.
	patience      = 10 * time.Second
	asyncPatience = 5 * time.Minute
	// allBodies bounds what is held of all requests at once, in bytes, and
	// tenantBodies what is of one tenant's: who sends slowly keeps others from
	// nothing.
	allBodies    = 512 << 20
	tenantBodies = 128 << 20
)

func (l Limits) complete() Limits {
	set := func(v *int, otherwise int) {
		if *v <= 0 {
			*v = otherwise
		}
	}
	if l.Body <= 0 {
		l.Body = defaultBody
	}
	set(&l.Running, max(4, 2*runtime.NumCPU()))
	set(&l.TenantRunning, max(1, 3*l.Running/4)) // one tenant leaves a place for others
	set(&l.TenantQueue, defaultQueue)
	set(&l.Streams, defaultStreams)
	set(&l.TenantStreams, min(defaultTenantStreams, l.Streams))
	set(&l.Rate, defaultRate)
	return l
}

// admission bounds what runs at once, for all and for each tenant. Tenants that
// wait take turns.
type admission struct {
	limits Limits
	now    func() time.Time

	mu      sync.Mutex
	running int
	held    int64 // bytes of bodies
	streams int   // that are open
	tenants map[string]*tenant
	turn    []string // tenants that wait, who is next first
}

// tenant is what one tenant has of the door. It is kept while it has anything, or
// its allowance is not whole.
type tenant struct {
	running int
	held    int64
	streams int
	waiting []*waiter
	tokens  float64 // requests that it may make at once
	at      time.Time
}

type waiter struct{ ready chan struct{} }

func newAdmission(l Limits, now func() time.Time) *admission {
	return &admission{limits: l, now: now, tenants: map[string]*tenant{}}
}

// of returns a tenant's state. a.mu must be held.
func (a *admission) of(name string) *tenant {
	t := a.tenants[name]
	if t == nil {
		if len(a.tenants) > 1000 {
			a.forget()
		}
		t = &tenant{tokens: a.burst(), at: a.now()}
		a.tenants[name] = t
	}
	return t
}

func (a *admission) burst() float64 { return float64(2 * a.limits.Rate) }

// forget drops tenants of whom nothing is left to know. a.mu must be held.
func (a *admission) forget() {
	for name, t := range a.tenants {
		if t.running == 0 && t.held == 0 && t.streams == 0 && len(t.waiting) == 0 && a.now().Sub(t.at) > 2*time.Second {
			delete(a.tenants, name)
		}
	}
}

// request takes one request of a tenant's rate.
func (a *admission) request(name string) *Error {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.of(name)
	now := a.now()
	t.tokens = min(a.burst(), t.tokens+now.Sub(t.at).Seconds()*float64(a.limits.Rate))
	t.at = now
	if t.tokens < 1 {
		return &Error{
			status: http.StatusTooManyRequests, Code: "rate_limited", Message: "too many requests of this tenant: wait, then go on slower", retry: time.Second,
		}
	}
	t.tokens--
	return nil
}

// hold takes room for the body of a request; release, never nil, gives it back.
func (a *admission) hold(name string, size int64) (release func(), failed *Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.of(name)
	if a.held+size > allBodies || t.held+size > max(tenantBodies, a.limits.Body) {
		return func() {}, &Error{status: http.StatusServiceUnavailable, Code: "busy", Message: "too much is being sent at once: try again in a moment", retry: time.Second}
	}
	a.held += size
	t.held += size
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.held -= size
		t.held -= size
	}, nil
}

// stream takes a place for one more stream.
func (a *admission) stream(name string) (leave func(), failed *Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.of(name)
	if a.streams >= a.limits.Streams || t.streams >= a.limits.TenantStreams {
		return nil, &Error{
			status: http.StatusTooManyRequests, Code: "too_many", Message: "too many streams are open already: close some, or ask for the run itself until it is done", retry: 5 * time.Second, MayHaveRun: true,
		}
	}
	a.streams++
	t.streams++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.streams--
		t.streams--
	}, nil
}

// enter waits for a place to run. The caller gives it back with leave.
func (a *admission) enter(ctx context.Context, name string, most time.Duration) error {
	a.mu.Lock()
	t := a.of(name)
	if a.free(t) && len(t.waiting) == 0 {
		a.take(t)
		a.mu.Unlock()
		return nil
	}
	if len(t.waiting) >= a.limits.TenantQueue {
		a.mu.Unlock()
		return tooMany()
	}
	w := &waiter{make(chan struct{})}
	if len(t.waiting) == 0 {
		a.turn = append(a.turn, name)
	}
	t.waiting = append(t.waiting, w)
	a.mu.Unlock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	var err error
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timer.C:
		err = &Error{status: http.StatusServiceUnavailable, Code: "busy", Message: "no place to run became free in time; it never ran: try again later", retry: 5 * time.Second}
	}
	if !a.withdraw(name, w) { // it got its place at the same moment
		a.leave(name)
	}
	return err
}

func tooMany() *Error {
	return &Error{
		status: http.StatusTooManyRequests, Code: "too_many", Message: "too many programs of this tenant run or wait already; this one never ran: try again when some have ended", retry: 2 * time.Second,
	}
}

// full reports whether a tenant cannot even wait, so that nothing is claimed for it.
func (a *admission) full(name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.of(name); len(t.waiting) >= a.limits.TenantQueue {
		return tooMany()
	}
	return nil
}

func (a *admission) free(t *tenant) bool {
	return a.running < a.limits.Running && t.running < a.limits.TenantRunning
}

func (a *admission) take(t *tenant) { a.running++; t.running++ }

// withdraw takes a waiter out, and reports whether it was still there.
func (a *admission) withdraw(name string, w *waiter) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.of(name)
	for i, one := range t.waiting {
		if one == w {
			t.waiting = append(t.waiting[:i], t.waiting[i+1:]...)
			if len(t.waiting) == 0 {
				a.turn = slices.DeleteFunc(a.turn, func(n string) bool { return n == name })
			}
			return true
		}
	}
	return false
}

// leave gives a place back, and gives it to whoever is next.
func (a *admission) leave(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.of(name)
	a.running--
	t.running--
	for i := 0; i < len(a.turn); {
		next := a.of(a.turn[i])
		if !a.free(next) {
			i++
			continue
		}
		a.take(next)
		close(next.waiting[0].ready)
		next.waiting = next.waiting[1:]
		who := a.turn[i]
		a.turn = append(a.turn[:i], a.turn[i+1:]...)
		if len(next.waiting) > 0 {
			a.turn = append(a.turn, who)
		}
	}
}

// load is what runs and waits, over all tenants.
func (a *admission) load() (running, waiting int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tenants {
		waiting += len(t.waiting)
	}
	return a.running, waiting
}
