package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// OIDCConfig says which issuer people log in at and what its claims mean here.
// Issuer, ClientID, RedirectURL, Rules and Sessions are required.
type OIDCConfig struct {
	// Issuer is the URL of the OpenID provider: https, or the loopback.
	Issuer   string
	ClientID string
	// ClientSecret may be empty for a public client: PKCE is always used.
	ClientSecret string
	// RedirectURL is this gate's /auth/callback as browsers reach it.
	RedirectURL string
	// Scopes beside openid.
	Scopes []string
	// NameClaim names a person. Empty: sub. With email the issuer must also say
	// that the address is verified.
	NameClaim string
	// Rules say who has which roles where; who meets none is refused.
	Rules    []Rule
	Sessions *Sessions
	// Client reaches the issuer. Nil: one with a timeout of 10 s.
	Client *http.Client
	// Logger gets why a login was refused. Nil: none.
	Logger *slog.Logger
}

// Rule gives roles in a tenant to whoever has a claim with a value. The first
// rule that is met names the tenant; later ones for the same tenant add to it.
type Rule struct {
	Claim    string // its name, or its path with dots, such as realm_access.roles
	Value    string // the claim, or one of its values; "*": any that is not empty
	Tenant   string
	Roles    []Role
	Profiles []string
}

// OIDC lets people in by their organization's login.
type OIDC struct {
	c      OIDCConfig
	scopes []string

	mu       sync.Mutex
	provider *oidc.Provider // once the issuer was reached
}

// NewOIDC checks a configuration. The issuer is reached when the first person
// logs in, so that the gate starts without it.
func NewOIDC(c OIDCConfig) (*OIDC, error) {
	if c.ClientID == "" || c.Sessions == nil || len(c.Rules) == 0 {
		return nil, errors.New("oidc: a client, sessions and at least one rule are required")
	}
	for name, text := range map[string]string{"issuer": c.Issuer, "redirect": c.RedirectURL} {
		if err := checkURL(text); err != nil {
			return nil, fmt.Errorf("oidc: %s %w", name, err)
		}
	}
	for i, r := range c.Rules {
		var names []string
		for _, role := range r.Roles {
			names = append(names, string(role))
		}
		_, err := ParseRoles(names)
		if err := errors.Join(err, ValidTenant(r.Tenant)); err != nil {
			return nil, fmt.Errorf("oidc: rule %d: %w", i+1, err)
		}
		if r.Claim == "" || r.Value == "" {
			return nil, fmt.Errorf("oidc: rule %d: %w: a claim and its value are required", i+1, ErrInvalid)
		}
	}
	if c.NameClaim == "" {
		c.NameClaim = "sub"
	}
	if c.Client == nil {
		c.Client = &http.Client{Timeout: 10 * time.Second}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	scopes := []string{oidc.ScopeOpenID}
	for _, s := range c.Scopes {
		if !slices.Contains(scopes, s) {
			scopes = append(scopes, s)
		}
	}
	return &OIDC{c: c, scopes: scopes}, nil
}

// checkURL holds a URL to TLS, except on the loopback.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("%.100q: %w: want a URL", text, ErrInvalid)
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback) {
		return fmt.Errorf("%.100q: %w: want https", text, ErrInvalid)
	}
	return nil
}

// connect returns the issuer's client, reached once.
func (o *OIDC) connect(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.provider == nil {
		// The provider keeps its context for the issuer's keys later on.
		p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), o.c.Client), o.c.Issuer)
		if err != nil {
			return nil, nil, fmt.Errorf("reach %s: %w", o.c.Issuer, err)
		}
		o.provider = p
	}
	return o.provider, &oauth2.Config{
		ClientID: o.c.ClientID, ClientSecret: o.c.ClientSecret, Endpoint: o.provider.Endpoint(), RedirectURL: o.c.RedirectURL, Scopes: o.scopes,
	}, nil
}

// login is what a browser keeps, sealed, while a person is at the issuer.
type login struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"`
	To       string    `json:"t"` // the page to go on to
	Ends     time.Time `json:"e"`
}

// bodyTime is how long a body may take that is not wanted.
const bodyTime = 500 * time.Millisecond

// Handler serves GET /auth/login, which takes ?to=/page, GET /auth/callback and
// POST /auth/logout.
func (o *OIDC) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /auth/login", o.login)
	mux.HandleFunc("GET /auth/callback", o.callback)
	mux.Handle("POST /auth/logout", new(http.CrossOriginProtection).Handler(http.HandlerFunc(o.logout)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody { // none of them takes one, and the server waits for it before it answers
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
		}
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		mux.ServeHTTP(w, r)
	})
}

func (o *OIDC) login(w http.ResponseWriter, r *http.Request) {
	_, client, err := o.connect(r.Context())
	if err != nil {
		o.refuse(w, r, http.StatusBadGateway, "The login service cannot be reached. Try again later.", err)
		return
	}
	l := login{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		To: localPage(r.URL.Query().Get("to")), Ends: o.c.Sessions.now().Add(loginTime),
	}
	value, err := o.c.Sessions.seal(loginCookie, l)
	if err != nil {
		o.refuse(w, r, http.StatusInternalServerError, "The login could not be started.", err)
		return
	}
	setCookie(w, loginCookie, value, loginTime)
	http.Redirect(w, r, client.AuthCodeURL(l.State, oidc.Nonce(l.Nonce), oauth2.S256ChallengeOption(l.Verifier)), http.StatusFound)
}

