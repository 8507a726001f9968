package audit

import (
	"fmt"
	"testing"
	"time"

	"palisade"
)

// TestSnapshot: a snapshot shows the log as it was, also after more was
// appended and flushed; and its root at an earlier size is the one of then.
func TestSnapshot(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	add := func(n int) {
		t.Helper()
		for i := range n {
			if err := l.Append(t.Context(), false, palisade.Event{Run: fmt.Sprintf("r%d", i), Kind: palisade.EventReceived, Time: p.config.Now(), Data: i}); err != nil {
				t.Fatal(err)
			}
		}
	}
	snapshot := func() View {
		t.Helper()
		v, err := l.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	add(5)
	early := snapshot()
	root := early.Head().Root
	add(300)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	add(3)
	count := func(v View) (n int64) {
		t.Helper()
		for r, err := range v.Records(0) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Index != n || r.Kind != KindOpened && r.Data == nil {
				t.Fatalf("record %d at %d", r.Index, n)
			}
			n++
		}
		return n
	}
	if early.Size() != 6 || count(early) != 6 {
		t.Errorf("the early snapshot has %d entries", early.Size())
	}
	late := snapshot()
	if late.Size() != 309 || count(late) != 309 {
		t.Errorf("the late snapshot has %d entries", late.Size())
	}
	if got, err := late.RootAt(6); err != nil || got != root {
		t.Errorf("root at 6: %v, %v", got, err)
	}
	if got, err := late.RootAt(late.Size()); err != nil || got != late.Head().Root {
		t.Errorf("root at the end: %v, %v", got, err)
	}
	if _, err := late.RootAt(310); err == nil {
		t.Error("a root of entries that are not there")
	}
}

// TestStandingIsNotForgotten: what says who may come in outlives retention.
func TestStandingIsNotForgotten(t *testing.T) {
	p := newPlace(t)
	l := p.open()
	for _, kind := range []palisade.EventKind{"key_created", palisade.EventReceived, "key_revoked", "idempotency_claimed"} {
		if err := l.Append(t.Context(), true, palisade.Event{Run: "r", Kind: kind, Time: p.config.Now(), Data: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []Selection{{Run: "r", Reason: "x"}, {Before: p.config.Now().Add(time.Hour), Reason: "x"}} {
		if _, err := l.Forget(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	v, err := l.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kept := map[palisade.EventKind]bool{}
	for r, err := range v.Records(0) {
		if err != nil {
			t.Fatal(err)
		}
		kept[r.Kind] = r.Data != nil
	}
	if kept[palisade.EventReceived] || !kept["key_created"] || !kept["key_revoked"] || !kept["idempotency_claimed"] {
		t.Errorf("%v", kept)
	}
	if r, err := Verify(t.Context(), p.config.Dir, l.PublicKey(), VerifyOptions{}); err != nil || r.Verdict == Tampered {
		t.Errorf("%+v, %v", r, err)
	}
}
