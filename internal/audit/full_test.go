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

// A flush that lacks space fails no append whose frame is durable: a run that was
// begun is recorded to its end, none begins, and with space again all goes on.
func TestFlushWithoutSpace(t *testing.T) {
	disk := smallDisk(t, 4<<20)
	p := newPlace(t)
	p.config.Dir = filepath.Join(disk, "log")
	p.config.FlushBytes = 200_000
	l := p.open()
	for i := 0; l.s.end < 190_000; i++ {
		if err := appendRun(t.Context(), l, fmt.Sprintf("before%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Append(t.Context(), true, palisade.Event{Run: "begun", Kind: palisade.EventReceived}); err != nil {
		t.Fatal(err)
	}
	base := l.s.base.Size
	ballast := filepath.Join(disk, "ballast")
	fillDisk(t, ballast)
	for l.s.end < 220_000 {
		if err := l.Append(t.Context(), true, palisade.Event{Run: "begun", Kind: palisade.EventStarted, Data: strings.Repeat("y", 2000)}); err != nil {
			t.Fatalf("a run that was begun: %v", err)
		}
	}
	if err := l.Append(t.Context(), true, palisade.Event{Run: "begun", Kind: palisade.EventOutcome}); err != nil {
		t.Fatalf("the end of a run that was begun: %v", err)
	}
	if l.s.base.Size != base || !l.overdue() {
		t.Fatal("the disk was not full: it was flushed")
	}
	for range 3 {
		if err := appendRun(t.Context(), l, "late"); !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "append received") {
			t.Fatalf("a run without space to flush: %v", err)
		}
	}
	sound(t, p)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	p.runs(l, 1)
	if l.s.base.Size <= base {
		t.Error("not flushed with space again")
	}
	p.close(l)
	sound(t, p)
}

// sound verifies a log in which every run has its end and no file is left over.
func sound(t *testing.T, p *place) {
	t.Helper()
	r := p.verify()
	if must(t, r, Intact); r.Incomplete != 0 || strings.Contains(r.String(), "no part of the log") {
		t.Error(r)
	}
}

// fillDisk takes all that is left of a disk.
func fillDisk(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if n, err := f.Write(make([]byte, size)); err != nil && n == 0 {
			size /= 2
		}
	}
}

// A flush that fails for any other reason fails the append.
func TestFlushFails(t *testing.T) {
	p := newPlace(t)
	p.config.FlushBytes = 20_000
	l := p.open()
	writeAll(t, filepath.Join(p.config.Dir, "tile"), nil) // no folder can be there
	var err error
	for i := 0; err == nil && i < 1000; i++ {
		err = appendRun(t.Context(), l, fmt.Sprintf("r%d", i))
	}
	if err == nil || !strings.Contains(err.Error(), "flush audit log") {
		t.Errorf("a flush that cannot write: %v", err)
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
