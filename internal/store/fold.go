package store

import (
	"cmp"
	"context"
	"database/sql"
	"log/slog"
	"strings"
	"time"

	"palisade"
)

// event is a row of the table of events.
type event struct {
	index int64
	run   string
	kind  string
	at    int64
	size  int64
	facts string
}

// fold takes one more event into a run. Where its payload is gone, doubt means
// that the program may have run.
func (r *Run) fold(e event, f facts, known bool) {
	if r.Entries == 0 {
		r.ID, r.First, r.Began = e.run, e.index, moment(e.at)
	}
	r.Last, r.Ended = e.index, moment(e.at)
	r.Entries++
	switch kind := palisade.EventKind(e.kind); kind {
	case kindClaimed:
		r.Tenant, r.Submitter = cmp.Or(r.Tenant, f.Tenant), cmp.Or(r.Submitter, f.Submitter)
	case palisade.EventReceived:
		r.Tenant, r.Submitter, r.Door = cmp.Or(f.Tenant, r.Tenant), cmp.Or(f.Submitter, r.Submitter), f.Door
		r.Profile, r.Language, r.Program, r.Conversation = f.Profile, f.Language, f.Program, f.Conversation
	case palisade.EventInspected:
		r.Score = f.Score
	case palisade.EventDecided:
		r.Decision, r.Profile = f.Decision, cmp.Or(f.Profile, r.Profile)
	case palisade.EventAsked, palisade.EventConsumed:
		r.Ticket = cmp.Or(f.Ticket, r.Ticket)
	case palisade.EventStarted:
		r.Started = !known || !f.Refused
	case palisade.EventOutcome:
		r.Complete, r.MayHaveRun = true, f.MayHaveRun || !known && r.Started
		r.Decision, r.Status, r.Profile = cmp.Or(f.Decision, r.Decision), f.Status, cmp.Or(f.Profile, r.Profile)
		r.Ticket = cmp.Or(f.Ticket, r.Ticket)
	case palisade.EventRejected, palisade.EventFailed:
		r.Complete, r.MayHaveRun, r.Status = true, r.Started, string(kind)
	}
}

// batch applies entries within one transaction.
type batch struct {
	s      *Store
	tx     *sql.Tx
	runs   map[string]*Run // those that were touched
	events []event
}

func (s *Store) newBatch(tx *sql.Tx) *batch { return &batch{s: s, tx: tx, runs: map[string]*Run{}} }

// add applies one entry; flush writes what add kept.
func (b *batch) add(ctx context.Context, r Record) error {
	f, known, err := factsOf(r)
	if err != nil { // a payload of an odd form tells as little as none
		b.s.c.Logger.Warn("index: a payload does not read", slog.Int64("entry", r.Index), slog.String("kind", string(r.Kind)))
		f, known = facts{}, false
	}
	e := event{index: r.Index, run: r.Run, kind: string(r.Kind), at: nanos(r.Time), size: r.Size}
	if known {
		if e.facts, err = f.encode(); err != nil {
			return err
		}
	}
	b.events = append(b.events, e)
	var run *Run
	if e.run != "" {
		if run, err = b.run(ctx, e.run); err != nil {
			return err
		}
		run.fold(e, f, known)
	}
	switch e.kind {
	case string(palisade.EventAsked), string(palisade.EventAnswered), string(palisade.EventConsumed):
		return b.s.foldQuestion(ctx, b.tx, e, f, known, run)
	case kindCreated, kindRotated, kindRevoked:
		return b.s.foldKey(ctx, b.tx, e, f, known)
	case kindClaimed:
		return b.s.foldClaim(ctx, b.tx, e, f, known)
	case kindForgotten:
		if err := b.flush(ctx); err != nil {
			return err
		}
		return b.forget(ctx, r)
	}
	return nil
}

// run returns a run as it is so far.
func (b *batch) run(ctx context.Context, id string) (*Run, error) {
	if r, ok := b.runs[id]; ok {
		return r, nil
	}
	found, err := b.s.selectRuns(ctx, b.tx, "run = ?", []any{id}, 1)
	if err != nil {
		return nil, err
	}
	r := &Run{}
	if len(found) == 1 {
		r = &found[0]
	}
	b.runs[id] = r
	return r, nil
}

const eventColumns = "idx, run, kind, at, size, facts"

