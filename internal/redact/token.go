package redact

// class is a set of bytes.
type class func(c byte) bool

func digit(c byte) bool    { return c >= '0' && c <= '9' }
func upper(c byte) bool    { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool    { return c >= 'a' && c <= 'z' }
func letter(c byte) bool   { return lower(c|0x20) && c >= 'A' }
func alnum(c byte) bool    { return letter(c) || digit(c) }
func upperNum(c byte) bool { return upper(c) || digit(c) }
func hexDigit(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' && c >= 'A' }
func word(c byte) bool     { return alnum(c) || c == '_' }
func urlSafe(c byte) bool  { return word(c) || c == '-' }
func alnumDash(c byte) bool {
	return alnum(c) || c == '-'
}
func dotted(c byte) bool { return urlSafe(c) || c == '.' || c == '=' }
func base64Byte(c byte) bool {
	return alnum(c) || c == '+' || c == '/' || c == '='
}

// token is a secret that a distinctive prefix announces.
type token struct {
	// name stands in the placeholder.
	name   string
	prefix string
	// body is what may follow the prefix; at least least bytes of it must.
	// Whatever more follows belongs to the secret too, so that no rest leaks;
	// with exact set, more of it means that this is something else.
	body  class
	least int
	exact bool
	// mixed asks for a digit among the first least bytes of the body: the
	// prefix alone could begin an ordinary name.
	mixed bool
	// shown says that the prefix is no part of the secret and stays.
	shown bool
	// upstream names the rules of gitleaks that this follows. Empty: our own.
	upstream string
}

// tokens returns the table. Its source is gitleaks v8.30.1 (MIT), config/gitleaks.toml:
// the rules whose secret has a prefix of its own. Lengths are gitleaks' or
// shorter. A test compares the table with the module's own configuration and
// names each rule there that is neither taken nor declined.
func tokens() []token {
	t := func(name, prefix string, body class, least int, upstream string) token {
		return token{name: name, prefix: prefix, body: body, least: least, upstream: upstream}
	}
	exact := func(t token) token { t.exact = true; return t }
	mixed := func(t token) token { t.mixed = true; return t }
	shown := func(t token) token { t.shown = true; return t }
	return []token{
		exact(t("aws-access-key", "AKIA", upperNum, 16, "aws-access-token")),
		exact(t("aws-access-key", "ASIA", upperNum, 16, "aws-access-token")),
		exact(t("aws-access-key", "ABIA", upperNum, 16, "aws-access-token")),
		exact(t("aws-access-key", "ACCA", upperNum, 16, "aws-access-token")),
		t("aws-bedrock-key", "ABSK", base64Byte, 109, "aws-amazon-bedrock-api-key-long-lived"),
		t("aws-bedrock-key", "bedrock-api-key-", base64Byte, 30, "aws-amazon-bedrock-api-key-short-lived"),
		exact(t("alibaba-access-key", "LTAI", alnum, 20, "alibaba-access-key-id")),
		t("anthropic-key", "sk-ant-", urlSafe, 24, "anthropic-api-key anthropic-admin-api-key"),
		t("openai-key", "sk-proj-", urlSafe, 24, "openai-api-key"),
		t("openai-key", "sk-svcacct-", urlSafe, 24, "openai-api-key"),
		t("openai-key", "sk-admin-", urlSafe, 24, "openai-api-key"),
		t("openrouter-key", "sk-or-v1-", hexDigit, 32, ""),
		exact(mixed(t("openai-key", "sk-", alnum, 48, "openai-api-key"))),
		t("perplexity-key", "pplx-", alnum, 48, "perplexity-api-key"),
		t("groq-key", "gsk_", alnum, 48, ""),
		t("huggingface-token", "hf_", letter, 34, "huggingface-access-token"),
		t("huggingface-token", "api_org_", letter, 34, "huggingface-organization-api-token"),
		t("gcp-key", "AIza", urlSafe, 35, "gcp-api-key"),
		t("gcp-oauth-secret", "GOCSPX-", urlSafe, 24, ""),
		t("gcp-oauth-token", "ya29.", dotted, 30, ""),

		t("github-token", "ghp_", alnum, 36, "github-pat"),
		t("github-token", "gho_", alnum, 36, "github-oauth"),
		t("github-token", "ghu_", alnum, 36, "github-app-token"),
		t("github-token", "ghs_", alnum, 36, "github-app-token"),
		t("github-token", "ghr_", alnum, 36, "github-refresh-token"),
		t("github-token", "github_pat_", word, 60, "github-fine-grained-pat"),
		t("gitlab-token", "glpat-", dotted, 20, "gitlab-pat gitlab-pat-routable"),
		t("gitlab-token", "glptt-", hexDigit, 40, "gitlab-ptt"),
		t("gitlab-token", "gldt-", urlSafe, 20, "gitlab-deploy-token"),
		t("gitlab-token", "glrt-", dotted, 20, "gitlab-runner-authentication-token gitlab-runner-authentication-token-routable"),
		t("gitlab-token", "glcbt-", urlSafe, 20, "gitlab-cicd-job-token"),
		t("gitlab-token", "glffct-", urlSafe, 20, "gitlab-feature-flag-client-token"),
		t("gitlab-token", "glft-", urlSafe, 20, "gitlab-feed-token"),
		t("gitlab-token", "glimt-", urlSafe, 25, "gitlab-incoming-mail-token"),
		t("gitlab-token", "glagent-", urlSafe, 50, "gitlab-kubernetes-agent-token"),
		t("gitlab-token", "gloas-", urlSafe, 64, "gitlab-oauth-app-secret"),
		t("gitlab-token", "glsoat-", urlSafe, 20, "gitlab-scim-token"),
		t("gitlab-token", "GR1348941", urlSafe, 20, "gitlab-rrt"),
		shown(t("gitlab-session", "_gitlab_session=", alnum, 32, "gitlab-session-cookie")),
		t("atlassian-token", "ATATT3", dotted, 100, "atlassian-api-token"),
		exact(t("octopus-key", "API-", upperNum, 26, "octopus-deploy-api-key")),
		t("intra42-secret", "s-s4t2ud-", hexDigit, 64, "intra42-client-secret"),
		t("intra42-secret", "s-s4t2af-", hexDigit, 64, "intra42-client-secret"),

		mixed(t("slack-token", "xoxb-", alnumDash, 20, "slack-bot-token slack-legacy-bot-token")),
		mixed(t("slack-token", "xoxp-", alnumDash, 28, "slack-user-token")),
		mixed(t("slack-token", "xoxe-", alnumDash, 28, "slack-user-token slack-config-refresh-token")),
		mixed(t("slack-token", "xoxe.xoxb-", alnumDash, 28, "slack-config-access-token")),
		mixed(t("slack-token", "xoxe.xoxp-", alnumDash, 28, "slack-config-access-token")),
		mixed(t("slack-token", "xoxa-", alnumDash, 10, "slack-legacy-workspace-token")),
		mixed(t("slack-token", "xoxr-", alnumDash, 10, "slack-legacy-workspace-token")),
		mixed(t("slack-token", "xoxo-", alnumDash, 10, "slack-legacy-token")),
		mixed(t("slack-token", "xoxs-", alnumDash, 10, "slack-legacy-token")),
		shown(t("slack-webhook", "hooks.slack.com/services/", base64Byte, 43, "slack-webhook-url")),
		shown(t("slack-webhook", "hooks.slack.com/workflows/", base64Byte, 43, "slack-webhook-url")),
		shown(t("slack-webhook", "hooks.slack.com/triggers/", base64Byte, 43, "slack-webhook-url")),
		mixed(t("slack-token", "xapp-", alnumDash, 12, "slack-app-token")),
		t("stripe-key", "whsec_", base64Byte, 24, ""),
		mixed(t("stripe-key", "sk_live_", alnum, 10, "stripe-access-token")),
		mixed(t("stripe-key", "sk_test_", alnum, 10, "stripe-access-token")),
		mixed(t("stripe-key", "sk_prod_", alnum, 10, "stripe-access-token")),
		mixed(t("stripe-key", "rk_live_", alnum, 10, "stripe-access-token")),
		mixed(t("stripe-key", "rk_test_", alnum, 10, "stripe-access-token")),
		mixed(t("stripe-key", "rk_prod_", alnum, 10, "stripe-access-token")),
		t("square-token", "sq0atp-", urlSafe, 22, "square-access-token"),
		t("square-token", "sq0csp-", urlSafe, 22, ""),
		exact(t("twilio-key", "SK", hexDigit, 32, "twilio-api-key")),
		t("sendgrid-key", "SG.", dotted, 60, "sendgrid-api-token"),
		t("sendinblue-key", "xkeysib-", alnumDash, 64, "sendinblue-api-token"),
		t("facebook-token", "EAAM", alnum, 100, "facebook-page-access-token"),
		t("facebook-token", "EAAC", alnum, 100, "facebook-page-access-token"),
		t("shopify-token", "shpat_", hexDigit, 32, "shopify-access-token"),
		t("shopify-token", "shpca_", hexDigit, 32, "shopify-custom-access-token"),
		t("shopify-token", "shppa_", hexDigit, 32, "shopify-private-app-access-token"),
		t("shopify-token", "shpss_", hexDigit, 32, "shopify-shared-secret"),
		t("shippo-token", "shippo_live_", hexDigit, 40, "shippo-api-token"),
		t("shippo-token", "shippo_test_", hexDigit, 40, "shippo-api-token"),
		t("duffel-token", "duffel_live_", dotted, 43, "duffel-api-token"),
		t("duffel-token", "duffel_test_", dotted, 43, "duffel-api-token"),
		t("easypost-token", "EZAK", alnum, 54, "easypost-api-token"),
		t("easypost-token", "EZTK", alnum, 54, "easypost-test-api-token"),
		mixed(t("flutterwave-key", "FLWSECK_TEST-", alnumDash, 12, "flutterwave-secret-key flutterwave-encryption-key")),

		t("npm-token", "npm_", alnum, 36, "npm-access-token"),
		t("pypi-token", "pypi-AgEIcHlwaS5vcmc", urlSafe, 50, "pypi-upload-token"),
		t("rubygems-token", "rubygems_", hexDigit, 48, "rubygems-api-token"),
		t("clojars-token", "CLOJARS_", alnum, 60, "clojars-api-token"),
		t("docker-token", "dckr_pat_", urlSafe, 27, ""),
		t("artifactory-token", "AKCp", alnum, 69, "artifactory-api-key"),
		t("artifactory-token", "cmVmd", alnum, 59, "artifactory-reference-token"),
		t("digitalocean-token", "doo_v1_", hexDigit, 64, "digitalocean-access-token"),
		t("digitalocean-token", "dop_v1_", hexDigit, 64, "digitalocean-pat"),
		t("digitalocean-token", "dor_v1_", hexDigit, 64, "digitalocean-refresh-token"),
		exact(t("databricks-token", "dapi", hexDigit, 32, "databricks-api-token")),
		t("doppler-token", "dp.pt.", alnum, 43, "doppler-api-token"),
		t("dynatrace-token", "dt0c01.", dotted, 80, "dynatrace-api-token"),
		t("flyio-token", "fo1_", urlSafe, 43, "flyio-access-token"),
		t("flyio-token", "fm1a_", base64Byte, 100, "flyio-access-token"),
		t("flyio-token", "fm1r_", base64Byte, 100, "flyio-access-token"),
		t("flyio-token", "fm2_", base64Byte, 100, "flyio-access-token"),
		t("frameio-token", "fio-u-", dotted, 64, "frameio-api-token"),
		t("grafana-key", "eyJrIjoi", base64Byte, 70, "grafana-api-key"),
		t("grafana-key", "glc_", base64Byte, 32, "grafana-cloud-api-token"),
		t("grafana-key", "glsa_", word, 40, "grafana-service-account-token"),
		t("heroku-key", "HRKU-AA", urlSafe, 58, "heroku-api-key-v2"),
		t("terraform-token", ".atlasv1.", dotted, 60, "hashicorp-tf-api-token"),
		t("vault-token", "hvs.", urlSafe, 90, "vault-service-token"),
		t("vault-token", "hvb.", urlSafe, 138, "vault-batch-token"),
		t("infracost-key", "ico-", alnum, 32, "infracost-api-token"),
		t("linear-key", "lin_api_", alnum, 40, "linear-api-key"),
		t("notion-token", "ntn_", alnum, 46, "notion-api-token"),
		t("openshift-token", "sha256~", urlSafe, 43, "openshift-user-token"),
		t("planetscale-token", "pscale_tkn_", dotted, 32, "planetscale-api-token"),
		t("planetscale-token", "pscale_oauth_", dotted, 32, "planetscale-oauth-token"),
		t("planetscale-token", "pscale_pw_", dotted, 32, "planetscale-password"),
		t("postman-key", "PMAK-", alnumDash, 59, "postman-api-token"),
		t("prefect-key", "pnu_", alnum, 36, "prefect-api-token"),
		exact(t("pulumi-token", "pul-", hexDigit, 40, "pulumi-api-token")),
		t("readme-token", "rdme_", alnum, 70, "readme-api-token"),
		t("scalingo-token", "tk-us-", urlSafe, 48, "scalingo-api-token"),
		t("sentry-token", "sntrys_eyJpYXQiO", token68, 40, "sentry-org-token"),
		t("sentry-token", "sntryu_", hexDigit, 64, "sentry-user-token"),
		t("settlemint-token", "sm_aat_", alnum, 16, "settlemint-application-access-token"),
		t("settlemint-token", "sm_pat_", alnum, 16, "settlemint-personal-access-token"),
		t("settlemint-token", "sm_sat_", alnum, 16, "settlemint-service-access-token"),
		t("sourcegraph-token", "sgp_", word, 40, "sourcegraph-access-token"),
		t("adobe-secret", "p8e-", alnum, 32, "adobe-client-secret"),
		t("age-secret-key", "AGE-SECRET-KEY-1", upperNum, 58, "age-secret-key"),
		t("1password-token", "ops_eyJ", base64Byte, 200, "1password-service-account-token"),
		t("jwt", "ZXlKaGJHY2lPaU", base64Byte, 40, "jwt-base64"),
	}
}

// start implements matcher.
func (t token) start() string { return t.prefix }

// find implements matcher.
func (t token) find(b []byte, end end) (match, verdict) {
	if v := hasPrefix(b, t.prefix, false); v != yes {
		return match{}, v.at(end)
	}
	n, limit := len(t.prefix), len(t.prefix)+t.least
	for n < len(b) && n < limit && t.body(b[n]) {
		n++
	}
	found := match{n: n, as: placeholder(t.name), run: t.body}
	if t.shown {
		found.keep = len(t.prefix)
	}
	if n < limit {
		if n < len(b) || end == last {
			return match{}, no
		}
		if end == more {
			return match{}, need
		}
		return found, yesIf(n-len(t.prefix) >= cutBody)
	}
	if t.mixed && !hasDigit(b[len(t.prefix):n]) {
		return match{}, no
	}
	if t.exact {
		if v := ends(b[n:], word, end); v != yes {
			return match{}, v
		}
	}
	return found, yes
}

// ends reports whether something that more bytes of a class would make longer
// ends before b.
func ends(b []byte, longer class, e end) verdict {
	if len(b) == 0 {
		if e == more {
			return need
		}
		return yes
	}
	return yesIf(!longer(b[0]))
}

func hasDigit(b []byte) bool {
	for _, c := range b {
		if digit(c) {
			return true
		}
	}
	return false
}
