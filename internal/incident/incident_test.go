package incident

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"palisade"
)

func folder(t *testing.T, path string) *Folder {
	t.Helper()
	f, err := OpenFolder(FolderConfig{Path: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// parts are a gate's parts in memory around a sandbox that runs until its
// context ends, or for as long as run says.
type parts struct {
	ran    atomic.Int64
	went   chan string // the run's ID, when it was told go
	block  func(ctx context.Context) palisade.Status
	before func() // called when a box is ready, before its start is recorded
}

func (p *parts) Prepare(_ context.Context, s palisade.Submission) (palisade.Submission, error) {
	return s, nil
}
func (p *parts) CheckValue(palisade.Submission, json.RawMessage) error { return nil }
func (p *parts) Inspect(context.Context, palisade.Submission) (palisade.Inspection, error) {
	return palisade.Inspection{Trees: tree}, nil
}
func (p *parts) Decide(context.Context, palisade.Case) (palisade.Verdict, error) {
	return palisade.Verdict{Decision: palisade.Allow, Isolation: palisade.Isolation{Backends: []string{"box"}}}, nil
}
func (p *parts) Take(context.Context, string, palisade.Question) (palisade.Approval, error) {
	return palisade.Approval{}, errors.New("nobody asks")
}
func (p *parts) Image(context.Context, palisade.Language, palisade.Isolation) (string, error) {
	return "", nil
}
func (p *parts) Sanitize(_ palisade.Case, _ palisade.Verdict, r palisade.Result) palisade.Sanitized {
	return palisade.Sanitized{Errors: []string{r.Reason}}
}
func (p *parts) Refusal(palisade.Case, palisade.Verdict, *palisade.Approval) palisade.Feedback {
	return palisade.Feedback{}
}
func (p *parts) Writer(palisade.Case, io.Writer) io.WriteCloser        { return discard{} }
func (p *parts) Append(context.Context, bool, ...palisade.Event) error { return nil }

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

var tree = map[string]palisade.Digest{"": {1}}

func (p *parts) Run(ctx context.Context, permit palisade.Permit) (palisade.Result, error) {
	job, err := permit.Spend()
	if err != nil {
		return palisade.Result{}, err
	}
	if p.before != nil {
		p.before()
	}
	if err := job.Confirm(ctx, palisade.Ready{Backend: "box", Trees: tree}); err != nil {
		return palisade.Result{Status: palisade.Refused, Reason: err.Error()}, nil
	}
	p.ran.Add(1)
	if p.went != nil {
		p.went <- job.Run
	}
	status := palisade.OK
	if p.block != nil {
		status = p.block(ctx)
	}
	return palisade.Result{Status: status, MayHaveRun: true}, nil
}

// untilEnded is a program that runs until its box is killed.
func untilEnded(ctx context.Context) palisade.Status {
	<-ctx.Done()
	return palisade.Interrupted
}

var ids atomic.Int64

// gate is a gate of its own on a folder, as another process has one.
func gate(t *testing.T, f *Folder, p *parts, cut func() error) *palisade.Gate {
	t.Helper()
	b := New(f, cut)
	g, err := palisade.NewGate(palisade.Parts{
		Preparer: p, Inspector: p, Policy: p, Approvals: p, Sandbox: b.Sandbox(p), Sanitizer: p, Recorder: b.Recorder(p),
		Now: time.Now, NewID: func() string { return "run" + string(rune('a'+ids.Add(1)-1)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// started runs a submission and waits until its program runs.
func started(t *testing.T, g *palisade.Gate, p *parts, s palisade.Submission) (id string, out <-chan palisade.Outcome) {
	t.Helper()
	done := make(chan palisade.Outcome, 1)
	go func() {
		out, err := g.Run(context.Background(), s)
		if err != nil {
			t.Error(err)
		}
		done <- out
	}()
	select {
	case id = <-p.went:
	case <-time.After(10 * time.Second):
		t.Fatal("the program does not start")
	}
	return id, done
}

func ended(t *testing.T, out <-chan palisade.Outcome) palisade.Outcome {
	t.Helper()
	select {
	case o := <-out:
		return o
	case <-time.After(10 * time.Second):
		t.Fatal("the program is not ended")
		panic("unreachable")
	}
}

func wantStatus(t *testing.T, o palisade.Outcome, want palisade.Status, ran bool, words ...string) {
	t.Helper()
	if o.Status != want || o.MayHaveRun != ran {
		t.Errorf("status %s, ran %t; want %s, %t", o.Status, o.MayHaveRun, want, ran)
	}
	for _, word := range words {
		if !strings.Contains(strings.Join(o.Errors, "\n"), word) {
			t.Errorf("the reason %q does not say %q", o.Errors, word)
		}
	}
}

// TestLockdown has the brake pulled on one gate and seen by another, and by one
// that is opened later.
func TestLockdown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "incident")
	theirs, ours := folder(t, path), folder(t, path)
	p := &parts{went: make(chan string, 9), block: untilEnded}
	g := gate(t, theirs, p, nil)
	_, out := started(t, g, p, palisade.Submission{})
	if running, err := ours.Running(); err != nil || len(running) != 1 || running[0].PID != os.Getpid() {
		t.Errorf("running: %v, %v", running, err)
	}
	if err := ours.Set(SetLockdown, Switch{On: true, Who: "uid:7", Why: "odd connections"}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	wantStatus(t, ended(t, out), palisade.Killed, true, "lockdown", "uid:7", "odd connections", "20")
	if took := time.Since(start); took > 20*Poll {
		t.Errorf("it took %s", took)
	}
	if left, err := ours.Wait(t.Context(), func(Running) bool { return true }); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	for name, f := range map[string]*Folder{"a gate that was open": theirs, "a gate after a restart": folder(t, path)} {
		out, err := gate(t, f, p, nil).Run(t.Context(), palisade.Submission{})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(name)
		wantStatus(t, out, palisade.Refused, false, "lockdown", "uid:7", "odd connections")
	}
	if p.ran.Load() != 1 {
		t.Errorf("%d programs ran", p.ran.Load())
	}
	if err := ours.Set(SetLockdown, Switch{Who: "uid:7"}); err != nil {
		t.Fatal(err)
	}
	p.block = nil
	if out, err := g.Run(t.Context(), palisade.Submission{}); err != nil || out.Status != palisade.OK {
		t.Errorf("after it was lifted: %s, %v", out.Status, err)
	}
}

// TestNothingStartsOnceLocked pulls the brake at the last moment: the box is
// ready, and its start goes on the record.
func TestNothingStartsOnceLocked(t *testing.T) {
	f := folder(t, filepath.Join(t.TempDir(), "incident"))
	p := &parts{before: func() {
		if err := f.Set(SetLockdown, Switch{On: true, Who: "uid:7"}); err != nil {
			t.Error(err)
		}
	}}
	out, err := gate(t, f, p, nil).Run(t.Context(), palisade.Submission{})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, out, palisade.Refused, false, "lockdown", "uid:7")
	if p.ran.Load() != 0 {
		t.Error("it ran")
	}
}

func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "incident")
	f := folder(t, path)
	p := &parts{went: make(chan string, 9), block: untilEnded}
	g, other := gate(t, folder(t, path), p, nil), gate(t, folder(t, path), p, nil)
	one, oneOut := started(t, g, p, palisade.Submission{Tenant: "blue"})
	_, blueOut := started(t, other, p, palisade.Submission{Tenant: "blue"})
	last, lastOut := started(t, other, p, palisade.Submission{})

	kill := func(r Request) func() {
		withdraw, err := f.Kill(r)
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := withdraw(); err != nil {
				t.Error(err)
			}
		}
	}
	withdraw := kill(Request{Run: one, Who: "uid:7", Why: "it mines"})
	wantStatus(t, ended(t, oneOut), palisade.Killed, true, "killed", "uid:7", "it mines")
	withdraw()
	withdraw = kill(Request{Tenant: "blue"})
	wantStatus(t, ended(t, blueOut), palisade.Killed, true)
	if running, err := f.Running(); err != nil || len(running) != 1 || running[0].Run != last {
		t.Errorf("running: %v, %v", running, err)
	}
	out, err := g.Run(t.Context(), palisade.Submission{Tenant: "blue"})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, out, palisade.Refused, false, "killed") // one that came in while the request stands
	withdraw()
	withdraw = kill(Request{All: true})
	wantStatus(t, ended(t, lastOut), palisade.Killed, true)
	withdraw()
	p.block, p.went = nil, nil
	if out, err := g.Run(t.Context(), palisade.Submission{Tenant: "blue"}); err != nil || out.Status != palisade.OK {
		t.Errorf("after all: %s, %v", out.Status, err)
	}
	for _, r := range []Request{{}, {Run: "a", All: true}, {Run: "a", Tenant: "b"}, {All: true, Why: strings.Repeat("x", maxWhy+1)}} {
		if _, err := f.Kill(r); err == nil {
			t.Errorf("%.40v was taken", r)
		}
	}
}

// TestOthersEndAsTheyDid holds the brake to what it ended itself.
func TestOthersEndAsTheyDid(t *testing.T) {
	f := folder(t, filepath.Join(t.TempDir(), "incident"))
	p := &parts{went: make(chan string, 9), block: untilEnded}
	g := gate(t, f, p, nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(2*Poll, cancel)
	out, err := g.Run(ctx, palisade.Submission{})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, out, palisade.Interrupted, true)
	<-p.went
	// It ended by itself just when the brake was pulled.
	p.block = func(ctx context.Context) palisade.Status { <-ctx.Done(); return palisade.OK }
	_, done := started(t, g, p, palisade.Submission{})
	withdraw, err := f.Kill(Request{All: true})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, ended(t, done), palisade.OK, true)
	if err := withdraw(); err != nil {
		t.Error(err)
	}
}

// TestAbandonedRequests loses whoever asked: what they asked for must not hold
// for ever.
func TestAbandonedRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "incident")
	f := folder(t, path)
	if _, err := f.Kill(Request{All: true}); err != nil {
		t.Fatal(err)
	}
	g := gate(t, f, &parts{}, nil)
	if out, err := g.Run(t.Context(), palisade.Submission{}); err != nil || out.Status != palisade.Refused {
		t.Errorf("%s, %v", out.Status, err)
	}
	names, err := os.ReadDir(filepath.Join(path, killDir))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	old := time.Now().Add(-requestLife - time.Second)
	if err := os.Chtimes(filepath.Join(path, killDir, names[0].Name()), old, old); err != nil {
		t.Fatal(err)
	}
	if out, err := g.Run(t.Context(), palisade.Submission{}); err != nil || out.Status != palisade.OK {
		t.Errorf("%s, %v", out.Status, err)
	}
}

