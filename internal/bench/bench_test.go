package bench

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{nil, 0.5, 0}, {[]float64{7}, 0.5, 7}, {[]float64{7}, 0.95, 7}, {[]float64{3, 1, 2}, 0.5, 2}, {[]float64{4, 3, 2, 1}, 0.5, 2},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, 0.95, 19}, {[]float64{1, 2, 3}, 1, 3}, {[]float64{1, 2, 3}, 0, 1},
	} {
		if got := Quantile(c.values, c.q); got != c.want {
			t.Errorf("quantile %g of %v is %g, want %g", c.q, c.values, got, c.want)
		}
	}
}

func TestRatiosAreOfMedians(t *testing.T) {
	l := NewLatency([]float64{100, 30, 40}, []float64{10, 500, 20})
	if l.Median != 40 || l.Base != 20 || l.Ratio != 2 || l.P95Ratio != 5 || l.Samples != 3 || l.Warm != -1 {
		t.Errorf("%+v", l)
	}
	if l := NewLatency([]float64{1}, nil); l.Ratio != 0 {
		t.Errorf("a ratio to nothing: %+v", l)
	}
}

// report is one of each thing that a report can hold.
func report() *Report {
	base := []float64{10, 10, 12}
	return &Report{
		Date: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Version: "palisade 1", Rounds: 3, Seconds: 3, LoadBefore: 0.5, LoadAverage: 1.5,
		Machine: Machine{Processors: 2, Model: "A | processor", Memory: 8 << 30, Kernel: "6.1", System: "Debian"},
		Command: "palisade bench run", Programs: []Program{{Name: "pass", Baseline: "python3 -I -c PROGRAM", Source: "pass"}, {Name: "pandas", Baseline: "python3 -I -c PROGRAM", Source: "import pandas"}},
		Rows: []Row{
			{Subject: "bare", Kind: Bare, Detail: "no sandbox", Latencies: map[string]Latency{"pass": NewLatency(base, base), "pandas": NewLatency([]float64{400}, []float64{400})}},
			{Subject: "gvisor, warm", Kind: Ours, Detail: "kept", Latencies: map[string]Latency{
				"pass":   {Median: 4, P95: 9, Base: 10, Ratio: 0.4, P95Ratio: 0.9, Samples: 3, Warm: 3},
				"pandas": {Median: 8, P95: 800, Base: 400, Ratio: 0.02, P95Ratio: 2, Samples: 3, Warm: 2},
			}},
			{Subject: "<peer>", Kind: Peer, Detail: "x & y", Latencies: map[string]Latency{"pass": {Median: 2000, P95: 3000, Base: 10, Ratio: 200, P95Ratio: 300, Samples: 3, Warm: -1}}},
		},
		Loads: []Load{
			{Subject: "bare", Program: "pass", Clients: 2, PerSecond: 100, Base: 100, CPU: 12, BaseCPU: 12},
			{Subject: "<peer>", Program: "pass", Clients: 2, PerSecond: 5, Base: 100, CPU: -1, BaseCPU: 12, Failed: 1},
		},
		Parked: []Parked{{Subject: "gvisor, warm, for pass", Boxes: 2, PSS: 50 << 20, Idle: 0.25}},
		Absent: []Absent{{Subject: "podman", Why: "not installed"}},
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it):\n%s", file, got)
	}
}

func TestMarkdown(t *testing.T) { golden(t, "report.md", report().Markdown("report.svg")) }

// TestSVG holds the chart to its golden file, and to being XML whatever subjects
// are called.
func TestSVG(t *testing.T) {
	chart := report().SVG()
	golden(t, "report.svg", chart)
	for d := xml.NewDecoder(strings.NewReader(chart)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(chart, "<peer>") || !strings.Contains(chart, "&lt;peer&gt;") {
		t.Error("a subject's name is not escaped")
	}
}

func TestStat(t *testing.T) {
	p, err := parseStat("42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 11 5 2 1 20 0 1 0 100 200 300")
	if err != nil || p.Pid != 42 || p.Parent != 7 || p.CPU != 190*time.Millisecond {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"", "42", "42 (x)", "x (y) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "1 (y) S z 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", ") 1 ("} {
		if _, err := parseStat(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestTree finds this process, what it has used and what it holds.
func TestTree(t *testing.T) {
	for start := time.Now(); time.Since(start) < 50*time.Millisecond; { //nolint:revive // work, to be seen
	}
	tree := Tree(os.Getpid())
	if len(tree) == 0 || tree[0].Pid != os.Getpid() {
		t.Fatalf("%v", tree)
	}
	if TotalCPU(tree) <= 0 || TotalPSS(tree) < 1<<20 {
		t.Errorf("CPU %v, PSS %d", TotalCPU(tree), TotalPSS(tree))
	}
	if Tree(1<<30) != nil {
		t.Error("a process that is not there has a tree")
	}
}

func TestThisMachine(t *testing.T) {
	if m := ThisMachine(); m.Processors < 1 || m.Memory < 1<<20 || m.Kernel == "" {
		t.Errorf("%+v", m)
	}
}

func TestOwn(t *testing.T) {
	cpu, resident, err := Own(os.Getpid())
	if err != nil || cpu < 0 || resident < 1<<20 {
		t.Errorf("%v, %d, %v", cpu, resident, err)
	}
	if _, _, err := Own(-1); err == nil {
		t.Error("a process that there is not")
	}
}

// TestOneMemory: an address space counts once, however many processes have it.
func TestOneMemory(t *testing.T) {
	other := exec.CommandContext(t.Context(), "cat")
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close(); _ = other.Wait() }()
	if !oneMemory(os.Getpid(), os.Getpid()) || oneMemory(os.Getpid(), other.Process.Pid) {
		t.Error("it does not tell its own memory from another's")
	}
	me := Process{Pid: os.Getpid()}
	if once, twice := TotalPSS([]Process{me}), TotalPSS([]Process{me, me}); twice > once*3/2 {
		t.Errorf("%d bytes once, %d twice", once, twice)
	}
}
