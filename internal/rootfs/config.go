package rootfs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"palisade"
)

// Config says what a box's root is made of, and where images are kept. What a
// language needs is in [ForPython], [ForShell] and [ForNode].
type Config struct {
	// Kind names what the image is for. Images of one kind replace each other.
	// Empty: python.
	Kind string
	// Python is the interpreter's path on the host. Empty: DefaultPython.
	Python string
	// NoPackages leaves the distribution's Python packages out.
	NoPackages bool
	// Program is the path of the interpreter that runs programs, where that is
	// not Python.
	Program string
	// Commands are further programs: names, which are looked for in
	// commandDirs, and absolute paths. What the host does not have is left out.
	Commands []string
	// Data are files and folders beside them, left out where the host has none.
	Data []string
	// Dir holds images. It must not be writable by anyone else.
	Dir string
	// Files are placed in the image beside what the host gives, by absolute
	// path: the harness.
	Files map[string][]byte
}

// ForPython is the root of boxes for Python programs.
func ForPython(python string) Config { return Config{Kind: "python", Python: python} }

// Program describes an interpreter in an image that is not Python.
type Program struct {
	// Path is its file inside the box (and on the host it came from), symbolic
	// links resolved. Empty: there is none.
	Path string `json:"path,omitempty"`
	// Version is the first line of what it says of its version.
	Version string `json:"version,omitempty"`
}

// Image is the root of boxes: one read-only file.
type Image struct {
	// File is the EROFS image.
	File string
	// Python is the interpreter inside, and Program the one beside it.
	Python  Python
	Program Program
	// Digest covers every byte, name, mode and time in the image.
	Digest palisade.Digest
	// Size is the file's size in bytes.
	Size int64
	// Missing names shared libraries that files in the image want and the host
	// does not have.
	Missing []string

	held *os.File // locked, so that nobody removes the file

	verify   sync.Once
	verified error
}

// Source is a path at which this process's children find the very file that is
// held, whatever stands at its name by now.
func (i *Image) Source() string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), i.held.Fd()) }

// Stat describes the file that is held.
func (i *Image) Stat() (os.FileInfo, error) { return i.held.Stat() }

// Verify holds every byte of the image to its digest, which takes a second or so;
// it looks once, and then says the same again.
func (i *Image) Verify() error {
	i.verify.Do(func() {
		h := sha256.New()
		n, err := io.Copy(h, io.NewSectionReader(i.held, 0, 1<<62))
		if got := palisade.Digest(h.Sum(nil)); err == nil && (got != i.Digest || n != i.Size) {
			err = fmt.Errorf("%s is not what was written: remove it, and it is built again", i.File)
		}
		i.verified = err
	})
	return i.verified
}

// Close lets go of the image: from then on another process may remove it.
func (i *Image) Close() error { return i.held.Close() }

// Identity names the image for an approval, the record and whoever is answered:
// where the interpreters lie on the host is none of theirs, and the digest has it.
func (i *Image) Identity() string {
	runs := ""
	if i.Program.Path != "" {
		runs = i.Program.Version + ", "
	}
	return fmt.Sprintf("%spython %s image %s", runs, i.Python, i.Digest)
}

// interpreters are a configuration's interpreters, symbolic links resolved.
type interpreters struct{ python, program string }

// resolve finds the interpreters on the host.
func (c Config) resolve() (on interpreters, err error) {
	if on.python, err = real(c.Python); err != nil || c.Program == "" {
		return on, err
	}
	on.program, err = real(c.Program)
	return on, err
}

func real(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("interpreter %q: want an absolute path", path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("interpreter: %w", err)
	}
	return resolved, nil
}

// digest identifies what was asked for, so that another interpreter or another
// harness gets an image of its own.
func (c Config) digest(on interpreters) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%q\n%q\n%q\n%v\n%q\n%q\n", format, c.Python, c.Program, on, c.NoPackages, c.Commands, c.Data)
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		fmt.Fprintf(h, "%s %d\n%s\n", name, len(c.Files[name]), c.Files[name])
	}
	return c.Kind + "." + hex.EncodeToString(h.Sum(nil))[:16]
}
