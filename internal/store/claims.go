package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"palisade"
)

// Claim says who answers a request that came with an idempotency key.
type Claim struct {
	// Run is the run that answers.
	Run string
	// Mine says that it is the one that was given: nobody ran the request before.
	Mine bool
	// Earlier is what is known of the run that somebody made before: without an
	// end, it is on its way, and whoever asks waits for it; else its outcome is
	// the answer, also where it says that it may have run.
	Earlier Run
}

// claimed is the payload of a claim.
type claimed struct {
	Tenant    string          `json:"tenant"`
	Submitter string          `json:"submitter"`
	Name      string          `json:"name"`    // SHA-256 of the client's key
	Request   palisade.Digest `json:"request"` // of the whole request
}

// Claim makes equal requests under one key of a tenant run once, whoever of the
// tenant asks, in whatever process, also after a restart. Of those who claim at
// the same time one gets the request for the run that it names, and must run it
// under that ID or Abandon it; the claim is on the record before it is told.
// Another request under the same key is ErrReused.
//
// A run that ended without one byte of the program having been executed, for a
// reason that may not hold the next time, gives the key free for the same
// request: it was interrupted or refused, the gate failed, or it waits for a
// human, whose answer the next run spends. A denial stays.
func (s *Store) Claim(ctx context.Context, c Caller, key string, request palisade.Digest, run string) (Claim, error) {
	if c == nil || c.TenantName() == "" || c.Identity() == "" {
		return Claim{}, ErrNoCaller
	}
	if !c.Holds(roleSubmitter, c.TenantName()) {
		return Claim{}, ErrRole
	}
	if !validName(key) {
		return Claim{}, ErrName
	}
	if run == "" || request.IsZero() {
		return Claim{}, errors.New("claim: a run or the request's digest is missing")
	}
	if err := s.Sync(ctx); err != nil { // what a process claimed that died before it said so here
		return Claim{}, err
	}
	row := claimed{Tenant: word(c.TenantName()), Submitter: word(c.Identity()), Name: nameOf(c.TenantName(), key), Request: request}
	var out Claim
	recorded := false
	err := s.within(ctx, func(tx *sql.Tx) error {
		var err error
		if out, err = s.take(ctx, tx, row, run); err != nil || !out.Mine {
			return err
		}
		recorded = true
		return s.c.Log.Append(ctx, palisade.Event{Run: run, Kind: kindClaimed, Time: s.c.Now(), Data: row})
	})
	if err == nil {
		return out, nil
	}
	if errors.Is(err, ErrReused) {
		return Claim{}, err
	}
	if recorded { // perhaps: then it must not wait for an end that nobody makes
		err = errors.Join(err, s.Abandon(context.WithoutCancel(ctx), run))
	}
	return Claim{}, fmt.Errorf("claim: %w", err)
}

// Abandon ends a claimed run that was not handed to the gate, on the record: it
// never ran, and the request can be claimed again.
func (s *Store) Abandon(ctx context.Context, run string) error {
	e, err := Interrupted(Run{ID: run}, s.c.Now())
	if err != nil {
		return err
	}
	return s.c.Log.Append(ctx, e)
}

// take decides about a claim, in a transaction: the row of a name can be made or
// changed by one at a time.
func (s *Store) take(ctx context.Context, tx *sql.Tx, row claimed, run string) (Claim, error) {
	if s.d.share != "" {
		if _, err := tx.ExecContext(ctx, s.d.share); err != nil {
			return Claim{}, err
		}
	}
	now := s.c.Now()
	made, err := tx.ExecContext(ctx, s.sql("INSERT INTO claims (tenant, name, idx, request, run, at) VALUES (?, ?, -1, ?, ?, ?) ON CONFLICT DO NOTHING"),
		row.Tenant, row.Name, row.Request.String(), run, nanos(now))
	if err != nil {
		return Claim{}, err
	}
	if n, err := made.RowsAffected(); err != nil || n == 1 {
		return Claim{Run: run, Mine: true}, err
	}
	var earlier, request string
	var at int64
	err = tx.QueryRowContext(ctx, s.sql("SELECT run, request, at FROM claims WHERE tenant = ? AND name = ?"+s.d.forWrite), row.Tenant, row.Name).Scan(&earlier, &request, &at)
	if err != nil {
		return Claim{}, err
	}
	found, err := s.selectRuns(ctx, tx, "run = ?", []any{earlier}, 1)
	if err != nil {
		return Claim{}, err
	}
	out := Claim{Run: earlier, Earlier: Run{ID: earlier, Tenant: row.Tenant, Began: moment(at)}}
	if len(found) == 1 {
		out.Earlier = found[0]
	}
	switch over := !now.Before(moment(at).Add(s.c.Retention)); {
	case over:
	case request != row.Request.String():
		return Claim{}, ErrReused
	case !out.Earlier.mayRetry():
		return out, nil
	}
	_, err = tx.ExecContext(ctx, s.sql("UPDATE claims SET idx = -1, request = ?, run = ?, at = ? WHERE tenant = ? AND name = ?"),
		row.Request.String(), run, nanos(now), row.Tenant, row.Name)
	return Claim{Run: run, Mine: true}, err
}

// mayRetry reports whether a run has ended without having run, for a reason that
// may be gone the next time.
func (r Run) mayRetry() bool {
	return r.Complete && !r.MayHaveRun && slices.Contains([]string{
		string(palisade.Interrupted), string(palisade.Refused), string(palisade.SandboxError),
		string(palisade.ApprovalRequired), string(palisade.EventFailed),
	}, r.Status)
}

// foldClaim takes a claim from the log. A row that a live claim made is found
// by its run; what comes later in the log holds.
func (s *Store) foldClaim(ctx context.Context, tx *sql.Tx, e event, f facts, known bool) error {
	if !known || f.Name == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, s.sql(`INSERT INTO claims (tenant, name, idx, request, run, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (tenant, name) DO UPDATE SET idx = excluded.idx, request = excluded.request, run = excluded.run, at = excluded.at
		WHERE claims.run = excluded.run OR claims.idx >= 0 AND claims.idx < excluded.idx`),
		f.Tenant, f.Name, e.index, f.Request, e.run, e.at)
	return err
}

// pruneClaims drops the claims that are no longer remembered.
func (s *Store) pruneClaims(ctx context.Context, q querier, now time.Time) error {
	_, err := q.ExecContext(ctx, s.sql("DELETE FROM claims WHERE at < ? AND idx >= 0"), nanos(now.Add(-s.c.Retention)))
	return err
}

// nameOf is how a key stands in the database and on the record.
func nameOf(tenant, key string) string {
	sum := sha256.Sum256([]byte("palisade idempotency key v1\n" + tenant + "\n" + key))
	return hex.EncodeToString(sum[:])
}

func validName(key string) bool {
	if key == "" || len(key) > 255 {
		return false
	}
	for i := range len(key) {
		if key[i] < 0x21 || key[i] > 0x7e {
			return false
		}
	}
	return true
}
