package sandbox

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// press makes boxes for the tests of the pool, and counts everything.
type press struct {
	openTime, boxTime                    time.Duration
	opened, closed, made, destroyed, now atomic.Int64
	most                                 atomic.Int64 // at once
	fail                                 atomic.Bool
}

type pressed struct {
	*press
	number int64 // of the template
	once   sync.Once
}

type testBox struct {
	*press
	template int64
}

func (b *testBox) Close() error { b.destroyed.Add(1); return nil }

func (p *press) busy(ctx context.Context, d time.Duration) error {
	n := p.now.Add(1)
	defer p.now.Add(-1)
	for m := p.most.Load(); n > m && !p.most.CompareAndSwap(m, n); m = p.most.Load() {
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.fail.Load() {
		return errors.New("it cannot be made")
	}
	return nil
}

func (p *press) open(ctx context.Context, _ string) (Template[*testBox], error) {
	if err := p.busy(ctx, p.openTime); err != nil {
		return nil, err
	}
	return &pressed{press: p, number: p.opened.Add(1)}, nil
}

func (t *pressed) Box(ctx context.Context) (*testBox, error) {
	if err := t.busy(ctx, t.boxTime); err != nil {
		return nil, err
	}
	t.made.Add(1)
	return &testBox{t.press, t.number}, nil
}
func (t *pressed) Memory() int64 { return 100 }
func (t *pressed) Close() error  { t.once.Do(func() { t.press.closed.Add(1) }); return nil }

func testPool(t *testing.T, limits PoolLimits) (*press, *Pool[string, *testBox]) {
	p := &press{openTime: time.Second, boxTime: 100 * time.Millisecond}
	c := PoolConfig[string, *testBox]{PoolLimits: limits, Open: p.open}
	if c.Making == 0 {
		c.Making = 2
	}
	if c.Size == 0 {
		c.Size = 3
	}
	pool := NewPool(c)
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		if p.opened.Load() != p.closed.Load() {
			t.Errorf("%d templates opened, %d closed", p.opened.Load(), p.closed.Load())
		}
		if p.most.Load() > int64(c.Making) {
			t.Errorf("%d at once, at most %d may be", p.most.Load(), c.Making)
		}
	})
	return p, pool
}

// take takes a box, destroys it, and says of which template it was; 0: cold.
func take(t *testing.T, pool *Pool[string, *testBox], key string) int64 {
	t.Helper()
	b, err := pool.Take(t.Context(), key)
	if errors.Is(err, ErrNotWarm) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return b.template
}

func TestPoolWarmsWhatIsAskedForTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, pool := testPool(t, PoolLimits{})
		if take(t, pool, "a") != 0 {
			t.Error("a box from nowhere")
		}
		time.Sleep(10 * time.Second)
		if p.opened.Load() != 0 {
			t.Error("a template for one run")
		}
		take(t, pool, "a")
		time.Sleep(10 * time.Second)
		if s := pool.Stats(); s.Parked != 3 || s.Templates != 1 {
			t.Errorf("%+v", s)
		}
		start := time.Now()
		for range 3 {
			if take(t, pool, "a") != 1 {
				t.Error("not of the template")
			}
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("parked boxes took %v", d)
		}
	})
}

func TestPoolBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, pool := testPool(t, PoolLimits{Queue: 4, Patience: 250 * time.Millisecond})
		pool.Warm("a")
		time.Sleep(10 * time.Second)
		p.boxTime = 200 * time.Millisecond
		var got, refused, tooMany atomic.Int64
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				b, err := pool.Take(t.Context(), "a")
				if busy, ok := errors.AsType[*BusyError](err); ok {
					if busy.Fix() == "" || busy.Error() == "" {
						t.Error("a refusal without a word")
					}
					if refused.Add(1); busy.Waiting > 0 {
						tooMany.Add(1)
					}
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				got.Add(1)
				b.Close()
			})
		}
		wait.Wait()
		// Three were parked, two are made at once; four wait, and of these the
		// two get one that are next.
		if got.Load()+refused.Load() != 20 || got.Load() < 5 || tooMany.Load() == 0 || refused.Load() == tooMany.Load() {
			t.Errorf("%d got a box, %d were refused, %d of them at once: %+v", got.Load(), refused.Load(), tooMany.Load(), pool.Stats())
		}
	})
}

