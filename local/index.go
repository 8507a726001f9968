package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"palisade"
	"palisade/internal/audit"
	"palisade/internal/auth"
	"palisade/internal/config"
	"palisade/internal/store"
)

// Index is the index of a gate's record, with the keys that are on it.
type Index struct {
	*store.Store
	Keys *auth.Keys
	// Door finds who sends an HTTP request; OIDC lets people in. Nil where no
	// login is configured.
	Door auth.Door
	OIDC *auth.OIDC

	record *audit.Log
	log    *audit.Log // that this opened itself; nil: a gate's
}

// OpenIndex opens the index of a gate's record, without a sandbox.
func OpenIndex(ctx context.Context, c Config) (*Index, error) {
	cfg, err := Settings(c)
	if err != nil {
		return nil, err
	}
	log, err := openLog(ctx, c, cfg)
	if err != nil {
		return nil, err
	}
	i, err := openIndex(ctx, c, cfg, log)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	i.log = log
	return i, nil
}

// Index opens the index of the gate's own record. Close it before the gate.
func (g *Gate) Index(ctx context.Context) (*Index, error) {
	cfg, err := Settings(g.config)
	if err != nil {
		return nil, err
	}
	return openIndex(ctx, g.config, cfg, g.log)
}

// Close closes the database, and the record if nobody else has it open.
func (i *Index) Close() error {
	err := i.Store.Close()
	if i.log != nil {
		err = errors.Join(err, i.log.Close())
	}
	return err
}

// databaseFolder refuses a database in a folder that is not there, unless it is
// inside the state folder, which is the gate's to fill: the folder may be one that is
// not mounted, or a slip, and an index there would go unseen.
func databaseFolder(cfg *config.Config) error {
	if cfg.Store.Postgres() != "" {
		return nil
	}
	if rel, err := filepath.Rel(cfg.State, cfg.Store.Database); err == nil && filepath.IsLocal(rel) {
		return nil
	}
	folder := filepath.Dir(cfg.Store.Database)
	_, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the folder %s does not exist: make it (mkdir -m 700), or mount it", cfg.At("store.database"), folder)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", cfg.At("store.database"), err)
	}
	return nil
}

func openIndex(ctx context.Context, c Config, cfg *config.Config, log *audit.Log) (*Index, error) {
	if err := databaseFolder(cfg); err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, store.Config{
		File: cfg.Store.Database, DSN: cfg.Store.Postgres(), Log: followed{log}, Now: time.Now, Retention: cfg.Store.Retention, Logger: c.logger(),
	})
	if err != nil {
		return nil, err
	}
	keys := &auth.Keys{Log: keyLog{log}, Index: keyIndex{s}, Now: time.Now}
	i := &Index{Store: s, Keys: keys, Door: auth.Door{Keys: keys}, record: log}
	if cfg.Auth.OIDC.Issuer == "" {
		return i, nil
	}
	if err := i.openLogin(c, cfg); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return i, nil
}

// openLogin makes ready what people log in by; the issuer is not reached yet.
func (i *Index) openLogin(c Config, cfg *config.Config) error {
	o := cfg.Auth.OIDC
	sessions, err := auth.NewSessions(cfg.SessionKey(), i.Keys.Index, time.Now, o.Session)
	if err != nil {
		return err
	}
	secret, err := clientSecret(o.SecretFile)
	if err != nil {
		return err
	}
	login := auth.OIDCConfig{
		Issuer: o.Issuer, ClientID: o.Client, ClientSecret: secret, RedirectURL: o.Redirect, Scopes: o.Scopes, NameClaim: o.Name,
		Sessions: sessions, Logger: c.logger(),
	}
	for _, r := range o.Rules {
		roles, err := auth.ParseRoles(r.Roles)
		if err != nil {
			return fmt.Errorf("auth.oidc.rules: %w", err)
		}
		login.Rules = append(login.Rules, auth.Rule{Claim: r.Claim, Value: r.Value, Tenant: r.Tenant, Roles: roles, Profiles: r.Profiles})
	}
	if i.OIDC, err = auth.NewOIDC(login); err != nil {
		return err
	}
	i.Door.Sessions = sessions
	return nil
}

const maxClientSecret = 4096 // bytes

// clientSecret reads what the issuer gave this gate; only its owner may.
func clientSecret(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("auth.oidc.secret_file: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || info.Size() > maxClientSecret {
		return "", fmt.Errorf("auth.oidc.secret_file: %s: want a small file that only its owner can read (chmod 600)", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("auth.oidc.secret_file: %w", err)
	}
	secret := strings.TrimSpace(string(data))
	if secret == "" {
		return "", fmt.Errorf("auth.oidc.secret_file: %s is empty", file)
	}
	return secret, nil
}

// followed is the record as the index follows it: the packages are stages and do
// not know each other.
type followed struct{ log *audit.Log }

// Append implements [store.Log].
func (f followed) Append(ctx context.Context, e palisade.Event) error {
	return f.log.Append(ctx, true, e)
}

// Snapshot implements [store.Log].
func (f followed) Snapshot(ctx context.Context) (store.View, error) {
	v, err := f.log.Snapshot(ctx)
	return snapshot{v}, err
}

type snapshot struct{ audit.View }

// Origin implements [store.View].
func (s snapshot) Origin() string { return s.Head().Origin }

// RootAt implements [store.View].
func (s snapshot) RootAt(size int64) (string, error) {
	root, err := s.View.RootAt(size)
	return root.String(), err
}

// Records implements [store.View].
func (s snapshot) Records(from int64) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for r, err := range s.View.Records(from) {
			if !yield(store.Record{Index: r.Index, Run: r.Run, Kind: r.Kind, Time: r.Time, Size: r.Size, Data: r.Data}, err) {
				return
			}
		}
	}
}

// keyLog is the record as keys are put on it.
type keyLog struct{ log *audit.Log }

// Append implements [auth.Log].
func (k keyLog) Append(ctx context.Context, e palisade.Event) error {
	return k.log.Append(ctx, true, e)
}

// AppendFirst implements [auth.Log].
func (k keyLog) AppendFirst(ctx context.Context, e palisade.Event, like func(json.RawMessage) bool) (first bool, err error) {
	err = k.log.Update(ctx, func(v audit.View) ([]palisade.Event, error) {
		for r, err := range v.Records(0, e.Kind) {
			if err != nil || like(r.Data) {
				return nil, err // there is one, or that cannot be told
			}
		}
		first = true
		return []palisade.Event{e}, nil
	})
	return first && err == nil, err
}

// keyIndex is the index as keys are looked up in it.
type keyIndex struct{ *store.Store }

// Key implements [auth.Index].
func (k keyIndex) Key(ctx context.Context, id string) (auth.Key, error) {
	found, err := k.KeyByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return auth.Key{}, auth.ErrUnknownKey
	}
	if err != nil {
		return auth.Key{}, err
	}
	key := auth.Key{
		ID: found.ID, Tenant: found.Tenant, Owner: found.Owner, Label: found.Label, Profiles: found.Profiles,
		Created: found.Created, Expires: found.Expires, Revoked: found.Revoked, Hashes: found.Hashes,
	}
	for _, r := range found.Roles {
		key.Roles = append(key.Roles, auth.Role(r))
	}
	return key, nil
}
