package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"palisade/internal/auth"
	"palisade/internal/httpapi"
)

// TestOutdatedToken: a token that was replaced is good for its grace, and not for
// taking the key back.
func TestOutdatedToken(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	w.key("blue submitter")
	path := "/v1/keys/" + w.ids["blue submitter"] + "/rotate"
	rotated := w.ask("blue submitter", "POST", path, `{"grace_seconds": 60}`)
	if rotated.status != 200 {
		t.Fatalf("%d %s", rotated.status, rotated.text)
	}
	if a := w.ask("blue submitter", "GET", "/v1/me", ""); a.status != 200 {
		t.Errorf("in its grace: %d %s", a.status, a.text)
	}
	if a := w.ask("blue submitter", "POST", path, `{}`); a.status != 403 || a.member("code") != "forbidden" || !strings.Contains(a.text, "only the key's newest token rotates it") {
		t.Errorf("it rotated the key again: %d %s", a.status, a.text)
	}
	w.keys["newest"] = rotated.member("token")
	if a := w.ask("newest", "POST", path, `{}`); a.status != 200 {
		t.Errorf("the newest: %d %s", a.status, a.text)
	}
}

// TestWhyNobody: whoever has the secret of a key that ended is told that it did, and
// anyone else nothing, not even whether there is such a key.
func TestWhyNobody(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	w.key("blue submitter")
	ends := time.Now().Add(time.Second)
	_, short, err := w.index.Keys.Create(t.Context(), operator, auth.Grant{Tenant: "blue", Roles: []auth.Role{auth.Submitter}, Expires: ends})
	must(t, err)
	w.keys["short"] = short
	w.ask("blue admin", "DELETE", "/v1/keys/"+w.ids["blue submitter"], "")
	time.Sleep(time.Until(ends))
	for who, want := range map[string]string{"blue submitter": "this key was revoked at 20", "short": "this key expired at 20"} {
		a := w.ask(who, "GET", "/v1/me", "")
		if a.status != 401 || a.member("code") != "unauthenticated" || !strings.HasPrefix(a.member("message"), want) || a.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %d %s", who, a.status, a.text)
		}
	}
	w.key("red submitter")
	nobody := w.ask("", "GET", "/v1/me", "").text
	secret := "_" + strings.Repeat("0", 43)
	for what, token := range map[string]string{
		"revoked": "pal_" + w.ids["blue submitter"] + secret, "expired": strings.Join(strings.Split(short, "_")[:2], "_") + secret,
		"good": "pal_" + w.ids["red submitter"] + secret, "unknown": "pal_" + strings.Repeat("0", 12) + secret,
	} {
		w.keys[what] = token
		if a := w.ask(what, "GET", "/v1/me", ""); a.status != 401 || a.text != nobody {
			t.Errorf("a %s key with another secret: %d %s", what, a.status, a.text)
		}
	}
}

// TestRevokedWhileItWaited: what a key asked for is not begun once the key has ended,
// whether its body was still on its way or its program waited for a place.
func TestRevokedWhileItWaited(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{Running: 1})
	for _, c := range []struct{ who, path, body string }{
		{"blue submitter", "/v1/executions", `{"code": "print(1)"}`},
		{"blue admin", "/v1/keys", `{"roles": ["admin"], "profiles": ["data"]}`},
	} {
		token := w.key(c.who)
		body, rest := io.Pipe()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.web.URL+c.path, body)
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		go func() {
			_, _ = io.WriteString(rest, c.body[:9])
			time.Sleep(200 * time.Millisecond) // who it is was asked by then
			w.ask("system admin", "DELETE", "/v1/keys/"+w.ids[c.who], "")
			_, _ = io.WriteString(rest, c.body[9:])
			_ = rest.Close()
		}()
		resp, err := http.DefaultClient.Do(r)
		must(t, err)
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d", c.path, resp.StatusCode)
		}
	}
	first := w.run("red submitter", "sleep", "Prefer", "respond-async").member("run")
	waits := w.run("red spare", "print(1)", "Prefer", "respond-async").member("run")
	w.ask("red admin", "DELETE", "/v1/keys/"+w.ids["red spare"], "")
	w.ask("red submitter", "POST", "/v1/executions/"+first+"/cancel", `{}`)
	a := w.ask("red admin", "GET", "/v1/executions/"+waits, "")
	for end := time.Now().Add(10 * time.Second); a.member("state") != "done" && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		a = w.ask("red admin", "GET", "/v1/executions/"+waits, "")
	}
	if a.member("outcome.status") != "interrupted" || a.member("may_have_run") != "false" || w.ran.Load() > 1 {
		t.Errorf("%d programs ran: %s", w.ran.Load(), a.text)
	}
}

// TestNamesAreOfATenant: an auditor of the system who is called as a tenant's submitter
// is sees their runs and questions, and ends neither.
func TestNamesAreOfATenant(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	for name, g := range map[string]auth.Grant{
		"ann":      {Tenant: "blue", Owner: "ann", Roles: []auth.Role{auth.Submitter}, Profiles: []string{"data"}},
		"namesake": {Tenant: auth.System, Owner: "ann", Roles: []auth.Role{auth.Auditor}},
	} {
		_, token, err := w.index.Keys.Create(t.Context(), operator, g)
		must(t, err)
		w.keys[name] = token
	}
	run, asked := w.sleeping("ann"), w.run("ann", "ask")
	deny := "/v1/approvals/" + asked.member("approval.ticket") + "/deny"
	digest := `{"digest": "` + asked.member("approval.digest") + `"}`
	for _, c := range []struct {
		who, path, body string
		status          int
	}{
		{"namesake", "/v1/executions/" + run, "", 200},
		{"namesake", "/v1/executions/" + run + "/cancel", `{}`, 403},
		{"namesake", deny, digest, 403},
		{"ann", "/v1/executions/" + run + "/cancel", `{}`, 202},
		{"ann", deny, digest, 200},
	} {
		method := "POST"
		if c.body == "" {
			method = "GET"
		}
		if a := w.ask(c.who, method, c.path, c.body); a.status != c.status {
			t.Errorf("%s: %s: %d %s", c.who, c.path, a.status, a.text)
		}
	}
}
