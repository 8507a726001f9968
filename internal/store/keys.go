package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
)

// Key is what the index knows of a key. It holds no secret, only hashes of them.
type Key struct {
	ID       string    `json:"id"`
	Tenant   string    `json:"tenant"`
	Owner    string    `json:"owner,omitempty"` // the human or service that it was given to
	Label    string    `json:"label,omitempty"`
	Roles    []string  `json:"roles"`
	Profiles []string  `json:"profiles"` // that it may name
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"` // zero: never
	Rotated  time.Time `json:"rotated,omitzero"`
	Revoked  time.Time `json:"revoked,omitzero"` // zero: it was not
	Maker    string    `json:"by"`
	Index    int64     `json:"index"` // of the entry that made it

	// Hashes are SHA-256, in hex, of the secrets that are good at the moment.
	Hashes []string `json:"-"`
}

// A revocation ends the keys that were made before it.
const (
	keyQuery = `SELECT k.id, k.idx, k.tenant, k.owner, k.label, k.roles, k.profiles, k.created, k.expires, k.maker,
		COALESCE((SELECT MIN(r.at) FROM revocations r WHERE r.idx > k.idx AND (r.scope = 'all'
			OR r.scope = 'tenant' AND r.tenant = k.tenant
			OR r.scope = 'owner' AND r.tenant = k.tenant AND r.target = k.owner
			OR r.scope = 'key' AND r.target = k.id)), 0)
		FROM keys k WHERE `
)

// prepareKeys prepares what KeyByID asks.
func (s *Store) prepareKeys(ctx context.Context) (err error) {
	if s.keyByID, err = s.db.PrepareContext(ctx, s.sql(keyQuery+"k.id = ?")); err != nil {
		return err
	}
	s.keySecrets, err = s.db.PrepareContext(ctx, s.sql("SELECT hash, at, until FROM key_secrets WHERE key_id = ? ORDER BY idx DESC LIMIT 2"))
	return err
}

func scanKey(rows *sql.Rows) (k Key, err error) {
	var roles, profiles string
	var created, expires, revoked int64
	err = rows.Scan(&k.ID, &k.Index, &k.Tenant, &k.Owner, &k.Label, &roles, &profiles, &created, &expires, &k.Maker, &revoked)
	k.Roles, k.Profiles = strings.Fields(roles), strings.Fields(profiles)
	k.Created, k.Expires, k.Revoked = moment(created), moment(expires), moment(revoked)
	return k, err
}

// KeyByID returns a key for whoever is to be authenticated by it: this is asked
// before there is a caller. It reads the database alone, so that it does not
// wait for the log; whoever makes, rotates or revokes a key brings the database
// up to date before they say that it is done.
func (s *Store) KeyByID(ctx context.Context, id string) (Key, error) {
	rows, err := s.keyByID.QueryContext(ctx, word(id))
	k, err := one(collect(rows, err, scanKey))
	if errors.Is(err, ErrNotFound) {
		// No quicker than for a key that there is: how long it takes tells nothing.
		return Key{}, cmp.Or(s.secrets(ctx, &Key{ID: word(id)}), err)
	}
	if err != nil {
		return Key{}, err
	}
	return k, s.secrets(ctx, &k)
}

// secrets reads the hashes that are good at the moment: the newest, and one
// before it for as long as the rotation said.
func (s *Store) secrets(ctx context.Context, k *Key) error {
	type secret struct {
		hash      string
		at, until int64
	}
	rows, err := s.keySecrets.QueryContext(ctx, k.ID)
	all, err := collect(rows, err, func(rows *sql.Rows) (x secret, err error) { return x, rows.Scan(&x.hash, &x.at, &x.until) })
	if err != nil || len(all) == 0 {
		return err
	}
	k.Hashes = []string{all[0].hash}
	if len(all) == 2 {
		k.Rotated = moment(all[0].at)
		if nanos(s.c.Now()) < all[0].until {
			k.Hashes = append(k.Hashes, all[1].hash)
		}
	}
	return nil
}

