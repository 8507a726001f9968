package sandbox

import (
	"io"
	"log/slog"
	"slices"
	"time"
)

// retryAfter is how long after a failure a template is tried again.
const retryAfter = time.Minute

const (
	// settled is how long a template must be unused to make room for another:
	// else who asks for ever new ones would drive out those that are needed.
	settled = time.Minute
	// maxAsked bounds the keys that are counted before they get a shelf.
	maxAsked = 1024
)

// shelf returns the shelf of a key, marked as used; nil: it has none, since it was
// not asked for often enough, or there is no room.
func (p *Pool[K, B]) shelf(key K) *shelf[B] {
	s := p.shelves[key]
	if s == nil {
		if len(p.asked) >= maxAsked {
			clear(p.asked)
		}
		if p.asked[key]++; p.asked[key] < p.config.After || !p.room() {
			return nil
		}
		delete(p.asked, key)
		s = &shelf[B]{}
		p.shelves[key] = s
	}
	s.used = time.Now()
	return s
}

// room makes room for one more shelf.
func (p *Pool[K, B]) room() bool {
	if len(p.shelves) < p.config.Templates {
		return true
	}
	var oldest K
	var at time.Time
	for k, one := range p.shelves {
		if at.IsZero() || one.used.Before(at) {
			oldest, at = k, one.used
		}
	}
	if time.Since(at) < settled {
		return false
	}
	p.drop(oldest)
	return true
}

// drop gives a shelf up, with all that is on it.
func (p *Pool[K, B]) drop(key K) {
	s := p.shelves[key]
	delete(p.shelves, key)
	s.gone = true
	p.empty(s)
	p.retire(s.template)
	s.template = nil
	p.dismiss(s)
}

// dismiss tells whoever waits at a shelf to make a box in the ordinary way.
func (p *Pool[K, B]) dismiss(s *shelf[B]) {
	for _, turn := range s.waiters {
		p.waiting--
		close(turn)
	}
	s.waiters = nil
}

// empty destroys the parked boxes of a shelf, in the background.
func (p *Pool[K, B]) empty(s *shelf[B]) {
	for _, one := range s.parked {
		p.held -= one.size
		p.discard(one.box)
	}
	s.parked = nil
}

// discard destroys what nobody will use, in the background.
func (p *Pool[K, B]) discard(c io.Closer) {
	p.work.Go(func() {
		if err := c.Close(); err != nil {
			p.config.Logger.Error("what a pool no longer needs could not be freed", slog.Any("error", err))
		}
	})
}

// retire closes a template once no box is being made of it.
func (p *Pool[K, B]) retire(t *kept[B]) {
	if t == nil {
		return
	}
	t.old = true
	if t.users == 0 {
		p.discard(t.Template)
	}
}

// begin and finish frame the making of one box.
func (p *Pool[K, B]) begin(s *shelf[B]) *kept[B] {
	t := s.template
	p.making++
	t.users++
	t.made++
	return t
}

func (p *Pool[K, B]) finish(t *kept[B], err error) {
	p.making--
	t.users--
	if t.old && t.users == 0 {
		p.discard(t.Template)
	}
	if err == nil {
		p.stats.Made++
	} else {
		p.stats.Failed++
	}
}

// leave takes a waiter out of its queue; false: it is not in it any more.
func (p *Pool[K, B]) leave(s *shelf[B], turn chan B) bool {
	i := slices.Index(s.waiters, turn)
	if i < 0 {
		return false
	}
	s.waiters = slices.Delete(s.waiters, i, i+1)
	p.waiting--
	return true
}

// tend starts what there is to do: those who wait come first, then templates,
// then shelves, the emptiest first.
func (p *Pool[K, B]) tend() {
	for !p.closed && p.making < p.config.Making {
		if s := p.neediest(func(s *shelf[B]) bool { return len(s.waiters) > s.coming }); s != nil {
			p.restock(s)
			continue
		}
		if key, ok := p.unopened(); ok {
			p.open(key)
			continue
		}
		s := p.neediest(func(s *shelf[B]) bool {
			return len(s.parked)+s.coming < p.config.Size && p.held+s.template.Memory() <= p.config.Memory
		})
		if s == nil {
			return
		}
		p.restock(s)
	}
}

