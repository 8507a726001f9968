package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"palisade"
)

// Kinds of the log's events about keys. They are part of its format.
const (
	KindCreated palisade.EventKind = "key_created"
	KindRotated palisade.EventKind = "key_rotated"
	KindRevoked palisade.EventKind = "key_revoked"
)

// Key is a key without its secret.
type Key struct {
	ID       string    `json:"id"`
	Tenant   string    `json:"tenant"`
	Owner    string    `json:"owner,omitempty"`
	Label    string    `json:"label,omitempty"`
	Roles    []Role    `json:"roles"`
	Profiles []string  `json:"profiles"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"`
	Revoked  time.Time `json:"revoked,omitzero"`
	// Hashes are those of the secrets that are good now, the newest first.
	Hashes []string `json:"-"`
}

// identity is who comes with the key. Keys of one owner are one identity, and a
// rotated key stays who it was.
func (k Key) identity() string {
	if k.Owner != "" {
		return ownerMark + k.Owner
	}
	return keyMark + k.ID
}

// Log is the record.
type Log interface {
	// Append puts an event on it, durably.
	Append(ctx context.Context, e palisade.Event) error
	// AppendFirst does so unless an event of that kind with a payload like it is
	// on it already, and reports whether it did. No other process comes in
	// between.
	AppendFirst(ctx context.Context, e palisade.Event, like func(payload json.RawMessage) bool) (bool, error)
}

// Index is where requests are held to what is on the record.
type Index interface {
	// Sync brings it up to date.
	Sync(ctx context.Context) error
	// Key returns a key by its ID; none is ErrUnknownKey.
	Key(ctx context.Context, id string) (Key, error)
	// RevokedSince tells whether a tenant, an owner in it, or everyone was
	// revoked since a moment.
	RevokedSince(ctx context.Context, tenant, owner string, began time.Time) (bool, error)
}

// Keys makes, ends and recognizes keys. All fields are required.
type Keys struct {
	Log   Log
	Index Index
	Now   func() time.Time
}

// Grant says what a new key is for. Tenant and Roles are required.
type Grant struct {
	Tenant   string
	Owner    string // the human or service that gets it, such as ann@example.org
	Label    string // for lists
	Roles    []Role
	Profiles []string  // that it may name; AnyProfile: all; none: only the default
	Expires  time.Time // zero: never
}

// created and rotated are the payloads of the events about keys.
type created struct {
	ID       string    `json:"id"`
	Tenant   string    `json:"tenant"`
	Owner    string    `json:"owner,omitempty"`
	Label    string    `json:"label,omitempty"`
	Roles    []Role    `json:"roles"`
	Profiles []string  `json:"profiles,omitempty"`
	Expires  time.Time `json:"expires,omitzero"`
	Hash     string    `json:"hash"` // SHA-256 of the secret
	By       string    `json:"by"`
}

type rotated struct {
	ID     string    `json:"id"`
	Tenant string    `json:"tenant"`
	Hash   string    `json:"hash"`
	Until  time.Time `json:"until,omitzero"` // when the secret before ends; zero: at once
	By     string    `json:"by"`
}

// check reports why a grant cannot be given by a caller.
func (g *Grant) check(by Caller, now time.Time) error {
	if err := ValidTenant(g.Tenant); err != nil {
		return err
	}
	var names []string
	for _, r := range g.Roles {
		names = append(names, string(r))
	}
	var err error
	if g.Roles, err = ParseRoles(names); err != nil {
		return err
	}
	switch {
	case g.Owner != "" && !validOwner(g.Owner):
		return fmt.Errorf("%w: owner %.80q: want letters, digits and . _ @ + | : / = -, at most 128", ErrInvalid, g.Owner)
	case g.Label != "" && !validLabel(g.Label):
		return fmt.Errorf("%w: label %.80q: want at most 100 characters that can be printed", ErrInvalid, g.Label)
	case len(g.Profiles) > 100 || slices.ContainsFunc(g.Profiles, func(p string) bool { return !validProfile(p) }):
		return fmt.Errorf("%w: profiles: want names, or *", ErrInvalid)
	case !g.Expires.IsZero() && !g.Expires.After(now):
		return fmt.Errorf("%w: the key would have expired already, at %s", ErrInvalid, g.Expires.UTC().Format(time.RFC3339))
	}
	if !by.Holds(string(Admin), g.Tenant) {
		return fmt.Errorf("make a key of tenant %s: %w: it takes an admin of that tenant", g.Tenant, ErrForbidden)
	}
	for _, r := range g.Roles {
		if !by.Holds(string(r), g.Tenant) && !by.Holds(string(Admin), Any) {
			return fmt.Errorf("%w: the role %s is not one that the maker has", ErrForbidden, r)
		}
	}
	if len(g.Profiles) == 0 && len(by.Profiles) > 0 && !by.MayName(AnyProfile) {
		return fmt.Errorf("%w: without profiles the key would have the default, which the maker may not name", ErrForbidden)
	}
	for _, p := range g.Profiles {
		if !by.MayName(p) {
			return fmt.Errorf("%w: the profile %q is not one that the maker may name", ErrForbidden, p)
		}
	}
	if by.Key != "" && !by.Expires.IsZero() && (g.Expires.IsZero() || g.Expires.After(by.Expires)) {
		return fmt.Errorf("%w: the key would outlive its maker's, which ends at %s", ErrForbidden, by.Expires.UTC().Format(time.RFC3339))
	}
	return nil
}

