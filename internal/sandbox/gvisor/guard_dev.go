package gvisor

import (
	"fmt"

	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/fspath"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/kernel/auth"
	"gvisor.dev/gvisor/pkg/sentry/vfs"
)

// unwanted are the devices that gVisor's /dev has beyond the harmless ones. They
// open a way to drivers of the box's kernel that no program here needs.
func unwanted() (files, dirs []string) {
	return []string{"/dev/fuse", "/dev/net/tun"}, []string{"/dev/net"}
}

// removeDevices removes the unwanted devices from the guest's /dev.
func removeDevices(t *kernel.Task) error {
	root := t.MountNamespace().Root(t)
	defer root.DecRef(t)
	creds := auth.NewRootCredentials(t.Kernel().RootUserNamespace())
	at := func(name string) *vfs.PathOperation {
		return &vfs.PathOperation{Root: root, Start: root, Path: fspath.Parse(name)}
	}
	files, dirs := unwanted()
	for _, name := range files {
		if err := t.Kernel().VFS().UnlinkAt(t, creds, at(name)); err != nil && !linuxerr.Equals(linuxerr.ENOENT, err) {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	for _, name := range dirs {
		if err := t.Kernel().VFS().RmdirAt(t, creds, at(name)); err != nil && !linuxerr.Equals(linuxerr.ENOENT, err) {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	return nil
}
