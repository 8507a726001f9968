package auth

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"palisade"
	"palisade/internal/audit"
	"palisade/internal/store"
)

// The real log and the real index, as package local joins them.
type (
	ledger struct{ *audit.Log }
	view   struct{ audit.View }
	index  struct{ *store.Store }
)

func (l ledger) Append(ctx context.Context, e palisade.Event) error {
	return l.Log.Append(ctx, true, e)
}

func (l ledger) AppendFirst(ctx context.Context, e palisade.Event, like func(json.RawMessage) bool) (made bool, err error) {
	err = l.Update(ctx, func(v audit.View) ([]palisade.Event, error) {
		for r, err := range v.Records(0, e.Kind) {
			if err != nil || like(r.Data) {
				return nil, err
			}
		}
		made = true
		return []palisade.Event{e}, nil
	})
	return made, err
}

func (l ledger) Snapshot(ctx context.Context) (store.View, error) {
	v, err := l.Log.Snapshot(ctx)
	return view{v}, err
}

func (v view) Origin() string { return v.Head().Origin }
func (v view) RootAt(size int64) (string, error) {
	root, err := v.View.RootAt(size)
	return root.String(), err
}

func (v view) Records(from int64) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for r, err := range v.View.Records(from) {
			if !yield(store.Record{Index: r.Index, Run: r.Run, Kind: r.Kind, Time: r.Time, Size: r.Size, Data: r.Data}, err) {
				return
			}
		}
	}
}

func (i index) Key(ctx context.Context, id string) (Key, error) {
	k, err := i.KeyByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return Key{}, ErrUnknownKey
	}
	out := Key{ID: k.ID, Tenant: k.Tenant, Owner: k.Owner, Label: k.Label, Profiles: k.Profiles, Created: k.Created, Expires: k.Expires, Revoked: k.Revoked, Hashes: k.Hashes}
	for _, r := range k.Roles {
		out.Roles = append(out.Roles, Role(r))
	}
	return out, err
}

// clock is set by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Microsecond)
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// gate is a log, its index and the keys on them.
type gate struct {
	t     *testing.T
	home  string
	clock *clock
	keys  *Keys
	index index
	log   *audit.Log
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{t: t, home: t.TempDir(), clock: &clock{at: time.Now().UTC()}}
	g.open()
	return g
}

// open opens everything, as a process does when it starts.
func (g *gate) open() {
	g.t.Helper()
	var err error
	g.log, err = audit.Open(g.t.Context(), audit.Config{Dir: filepath.Join(g.home, "log"), KeyFile: filepath.Join(g.home, "keys", "log.key"), Now: g.clock.now})
	if err != nil {
		g.t.Fatal(err)
	}
	log := g.log
	g.t.Cleanup(func() { log.Close() })
	s, err := store.Open(g.t.Context(), store.Config{File: filepath.Join(g.home, "index", "index.db"), Log: ledger{log}, Now: g.clock.now})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { s.Close() })
	g.index = index{s}
	g.keys = &Keys{Log: ledger{log}, Index: g.index, Now: g.clock.now}
}

var operator = Operator("uid:0")

// key makes a key and returns its ID and token.
func (g *gate) key(by Caller, grant Grant) (id, token string) {
	g.t.Helper()
	k, token, err := g.keys.Create(g.t.Context(), by, grant)
	if err != nil {
		g.t.Fatal(err)
	}
	return k.ID, token
}

// caller authenticates a token that is good.
func (g *gate) caller(token string) Caller {
	g.t.Helper()
	c, err := g.keys.Authenticate(g.t.Context(), token)
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

// out expects that a token is not good.
func (g *gate) out(what, token string) {
	g.t.Helper()
	if c, err := g.keys.Authenticate(g.t.Context(), token); !errors.Is(err, ErrUnauthenticated) || c.Tenant != "" || len(c.Roles) > 0 {
		g.t.Errorf("%s: %+v, %v", what, c, err)
	}
}

func grant(tenant string, roles ...Role) Grant { return Grant{Tenant: tenant, Roles: roles} }

func sameRoles(a, b []Role) bool { return slices.Equal(a, b) }
