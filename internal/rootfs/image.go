package rootfs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"palisade"
)

// Config says which interpreter a box gets and where images are kept.
type Config struct {
	// Python is the interpreter's path on the host. Empty: DefaultPython.
	Python string
	// Dir holds images. It must not be writable by anyone else.
	Dir string
	// Files are placed in the image beside what the host gives, by absolute
	// path: the harness.
	Files map[string][]byte
}

// Image is the root of boxes: one read-only file.
type Image struct {
	// File is the EROFS image.
	File string
	// Python is the interpreter inside.
	Python Python
	// Digest covers every byte, name, mode and time in the image.
	Digest palisade.Digest
	// Size is the file's size in bytes.
	Size int64
	// Missing names shared libraries that modules in the image want and the
	// host does not have.
	Missing []string

	held *os.File // locked, so that nobody removes the file
}

// Close lets go of the image: from then on another process may remove it.
func (i *Image) Close() error { return i.held.Close() }

// Identity names the image for an approval and the record.
func (i *Image) Identity() string {
	return fmt.Sprintf("python %s %s image %s", i.Python, i.Python.Path, i.Digest)
}

// manifest stands beside an image.
type manifest struct {
	Format  int              `json:"format"`
	Image   string           `json:"image"` // file name
	Size    int64            `json:"size"`
	Digest  palisade.Digest  `json:"digest"`
	Asked   string           `json:"asked"` // digest of the Config
	Python  Python           `json:"python"`
	Missing []string         `json:"missing,omitempty"`
	Watched map[string]int64 `json:"watched"` // host path: modification time in ns
}

// format is raised when what goes into an image changes.
const format = 1

// Open returns the image for c, building it when there is none or the host's
// files changed since. Building reads some hundred megabytes and takes seconds;
// using one that stands takes milliseconds. Two processes may call it at once.
// Building removes images that nobody holds but the one last built.
func Open(ctx context.Context, c Config) (*Image, error) {
	c.Python = cmp.Or(c.Python, DefaultPython)
	if !filepath.IsAbs(c.Python) {
		return nil, fmt.Errorf("interpreter %q: want an absolute path", c.Python)
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	if err := private(c.Dir); err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(c.Python)
	if err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	asked := c.digest(real)
	if img := load(c, asked, real); img != nil {
		return img, nil
	}
	unlock, err := lock(filepath.Join(c.Dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if img := load(c, asked, real); img != nil { // another process built it
		return img, nil
	}
	return build(ctx, c, asked, real)
}

// private refuses a directory in which someone else could place an image.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("images: %s must belong to this user and be writable by no other", dir)
	}
	return nil
}

// digest identifies what was asked for, so that another interpreter or another
// harness gets an image of its own.
func (c Config) digest(real string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s\n%s\n", format, c.Python, real)
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		fmt.Fprintf(h, "%s %d\n%s\n", name, len(c.Files[name]), c.Files[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// load returns the image that stands if it is still what the host has.
func load(c Config, asked, real string) *Image {
	data, err := os.ReadFile(filepath.Join(c.Dir, asked+".json"))
	if err != nil {
		return nil
	}
	var m manifest
	if json.Unmarshal(data, &m) != nil || m.Format != format || m.Asked != asked || m.Python.Path != real {
		return nil
	}
	for p, at := range m.Watched {
		info, err := os.Lstat(p)
		if err != nil || info.ModTime().UnixNano() != at {
			return nil
		}
	}
	img, err := m.hold(c.Dir)
	if err != nil {
		return nil
	}
	return img
}

// hold returns the manifest's image, locked against removal.
func (m manifest) hold(dir string) (*Image, error) {
	img := &Image{
		File: filepath.Join(dir, filepath.Base(m.Image)), Python: m.Python, Digest: m.Digest, Size: m.Size, Missing: m.Missing,
	}
	f, err := os.OpenFile(img.File, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	var st syscall.Stat_t
	err = flock(f, syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		err = syscall.Fstat(int(f.Fd()), &st)
	}
	// It may have been removed between opening and locking.
	if err == nil && (st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Size != m.Size || st.Nlink == 0) {
		err = fmt.Errorf("%s is not the image that was written", img.File)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	img.held = f
	return img, nil
}

func build(ctx context.Context, c Config, asked, real string) (img *Image, err error) {
	python, err := probe(ctx, real)
	if err != nil {
		return nil, err
	}
	t := newTree()
	missing, err := t.fill(python)
	if err != nil {
		return nil, fmt.Errorf("box root: %w", err)
	}
	if _, err := t.addPath(c.Python); err != nil { // with its links
		return nil, err
	}
	for name, data := range c.Files {
		if err := t.file(filepath.Clean("/"+name), 0o444, data); err != nil {
			return nil, err
		}
	}
	python.Modules = t.importable(python)

	tmp, err := os.CreateTemp(c.Dir, "building-*")
	if err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	defer func() {
		_ = tmp.Close()
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	h := sha256.New()
	size, err := writeImage(tmp, t.root, h)
	if err == nil {
		err = errors.Join(tmp.Chmod(0o400), tmp.Sync(), ctx.Err())
	}
	if err != nil {
		return nil, fmt.Errorf("write the box's root: %w", err)
	}
	m := manifest{
		Format: format, Size: size, Digest: palisade.Digest(h.Sum(nil)), Asked: asked,
		Python: python, Missing: missing, Watched: t.watched,
	}
	m.Image = asked + "-" + m.Digest.String()[:16] + ".erofs"
	if err := os.Rename(tmp.Name(), filepath.Join(c.Dir, m.Image)); err != nil {
		return nil, err
	}
	if err := writeManifest(c.Dir, m); err != nil {
		return nil, err
	}
	img, err = m.hold(c.Dir)
	forget(c.Dir, m.Image)
	return img, err
}

func writeManifest(dir string, m manifest) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	tmp := filepath.Join(dir, "manifest.tmp")
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, m.Asked+".json"))
}

// forget removes the images that nobody holds, but for the current one and the
// one built last before it, and what builds that were cut off left. The caller
// has the lock.
func forget(dir, current string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type old struct {
		name string
		at   int64
	}
	var images []old
	for _, e := range entries {
		name := e.Name()
		info, err := e.Info()
		switch {
		case err != nil || name == current:
		case strings.HasPrefix(name, "building-"):
			_ = os.Remove(filepath.Join(dir, name))
		case strings.HasSuffix(name, ".erofs"):
			images = append(images, old{name, info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(images, func(a, b old) int { return cmp.Compare(b.at, a.at) })
	for _, img := range images[min(1, len(images)):] {
		asked, _, _ := strings.Cut(img.name, "-")
		if removeUnheld(filepath.Join(dir, img.name)) && !strings.HasPrefix(current, asked+"-") {
			_ = os.Remove(filepath.Join(dir, asked+".json"))
		}
	}
}

// removeUnheld removes an image unless a process holds it.
func removeUnheld(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) == nil && os.Remove(file) == nil
}

// flock locks an open file, as flock(2).
func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// lock takes an exclusive lock on a file, waiting for whoever has it.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	err = flock(f, syscall.LOCK_EX)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", file, err)
	}
	return func() { _ = f.Close() }, nil
}
