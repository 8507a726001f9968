package auth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"palisade"
)

func TestWrongTokensAreRefused(t *testing.T) {
	g := newGate(t)
	id, token := g.key(operator, grant("acme", Submitter))
	_, other := g.key(operator, grant("acme", Admin))
	secret := strings.TrimPrefix(token, "pal_"+id+"_")
	for what, bad := range map[string]string{
		"nothing": "", "words": "let me in", "no secret": "pal_" + id + "_", "short": token[:len(token)-1], "long": token + "0",
		"another's secret": "pal_" + id + "_" + other[len(other)-secretLength:], "no such key": "pal_" + strings.Repeat("0", idLength) + "_" + secret,
		"case": strings.ToUpper(token), "a space": token + " ", "a newline": token + "\n", "SQL": "pal_' OR 1=1--00_" + secret, "huge": strings.Repeat(token, 1000),
		"the hash": "pal_" + id + "_" + hashOf(secret)[:secretLength],
	} {
		g.out(what, bad)
	}
	c := g.caller(token)
	if c.Tenant != "acme" || c.Name != "key:"+id || c.Key != id || !sameRoles(c.Roles, []Role{Submitter}) || len(c.Profiles) > 0 {
		t.Errorf("%+v", c)
	}
}

// TestTokenForm: enough chance, of a form that scanners can find, and nothing of
// it on the record or in the index.
func TestTokenForm(t *testing.T) {
	g := newGate(t)
	form := regexp.MustCompile(`^pal_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}$`)
	seen, digitsSeen := map[string]bool{}, map[byte]int{}
	for range 300 {
		_, _, token := newToken("")
		if !form.MatchString(token) || seen[token] {
			t.Fatal(token)
		}
		seen[token] = true
		for i := len(token) - secretLength; i < len(token)-1; i++ {
			digitsSeen[token[i]]++
		}
	}
	if len(digitsSeen) != len(digits) {
		t.Errorf("secrets are of %d different digits", len(digitsSeen))
	}
	_, token := g.key(operator, grant("acme", Submitter))
	if _, err := g.keys.Rotate(t.Context(), operator, strings.Split(token, "_")[1], 0); err != nil {
		t.Fatal(err)
	}
	secret := token[len(token)-secretLength:]
	found := 0
	err := filepath.WalkDir(g.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the secret", path)
		}
		if strings.Contains(string(data), hashOf(secret)) {
			found++
		}
		return err
	})
	if err != nil || found < 2 {
		t.Errorf("%d files hold its hash, %v: did the test look in the right place?", found, err)
	}
}

// TestRevocationHoldsAtOnce: for the next request, in this process and in another
// one, after a restart, and after the index was made anew from the log.
func TestRevocationHoldsAtOnce(t *testing.T) {
	g := newGate(t)
	other := &gate{t: t, home: g.home, clock: g.clock}
	other.open()
	tokens := map[string]string{}
	make := func() {
		for name, gr := range map[string]Grant{
			"one": grant("acme", Submitter), "two": grant("acme", Submitter), "ann": {Tenant: "acme", Owner: "ann", Roles: []Role{Approver}},
			"ann2": {Tenant: "acme", Owner: "ann", Roles: []Role{Submitter}}, "ann-other": {Tenant: "other", Owner: "ann", Roles: []Role{Approver}}, "other": grant("other", Admin),
		} {
			_, tokens[name] = g.key(operator, gr)
		}
	}
	check := func(when, good string) {
		t.Helper()
		for name, token := range tokens {
			for _, process := range []*gate{g, other} {
				if want := strings.Contains(" "+good+" ", " "+name+" "); want {
					if _, err := process.keys.Authenticate(t.Context(), token); err != nil {
						t.Errorf("%s: %s: %v", when, name, err)
					}
				} else {
					process.out(when+": "+name, token)
				}
			}
		}
	}
	revoke := func(r Revocation) {
		t.Helper()
		r.Reason = "test"
		if err := g.keys.Revoke(t.Context(), operator, r); err != nil {
			t.Fatal(err)
		}
	}
	make()
	check("all", "one two ann ann2 ann-other other")
	revoke(Revocation{Scope: OneKey, Target: strings.Split(tokens["one"], "_")[1]})
	check("one key", "two ann ann2 ann-other other")
	revoke(Revocation{Scope: OneOwner, Target: "ann", Tenant: "acme"})
	check("one owner", "two ann-other other")
	revoke(Revocation{Scope: OneTenant, Tenant: "acme"})
	check("one tenant", "ann-other other")
	_, tokens["later"] = g.key(operator, grant("acme", Submitter))
	check("made later", "ann-other other later")
	g.log.Close()
	g.index.Close()
	g.open()
	check("restart", "ann-other other later")
	if r, err := g.index.Rebuild(t.Context()); err != nil || len(r.Differences) > 0 {
		t.Error(r, err)
	}
	check("rebuild", "ann-other other later")
	revoke(Revocation{Scope: Everyone})
	check("all of them", "")
	make()
	check("after the end", "one two ann ann2 ann-other other")
}

