package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
	"palisade/internal/audit"
)

// logStore is a real log as a Store.
type logStore struct{ log *audit.Log }

func (s logStore) Update(ctx context.Context, f func(View) ([]palisade.Event, error)) error {
	return s.log.Update(ctx, func(v audit.View) ([]palisade.Event, error) { return f(logView{v}) })
}

type logView struct{ audit.View }

func (v logView) Records(from int64, kinds ...palisade.EventKind) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range v.View.Records(from, kinds...) {
			if !yield(Record{Index: r.Index, Run: r.Run, Kind: r.Kind, Time: r.Time, Data: r.Data}, err) {
				return
			}
		}
	}
}

// bench is a log in a folder, a clock that stands still, and tickets that count.
type bench struct {
	t       *testing.T
	dir     string
	now     atomic.Int64
	tickets *atomic.Int64
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, dir: t.TempDir(), tickets: &atomic.Int64{}}
	b.now.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	return b
}

func (b *bench) time() time.Time         { return time.Unix(0, b.now.Load()).UTC() }
func (b *bench) advance(d time.Duration) { b.now.Add(int64(d)) }
func (b *bench) queue(c Config) *Queue   { q, _ := b.open(c); return q }
func (b *bench) open(c Config) (*Queue, *audit.Log) {
	b.t.Helper()
	log, err := audit.Open(context.Background(), audit.Config{
		Dir: filepath.Join(b.dir, "log"), KeyFile: filepath.Join(b.dir, "key"), Now: b.time,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = log.Close() })
	c.Store, c.Now, c.Escape = logStore{log}, b.time, strconv.Quote
	c.NewTicket = func() string { return fmt.Sprintf("t%d", b.tickets.Add(1)) }
	q, err := New(c)
	if err != nil {
		b.t.Fatal(err)
	}
	return q, log
}

func question(edit ...func(*palisade.Question)) palisade.Question {
	q := palisade.Question{
		Case: palisade.Case{Submission: palisade.Submission{
			Submitter: "uid:1000", Door: "cli", Prompt: "load the table",
			Program: palisade.Program{Language: palisade.Python, Name: "program.py", Source: []byte("import pickle\nprint(pickle.load(open('t', 'rb')))\n")},
			Files:   []palisade.File{{Name: "t", Data: []byte("\x80\x04")}},
		}},
		Verdict: palisade.Verdict{
			Decision: palisade.Ask, Policy: "profiles.data.capabilities.deserialize", Profile: "data", PolicyVersion: "data@1",
			Reasons: []palisade.Reason{{
				Finding: palisade.Finding{
					Rule: "py-deserialize", Severity: palisade.Medium, Capability: palisade.CapDeserialize, Message: "loads a pickle",
					File: "program.py", Line: 2, Symbol: "pickle.load", Evidence: "pickle.load",
				},
				Decision: palisade.Ask, Policy: "profiles.data.capabilities.deserialize",
			}},
			Limits:    palisade.Limits{CPU: time.Second, Memory: 512 << 20},
			Isolation: palisade.Isolation{Backends: []string{"gvisor"}},
		},
		Image: "python3.11 sha256:1",
	}
	for _, f := range edit {
		f(&q)
	}
	return q
}