// Create makes a key. The token is told here and never again.
func (k *Keys) Create(ctx context.Context, by Caller, g Grant) (key Key, token string, err error) {
	now := k.Now()
	if err := g.check(by, now); err != nil {
		return Key{}, "", err
	}
	key, token, e := newKey(by, g, now)
	if err := k.record(ctx, e); err != nil {
		return Key{}, "", fmt.Errorf("make key: %w", err)
	}
	return key, token, nil
}

func newKey(by Caller, g Grant, now time.Time) (Key, string, palisade.Event) {
	id, secret, token := newToken("")
	payload := created{
		ID: id, Tenant: g.Tenant, Owner: g.Owner, Label: g.Label, Roles: g.Roles, Profiles: g.Profiles, Expires: g.Expires,
		Hash: hashOf(secret), By: by.Name,
	}
	key := Key{ID: id, Tenant: g.Tenant, Owner: g.Owner, Label: g.Label, Roles: g.Roles, Profiles: g.Profiles, Created: now, Expires: g.Expires}
	return key, token, palisade.Event{Kind: KindCreated, Time: now, Data: payload}
}

// Bootstrap makes the operator's key, an admin's of the tenant system, where there
// was never one. made is false where there was; then whoever lost it makes another
// on the gate's own machine.
func (k *Keys) Bootstrap(ctx context.Context, by string) (token string, made bool, err error) {
	operator := Operator(by)
	g := Grant{Tenant: System, Label: "first start", Roles: Roles(), Profiles: []string{AnyProfile}}
	_, token, e := newKey(operator, g, k.Now())
	if made, err = k.Log.AppendFirst(ctx, e, operators); err != nil {
		return "", false, fmt.Errorf("make the first key: %w", err)
	}
	if err := k.Index.Sync(ctx); err != nil {
		return "", false, fmt.Errorf("make the first key: %w", err)
	}
	if !made {
		return "", false, nil
	}
	return token, true, nil
}

// operators reports whether a key's payload is an operator's; in doubt, since what
// is no longer kept cannot be read, it is.
func operators(payload json.RawMessage) bool {
	var c created
	return json.Unmarshal(payload, &c) != nil || c.Tenant == System && slices.Contains(c.Roles, Admin)
}

// record puts an event on the log and holds requests to it from then on.
func (k *Keys) record(ctx context.Context, e palisade.Event) error {
	ctx = context.WithoutCancel(ctx) // what is on the record must take effect
	if err := k.Log.Append(ctx, e); err != nil {
		return err
	}
	if err := k.Index.Sync(ctx); err != nil {
		return fmt.Errorf("it is on the record, but the index is not up to date, so that it may not be in effect: %w", err)
	}
	return nil
}

// maxGrace bounds how long a rotated secret may go on.
const maxGrace = 7 * 24 * time.Hour

// Rotate gives a key another secret; the one before is good for grace still, so
// that whoever uses it can change over. An admin of its tenant may, and whoever
// comes with the key itself: with its newest secret, else ErrOutdated. A secret in
// its grace would take the key from whom it was rotated for.
func (k *Keys) Rotate(ctx context.Context, by Caller, id string, grace time.Duration) (token string, err error) {
	key, err := k.find(ctx, by, id)
	if err != nil {
		return "", err
	}
	now := k.Now()
	switch {
	case grace < 0 || grace > maxGrace:
		return "", fmt.Errorf("%w: a grace of %s: want at most %s", ErrInvalid, grace, maxGrace)
	case !key.Revoked.IsZero():
		return "", fmt.Errorf("%w: key %s was revoked: make a new one", ErrInvalid, id)
	case key.expired(now):
		return "", fmt.Errorf("%w: key %s has expired: make a new one", ErrInvalid, id)
	case by.Key == id && (len(key.Hashes) == 0 || key.Hashes[0] != by.hash):
		return "", fmt.Errorf("rotate key %s: %w", id, ErrOutdated)
	}
	payload := rotated{ID: id, Tenant: key.Tenant, By: by.Name}
	if grace > 0 {
		payload.Until = now.Add(grace)
	}
	_, secret, token := newToken(id)
	payload.Hash = hashOf(secret)
	if err := k.record(ctx, palisade.Event{Kind: KindRotated, Time: now, Data: payload}); err != nil {
		return "", fmt.Errorf("rotate key %s: %w", id, err)
	}
	return token, nil
}

