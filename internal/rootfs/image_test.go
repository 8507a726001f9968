package rootfs

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gvisor.dev/gvisor/pkg/erofs"
)

// TestMain builds one image for all tests: it takes seconds.
var shareDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "palisade-rootfs-")
	if err != nil {
		panic(err)
	}
	shareDir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func openImage(t *testing.T) *Image {
	t.Helper()
	if _, err := os.Stat(DefaultPython); err != nil {
		if strings.Contains(os.Getenv("PALISADE_REQUIRE"), "python") {
			t.Fatal(err)
		}
		t.Skipf("no %s on this host", DefaultPython)
	}
	img, err := Open(t.Context(), Config{Dir: shareDir, Files: map[string][]byte{"/run/palisade/harness.py": []byte("pass\n")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = img.Close() })
	return img
}

// reader walks an image with the sentry's own reader.
type reader struct {
	t   *testing.T
	img *erofs.Image
}

func (r reader) at(p string) (erofs.Inode, bool) {
	n, err := r.img.Inode(r.img.RootNid())
	if err != nil {
		r.t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.Trim(p, "/"), "/") {
		nid, err := n.Lookup(name)
		if err != nil {
			return erofs.Inode{}, false
		}
		if n, err = r.img.Inode(nid); err != nil {
			r.t.Fatal(err)
		}
	}
	return n, true
}

func read(t *testing.T, img *Image) reader {
	t.Helper()
	f, err := os.Open(img.File)
	if err != nil {
		t.Fatal(err)
	}
	e, err := erofs.OpenImage(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return reader{t, e}
}

func TestNothingOfTheHostBeyondTheList(t *testing.T) {
	img := openImage(t)
	r := read(t, img)
	for _, p := range []string{
		"/etc/shadow", "/etc/ssh", "/root", "/home", "/var", "/usr/bin/bash", "/usr/bin/sh", "/usr/bin/env", "/bin/sh",
		"/usr/lib/python3/dist-packages/pip", "/usr/lib/python3/dist-packages/apt",
		"/usr/lib/python3/dist-packages/distutils-precedence.pth",
		filepath.Join(img.Python.Library[0], "../sitecustomize.py"), "/usr/lib/python3.11/sitecustomize.py",
	} {
		if _, ok := r.at(p); ok {
			t.Errorf("%s is in the image", p)
		}
	}
	passwd, ok := r.at("/etc/passwd")
	if !ok {
		t.Fatal("no /etc/passwd")
	}
	if got := content(t, r, passwd); strings.Count(got, "\n") != 2 || !strings.Contains(got, "65534") {
		t.Errorf("/etc/passwd is %q", got)
	}
}

func content(t *testing.T, r reader, n erofs.Inode) string {
	t.Helper()
	off, err := n.DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	data, err := r.img.BytesAt(off, n.Size())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestImageEqualsHost reads every node back with the sentry's reader and
// compares it with the host's file.
func TestImageEqualsHost(t *testing.T) {
	img := openImage(t)
	r := read(t, img)
	var files, dirs, links, compared int
	var walk func(p string, nid uint64)
	walk = func(p string, nid uint64) {
		n, err := r.img.Inode(nid)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		switch {
		case n.IsDir():
			dirs++
			var names []string
			err := n.IterDirents(func(name string, _ uint8, child uint64) error {
				names = append(names, name)
				if got, err := n.Lookup(name); err != nil || got != child {
					t.Errorf("%s: lookup of %q gives %d, %v", p, name, got, err)
				}
				if name != "." && name != ".." {
					walk(filepath.Join(p, name), child)
				}
				return nil
			})
			if err != nil || !slices.IsSorted(names) {
				t.Errorf("%s: %v, sorted %v", p, err, slices.IsSorted(names))
			}
		case n.IsSymlink():
			links++
			got, err := n.Readlink()
			if want, _ := os.Readlink(p); err != nil || got != want {
				t.Errorf("%s leads to %q, want %q, %v", p, got, want, err)
			}
		default:
			files++
			if n.Mode()&0o7222 != 0 || n.UID() != 0 {
				t.Errorf("%s has mode %o, owner %d", p, n.Mode(), n.UID())
			}
			if strings.HasPrefix(p, "/etc/") || strings.HasPrefix(p, "/run/") {
				return
			}
			info, err := os.Lstat(p)
			if err != nil || info.Size() != int64(n.Size()) || info.ModTime().Unix() != int64(n.Mtime()) {
				t.Errorf("%s: size %d, time %d: %v", p, n.Size(), n.Mtime(), err)
			}
			if files%50 == 0 || strings.HasSuffix(p, ".so") {
				compared++
				want, err := os.ReadFile(p)
				if err != nil || !bytes.Equal(want, []byte(content(t, r, n))) {
					t.Errorf("%s: content differs, %v", p, err)
				}
			}
		}
	}
	walk("/", r.img.RootNid())
	t.Logf("%d files (%d compared byte for byte), %d directories, %d links, %d MB, %d importable, missing %v",
		files, compared, dirs, links, img.Size>>20, len(img.Python.Modules), img.Missing)
	if files < 500 || compared < 20 {
		t.Error("the image holds less than a standard library")
	}
	for _, name := range []string{"sys", "os", "json", "math", "_struct"} {
		if !slices.Contains(img.Python.Modules, name) {
			t.Errorf("module %s is not importable", name)
		}
	}
}

func TestImageIsReusedAndRebuilt(t *testing.T) {
	dir := t.TempDir()
	root := newTree()
	if err := root.file("/a", 0o444, []byte("x")); err != nil {
		t.Fatal(err)
	}
	first := openImage(t)
	start := time.Now()
	again := openImage(t)
	if again.Digest != first.Digest || again.File != first.File {
		t.Error("an unchanged host gave another image")
	}
	t.Logf("reuse took %v", time.Since(start))

	m := manifest{Format: format, Asked: "k", Python: Python{Path: "/p"}, Image: "i", Watched: map[string]int64{dir: 1}}
	if err := os.WriteFile(filepath.Join(dir, "i"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	m.Changed = changed(t, filepath.Join(dir, "i"))
	if err := writeManifest(dir, m); err != nil {
		t.Fatal(err)
	}
	if load(Config{Dir: dir}, "k") != nil {
		t.Error("an image of a changed host was used")
	}
	info, _ := os.Lstat(dir)
	m.Watched = map[string]int64{filepath.Dir(dir): mtime(t, filepath.Dir(dir))}
	_ = info
	if err := writeManifest(dir, m); err != nil {
		t.Fatal(err)
	}
	if load(Config{Dir: dir}, "k") == nil {
		t.Error("an image of an unchanged host was not used")
	}
	if load(Config{Dir: dir}, "other") != nil {
		t.Error("the image of another configuration was used")
	}
}

// TestVerify: the digest is that of every byte, and of the file that is held.
func TestVerify(t *testing.T) {
	img := openImage(t)
	if err := img.Verify(); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(img.Source())
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	for _, at := range []int{0, len(data) / 2, len(data) - 1} {
		data[at]++
		if err := os.WriteFile(copied, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(copied)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&Image{Digest: img.Digest, Size: img.Size, held: f}).Verify(); err == nil {
			t.Errorf("byte %d was changed unseen", at)
		}
		_ = f.Close()
		data[at]--
	}
}

// changed is when a file was last written to, or its name or mode changed.
func changed(t *testing.T, p string) int64 {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Stat(p, &st); err != nil {
		t.Fatal(err)
	}
	return st.Ctim.Nano()
}

func mtime(t *testing.T, p string) int64 {
	t.Helper()
	info, err := os.Lstat(p)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime().UnixNano()
}

func TestOpenRefuses(t *testing.T) {
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	notPython := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(notPython, []byte("#!/bin/sh\necho hello\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Config{
		"a name to be found through PATH": {Dir: t.TempDir(), Python: "python3"},
		"no interpreter":                  {Dir: t.TempDir(), Python: "/nonexistent/python3"},
		"something else":                  {Dir: t.TempDir(), Python: notPython},
		"a directory that others write":   {Dir: open},
	} {
		if _, err := Open(t.Context(), c); err == nil {
			t.Errorf("%s: accepted", name)
		} else {
			t.Log(err)
		}
	}
}

func TestDirectories(t *testing.T) {
	tr := newTree()
	want := []string{".", ".."}
	for i := range 5000 { // many blocks of entries
		name := strings.Repeat("n", i%100) + "-" + time.Duration(i).String()
		if err := tr.file("/d/"+name, 0o444, []byte(name)); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	if err := tr.file("/empty", 0o444, nil); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "i"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := writeImage(f, tr.root, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := f.Stat(); info.Size() != size {
		t.Fatalf("%d bytes written, %d said", info.Size(), size)
	}
	r := read(t, &Image{File: f.Name()})
	d, _ := r.at("/d")
	var got []string
	if err := d.IterDirents(func(name string, _ uint8, nid uint64) error {
		got = append(got, name)
		if n, err := r.img.Inode(nid); err != nil {
			t.Error(err)
		} else if n.IsRegular() && content(t, r, n) != name {
			t.Errorf("%s holds something else", name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
	if n, ok := r.at("/empty"); !ok || n.Size() != 0 {
		t.Error("no empty file")
	}
}

func TestLongAndBadNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", maxName+1), "a\x00b"} {
		tr := newTree()
		tr.root.children[name] = &node{mode: 0o444, data: []byte{}}
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := writeImage(f, tr.root, io.Discard); err == nil {
			t.Errorf("a name of %d bytes was stored", len(name))
		}
		_ = f.Close()
	}
}

// TestForget: an image that nobody holds is removed when newer ones are built.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	var held *Image
	names := []string{"p.a-1.erofs", "p.b-1.erofs", "old-1.erofs", "p.c-1.erofs", "p.d-1.erofs", "q.e-1.erofs"}
	for i, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
		if name == "p.a-1.erofs" {
			img, err := manifest{Image: name, Size: 1, Changed: changed(t, filepath.Join(dir, name))}.hold(dir)
			if err != nil {
				t.Fatal(err)
			}
			held = img
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "building-7"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	left := func() string {
		entries, _ := os.ReadDir(dir)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, " ")
	}
	forget(dir, "p.d-1.erofs")
	if got := left(); got != "p.a-1.erofs p.c-1.erofs p.d-1.erofs q.e-1.erofs" {
		t.Errorf("left: %s; want the held, the last, the current one and that of another kind", got)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	forget(dir, "p.d-1.erofs")
	if got := left(); got != "p.c-1.erofs p.d-1.erofs q.e-1.erofs" {
		t.Errorf("left: %s; want the last, the current one and that of another kind", got)
	}
	at := changed(t, filepath.Join(dir, "p.d-1.erofs"))
	for _, m := range []manifest{{Size: 2, Changed: at}, {Size: 1, Changed: at - 1}} {
		m.Image = "p.d-1.erofs"
		if _, err := m.hold(dir); err == nil {
			t.Errorf("an image that is not what was written was taken: %+v", m)
		}
	}
}