func take(t *testing.T, q *Queue, run string, in palisade.Question) palisade.Approval {
	t.Helper()
	a, err := q.Take(context.Background(), run, in)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (b *bench) approve(q *Queue, a palisade.Approval) {
	b.t.Helper()
	if _, err := q.Answer(context.Background(), Decision{Ticket: a.Ticket, Digest: a.Binding.String()[:8], Approver: "uid:2000", Approve: true}); err != nil {
		b.t.Fatal(err)
	}
}

func TestAnswersThatAreRefused(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{Approvers: []string{"uid:2000", "uid:1000"}})
	a := take(t, q, "run1", question())
	grave := take(t, q, "run2", question(func(q *palisade.Question) {
		q.Case.Submission.Prompt = "other"
		q.Verdict.Reasons[0].Finding.Severity = palisade.High
	}))
	digest := a.Binding.String()
	good := Decision{Ticket: a.Ticket, Digest: digest[:8], Approver: "uid:2000", Approve: true}
	cases := []struct {
		name string
		edit func(*Decision)
		want error
	}{
		{"unknown ticket", func(d *Decision) { d.Ticket = "t99" }, ErrUnknown},
		{"no ticket", func(d *Decision) { d.Ticket = "" }, ErrUnknown},
		{"no digest", func(d *Decision) { d.Digest = "" }, ErrDigest},
		{"short digest", func(d *Decision) { d.Digest = digest[:7] }, ErrDigest},
		{"other digest", func(d *Decision) { d.Digest = grave.Binding.String() }, ErrDigest},
		{"digest and more", func(d *Decision) { d.Digest = digest + "00" }, ErrDigest},
		{"self", func(d *Decision) { d.Approver = "uid:1000" }, ErrSelf},
		{"self under another name", func(d *Decision) { d.Also = []string{"uid:1000"} }, ErrSelf},
		{"nobody", func(d *Decision) { d.Approver = "" }, ErrNotApprover},
		{"not an approver", func(d *Decision) { d.Approver = "uid:3000" }, ErrNotApprover},
		{"a stranger's no", func(d *Decision) { d.Approver, d.Approve = "uid:3000", false }, ErrNotApprover},
		{"no comment", func(d *Decision) { d.Ticket, d.Digest = grave.Ticket, grave.Binding.String() }, ErrComment},
		{"blank comment", func(d *Decision) { d.Ticket, d.Digest, d.Comment = grave.Ticket, grave.Binding.String(), " \n" }, ErrComment},
		{"long comment", func(d *Decision) { d.Comment = strings.Repeat("x", maxComment+1) }, nil},
	}
	for _, c := range cases {
		d := good
		c.edit(&d)
		if _, err := q.Answer(context.Background(), d); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if a := take(t, q, "run3", question()); a.Granted || a.Denied {
		t.Errorf("a refused answer counted: %+v", a)
	}
	d := good
	d.Digest = strings.ToUpper(digest)
	if _, err := q.Answer(context.Background(), d); err != nil {
		t.Errorf("the whole digest in capitals: %v", err)
	}
	if _, err := q.Answer(context.Background(), good); !errors.Is(err, ErrAnswered) {
		t.Errorf("a second answer: %v", err)
	}
	if _, err := q.Answer(context.Background(), Decision{Ticket: grave.Ticket, Digest: grave.Binding.String(), Approver: "uid:2000", Approve: true, Comment: "seen"}); err != nil {
		t.Error(err)
	}
}

func TestApprovalIsUsedOnce(t *testing.T) {
	b := newBench(t)
	q, log := b.open(Config{})
	first := take(t, q, "run1", question())
	if first.Granted || first.Ticket == "" || first.Binding != Binding(question()) || !first.Expires.Equal(b.time().Add(time.Hour)) {
		t.Fatalf("%+v", first)
	}
	if again := take(t, q, "run2", question()); again.Ticket != first.Ticket || again.Granted {
		t.Errorf("the same question stands twice: %+v", again)
	}
	b.approve(q, first)
	other := question(func(q *palisade.Question) { q.Case.Submission.Program.Source = []byte("import os\n") })
	if a := take(t, q, "run3", other); a.Granted || a.Ticket == first.Ticket {
		t.Errorf("an approval holds for another program: %+v", a)
	}
	used := take(t, q, "run4", question())
	if !used.Granted || used.Approver != "uid:2000" || used.Self || used.Ticket != first.Ticket {
		t.Fatalf("%+v", used)
	}
	if a := take(t, q, "run5", question()); a.Granted || a.Ticket == first.Ticket {
		t.Errorf("an approval was used twice: %+v", a)
	}
	if _, err := q.Answer(context.Background(), Decision{Ticket: first.Ticket, Digest: first.Binding.String(), Approver: "uid:2000", Approve: true}); !errors.Is(err, ErrAnswered) {
		t.Error(err)
	}
	// The record tells all of it.
	var got []string
	err := log.Update(context.Background(), func(v audit.View) ([]palisade.Event, error) {
		for r, err := range v.Records(0, palisade.EventAsked, palisade.EventAnswered, palisade.EventConsumed) {
			if err != nil {
				return nil, err
			}
			var h struct{ Ticket string }
			if err := json.Unmarshal(r.Data, &h); err != nil {
				return nil, err
			}
			got = append(got, fmt.Sprintf("%s %s %s", r.Run, r.Kind, h.Ticket))
		}
		return nil, nil
	})
	want := "run1 asked t1|run1 answered t1|run3 asked t2|run4 consumed t1|run5 asked t3"
	if err != nil || strings.Join(got, "|") != want {
		t.Errorf("%v\n got %s\nwant %s", err, strings.Join(got, "|"), want)
	}
}

// TestOneOfManyConsumes has two processes' logs on one folder and many
// goroutines want the same approval.
func TestOneOfManyConsumes(t *testing.T) {
	b := newBench(t)
	queues := []*Queue{b.queue(Config{}), b.queue(Config{}), b.queue(Config{})}
	for round := range 5 {
		in := question(func(q *palisade.Question) { q.Image = fmt.Sprint(round) })
		b.approve(queues[round%3], take(t, queues[0], "ask", in))
		var granted atomic.Int64
		var wg sync.WaitGroup
		for i := range 24 {
			wg.Go(func() {
				a, err := queues[i%3].Take(context.Background(), fmt.Sprint("run", i), in)
				if err != nil {
					t.Error(err)
				}
				if a.Granted {
					granted.Add(1)
				}
			})
		}
		wg.Wait()
		if granted.Load() != 1 {
			t.Fatalf("%d runs consumed one approval", granted.Load())
		}
	}
}

func TestExpiry(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{Expiry: time.Minute})
	first := take(t, q, "run1", question())
	b.advance(time.Minute)
	if _, err := q.Answer(context.Background(), Decision{Ticket: first.Ticket, Digest: first.Binding.String(), Approver: "uid:2000", Approve: true}); !errors.Is(err, ErrExpired) {
		t.Error(err)
	}
	second := take(t, q, "run2", question())
	if second.Ticket == first.Ticket {
		t.Error("an expired question still stands")
	}
	b.advance(59 * time.Second)
	b.approve(q, second)
	b.advance(59 * time.Second)
	if a := take(t, q, "run3", question()); !a.Granted {
		t.Errorf("an answer must be usable for as long as a question waits: %+v", a)
	}
	third := take(t, q, "run4", question())
	b.approve(q, third)
	b.advance(time.Minute)
	if a := take(t, q, "run5", question()); a.Granted {
		t.Error("an answer was used after its time")
	}
	for _, bad := range []time.Duration{-1, 8 * 24 * time.Hour} {
		if _, err := New(Config{Store: logStore{}, Now: b.time, NewTicket: func() string { return "" }, Escape: strconv.Quote, Expiry: bad}); err == nil {
			t.Errorf("expiry %s was taken", bad)
		}
	}
}

