package gvisor

import (
	"sync"
	"sync/atomic"
	"time"

	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// A deterministic run gets a box whose kernel has no chance (guard_chance.go) and
// no clock of the host in it: time passes only by what the program itself does.
// Both are fixed below every language and library.
//
// Time stands at fixedStart until go. From then on each look at a clock moves it
// by fixedTick, so that no two looks see the same time and a program that waits
// for a clock to move comes to an end; and a wait that ends because its time is
// over moves it by that time. Waits last as long as they were asked to on the
// host's clock, since other threads may be what is waited for.
//
// Each process has a time of its own, so that which of two runs first moves
// neither. A child begins with its parent's, and who waits for a child comes out
// no earlier than the child ended. Files are stamped with the latest of all.

// fixedLayers are what is reported of a deterministic box.
func fixedLayers() map[string]string {
	return map[string]string{
		"determinism": "kernel",
		"clock":       "from " + time.Unix(fixedStart, 0).UTC().Format(time.RFC3339) + ", " + fixedTick.String() + " a look",
		"chance":      "seed " + fixedSeed,
	}
}

const (
	// fixedTick is the time that a look at a clock takes.
	fixedTick = 100 * time.Microsecond
	// fixedUptime is what the monotonic clocks show at go: programs take zero
	// for "never".
	fixedUptime = 1000 * time.Second
)

// fixedStart is the time of day at go: 2000-01-01T00:00:00Z, in Unix seconds.
const fixedStart = 946684800

// maxClocks bounds what a guest can make the sentry keep.
const maxClocks = 4096

// fixed is the state of a deterministic box. Times are nanoseconds since go.
type fixed struct {
	said  func() bool // go, by the host
	heard atomic.Bool

	mu     sync.Mutex
	clocks map[kernel.ThreadID]int64 // by process
	floor  int64                     // of those that are not in clocks
	latest atomic.Int64

	installed sync.Once
	failed    atomic.Bool // the kernel's own clocks could not be replaced
}

// running reports whether the guest has heard go.
func (f *fixed) running() bool { return f.heard.Load() }

// hear notes that the guest has read something. The host tells the events'
// recorder before it says go, and after the harness has read all else: what ends a read
// then is go, and the guest's own thread is where the time begins.
func (f *fixed) hear() {
	if !f.heard.Load() && f.said() {
		f.heard.Store(true)
	}
}

// look is a look at the clock.
func (f *fixed) look(t *kernel.Task) int64 {
	if !f.running() {
		return 0
	}
	me, parent := process(t), parentOf(t)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.set(me, f.now(me, parent)+int64(fixedTick))
}

// peek is the time as the last look left it.
func (f *fixed) peek(t *kernel.Task) int64 {
	me, parent := process(t), parentOf(t)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now(me, parent)
}

// until moves a process's clock forward to a time.
func (f *fixed) until(t *kernel.Task, at int64) {
	if !f.running() {
		return
	}
	me, parent := process(t), parentOf(t)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set(me, max(f.now(me, parent), at))
}

// now and set are called with mu held.
func (f *fixed) now(me, parent kernel.ThreadID) int64 {
	for _, who := range []kernel.ThreadID{me, parent} {
		if at, ok := f.clocks[who]; ok {
			return at
		}
	}
	return f.floor
}

func (f *fixed) set(me kernel.ThreadID, at int64) int64 {
	if f.clocks == nil || len(f.clocks) >= maxClocks {
		f.floor, f.clocks = f.latest.Load(), map[kernel.ThreadID]int64{}
	}
	f.clocks[me] = at
	f.latest.Store(max(f.latest.Load(), at))
	return at
}

// born gives a child its parent's time, unless it looked at the clock already.
func (f *fixed) born(t *kernel.Task, child kernel.ThreadID) {
	task := t.PIDNamespace().TaskWithID(child)
	if task == nil || task.ThreadGroup() == t.ThreadGroup() {
		return
	}
	me, parent := process(t), parentOf(t)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.clocks[child]; !ok {
		f.set(child, f.now(me, parent))
	}
}

// reaped takes the time of a child that has ended.
func (f *fixed) reaped(t *kernel.Task, child kernel.ThreadID) {
	me, parent := process(t), parentOf(t)
	f.mu.Lock()
	defer f.mu.Unlock()
	if at, ok := f.clocks[child]; ok {
		delete(f.clocks, child)
		f.set(me, max(f.now(me, parent), at))
	}
}

func process(t *kernel.Task) kernel.ThreadID {
	return t.PIDNamespace().IDOfThreadGroup(t.ThreadGroup())
}

func parentOf(t *kernel.Task) kernel.ThreadID {
	if p := t.Parent(); p != nil {
		return process(p)
	}
	return 0
}

func wallOf(passed int64) int64 { return fixedStart*int64(time.Second) + passed }
func upOf(passed int64) int64   { return int64(fixedUptime) + passed }

// install puts the clocks in force in the guest's kernel, once. Where that
// fails, nothing can be opened: the box comes to nothing.
func (f *fixed) install(t *kernel.Task, c *chance) bool {
	f.installed.Do(func() { f.failed.Store(fixClocks(t, f) != nil || replaceRandom(t, c) != nil) })
	return !f.failed.Load()
}
