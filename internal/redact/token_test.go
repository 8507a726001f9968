package redact

import (
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"
)

// declined are the rules of gitleaks that this package leaves out, beside those
// that need the name of a service near a value without a shape of its own.
var declined = map[string]string{
	"1password-secret-key":               "covered by no prefix: A3- is an ordinary beginning",
	"airtable-personnal-access-token":    "pat is an ordinary beginning",
	"authress-service-client-access-key": "sc_ and ext_ are ordinary beginnings",
	"azure-ad-client-secret":             "its mark stands inside the value",
	"clickhouse-cloud-api-secret-key":    "4b1d begins one digest in 65,536",
	"cloudflare-origin-ca-key":           "v1.0- begins version numbers",
	"curl-auth-header":                   "the header is found without curl",
	"curl-auth-user":                     "any word with a colon after -u",
	"facebook-access-token":              "digits and a bar are ordinary output",
	"flutterwave-public-key":             "public",
	"freemius-secret-key":                "PHP source, not output",
	"generic-api-key":                    "takes digests and encoded data for secrets",
	"harness-api-key":                    "pat. and sat. are ordinary beginnings",
	"kubernetes-secret-yaml":             "any encoded datum of a manifest",
	"maxmind-license-key":                "its mark stands at the end",
	"microsoft-teams-webhook":            "a URL without a secret part of fixed place",
	"nuget-config-password":              "XML source, not output",
	"pkcs12-file":                        "a file's name",
	"sidekiq-sensitive-url":              "found as a password in a URL",
}

// special are the rules of gitleaks that a matcher other than token follows.
var special = map[string]string{"jwt": sampleJWT, "private-key": samplePEM}

// TestFollowsGitleaks compares the table with the rules of the module that
// go.mod names, so that a new version shows what it added.
func TestFollowsGitleaks(t *testing.T) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for _, token := range tokens() {
		for _, id := range strings.Fields(token.upstream) {
			if _, ok := detector.Config.Rules[id]; !ok {
				t.Errorf("%s names %s, which gitleaks does not have", token.prefix, id)
			}
			taken[id] = true
		}
	}
	for id, rule := range detector.Config.Rules {
		_, isDeclined := declined[id]
		_, isSpecial := special[id]
		contextual := rule.Regex != nil && strings.Contains(rule.Regex.String(), `(?:[ \t\w.-]{0,20})`)
		if !taken[id] && !isDeclined && !isSpecial && !contextual {
			t.Errorf("rule %s of gitleaks is neither taken nor declined: %v", id, rule.Regex)
		}
		if isDeclined && taken[id] {
			t.Errorf("rule %s is taken and declined", id)
		}
	}
	for id, sample := range special {
		if !detector.Config.Rules[id].Regex.MatchString(sample) {
			t.Errorf("the sample of %s is none", id)
		}
	}
}

