package iac

import (
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// secretWords end the names of settings that hold a credential, without
// separators. Source: the settings of the registry's twenty most used providers
// and of the images that Docker Hub calls official.
var secretWords = []string{
	"password", "passwd", "pwd", "passphrase", "secret", "token", "apikey", "secretkey", "privatekey", "accesskey", "authkey",
	"secretstring", "secretdata", "credentials", "connectionstring", "connstr", "sharedkey", "signingkey", "encryptionkey",
	"privatekeypem", "pgpkey", "clientsecret", "webhooksecret", "masterkey", "licensekey", "accountkey", "secretaccesskey",
	"authtoken", "pass", "plaintextvalue", "databaseurl", "dsn", "personalaccesstoken", "secretvalue", "dbpass", "adminpass",
}

// publicWords end names that hold a secret's word and no secret.
var publicWords = []string{"nexttoken", "pagetoken", "tokentype", "publickey", "keepsecret", "usetoken", "bypass", "compass", "idtoken"}

// secretArguments hold a credential although their names do not say so.
var secretArguments = map[string]string{ // kind of resource → argument
	"azurerm_key_vault_secret": "value", "github_actions_secret": "value", "gitlab_project_variable": "value",
	"vault_generic_secret": "data_json", "vault_kv_secret_v2": "data_json", "doppler_secret": "value", "heroku_config": "sensitive_vars",
}

// credentials looks at one field, and at pairs of a name and a value.
func (s spot) credentials() {
	s.credential(s.field.name, s.field.value, s.field.place(), s.symbol())
	kind, _, _ := strings.Cut(s.address, ".")
	if argument := secretArguments[kind]; argument == s.name() && len(s.path) == 1 {
		for t := range s.value.texts() {
			s.literal(t, s.symbol(), "a secret's value")
		}
	}
	if s.name() != "value" {
		return
	}
	for _, name := range []string{"name", "key"} {
		for f := range s.parent().get(name).texts() {
			s.credential(f.text, s.value, s.field.place(), s.address+"."+f.text)
		}
	}
	if strings.HasPrefix(s.address, "aws_ssm_parameter.") && s.parent().get("type").has("SecureString") {
		for t := range s.value.texts() {
			s.literal(t, s.symbol(), "a secure parameter's value")
		}
	}
}

// credential reports a credential in clear: a literal under a telling name, or a
// literal that has the shape of one under any name.
func (r *report) credential(name string, v *value, p place, symbol string) {
	telling := isSecretName(name)
	for t := range v.texts() {
		if t.line == 0 {
			t = textAt(t.text, p)
		}
		switch shape := secretShape(t.text); {
		case shape != "":
			r.add(t.place(), fact{capability: palisade.CapCredential, symbol: symbol, argument: shape, kind: analysis.KindText, how: t.how})
		case telling:
			r.literal(t, symbol, strings.ToLower(name))
		}
	}
}

// literal reports a text that is wholly known and not a stand-in.
func (r *report) literal(t *value, symbol, what string) {
	if t.unknown() || isPlaceholder(t.text) {
		return
	}
	r.add(t.place(), fact{capability: palisade.CapCredential, symbol: symbol, argument: what, how: t.how})
}

func isSecretName(name string) bool {
	n := strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))
	ends := func(w string) bool { return strings.HasSuffix(n, w) }
	return slices.ContainsFunc(secretWords, ends) && !slices.ContainsFunc(publicWords, ends)
}

