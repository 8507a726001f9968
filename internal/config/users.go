package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrUserNamespace says that user numbers here are not the machine's.
var ErrUserNamespace = errors.New("in a user namespace users are whoever its maker says")

// OwnUsers reports why user numbers, of files and of this process, cannot be
// believed: anyone may make a user namespace and be root in it. Nil means that
// they are the machine's own.
func OwnUsers() error {
	f, err := os.Open("/proc/self/uid_map")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUserNamespace, err)
	}
	defer f.Close()
	// Another file can be mounted here, also the map of another process; but the
	// kernel writes a map as its reader sees it.
	var fs unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &fs); err != nil || fs.Type != unix.PROC_SUPER_MAGIC {
		return fmt.Errorf("%w: /proc is not the kernel's", ErrUserNamespace)
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUserNamespace, err)
	}
	if strings.Join(strings.Fields(string(text)), " ") != "0 0 4294967295" {
		return ErrUserNamespace
	}
	return nil
}

// onDisk reports whether a file system is one of a machine's own disks or
// memory. On others,
// such as FUSE, files have the owner that whoever mounted them says; those of
// /proc have contents that a process chooses.
// Source: linux/include/uapi/linux/magic.h.
func onDisk(magic int64) bool {
	switch uint32(magic) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
		unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.F2FS_SUPER_MAGIC, unix.SQUASHFS_MAGIC, unix.EROFS_SUPER_MAGIC_V1,
		0x2fc12fc1, // ZFS
		0xca451a4e: // bcachefs
		return true
	}
	return false
}