// shaped are samples for rules of gitleaks with a shape inside the secret.
var shaped = map[string]string{
	"slack-bot-token":                             "xox" + "b-123456789012-123456789012-aBcDeF",
	"slack-user-token":                            "xox" + "p-123456789012-123456789012-123456789012-" + strings.Repeat("a1", 15),
	"slack-app-token":                             "xapp" + "-1-A0123456789-1234567890123-abcdef0123",
	"slack-legacy-token":                          "xox" + "s-1-2-3-abcdef0123",
	"slack-config-access-token":                   "xoxe." + "xoxb-1-" + strings.Repeat("A1", 82),
	"slack-config-refresh-token":                  "xoxe" + "-1-" + strings.Repeat("A1", 73),
	"openai-api-key":                              "sk-" + "proj-" + strings.Repeat("aB3_", 18) + "ab" + "T3BlbkFJ" + strings.Repeat("aB3_", 18) + "ab",
	"anthropic-api-key":                           "sk-" + "ant-api03-" + strings.Repeat("aB3", 31) + "AA",
	"anthropic-admin-api-key":                     "sk-" + "ant-admin01-" + strings.Repeat("aB3", 31) + "AA",
	"grafana-service-account-token":               "glsa" + "_" + strings.Repeat("aB", 16) + "_0123abcd",
	"sourcegraph-access-token":                    "sgp" + "_0123456789abcdef_" + strings.Repeat("ab01", 10),
	"dynatrace-api-token":                         "dt0c01" + "." + strings.Repeat("aB", 12) + "." + strings.Repeat("aB", 32),
	"sendinblue-api-token":                        "xkeysib" + "-" + strings.Repeat("ab", 32) + "-" + strings.Repeat("aB", 8),
	"postman-api-token":                           "PMAK" + "-" + strings.Repeat("ab", 12) + "-" + strings.Repeat("ab", 17),
	"gitlab-pat-routable":                         "glpat" + "-" + strings.Repeat("aB3", 9) + ".01abcdefg",
	"gitlab-runner-authentication-token-routable": "glrt" + "-t1_" + strings.Repeat("aB3", 9) + ".01abcdefg",
	"gitlab-cicd-job-token":                       "glcbt" + "-ab_" + strings.Repeat("aB", 10),
	"aws-amazon-bedrock-api-key-short-lived":      "bedrock-api-key-" + "YmVkcm9jay5hbWF6b25hd3MuY29tabcdef",
	"sentry-org-token":                            "sntrys_" + "eyJpYXQiO" + strings.Repeat("aB3/", 5) + "LCJyZWdpb25fdXJs" + strings.Repeat("aB3/", 5) + "_" + strings.Repeat("aB3", 14) + "a",
	"notion-api-token":                            "ntn" + "_12345678901" + strings.Repeat("aB3d5", 7),
	"hashicorp-tf-api-token":                      "abcdefgh012345" + ".atlasv1." + strings.Repeat("aB3_5", 13),
	"jwt-base64":                                  "ZXlKaGJHY2lPaUp" + strings.Repeat("aB3d", 12),
	"flutterwave-secret-key":                      "FLWSECK_TEST-" + strings.Repeat("ab01", 8) + "-X",
	"heroku-api-key-v2":                           "HRKU-AA" + strings.Repeat("aB", 29),
	"atlassian-api-token":                         "ATATT3" + strings.Repeat("aB3", 62),
	"facebook-page-access-token":                  "EAAM" + strings.Repeat("aB3", 40),
	"github-fine-grained-pat":                     "github_pat_" + strings.Repeat("aB", 41),
	"age-secret-key":                              "AGE-SECRET-KEY-1" + strings.Repeat("QP", 29),
	"1password-service-account-token":             "ops_eyJ" + strings.Repeat("aB", 130),
	"stripe-access-token":                         "sk_" + "live_" + strings.Repeat("aB3", 8),
	"flutterwave-encryption-key":                  "FLWSECK_TEST-" + "ab0123456789",
	"slack-legacy-bot-token":                      "xox" + "b-12345678-" + strings.Repeat("aB", 10),
	"sendgrid-api-token":                          "SG" + "." + strings.Repeat("aB3", 22),
	"vault-batch-token":                           "hvb." + strings.Repeat("aB", 75),
}

// TestTokens proves every line of the table: a sample of it is redacted whole,
// also in a longer text, and where the rule comes from gitleaks, gitleaks takes
// the sample for a secret too.
func TestTokens(t *testing.T) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	r := New(Config{})
	confirmed := map[string]bool{}
	for _, token := range tokens() {
		sample := token.prefix + body(token)
		checkWhole(t, r, token, sample)
		for _, id := range strings.Fields(token.upstream) {
			if shaped[id] != "" && strings.Contains(shaped[id], token.prefix) {
				checkWhole(t, r, token, shaped[id])
				sample = shaped[id]
			}
			regex := detector.Config.Rules[id].Regex
			if regex.MatchString(sample) || regex.MatchString(token.prefix+strings.ToLower(body(token))) {
				confirmed[id] = true
			}
		}
		if token.least > 8 && !strings.HasPrefix(token.prefix, "xoxe.") { // those hold another
			short := token.prefix + body(token)[:token.least-1]
			if got := r.String("x " + short + " y"); strings.Contains(got, placeholder(token.name)) {
				t.Errorf("%s: %q is too short and was taken", token.prefix, short)
			}
		}
	}
	for _, token := range tokens() {
		for _, id := range strings.Fields(token.upstream) {
			if !confirmed[id] {
				t.Errorf("%s: gitleaks' %s matches no sample: %v", token.prefix, id, detector.Config.Rules[id].Regex)
			}
		}
	}
}

func checkWhole(t *testing.T, r *Redactor, token token, sample string) {
	t.Helper()
	start := strings.Index(sample, token.prefix)
	if token.shown {
		start += len(token.prefix)
	}
	got := r.String("x='" + sample + "', y")
	if want := "x='" + sample[:start] + placeholder(token.name) + "', y"; got != want {
		t.Errorf("%s: %q\n got %q\nwant %q", token.prefix, sample, got, want)
	}
}

// body makes a body for a token: of every kind of byte that its class has.
func body(t token) string {
	var all []byte
	for _, c := range []byte("a7B2c3D4e5F6g7H2i3J4k5L6m7N2") {
		if t.body(c) {
			all = append(all, c)
		}
	}
	return strings.Repeat(string(all), t.least)[:t.least]
}
