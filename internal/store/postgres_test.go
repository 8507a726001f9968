package store

import (
	"os"
	"testing"

	"palisade/internal/store/storetest"
)

var server storetest.Server

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

// postgres returns the DSN of a new, empty database.
func postgres(t testing.TB) string {
	t.Helper()
	return server.Database(t)
}
