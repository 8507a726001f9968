package gvisor

import (
	"runtime/debug"
	"time"
)

// bootHeap is how large the sentry's heap may grow while garbage collection
// waits, and bootTime how long it waits: booting a sentry makes little garbage,
// and collecting it costs a fifth of the boot.
const (
	bootHeap = 96 << 20
	bootTime = 3 * time.Second
)

// prepareSentry runs in a process that is about to become a sentry.
func prepareSentry() {
	g := &guard{}
	registerGuard(g)
	g.install()
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(bootHeap)
	time.AfterFunc(bootTime, func() {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(1<<63 - 1)
	})
}
