package sandboxtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/python"
	"palisade/internal/sandbox"
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
	leaveNothing(t)
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

// leaveNothing ends what programs of a test leave behind: one that has a session of
// its own is in no group that ends, and no sandbox is around it.
func leaveNothing(t *testing.T) {
	t.Helper()
	// Orphans become this process's children, prctl(2).
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, pid := range sandbox.Tree(os.Getpid())[1:] {
			if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
				t.Error(err)
			}
			_, _ = unix.Wait4(pid, nil, 0, nil) // a grandchild is its parent's, or ours by now
		}
	})
}
