package local_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"palisade"
	"palisade/internal/auth"
	"palisade/internal/store"
	"palisade/local"
)

// index opens the index at home.
func index(t *testing.T, home string) *local.Index {
	t.Helper()
	i, err := local.OpenIndex(t.Context(), local.Config{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.Close() })
	return i
}

// TestKeysAndIndexAgree: package auth writes on the record what package store
// reads from it; neither knows the other.
func TestKeysAndIndexAgree(t *testing.T) {
	home := t.TempDir()
	i, other := index(t, home), index(t, home)
	operator := auth.Operator("uid:0")
	end := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	g := auth.Grant{Tenant: "acme", Owner: "ann@example.org", Label: "nightly, job", Roles: []auth.Role{auth.Submitter, auth.Approver}, Profiles: []string{"pal", "*"}, Expires: end}
	made, token, err := i.Keys.Create(t.Context(), operator, g)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/v1/executions", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	c, err := other.Door.Caller(r)
	want := auth.Caller{Tenant: "acme", Name: "user:ann@example.org", Owner: "ann@example.org", Roles: g.Roles, Profiles: g.Profiles, Key: made.ID, Expires: end}
	if err != nil || !equalJSON(t, c, want) {
		t.Errorf("%+v, %v\nwant %+v", c, err, want)
	}
	keys, err := other.Store.Keys(t.Context(), c, "")
	if err != nil || len(keys) != 1 || keys[0].Label != g.Label || keys[0].Maker != "uid:0" {
		t.Errorf("its owner sees %+v, %v", keys, err)
	}
	for _, rev := range []auth.Revocation{
		{Scope: auth.OneKey, Target: made.ID}, {Scope: auth.OneOwner, Tenant: "acme", Target: "ann@example.org"}, {Scope: auth.OneTenant, Tenant: "acme"}, {Scope: auth.Everyone},
	} {
		k, token, err := i.Keys.Create(t.Context(), operator, g)
		if err != nil {
			t.Fatal(err)
		}
		if rev.Scope == auth.OneKey {
			rev.Target = k.ID
		}
		if err := i.Keys.Revoke(t.Context(), operator, rev); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Keys.Authenticate(t.Context(), token); !errors.Is(err, auth.ErrUnauthenticated) {
			t.Errorf("%s: %v", rev.Scope, err)
		}
	}
	for _, first := range []bool{true, false} {
		if _, made, err := other.Keys.Bootstrap(t.Context(), "uid:0"); err != nil || made != first {
			t.Errorf("the operator's key: %v, %v", made, err)
		}
	}
	if got, err := i.Rebuild(t.Context()); err != nil || !got.Compared || len(got.Differences) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func equalJSON(t *testing.T, a, b any) bool {
	t.Helper()
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return string(x) == string(y)
}

// TestIndexOfRealRuns: what a gate does is in its index, under the ID that the
// door named; a claimed request is told of its outcome and does not run again.
func TestIndexOfRealRuns(t *testing.T) {
	gate := open(t, local.Config{Home: t.TempDir(), Door: "http"})
	i, err := gate.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.Close() })
	_, token, err := i.Keys.Create(t.Context(), auth.Operator("uid:0"), auth.Grant{Tenant: "acme", Roles: []auth.Role{auth.Submitter}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := i.Keys.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	id := local.NewRunID()
	claim, err := i.Claim(t.Context(), c, "once", palisade.Digest{1}, id)
	if err != nil || !claim.Mine {
		t.Fatalf("%+v, %v", claim, err)
	}
	s := program("print(6 * 7)")
	s.Run, s.Tenant, s.Submitter, s.Conversation = id, c.Tenant, c.Name, "talk-1"
	out, err := gate.Run(t.Context(), s)
	if err != nil || out.Run != id || out.Status != palisade.OK {
		t.Fatalf("%+v, %v", out, err)
	}
	r, err := i.Store.Run(t.Context(), c, id)
	if err != nil || r.Status != "ok" || !r.MayHaveRun || !r.Started || r.Door != "http" || r.Tenant != "acme" || r.Submitter != c.Name || r.Conversation != "talk-1" || r.Profile != "data" || r.Language != "python" {
		t.Errorf("%+v, %v", r, err)
	}
	again, err := i.Claim(t.Context(), c, "once", palisade.Digest{1}, local.NewRunID())
	if err != nil || again.Mine || again.Run != id || again.Earlier.Status != "ok" {
		t.Errorf("%+v, %v", again, err)
	}
	asks := program("import urllib.request\nurllib.request.urlopen('https://example.org/')")
	asks.Tenant, asks.Submitter = c.Tenant, c.Name
	asked, err := gate.Run(t.Context(), asks)
	if err != nil || asked.Approval == nil {
		t.Fatalf("%+v, %v", asked, err)
	}
	q, err := i.Question(t.Context(), c, asked.Approval.Ticket)
	if err != nil || q.Run != asked.Run || q.Tenant != "acme" || q.Submitter != c.Name || q.Binding != asked.Approval.Binding.String() || q.Standing(time.Now()) != store.Waiting ||
		!q.Expires.Equal(asked.Approval.Expires) || q.Severity == "" {
		t.Errorf("%+v, %v", q, err)
	}
	denied := program("import os\nos.system('id')")
	denied.Tenant, denied.Submitter = "other", "key:x"
	if _, err := gate.Run(t.Context(), denied); err != nil {
		t.Fatal(err)
	}
	page, err := i.Runs(t.Context(), c, store.RunFilter{})
	var statuses []string
	for _, r := range page.Items {
		statuses = append(statuses, r.Status)
	}
	if err != nil || !slices.Equal(statuses, []string{"approval_required", "ok"}) {
		t.Errorf("%v, %v", statuses, err)
	}
	if got, err := i.Rebuild(t.Context()); err != nil || !got.Compared || len(got.Differences) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLoginFromConfiguration: a login that is configured is wired, and one that
// cannot work is refused when the index is opened.
func TestLoginFromConfiguration(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(home, name)
		_ = os.Remove(file)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	login := func(roles string) {
		write("config.yaml", "auth: {oidc: {issuer: 'https://login.example.org', client: c, secret_file: secret, redirect: 'https://gate.example.org/auth/callback', rules: [{claim: g, value: x, tenant: acme, roles: ["+roles+"]}]}}\n", 0o600)
	}
	login("approver")
	for _, bad := range []struct {
		text string
		mode os.FileMode
	}{{"hunter2", 0o644}, {" \n", 0o600}} {
		write("secret", bad.text, bad.mode)
		if i, err := local.OpenIndex(t.Context(), local.Config{Home: home}); err == nil {
			i.Close()
			t.Errorf("the secret %q with mode %o was taken", bad.text, bad.mode)
		}
	}
	write("secret", "hunter2\n", 0o600)
	if i := index(t, home); i.OIDC == nil || i.Door.Sessions == nil {
		t.Error("no login")
	}
	if info, err := os.Stat(filepath.Join(home, "keys", "session.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	login("root")
	if i, err := local.OpenIndex(t.Context(), local.Config{Home: home}); err == nil {
		i.Close()
		t.Error("a role that there is not was taken")
	}
	if i := index(t, t.TempDir()); i.OIDC != nil || i.Door.Sessions != nil {
		t.Error("a login that nobody configured")
	}
}