func TestRotation(t *testing.T) {
	g := newGate(t)
	id, first := g.key(operator, Grant{Tenant: "acme", Roles: []Role{Submitter}, Expires: g.clock.now().Add(time.Hour)})
	second, err := g.keys.Rotate(t.Context(), g.caller(first), id, time.Minute) // by itself
	if err != nil {
		t.Fatal(err)
	}
	if a, b := g.caller(first), g.caller(second); a.Name != b.Name || a.Key != id || second == first {
		t.Errorf("%+v, %+v", a, b)
	}
	outdated := g.caller(first)
	if token, err := g.keys.Rotate(t.Context(), outdated, id, time.Minute); !errors.Is(err, ErrOutdated) || token != "" {
		t.Errorf("the token before took the key back: %q, %v", token, err)
	}
	g.clock.pass(2 * time.Minute)
	g.out("after the grace", first)
	if _, err := g.keys.Rotate(t.Context(), outdated, id, 0); !errors.Is(err, ErrOutdated) {
		t.Errorf("who came in before the grace's end: %v", err)
	}
	third, err := g.keys.Rotate(t.Context(), operator, id, 0)
	if err != nil {
		t.Fatal(err)
	}
	g.out("rotated at once", second)
	g.caller(third)
	for _, grace := range []time.Duration{-1, 8 * 24 * time.Hour} {
		if _, err := g.keys.Rotate(t.Context(), operator, id, grace); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", grace, err)
		}
	}
	g.clock.pass(time.Hour)
	g.out("expired", third)
	if _, err := g.keys.Rotate(t.Context(), operator, id, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("an expired key was rotated: %v", err)
	}
	dead, token := g.key(operator, grant("acme", Submitter))
	if err := g.keys.Revoke(t.Context(), operator, Revocation{Scope: OneKey, Target: dead}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.keys.Rotate(t.Context(), operator, dead, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("a revoked key was rotated: %v", err)
	}
	g.out("revoked", token)
}

