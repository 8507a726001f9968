package sandboxtest

import (
	"os"
	"testing"

	"palisade"
	"palisade/internal/python"
)

// TestBare drives the suite against plain processes: it proves the harness, the
// protocol and the cases that need no isolation. What isolates is proven where
// a back-end is.
func TestBare(t *testing.T) {
	path, version := "/usr/bin/python3", python.DefaultVersion()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no interpreter: %v", err)
	}
	none := "a plain process has none"
	Run(t, func(t testing.TB) palisade.Sandbox { return &bare{t: t, python: path} }, Options{
		Backend: "bare", Python: version,
		Lacks: map[string]string{"isolation": none, "network": none, "cpu": none, "memory": none, "processes": none,
			"files": none, "disk": none, "inodes": none, "deny": none},
	})
}
