package secret

import (
	"os"
	"testing"
)

func BenchmarkFind(b *testing.B) {
	text, err := os.ReadFile("find.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		find("find.go", string(text))
	}
}
