package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"palisade"
	"palisade/internal/audit/mirror"
)

// attack changes a finished log of 60 runs (361 entries). flushed tells whether
// they are in tiles and packs or in the journal.
type attack struct {
	name string
	do   func(t *testing.T, p *place, flushed bool)
	// alone is the verdict without mirrored heads; with them it is Tampered.
	alone Verdict
}

// The attacks by the reported case that they stand for; several per case.
func attacks() map[string][]attack {
	return map[string][]attack{
		"aud-001": {
			{"cut the journal or a bundle", cutFiles, Tampered},
			{"cut the tail and rebuild without the key", rebuilt(func(r []Record) []Record { return r[:len(r)-6] }, false), Tampered},
			{"cut the tail and sign again with the key", rebuilt(func(r []Record) []Record { return r[:len(r)-6] }, true), Unanchored},
			{"put an old copy back with its old head", restoreOld, Unanchored},
		},
		"aud-002": {
			{"delete the folder", func(_ *testing.T, p *place, _ bool) { os.RemoveAll(p.config.Dir) }, Tampered},
			{"delete everything in the folder", emptyFolder, Tampered},
			{"put an empty log of the same key in its place", rebuilt(func([]Record) []Record { return nil }, true), Unanchored},
		},
		"aud-003": {
			{"drop an entry from the middle", rebuilt(dropOne, false), Tampered},
			{"drop an entry and sign again with the key", rebuilt(dropOne, true), Unanchored},
			{"drop bytes from the middle of a file", dropBytes, Tampered},
		},
		"aud-004": {
			{"swap two entries", rebuilt(swapTwo, false), Tampered},
			{"swap two entries and sign again with the key", rebuilt(swapTwo, true), Unanchored},
			{"swap two stored lines", swapLines, Tampered},
		},
		"aud-005": {
			{"rewrite the last entries in their length", rebuilt(rewriteLast, false), Tampered},
			{"the same, signed again with the key", rebuilt(rewriteLast, true), Unanchored},
			{"rewrite bytes of a payload in place", rewritePayload, Tampered},
		},
		"aud-006": {
			{"chain everything anew under another key", chainAnew, Tampered},
		},
	}
}

func TestAttacks(t *testing.T) {
	for id, list := range attacks() {
		for _, a := range list {
			for _, flushed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/flushed=%v", id, a.name, flushed), func(t *testing.T) {
					t.Parallel()
					p := attacked(t, a, flushed)
					r := p.verify()
					must(t, r, Tampered)
					if len(r.Problems) == 0 || r.Problems[0].Where == "" || r.Problems[0].What == "" {
						t.Errorf("no problem is named: %s", r)
					}
					must(t, p.unanchored(), a.alone)
				})
			}
		}
	}
}

func attacked(t *testing.T, a attack, flushed bool) *place {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 40)
	if flushed {
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	copyTree(t, p.config.Dir, p.config.Dir+".old")
	p.runs(l, 20)
	if flushed {
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.close(l)
	must(t, p.verify(), Intact)
	must(t, p.unanchored(), Unanchored)
	a.do(t, p, flushed)
	return p
}

// Every audit case of the corpus is an attack above or a test of its own.
func TestReportedAuditCases(t *testing.T) {
	own := map[string]string{"aud-007": "TestReportedAud007ConcurrentAppends", "aud-008": "TestReportedAud008CrashInMidAppend"}
	for _, id := range reportedCases(t) {
		if len(attacks()[id]) == 0 && own[id] == "" {
			t.Errorf("case %s has no test", id)
		}
	}
}

func reportedCases(t *testing.T) []string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != "/" {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.Open(filepath.Join(dir, "../shared/corpora/reported/cases.jsonl"))
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("PALISADE_REQUIRE"), ","), "corpora") {
			t.Fatalf("corpora are required: %v", err)
		}
		t.Skipf("no corpora: %v", err)
	}
	defer f.Close()
	var ids []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c struct{ ID, Kind string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Kind == "audit" {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		t.Fatal("the corpus has no audit case")
	}
	return ids
}

// largest names the file that holds the entries.
func largest(p *place, flushed bool) string {
	if flushed {
		return filepath.Join(p.config.Dir, tilePath(bundleTile(0, tileWidth)))
	}
	return filepath.Join(p.config.Dir, fileJournal)
}

func cutFiles(t *testing.T, p *place, flushed bool) {
	name := largest(p, flushed)
	data := readAll(t, name)
	writeAll(t, name, data[:len(data)-len(data)/10])
}

