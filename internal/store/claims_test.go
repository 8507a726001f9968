package store

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"palisade"
)

var (
	request = palisade.Digest{1}
	asker   = submitter("acme", "key:a")
)

// claim claims and expects no error.
func (b *bench) claim(s *Store, c Caller, key string, run string) Claim {
	b.t.Helper()
	got, err := s.Claim(b.t.Context(), c, key, request, run)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// TestClaimOnce: of a hundred who claim at the same time, through several
// processes' stores, one gets it, and all others are told of that one.
func TestClaimOnce(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		stores := []*Store{b.s, b.open(), b.open()}
		var mu sync.Mutex
		mine, told := map[string]int{}, map[string]int{}
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				id := newID()
				got, err := stores[i%3].Claim(t.Context(), asker, "key-1", request, id)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
				told[got.Run]++
				if got.Mine {
					mine[id]++
					if got.Run != id {
						t.Errorf("%s got %s", id, got.Run)
					}
				}
			})
		}
		all.Wait()
		if len(mine) != 1 || len(told) != 1 {
			t.Errorf("%d got it: %v; told of %v", len(mine), mine, told)
		}
		b.equal()
	})
}

func TestClaimIsOfOneTenantAndRequest(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.claim(b.s, asker, "k", "r1")
		if _, err := b.s.Claim(t.Context(), asker, "k", palisade.Digest{2}, "r2"); !errors.Is(err, ErrReused) {
			t.Errorf("another request: %v", err)
		}
		if got := b.claim(b.s, submitter("acme", "key:other"), "k", "r3"); got.Mine || got.Run != "r1" {
			t.Errorf("another of the tenant: %+v", got)
		}
		if got := b.claim(b.s, submitter("other", "key:a"), "k", "r4"); !got.Mine {
			t.Errorf("another tenant: %+v", got)
		}
		if got := b.claim(b.s, asker, "k2", "r5"); !got.Mine {
			t.Errorf("another key: %+v", got)
		}
		for _, bad := range []string{"", " ", "a b", "ü", "a\n", strings.Repeat("x", 256)} {
			if _, err := b.s.Claim(t.Context(), asker, bad, request, "r6"); !errors.Is(err, ErrName) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if _, err := b.s.Claim(t.Context(), auditor("acme"), "k", request, "r6"); !errors.Is(err, ErrRole) {
			t.Errorf("an auditor: %v", err)
		}
		if _, err := b.s.Claim(t.Context(), asker, "k9", palisade.Digest{}, "r6"); err == nil {
			t.Error("a request without a digest was claimed")
		}
		b.equal()
	})
}

// TestClaimAfterTheEnd goes through the ways in which the first run can end.
func TestClaimAfterTheEnd(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		for status, again := range map[palisade.Status]bool{
			palisade.OK: false, palisade.RuntimeError: false, palisade.PolicyViolation: false, palisade.Killed: false, palisade.WallLimit: false,
			palisade.ApprovalRequired: true, palisade.Refused: true,
		} {
			key, first, second := "k-"+string(status), newID(), newID()
			b.claim(b.s, asker, key, first)
			if got := b.claim(b.s, asker, key, second); got.Mine || got.Earlier.Complete {
				t.Errorf("%s: before the run: %+v", status, got)
			}
			b.put(first, palisade.EventReceived, submission("acme", "key:a"))
			b.finish(first, status)
			got := b.claim(b.s, asker, key, second)
			if got.Mine != again {
				t.Errorf("%s: %+v", status, got)
			}
			if !again && (got.Run != first || got.Earlier.Status != string(status) || !got.Earlier.Complete) {
				t.Errorf("%s: %+v", status, got)
			}
			if third := b.claim(b.s, asker, key, newID()); third.Mine || again && third.Run != second {
				t.Errorf("%s: a third: %+v", status, third)
			}
		}
		b.equal()
	})
}

