package gvisor

import (
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"palisade"
	"palisade/internal/sandbox"
)

const (
	// bootMemory bounds a box before go, on top of the program's limit, in
	// bytes. An idle box holds some 30 MB.
	bootMemory = 256 << 20
	// sentryPIDs are the host's processes and threads that a box may have
	// beside four for each of the guest's. The group's bound is only a
	// backstop: a sentry that reaches it dies.
	sentryPIDs = 512
	// pollGroup and pollWatch are how often a running box's use is looked at:
	// in a control group, and where each process is looked at by itself.
	pollGroup = 10 * time.Millisecond
	pollWatch = 20 * time.Millisecond
	// maxUnread is how many looks in a row may fail: a box whose use is not
	// known has no limits.
	maxUnread = 50
)

// hostPIDs bounds the host's processes and threads of one box, whose harness
// takes some beside the program's.
func hostPIDs(l palisade.Limits, harness int) int { return sentryPIDs + 4*(l.Processes+harness) }

// slack is what the box's kernel needs itself to serve so much memory: page
// tables of each process, and its own heap.
func slack(memory int64) int64 { return 24<<20 + memory/16 }

// budget watches one running box.
type budget struct {
	mu     sync.Mutex
	why    sandbox.Kill
	at     sandbox.Usage // what the box used at go: its own overhead
	used   sandbox.Usage // the program's use since, as last seen; memory is the peak
	start  time.Time     // zero: go was not said
	end    time.Time     // when the box was seen to have ended
	last   *time.Timer   // the backstop
	unread int           // looks in a row that failed
	done   chan struct{}
	once   sync.Once
	ending sync.WaitGroup
}

// confine puts a box that has been created into its control group. What its
// processes start from then on is in the group from the beginning.
func (b *box) confine() error {
	if b.group == nil {
		return nil
	}
	if _, err := b.group.LimitMemory(bootMemory + b.job.Limits.Memory); err != nil {
		return err
	}
	return b.confineRest()
}

// confineRest moves those of a box's processes that are not in its group yet.
func (b *box) confineRest() error {
	if b.group == nil {
		return nil
	}
	members := b.group.Processes()
	for _, pid := range sandbox.Tree(b.pid) {
		if slices.Contains(members, pid) {
			continue
		}
		if err := b.group.Add(pid); err != nil && sandbox.Running(pid) {
			return err
		}
	}
	return nil
}

// begin starts the budget: go is about to be said. What the box uses up to here
// is its own overhead.
func (b *box) begin() error {
	if _, err := b.metered(); err != nil {
		return err
	}
	used, err := b.use()
	if err != nil {
		return err
	}
	if b.group != nil {
		bound := used.Memory + b.job.Limits.Memory + slack(b.job.Limits.Memory)
		if _, err := b.group.LimitMemory(bound); err != nil {
			return err
		}
	}
	if err := b.beginEvents(); err != nil {
		return err
	}
	g := &b.budget
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at, g.start, g.done = used, b.now(), make(chan struct{})
	g.last = time.AfterFunc(b.job.Limits.Wall+wallGrace, b.backstop)
	if !b.blind {
		g.ending.Go(b.watch)
	}
	return nil
}

// wallGrace is how long after the limit on the clock the second means ends a
// box that the first did not.
const wallGrace = time.Second

// backstop ends a box whose time is long over. It shares nothing with the watch
// and the launcher that should have ended it: it kills the host's processes of
// the box itself, and lets go of the pipes, so that nobody waits for them.
func (b *box) backstop() {
	g := &b.budget
	g.mu.Lock()
	over := !g.end.IsZero()
	if !over && g.why == sandbox.NotKilled {
		g.why = sandbox.KillWall
	}
	g.mu.Unlock()
	if over {
		return
	}
	b.log.Error("a box outlived its time: its processes are killed", slog.String("box", b.remote.id))
	b.slay()
	b.pipes.Drain(time.Now().Add(drainTime))
}

