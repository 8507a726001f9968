package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks bounds how many symbolic links one path may go through.
const maxLinks = 40

// maxNodes and maxBytes bound an image.
const (
	maxNodes = 400_000
	maxBytes = 8 << 30
)

// tree collects what an image is made of. Only what any user of the host may
// read goes in: a file that others cannot read is left out.
type tree struct {
	root  *node
	nodes int
	bytes int64
	// watched maps the host's directories and single files that went in to
	// their modification times, so that a later start sees that they changed.
	watched map[string]int64
	// binaries are the ELF files that went in, by host path.
	binaries []string
}

func newTree() *tree {
	return &tree{root: newDir(), watched: map[string]int64{}}
}

// dir returns the directory node at p, making it where it is missing. It does
// not follow links: addPath made those.
func (t *tree) dir(p string) (*node, error) {
	n := t.root
	for name := range strings.SplitSeq(strings.Trim(path.Clean(p), "/"), "/") {
		if name == "" {
			continue
		}
		child := n.children[name]
		if child == nil {
			child = newDir()
			n.children[name] = child
			t.nodes++
		}
		if !child.mode.IsDir() {
			return nil, fmt.Errorf("%s: %s is not a directory", p, name)
		}
		n = child
	}
	return n, nil
}

// put places a node at p.
func (t *tree) put(p string, n *node) error {
	parent, err := t.dir(path.Dir(p))
	if err != nil {
		return err
	}
	if parent.children[path.Base(p)] == nil {
		t.nodes++
		t.bytes += n.size
	}
	if t.nodes > maxNodes || t.bytes > maxBytes {
		return errors.New("the interpreter's files are more than an image may hold")
	}
	parent.children[path.Base(p)] = n
	return nil
}

// file places content that has no file on the host.
func (t *tree) file(p string, perm fs.FileMode, data []byte) error {
	if data == nil {
		data = []byte{}
	}
	return t.put(p, &node{mode: perm, size: int64(len(data)), data: data})
}

// addPath places the host's path p with every symbolic link on the way, and
// returns the path that it resolves to. A directory is placed empty.
func (t *tree) addPath(p string) (string, error) {
	rest := strings.Split(strings.Trim(path.Clean(p), "/"), "/")
	at, links := "/", 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		full := path.Join(at, name)
		info, err := os.Lstat(full)
		if err != nil {
			return "", err
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxLinks {
				return "", fmt.Errorf("%s: too many symbolic links", p)
			}
			target, err := os.Readlink(full)
			if err != nil {
				return "", err
			}
			if err := t.putLink(full, target, info); err != nil {
				return "", err
			}
			rest = append(strings.Split(strings.Trim(target, "/"), "/"), rest...)
			if path.IsAbs(target) {
				at = "/"
			}
		case info.IsDir():
			if _, err := t.dir(full); err != nil {
				return "", err
			}
			at = full
		default:
			if len(rest) > 0 {
				return "", fmt.Errorf("%s: %s is not a directory", p, full)
			}
			if err := t.putFile(full, info); err != nil {
				return "", err
			}
			t.watched[full] = info.ModTime().UnixNano()
			at = full
		}
	}
	return at, nil
}

func (t *tree) putLink(p, target string, info fs.FileInfo) error {
	if len(target) > maxTarget {
		return fmt.Errorf("%s: link is too long", p)
	}
	return t.put(p, &node{mode: fs.ModeSymlink | 0o777, target: target, mtime: info.ModTime().Unix()})
}

func (t *tree) putFile(p string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o004 == 0 {
		return fmt.Errorf("%s: not a regular file that everyone may read", p)
	}
	n := &node{
		mode: info.Mode().Perm() & 0o555, size: info.Size(), host: p,
		mtime: info.ModTime().Unix(), nsec: uint32(info.ModTime().Nanosecond()),
	}
	if err := t.put(p, n); err != nil {
		return err
	}
	if isSharedObject(path.Base(p)) {
		t.binaries = append(t.binaries, p)
	}
	return nil
}

// addTree places the host's directory dir and everything below it for which
// skip(path relative to dir) is false and whose name is not overlong. Links that leave the directory are
// followed once, to a single file or directory below one of the shared places.
func (t *tree) addTree(dir string, skip func(rel string, d fs.DirEntry) bool) error {
	real, err := t.addPath(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(real, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return nil // not for everyone
			}
			return err
		}
		rel, _ := filepath.Rel(real, p)
		if rel != "." && (len(d.Name()) > maxName || skip != nil && skip(rel, d)) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			t.watched[p] = info.ModTime().UnixNano()
			_, err := t.dir(p)
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return t.follow(p, info)
		case info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0:
			return t.putFile(p, info)
		default:
			return nil
		}
	})
}

// shared are the places that a link out of an interpreter's tree may lead to:
// Debian keeps a package's data files there.
var shared = []string{"/usr/share/", "/usr/lib/"}

// follow places a link, and what it leads to where that is one of the shared
// places. A link to anywhere else (or to nowhere) is left out.
func (t *tree) follow(p string, info fs.FileInfo) error {
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return nil //nolint:nilerr // a dangling link carries nothing
	}
	inShared := false
	for _, prefix := range shared {
		inShared = inShared || strings.HasPrefix(real, prefix)
	}
	target, err := os.Readlink(p)
	if err != nil || !inShared {
		return err
	}
	if err := t.putLink(p, target, info); err != nil {
		return err
	}
	if t.root.lookup(real) != nil {
		return nil
	}
	stat, err := os.Stat(real)
	switch {
	case err != nil:
		return err
	case stat.IsDir():
		return t.addTree(real, nil)
	case stat.Mode().IsRegular() && stat.Mode().Perm()&0o004 != 0:
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(p), target)
		}
		_, err := t.addPath(target)
		return notThere(err)
	}
	return nil
}

// addOptional is addTree for what may be missing on a host.
func (t *tree) addOptional(dir string) error {
	return notThere(t.addTree(dir, nil))
}

// notThere drops the error that says that a path does not exist.
func notThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}
