package gvisor

import (
	"sync"
	"time"

	"palisade"
	"palisade/internal/sandbox"
)

// The box's own overhead, on top of what the program may use. Measured with the
// interpreter idle in a fresh box: see docs of [Sandbox].
const (
	// bootMemoryLimit bounds a box before go, in bytes.
	bootMemoryLimit = 512 << 20
	// sentryPIDs are the host's processes and threads of an idle box, with room
	// for the sentry's own, which the guest makes it start. The group's bound
	// is only a backstop, since a sentry that reaches it dies.
	sentryPIDs = 512
)

// inFD is the guest's descriptor on which frames come from the host.
const inFD = 3

// hostPIDs bounds the host's processes and threads of one box.
func hostPIDs(l palisade.Limits) int { return sentryPIDs + 4*l.Processes }

// pollEvery is how often a running box's use is looked at.
const pollEvery = 10 * time.Millisecond

// budget watches one running box.
type budget struct {
	mu      sync.Mutex
	why     sandbox.Kill
	reason  string
	started time.Time
	ended   time.Time
	cpuAt   time.Duration // what the box had used at go
	heldAt  int64         // memory that the box held at go
	usage   usage
	done    chan struct{}
	once    sync.Once
	watch   sync.WaitGroup
}

// usage is what a box uses, overhead included.
type usage struct {
	cpu    time.Duration
	memory int64 // now
	peak   int64
}

// confine puts a box that has been created into its control group.
func (b *box) confine() error {
	if b.group == nil {
		return nil
	}
	if _, err := b.group.LimitMemory(bootMemoryLimit + b.job.Limits.Memory); err != nil {
		return err
	}
	for _, pid := range sandbox.Tree(b.pid) {
		if err := b.group.Add(pid); err != nil && pid == b.pid {
			return err
		}
	}
	return nil
}

// begin starts the budget: go is about to be said.
func (b *box) begin() error {
	g := &b.budget
	g.done = make(chan struct{})
	if b.group != nil {
		held, err := b.group.Held()
		if err != nil {
			return err
		}
		g.heldAt = held
		if _, err := b.group.LimitMemory(held + b.job.Limits.Memory + slack(b.job.Limits.Memory)); err != nil {
			return err
		}
		b.group.ResetPeak()
		if g.cpuAt, err = b.group.CPU(); err != nil {
			return err
		}
	}
	g.started = b.now()
	g.watch.Go(b.watch)
	return nil
}

// slack is what the sentry needs itself to serve so much memory: page tables,
// and its own heap.
func slack(memory int64) int64 { return 16<<20 + memory/16 }

// watch looks at a running box until it ends, and kills it when a limit that
// kills is passed.
func (b *box) watch() {
	g := &b.budget
	wall := time.NewTimer(b.job.Limits.Wall)
	tick := time.NewTicker(pollEvery)
	defer wall.Stop()
	defer tick.Stop()
	for {
		select {
		case <-g.done:
			return
		case <-wall.C:
			b.kill(sandbox.KillWall)
			return
		case <-tick.C:
			used := b.measure()
			if used.cpu >= b.job.Limits.CPU {
				b.kill(sandbox.KillCPU)
				return
			}
		}
	}
}

// measure reads what the program has used since go.
func (b *box) measure() usage {
	g := &b.budget
	var u usage
	if b.group != nil {
		if cpu, err := b.group.CPU(); err == nil {
			u.cpu = cpu - g.cpuAt
		}
		u.peak = max(b.group.PeakMemory()-g.heldAt, 0)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.usage = u
	return u
}

// kill ends the box. The first reason counts.
func (b *box) kill(why sandbox.Kill) {
	g := &b.budget
	g.mu.Lock()
	if g.why == sandbox.NotKilled {
		g.why = why
	}
	g.mu.Unlock()
	b.remote.kill()
}

func (g *budget) stop() {
	g.once.Do(func() {
		if g.done != nil {
			close(g.done)
		}
	})
	g.watch.Wait()
}

// addressSpace bounds each process inside where memory is only watched.
func (b *box) addressSpace() int64 {
	if b.group != nil {
		return 0
	}
	return b.job.Limits.Memory + addressOverhead
}

// addressOverhead is the address space of an interpreter that does nothing,
// with what numeric libraries reserve.
const addressOverhead = 512 << 20

// observe says what the host saw of the end.
func (b *box) observe(e exited) sandbox.Observed {
	b.budget.stop()
	g := &b.budget
	u := b.measure()
	g.mu.Lock()
	defer g.mu.Unlock()
	o := sandbox.Observed{Kill: g.why, Reason: g.reason}
	if !g.started.IsZero() {
		o.Usage = palisade.Usage{CPU: u.cpu, Wall: b.now().Sub(g.started), MemoryPeak: u.peak}
	}
	if b.group != nil && o.Kill == sandbox.NotKilled {
		if kills, err := b.group.OOMKills(); err == nil && kills > 0 {
			o.Kill = sandbox.KillMemory
		}
	}
	switch {
	case e.err != nil:
		o.Failed, o.Reason = true, e.err.Error()
	case e.status.Signaled():
		o.Signal = signalName(e.status.Signal())
	default:
		o.ExitCode = e.status.ExitStatus()
	}
	return o
}
