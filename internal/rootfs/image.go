package rootfs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"palisade"
)

// manifest stands beside an image.
type manifest struct {
	Format  int              `json:"format"`
	Image   string           `json:"image"` // file name
	Size    int64            `json:"size"`
	Changed int64            `json:"changed"` // the file's ctime in ns: it was not written since
	Digest  palisade.Digest  `json:"digest"`
	Asked   string           `json:"asked"` // digest of the Config
	Python  Python           `json:"python"`
	Program Program          `json:"program"`
	Missing []string         `json:"missing,omitempty"`
	Watched map[string]int64 `json:"watched"` // host path: modification time in ns
}

// format is raised when what goes into an image changes.
const format = 3

// Open returns the image for c, building it when there is none or the host's
// files changed since. Building reads some hundred megabytes and takes seconds;
// using one that stands takes milliseconds. Two processes may call it at once.
// Building removes images of its kind that nobody holds but the one last built.
//
// An error that wraps [fs.ErrNotExist] says that the host lacks an interpreter.
func Open(ctx context.Context, c Config) (*Image, error) {
	c.Kind = cmp.Or(c.Kind, "python")
	return open(ctx, c, build)
}

// open returns what stands for c, or has it built: one process at a time.
func open(ctx context.Context, c Config, build func(ctx context.Context, c Config, asked string, on interpreters) (*Image, error)) (*Image, error) {
	c.Python = cmp.Or(c.Python, DefaultPython)
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	if err := private(c.Dir); err != nil {
		return nil, err
	}
	on, err := c.resolve()
	if err != nil {
		return nil, err
	}
	asked := c.digest(on)
	if img := load(c, asked); img != nil {
		return img, nil
	}
	unlock, err := lock(filepath.Join(c.Dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if img := load(c, asked); img != nil { // another process built it
		return img, nil
	}
	return build(ctx, c, asked, on)
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

// load returns the image that stands if it is still what the host has.
func load(c Config, asked string) *Image {
	data, err := os.ReadFile(filepath.Join(c.Dir, asked+".json"))
	if err != nil {
		return nil
	}
	var m manifest
	if json.Unmarshal(data, &m) != nil || m.Format != format || m.Asked != asked {
		return nil
	}
	if !m.current() {
		return nil
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
		File: filepath.Join(dir, filepath.Base(m.Image)), Python: m.Python, Program: m.Program,
		Digest: m.Digest, Size: m.Size, Missing: m.Missing,
	}
	if strings.HasSuffix(m.Image, folderSuffix) {
		return m.holdFolder(img)
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
	if err == nil && (st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Size != m.Size || st.Nlink == 0 || st.Ctim.Nano() != m.Changed) {
		err = fmt.Errorf("%s is not the image that was written", img.File)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	img.held = f
	return img, nil
}

func build(ctx context.Context, c Config, asked string, on interpreters) (img *Image, err error) {
	t, m := newTree(), manifest{Format: format, Asked: asked}
	if err := t.fill(ctx, c, on, &m); err != nil {
		return nil, fmt.Errorf("box root: %w", err)
	}
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
	m.Size, m.Digest, m.Watched = size, palisade.Digest(h.Sum(nil)), t.watched
	m.Image = asked + "-" + m.Digest.String()[:16] + ".erofs"
	if err := os.Rename(tmp.Name(), filepath.Join(c.Dir, m.Image)); err != nil {
		return nil, err
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(int(tmp.Fd()), &st); err != nil {
		return nil, err
	}
	m.Changed = st.Ctim.Nano()
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

// forget removes the images of the current one's kind that nobody holds, but for
// the current one and the one built last before it, and what builds that were
// cut off left. The caller has the lock.
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
			_ = os.RemoveAll(filepath.Join(dir, name))
		case (strings.HasSuffix(name, ".erofs") || strings.HasSuffix(name, folderSuffix)) && (kindOf(name) == kindOf(current) || kindOf(name) == ""):
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

// kindOf returns the kind of an image's file, kind.asked-digest.erofs or .folder. Those of
// versions that knew only one kind have none.
func kindOf(name string) string {
	kind, rest, _ := strings.Cut(name, ".")
	if !strings.Contains(rest, ".") {
		return ""
	}
	return kind
}

// removeUnheld removes an image unless a process holds it.
func removeUnheld(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) == nil && os.RemoveAll(file) == nil
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
