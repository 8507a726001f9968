package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"sync"
	"time"

	"palisade"
	"palisade/internal/bench"
)

// ownProgram is what the gate's own part is measured with: reading it is no more than
// usual, and running it is over at once.
const ownProgram = "print(sum(range(10)))"

// deniedProgram is read, judged, recorded and answered, and has no box: what the
// server's process takes for it is the gate's own.
const deniedProgram = "import os\n" + ownProgram

// ownClients ask at once while that is measured.
const ownClients = 2

// ask sends one request and reads its answer.
func (s *benchServed) ask(ctx context.Context, key, method, path string, body []byte) (status int, header http.Header, data []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := benchClient.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	data, err = io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, data, err
}

// benchClient keeps a connection for each of many clients.
var benchClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}, Timeout: 2 * time.Minute}

// submit runs a program.
func (s *benchServed) submit(ctx context.Context, code string) (status int, header http.Header, data []byte, err error) {
	body, err := json.Marshal(map[string]string{"code": code, "profile": "pal"})
	if err != nil {
		return 0, nil, nil, err
	}
	return s.ask(ctx, s.key, http.MethodPost, "/v1/executions", body)
}

// own is what the gate itself took, for each of many runs.
type own struct {
	calm, busy twoClients
	bare       []float64 // ms
	cpu        float64   // ms a run that has no box, of the server's process
}

// twoClients is what the runs of clients took that ask at once.
type twoClients struct {
	added, whole []float64 // ms
	cpu          float64   // ms a run, of the server's process, which also has boxes made
}

// calmPause is how long a client waits between runs where boxes are to be ready: a
// machine whose processors make boxes answers nobody at once.
const calmPause = 300 * time.Millisecond

// measureOwn measures what the gate adds to runs of two clients: where boxes are
// ready, and where they are asked for faster than they can be made.
func (s *benchServed) measureOwn(ctx context.Context, f benchServeFlags) (o own, err error) {
	for range 20 { // boxes get ready, code gets warm
		if _, err := s.timed(ctx); err != nil {
			return o, err
		}
	}
	if o.calm, err = s.twoClients(ctx, f.rounds, calmPause); err != nil {
		return o, err
	}
	if o.busy, err = s.twoClients(ctx, f.rounds, 0); err != nil {
		return o, err
	}
	if o.cpu, err = s.cpuOfDenied(ctx, 2*f.rounds); err != nil {
		return o, err
	}
	for range max(f.rounds/10, 1) {
		start := time.Now()
		if err := exec.CommandContext(ctx, f.python, "-I", "-c", ownProgram).Run(); err != nil {
			return o, fmt.Errorf("%s: %w", f.python, err)
		}
		o.bare = append(o.bare, ms(time.Since(start)))
	}
	return o, nil
}

// twoClients has each of them run a program so often, with a pause before each.
func (s *benchServed) twoClients(ctx context.Context, rounds int, wait time.Duration) (m twoClients, err error) {
	before, _, err := bench.Own(s.cmd.Process.Pid)
	if err != nil {
		return m, err
	}
	var mu sync.Mutex
	var errs []error
	var group sync.WaitGroup
	for range ownClients {
		group.Go(func() {
			for range rounds {
				err := pause(ctx, wait)
				var one timedRun
				if err == nil {
					one, err = s.timed(ctx)
				}
				mu.Lock()
				errs = append(errs, err)
				m.whole = append(m.whole, ms(one.took))
				m.added = append(m.added, ms(one.took-one.sandbox))
				mu.Unlock()
			}
		})
	}
	group.Wait()
	after, _, err := bench.Own(s.cmd.Process.Pid)
	m.cpu = ms(after-before) / float64(len(m.whole))
	return m, errors.Join(append(errs, err)...)
}

// cpuOfDenied is what the server's process takes for a run without a box, in ms.
func (s *benchServed) cpuOfDenied(ctx context.Context, rounds int) (float64, error) {
	if err := pause(ctx, time.Second); err != nil { // boxes for the next run are being made
		return 0, err
	}
	before, _, err := bench.Own(s.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	for range rounds {
		status, _, data, err := s.submit(ctx, deniedProgram)
		if err != nil || status != http.StatusForbidden {
			return 0, errors.Join(err, fmt.Errorf("a program that is denied was answered with %d: %.300s", status, data))
		}
	}
	after, _, err := bench.Own(s.cmd.Process.Pid)
	return ms(after-before) / float64(rounds), err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// timedRun is one run as its client saw it.
type timedRun struct {
	took    time.Duration
	sandbox time.Duration // of that, as the server says, the box's and its program's
}

func (s *benchServed) timed(ctx context.Context) (timedRun, error) {
	start := time.Now()
	status, header, data, err := s.submit(ctx, ownProgram)
	one := timedRun{took: time.Since(start)}
	if err != nil {
		return one, err
	}
	var o struct {
		Status palisade.Status `json:"status"`
	}
	if err := json.Unmarshal(data, &o); err != nil || status != http.StatusOK || o.Status != palisade.OK {
		return one, fmt.Errorf("a run was answered with %d: %.300s", status, data)
	}
	var in float64 // milliseconds
	if _, err := fmt.Sscanf(header.Get("Server-Timing"), "sandbox;dur=%f", &in); err != nil {
		return one, fmt.Errorf("the answer does not say how long the sandbox took: %q", header.Get("Server-Timing"))
	}
	one.sandbox = time.Duration(in * float64(time.Millisecond))
	return one, nil
}

func (o own) figures(f benchServeFlags) []figure {
	base, baseline := bench.Median(o.bare), f.python+" -I -c PROGRAM"
	latency := func(name string, took []float64) figure {
		return figure{Name: name, Measure: "latency", Value: bench.Median(took), P95: bench.Quantile(took, 0.95), Unit: "ms", Rounds: len(took)}
	}
	cpu := func(name string, value float64) figure {
		return figure{Name: name, Measure: "cpu", Value: value, Unit: "ms", Rounds: ownClients * f.rounds}
	}
	figures := []figure{
		latency("serve: added by the gate", o.calm.added),
		latency("serve: the whole answer", o.calm.whole),
		latency("serve: added by the gate, with boxes asked for as fast as they are made", o.busy.added),
		latency("serve: the whole answer, with boxes asked for as fast as they are made", o.busy.whole),
		cpu("serve: the gate's own CPU a run, which has no box", o.cpu),
		cpu("serve: CPU of the server's process a run, with boxes being made", o.busy.cpu),
	}
	for i := range figures {
		one := &figures[i]
		one.Subject, one.Program, one.Clients, one.Baseline, one.Base = "serve", ownProgram, ownClients, baseline, base
		*one = one.withRatio()
	}
	return figures
}
