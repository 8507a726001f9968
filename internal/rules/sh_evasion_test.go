package rules

import (
	"os"
	"strings"
	"testing"

	"palisade"
)

// programs reads a file of programs, which lines of "---" part.
func programs(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n---\n")
}

// TestShellEvasion: one program for each way to run, read, write or reach what
// agent does not allow. Each is a neighbor of a technique that was reported of
// other products.
func TestShellEvasion(t *testing.T) {
	j := newJudge(t)
	for _, src := range programs(t, "shell/stopped.txt") {
		if v := j.decideShell("agent", src); v.Decision == palisade.Allow {
			t.Errorf("allowed:\n%s", src)
		}
	}
}

// TestShellBenign: what agents write all day goes through unasked.
func TestShellBenign(t *testing.T) {
	j := newJudge(t)
	for _, src := range programs(t, "shell/allowed.txt") {
		if v := j.decideShell("agent", src); v.Decision != palisade.Allow {
			t.Errorf("%s%s\n%s", v.Decision, why(v), src)
		}
	}
}