func TestDenialStands(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{})
	first := take(t, q, "run1", question())
	if _, err := q.Answer(context.Background(), Decision{Ticket: first.Ticket, Digest: first.Binding.String(), Approver: "uid:2000", Comment: "no"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if a := take(t, q, "again", question()); !a.Denied || a.Granted || a.Ticket != first.Ticket || a.Comment != "no" {
			t.Fatalf("%+v", a)
		}
	}
	b.advance(time.Hour)
	if a := take(t, q, "later", question()); a.Denied || a.Ticket == first.Ticket {
		t.Errorf("a denial outlives its time: %+v", a)
	}
}

func TestStateSurvivesARestart(t *testing.T) {
	b := newBench(t)
	q, log := b.open(Config{})
	pending, granted, spent := question(), question(), question()
	granted.Image, spent.Image = "granted", "spent"
	p, g, s := take(t, q, "run1", pending), take(t, q, "run2", granted), take(t, q, "run3", spent)
	b.approve(q, g)
	b.approve(q, s)
	take(t, q, "run4", spent)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	q = b.queue(Config{})
	if a := take(t, q, "run5", spent); a.Granted {
		t.Error("a spent approval came back")
	}
	if a := take(t, q, "run6", granted); !a.Granted {
		t.Error("a granted approval was lost")
	}
	if a := take(t, q, "run7", pending); a.Ticket != p.Ticket {
		t.Error("a waiting question was lost")
	}
}

