package audit

import (
	"bytes"
	"crypto/sha256"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"palisade"
)

func exampleEntry() Entry {
	return Entry{
		Index: 12, Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Run: "01JABC-x_y.z", Kind: palisade.EventOutcome,
		Payload: sha256.Sum256([]byte("x")), Size: 345,
	}
}

// The form of an entry is fixed for good: logs outlive this program.
func TestEntryForm(t *testing.T) {
	const want = `{"v":1,"index":12,"time":"2026-01-02T03:04:05.000000006Z","run":"01JABC-x_y.z","kind":"outcome",` +
		`"payload":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","size":345}`
	if got := string(exampleEntry().encode()); got != want {
		t.Errorf("entry %s", got)
	}
	if e, err := parseEntry([]byte(want)); err != nil || e != exampleEntry() {
		t.Errorf("parsed %+v, %v", e, err)
	}
}

func FuzzEntry(f *testing.F) {
	line := string(exampleEntry().encode())
	for _, s := range []string{
		line, "", "{}", line + " ", line[:len(line)-1], `{"v":2` + line[6:],
		`{"v":1,"index":-1,"time":"2026-01-02T03:04:05.000000006Z","run":"","kind":"x","payload":"","size":0}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parseEntry(data)
		if err == nil && !bytes.Equal(e.encode(), data) {
			t.Fatalf("%q has two forms", data)
		}
	})
}

func exampleKey(t testing.TB) (note.Signer, note.Verifier) {
	private, public, err := newKey("palisade.local/audit")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := parsePublic(public)
	if err != nil {
		t.Fatal(err)
	}
	return signer, verifier
}

func FuzzHead(f *testing.F) {
	signer, verifier := exampleKey(f)
	h, err := sign(signer, 7, sha256.Sum256([]byte("root")))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(h.Note)
	f.Add(append(bytes.Clone(h.Note), h.Note...))
	f.Add(bytes.Replace(h.Note, []byte("\n7\n"), []byte("\n07\n"), 1))
	f.Add(padHead(h.Note))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := openHead(data, verifier)
		if err == nil && (!got.same(h) || !bytes.Equal(data, h.Note)) {
			t.Fatalf("forged: %q", data)
		}
		if padded, err := unpadHead(data); err == nil && !bytes.Equal(padHead(padded), data) {
			t.Fatalf("%q has two forms", data)
		}
	})
}

func exampleBatch(t testing.TB) ([]byte, *state) {
	signer, verifier := exampleKey(t)
	s := &state{key: verifier, base: Head{Origin: verifier.Name()}}
	var all []sealed
	for _, e := range runEvents("x")[:2] {
		one, err := seal(e, Config{MaxPayload: 1 << 20, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	b, _, _, err := makeBatch(all, s, signer)
	if err != nil {
		t.Fatal(err)
	}
	return appendFrame(nil, typeBatch, b.encode()), s
}

// A journal is taken as it was written or not at all: nothing panics, and no
// entry is believed that the key's holder did not sign.
func FuzzJournal(f *testing.F) {
	frame, s := exampleBatch(f)
	f.Add(frame, false)
	f.Add(frame[:len(frame)-1], false)
	f.Add(append(bytes.Clone(frame), frame...), false)
	_, body, _, err := cutFrame(frame)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body, true)
	f.Fuzz(func(t *testing.T, data []byte, isBody bool) {
		if isBody {
			data = appendFrame(nil, typeBatch, data) // past the sum
		}
		fresh := &state{key: s.key, base: s.base}
		_, err := fresh.apply(data, false)
		if err == nil && fresh.size() > 0 && !bytes.HasPrefix(data, frame) {
			t.Fatalf("%d forged entries", fresh.size())
		}
		if kind, body, rest, err := cutFrame(data); err == nil {
			if again := appendFrame(nil, kind, body); !bytes.Equal(append(again, rest...), data) {
				t.Fatal("a frame has two forms")
			}
			if b, err := parseBatch(body); err == nil && !bytes.Equal(b.encode(), body) {
				t.Fatal("a batch has two forms")
			}
		}
	})
}

func FuzzBundle(f *testing.F) {
	f.Add(appendEntries(nil, []byte("a"), []byte(""), []byte("bcd")), 3)
	f.Add([]byte{0xff, 0xff, 1}, 256)
	f.Fuzz(func(t *testing.T, data []byte, w int) {
		w = min(max(w, 0), tileWidth)
		entries, err := parseBundle(data, w, true)
		if err == nil && !bytes.Equal(appendEntries(nil, entries...), data) && w > 0 {
			t.Fatal("a bundle has two forms")
		}
	})
}
