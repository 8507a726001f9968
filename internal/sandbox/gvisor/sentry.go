package gvisor

import (
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"
)

// bootHeap is how large the sentry's heap may grow while garbage collection
// waits, and bootTime how long it waits: booting a sentry makes little garbage,
// and collecting it costs a fifth of the boot.
const (
	bootHeap = 96 << 20
	bootTime = 3 * time.Second
)

// prepareSentry runs in a process that is about to become a sentry. Collection of
// garbage stops first: one that begins while the heap is laid out leaves room in it
// that was used before, and all of the block is then cleared, page by page.
func prepareSentry() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(bootHeap)
	hugeHeap()
	useCompiledFilter()
	g := &guard{}
	registerGuard(g)
	wrapChance(&g.chance)
	g.install()
	time.AfterFunc(bootTime, func() {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(1<<63 - 1)
	})
}

// hugeBlock is about twice what a boot takes of the heap.
const hugeBlock = 32 << 20

// hugeHeap has the heap grow in huge pages, where the kernel gives them on request.
// Each small page costs an exception when it is first written to, and one more after
// each fork of a stub. Go asks for none itself: so a large block is taken, its
// addresses marked, and given back untouched; they are what the heap grows into.
func hugeHeap() {
	block := make([]byte, hugeBlock)
	_ = unix.Madvise(block, unix.MADV_HUGEPAGE) // slower without
	runtime.KeepAlive(block)
	runtime.GC()
}
