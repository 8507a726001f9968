package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"palisade"
)

func TestNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	text := `version: 1
profiles:
  sales:
    extends: query
    capabilities: {read_data: ask, target: allow, remote_code: deny}
    named:
      read_data: {allow: [sales, "public.*"], deny: ["*secret*", hr.pay, "vault.*"]}
      target: {ask: ["*prod*"]}
      remote_code: {allow: ["hashicorp/*"]}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := owned(t, file)
	for _, c := range []struct {
		f    palisade.Finding
		want palisade.Decision
		line string
	}{
		{does(palisade.CapReadData, "sales"), palisade.Allow, "profiles.sales"},
		{does(palisade.CapReadData, "public.orders"), palisade.Allow, "profiles.sales"},
		{does(palisade.CapReadData, "Sales"), palisade.Ask, "profiles.sales.capabilities.read_data"}, // what allows is exact
		{does(palisade.CapReadData, "people"), palisade.Ask, "profiles.sales.capabilities.read_data"},
		{does(palisade.CapReadData, "public.SECRETS"), palisade.Deny, "profiles.sales.named.read_data.deny[*secret*]"},
		{does(palisade.CapReadData, "pg_shadow"), palisade.Deny, "profiles.sales.named.read_data.deny[pg_shadow]"}, // extended
		{does(palisade.CapReadData, "db.PG_Catalog.pg_shadow"), palisade.Deny, "profiles.sales.named.read_data.deny[pg_shadow]"},
		{does(palisade.CapReadData, "db.hr.pay"), palisade.Deny, "profiles.sales.named.read_data.deny[hr.pay]"},
		{does(palisade.CapReadData, "pay"), palisade.Deny, "profiles.sales.named.read_data.deny[hr.pay]"}, // it may be found there
		{does(palisade.CapReadData, "shop.pay"), palisade.Ask, "profiles.sales.capabilities.read_data"},
		{does(palisade.CapReadData, "db.vault.x"), palisade.Deny, "profiles.sales.named.read_data.deny[vault.*]"},
		{does(palisade.CapReadData, "shop.x"), palisade.Ask, "profiles.sales.capabilities.read_data"},
		{does(palisade.CapReadData, "?"), palisade.Deny, "profiles.sales.named.read_data.deny"},
		{does(palisade.CapTarget, "staging"), palisade.Allow, "profiles.sales"},
		{does(palisade.CapTarget, "eu-Prod-1"), palisade.Ask, "profiles.sales.named.target.ask[*prod*]"},
		{does(palisade.CapTarget, "?"), palisade.Ask, "profiles.sales.named.target.ask"},
		{does(palisade.CapRemoteCode, "hashicorp/aws"), palisade.Allow, "profiles.sales"},
		{does(palisade.CapRemoteCode, "evil/aws"), palisade.Deny, "profiles.sales.capabilities.remote_code"},
		{does(palisade.CapRemoteCode, "?"), palisade.Deny, "profiles.sales.capabilities.remote_code"},
	} {
		in := judged("sales", c.f)
		in.Submission.Program.Language = palisade.SQL
		if v := decide(t, s, in); v.Decision != c.want || v.Policy != c.line {
			t.Errorf("%s: %s by %s, want %s by %s", label(c.f), v.Decision, v.Policy, c.want, c.line)
		}
	}
}

func TestScore(t *testing.T) {
	s := owned(t)
	p, err := s.Profile("data")
	if err != nil {
		t.Fatal(err)
	}
	for score, want := range map[int]palisade.Decision{0: palisade.Allow, p.Score.Ask - 1: palisade.Allow, p.Score.Ask: palisade.Ask, 100: palisade.Ask} {
		c := judged("data")
		c.Inspection.Score = score
		if v := decide(t, s, c); v.Decision != want {
			t.Errorf("score %d: %s by %s, want %s", score, v.Decision, v.Policy, want)
		}
	}
}

// TestLanguageDefaults: a submission that names no profile gets that of its
// language, but only where its caller may name it.
func TestLanguageDefaults(t *testing.T) {
	s := owned(t)
	for language, profile := range languages {
		for submitter, want := range map[string]string{"uid:1000": profile, "uid:2": ""} {
			c := judged("")
			c.Submission.Program.Language, c.Submission.Submitter = language, submitter
			v := decide(t, s, c)
			if want == "" {
				want = "data"
			}
			allowed := want != "data" || language == palisade.Python
			if v.Profile != want || (v.Decision == palisade.Allow) != allowed {
				t.Errorf("%s for %s: %s by %s of %s, want %s", language, submitter, v.Decision, v.Policy, v.Profile, want)
			}
		}
	}
}

// TestApprovers: how many humans must say yes is the largest number that
// applies, and more findings never make it fewer.
func TestApprovers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	text := `version: 1
profiles:
  strict:
    extends: data
    capabilities: {native: ask, deserialize: ask, process: ask}
    approvals: {count: 2, capabilities: {native: 4, network: 3, process: 5}, severity: {critical: 3}}
  stricter:
    extends: strict
    capabilities: {process: deny}
    approvals: {severity: {critical: 6}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := owned(t, file)
	grave := does(palisade.CapDeserialize, "x")
	grave.Severity = palisade.Critical
	for _, c := range []struct {
		profile  string
		findings []palisade.Finding
		want     int
	}{
		{"data", []palisade.Finding{does(palisade.CapNetwork, "example.org")}, 1},
		{"strict", []palisade.Finding{does(palisade.CapDeserialize, "x")}, 2},
		{"strict", []palisade.Finding{grave}, 3},
		{"strict", []palisade.Finding{does(palisade.CapNetwork, "example.org")}, 3},
		{"strict", []palisade.Finding{grave, does(palisade.CapNative, "x")}, 4},
		{"strict", []palisade.Finding{does(palisade.CapProcess, "id"), grave}, 5},
		{"stricter", []palisade.Finding{grave}, 6},
		{"stricter", []palisade.Finding{does(palisade.CapProcess, "id"), does(palisade.CapNative, "x")}, 4}, // what is denied is not asked
	} {
		v := decide(t, s, judged(c.profile, c.findings...))
		if got := s.Approvers(v); got != c.want {
			t.Errorf("%s, %v: %d approvers, want %d", c.profile, c.findings, got, c.want)
		}
	}
	if got := s.Approvers(palisade.Verdict{Profile: "nosuch"}); got != maxApprovers {
		t.Errorf("%d approvers of a profile that there is not", got)
	}
	data, err := s.Profile("data")
	if err != nil {
		t.Fatal(err)
	}
	strict, err := s.Profile("strict")
	if err != nil || data.Approvals.Count != 0 || strict.Approvals.Severity[palisade.Critical] != 3 {
		t.Errorf("what extends changed what it extends: %+v, %+v, %v", data.Approvals, strict.Approvals, err)
	}
	for _, wrong := range []string{"{count: 0}", "{count: 11}", "{count: many}", "{capabilities: {netwrk: 2}}", "{severity: {grave: 2}}", "{two: 2}", "2"} {
		text := "version: 1\nprofiles: {x: {extends: data, approvals: " + wrong + "}}\n"
		if problems := Check("x.yaml", []byte(text), nil); len(problems) == 0 {
			t.Errorf("approvals: %s was taken", wrong)
		}
	}
	if text, err := s.Explain("strict", "approvals"); err != nil || !strings.Contains(text, "3 to network") || !strings.Contains(text, "policy.yaml:6") {
		t.Errorf("%s, %v", text, err)
	}
}
