package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"palisade"
)

// blocks reads a file of programs, each under a line "### name".
func blocks(t testing.TB, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, b := range strings.Split("\n"+string(data), "\n### ")[1:] {
		name, src, _ := strings.Cut(b, "\n")
		if _, twice := out[name]; twice {
			t.Fatalf("%s: %q stands twice", file, name)
		}
		out[name] = src + "\n"
	}
	return out
}

func TestEvasions(t *testing.T) {
	j, list := newJudge(t), blocks(t, "testdata/evasions.txt")
	for name, src := range blocks(t, "testdata/evasions_flow.txt") {
		list["flow: "+name] = src
	}
	for name, src := range blocks(t, "testdata/evasions_libraries.txt") {
		list["libraries: "+name] = src
	}
	if len(list) < 150 {
		t.Errorf("%d programs, want 150", len(list))
	}
	for name, src := range list {
		t.Run(name, func(t *testing.T) {
			v := j.decide("data", src)
			if v.Decision == palisade.Allow {
				t.Errorf("allowed:\n%s\nfindings: %v", src, inspect(t, src).Findings)
			}
			for _, r := range v.Reasons {
				if f := r.Finding; f.Capability == palisade.CapUnparsable || f.Capability == palisade.CapFailed {
					t.Errorf("refused for the wrong reason: %s\n%s", f.Message, src)
				}
			}
		})
	}
}

func TestJails(t *testing.T) {
	j := newJudge(t)
	for name, src := range blocks(t, "testdata/jails.txt") {
		for _, profile := range []string{"data", "pal"} {
			if v := j.decide(profile, src); v.Decision == palisade.Allow {
				t.Errorf("%s: %s allows it:\n%s", name, profile, src)
			}
		}
	}
}

func TestBenign(t *testing.T) {
	j, list := newJudge(t), blocks(t, "testdata/benign.txt")
	for name, src := range blocks(t, "testdata/benign_more.txt") {
		list["more: "+name] = src
	}
	if len(list) < 100 {
		t.Errorf("%d programs, want 100", len(list))
	}
	for name, src := range list {
		t.Run(name, func(t *testing.T) {
			if v := j.decide("data", src); v.Decision != palisade.Allow {
				t.Errorf("%s%s\n%s", v.Decision, why(v), src)
			}
		})
	}
}

// TestMechanisms holds each way to reach something to what it reaches: the
// name of a program ends in "= capability" or "= capability:part of the
// argument", several between commas.
func TestMechanisms(t *testing.T) {
	j := newJudge(t)
	files, err := filepath.Glob("testdata/mechanisms/*.txt")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for title, src := range blocks(t, file) {
			name, wants, ok := strings.Cut(title, " = ")
			if !ok {
				t.Fatalf("%s: %q names no capability", file, title)
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
				findings := inspect(t, src).Findings
				for want := range strings.SplitSeq(wants, ",") {
					capability, argument, _ := strings.Cut(want, ":")
					if !slices.ContainsFunc(findings, func(f palisade.Finding) bool {
						return string(f.Capability) == capability && strings.Contains(f.Argument, argument)
					}) {
						t.Errorf("no %s in:\n%s\nfindings: %v", want, src, findings)
					}
				}
				if v := j.decide("data", src); v.Decision == palisade.Allow {
					t.Errorf("allowed:\n%s", src)
				}
			})
		}
	}
}
