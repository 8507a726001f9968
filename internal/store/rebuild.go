package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"palisade"
)

// table is one of the index's, with what its rows are ordered by.
type table struct{ name, columns, order string }

// tables are all that the log makes.
var tables = []table{
	{"events", eventColumns, "idx"},
	{"runs", runColumns, "first"},
	{"questions", questionColumns, "idx"},
	{"keys", "id, idx, tenant, owner, label, roles, profiles, created, expires, maker", "idx"},
	{"key_secrets", "idx, key_id, hash, at, until", "idx"},
	{"revocations", "idx, scope, target, tenant, at, maker, reason", "idx"},
	{"claims", "tenant, name, idx, request, run, at", "idx"},
}

// content is a table's rows in short.
type content struct {
	rows int64
	sum  palisade.Digest
}

// Rebuilt tells how a rebuild went.
type Rebuilt struct {
	Entries int64 `json:"entries"` // of the log
	// Compared says that the index was one of this log, and so could be compared.
	Compared bool `json:"compared"`
	// Differences are the tables that did not hold what the log says. They do now.
	Differences []Difference `json:"differences"`
	Rows        int64        `json:"rows"`
}

// Difference is a table that was not what the log says.
type Difference struct {
	Table  string `json:"table"`
	Before int64  `json:"rows_before"`
	After  int64  `json:"rows_after"`
	// Why is set where the rows could not be compared.
	Why string `json:"why,omitempty"`
}

// Rebuild throws the rows away and makes them again from the log alone, in one
// transaction: whoever asks meanwhile gets the old ones, whoever claims waits.
// It compares the two.
func (s *Store) Rebuild(ctx context.Context) (Rebuilt, error) {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	return s.rebuild(ctx)
}

func (s *Store) rebuild(ctx context.Context) (Rebuilt, error) {
	var out Rebuilt
	var err error
	for range syncTries { // see Sync
		out = Rebuilt{Differences: []Difference{}}
		if err = s.within(ctx, func(tx *sql.Tx) error { return s.replay(ctx, tx, &out) }); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return Rebuilt{}, fmt.Errorf("rebuild index: %w", err)
	}
	s.checked = true
	return out, nil
}

// replay makes all rows anew and compares them with those that were there.
func (s *Store) replay(ctx context.Context, tx *sql.Tx, out *Rebuilt) error {
	if s.d.lock != "" {
		if _, err := tx.ExecContext(ctx, s.d.lock); err != nil {
			return err
		}
	}
	m, err := s.meta(ctx, tx, s.d.forWrite)
	if err != nil {
		return err
	}
	v, err := s.c.Log.Snapshot(ctx)
	if err != nil {
		return err
	}
	now := s.c.Now()
	before, err := s.before(ctx, tx, m, v, now, out)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.name); err != nil {
			return err
		}
	}
	if _, err := s.apply(ctx, tx, v, 0, v.Size()); err != nil {
		return err
	}
	after, err := s.contents(ctx, tx, now)
	if err != nil {
		return err
	}
	out.Entries = v.Size()
	for _, t := range tables {
		out.Rows += after[t.name].rows
		if out.Compared && before[t.name] != after[t.name] {
			out.Differences = append(out.Differences, Difference{Table: t.name, Before: before[t.name].rows, After: after[t.name].rows})
		}
	}
	return nil
}

// before brings the rows that are there up to date and sums them up, where they
// are of this log at all.
func (s *Store) before(ctx context.Context, tx *sql.Tx, m meta, v View, now time.Time, out *Rebuilt) (map[string]content, error) {
	why := m.follows(v)
	if m.applied == 0 || m.fold != foldVersion || why != nil {
		if why != nil {
			out.Differences = append(out.Differences, Difference{Table: "meta", Why: why.Error()})
		}
		return nil, nil
	}
	if _, err := tx.ExecContext(ctx, "SAVEPOINT compare"); err != nil {
		return nil, err
	}
	// Rows that were changed may stand in the way of new ones.
	if m.applied < v.Size() {
		if _, err := s.apply(ctx, tx, v, m.applied, v.Size()); err != nil {
			_, undo := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT compare")
			out.Differences = append(out.Differences, Difference{Table: "all", Why: "what the log has more does not fit: " + err.Error()})
			return nil, undo
		}
	}
	out.Compared = true
	return s.contents(ctx, tx, now)
}

// contents sums up all tables, without the claims that are too old to matter.
func (s *Store) contents(ctx context.Context, tx *sql.Tx, now time.Time) (map[string]content, error) {
	if err := s.pruneClaims(ctx, tx, now); err != nil {
		return nil, err
	}
	all := map[string]content{}
	for _, t := range tables {
		c, err := t.content(ctx, tx)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
		all[t.name] = c
	}
	return all, nil
}

// content hashes a table's rows, every value after its length.
func (t table) content(ctx context.Context, q querier) (content, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+t.columns+" FROM "+t.name+" ORDER BY "+t.order)
	if err != nil {
		return content{}, err
	}
	defer rows.Close()
	values := make([]sql.NullString, strings.Count(t.columns, ",")+1)
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	h := sha256.New()
	var c content
	for ; rows.Next(); c.rows++ {
		if err := rows.Scan(into...); err != nil {
			return content{}, err
		}
		for _, v := range values {
			var length [8]byte
			binary.BigEndian.PutUint64(length[:], uint64(len(v.String)))
			h.Write(length[:])
			h.Write([]byte(v.String))
		}
	}
	c.sum = palisade.Digest(h.Sum(nil))
	return c, rows.Err()
}

// Status says what the index is of and how far it is.
type Status struct {
	Database string `json:"database"` // sqlite or postgres
	Origin   string `json:"origin"`   // the log that it is an index of
	Applied  int64  `json:"applied"`  // entries that are in it
	Entries  int64  `json:"entries"`  // entries that the log has
	// Problem says why the index is not one of the log; empty: it is.
	Problem string           `json:"problem,omitempty"`
	Rows    map[string]int64 `json:"rows"`
}

// Status reads the state of the index and changes nothing.
func (s *Store) Status(ctx context.Context) (Status, error) {
	out := Status{Database: s.d.name, Rows: map[string]int64{}}
	m, err := s.meta(ctx, s.db, "")
	if err != nil {
		return out, fmt.Errorf("index status: %w", err)
	}
	v, err := s.c.Log.Snapshot(ctx)
	if err != nil {
		return out, fmt.Errorf("index status: %w", err)
	}
	out.Origin, out.Applied, out.Entries = m.origin, m.applied, v.Size()
	if err := m.follows(v); err != nil {
		out.Problem = err.Error()
	}
	for _, t := range tables {
		var n int64
		if err := s.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+t.name).Scan(&n); err != nil {
			return out, fmt.Errorf("index status: %w", err)
		}
		out.Rows[t.name] = n
	}
	return out, nil
}

// Watch keeps the index up to date until ctx ends: at once after Appended, and
// every interval for what other processes append. It also forgets claims that
// are too old. A failure is told to the logger, and tried again.
func (s *Store) Watch(ctx context.Context, appended <-chan struct{}, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for old := true; ; {
		err := s.Sync(ctx)
		if err == nil && old {
			err = s.within(ctx, func(tx *sql.Tx) error { return s.pruneClaims(ctx, tx, s.c.Now()) })
		}
		if err != nil && ctx.Err() == nil {
			s.c.Logger.ErrorContext(ctx, "index: not up to date", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-appended:
			old = false
		case <-tick.C:
			old = true
		}
	}
}
