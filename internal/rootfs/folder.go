package rootfs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
)

// folderSuffix ends the names of folders, and folderKind the kinds of their
// manifests: an image and a folder of one kind stand beside each other.
const (
	folderSuffix = ".folder"
	folderKind   = "_folder"
)

// OpenFolder is [Open] for a back-end whose boxes share the host's kernel: the
// same files, with the same times and modes, stand in a folder, which such a
// kernel can mount read-only without a privilege. Image.File is that folder.
//
// Nothing in it is linked to the host's files, so that neither side can change
// the other's.
func OpenFolder(ctx context.Context, c Config) (*Image, error) {
	c.Kind = cmp.Or(c.Kind, "python") + folderKind
	return open(ctx, c, buildFolder)
}

func buildFolder(ctx context.Context, c Config, asked string, on interpreters) (*Image, error) {
	t, m := newTree(), manifest{Format: format, Asked: asked}
	if err := t.fill(ctx, c, on, &m); err != nil {
		return nil, fmt.Errorf("box root: %w", err)
	}
	tmp, err := os.MkdirTemp(c.Dir, "building-*")
	if err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	done := false
	defer func() {
		if !done {
			_ = os.RemoveAll(tmp)
		}
	}()
	w := &folderWriter{seen: sha256.New()}
	err = w.write(ctx, tmp, t.root)
	if err == nil {
		err = syncFolder(tmp)
	}
	if err != nil {
		return nil, fmt.Errorf("write the box's root: %w", err)
	}
	m.Size, m.Digest, m.Watched = w.size, palisade.Digest(w.seen.Sum(nil)), t.watched
	m.Image = asked + "-" + m.Digest.String()[:16] + folderSuffix
	final := filepath.Join(c.Dir, m.Image)
	if err := os.RemoveAll(final); err != nil { // of a start that was cut off
		return nil, err
	}
	if err := os.Rename(tmp, final); err != nil {
		return nil, err
	}
	done = true
	if err := writeManifest(c.Dir, m); err != nil {
		return nil, err
	}
	img, err := m.hold(c.Dir)
	forget(c.Dir, m.Image)
	return img, err
}

// folderWriter writes a tree below a folder of the host.
type folderWriter struct {
	seen hash.Hash
	size int64
}

// write writes a directory and everything below it. The time of each file is
// kept, since compiled modules are valid for one alone.
func (w *folderWriter) write(ctx context.Context, dir string, n *node) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, name := range sortedNames(n) {
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
			return fmt.Errorf("file name %q cannot be stored", name)
		}
		child, p := n.children[name], filepath.Join(dir, name)
		fmt.Fprintf(w.seen, "%q %o %d %d.%d %q\n", name, unixMode(child.mode), child.size, child.mtime, child.nsec, child.target)
		var err error
		switch {
		case child.mode.IsDir():
			if err = os.Mkdir(p, 0o755); err == nil {
				err = w.write(ctx, p, child)
			}
			fmt.Fprintln(w.seen, "end")
		case child.mode&fs.ModeSymlink != 0:
			err = os.Symlink(child.target, p)
		default:
			err = w.file(p, child)
		}
		if err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o755) //nolint:gosec // programs run as somebody else, and read it
}

func (w *folderWriter) file(p string, n *node) (err error) {
	f, err := os.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	both := io.MultiWriter(f, w.seen)
	if n.data != nil {
		_, err = both.Write(n.data)
	} else {
		_, err = copyHost(both, n)
	}
	w.size += n.size
	if err = errors.Join(err, f.Chmod(n.mode.Perm()), f.Close()); err != nil {
		return err
	}
	at := time.Unix(n.mtime, int64(n.nsec))
	return os.Chtimes(p, at, at)
}

// syncFolder makes a folder durable with the disk it is on: a manifest must not
// name files that a crash left empty.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

// holdFolder opens a folder and locks it against removal.
func (m manifest) holdFolder(img *Image) (*Image, error) {
	f, err := os.OpenFile(img.File, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	err = flock(f, syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil { // it may have been removed between opening and locking
		_, err = os.Stat(filepath.Join(img.File, m.Python.Path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	img.held = f
	return img, nil
}
