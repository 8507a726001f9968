package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"
	"golang.org/x/sys/unix"
)

// Bounds on what is read from a folder that may be hostile, in bytes.
const (
	maxBundle  = tileWidth * (2 + maxEntry)
	maxJournal = maxFrame + 64<<20
)

// readFile reads a regular file of at most max bytes; it follows no link out of
// the folder and does not wait on a pipe.
func readFile(dir *os.Root, name string, max int64) ([]byte, error) {
	f, err := openFile(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("read %s: more than %d bytes", name, max)
	}
	return data, nil
}

func openFile(dir *os.Root, name string) (*os.File, error) {
	// A link, a pipe, a folder was put there by someone else.
	if info, err := dir.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &TamperError{name, "not a regular file"}
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &TamperError{name, "not a regular file"}
	}
	return f, nil
}

const tmpSuffix = ".tmp"

// writeFile writes a file and syncs it, through a temporary name, so that the
// name never holds half of it. The folder is not synced: see syncDir.
func writeFile(dir *os.Root, name string, data []byte) error {
	if err := makeFolders(dir, name); err != nil {
		return err
	}
	tmp := name + tmpSuffix
	if err := ignoreMissing(dir.Remove(tmp)); err != nil {
		return err // a crash left it
	}
	f, err := create(dir, tmp)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = dir.Rename(tmp, name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), ignoreMissing(dir.Remove(tmp)))
	}
	return nil
}

// syncDirs makes the names in the folders that hold the files, and in the
// folders above them, durable.
func syncDirs(dir *os.Root, files []string) error {
	seen := map[string]bool{}
	for _, name := range files {
		for d := path.Dir(name); !seen[d]; d = path.Dir(d) {
			seen[d] = true
			f, err := dir.Open(d)
			if err != nil {
				return err
			}
			if err := errors.Join(f.Sync(), f.Close()); err != nil {
				return fmt.Errorf("sync %s: %w", d, err)
			}
		}
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readTile reads a tile, or a wider one whose first part it is: a partial tile is
// deleted when a wider one has taken its place. exact tells which.
func readTile(dir *os.Root, t tlog.Tile, max int64) (data []byte, exact bool, err error) {
	data, err = readFile(dir, tilePath(t), max)
	if t.W == tileWidth || !errors.Is(err, fs.ErrNotExist) {
		return data, true, err
	}
	full := t
	full.W = tileWidth
	if data, err := readFile(dir, tilePath(full), max); !errors.Is(err, fs.ErrNotExist) {
		return data, false, err
	}
	for _, w := range widths(dir, t) {
		if w > t.W {
			t.W = w
			data, err = readFile(dir, tilePath(t), max)
			return data, false, err
		}
	}
	return nil, false, err
}

// widths lists the partial tiles at t's place, narrowest first.
func widths(dir *os.Root, t tlog.Tile) []int {
	full := t
	full.W = tileWidth
	names, _ := fs.ReadDir(dir.FS(), tilePath(full)+".p")
	var all []int
	for _, n := range names {
		if w, err := strconv.Atoi(n.Name()); err == nil && w > 0 && w < tileWidth && strconv.Itoa(w) == n.Name() {
			all = append(all, w)
		}
	}
	slices.Sort(all)
	return all
}

func readHashTile(dir *os.Root, t tlog.Tile) ([]tlog.Hash, error) {
	data, exact, err := readTile(dir, t, tileWidth*tlog.HashSize)
	if err != nil {
		return nil, err
	}
	if size := t.W * tlog.HashSize; len(data) < size || exact && len(data) != size {
		return nil, fmt.Errorf("%d bytes, want %d", len(data), size)
	}
	return parseHashes(data)[:t.W], nil
}

func readBundle(dir *os.Root, n int64, w int) ([][]byte, error) {
	data, exact, err := readTile(dir, bundleTile(n, w), maxBundle)
	if err != nil {
		return nil, err
	}
	return parseBundle(data, w, exact)
}