// TestClaimAfterACrash: what was interrupted before it may have run can be
// claimed again, once; what may have run says so. A restart and a rebuild in
// between change nothing.
func TestClaimAfterACrash(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.claim(b.s, asker, "claimed", "r1")
		b.claim(b.s, asker, "received", "r2")
		b.put("r2", palisade.EventReceived, submission("acme", "key:a"))
		b.claim(b.s, asker, "started", "r3")
		b.put("r3", palisade.EventReceived, submission("acme", "key:a"))
		b.put("r3", palisade.EventDecided, palisade.Verdict{Decision: palisade.Allow})
		b.put("r3", palisade.EventStarted, palisade.Ready{})
		b.claim(b.s, asker, "refused", "r4")
		b.put("r4", palisade.EventReceived, submission("acme", "key:a"))
		b.put("r4", palisade.EventStarted, palisade.Ready{Refused: "a layer is missing"})
		cli := submission("", "uid:0")
		cli.Door = "cli"
		b.put("r5", palisade.EventReceived, cli) // a process of its own
		// The gate dies here, and its database with it.
		if err := b.s.Close(); err != nil {
			t.Fatal(err)
		}
		b.s = b.open()
		if _, err := b.s.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, err := b.s.Unfinished(t.Context(), "http")
		if err != nil || len(left) != 4 {
			t.Fatalf("%+v, %v", left, err)
		}
		for _, r := range left {
			if got := b.claim(b.s, asker, map[string]string{"r1": "claimed", "r2": "received", "r3": "started", "r4": "refused"}[r.ID], newID()); got.Mine {
				t.Errorf("%s was given away before it was ended", r.ID)
			}
			e, err := Interrupted(r, b.clock.now())
			if err != nil {
				t.Fatal(err)
			}
			b.put(e.Run, e.Kind, e.Data)
		}
		for key, again := range map[string]bool{"claimed": true, "received": true, "started": false, "refused": true} {
			got := b.claim(b.s, asker, key, "again-"+key)
			if got.Mine != again {
				t.Errorf("%s: %+v", key, got)
			}
			if !again && (got.Earlier.Status != "interrupted" || !got.Earlier.MayHaveRun) {
				t.Errorf("%s: %+v", key, got)
			}
			if b.claim(b.s, asker, key, "third-"+key).Mine {
				t.Errorf("%s ran twice", key)
			}
		}
		b.equal()
		if left, err := b.s.Unfinished(t.Context(), "http"); err != nil || len(left) != 3 {
			t.Errorf("%+v, %v", left, err)
		}
		if _, err := Interrupted(Run{ID: "r", Complete: true}, b.clock.now()); err == nil {
			t.Error("a run was ended twice")
		}
	})
}

// failing is a log whose appends fail, before or after they were done.
type failing struct {
	Log
	after bool
	kind  palisade.EventKind
}

var errFull = errors.New("disk full")

func (f failing) Append(ctx context.Context, e palisade.Event) error {
	if e.Kind != f.kind {
		return f.Log.Append(ctx, e)
	}
	if f.after {
		if err := f.Log.Append(ctx, e); err != nil {
			return err
		}
	}
	return errFull
}

// TestClaimThatIsNotRecorded: without the record nobody gets the request, and
// nobody is kept from it either.
func TestClaimThatIsNotRecorded(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		for _, after := range []bool{false, true} {
			key := map[bool]string{false: "before", true: "after"}[after]
			whole := b.s.c.Log
			b.s.c.Log = failing{whole, after, kindClaimed}
			if got, err := b.s.Claim(t.Context(), asker, key, request, "r-"+key); !errors.Is(err, errFull) {
				t.Errorf("%+v, %v", got, err)
			}
			b.s.c.Log = whole
			if got := b.claim(b.s, asker, key, "again-"+key); !got.Mine {
				t.Errorf("%s: %+v", key, got)
			}
		}
		b.equal()
	})
}

