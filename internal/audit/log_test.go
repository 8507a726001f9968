package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"palisade"
)

func TestRefusesToStartOver(t *testing.T) {
	steps := map[string]struct {
		damage func(p *place)
		want   error
	}{
		"log deleted": {func(p *place) { os.RemoveAll(p.config.Dir) }, ErrGone},
		"log emptied": {func(p *place) {
			for _, f := range files(p.t, p.config.Dir) {
				os.Remove(f)
			}
			os.RemoveAll(filepath.Join(p.config.Dir, "tile"))
			os.RemoveAll(filepath.Join(p.config.Dir, "payload"))
		}, ErrGone},
		"log and private key deleted": {func(p *place) { os.RemoveAll(p.config.Dir); os.Remove(p.config.KeyFile) }, ErrGone},
		"log and keys deleted, mirror left": {func(p *place) {
			os.RemoveAll(p.config.Dir)
			os.RemoveAll(filepath.Dir(p.config.KeyFile))
		}, ErrGone},
		"private key deleted": {func(p *place) { os.Remove(p.config.KeyFile) }, ErrKeyMissing},
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			l := p.open()
			p.runs(l, 3)
			if err := l.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.close(l)
			step.damage(p)
			if _, err := Open(t.Context(), p.config); !errors.Is(err, step.want) {
				t.Fatalf("open: %v, want %v", err, step.want)
			}
		})
	}
}

func TestRefusesUnsafePlaces(t *testing.T) {
	for name, damage := range map[string]func(p *place){
		"key that others can read":   func(p *place) { os.Chmod(p.config.KeyFile, 0o644) },
		"folder others can write to": func(p *place) { os.Chmod(p.config.Dir, 0o770) },
		"key inside the folder":      func(p *place) { p.config.KeyFile = filepath.Join(p.config.Dir, "k") },
		"name that breaks a head":    func(p *place) { p.config.Name = "a b" },
		"no clock":                   func(p *place) { p.config.Now = nil },
		"public key of another log": func(p *place) {
			q := newPlace(t)
			q.close(q.open())
			writeAll(t, filepath.Join(p.home, "key/log.pub"), []byte(q.publicKey()))
		},
		"journal that is a link":       func(p *place) { swapForLink(t, filepath.Join(p.config.Dir, fileJournal)) },
		"key that is a link":           func(p *place) { swapForLink(t, p.config.KeyFile) },
		"missing head":                 func(p *place) { os.Remove(filepath.Join(p.config.Dir, fileHead)) },
		"missing journal":              func(p *place) { os.Remove(filepath.Join(p.config.Dir, fileJournal)) },
		"journal that is a named pipe": func(p *place) { swapForPipe(t, filepath.Join(p.config.Dir, fileJournal)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			l := p.open()
			p.runs(l, 1)
			p.close(l)
			damage(p)
			if l, err := Open(t.Context(), p.config); err == nil {
				l.Close()
				t.Fatal("opened")
			}
		})
	}
}

func TestAKeyThatOthersCanReadSaysHowToMendIt(t *testing.T) {
	p := newPlace(t)
	p.close(p.open())
	if err := os.Chmod(p.config.KeyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), p.config); err == nil || !strings.HasSuffix(err.Error(), "chmod 600 "+p.config.KeyFile) {
		t.Errorf("%v", err)
	}
}

// A mirror folder that went away, such as a disk that is not mounted, is not made
// anew: the log does not open.
func TestAMirrorFolderThatIsMissing(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 1)
	p.close(l)
	folder := filepath.Join(p.home, "mirror")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), p.config); err == nil || !strings.Contains(err.Error(), "does not exist: make it, or mount it") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("it was made")
	}
}