// breath is how long a run that was just given a box has the processors before
// the pool takes some to make the next: most runs are over by then.
const breath = 25 * time.Millisecond

// tendSoon is tend after a breath, where boxes are left for whoever comes.
func (p *Pool[K, B]) tendSoon() {
	if p.soon {
		return
	}
	p.soon = true
	p.work.Go(func() {
		timer := time.NewTimer(breath)
		defer timer.Stop()
		select {
		case <-p.ctx.Done():
		case <-timer.C:
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.soon = false
		p.tend()
	})
}

// neediest returns the shelf with the fewest boxes of those that want one.
func (p *Pool[K, B]) neediest(wants func(*shelf[B]) bool) (found *shelf[B]) {
	for _, s := range p.shelves {
		if s.template == nil || time.Since(s.failed) < retryAfter || !wants(s) {
			continue
		}
		if found == nil || len(s.parked)+s.coming < len(found.parked)+found.coming {
			found = s
		}
	}
	return found
}

// unopened returns a key whose template is to be made, or made anew.
func (p *Pool[K, B]) unopened() (key K, ok bool) {
	for k, s := range p.shelves {
		if !s.opening && time.Since(s.failed) >= retryAfter && (s.template == nil || p.stale(s.template)) {
			return k, true
		}
	}
	return key, false
}

func (p *Pool[K, B]) stale(t *kept[B]) bool {
	return t.made >= p.config.Uses || time.Since(t.born) >= p.config.Age
}

// open makes a template in the background. What was there serves until then.
func (p *Pool[K, B]) open(key K) {
	s := p.shelves[key]
	s.opening = true
	p.making++
	p.work.Go(func() {
		made, err := p.config.Open(p.ctx, key)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.making--
		s.opening = false
		switch {
		case err != nil:
			s.failed = time.Now()
			p.dismiss(s)
			if p.ctx.Err() == nil {
				p.config.Logger.Warn("no template for warm boxes: programs of this kind start cold", slog.Any("error", err))
			}
		case s.gone:
			p.discard(made)
		default:
			p.empty(s)
			p.retire(s.template)
			s.template = &kept[B]{Template: made, born: time.Now()}
			p.stats.Opened++
		}
		p.tend()
	})
}

// restock makes one box in the background, for whoever waits or to be parked.
func (p *Pool[K, B]) restock(s *shelf[B]) {
	t := p.begin(s)
	size := t.Memory()
	s.coming++
	p.held += size
	p.work.Go(func() {
		box, err := t.Box(p.ctx)
		p.mu.Lock()
		defer p.mu.Unlock()
		s.coming--
		p.held -= size
		p.finish(t, err)
		switch {
		case err != nil:
			p.broken(s, err)
		case len(s.waiters) > 0:
			turn := s.waiters[0]
			s.waiters = s.waiters[1:]
			p.waiting--
			turn <- box
		case s.gone, t.old:
			p.discard(box)
		default:
			p.held += size
			s.parked = append(s.parked, parked[B]{box, size})
		}
		p.tend()
	})
}

// broken notes that a box could not be made: its shelf rests for a while, and
// whoever waits there makes a box in the ordinary way.
func (p *Pool[K, B]) broken(s *shelf[B], err error) {
	s.failed = time.Now()
	if p.ctx.Err() == nil {
		p.config.Logger.Error("a warm box could not be made", slog.Any("error", err))
	}
	p.dismiss(s)
}

// watch looks now and then for what has grown old.
func (p *Pool[K, B]) watch() {
	tick := time.NewTicker(max(min(p.config.Age, p.config.Idle)/20, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
			p.mu.Lock()
			p.age()
			p.tend()
			p.mu.Unlock()
		}
	}
}

// age gives up what nobody used for a while, and templates that could not be
// replaced in as much time again as they may live: their secrets are too old.
func (p *Pool[K, B]) age() {
	for key, s := range p.shelves {
		tooOld := s.template != nil && time.Since(s.template.born) >= 2*p.config.Age
		if time.Since(s.used) >= p.config.Idle || tooOld {
			p.drop(key)
		}
	}
}

// Close ends all boxes and templates of the pool and waits for their end. Boxes
// that were taken are their takers'.
func (p *Pool[K, B]) Close() error {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	for key := range p.shelves {
		p.drop(key)
	}
	p.mu.Unlock()
	p.work.Wait()
	return nil
}