// TestNobodyHandsOutMore goes through who may make, rotate and revoke what.
func TestNobodyHandsOutMore(t *testing.T) {
	g := newGate(t)
	_, adminToken := g.key(operator, Grant{Tenant: "acme", Roles: []Role{Admin}, Profiles: []string{"pal"}, Expires: g.clock.now().Add(time.Hour)})
	admin := g.caller(adminToken)
	otherID, otherToken := g.key(operator, grant("other", Submitter))
	soon, late := g.clock.now().Add(time.Minute), g.clock.now().Add(2*time.Hour)
	systemOther := Caller{Tenant: System, Name: "user:x", Roles: []Role{Submitter, Approver, Auditor}}
	for what, c := range map[string]struct {
		by   Caller
		g    Grant
		want error
	}{
		"in its tenant":          {admin, Grant{Tenant: "acme", Roles: []Role{Admin}, Profiles: []string{"pal"}, Expires: soon}, nil},
		"in another":             {admin, Grant{Tenant: "other", Roles: []Role{Submitter}, Expires: soon}, ErrForbidden},
		"in the operator's":      {admin, Grant{Tenant: System, Roles: []Role{Auditor}, Expires: soon}, ErrForbidden},
		"another profile":        {admin, Grant{Tenant: "acme", Roles: []Role{Submitter}, Profiles: []string{"agent"}, Expires: soon}, ErrForbidden},
		"all profiles":           {admin, Grant{Tenant: "acme", Roles: []Role{Submitter}, Profiles: []string{"*"}, Expires: soon}, ErrForbidden},
		"a later end":            {admin, Grant{Tenant: "acme", Roles: []Role{Submitter}, Expires: late}, ErrForbidden},
		"no end":                 {admin, Grant{Tenant: "acme", Roles: []Role{Submitter}}, ErrForbidden},
		"no admin":               {Caller{Tenant: "acme", Name: "x", Roles: []Role{Submitter, Approver, Auditor}}, grant("acme", Submitter), ErrForbidden},
		"nobody":                 {Caller{}, grant("acme", Submitter), ErrForbidden},
		"nobody with roles":      {Caller{Roles: Roles()}, grant("acme", Submitter), ErrForbidden},
		"the operator's auditor": {systemOther, grant("acme", Submitter), ErrForbidden},
		"the operator":           {operator, Grant{Tenant: "acme", Roles: Roles(), Profiles: []string{"*"}}, nil},
		"no role":                {operator, Grant{Tenant: "acme"}, ErrInvalid},
		"an unknown role":        {operator, grant("acme", "root"), ErrInvalid},
		"a tenant's form":        {operator, grant("Acme", Submitter), ErrInvalid},
		"any tenant":             {operator, grant("*", Submitter), ErrInvalid},
		"no tenant":              {operator, grant("", Submitter), ErrInvalid},
		"an owner's form":        {operator, Grant{Tenant: "acme", Owner: "a b", Roles: []Role{Submitter}}, ErrInvalid},
		"a label's form":         {operator, Grant{Tenant: "acme", Label: "a\x1b[31mb", Roles: []Role{Submitter}}, ErrInvalid},
		"a profile's form":       {operator, Grant{Tenant: "acme", Profiles: []string{"a b"}, Roles: []Role{Submitter}}, ErrInvalid},
		"an end that was":        {operator, Grant{Tenant: "acme", Roles: []Role{Submitter}, Expires: g.clock.now().Add(-time.Hour)}, ErrInvalid},
	} {
		if _, token, err := g.keys.Create(t.Context(), c.by, c.g); !errors.Is(err, c.want) || (token == "") != (c.want != nil) {
			t.Errorf("%s: %q, %v", what, token, err)
		}
	}
	if _, err := g.keys.Rotate(t.Context(), admin, otherID, 0); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("another tenant's key: %v", err)
	}
	for what, c := range map[string]struct {
		by   Caller
		r    Revocation
		want error
	}{
		"another's key":         {admin, Revocation{Scope: OneKey, Target: otherID}, ErrUnknownKey},
		"no such key":           {operator, Revocation{Scope: OneKey, Target: "0123456789ab"}, ErrUnknownKey},
		"no key at all":         {operator, Revocation{Scope: OneKey, Target: "' OR ''='"}, ErrUnknownKey},
		"another tenant":        {admin, Revocation{Scope: OneTenant, Tenant: "other"}, ErrForbidden},
		"another's owner":       {admin, Revocation{Scope: OneOwner, Tenant: "other", Target: "ann"}, ErrForbidden},
		"everyone":              {admin, Revocation{Scope: Everyone}, ErrForbidden},
		"everyone of a tenant":  {operator, Revocation{Scope: Everyone, Tenant: "acme"}, ErrInvalid},
		"nothing":               {operator, Revocation{}, ErrInvalid},
		"an owner of no tenant": {operator, Revocation{Scope: OneOwner, Target: "ann"}, ErrInvalid},
		"a tenant with a key":   {operator, Revocation{Scope: OneTenant, Tenant: "acme", Target: "x"}, ErrInvalid},
		"a novel":               {operator, Revocation{Scope: Everyone, Reason: strings.Repeat("x", 501)}, ErrInvalid},
		"its tenant":            {admin, Revocation{Scope: OneTenant, Tenant: "acme"}, nil},
	} {
		if err := g.keys.Revoke(t.Context(), c.by, c.r); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	g.caller(otherToken)
	if err := g.keys.Revoke(t.Context(), g.caller(otherToken), Revocation{Scope: OneKey, Target: otherID}); err != nil {
		t.Errorf("whoever has a key may end it: %v", err)
	}
	g.out("ended by itself", otherToken)
}

