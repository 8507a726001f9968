package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"palisade/internal/bench"
)

// mixed are the programs of a load, each with how its answers may look.
var mixed = []struct {
	code   string
	status int
}{
	{"print(sum(range(1000)))", http.StatusOK},
	{"def area(w, h):\n    return w * h\nprint(area(3, 4))", http.StatusOK},
	{"1 / 0", http.StatusOK},
	{"import os\nos.system('id')", http.StatusForbidden},
	{"def broken(:", http.StatusForbidden},
	{"x = 0\nfor i in range(200000):\n    x += i\nprint(x)", http.StatusOK},
}

// held is how a server held under load.
type held struct {
	mu      sync.Mutex
	ok      int
	busy    int // answered 429 or 503, with the time to come again
	errors  int
	first   string // of the errors
	latency []float64
	runs    []string
	seconds float64

	before, after int64 // bytes of memory
	lost          int   // runs without an end on the record
}

// measureHeld has many clients run mixed programs.
func (s *benchServed) measureHeld(ctx context.Context, f benchServeFlags) (*held, error) {
	h := &held{}
	warmed, cancel := context.WithTimeout(ctx, f.seconds/10)
	s.clients(warmed, f.clients, &held{}) // memory is compared once everything was used
	cancel()
	var err error
	if _, h.before, err = bench.Own(s.cmd.Process.Pid); err != nil {
		return nil, err
	}
	start := time.Now()
	loaded, cancel := context.WithTimeout(ctx, f.seconds)
	s.clients(loaded, f.clients, h)
	cancel()
	h.seconds = time.Since(start).Seconds()
	if _, h.after, err = bench.Own(s.cmd.Process.Pid); err != nil {
		return nil, err
	}
	return h, s.count(ctx, h)
}

// clients run programs one after the other until ctx ends; what was begun is awaited.
func (s *benchServed) clients(ctx context.Context, clients int, h *held) {
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			for n := i; ctx.Err() == nil; n++ {
				h.note(s.one(context.WithoutCancel(ctx), n))
			}
		})
	}
	group.Wait()
}

// answered is one answer under load.
type answered struct {
	run  string
	busy bool
	err  error
	took time.Duration
}

func (s *benchServed) one(ctx context.Context, n int) answered {
	p := mixed[n%len(mixed)]
	start := time.Now()
	status, header, data, err := s.submit(ctx, p.code)
	a := answered{took: time.Since(start), err: err}
	var o struct{ Run, Code string }
	switch {
	case err != nil:
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		a.busy = header.Get("Retry-After") != ""
		if !a.busy {
			a.err = fmt.Errorf("answered %d without the time to come again", status)
		}
	case status != p.status:
		a.err = fmt.Errorf("%q was answered with %d: %.200s", p.code, status, data)
	default:
		a.err = json.Unmarshal(data, &o)
		a.run = o.Run
	}
	return a
}

func (h *held) note(a answered) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case a.err != nil:
		if h.errors++; h.first == "" {
			h.first = a.err.Error()
		}
	case a.busy:
		h.busy++
	default:
		h.ok++
		h.latency = append(h.latency, ms(a.took))
		h.runs = append(h.runs, a.run)
	}
}

// count looks for runs that were answered and have no end on the record.
func (s *benchServed) count(ctx context.Context, h *held) error {
	ended := map[string]bool{}
	for after := ""; ; {
		_, _, data, err := s.ask(ctx, s.key, http.MethodGet, "/v1/executions?limit=1000&after="+after, nil)
		if err != nil {
			return err
		}
		var page struct {
			Items []struct {
				Run      string `json:"run"`
				Complete bool   `json:"complete"`
			} `json:"items"`
			Next string `json:"next"`
		}
		if err := json.Unmarshal(data, &page); err != nil {
			return fmt.Errorf("list of runs: %w: %.200s", err, data)
		}
		for _, one := range page.Items {
			ended[one.Run] = one.Complete
			if !one.Complete {
				h.lost++
			}
		}
		if after = page.Next; after == "" {
			break
		}
	}
	for _, run := range h.runs {
		if _, listed := ended[run]; !listed {
			h.lost++
		}
	}
	return nil
}

// wrong says what must not be.
func (h *held) wrong() error {
	if h.errors > 0 || h.lost > 0 {
		return fmt.Errorf("%d answers were wrong and %d runs were lost; the first: %s", h.errors, h.lost, h.first)
	}
	return nil
}

func (h *held) figures(f benchServeFlags) []figure {
	one := func(name, measure, unit string, value, p95 float64) figure {
		return figure{Name: "serve: " + name, Measure: measure, Unit: unit, Value: value, P95: p95, Subject: "serve", Program: "mixed", Clients: f.clients, Rounds: h.ok}
	}
	grown := one("memory of the server afterwards", "memory", "MiB", float64(h.after)/(1<<20), 0)
	grown.Baseline, grown.Base = "before", float64(h.before)/(1<<20)
	return []figure{
		one("runs", "throughput", "/s", float64(h.ok)/h.seconds, 0),
		one("the whole answer", "latency", "ms", bench.Median(h.latency), bench.Quantile(h.latency, 0.95)),
		one("answered 429 or 503", "busy", "answers", float64(h.busy), 0),
		one("wrong answers", "errors", "answers", float64(h.errors), 0),
		one("runs without an end on the record", "lost", "runs", float64(h.lost), 0),
		grown.withRatio(),
	}
}