// TestDoubtIsALockdown spoils the folder in every way and expects no run to
// start, and one that runs to be ended.
func TestDoubtIsALockdown(t *testing.T) {
	state := func(text string) func(path string) error {
		return func(path string) error { return os.WriteFile(filepath.Join(path, stateName), []byte(text), 0o600) }
	}
	for name, spoil := range map[string]func(path string) error{
		"empty":          state(""),
		"not JSON":       state("lockdown: no\n"),
		"says nothing":   state("{}"),
		"half of it":     state(`{"version":1,"lockdown":{"on":false}}`),
		"a later form":   state(`{"version":2,"lockdown":{"on":false},"egress_off":{"on":false}}`),
		"an unknown key": state(`{"version":1,"lockdown":{"on":false},"egress_off":{"on":false},"only":"x"}`),
		"two values":     state(`{"version":1,"lockdown":{"on":false},"egress_off":{"on":false}}{}`),
		"cut":            state(`{"version":1,"lockdown":{"on":false},"egress_o`),
		"too large":      state(`{"version":1,"lockdown":{"on":false},"egress_off":{"on":false}}` + strings.Repeat(" ", maxState)),
		"gone":           func(path string) error { return os.Remove(filepath.Join(path, stateName)) },
		"a folder": func(path string) error {
			return errors.Join(os.Remove(filepath.Join(path, stateName)), os.Mkdir(filepath.Join(path, stateName), 0o700))
		},
		"a link": func(path string) error {
			moved := filepath.Join(filepath.Dir(path), "moved")
			return errors.Join(os.Rename(filepath.Join(path, stateName), moved), os.Symlink(moved, filepath.Join(path, stateName)))
		},
		"writable by all":   func(path string) error { return os.Chmod(filepath.Join(path, stateName), 0o666) },
		"folder gone":       os.RemoveAll,
		"folder moved away": func(path string) error { return os.Rename(path, path+"-away") },
		"folder replaced": func(path string) error {
			if err := os.Rename(path, path+"-away"); err != nil {
				return err
			}
			f, err := OpenFolder(FolderConfig{Path: path, Now: time.Now})
			if err != nil {
				return err
			}
			return f.Close()
		},
		"a request that cannot be read": func(path string) error {
			return os.WriteFile(filepath.Join(path, killDir, "x"), []byte(`{"run"`), 0o600)
		},
		"a request of a later form": func(path string) error {
			return os.WriteFile(filepath.Join(path, killDir, "x"), []byte(`{"run":"x","group":"y"}`), 0o600)
		},
		"no requests": func(path string) error { return os.RemoveAll(filepath.Join(path, killDir)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "incident")
			f := folder(t, path)
			p := &parts{went: make(chan string, 9), block: untilEnded}
			g := gate(t, f, p, nil)
			_, out := started(t, g, p, palisade.Submission{})
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			wantStatus(t, ended(t, out), palisade.Killed, true)
			if out, err := g.Run(t.Context(), palisade.Submission{}); err != nil || out.Status != palisade.Refused {
				t.Errorf("%s, %v", out.Status, err)
			}
			if p.ran.Load() != 1 {
				t.Error("something ran")
			}
		})
	}
}