// flush writes the events and the runs that were touched.
func (b *batch) flush(ctx context.Context) error {
	rows := make([][]any, 0, len(b.events))
	for _, e := range b.events {
		rows = append(rows, []any{e.index, e.run, e.kind, e.at, e.size, e.facts})
	}
	if err := b.s.insert(ctx, b.tx, "events", eventColumns, "", rows); err != nil {
		return err
	}
	rows = rows[:0]
	for _, r := range b.runs {
		rows = append(rows, r.row())
	}
	var set []string
	for column := range strings.SplitSeq(runColumns, ", ") {
		if column != "run" {
			set = append(set, column+" = excluded."+column)
		}
	}
	if err := b.s.insert(ctx, b.tx, "runs", runColumns, " ON CONFLICT (run) DO UPDATE SET "+strings.Join(set, ", "), rows); err != nil {
		return err
	}
	b.events = nil
	clear(b.runs)
	return nil
}

// insert adds rows, many in one statement.
func (s *Store) insert(ctx context.Context, tx *sql.Tx, table, columns, conflict string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	width := len(rows[0])
	one := "(" + strings.TrimSuffix(strings.Repeat("?, ", width), ", ") + ")"
	most := min(200, s.d.maxArgs/width)
	for len(rows) > 0 {
		n := min(most, len(rows))
		var args []any
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		values := strings.TrimSuffix(strings.Repeat(one+", ", n), ", ")
		if _, err := tx.ExecContext(ctx, s.sql("INSERT INTO "+table+" ("+columns+") VALUES "+values+conflict), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// forget takes out what the index kept of payloads that were deleted on purpose,
// and folds anew what was made of them.
func (b *batch) forget(ctx context.Context, r Record) error {
	var f struct {
		Before  time.Time
		Run     string
		Through int64
	}
	if known, err := r.decode(&f); !known || err != nil {
		return err // that record itself is never forgotten
	}
	where, args := "idx < ? AND facts <> '' AND kind NOT IN (?, ?, ?, ?)", []any{f.Through, kindCreated, kindRotated, kindRevoked, kindClaimed}
	if f.Run != "" {
		where, args = where+" AND run = ?", append(args, f.Run)
	}
	if !f.Before.IsZero() {
		where, args = where+" AND at < ?", append(args, nanos(f.Before))
	}
	rows, err := b.tx.QueryContext(ctx, b.s.sql("SELECT DISTINCT run FROM events WHERE "+where), args...)
	runs, err := collect(rows, err, func(rows *sql.Rows) (id string, err error) { return id, rows.Scan(&id) })
	if err != nil {
		return err
	}
	if _, err := b.tx.ExecContext(ctx, b.s.sql("UPDATE events SET facts = '' WHERE "+where), args...); err != nil {
		return err
	}
	for _, id := range runs {
		if id == "" {
			continue
		}
		if err := b.refold(ctx, id); err != nil {
			return err
		}
	}
	if err := b.flush(ctx); err != nil {
		return err
	}
	return b.refoldQuestions(ctx)
}

// refold makes a run's row from its events.
func (b *batch) refold(ctx context.Context, id string) error {
	events, err := b.s.selectEvents(ctx, b.tx, "run = ?", id)
	if err != nil {
		return err
	}
	r := &Run{}
	for _, e := range events {
		f, known, err := decodeFacts(e.facts)
		if err != nil {
			return err
		}
		r.fold(e, f, known)
	}
	b.runs[id] = r
	return nil
}

// refoldQuestions makes all questions from the events.
func (b *batch) refoldQuestions(ctx context.Context) error {
	if _, err := b.tx.ExecContext(ctx, "DELETE FROM questions"); err != nil {
		return err
	}
	events, err := b.s.selectEvents(ctx, b.tx, "kind IN (?, ?, ?)", string(palisade.EventAsked), string(palisade.EventAnswered), string(palisade.EventConsumed))
	if err != nil {
		return err
	}
	for _, e := range events {
		f, known, err := decodeFacts(e.facts)
		if err != nil {
			return err
		}
		run, err := b.run(ctx, e.run)
		if err != nil {
			return err
		}
		if err := b.s.foldQuestion(ctx, b.tx, e, f, known, run); err != nil {
			return err
		}
	}
	clear(b.runs) // they were only read
	return nil
}

func (s *Store) selectEvents(ctx context.Context, q querier, where string, args ...any) ([]event, error) {
	rows, err := q.QueryContext(ctx, s.sql("SELECT "+eventColumns+" FROM events WHERE "+where+" ORDER BY idx"), args...)
	return collect(rows, err, func(rows *sql.Rows) (e event, err error) {
		return e, rows.Scan(&e.index, &e.run, &e.kind, &e.at, &e.size, &e.facts)
	})
}
