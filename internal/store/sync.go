package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// meta says what the index is of, and up to where.
type meta struct {
	origin  string
	applied int64
	root    string
	fold    int
}

func (s *Store) meta(ctx context.Context, q querier, forWrite string) (m meta, err error) {
	err = q.QueryRowContext(ctx, "SELECT origin, applied, root, fold FROM meta WHERE id = 1"+forWrite).Scan(&m.origin, &m.applied, &m.root, &m.fold)
	return m, err
}

func (s *Store) setMeta(ctx context.Context, tx *sql.Tx, v View, applied int64) error {
	root, err := v.RootAt(applied)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, s.sql("UPDATE meta SET origin = ?, applied = ?, root = ?, fold = ? WHERE id = 1"), v.Origin(), applied, root, foldVersion)
	return err
}

// follows reports why an index is not one of the log.
func (m meta) follows(v View) error {
	if m.applied == 0 {
		return nil
	}
	if m.origin != v.Origin() {
		return fmt.Errorf("%w: it has %s, the gate's log is %s: give each log a database of its own, or make this one anew with `palisade index rebuild`", ErrOtherLog, m.origin, v.Origin())
	}
	if v.Size() < m.applied {
		return fmt.Errorf("%w: the index has %d entries of it, %d are there: its tail was cut, or an older copy was put back (palisade audit verify)", ErrHistory, m.applied, v.Size())
	}
	root, err := v.RootAt(m.applied)
	if err != nil {
		return err
	}
	if root != m.root {
		return fmt.Errorf("%w: its first %d entries have another root than when they were indexed (palisade audit verify)", ErrHistory, m.applied)
	}
	return nil
}

// Bounds of one transaction of Sync, in entries, and of its tries.
const (
	batchSize = 4000
	syncTries = 3
)

// Sync applies what the log has and the index has not. Other processes may do
// the same at the same time. An index that another version of Palisade folded is
// made anew.
func (s *Store) Sync(ctx context.Context) error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	var err error
	for range syncTries {
		// A view is of one moment: what it was to read may have been moved since.
		if err = s.follow(ctx); err == nil || ctx.Err() != nil || errors.Is(err, ErrOtherLog) || errors.Is(err, ErrHistory) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("bring the index up to date: %w", err)
	}
	return nil
}

// follow applies the log as it is now. The index is looked at first: what another
// process applied meanwhile is in the log that is looked at then.
func (s *Store) follow(ctx context.Context) error {
	m, err := s.meta(ctx, s.db, "")
	if err != nil {
		return err
	}
	v, err := s.c.Log.Snapshot(ctx)
	if err != nil {
		return err
	}
	if !s.checked || m.origin != v.Origin() || m.applied > v.Size() {
		if err := m.follows(v); err != nil {
			return err
		}
		s.checked = true
	}
	if m.applied > 0 && m.fold != foldVersion {
		_, err := s.rebuild(ctx)
		return err
	}
	for applied := m.applied; applied < v.Size(); {
		err := s.within(ctx, func(tx *sql.Tx) error {
			m, err := s.meta(ctx, tx, s.d.forWrite)
			if err != nil {
				return err
			}
			applied, err = s.apply(ctx, tx, v, m.applied, m.applied+batchSize)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// apply applies entries from index from on, up to a limit or the view's end, and
// returns where it stopped.
func (s *Store) apply(ctx context.Context, tx *sql.Tx, v View, from, limit int64) (int64, error) {
	limit = min(limit, v.Size())
	if from >= limit {
		return max(from, limit), nil // another process was faster
	}
	b := s.newBatch(tx)
	next := from
	for r, err := range v.Records(from) {
		if err != nil {
			return from, err
		}
		if r.Index != next {
			return from, fmt.Errorf("entry %d comes where %d should", r.Index, next)
		}
		if err := b.add(ctx, r); err != nil {
			return from, fmt.Errorf("entry %d: %w", r.Index, err)
		}
		if next++; next == limit {
			break
		}
		if next%200 == 0 {
			if err := b.flush(ctx); err != nil {
				return from, err
			}
		}
	}
	if next != limit {
		return from, fmt.Errorf("the log ended at entry %d, not at %d", next, limit)
	}
	if err := b.flush(ctx); err != nil {
		return from, err
	}
	return next, s.setMeta(ctx, tx, v, next)
}

// decode reads a record's payload; known tells whether it is there.
func (r Record) decode(into any) (known bool, err error) {
	if r.Data == nil {
		return false, nil
	}
	return true, json.Unmarshal(r.Data, into)
}
