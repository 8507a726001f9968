package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"palisade"
)

// A head that our key signed for another log is not ours.
func TestHeadForAnotherLog(t *testing.T) {
	signer, verifier := exampleKey(t)
	signed, err := note.Sign(&note.Note{Text: "another/log\n7\n" + tlog.Hash{1}.String() + "\n"}, signer)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := openHead(signed, verifier); err == nil {
		t.Errorf("taken for ours: %s", h)
	}
	for name, text := range map[string]string{
		"a fourth line":  "x\n7\n" + tlog.Hash{1}.String() + "\nmore\n",
		"a signed size":  "x\n+7\n" + tlog.Hash{1}.String() + "\n",
		"a huge size":    "x\n99999999999999999999\n" + tlog.Hash{1}.String() + "\n",
		"a negative one": "x\n-7\n" + tlog.Hash{1}.String() + "\n",
		"a short root":   "x\n7\nAAAA\n",
		"no origin":      "\n7\n" + tlog.Hash{1}.String() + "\n",
	} {
		if _, err := parseHead(text); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// Every bit of a signed head counts, also those that base64 leaves unused.
func TestEveryBitOfAHeadCounts(t *testing.T) {
	signer, verifier := exampleKey(t)
	h, err := sign(signer, 7, tlog.Hash{1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openHead(h.Note, verifier); err != nil {
		t.Fatal(err)
	}
	for i := range h.Note {
		for bit := range 8 {
			flipped := bytes.Clone(h.Note)
			flipped[i] ^= 1 << bit
			if _, err := openHead(flipped, verifier); err == nil {
				t.Errorf("%q was taken", flipped)
			}
		}
	}
}

// A log with full tiles on the second level: 65,536 entries and some.
func TestSecondLevelTiles(t *testing.T) {
	p := newPlace(t)
	p.config.Mirrors = nil
	p.config.FlushBytes = 16 << 20
	l := p.open()
	batch := make([]palisade.Event, 6600)
	for i := range batch {
		batch[i] = palisade.Event{Run: "r", Kind: palisade.EventOutcome, Data: i}
	}
	for range 10 {
		if err := l.Append(t.Context(), false, batch...); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.close(l)
	must(t, verifyOnce(t, p, nil), Unanchored)
	for _, rel := range []string{"tile/0/000", "tile/0/255", "tile/0/256", "tile/1/000", "tile/1/001.p/1", "tile/2/000.p/1"} {
		name := filepath.Join(p.config.Dir, rel)
		data := readAll(t, name)
		flipped := bytes.Clone(data)
		flipped[len(data)-1] ^= 1
		writeAll(t, name, flipped)
		where := rel
		if strings.Contains(rel, ".p/") {
			where = "the tiles do not give the root" // one of them: which, the root does not tell
		}
		must(t, verifyOnce(t, p, nil), Tampered, where)
		writeAll(t, name, data)
	}
	r, err := OpenReader(p.config.Dir, p.publicKey())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	checkProofs(t, r, p.publicKey())
}

// signedFrame signs lines as they are, as a faulty writer with the key would,
// and gives the journal frame.
func signedFrame(t *testing.T, first int64, change func(lines [][]byte) [][]byte) ([]byte, *state) {
	t.Helper()
	frame, _ := exampleBatch(t)
	signer, verifier := exampleKey(t)
	_, body, _, err := cutFrame(frame)
	if err != nil {
		t.Fatal(err)
	}
	b, err := parseBatch(body)
	if err != nil {
		t.Fatal(err)
	}
	b.entries, b.first = change(b.entries), first
	var edge compact
	for _, line := range b.entries {
		edge.add(tlog.RecordHash(line))
	}
	h, err := sign(signer, edge.n, edge.root())
	if err != nil {
		t.Fatal(err)
	}
	b.head = h.Note
	return appendFrame(nil, typeBatch, b.encode()), &state{key: verifier, base: Head{Origin: signer.Name()}}
}

// A signature does not make up for entries that are not in their form or place.
func TestSignedButWrong(t *testing.T) {
	for name, c := range map[string]struct {
		first  int64
		change func([][]byte) [][]byte
		want   string
	}{
		"as they are": {0, func(l [][]byte) [][]byte { return l }, ""},
		"swapped":     {0, func(l [][]byte) [][]byte { return [][]byte{l[1], l[0]} }, "entry 1 stands at 0"},
		"late":        {1, func(l [][]byte) [][]byte { return l }, "starts at entry 1"},
		"not JSON":    {0, func(l [][]byte) [][]byte { return [][]byte{[]byte("x"), l[1]} }, "bad index"},
		"other form":  {0, func(l [][]byte) [][]byte { return [][]byte{append(bytes.Clone(l[0]), ' '), l[1]} }, "stable form"},
		"payloads": {0, func(l [][]byte) [][]byte {
			return [][]byte{l[0], bytes.Replace(l[1], []byte(`"size":`), []byte(`"size":1`), 1)}
		}, "committed"},
	} {
		frame, s := signedFrame(t, c.first, c.change)
		_, err := s.apply(frame, false)
		if err != nil {
			got := err.Error()
			if c.want == "" || !strings.Contains(got, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		} else if c.want != "" {
			t.Errorf("%s: taken", name)
		}
	}
}

// A true signature under entries that it was not given for is none.
func TestSignedForOtherEntries(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 1)
	kept := l.s.head
	from := l.s.end
	p.runs(l, 1)
	p.close(l)
	journal := readAll(t, filepath.Join(p.config.Dir, fileJournal))
	_, body, _, err := cutFrame(journal[from:])
	if err != nil {
		t.Fatal(err)
	}
	b, err := parseBatch(body)
	if err != nil {
		t.Fatal(err)
	}
	b.head = kept.Note
	writeAll(t, filepath.Join(p.config.Dir, fileJournal), appendFrame(journal[:from:from], typeBatch, b.encode()))
	writeAll(t, filepath.Join(p.config.Dir, fileHead), padHead(kept.Note))
	must(t, p.unanchored(), Tampered, "does not match the entries before it")
	if _, err := Open(t.Context(), p.config); !isTampered(err) {
		t.Errorf("open: %v", err)
	}
}

// Writing goes on only behind an edge that the key signed.
func TestOpenRefusesADamagedEdge(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	p.runs(l, 50)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.close(l)
	size := l.s.size()
	for _, tile := range append(partials(size), bundleTile(size/256, int(size%256))) {
		name := filepath.Join(p.config.Dir, tilePath(tile))
		data := readAll(t, name)
		flipped := bytes.Clone(data)
		flipped[len(data)/2] ^= 4
		writeAll(t, name, flipped)
		if _, err := Open(t.Context(), p.config); !isTampered(err) {
			t.Errorf("%s: %v", tilePath(tile), err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), p.config); !isTampered(err) {
			t.Errorf("%s removed: %v", tilePath(tile), err)
		}
		writeAll(t, name, data)
	}
	// A full bundle behind the edge: whoever reads it is told.
	name := filepath.Join(p.config.Dir, tilePath(bundleTile(0, 256)))
	data := readAll(t, name)
	i := bytes.Index(data, []byte(`"kind":"outcome"`))
	copy(data[i:], `"kind":"started"`)
	writeAll(t, name, data)
	l = p.open()
	for _, err := range l.s.view().Records(0) {
		if !isTampered(err) {
			t.Errorf("read: %v", err)
		}
		break
	}
	p.close(l)
}

// Files changed in place under an open log: it does not write on.
func TestLogChangedInPlaceWhileOpen(t *testing.T) {
	restore := func(p *place) {
		for _, name := range files(t, p.config.Dir+".old") {
			rel, err := filepath.Rel(p.config.Dir+".old", name)
			if err != nil {
				t.Fatal(err)
			}
			writeAll(t, filepath.Join(p.config.Dir, rel), readAll(t, name))
		}
	}
	for name, change := range map[string]func(p *place, l *Log){
		"journal cut between two batches": func(p *place, l *Log) {
			writeAll(t, filepath.Join(p.config.Dir, fileJournal), readAll(t, filepath.Join(p.config.Dir+".old", fileJournal)))
		},
		"an older copy put back, which had fewer tiles": func(p *place, l *Log) {
			if err := l.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			restore(p)
		},
	} {
		p := newPlace(t)
		l := p.open()
		p.runs(l, 10)
		copyTree(t, p.config.Dir, p.config.Dir+".old")
		p.runs(l, 10)
		change(p, l)
		for range 2 {
			if err := appendRun(t.Context(), l, "x"); !isTampered(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		l.Close()
	}
}
