package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// RootOnly reports why someone other than root could write or replace a file:
// it, and every folder on the way to it, must be owned by root and writable by
// nobody else, on a disk of the machine, and no part of the path may be a
// symbolic link. Nil means that only root could.
func RootOnly(name string) error {
	if err := OwnUsers(); err != nil {
		return err
	}
	if !filepath.IsAbs(name) || filepath.Clean(name) != name {
		return fmt.Errorf("%q is not an absolute path", name)
	}
	parts := strings.Split(strings.Trim(name, "/"), "/")
	for i := range len(parts) + 1 {
		at := "/" + strings.Join(parts[:i], "/")
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		var disk unix.Statfs_t
		owner, ok := info.Sys().(*syscall.Stat_t)
		switch {
		case !ok:
			return fmt.Errorf("%s: the owner is not known", at)
		case info.Mode()&os.ModeSymlink != 0:
			return fmt.Errorf("%s is a symbolic link, so that this file could be exchanged", at)
		case owner.Uid != 0:
			return fmt.Errorf("%s is owned by uid %d, not by root", at, owner.Uid)
		case info.Mode().Perm()&0o022 != 0: // an access list shows in the group's bits too
			return fmt.Errorf("%s is writable by others than root (mode %04o)", at, info.Mode().Perm())
		case unix.Statfs(at, &disk) != nil || !onDisk(disk.Type):
			return fmt.Errorf("%s is not on a disk of this machine (file system %#x), so that its owner says nothing", at, disk.Type)
		case i == len(parts) && !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file", at)
		}
	}
	return nil
}
