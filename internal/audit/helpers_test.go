package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/audit/mirror"
)

// ticking is a clock that goes on by a millisecond a look.
type ticking struct{ n atomic.Int64 }

func (c *ticking) now() time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(c.n.Add(1)) * time.Millisecond)
}

// place is a home with a log, its key and a mirror.
type place struct {
	t      testing.TB
	home   string
	config Config
}

func newPlace(t testing.TB) *place {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "mirror"), 0o700); err != nil {
		t.Fatal(err)
	}
	clock := &ticking{}
	return &place{t, home, Config{
		Dir: filepath.Join(home, "log"), KeyFile: filepath.Join(home, "key", "log.key"), Now: clock.now,
		Mirrors: []Mirror{mirror.Folder{Dir: filepath.Join(home, "mirror"), Now: clock.now}},
	}}
}

func (p *place) open() *Log {
	p.t.Helper()
	l, err := Open(p.t.Context(), p.config)
	if err != nil {
		p.t.Fatalf("open: %v", err)
	}
	p.t.Cleanup(func() { l.Close() })
	return l
}

func (p *place) close(l *Log) {
	p.t.Helper()
	if err := l.Close(); err != nil {
		p.t.Fatalf("close: %v", err)
	}
}

func (p *place) publicKey() string {
	p.t.Helper()
	key, err := ReadPublicKey(filepath.Join(p.home, "key", "log.pub"))
	if err != nil {
		p.t.Fatal(err)
	}
	return key
}

func (p *place) heads() []mirror.Copy {
	p.t.Helper()
	heads, err := mirror.Read(filepath.Join(p.home, "mirror"))
	if err != nil {
		p.t.Fatal(err)
	}
	return heads
}

// verify verifies the log against the mirror; unanchored, without it.
func (p *place) verify() Report {
	p.t.Helper()
	return p.verifyDir(p.config.Dir, VerifyOptions{Heads: p.heads()})
}

func (p *place) unanchored() Report {
	p.t.Helper()
	return p.verifyDir(p.config.Dir, VerifyOptions{})
}

func (p *place) verifyDir(dir string, o VerifyOptions) Report {
	p.t.Helper()
	r, err := Verify(p.t.Context(), dir, p.publicKey(), o)
	if err != nil {
		p.t.Fatalf("verify: %v", err)
	}
	return r
}

// must fails the test unless the report is as wanted; want is the verdict and
// words that the report must hold.
func must(t testing.TB, r Report, verdict Verdict, words ...string) {
	t.Helper()
	if r.Verdict != verdict {
		t.Fatalf("verdict %q, want %q\n%s", r.Verdict, verdict, r)
	}
	for _, w := range words {
		if !strings.Contains(r.String(), w) {
			t.Fatalf("report does not say %q:\n%s", w, r)
		}
	}
}

// runEvents are the events of one run, as a gate makes them, with the batches
// in which it appends them.
func runEvents(id string) []palisade.Event {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)
	event := func(k palisade.EventKind, data any) palisade.Event {
		return palisade.Event{Run: id, Kind: k, Time: at, Data: data}
	}
	return []palisade.Event{
		event(palisade.EventReceived, palisade.Submission{Submitter: "uid:1000", Door: "cli", Program: palisade.Program{
			Language: palisade.Python, Name: "program.py", Source: []byte("print('hello " + id + "')\n" + strings.Repeat("# filler\n", 60))}}),
		event(palisade.EventInspected, palisade.Inspection{}),
		event(palisade.EventDecided, palisade.Verdict{Decision: palisade.Allow, Profile: "data"}),
		event(palisade.EventStarted, palisade.Ready{}),
		event(palisade.EventFinished, palisade.Result{Status: palisade.OK}),
		event(palisade.EventOutcome, palisade.Outcome{Run: id, Decision: palisade.Allow, Status: palisade.OK}),
	}
}

// appendRun appends a run as a gate does.
func appendRun(ctx context.Context, l *Log, id string) error {
	for _, e := range runEvents(id) {
		durable := e.Kind == palisade.EventDecided || e.Kind == palisade.EventStarted || e.Kind == palisade.EventOutcome
		if err := l.Append(ctx, durable, e); err != nil {
			return fmt.Errorf("append %s: %w", e.Kind, err)
		}
	}
	return nil
}

func (p *place) runs(l *Log, n int) {
	p.t.Helper()
	for i := range n {
		if err := appendRun(p.t.Context(), l, fmt.Sprintf("run-%d-%d", l.s.size(), i)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// copyTree copies a folder.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	}); err != nil {
		t.Fatal(err)
	}
}

func readAll(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeAll(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// files lists the files under a folder.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func swapForPipe(t testing.TB, path string) {
	t.Helper()
	if err := errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
}