// isPlaceholder reports whether a text stands in for a value that comes from
// elsewhere, or is no text at all. "changeme" is not one: it is what many
// systems then run with.
func isPlaceholder(s string) bool {
	t := strings.TrimSpace(s)
	switch {
	case len(t) < 3, t == "true", t == "false", t == "null", t == "none", t == "None":
		return true
	case strings.HasPrefix(t, "<") && strings.HasSuffix(t, ">"), strings.HasPrefix(t, "{{"), strings.HasPrefix(t, "$("), strings.HasPrefix(t, "${"):
		return true
	case t[0] == '$' && nameLength(t[1:]) == len(t)-1: // a variable
		return true
	case strings.Trim(t, "*x.-X") == "", strings.Contains(t, "REPLACE"), strings.Contains(t, "REDACTED"):
		return true
	case strings.HasPrefix(t, "arn:"), strings.HasPrefix(t, "projects/"), strings.HasPrefix(t, "vault:"), strings.HasPrefix(t, "/run/secrets/"), strings.HasPrefix(t, "ref+"):
		return true // a reference
	case strings.Contains(t, "://"):
		return urlPassword(t) == ""
	}
	return strings.HasPrefix(t, "/") && !strings.Contains(t, " ") && strings.Count(t, "/") > 1 // a path
}

// urlPassword returns the password in a URL's user part.
func urlPassword(s string) string {
	_, rest, ok := strings.Cut(s, "://")
	if !ok {
		return ""
	}
	authority, _, _ := strings.Cut(rest, "/")
	i := strings.LastIndexByte(authority, '@')
	if i < 0 {
		return ""
	}
	_, password, _ := strings.Cut(authority[:i], ":")
	if strings.HasPrefix(password, "$") || strings.HasPrefix(password, "<") || strings.Contains(password, gap) {
		return ""
	}
	return password
}

// shapes are how credentials start that can be told by their looks. Source: the
// documentation of who issues them.
var shapes = []struct {
	prefix, kind string
	length       int // of the whole, at least
}{
	{"AKIA", "AWS access key", 20}, {"ASIA", "AWS access key", 20}, {"ghp_", "GitHub token", 36}, {"gho_", "GitHub token", 36},
	{"ghs_", "GitHub token", 36}, {"github_pat_", "GitHub token", 40}, {"glpat-", "GitLab token", 20}, {"xoxb-", "Slack token", 20},
	{"xoxp-", "Slack token", 20}, {"sk_live_", "Stripe key", 20}, {"rk_live_", "Stripe key", 20}, {"AIza", "Google API key", 39},
	{"npm_", "npm token", 36}, {"dop_v1_", "DigitalOcean token", 40}, {"hvs.", "Vault token", 20}, {"SG.", "SendGrid key", 60},
	{"eyJhbGciOi", "signed token", 60},
}

// secretShape names the credential that a text is, or holds.
func secretShape(s string) string {
	if strings.Contains(s, "PRIVATE KEY-----") && strings.Contains(s, "-----BEGIN ") {
		return "private key"
	}
	t := strings.TrimSpace(s)
	if strings.Contains(t, "://") && len(t) < maxOneText && !strings.ContainsAny(t, " \n") && len(urlPassword(t)) > 2 {
		return "password in an address"
	}
	for _, sh := range shapes {
		if strings.HasPrefix(t, sh.prefix) && len(t) >= sh.length && !strings.ContainsAny(t, " \n\t/") {
			return sh.kind
		}
	}
	return ""
}

// secretPaths are where the tools of infrastructure keep credentials, besides
// those that every language's reader knows.
var secretPaths = []string{
	"/etc/kubernetes/admin.conf", "/etc/kubernetes/pki", "/.terraform.d/credentials", "/.terraformrc", "/.ssh/identity",
}

// keyEndings are those of files that hold private keys.
var keyEndings = []string{".pem", ".key", ".p12", ".pfx", ".jks"}

// pathKind says whether a path leads to credentials. A public key is none; and
// a container's socket is a path that policy knows by its name.
func pathKind(path string) analysis.Kind {
	ends := func(suffix string) bool { return strings.HasSuffix(path, suffix) }
	switch {
	case ends(".pub"), ends("docker.sock"):
		return analysis.KindUse
	case analysis.IsCredential(path), slices.ContainsFunc(keyEndings, ends),
		slices.ContainsFunc(secretPaths, func(p string) bool { return strings.Contains(path, p) }):
		return analysis.KindCredentials
	}
	return analysis.KindUse
}
