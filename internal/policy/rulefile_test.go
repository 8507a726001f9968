package policy

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRuleFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("rules/a.yaml", "rules: []\n")
	put("rules/deep/b.yml", "rules: []\n")
	put("rules/deep/b.py", "x = 1\n")
	policy := put("policy.yaml", "version: 1\nrule_files: [rules]\n")
	s := load(t, policy)
	if files := s.RuleFiles(); len(files) != 2 || filepath.Base(files[1].Name) != "b.yml" {
		t.Errorf("%v", files)
	}
	digest := func(s *Set) string {
		p, err := s.Profile("data")
		if err != nil {
			t.Fatal(err)
		}
		return p.Digest().String()
	}
	before := digest(s)
	if before == digest(load(t)) {
		t.Error("rule files do not count in the digest")
	}
	put("rules/a.yaml", "rules: [] #\n")
	if digest(load(t, policy)) == before {
		t.Error("a changed rule file does not change the digest")
	}
	for _, wrong := range []string{"nowhere", "policy.yaml/x", "empty"} {
		if err := os.MkdirAll(filepath.Join(dir, "empty"), 0o700); err != nil {
			t.Fatal(err)
		}
		name := put("wrong.yaml", "version: 1\nrule_files: ["+wrong+"]\n")
		if _, err := Load(Config{Files: []string{name}}); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
