package gvisor

import (
	"os"
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	"gvisor.dev/gvisor/runsc/boot/filter"
)

// The filter that a sentry puts on itself is the same for every box, but for the
// number of a descriptor and its own. gVisor would have compiled it when it was built; as a
// module it has no such programs, and compiles one in each boot, which is a
// twentieth of it. So it stands here, as gVisor's own compiler gives it: a test
// compiles it again (go test -run TestSentryFilter -update writes it). gVisor finds
// it by a name that holds all that its rules depend on, and compiles as before where
// that is another one.

// precompiled is where gVisor looks.
//
//go:linkname precompiled gvisor.dev/gvisor/runsc/boot/filter.precompiledPrograms
var precompiled map[string]precompiledseccomp.Program

// useCompiledFilter has gVisor find the compiled filter.
func useCompiledFilter() {
	filter.ListPrecompiled() // from here on it makes no list of its own
	if sentryFilter.Name != "" {
		sentryFilter.Bytecode32[ownPID] = uint32(os.Getpid()) // systrap's rules, without a variable of their own
		precompiled[sentryFilter.Name] = sentryFilter
	}
}
