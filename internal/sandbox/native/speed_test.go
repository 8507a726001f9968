package native

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
	"palisade/internal/sandbox"
)

// TestSpeed measures warm boxes against starting the interpreter with no box, in
// turn. It is for a look by hand: PALISADE_SPEED=1.
func TestSpeed(t *testing.T) {
	if os.Getenv("PALISADE_SPEED") == "" {
		t.Skip("PALISADE_SPEED is not set")
	}
	s := newSandbox(t, func(c *Config) { c.Pool = &sandbox.PoolLimits{Size: 8, After: 1, Queue: 1000, Patience: time.Minute} })
	root, err := s.roots.Open(t.Context(), palisade.Python)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ set, src string }{
		"pass":   {"stdlib", "pass\n"},
		"pal":    {"stdlib", "def solution():\n    money = 23\n    cost = 5 * 3\n    return money - cost\nprint(solution())\n"},
		"pandas": {"data", "import pandas as pd\nprint(pd.DataFrame({'a': [1, 2], 'b': [3, 4]}).groupby('a').sum().to_dict())\n"},
	} {
		t.Run(name, func(t *testing.T) {
			k := kind{language: palisade.Python, runtime: s.runtime(root), set: c.set}
			s.pool.Warm(k)
			waitParked(t, s, 8)
			bare := func() time.Duration {
				start := time.Now()
				if out, err := exec.Command("/usr/bin/python3", "-I", "-c", c.src).CombinedOutput(); err != nil { //nolint:gosec // our own
					t.Fatalf("%v %s", err, out)
				}
				return time.Since(start)
			}
			once := func() time.Duration {
				start := time.Now()
				if r := runJob(t, s, code(c.src)); r.Status != palisade.OK {
					t.Fatalf("%+v %s", r, r.Stderr.Head)
				}
				return time.Since(start)
			}
			var cold, warm []time.Duration
			for range 20 {
				cold = append(cold, bare())
				waitParked(t, s, 8)
				warm = append(warm, once())
			}
			b, w := median(cold), median(warm)
			t.Logf("bare %v, warm %v (least %v): %.3f", b, w, slices.Min(warm), float64(w)/float64(b))
			t.Logf("parked box: %s", parkedMemoryOf(t, s, k))
			for what, f := range map[string]func() time.Duration{"bare": bare, "warm": once} {
				var n atomic.Int64
				var wg sync.WaitGroup
				end := time.Now().Add(3 * time.Second)
				for range 2 {
					wg.Go(func() {
						for time.Now().Before(end) {
							f()
							n.Add(1)
						}
					})
				}
				wg.Wait()
				t.Logf("%s: %.1f a second with 2 clients", what, float64(n.Load())/3)
			}
			t.Logf("%+v", s.pool.Stats())
		})
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func waitParked(t testing.TB, s *Sandbox, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); s.pool.Stats().Parked < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%+v", s.pool.Stats())
		}
	}
}

// parkedMemoryOf tells what one parked box holds.
func parkedMemoryOf(t testing.TB, s *Sandbox, k kind) string {
	t.Helper()
	b, err := s.pool.Take(context.Background(), k)
	if err != nil {
		t.Fatal(err)
	}
	defer b.forget()
	var out []string
	for _, pid := range []int{b.zygote.cmd.Process.Pid, b.initPID, b.pid} {
		data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "smaps_rollup"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "Pss:") {
				out = append(out, strings.Join(strings.Fields(line), " "))
			}
		}
	}
	return strings.Join(out, ", ")
}
