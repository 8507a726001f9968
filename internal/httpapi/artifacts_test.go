package httpapi

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"palisade"
)

// TestArtifactsAreShared: a tenant keeps to its share, whoever has less than others
// loses nothing to them, and what is too old goes, with what held it.
func TestArtifactsAreShared(t *testing.T) {
	dir, clock := filepath.Join(t.TempDir(), "artifacts"), time.Now()
	open := func() *Artifacts {
		a, err := OpenArtifacts(dir, time.Hour, 1000, func() time.Time { return clock })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		return a
	}
	a := open()
	digests, made := map[string]palisade.Digest{}, 0
	leave := func(tenant string, size int) string {
		t.Helper()
		made++
		run, data := fmt.Sprint("run", made), bytes.Repeat([]byte{byte(made)}, size)
		digests[run] = sha256.Sum256(data)
		if err := a.keep(tenant, palisade.Outcome{Run: run, Artifacts: []palisade.Artifact{{Data: data, Digest: digests[run]}}}); err != nil {
			t.Fatal(err)
		}
		at := clock.Add(time.Duration(made-1000) * time.Second) // the file system's clock may be coarse
		_ = os.Chtimes(filepath.Join(dir, tenant, run), at, at)
		return run
	}
	kept := func(when, tenant, run string, want bool) {
		t.Helper()
		_, err := a.read(tenant, run, digests[run])
		if (err == nil) != want || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %s of %s: %v", when, run, tenant, err)
		}
	}
	red := leave("red", 200)
	var blue []string
	for range 9 {
		blue = append(blue, leave("blue", 100))
	}
	kept("beyond its share", "blue", blue[0], false)
	kept("beyond its share", "blue", blue[1], false)
	kept("its share", "blue", blue[2], true)
	kept("its share", "blue", blue[8], true)
	kept("another's, older", "red", red, true)
	green := leave("green", 200) // all is too much
	kept("whoever has most", "blue", blue[2], false)
	kept("whoever has less", "red", red, true)
	kept("whoever has less", "green", green, true)
	a = open() // the next server knows what is whose
	leave("green", 200)
	kept("after a restart", "blue", blue[3], false)
	kept("after a restart", "red", red, true)
	kept("another tenant's", "blue", red, false)
	clock = clock.Add(2 * time.Hour)
	for range 2 { // files, then the folders that held them
		if err := a.Sweep(); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("too old, and still there: %v, %v", left, err)
	}
}
