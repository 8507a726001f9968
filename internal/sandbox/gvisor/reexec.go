package gvisor

import (
	"errors"
	stdflag "flag"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/subcommands"
	"gvisor.dev/gvisor/runsc/cli/maincli"
	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/flag"
)

// The names under which this program runs itself again. gVisor fixes its own:
// runsc/sandbox/sandbox.go, runsc/container/container.go and runsc/cmd/boot.go
// (execProcUmounter).
const (
	sandboxName  = "runsc-sandbox"
	goferName    = "runsc-gofer"
	selfExe      = "/proc/self/exe"
	umountVerb   = "umount"
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
		if slices.Contains(args, bootVerb) {
			prepareSentry()
		}
		runsc()
	case args[0] == goferName,
		len(args) > 1 && args[0] == selfExe && args[1] == umountVerb:
		runsc()
	default:
		return false
	}
	return true
}

// runsc hands over to gVisor's command line. It registers some hundred flags on
// the standard command line, so that it gets one that nobody else has touched;
// only the flags that gVisor itself registered while packages were initialized
// move there (runsc/cli).
func runsc() {
	fresh := flag.NewFlagSet(os.Args[0], stdflag.ExitOnError)
	for _, name := range []string{"log-fd", "debug-log-fd", "panic-log-fd", "coverage-fd"} {
		if f := stdflag.CommandLine.Lookup(name); f != nil {
			fresh.Var(f.Value, f.Name, f.Usage)
		}
	}
	stdflag.CommandLine, flag.CommandLine = fresh, fresh
	subcommands.DefaultCommander = subcommands.NewCommander(fresh, filepath.Base(os.Args[0]))
	maincli.Main()
}

// canMakeBoxes reports why this binary cannot make boxes.
func canMakeBoxes() error {
	if config.CgoEnabled {
		return errCgo
	}
	return nil
}
