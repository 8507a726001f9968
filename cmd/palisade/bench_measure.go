package main

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"palisade/internal/bench"
)

// measureLatency runs everything in turns. Who begins a round changes with it, so
// that nobody always follows the same other.
func (r *benchRunner) measureLatency(ctx context.Context) {
	took := make([]map[string]*samples, len(r.subjects))
	for i := range took {
		took[i] = map[string]*samples{}
	}
	for round := range r.flags.rounds {
		for _, p := range r.flags.chosen {
			for i := range r.subjects {
				i = (i + round) % len(r.subjects)
				s := r.subjects[i]
				if ctx.Err() != nil || !s.takes(p) {
					continue
				}
				r.env.saying("round %d of %d: %s, %s", round+1, r.flags.rounds, p.Name, s.name)
				if took[i][p.Name] == nil {
					took[i][p.Name] = &samples{}
				}
				took[i][p.Name].add(ctx, s, p)
			}
		}
	}
	for i, s := range r.subjects {
		row := bench.Row{Subject: s.name, Kind: s.kind, Detail: s.detail, Latencies: map[string]bench.Latency{}}
		for name, some := range took[i] {
			base := took[0][name]
			if base == nil || len(some.ms) == 0 {
				if some.err != nil {
					r.absent(s.name+": "+name, some.err)
				}
				continue
			}
			l := bench.NewLatency(some.ms, base.ms)
			if s.warm {
				l.Warm = some.warm
			}
			row.Latencies[name] = l
		}
		r.report.Rows = append(r.report.Rows, row)
	}
	r.env.saying("")
}

// samples are the times of one program in one subject.
type samples struct {
	ms   []float64
	warm int
	err  error // of a run that is not in ms
}

func (m *samples) add(ctx context.Context, s *subject, p timedProgram) {
	start := time.Now()
	warm, err := s.run(ctx, p)
	if err != nil {
		m.err = err
		return
	}
	m.ms = append(m.ms, float64(time.Since(start).Microseconds())/1000)
	if warm {
		m.warm++
	}
}

// loadPrograms are those that throughput is measured with.
var loadPrograms = []string{"pass", "pandas"}

// measureLoad measures throughput, the bare interpreter first.
func (r *benchRunner) measureLoad(ctx context.Context) {
	if r.flags.seconds == 0 {
		return
	}
	for _, p := range r.flags.chosen {
		if p.Name != loadPrograms[0] && p.Name != loadPrograms[1] {
			continue
		}
		for _, clients := range r.flags.atOnce {
			var base bench.Load
			for i, s := range r.subjects {
				if ctx.Err() != nil || !s.takes(p) {
					continue
				}
				r.env.saying("%d clients: %s, %s", clients, p.Name, s.name)
				_ = pause(ctx, restTime) // so that nobody pays for the sandboxes that another keeps
				l := load(ctx, s, p, clients, r.flags.seconds)
				if i == 0 {
					base = l
				}
				l.Base, l.BaseCPU = base.PerSecond, base.CPU
				r.report.Loads = append(r.report.Loads, l)
			}
		}
	}
	r.env.saying("")
}

// restTime is how long gates get to fill up what they keep.
const restTime = time.Second

// load has clients run a program again and again for a time. A run that has begun
// is waited for, and the time goes on until the last has ended.
func load(ctx context.Context, s *subject, p timedProgram, clients int, length time.Duration) bench.Load {
	var done, failed atomic.Int64
	before, start := bench.TotalCPU(bench.Tree(os.Getpid())), time.Now()
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for time.Since(start) < length && ctx.Err() == nil {
				if _, err := s.run(ctx, p); err != nil {
					failed.Add(1)
				} else {
					done.Add(1)
				}
			}
		})
	}
	group.Wait()
	took := time.Since(start)
	cpu := bench.TotalCPU(bench.Tree(os.Getpid())) - before
	l := bench.Load{Subject: s.name, Program: p.Name, Clients: clients, PerSecond: float64(done.Load()) / took.Seconds(), CPU: -1, Failed: int(failed.Load())}
	if n := done.Load() + failed.Load(); n > 0 && !s.elsewhere && cpu > 0 {
		l.CPU = float64(cpu.Microseconds()) / 1000 / float64(n)
	}
	return l
}

// idleTime is how long boxes that wait are looked at, and settleTime what they
// get before, to come to rest.
const (
	settleTime = 3 * time.Second
	idleTime   = 5 * time.Second
)

// measureParked looks at boxes that wait. Each gate is alone meanwhile: the
// others' boxes would be counted too.
func (r *benchRunner) measureParked(ctx context.Context) {
	var parkers []*subject
	for _, s := range r.subjects {
		if s.close != nil {
			if err := s.close(); err != nil {
				r.absent(s.name+": boxes that wait", err)
			}
			s.close = nil
		}
		if s.warm && s.reopen != nil {
			parkers = append(parkers, s)
		}
	}
	for _, s := range parkers {
		for _, p := range r.flags.chosen {
			if ctx.Err() != nil || (p.Name != loadPrograms[0] && p.Name != loadPrograms[1]) {
				continue
			}
			r.env.saying("boxes that wait: %s, %s", s.name, p.Name)
			found, err := park(ctx, s, p)
			if err != nil {
				r.absent(s.name+": boxes that wait for "+p.Name, err)
				continue
			}
			r.report.Parked = append(r.report.Parked, found)
		}
	}
	r.env.saying("")
}

// park opens a gate of its own, has it keep boxes for one program, and looks.
func park(ctx context.Context, s *subject, p timedProgram) (found bench.Parked, err error) {
	again, err := s.reopen(ctx)
	if err != nil {
		return found, err
	}
	defer func() {
		if closing := again.close(); err == nil {
			err = closing
		}
	}()
	if err := again.ready(ctx, p); err != nil {
		return found, err
	}
	if err := pause(ctx, settleTime); err != nil {
		return found, err
	}
	found = bench.Parked{Subject: s.name + ", for " + p.Name}
	trees := again.boxes()
	found.Boxes = len(trees)
	if found.Boxes == 0 {
		return found, errNoBoxes
	}
	before := treesCPU(trees)
	if err := pause(ctx, idleTime); err != nil {
		return found, err
	}
	used := treesCPU(trees) - before
	for _, pid := range trees {
		found.PSS += bench.TotalPSS(bench.Tree(pid))
	}
	found.PSS /= int64(found.Boxes)
	found.Idle = float64(used.Microseconds()) / 1000 / idleTime.Seconds() / float64(found.Boxes)
	return found, nil
}

func treesCPU(roots []int) (sum time.Duration) {
	for _, pid := range roots {
		sum += bench.TotalCPU(bench.Tree(pid))
	}
	return sum
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
