package rules

import (
	"context"
	"strings"
	"testing"

	"palisade"
)

// BenchmarkInspect reads an ordinary program of about 2 KB.
func BenchmarkInspect(b *testing.B) {
	list := blocks(b, "testdata/benign.txt")
	var src strings.Builder
	for _, name := range []string{"class with dunders", "caesar cipher", "game of life", "tree", "pandas files", "numbered files", "inventory", "match", "closures and counters"} {
		src.WriteString(list[name])
	}
	program := palisade.Submission{Program: palisade.Program{Language: palisade.Python, Source: []byte(src.String())}}
	b.SetBytes(int64(src.Len()))
	start := processorTime(b)
	for b.Loop() {
		if _, err := (Inspector{}).Inspect(context.Background(), program); err != nil {
			b.Fatal(err)
		}
	}
	// Beside the clock, so that a busy machine does not blur it.
	b.ReportMetric(float64(processorTime(b)-start)/float64(b.N), "cpu-ns/op")
}
