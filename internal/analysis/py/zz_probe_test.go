package py

import (
	"fmt"
	"os"
	"testing"

	"palisade/internal/python"
)

func TestProbe(t *testing.T) {
	file := os.Getenv("PROBE")
	if file == "" {
		t.Skip()
	}
	src, _ := os.ReadFile(file)
	norm, err := python.Normalize(src)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := python.Parse(norm, python.Options{})
	if err != nil {
		t.Fatal(err)
	}
	facts, err := Analyze(Program{Main: Source{File: "p.py", Tree: tree}}, Budget{})
	for _, f := range facts {
		fmt.Printf("%d:%d %s sym=%s arg=%q unk=%v kind=%d ev=%s\n", f.Line, f.Column, f.Capability, f.Symbol, f.Argument, f.Unknown, f.Kind, f.Evidence)
	}
	fmt.Println("err:", err)
}
