package sandbox

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"palisade"
	"palisade/internal/lang"
)

const (
	// MaxArtifacts is how many files of one run are kept.
	MaxArtifacts = 256
	// MaxArtifactBytes is how much the kept files of one run hold together.
	MaxArtifactBytes = 32 << 20
)

// collector gathers the files that a guest reports.
type collector struct {
	max  int64 // bytes in all
	sum  int64
	all  []palisade.Artifact
	open *palisade.Artifact // being received
	skip bool               // the open one is refused: its bytes are dropped
	note func(format string, args ...any)
}

// begin opens a file that the guest says has size bytes.
func (c *collector) begin(fields [][]byte) {
	c.abandon()
	c.skip = true
	c.open = &palisade.Artifact{}
	if len(fields) != 2 {
		c.note("artifact frame with %d fields", len(fields))
		return
	}
	name := string(fields[0])
	size, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err == nil && size < 0 {
		err = errors.New("negative")
	}
	if err != nil {
		c.note("artifact %q: size %q", name, fields[1])
		return
	}
	if err := errors.Join(lang.CheckName(name), c.clash(name)); err != nil {
		c.note("artifact %q: refused: %v", name, err)
		return
	}
	switch {
	case len(c.all) >= MaxArtifacts:
		c.note("artifact %q: not kept: more than %d files", name, MaxArtifacts)
		return
	case size > c.max-c.sum:
		c.note("artifact %q: not kept: %d bytes are more than may be kept", name, size)
		return
	}
	c.open = &palisade.Artifact{Name: name, Size: size}
	c.skip = false
}

// clash reports a name that was there before, or that is a folder of another.
func (c *collector) clash(name string) error {
	for _, a := range c.all {
		if a.Name == name || strings.HasPrefix(a.Name, name+"/") || strings.HasPrefix(name, a.Name+"/") {
			return fmt.Errorf("%q is there already", a.Name)
		}
	}
	return nil
}

// more takes bytes of the open file.
func (c *collector) more(data []byte) {
	switch {
	case c.open == nil:
		c.note("artifact bytes without an artifact")
	case c.skip:
	case int64(len(c.open.Data)+len(data)) > c.open.Size:
		c.note("artifact %q: more bytes than the %d it declared", c.open.Name, c.open.Size)
		c.skip = true
	default:
		c.open.Data = append(c.open.Data, data...)
	}
}

// end keeps the open file, if it is complete.
func (c *collector) end() {
	switch {
	case c.open == nil:
		c.note("artifact end without an artifact")
	case c.skip:
	case int64(len(c.open.Data)) != c.open.Size:
		c.note("artifact %q: %d bytes of the %d it declared", c.open.Name, len(c.open.Data), c.open.Size)
	default:
		c.open.Digest = sha256.Sum256(c.open.Data)
		c.sum += c.open.Size
		c.all = append(c.all, *c.open)
	}
	c.open = nil
}

// abandon drops a file that was not ended.
func (c *collector) abandon() {
	if c.open != nil && !c.skip {
		c.note("artifact %q: cut short", c.open.Name)
	}
	c.open = nil
}

// WriteArtifacts writes the files of a run below dir, which must exist. Every
// file is a new regular file of mode 0600; folders are made with mode 0700.
// Nothing is written outside dir, whatever links stand in it. A file that
// exists is an error that wraps [fs.ErrExist], unless overwrite is set: then it
// is replaced as a name, so that a link that stands there is not followed.
//
// It stops at the first error; files before it stay.
func WriteArtifacts(dir string, artifacts []palisade.Artifact, overwrite bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("write artifacts: %w", err)
	}
	// Closing a folder that was only read loses nothing.
	defer func() { _ = root.Close() }()
	for _, a := range slices.SortedFunc(slices.Values(artifacts), func(x, y palisade.Artifact) int { return strings.Compare(x.Name, y.Name) }) {
		if err := writeArtifact(root, a, overwrite); err != nil {
			return fmt.Errorf("write artifact %q: %w", a.Name, err)
		}
	}
	return nil
}

func writeArtifact(root *os.Root, a palisade.Artifact, overwrite bool) error {
	if err := lang.CheckName(a.Name); err != nil {
		return err
	}
	if folder := path.Dir(a.Name); folder != "." {
		if err := root.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	if overwrite {
		if info, err := root.Lstat(a.Name); err == nil && info.IsDir() {
			return errors.New("a folder stands there")
		}
		if err := root.Remove(a.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := root.OpenFile(a.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(a.Data)
	return errors.Join(err, f.Close())
}
