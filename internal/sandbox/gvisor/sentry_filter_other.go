//go:build !amd64

package gvisor

import "gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"

// sentryFilter is compiled in each boot on this architecture.
var sentryFilter precompiledseccomp.Program

const ownPID = 0