// TestFoldersThatAreRefused opens no brake that others can write.
func TestFoldersThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "incident")
	if err := folder(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(t.TempDir(), "state") // where others can put another folder in the brake's place
	if err := errors.Join(os.Mkdir(open, 0o700), folder(t, filepath.Join(open, "incident")).Close(), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, filepath.Join(open, "incident"), filepath.Join(open, "new"), filepath.Join(dir, "link"), filepath.Join(dir, "no", "such"), ""} {
		if f, err := OpenFolder(FolderConfig{Path: path, Now: time.Now}); err == nil {
			f.Close()
			t.Errorf("%q was opened", path)
		}
	}
	lost := errors.New("the record is not there")
	if _, err := OpenFolder(FolderConfig{Path: filepath.Join(dir, "new"), Now: time.Now, Lost: func() (State, error) { return State{}, lost }}); !errors.Is(err, lost) {
		t.Errorf("opened without knowing what was switched: %v", err)
	}
	f, err := OpenFolder(FolderConfig{Path: filepath.Join(dir, "new"), Now: time.Now, Lost: func() (State, error) {
		return State{Lockdown: Switch{On: true, Who: "uid:7"}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s, err := f.State(); err != nil || !s.Lockdown.On || s.Lockdown.Who != "uid:7" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestStateThatCannotBeWritten pulls the brake where no file can be made.
func TestStateThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "incident")
	f := folder(t, path)
	// No file is renamed over a folder with something in it.
	full := filepath.Join(path, stateName)
	if err := errors.Join(os.Remove(full), os.Mkdir(full, 0o700), os.WriteFile(filepath.Join(full, "x"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := f.Set(SetLockdown, Switch{On: true}); err == nil {
		t.Error("it was written")
	}
	if s, err := f.State(); err == nil || !s.Lockdown.On || !s.EgressOff.On {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestStaleRegistrationsAreSwept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "incident")
	f := folder(t, path)
	stale := filepath.Join(path, runningDir, "dead")
	if err := os.WriteFile(stale, []byte(`{"run":"dead","pid":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	leave, err := f.register(Running{Run: "alive", PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	running, err := f.Running()
	if err != nil || len(running) != 1 || running[0].Run != "alive" {
		t.Errorf("%v, %v", running, err)
	}
	if _, err := os.Lstat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if err := leave(); err != nil {
		t.Error(err)
	}
}

// TestCut has every way out cut once for each time that it is switched, and
// ends what runs where that fails.
func TestCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "incident")
	f := folder(t, path)
	var cuts atomic.Int64
	p := &parts{went: make(chan string, 9), block: untilEnded}
	b := New(f, nil)
	if err := b.EgressOff(); err != nil {
		t.Errorf("off at first: %v", err)
	}
	broken := make(chan struct{})
	g := gate(t, folder(t, path), p, func() error {
		cuts.Add(1)
		select {
		case <-broken:
			return errors.New("the proxy does not answer")
		default:
			return nil
		}
	})
	_, out := started(t, g, p, palisade.Submission{})
	for want := range int64(2) {
		for _, on := range []bool{true, false} {
			if err := f.Set(SetEgressOff, Switch{On: on, Who: "uid:7"}); err != nil {
				t.Fatal(err)
			}
			if err := b.EgressOff(); (err != nil) != on || on && !strings.Contains(err.Error(), "uid:7") {
				t.Errorf("off: %v, want %t", err, on)
			}
			for end := time.Now().Add(5 * time.Second); cuts.Load() < want+1 && time.Now().Before(end); {
				time.Sleep(Poll)
			}
			time.Sleep(6 * Poll)
			if cuts.Load() != want+1 {
				t.Errorf("cut %d times, want %d", cuts.Load(), want+1)
			}
		}
	}
	close(broken)
	if err := f.Set(SetEgressOff, Switch{On: true}); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, ended(t, out), palisade.Killed, true, "the proxy does not answer")
	if err := f.Set(SetLockdown, Switch{On: true}); err != nil {
		t.Fatal(err)
	}
	if err := b.EgressOff(); err == nil || !strings.Contains(err.Error(), "lockdown") {
		t.Errorf("in a lockdown: %v", err)
	}
}

// TestSetsDoNotGetLost switches from many sides at once.
func TestSetsDoNotGetLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "incident")
	done := make(chan error, 2)
	for _, set := range []Switching{SetLockdown, SetEgressOff} {
		f := folder(t, path)
		go func() {
			var err error
			for i := range 20 {
				err = errors.Join(err, f.Set(set, Switch{On: i%2 == 0}))
			}
			done <- errors.Join(err, f.Set(set, Switch{On: true, Who: "the last"}))
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s, err := folder(t, path).State()
	if err != nil || s.Lockdown.Who != "the last" || s.EgressOff.Who != "the last" {
		t.Errorf("%+v, %v", s, err)
	}
	names, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, n := range names {
		left = append(left, n.Name())
	}
	if want := []string{killDir, lockName, runningDir, stateName}; !slices.Equal(left, want) {
		t.Errorf("left in the folder: %v", left)
	}
}

func BenchmarkLook(b *testing.B) {
	f, err := OpenFolder(FolderConfig{Path: filepath.Join(b.TempDir(), "incident"), Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	brake := New(f, nil)
	for b.Loop() {
		brake.look()
	}
}

// TestRootPullsAnothersBrake: what root writes there stays its owner's, whose
// gates must read it.
func TestRootPullsAnothersBrake(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	const other = 65533
	home := t.TempDir()
	if err := os.Chown(home, other, other); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, "incident")
	f := folder(t, path)
	if err := f.Set(SetLockdown, Switch{On: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Kill(Request{All: true}); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if sys := info.Sys().(*syscall.Stat_t); sys.Uid != other || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: uid %d, mode %04o", name, sys.Uid, info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	// A state that a stranger put there is none.
	if err := errors.Join(f.Set(SetLockdown, Switch{}), os.Chown(filepath.Join(path, stateName), 65532, -1)); err != nil {
		t.Fatal(err)
	}
	if s, err := f.State(); err == nil || !s.Lockdown.On {
		t.Errorf("%+v, %v", s, err)
	}
}

// BenchmarkRun is what the brake adds to a run, with a sandbox that takes no
// time.
func BenchmarkRun(b *testing.B) {
	f, err := OpenFolder(FolderConfig{Path: filepath.Join(b.TempDir(), "incident"), Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	p := &parts{}
	brake := New(f, nil)
	with, err := palisade.NewGate(palisade.Parts{
		Preparer: p, Inspector: p, Policy: p, Approvals: p, Sandbox: brake.Sandbox(p), Sanitizer: p, Recorder: brake.Recorder(p),
		Now: time.Now, NewID: func() string { return "run" },
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if out, err := with.Run(b.Context(), palisade.Submission{}); err != nil || out.Status != palisade.OK {
			b.Fatal(out.Status, err)
		}
	}
}
