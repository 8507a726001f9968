package sandbox

import "palisade"

const (
	// addressOverhead is the address space of an interpreter that does
	// nothing, with what numeric libraries reserve, in bytes; threadStack is
	// what each thread's stack reserves (RLIMIT_STACK, and a page); mallocArena
	// what glibc reserves for a thread that allocates, for at most arenasPerCPU
	// threads a processor (malloc/arena.c: HEAP_MAX_SIZE, NARENAS_FROM_NCORES).
	addressOverhead = 640 << 20
	threadStack     = 8<<20 + 4096
	mallocArena     = 64 << 20
	arenasPerCPU    = 8
)

// AddressSpace bounds each process of a box whose memory is only watched, in
// bytes (RLIMIT_AS): what a program may take between two looks, on a machine with
// so many processors.
func AddressSpace(l palisade.Limits, processors int) int64 {
	threads := l.Processes
	arenas := min(threads, arenasPerCPU*processors)
	return l.Memory + addressOverhead + int64(threads)*threadStack + int64(arenas)*mallocArena
}
