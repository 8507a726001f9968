package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"palisade/internal/yamlfile"
)

// database reads a file's path or the URL of a PostgreSQL database.
func (r *reader) database(n *yamlfile.Node) {
	text := r.Text(n)
	if !strings.Contains(text, "://") {
		r.c.Store.Database = r.absolute(n)
		return
	}
	u, err := url.Parse(text)
	if err != nil || len(text) > 2000 || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		r.Fail(n, "not the URL of a PostgreSQL database", "write postgres://user@host/database?sslmode=verify-full, or the path of a file")
		return
	}
	r.c.Store.Database = text
}

// Postgres is the URL of the PostgreSQL database; empty: it is a file.
func (s Store) Postgres() string {
	if strings.Contains(s.Database, "://") {
		return s.Database
	}
	return ""
}

// masked is a database's name without its password.
func masked(database string) string {
	if !strings.Contains(database, "://") {
		return database
	}
	u, err := url.Parse(database)
	if err != nil {
		return "(does not read)"
	}
	q := u.Query()
	for name := range q {
		if strings.Contains(strings.ToLower(name), "password") {
			q.Set(name, "xxxxx")
		}
	}
	u.RawQuery = q.Encode()
	return u.Redacted()
}

// oidc reads the organization's login.
func (r *reader) oidc(n *yamlfile.Node) {
	o := OIDC{Session: time.Hour}
	r.Keys(n, map[string]func(*yamlfile.Node){
		"issuer":      r.text(&o.Issuer),
		"client":      r.text(&o.Client),
		"secret_file": r.path(&o.SecretFile),
		"redirect":    r.text(&o.Redirect),
		"scopes":      r.list(&o.Scopes),
		"name":        r.text(&o.Name),
		"session":     func(n *yamlfile.Node) { o.Session = r.Duration(n, maxSession) },
		"rules":       func(n *yamlfile.Node) { o.Rules = r.rules(n) },
	})
	for _, one := range []struct{ name, value, fix string }{
		{"issuer", o.Issuer, "write issuer: https://login.example.org"},
		{"client", o.Client, "write client: with the ID that the issuer gave this gate"},
		{"redirect", o.Redirect, "write redirect: https://this-gate.example.org/auth/callback"},
	} {
		if one.value == "" {
			r.Fail(n, "a login needs "+one.name, one.fix)
		}
	}
	if len(o.Rules) == 0 {
		r.Fail(n, "a login needs rules", "write rules: [{claim: groups, value: security, tenant: default, roles: [approver]}]")
	}
	r.c.Auth.OIDC = o
}

// rules reads who has which roles. The roles themselves are known to package
// auth, which is asked when a gate opens its doors.
func (r *reader) rules(n *yamlfile.Node) []OIDCRule {
	var all []OIDCRule
	for _, item := range r.Items(n) {
		var one OIDCRule
		r.Keys(item, map[string]func(*yamlfile.Node){
			"claim":    r.text(&one.Claim),
			"value":    r.text(&one.Value),
			"tenant":   r.text(&one.Tenant),
			"roles":    r.list(&one.Roles),
			"profiles": r.list(&one.Profiles),
		})
		if one.Claim == "" || one.Value == "" || one.Tenant == "" || len(one.Roles) == 0 {
			r.Fail(item, "a rule needs a claim, its value, a tenant and roles", "write {claim: groups, value: security, tenant: default, roles: [approver]}")
		}
		all = append(all, one)
	}
	if len(all) > maxItems {
		r.Fail(n, fmt.Sprintf("more than %d rules", maxItems), "use fewer")
	}
	return all
}

// String says in one line what the login is.
func (o OIDC) String() string {
	if o.Issuer == "" {
		return ""
	}
	return fmt.Sprintf("issuer %s, client %s, %d rules", o.Issuer, o.Client, len(o.Rules))
}

// SessionKey is the file with the key that people's sessions are sealed with,
// beside the record's.
func (c *Config) SessionKey() string {
	return filepath.Join(filepath.Dir(c.Audit.Key), "session.key")
}
