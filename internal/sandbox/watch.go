package sandbox

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"palisade"
)

// Watch holds one running box to the limits that kill, and keeps the reason for
// which it was ended. Begin starts it, Stop ends it. The fields are set before.
type Watch struct {
	Limits palisade.Limits
	// Every is how often Use is asked.
	Every time.Duration
	// Use says what the whole box uses now. A box for which it fails for long
	// has no limits, and is ended.
	Use func() (Usage, error)
	// Passed says why a box is to be ended beside its processor time, given the
	// memory that the program holds. Nil: for nothing.
	Passed func(memory int64) Kill
	// End ends the box, soon and whole. It may be called more than once.
	End func()
	// Slay ends the box by another way than End, when that did not.
	Slay func()
	// Now is the clock.
	Now func() time.Time
	// Log gets what an operator should know.
	Log *slog.Logger

	mu     sync.Mutex
	why    Kill
	at     Usage // what the box used at go: its own overhead
	used   Usage // the program's use since, as last seen; memory is the peak
	start  time.Time
	end    time.Time
	unread int
	timers []*time.Timer
	done   chan struct{}
	once   sync.Once
	ending sync.WaitGroup
}

const (
	// maxUnread is how many looks in a row may fail.
	maxUnread = 50
	// wallGrace is how long after the limit on the clock the second means ends a
	// box that the first did not.
	wallGrace = time.Second
	// killPatience is how long a box that was ended may take to be gone before
	// it is slain.
	killPatience = time.Second
)

// Begin starts the budget: go is about to be said. What the box uses up to here
// is its own overhead. It returns that.
func (w *Watch) Begin() (Usage, error) {
	used, err := w.Use()
	if err != nil {
		return used, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.start, w.done = used, w.Now(), make(chan struct{})
	w.timers = append(w.timers, time.AfterFunc(w.Limits.Wall+wallGrace, func() { w.slay(KillWall) }))
	w.ending.Go(w.run)
	return used, nil
}

// Started reports whether Begin was called, with success.
func (w *Watch) Started() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.start.IsZero()
}

// Left is how long the limit on the clock still allows.
func (w *Watch) Left() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.start.IsZero() {
		return 0
	}
	return max(w.start.Add(w.Limits.Wall+wallGrace).Sub(w.Now()), 0)
}

// Kill ends the box. The first reason counts.
func (w *Watch) Kill(why Kill) {
	w.mu.Lock()
	first := w.why == NotKilled
	if first && w.end.IsZero() {
		w.why = why
	}
	if first {
		w.timers = append(w.timers, time.AfterFunc(killPatience, func() { w.slay(why) }))
	}
	w.mu.Unlock()
	w.End()
}

// slay ends a box that should have ended already.
func (w *Watch) slay(why Kill) {
	w.mu.Lock()
	over := !w.end.IsZero()
	if !over && w.why == NotKilled {
		w.why = why
	}
	w.mu.Unlock()
	if over {
		return
	}
	w.Log.Error("a box outlived its time: its processes are killed")
	w.Slay()
}

// Ended notes that the box was seen to have ended, so that a kill that comes
// later is no reason.
func (w *Watch) Ended() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end.IsZero() {
		w.end = w.Now()
	}
}

// Stop ends the watching.
func (w *Watch) Stop() {
	w.once.Do(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, t := range w.timers {
			t.Stop()
		}
		if w.done != nil {
			close(w.done)
		}
	})
	w.ending.Wait()
}

// Spent takes a last look and returns why the host ended the box, and what the
// program has used. What was seen before stands where the look fails.
func (w *Watch) Spent() (Kill, palisade.Usage) {
	if w.Started() {
		_, _ = w.look()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.start.IsZero() {
		return w.why, palisade.Usage{}
	}
	end := w.end
	if end.IsZero() {
		end = w.Now()
	}
	return w.why, palisade.Usage{CPU: w.used.CPU, Wall: end.Sub(w.start), MemoryPeak: w.used.Memory}
}

func (w *Watch) run() {
	wall, tick := time.NewTimer(w.Limits.Wall), time.NewTicker(w.Every)
	defer wall.Stop()
	defer tick.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-wall.C:
			w.Kill(KillWall)
			return
		case <-tick.C:
			if why := w.passed(); why != NotKilled {
				w.Kill(why)
				return
			}
		}
	}
}

// passed looks once, and says which limit was passed.
func (w *Watch) passed() Kill {
	memory, err := w.look()
	w.mu.Lock()
	cpu := w.used.CPU
	if err == nil {
		w.unread = 0
	} else {
		w.unread++
	}
	unread := w.unread
	w.mu.Unlock()
	if unread >= maxUnread {
		w.Log.Error("what a box uses cannot be read", slog.Any("error", err))
		return KillBackstage
	}
	if w.Passed != nil {
		if why := w.Passed(memory); why != NotKilled {
			return why
		}
	}
	if cpu >= w.Limits.CPU {
		return KillCPU
	}
	return NotKilled
}

// errNoUse says that Use was not set.
var errNoUse = errors.New("nobody says what the box uses")

// look brings what the program has used up to date, and returns the memory that
// it holds now.
func (w *Watch) look() (memory int64, err error) {
	if w.Use == nil {
		return 0, errNoUse
	}
	now, err := w.Use()
	w.mu.Lock()
	defer w.mu.Unlock()
	memory = max(now.Memory-w.at.Memory, 0)
	w.used.CPU = max(w.used.CPU, now.CPU-w.at.CPU)
	w.used.Memory = max(w.used.Memory, memory)
	return memory, err
}
