package gvisor

import (
	"runtime/debug"

	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// tidying makes sync(2), as long as no program was let go, give back what the
// box's kernel needed to start: some 15 MB of garbage in its heap, which a box
// that waits in a pool would hold for as long. A harness calls it last
// (its rehearsal); in a program's hands it is what it always was.
func (g *guard) tidying(fn kernel.SyscallFn) kernel.SyscallFn {
	return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
		if !g.events.Load().On() {
			debug.FreeOSMemory()
		}
		return fn(t, nr, args)
	}
}