func emptyFolder(t *testing.T, p *place, _ bool) {
	for _, f := range files(t, p.config.Dir) {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
}

func restoreOld(t *testing.T, p *place, _ bool) { copyTree(t, p.config.Dir+".old", p.config.Dir) }

func dropBytes(t *testing.T, p *place, flushed bool) {
	name := largest(p, flushed)
	data := readAll(t, name)
	writeAll(t, name, slices.Delete(data, len(data)/2, len(data)/2+200))
}

func swapLines(t *testing.T, p *place, flushed bool) {
	name := largest(p, flushed)
	data := readAll(t, name)
	a := bytes.Index(data, []byte(`{"v":1,"index":121,`))
	b := bytes.Index(data, []byte(`{"v":1,"index":127,`)) // same kind, other run
	if a < 0 || b < 0 {
		t.Fatal("entries not found")
	}
	n := bytes.IndexByte(data[a:], '}') + 1
	if m := bytes.IndexByte(data[b:], '}') + 1; m != n {
		t.Fatalf("entries of %d and %d bytes", n, m)
	}
	line := bytes.Clone(data[a : a+n])
	copy(data[a:], data[b:b+n])
	copy(data[b:], line)
	writeAll(t, name, data)
}

func rewritePayload(t *testing.T, p *place, flushed bool) {
	name := filepath.Join(p.config.Dir, fileJournal)
	if flushed {
		name = filepath.Join(p.config.Dir, packPath(1))
	}
	data := readAll(t, name)
	i := bytes.LastIndex(data, []byte(`"uid:1000"`))
	copy(data[i:], `"uid:1001"`)
	writeAll(t, name, data)
}

func dropOne(r []Record) []Record { return slices.Delete(r, 150, 151) }

func swapTwo(r []Record) []Record {
	r[150], r[156] = r[156], r[150]
	return r
}

func rewriteLast(r []Record) []Record {
	for i := range r[len(r)-6:] {
		rec := &r[len(r)-6+i]
		rec.Data = bytes.ReplaceAll(rec.Data, []byte(`allow`), []byte(`alloy`))
		rec.Data = bytes.ReplaceAll(rec.Data, []byte(`uid:1000`), []byte(`uid:1001`))
	}
	return r
}

// rebuilt makes the log anew from changed records: entries, commitments, tiles,
// packs and frames all fit. Without the key, the signatures are those of the old
// heads of the same size, which is the best that can be done.
func rebuilt(change func([]Record) []Record, withKey bool) func(*testing.T, *place, bool) {
	return func(t *testing.T, p *place, flushed bool) {
		records := allRecords(t, p)
		signer, _, _, err := readKey(p.config.KeyFile)
		if err != nil {
			t.Fatal(err)
		}
		old := p.config.Dir + ".before"
		copyTree(t, p.config.Dir, old)
		rebuild(t, p, signer, change(records), flushed)
		if withKey {
			return
		}
		// Take the attacker's signatures away: only what the key's holder signed
		// is left, the newest head of all.
		for _, name := range []string{fileHead, fileCheckpoint} {
			writeAll(t, filepath.Join(p.config.Dir, name), readAll(t, filepath.Join(old, name)))
		}
	}
}

func allRecords(t *testing.T, p *place) []Record {
	t.Helper()
	r, err := OpenReader(p.config.Dir, p.publicKey())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var records []Record
	for rec, err := range r.View().Records(1) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}

// rebuild puts a log with these records, signed by signer, in the log's place.
func rebuild(t *testing.T, p *place, signer note.Signer, records []Record, flushed bool) {
	t.Helper()
	if err := os.RemoveAll(p.config.Dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.config.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c := p.config
	c.Mirrors = nil
	c, err := c.complete()
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(c.Dir, c, signer, Opened{Origin: signer.Name()}); err != nil {
		t.Fatal(err)
	}
	l, err := open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		e := palisade.Event{Run: rec.Run, Kind: rec.Kind, Time: rec.Time, Data: rec.Data}
		if err := l.Append(t.Context(), false, e); err != nil {
			t.Fatal(err)
		}
	}
	if flushed {
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.close(l)
}

// chainAnew is what can be done by someone who has the folder and the public
// key's place, but not the private key: a whole log under a key of his own.
func chainAnew(t *testing.T, p *place, flushed bool) {
	records := allRecords(t, p)
	public := p.publicKey()
	evil := newPlace(t)
	evil.close(evil.open())
	signer, _, _, err := readKey(evil.config.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	evil.config.Dir = p.config.Dir
	rebuild(t, evil, signer, records, flushed)
	// With the true public key nothing fits; with a replaced one the mirrored
	// heads tell.
	must(t, p.verify(), Tampered)
	must(t, p.unanchored(), Tampered)
	r, err := Verify(t.Context(), p.config.Dir, evil.publicKey(), VerifyOptions{Heads: p.heads()})
	if err != nil {
		t.Fatal(err)
	}
	must(t, r, Tampered, "this log is not the one that was mirrored")
	if public != p.publicKey() {
		t.Fatal("the test changed the key")
	}
}

// Opening for append refuses wherever a readable mirror is ahead of the log.
func TestOpenRefusesARolledBackLog(t *testing.T) {
	for _, flushed := range []bool{false, true} {
		p := attacked(t, attack{do: restoreOld}, flushed)
		if _, err := Open(t.Context(), p.config); err == nil || !strings.Contains(err.Error(), "tampered") {
			t.Errorf("open: %v", err)
		}
	}
}

// verifyOnce is Verify without looking again at what looks wrong.
func verifyOnce(t testing.TB, p *place, heads []mirror.Copy) Report {
	_, key, _, err := readKey(p.config.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(p.config.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	v := newVerifier(root, key, VerifyOptions{Heads: heads})
	if err := v.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v.conclude()
}

// Any flipped bit in any file of the log breaks Verify, even without a mirror.
func TestAnyFlippedByteIsFound(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.open()
	for i := range 300 { // small entries, more than one tile
		if err := l.Append(t.Context(), false, palisade.Event{Run: fmt.Sprint(i), Kind: palisade.EventOutcome, Data: i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.runs(l, 1)
	p.close(l)
	must(t, verifyOnce(t, p, nil), Unanchored)
	random := rand.New(rand.NewPCG(1, 2))
	most := 250
	if testing.Short() {
		most = 60
	}
	for _, name := range files(t, p.config.Dir) {
		data := readAll(t, name)
		at := random.Perm(len(data))
		for _, i := range at[:min(most, len(at))] {
			flipped := bytes.Clone(data)
			flipped[i] ^= 1 << random.IntN(8)
			writeAll(t, name, flipped)
			if r := verifyOnce(t, p, nil); r.Verdict != Tampered {
				t.Fatalf("%s: byte %d of %d flipped from %q to %q: %s", name, i, len(data), data[i], flipped[i], r)
			}
		}
		writeAll(t, name, data)
	}
	must(t, verifyOnce(t, p, nil), Unanchored)
}

// Any file of the log that is deleted, cut or lengthened is missed.
func TestAnyFileMattersWhole(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.open()
	p.runs(l, 50)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.runs(l, 1)
	p.close(l)
	for _, name := range files(t, p.config.Dir) {
		if filepath.Base(name) == fileLock {
			continue
		}
		data := readAll(t, name)
		for what, change := range map[string]func(){
			"deleted":    func() { os.Remove(name) },
			"emptied":    func() { writeAll(t, name, nil) },
			"cut":        func() { writeAll(t, name, data[:len(data)-1]) },
			"cut in two": func() { writeAll(t, name, data[:len(data)/2]) },
			"lengthened": func() { writeAll(t, name, append(bytes.Clone(data), 1)) },
		} {
			change()
			r := verifyOnce(t, p, nil)
			// As a crash may leave it, and without a bearing on any entry.
			harmless := what == "lengthened" && (r.TornBytes == 1 || strings.Contains(r.String(), "1 bytes of a flush"))
			if r.Verdict != Tampered && !harmless {
				t.Errorf("%s %s: %s", name, what, r)
			}
			writeAll(t, name, data)
		}
	}
	must(t, verifyOnce(t, p, nil), Unanchored)
}

// A mirror that was changed is noticed too.
func TestMirroredHeadsAreChecked(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 2)
	p.close(l)
	for name, c := range map[string]struct {
		change func(h []mirror.Copy) []mirror.Copy
		want   Verdict
	}{
		"none": {func([]mirror.Copy) []mirror.Copy { return nil }, Unanchored},
		"bad signature": {func(h []mirror.Copy) []mirror.Copy {
			h[1].Note = bytes.Replace(h[1].Note, []byte("\n7\n"), []byte("\n8\n"), 1)
			return h
		}, Tampered},
		"no head":      {func(h []mirror.Copy) []mirror.Copy { h[1].Note = []byte("hello"); return h }, Tampered},
		"damaged":      {func(h []mirror.Copy) []mirror.Copy { h[1].Damaged = "x"; return h }, Tampered},
		"torn":         {func(h []mirror.Copy) []mirror.Copy { h[1].Damaged, h[1].Torn = "x", true; return h }, Intact},
		"out of order": {func(h []mirror.Copy) []mirror.Copy { slices.Reverse(h); return h }, Intact},
		"twice":        {func(h []mirror.Copy) []mirror.Copy { return append(h, h...) }, Intact},
	} {
		r := verifyOnce(t, p, c.change(p.heads()))
		if r.Verdict != c.want {
			t.Errorf("%s: %s", name, r)
		}
	}
}
