package gvisor

import (
	"errors"
	"os"

	"gvisor.dev/gvisor/runsc/config"
)

// The names under which this program runs itself again. gVisor fixes its own:
// runsc/sandbox/sandbox.go.
const (
	sandboxName  = "runsc-sandbox"
	selfExe      = "/proc/self/exe"
	bootVerb     = "boot"
	launcherName = "palisade-launcher"
)

// errCgo says why a binary cannot make boxes.
var errCgo = errors.New("this program was built with cgo, in which gVisor's kernel is stopped by its own seccomp filter: build it with CGO_ENABLED=0")

// Reexec must be the first call of main, before any use of the flag package. It
// reports whether this process is a part of a box rather than the program that
// the user started; then its work is done when it returns, and main must
// return.
func Reexec() bool {
	args := os.Args
	switch {
	case len(args) == 0:
		return false
	case args[0] == launcherName:
		os.Exit(launcherMain()) //nolint:forbidigo // this process is the launcher and nothing else
	case args[0] == sandboxName:
		prepareSentry()
		os.Exit(bootMain(args[1:])) //nolint:forbidigo // this process is a sentry and nothing else
	default:
		return false
	}
	return true
}

// canMakeBoxes reports why this binary cannot make boxes.
func canMakeBoxes() error {
	if config.CgoEnabled {
		return errCgo
	}
	return nil
}
