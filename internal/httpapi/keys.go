package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"palisade/internal/auth"
	"palisade/internal/store"
)

// Keys makes and ends keys; it holds whoever asks to what they may.
type Keys interface {
	Create(ctx context.Context, by auth.Caller, g auth.Grant) (auth.Key, string, error)
	Rotate(ctx context.Context, by auth.Caller, id string, grace time.Duration) (string, error)
	Revoke(ctx context.Context, by auth.Caller, r auth.Revocation) error
}

const keysPath = "/v1/keys"

type keysInput struct {
	Tenant string `query:"tenant" maxLength:"63" doc:"Of this tenant only."`
}

type keysOutput struct {
	Body struct {
		Items []store.Key `json:"items"`
	}
}

type createInput struct {
	Body struct {
		Tenant   string    `json:"tenant,omitempty" maxLength:"63" doc:"Left out: the caller's."`
		Owner    string    `json:"owner,omitempty" maxLength:"128" doc:"The human or service that gets it: all keys of one owner are one identity."`
		Label    string    `json:"label,omitempty" maxLength:"100"`
		Roles    []string  `json:"roles" nullable:"false" minItems:"1" maxItems:"4" enum:"submitter,approver,auditor,admin"`
		Profiles []string  `json:"profiles,omitempty" nullable:"false" maxItems:"100" doc:"That it may name; *: all; none: only the default."`
		Expires  time.Time `json:"expires,omitzero" required:"false" doc:"Left out: never."`
	}
}

// NewKey is a key with its token, which is told once.
type NewKey struct {
	auth.Key
	Token string `json:"token" doc:"Told here and never again."`
}

type newKeyOutput struct {
	Status int
	Body   NewKey
}

type rotateInput struct {
	Key  string `path:"key" maxLength:"64"`
	Body *struct {
		Grace int64 `json:"grace_seconds,omitempty" minimum:"0" maximum:"604800" doc:"For how long the token before is good still."`
	}
}

type tokenOutput struct {
	Body struct {
		Token string `json:"token" doc:"Told here and never again."`
	}
}

type revokeKeyInput struct {
	Key string `path:"key" maxLength:"64"`
}

type revokeInput struct {
	Body struct {
		Scope  string `json:"scope" enum:"key,owner,tenant,all"`
		Target string `json:"target,omitempty" maxLength:"128" doc:"The key's ID, or the owner."`
		Tenant string `json:"tenant,omitempty" maxLength:"63" doc:"Of an owner's or a tenant's; left out: the caller's."`
		Reason string `json:"reason,omitempty" maxLength:"500"`
	}
}

type meOutput struct{ Body auth.Caller }

func (s *Server) keys(api huma.API) {
	op := operation(http.MethodGet, "/v1/me", "whoAmI", "Who the caller is", "Tenant, identity, roles and profiles of the key.", "keys")
	op.Errors = []int{401, 429}
	register(s, api, op, nil, func(ctx context.Context, _ *emptyInput) (*meOutput, error) {
		c := callerOf(ctx)
		c.Profiles = append([]string{}, c.Profiles...)
		return &meOutput{c}, nil
	})

	op = operation(http.MethodGet, keysPath, "listKeys", "List keys", "Those of the tenants that the caller administers, else their own; without secrets.", "keys")
	op.Errors = []int{401, 422, 429}
	register(s, api, op, nil, func(ctx context.Context, in *keysInput) (*keysOutput, error) {
		keys, err := s.c.Index.Keys(ctx, callerOf(ctx), in.Tenant)
		if err != nil {
			return nil, s.known("", err)
		}
		out := &keysOutput{}
		out.Body.Items = append([]store.Key{}, keys...)
		return out, nil
	})

	op = operation(http.MethodPost, keysPath, "createKey", "Make a key", "Nobody hands out more than they have.", "keys")
	op.DefaultStatus = http.StatusCreated
	op.Errors = []int{401, 415, 422, 429}
	register(s, api, op, []auth.Role{auth.Admin}, s.createKey)

	op = operation(http.MethodPost, keysPath+"/{key}/rotate", "rotateKey", "Give a key another secret", "An admin of its tenant may, and whoever comes with the key itself, with its newest token.", "keys")
	op.Errors = []int{401, 403, 404, 415, 422, 429}
	register(s, api, op, nil, func(ctx context.Context, in *rotateInput) (*tokenOutput, error) {
		var grace time.Duration
		if in.Body != nil {
			grace = time.Duration(in.Body.Grace) * time.Second
		}
		token, err := s.c.Keys.Rotate(ctx, callerOf(ctx), in.Key, grace)
		if err != nil {
			return nil, s.known("", err)
		}
		out := &tokenOutput{}
		out.Body.Token = token
		return out, nil
	})

	op = operation(http.MethodDelete, keysPath+"/{key}", "revokeKey", "End a key", "For its next request. What it started goes on. An admin of its tenant may, and whoever comes with the key itself.", "keys")
	op.Errors = []int{401, 404, 429}
	register(s, api, op, nil, func(ctx context.Context, in *revokeKeyInput) (*struct{}, error) {
		return s.revoke(ctx, auth.Revocation{Scope: auth.OneKey, Target: in.Key})
	})

	op = operation(http.MethodPost, "/v1/revocations", "revokeKeys", "End keys", "One, all of an owner or of a tenant with their sessions, or all there are: that takes an admin of the tenant system.", "keys")
	op.Errors = []int{401, 404, 415, 422, 429}
	register(s, api, op, []auth.Role{auth.Admin}, func(ctx context.Context, in *revokeInput) (*struct{}, error) {
		r := auth.Revocation{Scope: auth.Scope(in.Body.Scope), Target: in.Body.Target, Tenant: in.Body.Tenant, Reason: in.Body.Reason}
		if r.Tenant == "" && (r.Scope == auth.OneOwner || r.Scope == auth.OneTenant) {
			r.Tenant = callerOf(ctx).Tenant
		}
		return s.revoke(ctx, r)
	})
}

func (s *Server) createKey(ctx context.Context, in *createInput) (*newKeyOutput, error) {
	caller := callerOf(ctx)
	roles, err := auth.ParseRoles(in.Body.Roles)
	if err != nil {
		return nil, s.known("", err)
	}
	g := auth.Grant{
		Tenant: in.Body.Tenant, Owner: in.Body.Owner, Label: in.Body.Label, Roles: roles, Profiles: in.Body.Profiles, Expires: in.Body.Expires,
	}
	if g.Tenant == "" {
		g.Tenant = caller.Tenant
	}
	key, token, err := s.c.Keys.Create(ctx, caller, g)
	if err != nil {
		return nil, s.known("", err)
	}
	key.Profiles = append([]string{}, key.Profiles...)
	return &newKeyOutput{http.StatusCreated, NewKey{key, token}}, nil
}

// revoke ends keys; the answer is 204.
func (s *Server) revoke(ctx context.Context, r auth.Revocation) (*struct{}, error) {
	if err := s.c.Keys.Revoke(ctx, callerOf(ctx), r); err != nil {
		return nil, s.known("", err)
	}
	return nil, nil
}