func TestAppendRefuses(t *testing.T) {
	p := newPlace(t)
	p.config.MaxPayload = 1000
	l := p.open()
	for name, e := range map[string]palisade.Event{
		"no kind":          {Run: "a"},
		"kind with quotes": {Run: "a", Kind: `x","y":"`},
		"run with newline": {Run: "a\nb", Kind: "outcome"},
		"long run":         {Run: strings.Repeat("a", 65), Kind: "outcome"},
		"large payload":    {Run: "a", Kind: "outcome", Data: strings.Repeat("x", 1000)},
		"not JSON":         {Run: "a", Kind: "outcome", Data: func() {}},
	} {
		if err := l.Append(t.Context(), true, e); err == nil {
			t.Errorf("%s: appended", name)
		}
	}
	if l.s.size() != 1 {
		t.Errorf("%d entries", l.s.size())
	}
	p.close(l)
	if err := l.Append(t.Context(), true, runEvents("a")...); !errors.Is(err, ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, flushBytes := range []int64{1, 5000, 0} {
		t.Run(fmt.Sprint(flushBytes), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.config.FlushBytes = flushBytes
			var want []string
			for round := range 4 {
				l := p.open()
				for i := range 30 {
					id := fmt.Sprintf("r%d-%d", round, i)
					if err := appendRun(t.Context(), l, id); err != nil {
						t.Fatal(err)
					}
					want = append(want, id)
				}
				p.close(l)
			}
			r := p.verify()
			must(t, r, Intact)
			if r.Runs != 120 || r.Entries != 1+120*6 || r.Heads != 121 || r.AnchoredTo != r.Entries || r.Payloads != r.Entries || r.Incomplete != 0 || len(r.Notes) > 0 {
				t.Errorf("report %+v", r)
			}
			must(t, p.unanchored(), Unanchored)
			checkReader(t, p, want)
		})
	}
}

func checkReader(t *testing.T, p *place, want []string) {
	r, err := OpenReader(p.config.Dir, p.publicKey())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	runs, err := r.List(Filter{Decision: "allow", Submitter: "uid:1000"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, run := range slices.Backward(runs) {
		got = append(got, run.ID)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("listed %v", got)
	}
	if first := runs[0]; first.Status != "ok" || first.Profile != "data" || first.Door != "cli" || first.Program != "program.py" || first.Language != "python" || first.Entries != 6 || !first.Complete {
		t.Errorf("run %+v", first)
	}
	if runs, _ := r.List(Filter{Limit: 2}); len(runs) != 2 || runs[0].ID != want[len(want)-1] {
		t.Errorf("limited list %v", runs)
	}
	if runs, _ := r.List(Filter{Status: "killed"}); len(runs) != 0 {
		t.Errorf("list of killed %v", runs)
	}
	_, records, err := r.Show(want[5])
	if err != nil || len(records) != 6 {
		t.Fatalf("show: %d records, %v", len(records), err)
	}
	var s palisade.Submission
	if err := records[0].Decode(&s); err != nil || !strings.Contains(string(s.Program.Source), "hello "+want[5]) {
		t.Errorf("submission %q, %v", s.Program.Source, err)
	}
	if _, _, err := r.Show("nothing"); !errors.Is(err, ErrNoRun) {
		t.Errorf("show nothing: %v", err)
	}
	if _, _, err := r.Show("r1-1"); err != nil {
		t.Errorf("show r1-1: %v", err)
	}
	if _, _, err := r.Show("r"); err == nil {
		t.Error("an ambiguous beginning was taken")
	}
	checkProofs(t, r, p.publicKey())
}

func checkProofs(t *testing.T, r *Reader, key string) {
	for _, index := range []int64{0, 1, 255, 256, 511, 512, r.View().Size() - 1} {
		proof, err := r.Prove(index)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(proof)
		if err != nil {
			t.Fatal(err)
		}
		var back Proof
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if err := back.Check(key); err != nil {
			t.Errorf("proof of %d: %v", index, err)
		}
		back.Entry = strings.Replace(back.Entry, `"v":1`, `"v":2`, 1)
		if back.Check(key) == nil {
			t.Errorf("proof of a changed entry %d holds", index)
		}
	}
	if _, err := r.Prove(r.View().Size()); err == nil {
		t.Error("proof beyond the log")
	}
}

// The folder must be one that other C2SP tools can verify: here, x/mod's.
func TestFlushedFormIsC2SP(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 100)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	head := l.s.head
	p.close(l)
	lines := strings.Split(string(readAll(t, filepath.Join(p.config.Dir, fileCheckpoint))), "\n")
	if len(lines) != 6 || lines[0] != head.Origin || lines[1] != fmt.Sprint(head.Size) || lines[2] != head.Root.String() || lines[3] != "" || !strings.HasPrefix(lines[4], "— "+head.Origin+" ") {
		t.Fatalf("checkpoint %q", lines)
	}
	hashes := tlog.TileHashReader(tlog.Tree{N: head.Size, Hash: head.Root}, diskTiles(p.config.Dir))
	for n := range (head.Size + 255) / 256 {
		w := min(256, head.Size-n*256)
		data := readAll(t, filepath.Join(p.config.Dir, tilePath(bundleTile(n, int(w)))))
		for i := range w {
			size := int(data[0])<<8 | int(data[1])
			leaf, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, n*256+i)})
			if err != nil || leaf[0] != tlog.RecordHash(data[2:2+size]) {
				t.Fatalf("entry %d: %v", n*256+i, err)
			}
			data = data[2+size:]
		}
		if len(data) > 0 {
			t.Fatalf("%d bytes left", len(data))
		}
	}
	for _, f := range files(t, p.config.Dir) {
		if info, _ := os.Lstat(f); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", f, info.Mode())
		}
	}
}

