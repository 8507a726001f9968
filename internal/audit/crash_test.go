package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"palisade"
	"palisade/internal/audit/mirror"
)

// The test binary is its own victim: see TestReportedAud008CrashInMidAppend.
const victimEnv = "PALISADE_AUDIT_TEST_VICTIM"

func TestMain(m *testing.M) {
	if home := os.Getenv(victimEnv); home != "" {
		victim(home)
		return
	}
	os.Exit(m.Run())
}

// victim appends runs until it is killed and says after each durable append
// which run it was.
func victim(home string) {
	if err := os.MkdirAll(filepath.Join(home, "mirror"), 0o700); err != nil {
		fmt.Println("error", err)
		return
	}
	l, err := Open(context.Background(), Config{
		Dir: filepath.Join(home, "log"), KeyFile: filepath.Join(home, "key", "log.key"), Now: time.Now,
		Mirrors:    []Mirror{mirror.Folder{Dir: filepath.Join(home, "mirror"), Now: time.Now}},
		FlushBytes: 30_000,
	})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	for i := 0; ; i++ {
		id := fmt.Sprintf("v%d-%d", os.Getpid(), i)
		if err := appendRun(context.Background(), l, id); err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Println("done", id)
		if i%8 == 0 {
			// Long enough that a kill can fall into it.
			large := palisade.Event{Run: id + "-large", Kind: palisade.EventFinished, Data: strings.Repeat("x", 4<<20)}
			if err := l.Append(context.Background(), false, large); err != nil {
				fmt.Println("error", err)
				return
			}
		}
	}
}