func (o *OIDC) callback(w http.ResponseWriter, r *http.Request) {
	cookies := r.CookiesNamed(loginCookie)
	setCookie(w, loginCookie, "", -1) // one login, one try
	var l login
	q := r.URL.Query()
	switch {
	case len(cookies) != 1:
		o.refuse(w, r, http.StatusBadRequest, "No login was begun in this browser. Begin again.", fmt.Errorf("%d login cookies", len(cookies)))
		return
	case o.c.Sessions.unseal(loginCookie, cookies[0].Value, &l) != nil || !o.c.Sessions.now().Before(l.Ends):
		o.refuse(w, r, http.StatusBadRequest, "The login took too long. Begin again.", errors.New("the login cookie is not good"))
		return
	case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(l.State)) != 1:
		o.refuse(w, r, http.StatusBadRequest, "This is not the login that was begun in this browser. Begin again.", errors.New("the state differs"))
		return
	case q.Get("error") != "" || q.Get("code") == "":
		o.refuse(w, r, http.StatusForbidden, "The login service did not let you in.", fmt.Errorf("the issuer says %.100q", q.Get("error")))
		return
	}
	who, err := o.person(r.Context(), l, q.Get("code"))
	switch {
	case errors.Is(err, ErrForbidden):
		o.refuse(w, r, http.StatusForbidden, "You are known, and have no role here. Ask whoever runs this gate.", err)
		return
	case err != nil:
		o.refuse(w, r, http.StatusBadGateway, "The login could not be completed. Begin again.", err)
		return
	}
	if err := o.c.Sessions.begin(w, who); err != nil {
		o.refuse(w, r, http.StatusInternalServerError, "The login could not be completed.", err)
		return
	}
	http.Redirect(w, r, l.To, http.StatusSeeOther)
}

func (o *OIDC) logout(w http.ResponseWriter, _ *http.Request) {
	o.c.Sessions.end(w)
	w.WriteHeader(http.StatusNoContent)
}

// refuse answers with a text of our own; what the issuer or the browser sent is
// for operators alone.
func (o *OIDC) refuse(w http.ResponseWriter, r *http.Request, status int, text string, err error) {
	o.c.Logger.WarnContext(r.Context(), "login refused", slog.Int("status", status), slog.Any("error", err))
	http.Error(w, text, status)
}

// person redeems a code and reads who came with it.
func (o *OIDC) person(ctx context.Context, l login, code string) (session, error) {
	ctx = oidc.ClientContext(ctx, o.c.Client)
	provider, client, err := o.connect(ctx)
	if err != nil {
		return session{}, err
	}
	tokens, err := client.Exchange(ctx, code, oauth2.VerifierOption(l.Verifier))
	if err != nil {
		return session{}, fmt.Errorf("redeem the code: %w", err)
	}
	raw, ok := tokens.Extra("id_token").(string)
	if !ok {
		return session{}, errors.New("the issuer sent no ID token")
	}
	// Asymmetric algorithms only: the client's secret must not sign.
	id, err := provider.VerifierContext(ctx, &oidc.Config{
		ClientID: o.c.ClientID, Now: o.c.Sessions.now,
		SupportedSigningAlgs: []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA},
	}).Verify(ctx, raw)
	if err != nil {
		return session{}, fmt.Errorf("ID token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(l.Nonce)) != 1 {
		return session{}, errors.New("ID token: the nonce differs")
	}
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return session{}, fmt.Errorf("ID token: %w", err)
	}
	return o.c.resolve(claims)
}

// resolve reads who somebody is, and which roles they have.
func (c OIDCConfig) resolve(claims map[string]any) (session, error) {
	name, _ := lookup(claims, c.NameClaim).(string)
	if !validOwner(name) {
		return session{}, fmt.Errorf("%w: the claim %s does not name a person: %.80q", ErrForbidden, c.NameClaim, name)
	}
	if verified, _ := claims["email_verified"].(bool); c.NameClaim == "email" && !verified {
		return session{}, fmt.Errorf("%w: the issuer does not vouch for the address %.80q", ErrForbidden, name)
	}
	who := session{Owner: name}
	for _, r := range c.Rules {
		if who.Tenant != "" && who.Tenant != r.Tenant || !r.met(claims) {
			continue
		}
		who.Tenant = r.Tenant
		for _, role := range r.Roles {
			if !slices.Contains(who.Roles, role) {
				who.Roles = append(who.Roles, role)
			}
		}
		for _, p := range r.Profiles {
			if !slices.Contains(who.Profiles, p) {
				who.Profiles = append(who.Profiles, p)
			}
		}
	}
	if who.Tenant == "" {
		return session{}, fmt.Errorf("%w: no rule is met by %.80q", ErrForbidden, name)
	}
	return who, nil
}

// met reports whether a person's claims meet the rule.
func (r Rule) met(claims map[string]any) bool {
	is := func(v any) bool {
		text, ok := v.(string)
		return ok && text != "" && (r.Value == "*" || text == r.Value)
	}
	v := lookup(claims, r.Claim)
	list, ok := v.([]any)
	if !ok {
		return is(v)
	}
	return slices.ContainsFunc(list, is)
}

// lookup finds a claim by its name, else by its path.
func lookup(claims map[string]any, name string) any {
	if v, ok := claims[name]; ok {
		return v
	}
	first, rest, nested := strings.Cut(name, ".")
	inner, ok := claims[first].(map[string]any)
	if !nested || !ok {
		return nil
	}
	return lookup(inner, rest)
}

// localPage keeps a page to go on to within this site.
func localPage(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
		strings.ContainsAny(to, "\\\r\n\t\x00") || len(to) > 1000 {
		return "/"
	}
	return to
}
