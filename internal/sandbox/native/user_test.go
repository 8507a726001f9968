package native

import (
	"os"
	"testing"

	"palisade/internal/sandbox/sandboxtest"
)

// TestWithoutRoot runs this package's other tests as an ordinary user: the same
// boxes, without control groups.
func TestWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("all tests run without root here")
	}
	newSandbox(t) // it works for root
	tests := []string{"TestHello", "TestFresh", "TestEndsAtOnce", "TestKilledWithNoWarning", "TestEachKind", "TestActsInShell", "TestAbort", "TestDenied"}
	if !testing.Short() {
		tests = append(tests, "TestSuite")
	}
	sandboxtest.AsUser(t, Backend, tests...)
}
