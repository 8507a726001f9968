package python

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// benchFiles are the sources of the library that this version parses.
func benchFiles(b *testing.B, v Version) (files [][]byte, size int64) {
	b.Helper()
	for _, path := range libraryFiles(b) {
		raw, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		src, err := Normalize(raw)
		if err != nil {
			continue
		}
		if _, err := Parse(src, Options{Version: v}); err == nil {
			files = append(files, src)
			size += int64(len(src))
		}
	}
	return files, size
}

// BenchmarkParse measures against ast.parse of the interpreter on the same
// files, each side's best of three.
func BenchmarkParse(b *testing.B) {
	o := startOracle(b)
	files, size := benchFiles(b, o.version)
	var theirs float64
	for _, src := range files {
		s, ok := o.ask(b, "time", src)
		seconds, err := strconv.ParseFloat(s, 64)
		if !ok || err != nil {
			b.Fatal(s)
		}
		theirs += seconds
	}
	b.SetBytes(size)
	b.ReportAllocs()
	best := time.Hour
	for b.Loop() {
		var sum time.Duration
		for _, src := range files {
			start := time.Now()
			if _, err := Parse(src, Options{Version: o.version}); err != nil {
				b.Fatal(err)
			}
			sum += time.Since(start)
		}
		best = min(best, sum)
	}
	b.ReportMetric(float64(size)/1e6/theirs, "CPython-MB/s")
	b.ReportMetric(theirs/best.Seconds(), "times-CPython")
}

// BenchmarkDigest measures the digest alone.
func BenchmarkDigest(b *testing.B) {
	files, size := benchFiles(b, Version{})
	var trees []*Module
	for _, src := range files {
		m, err := Parse(src, Options{})
		if err != nil {
			b.Fatal(err)
		}
		trees = append(trees, m)
	}
	b.SetBytes(size)
	for b.Loop() {
		for _, m := range trees {
			Digest(m)
		}
	}
}
