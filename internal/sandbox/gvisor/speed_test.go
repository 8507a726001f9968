package gvisor

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"palisade"
)

// TestColdSpeed compares a whole box, from its making to nothing left of it,
// with the bare interpreter, in turns.
func TestColdSpeed(t *testing.T) {
	s := newSandbox(t)
	runJob(t, s, code("pass"))
	const rounds = 15
	var box, bare []time.Duration
	for range rounds {
		start := time.Now()
		if err := exec.Command("/usr/bin/python3", "-I", "-c", "pass").Run(); err != nil {
			t.Skip(err)
		}
		bare = append(bare, time.Since(start))
		start = time.Now()
		if r := runJob(t, s, code("pass")); r.Status != palisade.OK {
			t.Fatalf("%+v", r)
		}
		box = append(box, time.Since(start))
	}
	slices.Sort(box)
	slices.Sort(bare)
	ratio := float64(box[rounds/2]) / float64(bare[rounds/2])
	t.Logf("box p50 %v (min %v, max %v), bare python p50 %v: %.1fx", box[rounds/2], box[0], box[rounds-1], bare[rounds/2], ratio)
	if ratio > 20 {
		t.Errorf("a cold box takes %.1f times the bare interpreter", ratio)
	}
}
