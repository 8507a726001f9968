package gvisor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rootOptions are those of the file system that is a sentry's root.
const rootOptions = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC

// ownMaps is all that a sentry's root holds: which of its addresses are taken. gVisor
// reads it where the address that it has drawn for its stubs is not free, which
// befalls one sentry in a thousand, and panics where it cannot.
const ownMaps = "/proc/self/maps"

// onlyOwn closes what this process was started with beside its own, and reports an
// error where it holds a directory open: by one, the host's files could be named from
// the empty root. gVisor makes the socket by which a sentry is told what to do so that
// whatever is executed meanwhile inherits it: else another box's sentry could be told
// it.
func onlyOwn(own []int) error {
	const open = "/proc/self/fd"
	entries, err := os.ReadDir(open)
	if err != nil {
		return err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			return err
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil {
			continue // it is gone: that of this listing
		}
		// What this process opened itself is closed on execution, and what was
		// inherited is not.
		if flags&unix.FD_CLOEXEC == 0 && !slices.Contains(own, fd) {
			if err := unix.Close(fd); err != nil {
				return fmt.Errorf("close descriptor %d: %w", fd, err)
			}
			continue
		}
		if info, err := os.Stat(filepath.Join(open, e.Name())); err == nil && info.Mode().Type() == fs.ModeDir {
			return fmt.Errorf("descriptor %s is a directory", e.Name())
		}
	}
	return nil
}

// enterEmptyRoot makes a read-only file system that holds nothing but ownMaps, as
// they are now, the root of this process, which the launcher has started in a mount
// namespace of its own.
func enterEmptyRoot() error {
	const at = "/tmp" // any directory will do: nobody else sees what is mounted on it
	maps, err := os.ReadFile(ownMaps)
	if err != nil {
		return err
	}
	// What is mounted from here on stays in this namespace.
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("keep mounts to itself: %w", err)
	}
	if err := unix.Mount("palisade-root", at, "tmpfs", rootOptions, "mode=0755"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if err := unix.Chdir(at); err != nil {
		return err
	}
	// With both the same, the old root is mounted over the new one, and what is
	// unmounted is the old one: pivot_root(2).
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount the old root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(ownMaps), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(ownMaps, maps, 0o400); err != nil {
		return err
	}
	return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_RDONLY|rootOptions, "")
}

// dropCapabilities gives up every capability, in all five sets and on all threads.
// The launcher has made this process nobody already.
func dropCapabilities() error {
	const version3 = 0x20080522 // _LINUX_CAPABILITY_VERSION_3: include/uapi/linux/capability.h
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("drop ambient capabilities: %w", errno)
	}
	for c := uintptr(0); ; c++ {
		_, _, errno := syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0)
		if errno == unix.EINVAL && c > unix.CAP_SYS_RESOURCE {
			break // the kernel knows no more of them
		}
		if errno != 0 {
			return fmt.Errorf("drop capability %d: %w", c, errno)
		}
	}
	head, none := unix.CapUserHeader{Version: version3}, [2]unix.CapUserData{}
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&none[0])), 0)
	runtime.KeepAlive(&head)
	runtime.KeepAlive(&none)
	if errno != 0 {
		return fmt.Errorf("drop capabilities: %w", errno)
	}
	return nil
}
