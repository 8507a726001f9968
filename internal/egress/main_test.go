package egress

import (
	"os"
	"testing"

	"palisade/internal/egress/egresstest"
)

func TestMain(m *testing.M) {
	Pretend(egresstest.Lookup, egresstest.Forbidden, egresstest.Roots)
	if os.Args[0] == confinedName {
		confined()
		return
	}
	if Reexec() {
		return
	}
	os.Exit(m.Run())
}
