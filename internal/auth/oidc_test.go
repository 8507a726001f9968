package auth

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// site is a gate's door with the login, and a browser that goes there.
type site struct {
	*gate
	*httptest.Server
	issuer   *issuer
	oidc     *OIDC
	sessions *Sessions
	browser  *http.Client
}

func newSite(t *testing.T, edit func(*OIDCConfig)) *site {
	t.Helper()
	s := &site{gate: newGate(t)}
	s.issuer = newIssuer(t, s.clock.now)
	var err error
	if s.sessions, err = NewSessions(filepath.Join(s.home, "keys", "session.key"), s.index, s.clock.now, 0); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	s.Server = httptest.NewTLSServer(mux)
	t.Cleanup(s.Close)
	c := OIDCConfig{
		Issuer: s.issuer.URL, ClientID: clientID, ClientSecret: clientSecret, RedirectURL: s.URL + "/auth/callback", Scopes: []string{"groups"}, Sessions: s.sessions,
		Rules: []Rule{
			{Claim: "groups", Value: "security", Tenant: "acme", Roles: []Role{Approver, Auditor}, Profiles: []string{"pal"}},
			{Claim: "realm_access.roles", Value: "admins", Tenant: "acme", Roles: []Role{Admin}},
			{Claim: "org", Value: "*", Tenant: "other", Roles: []Role{Submitter}},
		},
	}
	if edit != nil {
		edit(&c)
	}
	if s.oidc, err = NewOIDC(c); err != nil {
		t.Fatal(err)
	}
	door := Door{Keys: s.keys, Sessions: s.sessions}
	mux.Handle("/auth/", s.oidc.Handler())
	mux.HandleFunc("/who", func(w http.ResponseWriter, r *http.Request) {
		c, err := door.Caller(r)
		if errors.Is(err, ErrUnauthenticated) {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		if err != nil {
			http.Error(w, "internal", http.StatusInternalServerError)
			return
		}
		reply(w, c)
	})
	s.browser = s.newBrowser()
	return s
}

func (s *site) newBrowser() *http.Client {
	jar, _ := cookiejar.New(nil)
	client := *s.Client()
	client.Jar = jar
	return &client
}

// page is an answer without its text.
type page struct {
	Header  http.Header
	URL     *url.URL // after redirections
	Cookies []*http.Cookie
}

// get fetches a page and returns its status, its text and the rest.
func (s *site) get(client *http.Client, url string) (int, string, page) {
	s.t.Helper()
	if strings.HasPrefix(url, "/") {
		url = s.URL + url
	}
	r, err := client.Get(url)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return r.StatusCode, string(text), page{r.Header, r.Request.URL, r.Cookies()}
}

// who is the caller that the door takes the browser for.
func (s *site) who() (c Caller, ok bool) {
	s.t.Helper()
	status, text, _ := s.get(s.browser, "/who")
	if status != http.StatusOK {
		if status != http.StatusUnauthorized {
			s.t.Errorf("%d: %s", status, text)
		}
		return Caller{}, false
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		s.t.Fatal(err)
	}
	return c, true
}

func TestLogin(t *testing.T) {
	s := newSite(t, nil)
	if _, ok := s.who(); ok {
		t.Fatal("somebody is known before the login")
	}
	s.issuer.claims = map[string]any{"groups": []string{"staff", "security"}, "realm_access": map[string]any{"roles": []string{"admins"}}, "org": "x"}
	if status, text, r := s.get(s.browser, "/auth/login?to=/who%3Fa=1"); status != http.StatusOK || r.URL.RequestURI() != "/who?a=1" {
		t.Fatalf("%d %s: %s", status, r.URL, text)
	}
	c, ok := s.who()
	if !ok || c.Tenant != "acme" || c.Name != "user:248289761001" || !sameRoles(c.Roles, []Role{Approver, Auditor, Admin}) || strings.Join(c.Profiles, "") != "pal" || c.Key != "" || c.Expires.IsZero() {
		t.Errorf("%+v", c)
	}
	// Logged out, by this site's own page only.
	post := func(header, value string) int {
		t.Helper()
		r, _ := http.NewRequest(http.MethodPost, s.URL+"/auth/logout", nil)
		r.Header.Set(header, value)
		answer, err := s.browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if status := post("Origin", "https://evil.example"); status != http.StatusForbidden {
		t.Errorf("another site's page: %d", status)
	}
	if _, ok := s.who(); !ok {
		t.Error("another site logged us out")
	}
	if status := post("Origin", s.URL); status != http.StatusNoContent {
		t.Errorf("%d", status)
	}
	if _, ok := s.who(); ok {
		t.Error("still there after the logout")
	}
}

// TestCookies: what browsers are told of the cookies, and what answers carry.
func TestCookies(t *testing.T) {
	s := newSite(t, nil)
	s.issuer.claims = map[string]any{"org": "x"}
	s.browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	_, _, begun := s.get(s.browser, "/auth/login")
	_, _, asked := s.get(s.browser, begun.Header.Get("Location"))
	_, _, done := s.get(s.browser, asked.Header.Get("Location"))
	set := map[string]*http.Cookie{}
	for _, r := range []page{begun, done} {
		for _, c := range r.Cookies {
			if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || !strings.HasPrefix(c.Name, "__Host-") {
				t.Errorf("%+v", c)
			}
			if c.MaxAge > 0 {
				set[c.Name] = c
			}
			if strings.Contains(c.Value, "248289761001") || strings.Contains(c.Value, "other") {
				t.Errorf("a cookie tells: %s", c.Value)
			}
		}
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	if len(set) != 2 || set[sessionCookie].MaxAge != 3600 || set[loginCookie].MaxAge != 600 || done.Header.Get("Location") != "/" {
		t.Errorf("%v, %s", set, done.Header.Get("Location"))
	}
}

// TestSessionsEnd: by time, by every kind of revocation of a person, by the
// deletion of the key.
func TestSessionsEnd(t *testing.T) {
	s := newSite(t, nil)
	s.issuer.claims = map[string]any{"org": "x"}
	for what, end := range map[string]func(){
		"time":          func() { s.clock.pass(time.Hour) },
		"the person":    func() { s.revoke(Revocation{Scope: OneOwner, Tenant: "other", Target: "248289761001"}) },
		"the tenant":    func() { s.revoke(Revocation{Scope: OneTenant, Tenant: "other"}) },
		"everyone":      func() { s.revoke(Revocation{Scope: Everyone}) },
		"another clock": func() { s.clock.pass(25 * time.Hour) },
	} {
		s.get(s.browser, "/auth/login?to=/who")
		if c, ok := s.who(); !ok || c.Tenant != "other" {
			t.Fatalf("%s: not logged in: %+v", what, c)
		}
		s.revoke(Revocation{Scope: OneOwner, Tenant: "other", Target: "someone-else"})
		s.revoke(Revocation{Scope: OneTenant, Tenant: "third"})
		if _, ok := s.who(); !ok {
			t.Errorf("%s: ended by another's end", what)
		}
		end()
		if _, ok := s.who(); ok {
			t.Errorf("%s: the session goes on", what)
		}
	}
	s.get(s.browser, "/auth/login?to=/who")
	file := filepath.Join(s.home, "keys", "session.key")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || info.Size() != 32 {
		t.Error(info, err)
	}
	again, err := NewSessions(file, s.index, s.clock.now, 0)
	if err != nil {
		t.Fatal(err)
	}
	cookie := s.cookie(sessionCookie)
	if _, err := again.caller(t.Context(), cookie); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if again, err = NewSessions(file, s.index, s.clock.now, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := again.caller(t.Context(), cookie); !errors.Is(err, ErrUnauthenticated) {
		t.Errorf("under another key: %v", err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewSessions(file, s.index, s.clock.now, 0); err == nil {
		t.Error("a key that all can read was taken")
	}
}

func (s *site) revoke(r Revocation) {
	s.t.Helper()
	if err := s.keys.Revoke(s.t.Context(), operator, r); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) cookie(name string) string {
	u, _ := url.Parse(s.URL)
	for _, c := range s.browser.Jar.Cookies(u) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// TestForgedSessions: no byte of a cookie can be changed, one kind is not
// another, and two are none.
func TestForgedSessions(t *testing.T) {
	s := newSite(t, nil)
	s.issuer.claims = map[string]any{"org": "x"}
	s.get(s.browser, "/auth/login?to=/who")
	good := s.cookie(sessionCookie)
	if _, err := s.sessions.caller(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	forged := []string{"", "x", good + "A", strings.Repeat("A", 10000), good[1:]}
	for i := range good {
		other := byte('A')
		if good[i] == 'A' {
			other = 'B'
		}
		forged = append(forged, good[:i]+string(other)+good[i+1:])
	}
	loginValue, err := s.sessions.seal(loginCookie, session{Tenant: System, Owner: "x", Roles: Roles(), Began: s.clock.now(), Ends: s.clock.now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	forged = append(forged, loginValue)
	for _, f := range forged {
		if c, err := s.sessions.caller(t.Context(), f); !errors.Is(err, ErrUnauthenticated) || c.Tenant != "" {
			t.Errorf("%.60s: %+v, %v", f, c, err)
		}
	}
	door := Door{Keys: s.keys, Sessions: s.sessions}
	ask := func(edit func(r *http.Request)) error {
		r := httptest.NewRequest(http.MethodPost, s.URL+"/v1/x", nil)
		r.AddCookie(&http.Cookie{Name: sessionCookie, Value: good})
		edit(r)
		_, err := door.Caller(r)
		return err
	}
	_, token := s.key(operator, grant("acme", Submitter))
	for what, c := range map[string]struct {
		edit func(r *http.Request)
		in   bool
	}{
		"this site":        {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }, true},
		"no browser":       {func(*http.Request) {}, true},
		"another site":     {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, false},
		"a sibling":        {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, false},
		"another origin":   {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, false},
		"two cookies":      {func(r *http.Request) { r.AddCookie(&http.Cookie{Name: sessionCookie, Value: good}) }, false},
		"a bad key beside": {func(r *http.Request) { r.Header.Set("X-API-Key", "pal_x_y") }, false},
		"an empty key":     {func(r *http.Request) { r.Header.Set("X-API-Key", "") }, false},
		"a password":       {func(r *http.Request) { r.SetBasicAuth("a", "b") }, false},
		"a key":            {func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) }, true},
		"a key, E2B's way": {func(r *http.Request) { r.Header.Set("X-API-KEY", token) }, true},
		"two keys": {func(r *http.Request) {
			r.Header.Set("X-API-Key", token)
			r.Header.Set("Authorization", "Bearer "+token)
		}, false},
	} {
		if err := ask(c.edit); c.in != (err == nil) || err != nil && !errors.Is(err, ErrUnauthenticated) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := (Door{Keys: s.keys}).Caller(httptest.NewRequest(http.MethodGet, "/", nil)); !errors.Is(err, ErrUnauthenticated) {
		t.Error(err)
	}
}

// TestLoginIsRefused: who the issuer does not vouch for properly is not let in.
func TestLoginIsRefused(t *testing.T) {
	s := newSite(t, nil)
	known := map[string]any{"org": "x"}
	claim := func(name string, v any) func() {
		return func() { s.issuer.claims = map[string]any{"org": "x", name: v} }
	}
	tamper := func(f func(header, claims map[string]any) func([]byte) []byte) func() {
		return func() { s.issuer.tamper = f }
	}
	for what, c := range map[string]struct {
		spoil  func()
		status int
	}{
		"nothing wrong":   {func() {}, http.StatusOK},
		"no rule":         {func() { s.issuer.claims = map[string]any{"groups": []string{"staff"}} }, http.StatusForbidden},
		"an empty claim":  {claim("org", ""), http.StatusForbidden},
		"an odd claim":    {claim("org", map[string]any{"a": 1}), http.StatusForbidden},
		"an odd name":     {claim("sub", "a b\x1b"), http.StatusForbidden},
		"another's token": {claim("aud", "other-client"), http.StatusBadGateway},
		"another issuer":  {claim("iss", "https://evil.example"), http.StatusBadGateway},
		"expired":         {claim("exp", s.clock.now().Add(-time.Hour).Unix()), http.StatusBadGateway},
		"no end":          {claim("exp", nil), http.StatusBadGateway},
		"another nonce":   {claim("nonce", "x"), http.StatusBadGateway},
		"no nonce":        {claim("nonce", nil), http.StatusBadGateway},
		"unsigned": {tamper(func(h, _ map[string]any) func([]byte) []byte {
			h["alg"] = "none"
			return func([]byte) []byte { return nil }
		}), http.StatusBadGateway},
		"the client's secret": {tamper(func(h, _ map[string]any) func([]byte) []byte {
			h["alg"] = "HS256"
			return hmacSign([]byte(clientSecret))
		}), http.StatusBadGateway},
		"the public key": {tamper(func(h, _ map[string]any) func([]byte) []byte {
			h["alg"] = "HS256"
			return hmacSign(s.issuer.key.N.Bytes())
		}), http.StatusBadGateway},
		"another's signature": {tamper(func(_, _ map[string]any) func([]byte) []byte { return func([]byte) []byte { return make([]byte, 256) } }), http.StatusBadGateway},
	} {
		s.issuer.claims, s.issuer.tamper = known, nil
		s.browser = s.newBrowser()
		c.spoil()
		status, text, _ := s.get(s.browser, "/auth/login?to=/who")
		if _, ok := s.who(); status != c.status || ok != (c.status == http.StatusOK) {
			t.Errorf("%s: %d %s", what, status, text)
		}
	}
}

// TestCallbackIsOfThisBrowser: a code is good only where its login was begun,
// once, and in time; and nothing that comes with it is said again.
func TestCallbackIsOfThisBrowser(t *testing.T) {
	s := newSite(t, nil)
	s.issuer.claims = map[string]any{"org": "x"}
	stop := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	// begin goes as far as the issuer's answer, in a browser of its own.
	begin := func() (*http.Client, string) {
		b := s.newBrowser()
		b.CheckRedirect = stop
		_, _, begun := s.get(b, "/auth/login")
		_, _, asked := s.get(b, begun.Header.Get("Location"))
		return b, asked.Header.Get("Location")
	}
	mine, callback := begin()
	victim, theirs := begin()
	for _, c := range []struct {
		what string
		b    *http.Client
		url  string
	}{
		{"no login", s.newBrowser(), callback},
		{"another's login", victim, callback},
		{"used up", victim, theirs}, // the try before took the login away
	} {
		if status, text, r := s.get(c.b, c.url); status != http.StatusBadRequest || strings.Contains(text, "code-") || len(r.Cookies) > 1 {
			t.Errorf("%s: %d %s %v", c.what, status, text, r.Cookies)
		}
	}
	if status, _, _ := s.get(mine, callback); status != http.StatusSeeOther {
		t.Errorf("the browser that began: %d", status)
	}
	if status, _, _ := s.get(mine, callback); status != http.StatusBadRequest {
		t.Errorf("a second time: %d", status)
	}
	slow, late := begin()
	s.clock.pass(11 * time.Minute)
	if status, _, _ := s.get(slow, late); status != http.StatusBadRequest {
		t.Errorf("too late: %d", status)
	}
	refused, back := begin()
	u, _ := url.Parse(back)
	q := u.Query()
	u.RawQuery = url.Values{"state": q["state"], "error": {"<script>alert(1)</script>"}}.Encode()
	if status, text, _ := s.get(refused, u.String()); status != http.StatusForbidden || strings.Contains(text, "script") {
		t.Errorf("the issuer's refusal: %d %s", status, text)
	}
	// A code that was stolen on its way is of no use without the verifier.
	thief, stolen := begin()
	_, other := begin()
	su, _ := url.Parse(stolen)
	ou, _ := url.Parse(other)
	q = su.Query()
	q.Set("code", ou.Query().Get("code"))
	su.RawQuery = q.Encode()
	if status, _, _ := s.get(thief, su.String()); status != http.StatusBadGateway {
		t.Errorf("a stolen code: %d", status)
	}
}

func TestLocalPage(t *testing.T) {
	for to, want := range map[string]string{
		"/runs?a=b": "/runs?a=b", "": "/", "runs": "/", "//evil.example": "/", "/\\evil.example": "/", "https://evil.example": "/", "/\t/evil.example": "/",
		"javascript:alert(1)": "/", "///evil.example": "/", "/a\r\nSet-Cookie: x": "/", "/%2f/evil": "/%2f/evil", "/" + strings.Repeat("a", 2000): "/", "/x:y": "/x:y",
	} {
		if got := localPage(to); got != want {
			t.Errorf("%.40q: %.40q", to, got)
		}
	}
}

// TestEmailMustBeVerified: a person is not named by an address that nobody
// vouches for.
func TestEmailMustBeVerified(t *testing.T) {
	c := OIDCConfig{NameClaim: "email", Rules: []Rule{{Claim: "org", Value: "*", Tenant: "acme", Roles: []Role{Submitter}}}}
	for verified, in := range map[any]bool{true: true, false: false, nil: false, "true": false} {
		who, err := c.resolve(map[string]any{"org": "x", "email": "ann@example.org", "email_verified": verified})
		if in != (err == nil) || in && (who.Owner != "ann@example.org" || who.Tenant != "acme") {
			t.Errorf("%v: %+v, %v", verified, who, err)
		}
	}
}

func TestOIDCConfig(t *testing.T) {
	s := newSite(t, nil)
	whole := s.oidc.c
	for what, spoil := range map[string]func(*OIDCConfig){
		"no TLS":            func(c *OIDCConfig) { c.Issuer = "http://login.example.org" },
		"no URL":            func(c *OIDCConfig) { c.Issuer = "login.example.org" },
		"a password in it":  func(c *OIDCConfig) { c.Issuer = "https://a:b@login.example.org" },
		"redirect, no TLS":  func(c *OIDCConfig) { c.RedirectURL = "http://gate.example.org/auth/callback" },
		"no client":         func(c *OIDCConfig) { c.ClientID = "" },
		"no rules":          func(c *OIDCConfig) { c.Rules = nil },
		"no sessions":       func(c *OIDCConfig) { c.Sessions = nil },
		"a rule's tenant":   func(c *OIDCConfig) { c.Rules = []Rule{{"a", "b", "A", []Role{Admin}, nil}} },
		"a rule's role":     func(c *OIDCConfig) { c.Rules = []Rule{{"a", "b", "a", []Role{"root"}, nil}} },
		"a rule for nobody": func(c *OIDCConfig) { c.Rules = []Rule{{"a", "", "a", []Role{Admin}, nil}} },
	} {
		c := whole
		spoil(&c)
		if _, err := NewOIDC(c); err == nil {
			t.Errorf("%s: taken", what)
		}
	}
	// An issuer that is down: the login says so, keys work on, and it is reached
	// once it is up.
	s.issuer.Close()
	c := whole
	o, err := NewOIDC(c)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	o.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/auth/login", nil))
	if w.Code != http.StatusBadGateway || strings.Contains(w.Body.String(), s.issuer.URL) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestBodiesAreNotWaitedFor: strangers hold no connection of the login by a body that
// does not come.
func TestBodiesAreNotWaitedFor(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{"/auth/login", "/auth/logout", "/auth/none"} {
		body, rest := io.Pipe()
		go func() { _, _ = io.WriteString(rest, "x") }()
		r, err := http.NewRequest(http.MethodPost, s.URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = 1000
		start := time.Now()
		late := time.AfterFunc(5*time.Second, func() { _ = rest.Close() })
		if resp, err := s.Client().Do(r); err == nil { // else the connection was closed
			_ = resp.Body.Close()
		}
		if late.Stop(); time.Since(start) > 4*time.Second {
			t.Errorf("%s: it waited for the body", path)
		}
		_ = rest.Close()
	}
}