// TestFirstKey: of many first starts at once, one makes the key, whatever other keys
// there are; later ones none.
func TestFirstKey(t *testing.T) {
	g := newGate(t)
	if _, _, err := g.keys.Create(t.Context(), Operator("uid:0"), Grant{Tenant: Default, Roles: []Role{Submitter}}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var made []string
	var all sync.WaitGroup
	for range 8 {
		process := &gate{t: t, home: g.home, clock: g.clock}
		process.open()
		all.Go(func() {
			token, yes, err := process.keys.Bootstrap(t.Context(), "uid:0")
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if yes {
				made = append(made, token)
			} else if token != "" {
				t.Error("a token was told that is not one")
			}
		})
	}
	all.Wait()
	if len(made) != 1 {
		t.Fatalf("%d keys", len(made))
	}
	c := g.caller(made[0])
	if !c.Holds("admin", Any) || !c.Holds("auditor", "acme") || c.Holds("submitter", "acme") || !c.Holds("submitter", System) || !c.MayName("agent") {
		t.Errorf("%+v", c)
	}
	if err := g.keys.Revoke(t.Context(), c, Revocation{Scope: Everyone}); err != nil {
		t.Fatal(err)
	}
	if _, yes, err := g.keys.Bootstrap(t.Context(), "uid:0"); yes || err != nil {
		t.Errorf("a first key was made twice: %v", err)
	}
}

// failing is a log or an index that does not work.
type failing struct {
	Log
	Index
	err error
}

func (f failing) Append(context.Context, palisade.Event) error { return f.err }
func (f failing) Key(context.Context, string) (Key, error)     { return Key{}, f.err }

// TestDoubtMeansNo: what cannot be recorded is not told, and whoever cannot be
// looked up is not let in.
func TestDoubtMeansNo(t *testing.T) {
	g := newGate(t)
	id, token := g.key(operator, grant("acme", Submitter))
	broken := failing{Index: g.index, err: errors.New("disk full")}
	k := &Keys{Log: broken, Index: g.index, Now: g.clock.now}
	if _, token, err := k.Create(t.Context(), operator, grant("acme", Submitter)); err == nil || token != "" {
		t.Error(token, err)
	}
	if token, err := k.Rotate(t.Context(), operator, id, 0); err == nil || token != "" {
		t.Error(token, err)
	}
	if err := k.Revoke(t.Context(), operator, Revocation{Scope: OneKey, Target: id}); err == nil {
		t.Error("revoked without a record")
	}
	g.caller(token)
	k = &Keys{Log: g.keys.Log, Index: broken, Now: g.clock.now}
	if c, err := k.Authenticate(t.Context(), token); err == nil || errors.Is(err, ErrUnauthenticated) || c.Tenant != "" {
		t.Error(c, err)
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		c      Caller
		role   Role
		tenant string
		want   bool
	}{
		{Caller{Tenant: "a", Roles: Roles()}, Admin, "a", true},
		{Caller{Tenant: "a", Roles: Roles()}, Admin, "b", false},
		{Caller{Tenant: "a", Roles: Roles()}, Admin, Any, false},
		{Caller{Tenant: "a", Roles: Roles()}, Admin, "", false},
		{Caller{Tenant: "a"}, Submitter, "a", false},
		{Caller{Roles: Roles()}, Admin, "", false},
		{Caller{Tenant: System, Roles: Roles()}, Auditor, "a", true},
		{Caller{Tenant: System, Roles: Roles()}, Approver, Any, true},
		{Caller{Tenant: System, Roles: Roles()}, Submitter, "a", false},
		{Caller{Tenant: System, Roles: []Role{Submitter}}, Admin, "a", false},
		{Caller{Tenant: Any, Roles: Roles()}, Admin, "a", false},
	} {
		if got := c.c.Holds(string(c.role), c.tenant); got != c.want {
			t.Errorf("%+v holds %s in %q: %v", c.c, c.role, c.tenant, got)
		}
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct {
		what  string
		valid func(string) bool
		good  []string
		bad   []string
	}{
		{"tenant", validTenant, []string{"a", "0", "a-b", "a-", strings.Repeat("a", 63)}, []string{"", "-a", "A", "a_b", "a.b", "ä", "a\n", "*", strings.Repeat("a", 64)}},
		{"owner", validOwner, []string{"a", "ann@example.org", "auth0|5f", "urn:x/y=z"}, []string{"", "@a", "a b", "ä", "a\x00", "a\u202eb", strings.Repeat("a", 129)}},
		{"profile", validProfile, []string{"*", "pal", "my.profile_2-x"}, []string{"", "**", "a*", "-a", "a b", "a,b"}},
		{"label", validLabel, []string{"nightly job", "Größe: 3 €", strings.Repeat("ü", 100)}, []string{"", " a", "a\tb", "a\x1b[m", "a\u202eb", "a\u200bb", "\xff", "a\xff", strings.Repeat("ü", 101)}},
	} {
		for _, text := range c.good {
			if !c.valid(text) {
				t.Errorf("%s %q was refused", c.what, text)
			}
		}
		for _, text := range c.bad {
			if c.valid(text) {
				t.Errorf("%s %q was taken", c.what, text)
			}
		}
	}
}
