package sandboxtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReportedHostCases: each case of the corpus about a host is played in the suite.
func TestReportedHostCases(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "../shared/corpora/reported/cases.jsonl"))
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), "corpora") {
			t.Fatalf("corpora are required: %v", err)
		}
		t.Skipf("no corpora: %v", err)
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		var c struct{ ID, Kind string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.Kind == "host" {
			there[c.ID] = true
		}
	}
	played := hostCases()
	for id := range there {
		if _, ok := played[id]; !ok {
			t.Errorf("case %s is not played", id)
		}
	}
	if len(there) != len(played) {
		t.Errorf("%d cases in the corpus, %d are played", len(there), len(played))
	}
}
