package audit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"palisade"
)

// smallDisk mounts a file system of its own of so many bytes.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size)); err != nil {
		if slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), "mount") {
			t.Fatalf("a small disk is required: %v", err)
		}
		t.Skipf("cannot mount a small disk (needs root): %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// With the disk full, nothing is appended and the error says why; what was
// appended stays sound, and with space again the log goes on.
func TestDiskFull(t *testing.T) {
	for _, reserved := range []bool{false, true} {
		t.Run(fmt.Sprintf("reserved=%v", reserved), func(t *testing.T) {
			disk := smallDisk(t, 4<<20)
			p := newPlace(t)
			p.config.Dir = filepath.Join(disk, "log")
			p.config.FlushBytes = 200_000
			l := p.open()
			l.reserved = !reserved // set: as on a file system that cannot reserve
			ballast := filepath.Join(disk, "ballast")
			writeAll(t, ballast, make([]byte, 2<<20))
			var err error
			runs := 0
			for ; err == nil; runs++ {
				if err = appendRun(t.Context(), l, fmt.Sprintf("r%d", runs)); runs > 10_000 {
					t.Fatal("the disk is never full")
				}
			}
			if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "audit") {
				t.Fatalf("append to a full disk: %v", err)
			}
			if reserved && !strings.Contains(err.Error(), "append received") {
				t.Errorf("a run was begun that cannot be recorded: %v", err)
			}
			if err := appendRun(t.Context(), l, "more"); err == nil {
				t.Error("appended to a full disk")
			}
			r := p.verify()
			must(t, r, Intact)
			if r.Runs < runs-1 {
				t.Errorf("%d runs are left of %d", r.Runs, runs-1)
			}
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			if err := appendRun(t.Context(), l, "space"); err != nil {
				t.Fatalf("with space again: %v", err)
			}
			p.close(l)
			l = p.open()
			p.runs(l, 1)
			p.close(l)
			must(t, p.verify(), Intact)
		})
	}
}

// A log that cannot be made at all, for lack of space.
func TestDiskFullAtFirst(t *testing.T) {
	disk := smallDisk(t, 64<<10)
	p := newPlace(t)
	p.config.Dir = filepath.Join(disk, "log")
	writeAll(t, filepath.Join(disk, "ballast"), make([]byte, 60<<10))
	l, err := Open(t.Context(), p.config)
	if err == nil {
		err = appendRun(t.Context(), l, "x")
		l.Close()
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("first use of a full disk: %v", err)
	}
}

// The disk is full at any byte of a batch: a limit on file sizes cuts the write.
func TestWriteCutShort(t *testing.T) {
	if limit := os.Getenv("PALISADE_AUDIT_TEST_LIMIT"); limit != "" {
		limited(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriteCutShort$", "-test.v")
	cmd.Env = append(os.Environ(), "PALISADE_AUDIT_TEST_LIMIT=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func limited(t *testing.T) {
	p := newPlace(t)
	p.config.FlushBytes = 1 << 20
	l := p.open()
	p.runs(l, 1)
	l.reserved = true
	size, end := l.s.size(), l.s.end
	event := palisade.Event{Run: "x", Kind: palisade.EventStarted, Data: strings.Repeat("y", 300)}
	for extra := range int64(2000) {
		setFileLimit(t, uint64(end+extra))
		if err := l.Append(t.Context(), true, event); err == nil {
			break
		} else if !errors.Is(err, unix.EFBIG) {
			t.Fatal(err)
		}
		if info, err := l.file.Stat(); err != nil || info.Size() != end || l.s.size() != size {
			t.Fatalf("half a frame was left: %d bytes, %v", info.Size(), err)
		}
	}
	setFileLimit(t, unix.RLIM_INFINITY)
	if l.s.size() != size+1 {
		t.Fatalf("%d entries, want %d: the limit never let the frame through", l.s.size(), size+1)
	}
	p.runs(l, 1)
	p.close(l)
	r := p.verify()
	if must(t, r, Intact); r.Recovered != 0 || r.TornBytes != 0 {
		t.Error(r)
	}
}

func setFileLimit(t *testing.T, bytes uint64) {
	t.Helper()
	// SIGXFSZ is ignored by the Go runtime; the write fails with EFBIG.
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}); err != nil {
		t.Fatal(err)
	}
}

// A folder on a read-only file system.
func TestReadOnly(t *testing.T) {
	disk := smallDisk(t, 4<<20)
	p := newPlace(t)
	p.config.Dir = filepath.Join(disk, "log")
	l := p.open()
	p.runs(l, 2)
	p.close(l)
	if err := unix.Mount("", disk, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), p.config); !errors.Is(err, unix.EROFS) {
		t.Fatalf("open: %v", err)
	}
	// Reading needs no writing.
	must(t, p.verify(), Intact)
	checkLists(t, p, 2)
}

func checkLists(t *testing.T, p *place, want int) {
	t.Helper()
	r, err := OpenReader(p.config.Dir, p.publicKey())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if runs, err := r.List(Filter{}); err != nil || len(runs) != want {
		t.Errorf("%d runs listed, %v", len(runs), err)
	}
}
