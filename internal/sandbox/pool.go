package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"time"
)

// Template makes boxes that are alike: for gVisor a checkpoint that is restored,
// for the native back-end a zygote that forks.
type Template[B io.Closer] interface {
	// Box makes one box and parks it: warmed, at rest, ready to take a job.
	Box(ctx context.Context) (B, error)
	// Memory is what a parked box holds of the host's memory, in bytes, as
	// well as it is known.
	Memory() int64
	// Close frees what the template holds. Boxes that it made live on.
	Close() error
}

// PoolLimits bound a pool. Each zero field has a default.
type PoolLimits struct {
	// Size is how many parked boxes of one template are kept. Default: the
	// number of processors, at least 2 and at most 32.
	Size int
	// Making is how many boxes and templates may be made at once, which bounds
	// the processors that the pool takes. Default: the number of processors.
	Making int
	// Memory bounds what all parked boxes hold together, in bytes. Default: 2
	// GiB.
	Memory int64
	// Templates is how many are kept; beyond it the one that was not used for
	// the longest time goes, if that is a minute. Default: 8.
	Templates int
	// After is how often a key is asked for before its template is made: one
	// that is never asked for again is not worth it. Default: 2.
	After int
	// Uses and Age are after how many boxes, and how much time, a template is
	// replaced. Default: 1000 and an hour.
	Uses int
	Age  time.Duration
	// Idle is how long a template that nobody asks for is kept, with its boxes.
	// Default: 10 minutes.
	Idle time.Duration
	// Queue is how many callers may wait for a box, and Patience how long.
	// Default: 4 for each that can be made at once, and 10 seconds.
	Queue    int
	Patience time.Duration
	// Await has callers wait for a template that is not made yet, as they wait for
	// a box, instead of being told [ErrNotWarm].
	Await bool
}

// PoolConfig is what a pool is made of.
type PoolConfig[K comparable, B io.Closer] struct {
	PoolLimits
	// Open makes the template of a key. It may take seconds. Required.
	Open func(ctx context.Context, key K) (Template[B], error)
	// Logger gets what an operator should know. Nil: nothing is logged.
	Logger *slog.Logger
}

