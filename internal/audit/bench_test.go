package audit

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"palisade"
)

// BenchmarkAppend appends without and with a sync.
func BenchmarkAppend(b *testing.B) {
	for _, durable := range []bool{false, true} {
		b.Run(fmt.Sprintf("durable=%v", durable), func(b *testing.B) {
			l := newPlace(b).open()
			e := runEvents("run")[0]
			var took []time.Duration
			for b.Loop() {
				from := time.Now()
				if err := l.Append(b.Context(), durable, e); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(from))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-µs")
		})
	}
}

// BenchmarkRun appends a whole run as a gate does: 6 events, 3 syncs, one
// mirrored head; and in parallel, as batch does.
func BenchmarkRun(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		l := newPlace(b).open()
		for i := 0; b.Loop(); i++ {
			if err := appendRun(b.Context(), l, fmt.Sprint(i)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		l := newPlace(b).open()
		b.SetParallelism(4)
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				if err := appendRun(context.Background(), l, fmt.Sprint(i)); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

// BenchmarkOpenClose is what a command line pays: open, one run, close.
func BenchmarkOpenClose(b *testing.B) {
	p := newPlace(b)
	l := p.open()
	for i := range 300 {
		if err := appendRun(b.Context(), l, fmt.Sprint(i)); err != nil {
			b.Fatal(err)
		}
	}
	p.close(l)
	for b.Loop() {
		l, err := Open(b.Context(), p.config)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLarge reads and verifies the log of 1,319 runs.
func BenchmarkLarge(b *testing.B) {
	p := newPlace(b)
	l := p.open()
	for i := range 1319 {
		if err := appendRun(b.Context(), l, fmt.Sprint(i)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if r := p.verify(); r.Verdict != Intact || r.Runs != 1319 {
				b.Fatal(r)
			}
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			r, err := OpenReader(p.config.Dir, p.publicKey())
			if err != nil {
				b.Fatal(err)
			}
			if runs, err := r.List(Filter{Limit: 20}); err != nil || len(runs) != 20 {
				b.Fatal(err)
			}
			r.Close()
		}
	})
	for _, from := range []int64{0, l.s.size() - 1} {
		b.Run(fmt.Sprintf("update-from-%d", from), func(b *testing.B) {
			for b.Loop() {
				if err := l.Update(b.Context(), func(v View) ([]palisade.Event, error) {
					for _, err := range v.Records(from, palisade.EventAnswered) {
						return nil, err
					}
					return nil, nil
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLongLog tells whether a log of n runs costs n times one run: how long
// the last hundred of 1,400 take, as a ratio to the first.
func BenchmarkLongLog(b *testing.B) {
	l := newPlace(b).open()
	var took []time.Duration
	for round := range 14 {
		from := time.Now()
		for i := range 100 {
			if err := appendRun(b.Context(), l, fmt.Sprintf("%d-%d", round, i)); err != nil {
				b.Fatal(err)
			}
		}
		took = append(took, time.Since(from))
	}
	first, last := slices.Min(took[:5]), slices.Min(took[9:])
	b.ReportMetric(float64(last)/float64(first), "last/first")
}