// find returns a key that the caller may change.
func (k *Keys) find(ctx context.Context, by Caller, id string) (Key, error) {
	if parts := strings.Split(id, "_"); len(parts) > 2 && parts[0] == tokenMark {
		// Not quoted: its secret would stand in a terminal or a log.
		return Key{}, fmt.Errorf("%w: a token stands where a key's name should: name %.12q, the part after %s_", ErrUnknownKey, parts[1], tokenMark)
	}
	if !isID(id) {
		return Key{}, fmt.Errorf("key %.40q: %w", id, ErrUnknownKey)
	}
	if err := k.Index.Sync(ctx); err != nil {
		return Key{}, err
	}
	key, err := k.Index.Key(ctx, id)
	if err == nil && by.Key != id && !by.Holds(string(Admin), key.Tenant) {
		err = ErrUnknownKey // of others' keys it is not even told that they are there
	}
	if err != nil {
		return Key{}, fmt.Errorf("key %s: %w", id, err)
	}
	return key, nil
}

func (k Key) expired(now time.Time) bool { return !k.Expires.IsZero() && !now.Before(k.Expires) }

// Scope says how far a revocation goes.
type Scope string

// The scopes. All but one key's end sessions of people too.
const (
	OneKey    Scope = "key"    // one key
	OneOwner  Scope = "owner"  // all keys and sessions of one owner in a tenant
	OneTenant Scope = "tenant" // all of a tenant
	Everyone  Scope = "all"    // all there are
)

// Revocation says what ends.
type Revocation struct {
	Scope  Scope  `json:"scope"`
	Target string `json:"target,omitempty"` // the key's ID, or the owner
	Tenant string `json:"tenant,omitempty"` // empty for Everyone, and for a key: its own
	Reason string `json:"reason,omitempty"`
}

// revoked is the payload of a revocation.
type revoked struct {
	Revocation
	By string `json:"by"`
}

const maxReason = 500 // bytes

// Revoke ends keys: none that was made before is good for one more request. What
// they started goes on; see the kill switch for that.
func (k *Keys) Revoke(ctx context.Context, by Caller, r Revocation) error {
	if len(r.Reason) > maxReason {
		return fmt.Errorf("%w: the reason is longer than %d bytes", ErrInvalid, maxReason)
	}
	switch r.Scope {
	case OneKey:
		key, err := k.find(ctx, by, r.Target)
		if err != nil {
			return err
		}
		r.Tenant = key.Tenant
	case OneOwner, OneTenant:
		if err := ValidTenant(r.Tenant); err != nil {
			return err
		}
		if (r.Scope == OneOwner) != validOwner(r.Target) {
			return fmt.Errorf("%w: owner %.80q", ErrInvalid, r.Target)
		}
		if !by.Holds(string(Admin), r.Tenant) {
			return fmt.Errorf("revoke keys of tenant %s: %w: it takes an admin of that tenant", r.Tenant, ErrForbidden)
		}
	case Everyone:
		if r.Target != "" || r.Tenant != "" {
			return fmt.Errorf("%w: all keys have neither one tenant nor one owner", ErrInvalid)
		}
		if !by.Holds(string(Admin), Any) {
			return fmt.Errorf("revoke all keys: %w: it takes an admin of the tenant %s", ErrForbidden, System)
		}
	default:
		return fmt.Errorf("%w: scope %.20q", ErrInvalid, r.Scope)
	}
	if err := k.record(ctx, palisade.Event{Kind: KindRevoked, Time: k.Now(), Data: revoked{r, by.Name}}); err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	return nil
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Authenticate finds who comes with a token. An error that is not
// ErrUnauthenticated means that it could not be told; nobody is let in then
// either.
func (k *Keys) Authenticate(ctx context.Context, token string) (Caller, error) {
	id, secret, ok := parseToken(token)
	if !ok {
		return Caller{}, &Denied{Reason: "not of a token's form"}
	}
	key, err := k.Index.Key(ctx, id)
	if errors.Is(err, ErrUnknownKey) {
		matches(secret, []string{hashOf(tokenMark)}) // no quicker than for a key that there is
		return Caller{}, &Denied{Reason: "no key " + id}
	}
	if err != nil {
		return Caller{}, fmt.Errorf("authenticate: %w", err)
	}
	switch {
	case !matches(secret, key.Hashes):
		return Caller{}, &Denied{Reason: "wrong secret for key " + id}
	case !key.Revoked.IsZero():
		return Caller{}, &Denied{"key " + id + " is revoked", "this key was revoked at " + moment(key.Revoked)}
	case key.expired(k.Now()):
		return Caller{}, &Denied{"key " + id + " has expired", "this key expired at " + moment(key.Expires)}
	}
	return Caller{
		Tenant: key.Tenant, Name: key.identity(), Owner: key.Owner, Roles: key.Roles, Profiles: key.Profiles, Key: id, Expires: key.Expires,
		hash: hashOf(secret),
	}, nil
}
