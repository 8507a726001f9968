package python

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestNewestGrammar compares generated programs with CPython 3.14, which runs
// as WebAssembly under node. It is for those who have run `npm install pyodide`
// in $PALISADE_PYODIDE.
func TestNewestGrammar(t *testing.T) {
	dir := os.Getenv("PALISADE_PYODIDE")
	if dir == "" {
		skip(t, "pyodide", "PALISADE_PYODIDE is not set")
	}
	g := &generator{rng: rand.New(rand.NewPCG(3, 14)), minor: 14}
	var programs []string
	for range 20_000 {
		g.out.Reset()
		for range 1 + g.rng.IntN(3) {
			g.stmt("", 3)
		}
		programs = append(programs, g.out.String())
	}
	in, err := json.Marshal(programs)
	if err != nil {
		t.Fatal(err)
	}
	digest := filepath.Join(t.TempDir(), "digest.py")
	if err := os.WriteFile(digest, []byte(DigestSource), 0o600); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "programs.json")
	if err := os.WriteFile(list, in, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "testdata/pyodide.js", dir, digest, list)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs []string
	if err := json.Unmarshal(out, &theirs); err != nil || len(theirs) != len(programs) {
		t.Fatalf("%d answers: %v", len(theirs), err)
	}
	both := 0
	for i, src := range programs {
		ours := "x"
		m, err := Parse([]byte(src), Options{Version: Version{3, 14}})
		if err == nil {
			ours = HexDigest(m)
		}
		if ours != theirs[i] {
			t.Errorf("ours %.8s (%v), CPython %.8s:\n%s", ours, err, theirs[i], src)
		} else if ours != "x" {
			both++
		}
	}
	t.Logf("%d programs, %d accepted by both", len(programs), both)
}