// TestClaimsAreForgotten: after a day the same key is new, also for another
// request; a rebuild then makes the same rows.
func TestClaimsAreForgotten(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.claim(b.s, asker, "k", "r1")
		b.clock.pass(23 * time.Hour)
		if got := b.claim(b.s, asker, "k", "r2"); got.Mine {
			t.Error("forgotten before its time")
		}
		b.clock.pass(2 * time.Hour)
		if got, err := b.s.Claim(t.Context(), asker, "k", palisade.Digest{2}, "r3"); err != nil || !got.Mine {
			t.Errorf("%+v, %v", got, err)
		}
		b.claim(b.s, asker, "other", "r4")
		b.equal()
		b.clock.pass(25 * time.Hour)
		b.equal()
		if st, err := b.s.Status(t.Context()); err != nil || st.Rows["claims"] != 0 {
			t.Errorf("%+v, %v", st, err)
		}
	})
}

// TestKeys: secrets by rotation, ends by every kind of revocation.
func TestKeys(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		make := func(id, tenant, owner string) {
			b.put("", kindCreated, map[string]any{
				"id": id, "tenant": tenant, "owner": owner, "label": "l", "hash": "h-" + id, "by": "uid:0", "roles": []string{"submitter", "approver"},
				"profiles": []string{"pal"}, "expires": b.clock.now().Add(time.Hour),
			})
		}
		make("k1", "acme", "ann")
		make("k2", "acme", "bob")
		make("k3", "other", "ann")
		make("k1", "other", "eve") // an ID that is taken
		get := func(id string) Key {
			t.Helper()
			if err := b.s.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			k, err := b.s.KeyByID(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		k := get("k1")
		if k.Tenant != "acme" || k.Owner != "ann" || k.Label != "l" || strings.Join(k.Hashes, " ") != "h-k1" || strings.Join(k.Roles, " ") != "submitter approver" ||
			strings.Join(k.Profiles, " ") != "pal" || k.Maker != "uid:0" || k.Expires.Sub(k.Created) < 59*time.Minute || !k.Revoked.IsZero() || !k.Rotated.IsZero() {
			t.Errorf("%+v", k)
		}
		b.put("", kindRotated, map[string]any{"id": "k1", "hash": "new", "until": b.clock.now().Add(time.Minute)})
		if k := get("k1"); strings.Join(k.Hashes, " ") != "new h-k1" || k.Rotated.IsZero() {
			t.Errorf("%+v", k)
		}
		b.clock.pass(2 * time.Minute)
		if k := get("k1"); strings.Join(k.Hashes, " ") != "new" {
			t.Errorf("the old secret is still good: %+v", k)
		}
		revoke := func(scope, target, tenant string) {
			b.put("", kindRevoked, map[string]any{"scope": scope, "target": target, "tenant": tenant})
		}
		revoked := func(want string) {
			t.Helper()
			var got []string
			for _, id := range []string{"k1", "k2", "k3", "k4"} {
				if b.s.Sync(t.Context()) == nil {
					if k, err := b.s.KeyByID(t.Context(), id); err == nil && !k.Revoked.IsZero() {
						got = append(got, id)
					}
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("revoked are %v, want %s", got, want)
			}
		}
		began := b.clock.now()
		revoke("key", "k2", "acme")
		revoked("k2")
		revoke("owner", "ann", "acme")
		revoked("k1 k2")
		if yes, err := b.s.RevokedSince(t.Context(), "acme", "ann", began); err != nil || !yes {
			t.Error(yes, err)
		}
		if yes, err := b.s.RevokedSince(t.Context(), "other", "ann", began); err != nil || yes {
			t.Error(yes, err)
		}
		make("k4", "acme", "ann")
		revoked("k1 k2") // what is made later is not ended
		revoke("tenant", "", "other")
		revoked("k1 k2 k3")
		revoke("all", "", "")
		revoked("k1 k2 k3 k4")
		if yes, err := b.s.RevokedSince(t.Context(), "third", "zoe", began); err != nil || !yes {
			t.Error(yes, err)
		}
		if yes, err := b.s.RevokedSince(t.Context(), "acme", "ann", b.clock.now()); err != nil || yes {
			t.Error(yes, err)
		}
		if _, err := b.s.KeyByID(t.Context(), "no"); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		b.equal()
	})
}
