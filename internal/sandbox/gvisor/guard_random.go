package gvisor

import (
	"fmt"

	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/context"
	"gvisor.dev/gvisor/pkg/fspath"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/kernel/auth"
	"gvisor.dev/gvisor/pkg/sentry/vfs"
	"gvisor.dev/gvisor/pkg/usermem"
)

// randomMinor is the first of two minor numbers, among those of memory devices,
// that Linux does not use (Documentation/admin-guide/devices.txt).
const randomMinor = 108

// replaceRandom puts devices that draw from each thread's own stream in place of
// /dev/random and /dev/urandom: gVisor's do not know who reads.
func replaceRandom(t *kernel.Task, c *chance) error {
	root := t.MountNamespace().Root(t)
	defer root.DecRef(t)
	fs, creds := t.Kernel().VFS(), auth.NewRootCredentials(t.Kernel().RootUserNamespace())
	for i, name := range []string{"random", "urandom"} {
		minor := uint32(randomMinor + i)
		at := &vfs.PathOperation{Root: root, Start: root, Path: fspath.Parse("/dev/" + name)}
		if err := fs.RegisterDevice(vfs.CharDevice, linux.MEM_MAJOR, minor, &randomDevice{c}, &vfs.RegisterDeviceOptions{GroupName: "mem"}); err != nil {
			return err
		}
		if err := fs.UnlinkAt(t, creds, at); err != nil {
			return fmt.Errorf("remove /dev/%s: %w", name, err)
		}
		if err := fs.MknodAt(t, creds, at, &vfs.MknodOptions{Mode: linux.S_IFCHR | 0o666, DevMajor: linux.MEM_MAJOR, DevMinor: minor}); err != nil {
			return fmt.Errorf("make /dev/%s: %w", name, err)
		}
	}
	return nil
}

// randomDevice implements vfs.Device.
type randomDevice struct{ chance *chance }

// Open implements vfs.Device.
func (d *randomDevice) Open(ctx context.Context, mnt *vfs.Mount, at *vfs.Dentry, opts vfs.OpenOptions) (*vfs.FileDescription, error) {
	f := &randomFile{chance: d.chance}
	err := f.vfsfd.Init(f, opts.Flags, auth.CredentialsFromContext(ctx), mnt, at, &vfs.FileDescriptionOptions{UseDentryMetadata: true})
	return &f.vfsfd, err
}

// randomFile implements vfs.FileDescriptionImpl.
type randomFile struct {
	vfsfd vfs.FileDescription
	vfs.FileDescriptionDefaultImpl
	vfs.DentryMetadataFileDescriptionImpl
	vfs.NoLockFD
	chance *chance
}

// Release implements vfs.FileDescriptionImpl.
func (*randomFile) Release(context.Context) {}

// Read implements vfs.FileDescriptionImpl.
func (f *randomFile) Read(ctx context.Context, dst usermem.IOSequence, _ vfs.ReadOptions) (int64, error) {
	who := nobody
	if t := kernel.TaskFromContext(ctx); t != nil {
		who = t.ThreadID()
	}
	var done int64
	for buf := make([]byte, min(dst.NumBytes(), 4096)); dst.NumBytes() > 0; {
		part := buf[:min(dst.NumBytes(), int64(len(buf)))]
		f.chance.draw(who, part)
		n, err := dst.CopyOut(ctx, part)
		done += int64(n)
		if err != nil {
			return done, err
		}
		dst = dst.DropFirst(n)
	}
	return done, nil
}

// PRead implements vfs.FileDescriptionImpl.
func (f *randomFile) PRead(ctx context.Context, dst usermem.IOSequence, _ int64, opts vfs.ReadOptions) (int64, error) {
	return f.Read(ctx, dst, opts)
}

// Write implements vfs.FileDescriptionImpl: what is mixed in is thrown away.
func (*randomFile) Write(_ context.Context, src usermem.IOSequence, _ vfs.WriteOptions) (int64, error) {
	return src.NumBytes(), nil
}

// Seek implements vfs.FileDescriptionImpl.
func (*randomFile) Seek(context.Context, int64, int32) (int64, error) { return 0, nil }
