package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPolicyShow(t *testing.T) {
	home := t.TempDir()
	code, out, _ := command(t, home, "policy", "show")
	for _, want := range []string{"pal", "data (default)", "agent"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d: %q is not in %q", code, want, out)
		}
	}
	if code, out, _ := command(t, home, "policy", "show", "data"); code != 0 || !strings.Contains(out, "numpy") || !strings.Contains(out, "#") {
		t.Errorf("exit %d: %q", code, out)
	}
	code, out, _ = command(t, home, "policy", "show", "pal", "--effective")
	var p struct {
		Limits struct {
			CPU int `json:"cpu_ms"`
		}
	}
	if err := json.Unmarshal([]byte(out), &p); code != 0 || err != nil || p.Limits.CPU != 2000 {
		t.Errorf("exit %d, %v: %q", code, err, out)
	}
	if code, _, errs := command(t, home, "policy", "show", "nosuch"); code != 2 || !strings.Contains(errs, "no such profile; there are agent, data, infra, pal, query\n") {
		t.Errorf("exit %d: %q", code, errs)
	}
}

func TestPolicyCheck(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.yaml", "version: 1\nprofiles:\n  mine:\n    extends: data\n")
	bad := write("bad\x1b[2J.yaml", "version: 1\nprofiles:\n  mine:\n    extends: data\n    modlues: {}\n")
	if code, out, errs := command(t, home, "policy", "check", good); code != 0 || out != good+": ok\n" || errs != "" {
		t.Errorf("exit %d: %q %q", code, out, errs)
	}
	code, out, _ := command(t, home, "policy", "check", good, bad)
	if code != 1 || !strings.Contains(out, ":5:") || !strings.Contains(out, "modlues") {
		t.Errorf("exit %d: %q", code, out)
	}
	code, out, _ = command(t, home, "policy", "check", "--json", bad)
	var p struct{ Line int }
	if err := json.Unmarshal([]byte(out), &p); code != 1 || err != nil || p.Line != 5 {
		t.Errorf("exit %d, %v: %q", code, err, out)
	}
	if code, out, _ := command(t, home, "policy", "check", "--json", good); code != 0 || out != "" {
		t.Errorf("exit %d: %q", code, out)
	}
	typo := write("typo.yaml", "version: 1\nrule_files: [mine.yaml]\nprofiles:\n  mine:\n    extends: data\n    rules: {py-proces: deny, acme.danger: deny, python-tls-unverified: deny}\n")
	write("mine.yaml", "rules:\n  - {id: acme.danger, message: no, severity: ERROR, languages: [python], pattern: danger($X)}\n")
	code, out, _ = command(t, home, "policy", "check", typo)
	if code != 1 || strings.Count(out, "\n") != 1 || !strings.Contains(out, `typo.yaml:6:24: profiles.mine.rules.py-proces: there is no rule "py-proces"`) || !strings.Contains(out, "did you mean py-process?") {
		t.Errorf("a rule that there is not: exit %d: %q", code, out)
	}
	if code, out, _ := command(t, home, "policy", "check"); code != 0 || out != "built-in policy: ok\n" {
		t.Errorf("the configuration's: exit %d: %q", code, out)
	}
	if code, _, errs := command(t, home, "policy", "check", filepath.Join(home, "none")); code != 2 || errs == "" {
		t.Errorf("exit %d: %q", code, errs)
	}
}

func TestPolicyExplain(t *testing.T) {
	home := t.TempDir()
	code, out, _ := command(t, home, "policy", "explain", "--profile", "data", "os.system", "numpy")
	if code != 0 || !strings.Contains(out, "os.system: deny") || !strings.Contains(out, "import numpy: allow") || !strings.Contains(out, "decided by profiles.data") {
		t.Errorf("exit %d: %q", code, out)
	}
	for _, c := range []struct{ profile, thing, want string }{
		{"query", "read_data", "read_data: allow\n"},
		{"data", "rule python-tls-unverified", "decided by profiles.data.patterns.medium"},
		{"agent", "rule sh-unknown-command", "decided by profiles.agent.rules.sh-unknown-command"},
		{"infra", "image nginx:1", "docker.io/library/nginx:1: allow"},
	} {
		if code, out, _ := command(t, home, "policy", "explain", "--profile", c.profile, c.thing); code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d: %q", c.thing, code, out)
		}
	}
	if code, _, errs := command(t, home, "policy", "explain", "rule nosuch"); code != 2 || !strings.Contains(errs, `no such rule: "nosuch"`) {
		t.Errorf("exit %d: %q", code, errs)
	}
	if code, out, _ := command(t, home, "policy", "explain"); code != 0 || !strings.Contains(out, "data@") {
		t.Errorf("exit %d: %q", code, out)
	}
	if code, _, _ := command(t, home, "policy", "explain", "\x1b[2J\u202e"); code != 0 {
		t.Errorf("exit %d", code)
	}
	if code, _, errs := command(t, home, "policy", "explain", "--profile", "nosuch", "os"); code != 2 || errs == "" {
		t.Errorf("exit %d: %q", code, errs)
	}
}