func TestSelfApproval(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{Self: true})
	a := take(t, q, "run1", question())
	self := Decision{Ticket: a.Ticket, Digest: a.Binding.String(), Approver: "uid:1000", Approve: true}
	if got, err := q.Answer(context.Background(), self); err != nil || !got.Self {
		t.Fatal(got, err)
	}
	// The configuration became stricter: the answer does not count any more.
	if a := take(t, b.queue(Config{}), "run2", question()); a.Granted {
		t.Error("a self-approval was used where it is not allowed")
	}
	a = take(t, q, "run3", question())
	self.Ticket, self.Digest = a.Ticket, a.Binding.String()
	if _, err := q.Answer(context.Background(), self); err != nil {
		t.Fatal(err)
	}
	if a := take(t, q, "run4", question()); !a.Granted || !a.Self || a.Approver != "uid:1000" {
		t.Errorf("the outcome must show a self-approval: %+v", a)
	}
	// A submitter may withdraw their own question.
	strict := b.queue(Config{})
	a = take(t, strict, "run5", question())
	if _, err := strict.Answer(context.Background(), Decision{Ticket: a.Ticket, Digest: a.Binding.String(), Approver: "uid:1000"}); err != nil {
		t.Error(err)
	}
}

// TestUnvouched: whoever comes from a user namespace is nobody's other, on either
// side of a question, whatever configuration says.
func TestUnvouched(t *testing.T) {
	b := newBench(t)
	for name, q := range map[string]*Queue{"plain": b.queue(Config{}), "self": b.queue(Config{Self: true})} {
		for _, c := range []struct{ submitter, approver string }{
			{"uid:1000", Unvouched + "uid:0"}, {Unvouched + "uid:0", "uid:1000"}, {Unvouched + "uid:0", Unvouched + "uid:5"}, {Unvouched + "uid:0", Unvouched + "uid:0"},
		} {
			a := take(t, q, "run", question(func(q *palisade.Question) {
				q.Case.Submission.Submitter, q.Image = c.submitter, name+c.approver
			}))
			d := Decision{Ticket: a.Ticket, Digest: a.Binding.String(), Approver: c.approver, Approve: true, Comment: "yes"}
			if _, err := q.Answer(context.Background(), d); !errors.Is(err, ErrUnvouched) {
				t.Errorf("%s: %s approves for %s: %v", name, c.approver, c.submitter, err)
			}
		}
	}
}

func TestTooManyQuestions(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{})
	ask := func(i int, who string, tenant ...string) error {
		_, err := q.Take(context.Background(), "run", question(func(q *palisade.Question) {
			q.Image, q.Case.Submission.Submitter, q.Case.Submission.Tenant = fmt.Sprint(i), who, strings.Join(tenant, "")
		}))
		return err
	}
	for i := range maxWaiting {
		if err := ask(i, "uid:1000"); err != nil {
			t.Fatal(err)
		}
	}
	err := ask(maxWaiting, "uid:1000")
	if !errors.Is(err, ErrWaiting) {
		t.Error(err)
	}
	// It ends one program of a batch, not the batch.
	if invalid := (*palisade.InputError)(nil); !errors.As(err, &invalid) || !strings.Contains(invalid.Reason, "200") {
		t.Errorf("no complaint about the submission: %v", err)
	}
	if err := ask(0, "uid:1001"); err != nil {
		t.Errorf("one submitter blocks another: %v", err)
	}
	if err := ask(0, "uid:1000", "other"); err != nil {
		t.Errorf("one tenant blocks a namesake in another: %v", err)
	}
	b.advance(time.Hour)
	if err := ask(maxWaiting, "uid:1000"); err != nil {
		t.Error(err)
	}
}

func TestNewRefusesMissingParts(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("a queue without parts was made")
	}
}
