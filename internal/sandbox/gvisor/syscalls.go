package gvisor

import (
	"slices"
	"sync"

	"palisade/internal/sandbox"
)

// cloneNamespaces are the flags of clone(2) that make namespaces.
const cloneNamespaces = sandbox.CloneNamespaces

// deniedCalls returns the names of the calls in the named groups, and in those
// that are always denied. An unknown name is an error.
func deniedCalls(denied []string) ([]string, error) { return sandbox.DeniedSyscalls(denied) }

// deniable are the names of all calls that can be denied.
var deniable = sync.OnceValue(func() []string {
	names, err := sandbox.DeniedSyscalls(sandbox.SyscallGroups())
	if err != nil {
		panic(err) // these are the groups that there are
	}
	return slices.Clone(names)
})
