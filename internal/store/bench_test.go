package store

import (
	"fmt"
	"testing"

	"palisade"
)

// BenchmarkIndex measures what doors wait for, over a log of 2,000 runs: a key's
// look-up, one run, a page of runs, an entry's way into the index, and a rebuild,
// the last two by entry.
func BenchmarkIndex(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		b.Run(name, func(b *testing.B) { benchmark(b, name) })
	}
}

func benchmark(b *testing.B, name string) {
	dsn := ""
	if name == "postgres" {
		dsn = postgres(b)
	}
	x := newBench(b, dsn)
	const runs = 2000
	for i := range runs {
		x.run(fmt.Sprintf("r%05d", i), "acme", "key:a", palisade.OK)
	}
	x.put("", kindCreated, map[string]any{"id": "k1", "tenant": "acme", "hash": "00"})
	if err := x.s.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	each := func(name string, f func(i int) error) {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				if err := f(i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	each("key", func(int) error { _, err := x.s.KeyByID(b.Context(), "k1"); return err })
	each("run", func(i int) error { _, err := x.s.Run(b.Context(), all, fmt.Sprintf("r%05d", i%runs)); return err })
	each("page", func(int) error { _, err := x.s.Runs(b.Context(), auditor("acme"), RunFilter{Status: "ok"}); return err })
	each("claim", func(i int) error {
		_, err := x.s.Claim(b.Context(), asker, newID(), request, fmt.Sprintf("%s-%s-%d-%d", "c", name, i, b.N))
		return err
	})
	b.Run("rebuild", func(b *testing.B) {
		for range b.N {
			r, err := x.s.Rebuild(b.Context())
			if err != nil || len(r.Differences) > 0 {
				b.Fatal(r, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(r.Entries)/float64(b.N), "ns/entry")
		}
	})
}