// RevokedSince tells whether all keys of a tenant, all of one owner, or all there
// are were revoked after a moment: sessions that began before it end too.
func (s *Store) RevokedSince(ctx context.Context, tenant, owner string, began time.Time) (bool, error) {
	var n int64
	err := s.db.QueryRowContext(ctx, s.sql(`SELECT COUNT(*) FROM revocations WHERE at >= ? AND (scope = 'all'
		OR scope = 'tenant' AND tenant = ? OR scope = 'owner' AND tenant = ? AND target = ?)`),
		nanos(began), word(tenant), word(tenant), word(owner)).Scan(&n)
	return n > 0, err
}

// Keys lists the keys of the tenants that the caller administers, the newest
// first; whoever does not sees their own. tenant chooses one; empty: all of them.
func (s *Store) Keys(ctx context.Context, c Caller, tenant string) ([]Key, error) {
	if c == nil || c.TenantName() == "" || c.Identity() == "" {
		return nil, ErrNoCaller
	}
	q := &clause{}
	switch own := c.TenantName(); {
	case c.Holds(roleAdmin, AnyTenant):
	case c.Holds(roleAdmin, own):
		q.and("k.tenant = ?", word(own))
	default:
		q.and("k.tenant = ? AND (k.owner <> '' AND k.owner = ? OR k.id = ?)", word(own),
			word(strings.TrimPrefix(c.Identity(), OwnerMark)), word(strings.TrimPrefix(c.Identity(), KeyMark)))
	}
	q.eq("k.tenant", tenant)
	if err := s.Sync(ctx); err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, s.sql(keyQuery+q.String()+" ORDER BY k.idx DESC"), q.args...)
	keys, err := collect(rows, err, scanKey)
	if err != nil {
		return nil, err
	}
	for i := range keys {
		if err := s.secrets(ctx, &keys[i]); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// Marks that begin identities: of a key with an owner, and of one without.
const (
	OwnerMark = "user:"
	KeyMark   = "key:"
)

// foldKey takes an event of a key. A revocation that cannot be read revokes all.
func (s *Store) foldKey(ctx context.Context, tx *sql.Tx, e event, f facts, known bool) error {
	var err error
	switch {
	case e.kind == kindCreated && known && f.ID != "":
		var made sql.Result
		made, err = tx.ExecContext(ctx, s.sql("INSERT INTO keys (id, idx, tenant, owner, label, roles, profiles, created, expires, maker) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
			f.ID, e.index, f.Tenant, f.Owner, f.Label, set(f.Roles), set(f.Profiles), e.at, f.Expires, f.Maker)
		if err != nil {
			return err
		}
		// An ID that was given out before is not given another secret so.
		if n, err := made.RowsAffected(); err != nil || n == 0 {
			return err
		}
		err = s.foldSecret(ctx, tx, e, f)
	case e.kind == kindRotated && known && f.ID != "":
		err = s.foldSecret(ctx, tx, e, f)
	case e.kind == kindRevoked:
		if !known || !slices.Contains([]string{"key", "owner", "tenant", "all"}, f.Scope) {
			f = facts{Scope: "all", Reason: "a revocation on the record does not read"}
		}
		_, err = tx.ExecContext(ctx, s.sql("INSERT INTO revocations (idx, scope, target, tenant, at, maker, reason) VALUES (?, ?, ?, ?, ?, ?, ?)"),
			e.index, f.Scope, f.Target, f.Tenant, e.at, f.Maker, f.Reason)
	}
	return err
}

func (s *Store) foldSecret(ctx context.Context, tx *sql.Tx, e event, f facts) error {
	_, err := tx.ExecContext(ctx, s.sql("INSERT INTO key_secrets (idx, key_id, hash, at, until) VALUES (?, ?, ?, ?, ?)"), e.index, f.ID, f.Hash, e.at, f.Until)
	return err
}

// set writes words that hold no spaces.
func set(list []string) string {
	var kept []string
	for _, text := range list {
		kept = append(kept, strings.Join(strings.Fields(text), "_"))
	}
	return strings.Join(kept, " ")
}
