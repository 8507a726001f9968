package bench

import (
	"math"
	"slices"
	"time"
)

// Report is what one bench found.
type Report struct {
	Date    time.Time
	Machine Machine
	Command string // by which it was made
	Version string // of this program
	Rounds  int
	Seconds float64 // that each throughput was measured
	// Programs are the names of what was run, in order.
	Programs []Program
	Rows     []Row
	Loads    []Load
	Parked   []Parked
	Absent   []Absent
	// LoadBefore and LoadAverage are how busy the machine was at the start and at
	// the end.
	LoadBefore, LoadAverage float64
}

// Program is one thing that every subject runs.
type Program struct {
	Name     string
	Baseline string // the bare command
	Source   string
}

// Kind tells subjects apart.
type Kind int

// Kinds of subject.
const (
	Bare Kind = iota // the interpreter, with no sandbox
	Ours
	Peer // another sandbox
)

// Row is one subject's latencies.
type Row struct {
	Subject string
	Kind    Kind
	Detail  string // version and settings
	// Latencies are by a program's name; what is not there was not measured.
	Latencies map[string]Latency
}

// Latency is the time of a whole run, in milliseconds, from asking to the answer.
type Latency struct {
	Median, P95 float64
	Base        float64 // the median of the bare interpreter, measured in turns with it
	Ratio       float64 // Median ÷ Base
	P95Ratio    float64 // P95 ÷ Base
	Samples     int
	// Warm is how many of them were served by a box that was ready; -1: the
	// subject keeps none.
	Warm int
}

// NewLatency sums up samples, in milliseconds, against those of the baseline.
func NewLatency(samples, base []float64) Latency {
	l := Latency{Median: Median(samples), P95: Quantile(samples, 0.95), Base: Median(base), Samples: len(samples), Warm: -1}
	if l.Base > 0 {
		l.Ratio, l.P95Ratio = l.Median/l.Base, l.P95/l.Base
	}
	return l
}

// Load is what a subject did with several clients at once.
type Load struct {
	Subject   string
	Program   string
	Clients   int
	PerSecond float64 // runs
	Base      float64 // of the bare interpreter, with as many clients
	// CPU is milliseconds of processor time a run, of everything that somebody
	// waited for: a lower bound where a kernel ended processes together with
	// their namespace. Negative: not measured.
	CPU     float64
	BaseCPU float64
	Failed  int // runs that did not end well; they are not in PerSecond
}

// Parked is what boxes hold that wait for a job.
type Parked struct {
	Subject string
	Boxes   int
	PSS     int64   // bytes for each, shared pages by their share
	Idle    float64 // milliseconds of processor time a second, for each
}

// Absent is a subject that could not be measured.
type Absent struct{ Subject, Why string }

// Median returns the middle value; 0 of none.
func Median(values []float64) float64 { return Quantile(values, 0.5) }

// Quantile returns the smallest value that a share q of all does not exceed; 0 of none.
func Quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}