// aud-008: killed at any moment, the log recovers, keeps every durable entry,
// and what was torn is on the record.
func TestReportedAud008CrashInMidAppend(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	done := map[string]bool{}
	rounds := 60
	if testing.Short() {
		rounds = 8
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range rounds {
		for _, id := range p.killVictims(2, time.Duration(random.IntN(40))*time.Millisecond) {
			done[id] = true
		}
		// Before recovery, a torn end is said and is no tampering.
		must(t, p.unanchored(), Unanchored)
	}
	l := p.open()
	p.runs(l, 1)
	p.close(l)
	r := p.verify()
	must(t, r, Intact)
	if len(done) < rounds {
		t.Fatalf("%d runs in %d rounds: the victims hardly ran", len(done), rounds)
	}
	reader, err := OpenReader(p.config.Dir, p.publicKey())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	runs, err := reader.List(Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		if done[run.ID] && run.Complete && run.Entries == 6 {
			delete(done, run.ID)
		}
	}
	if len(done) > 0 {
		t.Errorf("%d runs that were durable are lost: %v", len(done), done)
	}
	t.Logf("%d runs, %d entries, %d torn ends recovered, %d runs cut off", r.Runs, r.Entries, r.Recovered, r.Incomplete)
}

// killVictims lets n processes write to the log for a while after their first
// runs, kills them, and returns the runs that they said were done.
func (p *place) killVictims(n int, after time.Duration) []string {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	defer cancel()
	var outs []*firstLine
	var cmds []*exec.Cmd
	for range n {
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = []string{victimEnv + "=" + p.home}
		out := &firstLine{there: make(chan struct{})}
		cmd.Stdout = out
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			p.t.Fatal(err)
		}
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	for _, out := range outs {
		select {
		case <-out.there:
		case <-time.After(time.Minute):
			p.t.Fatal("the victim does not run")
		}
	}
	time.Sleep(after)
	cancel() // SIGKILL
	var done []string
	for i, cmd := range cmds {
		_ = cmd.Wait() // killed
		for lines := bufio.NewScanner(&outs[i].b); lines.Scan(); {
			word, id, _ := strings.Cut(lines.Text(), " ")
			if word == "error" {
				p.t.Fatal(lines.Text())
			}
			if word == "done" {
				done = append(done, id)
			}
		}
	}
	return done
}

// firstLine keeps what is written and tells when the first of it came.
type firstLine struct {
	b     bytes.Buffer
	once  sync.Once
	there chan struct{}
}

func (w *firstLine) Write(p []byte) (int, error) {
	w.once.Do(func() { close(w.there) })
	return w.b.Write(p)
}

// The last write cut at every byte: what was durable before is there, and the
// torn end is recorded.
func TestJournalCutAtEveryByte(t *testing.T) {
	t.Parallel()
	for _, flushed := range []bool{false, true} {
		p := newPlace(t)
		p.config.Mirrors = nil // the same moment is lived through many times
		l := p.open()
		p.runs(l, 2)
		if flushed {
			if err := l.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		before, from := l.s.size(), l.s.end
		if err := l.Append(t.Context(), false, palisade.Event{Run: "torn", Kind: palisade.EventStarted, Data: 1}, palisade.Event{Run: "torn", Kind: palisade.EventFinished, Data: 2}); err != nil {
			t.Fatal(err)
		}
		to := l.s.end
		// Killed: nothing more is written.
		whole := p.config.Dir + ".whole"
		copyTree(t, p.config.Dir, whole)
		p.close(l)
		for cut := from; cut <= to; cut++ {
			// Nothing else changes where nothing is flushed.
			writeAll(t, filepath.Join(p.config.Dir, fileHead), readAll(t, filepath.Join(whole, fileHead)))
			writeAll(t, filepath.Join(p.config.Dir, fileJournal), readAll(t, filepath.Join(whole, fileJournal))[:cut])
			r := p.unanchored()
			torn := cut > from && cut < to
			if r.Verdict != Unanchored || r.TornBytes != (cut-from)*btoi(torn) {
				t.Fatalf("cut at %d of %d to %d: %s", cut, from, to, r)
			}
			checkRecovered(t, p, before, btoi(cut == to)*2, torn, cut-from)
		}
	}
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// checkRecovered opens a log after a crash and holds it to what must be there.
func checkRecovered(t *testing.T, p *place, before, more int64, torn bool, bytesTorn int64) {
	t.Helper()
	l := p.open()
	if got := l.s.size(); got != before+more+btoi(torn) {
		t.Fatalf("%d entries after recovery, want %d", got, before+more+btoi(torn))
	}
	found := 0
	for rec, err := range l.s.view().Records(0, palisade.EventRecovered) {
		var cut tear
		if err != nil || rec.Decode(&cut) != nil || cut.Bytes != bytesTorn || cut.Offset == 0 || cut.SHA256.IsZero() {
			t.Fatalf("recovered %+v, %v", cut, err)
		}
		found++
	}
	if found != int(btoi(torn)) {
		t.Fatalf("%d torn ends on the record, torn: %v", found, torn)
	}
	if err := l.Append(t.Context(), true, palisade.Event{Run: "after", Kind: palisade.EventOutcome}); err != nil {
		t.Fatal(err)
	}
	p.close(l)
	must(t, p.unanchored(), Unanchored)
}

// What was durable is never taken for a torn end: with the head that was written
// after it, or with a later batch that knows of it, a cut is tampering.
func TestDurableEndIsNotATornEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.open()
	p.runs(l, 1)
	from := l.s.end
	p.runs(l, 1)
	to := l.s.end
	p.close(l)
	journal := filepath.Join(p.config.Dir, fileJournal)
	data := readAll(t, journal)
	for cut := from; cut < to; cut += 7 {
		writeAll(t, journal, data[:cut])
		if _, err := Open(t.Context(), p.config); !isTampered(err) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	// A damaged batch in the middle, with an old head put back.
	writeAll(t, journal, data)
	l = p.open()
	oldHead := readAll(t, filepath.Join(p.config.Dir, fileHead))
	damageAt := l.s.end + 100
	p.runs(l, 2)
	p.close(l)
	writeAll(t, filepath.Join(p.config.Dir, fileHead), oldHead)
	data = readAll(t, journal)
	data[damageAt] ^= 1
	writeAll(t, journal, data)
	if _, err := Open(t.Context(), p.config); !isTampered(err) {
		t.Fatalf("damaged in the middle: %v", err)
	}
	must(t, p.unanchored(), Tampered, "on stable storage")
}

func isTampered(err error) bool {
	tampered := (*TamperError)(nil)
	return errors.As(err, &tampered)
}

// A flush that was cut off anywhere leaves a log with the same entries: files of
// the new state, whole or in part, beside a journal of the old one; then the new
// checkpoint; then a journal that is empty or has part of a header.
func TestFlushCutOffAnywhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.open()
	p.runs(l, 30)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.runs(l, 40) // fills a bundle
	size := l.s.size()
	old, flushed := p.config.Dir+".old", p.config.Dir+".flushed"
	copyTree(t, p.config.Dir, old)
	mirrored := filepath.Join(p.home, "mirror")
	copyTree(t, mirrored, mirrored+".old")
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.close(l)
	copyTree(t, p.config.Dir, flushed)
	check := func(what string) {
		t.Helper()
		r := p.unanchored()
		if r.Verdict != Unanchored || r.Entries < size {
			t.Fatalf("%s: %s", what, r)
		}
		l := p.open()
		if l.s.size() < size {
			t.Fatalf("%s: %d entries, want %d", what, l.s.size(), size)
		}
		if err := errors.Join(appendRun(t.Context(), l, "after"), l.Flush(t.Context())); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		p.close(l)
		r = p.verify()
		if must(t, r, Intact); r.Runs != 71 {
			t.Fatalf("%s: %s", what, r)
		}
		copyTree(t, mirrored+".old", mirrored)
	}
	var written []string
	for _, name := range files(t, flushed) {
		rel, _ := filepath.Rel(flushed, name)
		if rel != fileJournal && rel != fileCheckpoint && !bytes.Equal(readAll(t, name), tryRead(filepath.Join(old, rel))) {
			written = append(written, rel)
		}
	}
	if len(written) < 6 {
		t.Fatalf("a flush wrote only %v", written)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for i := range written {
		for range 3 {
			copyTree(t, old, p.config.Dir)
			for _, rel := range written[:i+1] {
				putFile(t, filepath.Join(p.config.Dir, rel), readAll(t, filepath.Join(flushed, rel)))
			}
			// Tiles come by rename; only a pack can be there in part.
			last := written[i]
			if strings.HasPrefix(last, "payload/") {
				was, is := tryRead(filepath.Join(old, last)), readAll(t, filepath.Join(flushed, last))
				putFile(t, filepath.Join(p.config.Dir, last), is[:len(was)+random.IntN(len(is)-len(was)+1)])
			}
			check(fmt.Sprintf("after %d files", i+1))
		}
	}
	header := readAll(t, filepath.Join(flushed, fileJournal))
	for _, cut := range []int{-1, 0, 1, 20, len(header) / 2, len(header) - 1, len(header)} {
		copyTree(t, old, p.config.Dir)
		for _, rel := range append(written, fileCheckpoint) {
			putFile(t, filepath.Join(p.config.Dir, rel), readAll(t, filepath.Join(flushed, rel)))
		}
		if cut >= 0 {
			putFile(t, filepath.Join(p.config.Dir, fileJournal), header[:cut])
		}
		check(fmt.Sprintf("new checkpoint, journal cut at %d", cut))
	}
}

func tryRead(name string) []byte {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return data
}

func putFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	writeAll(t, name, data)
}

// Making a log can be cut off after each of its steps.
func TestMakingCutOff(t *testing.T) {
	p := newPlace(t)
	p.close(p.open())
	key := p.config.KeyFile
	for name, undo := range map[string]func(){
		"key not in place": func() { os.Rename(key, key+".new") },
		"log not in place": func() {
			os.Rename(key, key+".new")
			os.Rename(p.config.Dir, p.config.Dir+".new")
			loseFiles(t, filepath.Join(p.home, "mirror"))
		},
		"only a key begun": func() {
			os.RemoveAll(p.config.Dir)
			os.Rename(key, key+".new")
			loseFiles(t, filepath.Join(p.home, "mirror"))
			os.Remove(filepath.Join(p.home, "key", "log.pub"))
		},
	} {
		undo()
		l, err := Open(t.Context(), p.config)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p.runs(l, 1)
		p.close(l)
		must(t, p.unanchored(), Unanchored)
	}
}

// loseFiles leaves nothing in a folder.
func loseFiles(t *testing.T, dir string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
}