type diskTiles string

func (d diskTiles) Height() int                     { return 8 }
func (d diskTiles) SaveTiles([]tlog.Tile, [][]byte) {}
func (d diskTiles) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	out := make([][]byte, len(tiles))
	for i, tile := range tiles {
		var err error
		if out[i], err = os.ReadFile(filepath.Join(string(d), tilePath(tile))); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// aud-007: concurrent appends never fork the log and lose nothing.
func TestReportedAud007ConcurrentAppends(t *testing.T) {
	p := newPlace(t)
	p.config.FlushBytes = 20_000
	const logs, each = 3, 25 // separate openings lock against each other as processes do
	var wg sync.WaitGroup
	for i := range logs {
		l := p.open()
		for j := range 2 {
			wg.Go(func() {
				for k := range each {
					if err := appendRun(context.Background(), l, fmt.Sprintf("c%d-%d-%d", i, j, k)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	// Readers are not kept waiting and never see anything but a sound log.
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		must(t, p.unanchored(), Unanchored)
	}
	r := p.verify()
	must(t, r, Intact)
	if r.Runs != logs*2*each || r.Entries != 1+logs*2*each*6 || r.Incomplete != 0 {
		t.Errorf("report %+v", r)
	}
}

func TestUpdateIsExclusive(t *testing.T) {
	p := newPlace(t)
	p.config.FlushBytes = 4000
	grant := palisade.Event{Run: "q", Kind: palisade.EventAnswered, Data: "yes"}
	if err := p.open().Append(t.Context(), true, grant); err != nil {
		t.Fatal(err)
	}
	var spent int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 4 {
		l := p.open()
		wg.Go(func() {
			for j := range 10 {
				err := l.Update(context.Background(), func(v View) ([]palisade.Event, error) {
					left := 0
					for r, err := range v.Records(0, palisade.EventAnswered, palisade.EventConsumed) {
						if err != nil {
							return nil, err
						}
						if r.Kind == palisade.EventAnswered {
							left++
						} else {
							left--
						}
					}
					if left == 0 {
						return []palisade.Event{{Run: fmt.Sprintf("miss-%d-%d", i, j), Kind: palisade.EventAsked}}, nil
					}
					return []palisade.Event{{Run: "q", Kind: palisade.EventConsumed}}, nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	v := p.open().s.view()
	for r, err := range v.Records(0, palisade.EventConsumed) {
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		spent++
		mu.Unlock()
		_ = r
	}
	if spent != 1 {
		t.Errorf("an approval was spent %d times", spent)
	}
	must(t, p.verify(), Intact)
}

func TestUpdateErrorAppendsNothing(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	size := l.s.size()
	wrong := errors.New("no")
	if err := l.Update(t.Context(), func(View) ([]palisade.Event, error) { return runEvents("x"), wrong }); !errors.Is(err, wrong) {
		t.Fatal(err)
	}
	if l.s.size() != size {
		t.Error("appended")
	}
}

func TestForget(t *testing.T) {
	p := newPlace(t)
	p.config.FlushBytes = 10_000
	l := p.open()
	p.runs(l, 50)
	if err := appendRun(t.Context(), l, "secret"); err != nil {
		t.Fatal(err)
	}
	p.runs(l, 50)
	if _, err := l.Forget(t.Context(), Selection{Reason: "everything"}); err == nil {
		t.Fatal("forgot everything")
	}
	n, err := l.Forget(t.Context(), Selection{Run: "secret", Reason: "a name was in it"})
	if err != nil || n != 6 {
		t.Fatalf("forgot %d, %v", n, err)
	}
	if n, err := l.Forget(t.Context(), Selection{Run: "secret", Reason: "again"}); err != nil || n != 0 {
		t.Fatalf("forgot %d again, %v", n, err)
	}
	p.runs(l, 3)
	p.close(l)
	for _, f := range files(t, p.config.Dir) {
		if strings.Contains(string(readAll(t, f)), "aGVsbG8gc2VjcmV0") || strings.Contains(string(readAll(t, f)), "hello secret") {
			t.Errorf("%s still holds it", f)
		}
	}
	r := p.verify()
	must(t, r, Intact, "6 payloads were forgotten, as recorded")
	reader, err := OpenReader(p.config.Dir, p.publicKey())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	run, records, err := reader.Show("secret")
	if err != nil || len(records) != 6 || run.Decision != "" {
		t.Fatalf("show: %+v, %d records, %v", run, len(records), err)
	}
	if err := records[0].Decode(new(any)); !errors.Is(err, ErrForgotten) {
		t.Errorf("decode: %v", err)
	}
	// Everything older goes too, and nothing that the log needs itself.
	l = p.open()
	if n, err := l.Forget(t.Context(), Selection{Before: p.config.Now().AddDate(1, 0, 0), Reason: "90 days"}); err != nil || n != 103*6 {
		t.Fatalf("forgot %d, %v", n, err)
	}
	p.close(l)
	must(t, p.verify(), Intact)
}

func TestPayloadMissingWithoutARecord(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 50)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.close(l)
	if err := os.Remove(filepath.Join(p.config.Dir, packPath(0))); err != nil {
		t.Fatal(err)
	}
	must(t, p.verify(), Tampered, "256 payloads are missing")
	r := p.verifyDir(p.config.Dir, VerifyOptions{Heads: p.heads(), PayloadsWithheld: true})
	must(t, r, Intact, "256 payloads are not here")
}

func TestCreateNamesItsPredecessor(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 3)
	p.close(l)
	old := p.publicKey()
	if _, err := Create(t.Context(), p.config, ""); err == nil {
		t.Fatal("no reason was needed")
	}
	os.RemoveAll(p.config.Dir)
	l, err := Create(t.Context(), p.config, "disk was lost")
	if err != nil {
		t.Fatal(err)
	}
	p.runs(l, 2)
	p.close(l)
	r := p.verify()
	must(t, r, Intact)
	if r.Follows != 1 || r.Runs != 2 || p.publicKey() == old {
		t.Errorf("report %+v", r)
	}
	reader, err := OpenReader(p.config.Dir, p.publicKey())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for rec, err := range reader.View().Records(0, KindOpened) {
		var o Opened
		if err != nil || rec.Decode(&o) != nil || o.Reason != "disk was lost" || len(o.Follows) != 1 || o.Follows[0].Size != 19 {
			t.Errorf("opened %+v, %v", o, err)
		}
	}
	retired, _ := filepath.Glob(filepath.Join(p.home, "key", "*.retired-*"))
	if len(retired) != 2 {
		t.Errorf("set aside: %v", retired)
	}
}

func TestMirrorThatFailsFailsTheAnswer(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 1)
	folder := filepath.Join(p.home, "mirror")
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	writeAll(t, folder, nil)
	err := appendRun(t.Context(), l, "x")
	if err == nil || !strings.Contains(err.Error(), "append outcome") || !strings.Contains(err.Error(), folder) {
		t.Fatalf("append: %v", err)
	}
	os.Remove(folder)
	os.Rename(folder+".away", folder)
	p.runs(l, 1)
	must(t, p.verify(), Intact)
}

func TestLogReplacedWhileOpen(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 2)
	copyTree(t, p.config.Dir, p.config.Dir+".old")
	p.runs(l, 2)
	os.Rename(p.config.Dir, p.config.Dir+".away")
	copyTree(t, p.config.Dir+".old", p.config.Dir)
	var tampered *TamperError
	if err := l.Append(t.Context(), true, runEvents("x")...); !errors.As(err, &tampered) {
		t.Fatalf("append: %v", err)
	}
	os.RemoveAll(p.config.Dir)
	if err := l.Append(t.Context(), true, runEvents("x")...); !errors.As(err, &tampered) {
		t.Fatalf("append to a deleted log: %v", err)
	}
}

func swapForLink(t testing.TB, path string) {
	if err := errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path)); err != nil {
		t.Fatal(err)
	}
}
