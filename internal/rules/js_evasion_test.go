package rules

import (
	"testing"

	"palisade"
)

// TestJavaScriptEvasion: one program for each way to run, read, write or reach
// what agent does not allow.
func TestJavaScriptEvasion(t *testing.T) {
	j := newJudge(t)
	for _, src := range programs(t, "javascript/stopped.txt") {
		if v := j.program("agent", palisade.JavaScript, src); v.Decision == palisade.Allow {
			t.Errorf("allowed:\n%s", src)
		}
	}
}

// TestJavaScriptBenign: what agents write all day goes through unasked.
func TestJavaScriptBenign(t *testing.T) {
	j := newJudge(t)
	for _, src := range programs(t, "javascript/allowed.txt") {
		if v := j.program("agent", palisade.TypeScript, src); v.Decision != palisade.Allow {
			t.Errorf("%s%s\n%s", v.Decision, why(v), src)
		}
	}
}
