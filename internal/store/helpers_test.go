package store

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
	"palisade/internal/audit"
)

// ledger is the real log, as the index follows it.
type ledger struct{ *audit.Log }

func (l ledger) Snapshot(ctx context.Context) (View, error) {
	v, err := l.Log.Snapshot(ctx)
	return ledgerView{v}, err
}

func (l ledger) Append(ctx context.Context, e palisade.Event) error {
	return l.Log.Append(ctx, true, e)
}

type ledgerView struct{ audit.View }

func (v ledgerView) Origin() string { return v.Head().Origin }
func (v ledgerView) RootAt(size int64) (string, error) {
	root, err := v.View.RootAt(size)
	return root.String(), err
}

func (v ledgerView) Records(from int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range v.View.Records(from) {
			if !yield(Record{r.Index, r.Run, r.Kind, r.Time, r.Size, r.Data}, err) {
				return
			}
		}
	}
}

// clock is set by hand; every look takes a millisecond.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Millisecond)
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// bench is a log with its index.
type bench struct {
	t     testing.TB
	home  string
	clock *clock
	log   *audit.Log
	c     Config
	s     *Store
}

// both runs a test over SQLite and over PostgreSQL.
func both(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newBench(t, "")) })
	t.Run("postgres", func(t *testing.T) { test(t, newBench(t, postgres(t))) })
}

func newBench(t testing.TB, dsn string) *bench {
	t.Helper()
	b := &bench{t: t, home: t.TempDir(), clock: &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	b.log = b.openLog()
	b.c = Config{File: filepath.Join(b.home, "index", "index.db"), DSN: dsn, Log: ledger{b.log}, Now: b.clock.now}
	b.s = b.open()
	return b
}

func (b *bench) openLog() *audit.Log {
	b.t.Helper()
	l, err := audit.Open(b.t.Context(), audit.Config{Dir: filepath.Join(b.home, "log"), KeyFile: filepath.Join(b.home, "keys", "log.key"), Now: b.clock.now})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { l.Close() })
	return l
}

func (b *bench) open() *Store {
	b.t.Helper()
	s, err := Open(b.t.Context(), b.c)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { s.Close() })
	return s
}

// put appends an event.
func (b *bench) put(run string, kind palisade.EventKind, data any) {
	b.t.Helper()
	if err := b.log.Append(b.t.Context(), false, palisade.Event{Run: run, Kind: kind, Time: b.clock.now(), Data: data}); err != nil {
		b.t.Fatal(err)
	}
}

// submission is one with something in every field that the index reads.
func submission(tenant, submitter string) palisade.Submission {
	return palisade.Submission{
		Tenant: tenant, Submitter: submitter, Door: "http", Profile: "data", Prompt: "secret prompt", Conversation: "talk-1", Stdin: []byte("secret stdin"),
		Program: palisade.Program{Language: palisade.Python, Name: "main.py", Source: []byte("secret = 'code'")},
	}
}

// run puts a whole run on the log: received to outcome.
func (b *bench) run(id, tenant, submitter string, status palisade.Status) {
	b.t.Helper()
	b.put(id, palisade.EventReceived, submission(tenant, submitter))
	b.put(id, palisade.EventInspected, palisade.Inspection{Score: 7})
	b.finish(id, status)
}

// finish puts the rest of a run on the log.
func (b *bench) finish(id string, status palisade.Status) {
	b.t.Helper()
	ran := !slices.Contains([]palisade.Status{palisade.PolicyViolation, palisade.ApprovalRequired, palisade.Refused}, status)
	decision := palisade.Allow
	switch status {
	case palisade.PolicyViolation:
		decision = palisade.Deny
	case palisade.ApprovalRequired:
		decision = palisade.Ask
	}
	b.put(id, palisade.EventDecided, palisade.Verdict{Decision: decision, Profile: "data"})
	if ran {
		b.put(id, palisade.EventStarted, palisade.Ready{Backend: "gvisor"})
		b.put(id, palisade.EventFinished, palisade.Result{Status: status})
	}
	out := palisade.Outcome{Run: id, Decision: decision, Status: status, MayHaveRun: ran, Sandbox: palisade.SandboxReport{Profile: "data"}}
	out.Output = "secret output"
	out.Complete()
	b.put(id, palisade.EventOutcome, out)
}

// ask puts a question of a run on the log, in the form of package approval.
func (b *bench) ask(run, ticket, submitter string, expires time.Time) {
	b.put(run, palisade.EventAsked, map[string]any{
		"ticket": ticket, "run": run, "digest": "ab", "submitter": submitter, "severity": "high", "asked": b.clock.now(), "expires": expires, "title": "secret title",
	})
}

// who is a caller with roles in a tenant.
type who struct {
	tenant, name string
	roles        []string
}

func (w who) TenantName() string { return w.tenant }
func (w who) Identity() string   { return w.name }
func (w who) Holds(role, tenant string) bool {
	return slices.Contains(w.roles, role) && (tenant == w.tenant || w.tenant == "system" && role != roleSubmitter)
}

func auditor(tenant string) who { return who{tenant, "user:auditor", []string{roleAuditor}} }
func submitter(tenant, name string) who {
	return who{tenant, name, []string{roleSubmitter}}
}

// all is the operator's auditor.
var all = auditor("system")

func (b *bench) ids(c Caller, f RunFilter) []string {
	b.t.Helper()
	p, err := b.s.Runs(b.t.Context(), c, f)
	if err != nil {
		b.t.Fatal(err)
	}
	ids := []string{}
	for _, r := range p.Items {
		ids = append(ids, r.ID)
	}
	return ids
}

// equal rebuilds the index and expects the same rows.
func (b *bench) equal() {
	b.t.Helper()
	r, err := b.s.Rebuild(b.t.Context())
	if err != nil || !r.Compared || len(r.Differences) > 0 {
		b.t.Errorf("rebuild: %+v, %v", r, err)
	}
}

// dump is everything that the database holds, as text.
func (b *bench) dump() string {
	b.t.Helper()
	all := map[string][][]string{}
	for _, t := range tables {
		rows, err := b.s.db.QueryContext(b.t.Context(), "SELECT "+t.columns+" FROM "+t.name+" ORDER BY "+t.order)
		if err != nil {
			b.t.Fatal(err)
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			values := make([]string, len(columns))
			into := make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				b.t.Fatal(err)
			}
			all[t.name] = append(all[t.name], values)
		}
		rows.Close()
	}
	text, _ := json.Marshal(all)
	return string(text)
}

var numbers atomic.Int64

func newID() string { return fmt.Sprintf("run%06d", numbers.Add(1)) }
