package policy

import (
	"testing"

	"palisade"
)

// TestDeterministicIsWanted: who asks for it, or whose profile does, gets it or
// is refused by a back-end that reports no such layer.
func TestDeterministicIsWanted(t *testing.T) {
	set, err := Load(Config{Callers: Callers{Owner: "uid:1"}, Files: []string{write(t, "version: 1\nprofiles:\n"+
		"  always: {extends: data, deterministic: true}\n"+
		"  other: {extends: data, deterministic: true, isolation: {layers: {determinism: strong}}}\n"+
		"  never: {extends: always, deterministic: false}\n")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		profile string
		asked   bool
		want    string // the layer
	}{
		{"data", false, ""}, {"data", true, "kernel"}, {"always", false, "kernel"}, {"other", false, "strong"}, {"never", false, ""}, {"never", true, "kernel"},
	} {
		s := palisade.Submission{Submitter: "uid:1", Door: "cli", Profile: c.profile, Deterministic: c.asked}
		s.Program.Language = palisade.Python
		v, err := set.Decide(t.Context(), palisade.Case{Submission: s, Inspection: palisade.Inspection{Trees: map[string]palisade.Digest{"": {1}}}})
		if err != nil || v.Profile != c.profile {
			t.Fatalf("%+v: %+v, %v", c, v, err)
		}
		if got := v.Isolation.Layers["determinism"]; got != c.want || v.Deterministic != (c.want != "") {
			t.Errorf("%+v: layer %q, deterministic %t", c, got, v.Deterministic)
		}
	}
	p, err := set.Profile("data")
	if err != nil || p.Isolation.Layers["determinism"] != "" {
		t.Errorf("a submission changed the profile: %v, %v", p.Isolation.Layers, err)
	}
}
