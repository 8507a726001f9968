package gvisor

import (
	"testing"

	"palisade"
	"palisade/internal/sandbox/sandboxtest"
)

// TestRedCode forces programs through that were written to harm their host.
func TestRedCode(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	sandboxtest.RunRedCode(t, func(t testing.TB) palisade.Sandbox { return newSandbox(t) }, sandboxtest.Options{Backend: Backend, Languages: languages()})
}
