package gvisor

import (
	"errors"

	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/fspath"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/kernel/auth"
	"gvisor.dev/gvisor/pkg/sentry/vfs"
)

// reserve takes one file of the limit. At the limit it counts what is there,
// since files are also removed and overwritten.
func (g *guard) reserve(t *kernel.Task) bool {
	if g.meter.Load() == nil {
		return false
	}
	if g.entries.Add(1) <= g.inodes {
		return true
	}
	g.entries.Add(-1)
	if g.full.Load() {
		return false // a program that keeps trying must not make the kernel count all day
	}
	g.counting.Lock()
	defer g.counting.Unlock()
	if g.entries.Add(1) <= g.inodes {
		return true // someone counted meanwhile
	}
	g.entries.Add(-1)
	before := g.entries.Load()
	g.full.Store(true) // a removal from here on takes it back
	n, err := countFiles(t, g.inodes)
	if err != nil || n >= g.inodes {
		return false
	}
	g.full.Store(false)
	// Calls that run meanwhile keep what they have reserved.
	g.entries.Add(n - before + 1)
	return true
}

// scratchDirs are where a guest can make files.
func scratchDirs() []string { return []string{"/work", "/tmp"} }

// errEnough stops a count.
var errEnough = errors.New("enough")

// countFiles counts the entries below the scratch directories, up to limit.
func countFiles(t *kernel.Task, limit int64) (int64, error) {
	mounts := t.MountNamespace()
	root := mounts.Root(t)
	defer root.DecRef(t)
	creds := auth.NewRootCredentials(t.Kernel().RootUserNamespace())
	var n int64
	for _, dir := range scratchDirs() {
		f, err := openDir(t, creds, root, root, dir)
		if err != nil {
			return 0, err
		}
		if err := countBelow(t, creds, root, f, &n, limit); err != nil && !errors.Is(err, errEnough) {
			return 0, err
		}
	}
	return n, nil
}

func openDir(t *kernel.Task, creds *auth.Credentials, root, start vfs.VirtualDentry, name string) (*vfs.FileDescription, error) {
	return t.Kernel().VFS().OpenAt(t, creds, &vfs.PathOperation{
		Root: root, Start: start, Path: fspath.Parse(name),
	}, &vfs.OpenOptions{Flags: linux.O_RDONLY | linux.O_DIRECTORY | linux.O_NOFOLLOW})
}

// countBelow adds the entries below one directory to n. It takes over first.
func countBelow(t *kernel.Task, creds *auth.Credentials, root vfs.VirtualDentry, first *vfs.FileDescription, n *int64, limit int64) error {
	open := []*vfs.FileDescription{first}
	defer func() {
		for _, f := range open {
			f.DecRef(t)
		}
	}()
	for len(open) > 0 {
		f := open[len(open)-1]
		open = open[:len(open)-1]
		var below []string
		err := f.IterDirents(t, vfs.IterDirentsCallbackFunc(func(d vfs.Dirent) error {
			if d.Name == "." || d.Name == ".." {
				return nil
			}
			if *n++; *n >= limit {
				return errEnough
			}
			if d.Type == linux.DT_DIR {
				below = append(below, d.Name)
			}
			return nil
		}))
		for _, name := range below {
			if err != nil {
				break
			}
			// It may have been removed meanwhile.
			if child, openErr := openDir(t, creds, root, f.VirtualDentry(), name); openErr == nil {
				open = append(open, child)
			}
		}
		f.DecRef(t)
		if err != nil {
			return err
		}
	}
	return nil
}
