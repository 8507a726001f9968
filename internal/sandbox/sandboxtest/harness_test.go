package sandboxtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"palisade"
	"palisade/internal/python"
)

// interpreters are those that the harness is tested with: Debian's, and what
// PALISADE_PYTHONS lists, as PATH does.
func interpreters(t *testing.T) map[string]python.Version {
	t.Helper()
	found := map[string]python.Version{}
	for _, path := range append(filepath.SplitList(os.Getenv("PALISADE_PYTHONS")), "/usr/bin/python3") {
		out, err := exec.Command(path, "-I", "-S", "-c", "import sys; print(*sys.version_info[:2])").Output()
		if err != nil {
			t.Logf("%s does not run: %v", path, err)
			continue
		}
		var v python.Version
		if _, err := fmt.Sscan(string(out), &v.Major, &v.Minor); err != nil {
			t.Fatalf("%s: %q", path, out)
		}
		found[path] = v
	}
	if len(found) == 0 {
		t.Skip("no interpreter")
	}
	return found
}

// TestBare drives the suite against plain processes: it proves the harness, the
// protocol and the cases that need no isolation. What isolates is proven where
// a back-end is.
func TestBare(t *testing.T) {
	none := "a plain process has none"
	for path, version := range interpreters(t) {
		packages := "none"
		if path == "/usr/bin/python3" {
			packages = "" // Debian's
		}
		t.Run(version.String(), func(t *testing.T) {
			Run(t, func(t testing.TB) palisade.Sandbox { return &bare{t: t, python: path, packages: packages == ""} }, Options{
				Backend: "bare", Python: version, Packages: packages,
				Lacks: map[string]string{"determinism": none, "isolation": none, "network": none, "cpu": none, "memory": none, "processes": none,
					"files": none, "disk": none, "inodes": none, "deny": none, "text": "a program that is a child would outlive what ends the harness"},
			})
		})
	}
}
