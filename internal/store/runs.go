package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"palisade"
)

// Run is what the index knows of one run. Names in it are foreign text.
type Run struct {
	ID      string    `json:"run"`
	First   int64     `json:"first"` // index of its first entry
	Last    int64     `json:"last"`
	Entries int64     `json:"entries"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"` // of its last entry
	// Tenant is empty where the record of it was forgotten; only those who see
	// every tenant see such a run.
	Tenant       string `json:"tenant"`
	Submitter    string `json:"submitter"`
	Door         string `json:"door"`
	Profile      string `json:"profile"`
	Language     string `json:"language"`
	Program      string `json:"program"` // its name
	Conversation string `json:"conversation,omitempty"`
	Decision     string `json:"decision,omitempty"`
	Status       string `json:"status,omitempty"` // of the outcome, or rejected or failed; empty while it runs
	Score        int64  `json:"score"`
	Ticket       string `json:"ticket,omitempty"` // of the question that was asked, or spent
	Started      bool   `json:"started"`          // a box was told to start, or may have been
	MayHaveRun   bool   `json:"may_have_run"`     // once complete: whether a byte of it may have been executed
	Complete     bool   `json:"complete"`         // has an end on the record
}

const runColumns = "run, first, last, entries, began, ended, tenant, submitter, door, profile, language, program, conversation, " +
	"decision, status, score, ticket, started, may_have_run, complete"

func (r *Run) row() []any {
	return []any{
		r.ID, r.First, r.Last, r.Entries, nanos(r.Began), nanos(r.Ended), r.Tenant, r.Submitter, r.Door, r.Profile, r.Language,
		r.Program, r.Conversation, r.Decision, r.Status, r.Score, r.Ticket, flag(r.Started), flag(r.MayHaveRun), flag(r.Complete),
	}
}

func scanRun(rows *sql.Rows) (r Run, err error) {
	var began, ended, started, mayHaveRun, complete int64
	err = rows.Scan(&r.ID, &r.First, &r.Last, &r.Entries, &began, &ended, &r.Tenant, &r.Submitter, &r.Door, &r.Profile, &r.Language,
		&r.Program, &r.Conversation, &r.Decision, &r.Status, &r.Score, &r.Ticket, &started, &mayHaveRun, &complete)
	r.Began, r.Ended = moment(began), moment(ended)
	r.Started, r.MayHaveRun, r.Complete = started == 1, mayHaveRun == 1, complete == 1
	return r, err
}

// selectRuns returns runs, the newest first.
func (s *Store) selectRuns(ctx context.Context, q querier, where string, args []any, limit int) ([]Run, error) {
	rows, err := q.QueryContext(ctx, s.sql("SELECT "+runColumns+" FROM runs WHERE "+where+" ORDER BY first DESC LIMIT "+strconv.Itoa(limit)), args...)
	return collect(rows, err, scanRun)
}

// RunFilter chooses runs. Empty fields choose all that the caller may see.
type RunFilter struct {
	Tenant       string
	Submitter    string
	Door         string
	Profile      string
	Language     string
	Conversation string
	Decision     string
	Status       string    // "running": those that have no end yet
	Since, Until time.Time // of the run's first entry; Until is exclusive
	// Limit is the size of a page. Zero: 50; at most 1,000.
	Limit int
	// After is the cursor of the page before.
	After string
}

// Page is a part of a list. Next is the cursor of what follows, empty at the end.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

// Running is what a filter calls the status of runs without an end.
const Running = "running"

// runScope is what the caller may see of runs: an approver, those that a human is
// or was asked about.
func runScope(c Caller) (*clause, error) {
	return scope(c, "ticket <> ''", roleAuditor, roleAdmin)
}

// Run returns one run that the caller may see.
func (s *Store) Run(ctx context.Context, c Caller, id string) (Run, error) {
	q, err := runScope(c)
	if err != nil {
		return Run{}, err
	}
	if err := s.Sync(ctx); err != nil {
		return Run{}, err
	}
	q.and("run = ?", word(id))
	return one(s.selectRuns(ctx, s.db, q.String(), q.args, 1))
}

// Runs lists runs that the caller may see, the newest first.
func (s *Store) Runs(ctx context.Context, c Caller, f RunFilter) (Page[Run], error) {
	q, err := runScope(c)
	if err != nil {
		return Page[Run]{}, err
	}
	for _, w := range [][2]string{
		{"tenant", f.Tenant},
		{"submitter", f.Submitter},
		{"door", f.Door},
		{"profile", f.Profile},
		{"language", f.Language},
		{"conversation", f.Conversation},
		{"decision", f.Decision},
	} {
		q.eq(w[0], w[1])
	}
	if f.Status == Running {
		q.and("complete = 0")
	} else {
		q.eq("status", f.Status)
	}
	if !f.Since.IsZero() {
		q.and("began >= ?", nanos(f.Since))
	}
	if !f.Until.IsZero() {
		q.and("began < ?", nanos(f.Until))
	}
	return page(ctx, s, q, "first", f.After, f.Limit, func(limit int) ([]Run, error) {
		return s.selectRuns(ctx, s.db, q.String(), q.args, limit)
	}, func(r Run) int64 { return r.First })
}