// slay kills the host's processes of the box, without the launcher.
func (b *box) slay() {
	if !b.sentry.Dead() {
		for _, pid := range sandbox.Tree(b.pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if b.group != nil {
		b.group.Kill()
	}
}

// use is what the whole box uses now.
func (b *box) use() (sandbox.Usage, error) {
	if b.group == nil {
		return sandbox.Measure(sandbox.Tree(b.pid)), nil
	}
	// One that cannot be read does not hide the other.
	cpu, err := b.group.CPU()
	memory, err2 := b.group.Held()
	return sandbox.Usage{CPU: cpu, Memory: memory}, errors.Join(err, err2)
}

// watch looks at a running box until it ends, and kills it when a limit that
// kills is passed.
func (b *box) watch() {
	every := pollGroup
	if b.group == nil {
		every = pollWatch
	}
	wall, tick := time.NewTimer(b.job.Limits.Wall), time.NewTicker(every)
	defer wall.Stop()
	defer tick.Stop()
	for {
		select {
		case <-b.budget.done:
			return
		case <-wall.C:
			b.kill(sandbox.KillWall)
			return
		case <-tick.C:
			if why := b.passed(); why != sandbox.NotKilled {
				b.kill(why)
				return
			}
		}
	}
}

// passed looks once, and says which limit was passed.
func (b *box) passed() sandbox.Kill {
	memory, err := b.look()
	g := &b.budget
	g.mu.Lock()
	cpu := g.used.CPU
	if err == nil {
		g.unread = 0
	} else {
		g.unread++
	}
	unread := g.unread
	g.mu.Unlock()
	switch {
	case b.endedOnEvent():
		return sandbox.KillEvent
	case unread >= maxUnread:
		b.log.Error("what a box uses cannot be read", slog.String("box", b.remote.id), slog.Any("error", err))
		return sandbox.KillBackstage
	case b.outOfMemory(), b.group == nil && memory > b.job.Limits.Memory+slack(b.job.Limits.Memory):
		return sandbox.KillMemory
	case cpu >= b.job.Limits.CPU:
		return sandbox.KillCPU
	}
	return sandbox.NotKilled
}

// look brings what the program has used up to date, and returns the memory that
// it holds now.
func (b *box) look() (memory int64, err error) {
	now, err := b.use()
	g := &b.budget
	g.mu.Lock()
	defer g.mu.Unlock()
	memory = max(now.Memory-g.at.Memory, 0)
	g.used.CPU = max(g.used.CPU, now.CPU-g.at.CPU)
	g.used.Memory = max(g.used.Memory, memory)
	return memory, err
}

// outOfMemory reports whether the kernel killed a process of the box because the
// group's bound on memory was reached.
func (b *box) outOfMemory() bool {
	if b.group == nil {
		return false
	}
	kills, err := b.group.OOMKills()
	return err == nil && kills > 0
}

// kill ends the box. The first reason counts. A box that does not end is killed
// past the launcher, and then with the launcher and all its boxes: a limit that
// nobody enforces is no limit.
func (b *box) kill(why sandbox.Kill) {
	g := &b.budget
	g.mu.Lock()
	first := g.why == sandbox.NotKilled
	if first && g.end.IsZero() {
		g.why = why
	}
	g.mu.Unlock()
	if first {
		// Before the launcher is told: telling it may be what does not end.
		time.AfterFunc(killPatience, func() {
			if !b.hasEnded() {
				b.log.Error("a box did not end when told to", slog.String("box", b.remote.id))
				b.slay()
			}
		})
		time.AfterFunc(launcherEnds, func() {
			if !b.hasEnded() {
				b.remote.client.close()
			}
		})
	}
	if !b.blind {
		b.remote.kill()
	}
}

// killPatience is how long a killed box may take to end before it is killed past
// the launcher, and launcherEnds how long before the launcher is ended, and all
// boxes with it.
const (
	killPatience = time.Second
	launcherEnds = 10 * time.Second
)

func (b *box) hasEnded() bool {
	g := &b.budget
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.end.IsZero()
}

// ended notes that the box was seen to have ended, so that a kill that comes
// later is no reason.
func (b *box) ended() {
	g := &b.budget
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.end.IsZero() {
		g.end = b.now()
	}
}

func (g *budget) stop() {
	g.once.Do(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.last != nil {
			g.last.Stop()
		}
		if g.done != nil {
			close(g.done)
		}
	})
	g.ending.Wait()
}

// addressSpace bounds each process inside where memory is only watched: it is
// what a program may take between two looks.
func (b *box) addressSpace() int64 {
	if b.group != nil {
		return 0
	}
	return sandbox.AddressSpace(b.job.Limits, runtime.NumCPU())
}

// countedMemory is the size from which on a mapping that the box's kernel
// refuses counts as reaching the limit on memory. Where address space is
// bounded, a small one may meet the bound too.
func (b *box) countedMemory() int64 {
	if b.group != nil {
		return b.job.Limits.Memory
	}
	return min(b.job.Limits.Memory/16, 1<<20)
}

// guardWords are those of the box's meter; without a guard in force there are none.
func (b *box) guardWords() ([meterWords]uint64, error) {
	words, err := readMeter(b.meterPath())
	if err == nil && words[wordMagic] != meterMagic {
		err = errNoGuard
	}
	return words, err
}

// metered names the limits that made calls fail inside.
func (b *box) metered() ([]string, error) {
	words, err := b.guardWords()
	if err != nil {
		return nil, err
	}
	var hit []string
	for word, limit := range meteredLimits() {
		if words[word] > 0 {
			hit = append(hit, limit)
		}
	}
	slices.Sort(hit)
	return hit, nil
}
