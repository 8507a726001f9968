package gvisor

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// silenceMembarrier makes membarrier(2) fail with ENOSYS in this process and
// in all that it starts.
//
// gVisor registers for membarrier whenever its packages are initialized. In a process with several
// threads the registration waits until every reader in the kernel has passed,
// 10 to 14 ms. Without it the sentry works as on a kernel that has no
// membarrier, and tells its guest so.
func silenceMembarrier() error {
	const (
		loadNr  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		ifEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		answer  = unix.BPF_RET | unix.BPF_K
	)
	// The number is compared without the architecture: this program makes
	// calls of its own architecture only, and the filter guards nothing.
	filter := []unix.SockFilter{
		{Code: loadNr, K: 0}, // offsetof(struct seccomp_data, nr)
		{Code: ifEqual, K: unix.SYS_MEMBARRIER, Jt: 0, Jf: 1},
		{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// No process that the launcher starts gains a privilege by execution.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	// All threads at once: gVisor's own filter is set on all threads too, which
	// the kernel refuses where they differ.
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("membarrier filter: %w", errno)
	}
	return nil
}