// page reads one page of a list that is ordered by an entry's index, the highest
// first, and does not move when entries are added.
func page[T any](ctx context.Context, s *Store, q *clause, column, after string, limit int, read func(limit int) ([]T, error), at func(T) int64) (Page[T], error) {
	if limit <= 0 {
		limit = 50
	}
	limit = min(limit, 1000)
	if after != "" {
		index, err := cursor(after)
		if err != nil {
			return Page[T]{}, err
		}
		q.and(column+" < ?", index)
	}
	if err := s.Sync(ctx); err != nil {
		return Page[T]{}, err
	}
	items, err := read(limit + 1)
	if err != nil {
		return Page[T]{}, err
	}
	p := Page[T]{Items: items}
	if len(items) > limit {
		p.Items = items[:limit]
		p.Next = cursorAt(at(p.Items[limit-1]))
	}
	if p.Items == nil {
		p.Items = []T{}
	}
	return p, nil
}

// A cursor names an entry's index; it holds for one list with any filter.
const cursorMark = "p1."

func cursorAt(index int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + strconv.FormatInt(index, 10)))
}

func cursor(text string) (int64, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	number, marked := strings.CutPrefix(string(raw), cursorMark)
	index, bad := strconv.ParseInt(number, 10, 64)
	if err != nil || bad != nil || !marked || index < 0 || cursorAt(index) != text {
		return 0, ErrCursor
	}
	return index, nil
}

func one[T any](found []T, err error) (T, error) {
	var none T
	switch {
	case err != nil:
		return none, err
	case len(found) == 0:
		return none, ErrNotFound
	}
	return found[0], nil
}

// Event is one step on the record. Its payload is in the log, at Index.
type Event struct {
	Index int64     `json:"index"`
	Run   string    `json:"run,omitempty"`
	Kind  string    `json:"kind"`
	Time  time.Time `json:"time"`
	Size  int64     `json:"size"` // bytes of the payload
}

// Events returns the steps of a run that the caller may see, in order.
func (s *Store) Events(ctx context.Context, c Caller, run string) ([]Event, error) {
	if _, err := s.Run(ctx, c, run); err != nil {
		return nil, err
	}
	rows, err := s.selectEvents(ctx, s.db, "run = ?", word(run))
	if err != nil {
		return nil, err
	}
	all := make([]Event, 0, len(rows))
	for _, e := range rows {
		all = append(all, Event{e.index, e.run, e.kind, moment(e.at), e.size})
	}
	return all, nil
}

// Unfinished returns runs without an end on the record, of all tenants, that
// came in through one of the doors, oldest first; and requests that were claimed
// and never taken in. After a crash they are what nobody works on any more: see
// Interrupted. Whoever calls this must know that no other process runs them.
func (s *Store) Unfinished(ctx context.Context, doors ...string) ([]Run, error) {
	if err := s.Sync(ctx); err != nil {
		return nil, err
	}
	q := &clause{}
	q.and("complete = 0")
	q.and("door IN (''"+strings.Repeat(", ?", len(doors))+")", words(doors)...)
	rows, err := s.db.QueryContext(ctx, s.sql("SELECT "+runColumns+" FROM runs WHERE "+q.String()+" ORDER BY first"), q.args...)
	return collect(rows, err, scanRun)
}

func words(list []string) []any {
	var out []any
	for _, text := range list {
		out = append(out, word(text))
	}
	return out
}

// Interrupted is the end to put on the record for a run that nobody works on any
// more. Whether it may have run is what the record says: no program starts
// before that it does is on it.
func Interrupted(r Run, now time.Time) (palisade.Event, error) {
	if r.Complete {
		return palisade.Event{}, errors.New("the run has an end")
	}
	o := palisade.Outcome{Run: r.ID, Status: palisade.Interrupted, MayHaveRun: r.Started, ExitCode: -1}
	var d palisade.Decision
	if r.Decision != "" {
		if err := d.UnmarshalText([]byte(r.Decision)); err != nil {
			return palisade.Event{}, fmt.Errorf("run %s: %w", r.ID, err)
		}
		o.Decision = d
	}
	o.Sandbox.Profile = r.Profile
	next := "it did not run: submit it again"
	if r.Started {
		next = "it may have run: look at what it could have changed before you submit it again"
	}
	o.Feedback = palisade.Feedback{Type: palisade.Interrupted, Text: "the gate stopped while this program was on its way", Next: []string{next}}
	o.Complete()
	return palisade.Event{Run: r.ID, Kind: palisade.EventOutcome, Time: now, Data: o}, nil
}
