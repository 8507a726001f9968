package audit

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"palisade"
)

// TestRootWritesForTheOwner: root answers a question in another user's log, and
// that user can still read and write it.
func TestRootWritesForTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	p := newPlace(t)
	c, l := p.config, p.open()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	const owner = 4242
	err := filepath.WalkDir(c.Dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, owner, owner)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(c.Dir, fileLock)); err != nil {
		t.Fatal(err)
	}
	l = p.open()
	for range 600 {
		if err := l.Append(t.Context(), false, palisade.Event{Run: "r", Kind: palisade.EventReceived, Time: c.Now(), Data: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(c.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid != owner {
			t.Errorf("%s is of uid %d", path, uid)
		}
		return nil
	})
	if err != nil || files < 8 {
		t.Fatal(files, err)
	}
}

// TestNoRegularFile: what stands in a file's place is tampering, and no reading
// waits for it.
func TestNoRegularFile(t *testing.T) {
	for _, name := range []string{fileJournal, fileHead, fileCheckpoint} {
		for kind, put := range map[string]func(string) error{
			"pipe":   func(at string) error { return syscall.Mkfifo(at, 0o600) },
			"link":   func(at string) error { return os.Symlink("/dev/zero", at) },
			"folder": func(at string) error { return os.Mkdir(at, 0o700) },
		} {
			p := newPlace(t)
			c, l := p.config, p.open()
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			at := filepath.Join(c.Dir, name)
			if err := os.Remove(at); err != nil {
				t.Fatal(err)
			}
			if err := put(at); err != nil {
				t.Fatal(err)
			}
			r, err := Verify(t.Context(), c.Dir, l.PublicKey(), VerifyOptions{})
			if err != nil || r.Verdict != Tampered {
				t.Errorf("%s, a %s: %v, %v", name, kind, r, err)
			}
			if _, err := Open(t.Context(), c); err == nil {
				t.Errorf("%s, a %s: opened", name, kind)
			}
		}
	}
}

// TestPublicKeyIsAFile: nothing waits for a pipe in the public key's place, or
// reads a device without end.
func TestPublicKeyIsAFile(t *testing.T) {
	for _, put := range []func(string) error{
		func(at string) error { return syscall.Mkfifo(at, 0o600) },
		func(at string) error { return os.Symlink("/dev/zero", at) },
	} {
		at := filepath.Join(t.TempDir(), "log.pub")
		if err := put(at); err != nil {
			t.Fatal(err)
		}
		if key, err := ReadPublicKey(at); err == nil {
			t.Errorf("took %q", key)
		}
	}
}