func TestPoolReplacesTemplates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, pool := testPool(t, PoolLimits{Uses: 10, Age: time.Hour, Idle: 24 * time.Hour})
		pool.Warm("a")
		time.Sleep(time.Minute)
		last := int64(1)
		for range 20 {
			n := take(t, pool, "a")
			if n < last {
				t.Errorf("a box of template %d after one of %d", n, last)
			}
			last = n
			time.Sleep(5 * time.Second)
		}
		if last < 2 {
			t.Error("not replaced after its uses")
		}
		time.Sleep(61 * time.Minute)
		if n := take(t, pool, "a"); n <= last {
			t.Errorf("template %d after an hour, %d before", n, last)
		}
	})
}

func TestPoolForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, pool := testPool(t, PoolLimits{Templates: 2, Idle: 10 * time.Minute})
		pool.Warm("a")
		pool.Warm("b")
		time.Sleep(30 * time.Second)
		pool.Warm("c") // both are in use
		time.Sleep(20 * time.Second)
		if take(t, pool, "c") != 0 || take(t, pool, "b") == 0 {
			t.Error("a template in use made room")
		}
		time.Sleep(45 * time.Second)
		pool.Warm("c")
		time.Sleep(10 * time.Second)
		if take(t, pool, "c") == 0 || take(t, pool, "b") == 0 || take(t, pool, "a") != 0 {
			t.Error("the wrong one made room")
		}
		time.Sleep(11 * time.Minute)
		if s := pool.Stats(); s.Templates != 0 || s.Parked != 0 || p.made.Load() != p.destroyed.Load() {
			t.Errorf("%+v, %d made, %d destroyed", s, p.made.Load(), p.destroyed.Load())
		}
	})
}

func TestPoolBoundsMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, pool := testPool(t, PoolLimits{Memory: 450})
		for _, k := range []string{"a", "b", "c"} {
			pool.Warm(k)
		}
		time.Sleep(time.Minute)
		if s := pool.Stats(); s.Parked != 4 {
			t.Errorf("%d boxes of 100 in 450", s.Parked)
		}
		for _, k := range []string{"a", "b", "c"} {
			if take(t, pool, k) == 0 {
				t.Errorf("no box of %s", k)
			}
		}
	})
}

func TestPoolThatCannotMake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, pool := testPool(t, PoolLimits{})
		p.fail.Store(true)
		pool.Warm("a")
		time.Sleep(30 * time.Second)
		if take(t, pool, "a") != 0 {
			t.Error("a box from nowhere")
		}
		p.fail.Store(false)
		take(t, pool, "a")
		time.Sleep(2 * time.Minute)
		if take(t, pool, "a") == 0 {
			t.Error("it was not tried again")
		}
	})
}

func TestPoolAwaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, pool := testPool(t, PoolLimits{Await: true, After: 1})
		if take(t, pool, "a") != 1 {
			t.Error("the template was not waited for")
		}
		p.fail.Store(true)
		if take(t, pool, "b") != 0 {
			t.Error("a box from nowhere")
		}
	})
}

func TestPoolCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, pool := testPool(t, PoolLimits{})
		pool.Warm("a")
		pool.Warm("b")
		time.Sleep(1150 * time.Millisecond) // some are parked, some are coming
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		if p.now.Load() != 0 || p.made.Load() != p.destroyed.Load() {
			t.Errorf("%d on their way, %d made, %d destroyed", p.now.Load(), p.made.Load(), p.destroyed.Load())
		}
		if _, err := pool.Take(t.Context(), "a"); err == nil || errors.Is(err, ErrNotWarm) {
			t.Errorf("a closed pool gave %v", err)
		}
	})
}

// TestTakeFor: a box that is not fit is closed and another one taken, and there is
// an end to that.
func TestTakeFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, pool := testPool(t, PoolLimits{})
		fit := func(*testBox) error { return nil }
		if _, ok, err := pool.TakeFor(t.Context(), "a", fit); ok || err != nil {
			t.Errorf("no template: %v, %v", ok, err)
		}
		pool.Warm("a")
		time.Sleep(10 * time.Second)
		asked := 0
		_, ok, err := pool.TakeFor(t.Context(), "a", func(*testBox) error {
			if asked++; asked == 1 {
				return errors.New("it ended")
			}
			return nil
		})
		if !ok || err != nil || asked != 2 || p.destroyed.Load() != 1 {
			t.Errorf("%v after %d boxes, %d closed: %v", ok, asked, p.destroyed.Load(), err)
		}
		asked = 0
		_, ok, err = pool.TakeFor(t.Context(), "a", func(*testBox) error { asked++; return errors.New("it ended") })
		if ok || err != nil || asked != takeTries || p.destroyed.Load() != 1+takeTries {
			t.Errorf("%v after %d boxes, %d closed: %v", ok, asked, p.destroyed.Load(), err)
		}
	})
}
