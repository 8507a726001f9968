package approval

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"time"

	"palisade"
)

// records are a view over a plain list, for what a real log does not do on
// request: forget payloads, hold nonsense, fail.
type records []Record

func (r records) Size() int64 { return int64(len(r)) }

func (r records) Records(from int64, _ ...palisade.EventKind) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for i := from; i < int64(len(r)); i++ {
			one := r[i]
			one.Index = i
			if !yield(one, nil) {
				return
			}
		}
	}
}

func (r records) Update(_ context.Context, f func(View) ([]palisade.Event, error)) error {
	_, err := f(r)
	return err
}

func payload(t *testing.T, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDoubtfulRecords(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	in := question()
	binding := Binding(in)
	asked := Record{Kind: palisade.EventAsked, Data: payload(t, newQuestion("t1", "run1", now, now.Add(time.Hour), binding, in))}
	answer := func(edit func(*answered)) Record {
		a := answered{Ticket: "t1", Binding: binding, Approve: true, Approver: "uid:2000", Expires: now.Add(time.Hour)}
		if edit != nil {
			edit(&a)
		}
		return Record{Kind: palisade.EventAnswered, Data: payload(t, a)}
	}
	spent := Record{Kind: palisade.EventConsumed, Data: payload(t, consumed{"t1", binding})}
	other := Record{Kind: palisade.EventAnswered, Data: payload(t, answered{Ticket: "t9", Approve: true, Approver: "x"})}
	cases := []struct {
		name    string
		log     records
		granted bool
		fails   bool
	}{
		{"nothing", nil, false, false},
		{"asked", records{asked}, false, false},
		{"granted", records{asked, answer(nil)}, true, false},
		{"spent", records{asked, answer(nil), spent}, false, false},
		{"the question's text is gone", records{{Kind: palisade.EventAsked}, answer(nil)}, false, false},
		{"the answer's text is gone", records{asked, {Kind: palisade.EventAnswered}}, false, false},
		{"the consumption's text is gone", records{asked, answer(nil), {Kind: palisade.EventConsumed}}, false, false},
		{"an answer before the question", records{answer(nil), asked}, false, false},
		{"an answer to another binding", records{asked, answer(func(a *answered) { a.Binding[0]++ })}, false, false},
		{"an answer to another question", records{asked, other}, false, false},
		{"yes after no", records{asked, answer(func(a *answered) { a.Approve = false }), answer(nil)}, false, false},
		{"an answer out of time", records{asked, answer(func(a *answered) { a.Expires = now })}, false, false},
		{"an answer by nobody", records{asked, answer(func(a *answered) { a.Approver = "" })}, false, false},
		{"an answer by the submitter", records{asked, answer(func(a *answered) { a.Approver = "uid:1000" })}, false, false},
		{"nonsense", records{{Kind: palisade.EventAsked, Data: json.RawMessage(`{`)}}, false, true},
		{"a ticket twice", records{asked, asked}, false, true},
	}
	for _, c := range cases {
		q, err := New(Config{Store: c.log, Now: func() time.Time { return now }, NewTicket: func() string { return "new" }, Escape: func(s string) string { return s }})
		if err != nil {
			t.Fatal(err)
		}
		a, err := q.Take(context.Background(), "run2", in)
		if a.Granted != c.granted || (err != nil) != c.fails {
			t.Errorf("%s: %+v %v", c.name, a, err)
		}
	}
}

func TestAnotherLogIsReadAnew(t *testing.T) {
	now := time.Now()
	in := question()
	binding := Binding(in)
	full := records{
		{Kind: palisade.EventAsked, Data: payload(t, newQuestion("t1", "r", now, now.Add(time.Hour), binding, in))},
		{Kind: palisade.EventAnswered, Data: payload(t, answered{Ticket: "t1", Binding: binding, Approve: true, Approver: "uid:2", Expires: now.Add(time.Hour)})},
	}
	store := &switching{full}
	q, err := New(Config{Store: store, Now: func() time.Time { return now }, NewTicket: func() string { return "new" }, Escape: func(s string) string { return s }})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := q.Take(context.Background(), "r", in); err != nil || !a.Granted {
		t.Fatal(a, err)
	}
	store.log = full[:1]
	if a, err := q.Take(context.Background(), "r", in); err != nil || a.Granted {
		t.Fatal(a, err)
	}
}

type switching struct{ log records }

func (s *switching) Update(ctx context.Context, f func(View) ([]palisade.Event, error)) error {
	return s.log.Update(ctx, f)
}

func TestAFailingLogGrantsNothing(t *testing.T) {
	broken := errors.New("disk")
	q, err := New(Config{Store: failing{broken}, Now: time.Now, NewTicket: func() string { return "new" }, Escape: func(s string) string { return s }})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := q.Take(context.Background(), "r", question()); !errors.Is(err, broken) || a.Granted || a.Ticket != "" {
		t.Error(a, err)
	}
}

// failing appends nothing: f's events are lost with the disk.
type failing struct{ err error }

func (s failing) Update(_ context.Context, f func(View) ([]palisade.Event, error)) error {
	_, _ = f(records(nil))
	return s.err
}

func TestOldQuestionsAreForgotten(t *testing.T) {
	s := newState()
	start := time.Now()
	var log records
	for i := range maxRemembered + 10 {
		at := start.Add(time.Duration(i) * time.Minute)
		h := header{Ticket: at.String(), Asked: at, Expires: at.Add(time.Hour)}
		h.Binding[0], h.Binding[1] = byte(i), byte(i>>8)
		log = append(log, Record{Kind: palisade.EventAsked, Time: at, Data: payload(t, h)})
	}
	if err := s.follow(log); err != nil {
		t.Fatal(err)
	}
	if len(s.byTicket) > maxRemembered || len(s.byTicket) < 60 || len(s.byBinding) != len(s.byTicket) {
		t.Errorf("%d questions are remembered, %d bindings", len(s.byTicket), len(s.byBinding))
	}
	if s.byTicket[start.Add((maxRemembered+9)*time.Minute).String()] == nil {
		t.Error("the newest was forgotten")
	}
}
