package gvisor

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"palisade"
	"palisade/internal/lang"
)

// BenchmarkCold compares a whole box, from its making to nothing left of it,
// with the bare interpreter, in turns. The ratio is what counts: it is of
// medians, and still rises on a host that is busy otherwise, since a box is
// several processes that wait for each other.
func BenchmarkCold(b *testing.B) {
	s := newSandbox(b)
	runJob(b, s, code("pass"))
	var box, bare []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := exec.Command("/usr/bin/python3", "-I", "-c", "pass").Run(); err != nil {
			b.Skip(err)
		}
		bare = append(bare, time.Since(start))
		start = time.Now()
		if r := runJob(b, s, code("pass")); r.Status != palisade.OK {
			b.Fatalf("%+v", r)
		}
		box = append(box, time.Since(start))
	}
	reportAgainst(b, "box", box, bare)
}

// BenchmarkWarm compares a run in a parked box, from the gate's call to the
// result, with the bare interpreter that imports the same, in turns; refilling is
// waited for.
func BenchmarkWarm(b *testing.B) {
	for _, c := range []struct{ name, bare, src string }{
		{"pass", "pass", "pass"},
		{"pal", "pass", "def solution():\n    eggs = 16\n    return (eggs - 3 - 4) * 2\nsolution()"},
		{"pandas", "import pandas", "import pandas as pd\nprint(pd.DataFrame({'a': [1, 2, 3], 'b': [4, 5, 6]}).sum().to_dict())"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newSandbox(b, warm, func(c *Config) { c.Pool.Size = 2 })
			runJob(b, s, code(c.src))
			var took, bare []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := exec.Command("/usr/bin/python3", "-I", "-c", c.bare).Run(); err != nil {
					b.Skip(err)
				}
				bare = append(bare, time.Since(start))
				for s.pool.Stats().Parked < 2 {
					time.Sleep(5 * time.Millisecond)
				}
				start = time.Now()
				if r := runJob(b, s, code(c.src)); r.Status != palisade.OK || r.Ready.Layers["start"] != "restored" {
					b.Fatalf("%+v", r)
				}
				took = append(took, time.Since(start))
			}
			reportAgainst(b, "warm", took, bare)
		})
	}
}

// BenchmarkRestore compares a box that is made from a template on demand, until it is
// parked, with the bare interpreter that imports the same, in turns.
func BenchmarkRestore(b *testing.B) {
	for name, bare := range map[string]string{"stdlib": "pass", "data": "import pandas"} {
		b.Run(name, func(b *testing.B) {
			s := newSandbox(b)
			job := code("")
			fill(&job)
			r, err := s.rootOf(b.Context(), job)
			if err != nil {
				b.Fatal(err)
			}
			set, _ := lang.ModuleSetNamed(name)
			t, err := s.newTemplate(b.Context(), r, job, set, false)
			if err != nil {
				b.Skip(err)
			}
			defer t.Close()
			var took, python []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := exec.Command("/usr/bin/python3", "-I", "-c", bare).Run(); err != nil {
					b.Skip(err)
				}
				python = append(python, time.Since(start))
				start = time.Now()
				box, err := t.Box(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
				if err := box.Close(); err != nil {
					b.Fatal(err)
				}
			}
			reportAgainst(b, "restore", took, python)
		})
	}
}

// reportAgainst reports medians and their ratio.
func reportAgainst(b *testing.B, what string, took, python []time.Duration) {
	slices.Sort(took)
	slices.Sort(python)
	mid := len(took) / 2
	b.ReportMetric(float64(took[mid].Microseconds())/1000, what+"-p50-ms")
	b.ReportMetric(float64(took[0].Microseconds())/1000, what+"-min-ms")
	b.ReportMetric(float64(python[mid].Microseconds())/1000, "python-p50-ms")
	b.ReportMetric(float64(took[mid])/float64(python[mid]), "x-python")
}

// TestAtOnce runs boxes at the same time: none meets another, and all come to
// their own end. The state directory's path is longer than a socket's may be.
func TestAtOnce(t *testing.T) {
	state := filepath.Join(t.TempDir(), strings.Repeat("long/", 20), "state")
	s := newSandbox(t, func(c *Config) { c.StateDir = state })
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 3 {
				job := code("import os, sys\nopen('/tmp/own', 'x').write(os.environ.get('X', ''))\nprint(sys.stdin.read())\nsys.exit(len(os.listdir('/tmp')))\n")
				job.Stdin = []byte{byte('a' + i)}
				r := runJob(t, s, job)
				if r.Status != palisade.RuntimeError || r.ExitCode != 1 || string(r.Stdout.Head) != string(job.Stdin)+"\n" {
					t.Errorf("box %d: %s, exit %d, %q %q %s", i, r.Status, r.ExitCode, r.Stdout.Head, r.Stderr.Head, r.Reason)
				}
			}
		})
	}
	wait.Wait()
}