// withDefaults fills what was not set.
func (c PoolConfig[K, B]) withDefaults() PoolConfig[K, B] {
	c.Size = cmp.Or(c.Size, min(max(runtime.NumCPU(), 2), 32))
	c.Making = cmp.Or(c.Making, runtime.NumCPU())
	c.Memory = cmp.Or(c.Memory, 2<<30)
	c.Templates = cmp.Or(c.Templates, 8)
	c.After = cmp.Or(c.After, 2)
	c.Uses = cmp.Or(c.Uses, 1000)
	c.Age = cmp.Or(c.Age, time.Hour)
	c.Idle = cmp.Or(c.Idle, 10*time.Minute)
	c.Queue = cmp.Or(c.Queue, 4*c.Making)
	c.Patience = cmp.Or(c.Patience, 10*time.Second)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// ErrNotWarm says that there is no template for a key yet, or that none could be
// made: the caller makes a box in the ordinary way.
var ErrNotWarm = errors.New("no warm box of this kind")

// errGivenUp says that who waited will get no box: one could not be made, or
// nothing of the kind is kept any more. The next may be.
var errGivenUp = fmt.Errorf("%w: it could not be made", ErrNotWarm)

// BusyError says that a pool's queue is full, or that a caller waited in vain.
// The run is refused.
type BusyError struct {
	Waiting int // callers who wait
	Waited  time.Duration
}

func (e *BusyError) Error() string {
	if e.Waited > 0 {
		return fmt.Sprintf("busy: no box came free in %v", e.Waited)
	}
	return fmt.Sprintf("busy: %d runs wait for a box already", e.Waiting)
}

// Fix says what can be done about it.
func (*BusyError) Fix() string {
	return "try again in a moment; an owner may raise sandbox.pool.queue, or sandbox.pool.making where processors are free"
}

// PoolStats are counts since the pool was made, but for Parked and Templates,
// which are of now.
type PoolStats struct {
	Parked, Templates int
	// Hits were served by a parked box, OnDemand by one that was made for the
	// caller, Queued waited for one, NotWarm had no template, Refused got none.
	Hits, OnDemand, Queued, NotWarm, Refused int64
	// Made and Failed count boxes, Opened templates.
	Made, Failed, Opened int64
}

// Pool keeps boxes parked by the key of their template. Each is handed out once;
// who takes it destroys it. A pool is safe for concurrent use.
//
// Whoever asks gets a parked box; where there is none, one is made for them; where
// as many are being made as may be, they wait in a queue that is bounded in
// length and time, and are then refused. Who asks for a template that is not
// there is told [ErrNotWarm]; it is made when it was asked for often enough.
type Pool[K comparable, B io.Closer] struct {
	config PoolConfig[K, B]
	ctx    context.Context // of everything made in the background; Close ends it
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	shelves map[K]*shelf[B]
	asked   map[K]int // of keys that have no shelf
	making  int       // boxes and templates that are being made
	held    int64     // memory of parked boxes, and of those made to be parked
	waiting int
	soon    bool // tendSoon was called
	closed  bool
	stats   PoolStats
}

// shelf is what a pool has of one key.
type shelf[B io.Closer] struct {
	template *kept[B] // nil: not made yet
	opening  bool
	failed   time.Time // when it could not be made
	used     time.Time // when somebody asked last
	parked   []parked[B]
	coming   int // boxes on their way to be parked
	waiters  []chan B
	gone     bool
}

// kept is a template with what is counted of it. It is closed when the last box
// that is being made of it is done.
type kept[B io.Closer] struct {
	Template[B]
	made  int
	born  time.Time
	users int
	old   bool
}

type parked[B io.Closer] struct {
	box  B
	size int64
}

// NewPool returns an empty pool.
func NewPool[K comparable, B io.Closer](c PoolConfig[K, B]) *Pool[K, B] {
	p := &Pool[K, B]{config: c.withDefaults(), shelves: map[K]*shelf[B]{}, asked: map[K]int{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.work.Go(p.watch)
	return p
}

// Stats returns the pool's counts.
func (p *Pool[K, B]) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	for _, one := range p.shelves {
		s.Parked += len(one.parked)
		if one.template != nil {
			s.Templates++
		}
	}
	return s
}

// Take returns a box that nobody else has or will get. The caller closes it. An
// error is [ErrNotWarm], a [*BusyError], the context's, or that of a box which
// could not be made.
func (p *Pool[K, B]) Take(ctx context.Context, key K) (B, error) {
	var none B
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return none, errors.New("the pool is closed")
	}
	s := p.shelf(key)
	if s == nil || s.template == nil && (!p.config.Await || time.Since(s.failed) < retryAfter) {
		p.stats.NotWarm++
		p.tend()
		p.mu.Unlock()
		return none, ErrNotWarm
	}
	if n := len(s.parked); n > 0 {
		// The one that was parked last: what it touched is still in the caches.
		one := s.parked[n-1]
		s.parked = s.parked[:n-1]
		p.held -= one.size
		p.stats.Hits++
		if n > 1 {
			p.tendSoon()
		} else {
			p.tend()
		}
		p.mu.Unlock()
		return one.box, nil
	}
	if s.template != nil && p.making < p.config.Making {
		p.stats.OnDemand++
		t := p.begin(s)
		p.mu.Unlock()
		box, err := t.Box(ctx)
		p.mu.Lock()
		p.finish(t, err)
		p.tend()
		p.mu.Unlock()
		return box, err
	}
	if p.waiting >= p.config.Queue {
		defer p.mu.Unlock()
		p.stats.Refused++
		return none, &BusyError{Waiting: p.waiting}
	}
	return p.wait(ctx, s)
}

// takeTries is how many boxes may turn out to have ended, or not come up.
const takeTries = 3

// TakeFor is [Pool.Take] for a run: wake says why a box is not fit for it, which is
// then closed. ok is false where there is none and an ordinary box will do; an
// error refuses the run.
func (p *Pool[K, B]) TakeFor(ctx context.Context, key K, wake func(B) error) (box B, ok bool, err error) {
	var none B
	for range takeTries {
		box, err := p.Take(ctx, key)
		switch _, busy := errors.AsType[*BusyError](err); {
		case busy, ctx.Err() != nil:
			return none, false, err
		case errors.Is(err, ErrNotWarm) && !errors.Is(err, errGivenUp):
			return none, false, nil
		case err != nil:
			p.config.Logger.Warn("a warm box could not be made", slog.Any("error", err))
			continue
		}
		if err = wake(box); err == nil {
			return box, true, nil
		}
		p.config.Logger.Warn("a parked box had ended", slog.Any("error", errors.Join(err, box.Close())))
	}
	return none, false, nil
}

// Warm has a template made, and boxes parked, before anybody asks.
func (p *Pool[K, B]) Warm(key K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.asked[key] = p.config.After
	p.shelf(key)
	p.tend()
}

// wait waits for a box of a shelf. It is called with the lock held, and lets go
// of it.
func (p *Pool[K, B]) wait(ctx context.Context, s *shelf[B]) (B, error) {
	p.stats.Queued++
	p.waiting++
	turn := make(chan B, 1)
	s.waiters = append(s.waiters, turn)
	p.tend()
	p.mu.Unlock()
	timer := time.NewTimer(p.config.Patience)
	defer timer.Stop()
	var err error
	select {
	case box, ok := <-turn:
		if ok {
			return box, nil
		}
		var none B
		return none, errGivenUp
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timer.C:
		err = &BusyError{Waited: p.config.Patience}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.leave(s, turn) {
		// A box was handed over just now, or the shelf given up.
		if box, ok := <-turn; ok {
			return box, nil
		}
	}
	p.stats.Refused++
	var none B
	return none, err
}
