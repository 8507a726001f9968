package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"palisade"
)

// TestSarif holds the output to OASIS's schema, and says what must stand in it.
func TestSarif(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "sarif", "sarif-2.1.0-rtm.5.json"))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := file("bad file.py", "import os\né = 'é'; os.system('id')\nos.system('id')\n")
	broken := file("broken.py", "def f(:\n")
	missing := filepath.Join(home, "missing.py")
	for _, paths := range [][]string{{bad}, {broken}, {bad, broken, missing}, {file("good.py", "print(1)\n")}} {
		_, out, errs := command(t, home, append([]string{"scan", "--profile", "data", "--format", "sarif"}, paths...)...)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
		if err != nil {
			t.Fatalf("%v: %v, %s", paths, err, errs)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%v: %v", paths, err)
		}
	}

	code, out, _ := command(t, home, "scan", "--profile", "data", "--format", "sarif", bad, broken, missing)
	var log sarifLog
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if code != 2 || run.Invocations[0].ExecutionSuccessful || len(run.Invocations[0].Notifications) != 2 {
		t.Errorf("exit %d, invocation %+v: what was not read is not told of", code, run.Invocations[0])
	}
	prints, columns := map[string]bool{}, map[int]bool{}
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s: its index leads to %s", r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		}
		if r.RuleID != "py-process" {
			continue
		}
		prints[r.Fingerprints["palisade/v1"]] = true
		region := r.Locations[0].Physical.Region
		columns[region.StartColumn] = true
		if uri := r.Locations[0].Physical.Artifact.URI; r.Level != "error" || !strings.HasSuffix(uri, "/bad%20file.py") {
			t.Errorf("level %s at %s", r.Level, uri)
		}
	}
	if len(prints) != 2 || !columns[10] || !columns[1] { // column 10 in code points, 12 in bytes
		t.Errorf("fingerprints %v, columns %v", prints, columns)
	}
}

// newRepository makes a Git repository and goes there; git runs a command in it,
// write puts a file there.
func newRepository(t *testing.T) (folder string, git func(args ...string), write func(name, text string)) {
	t.Helper()
	folder = t.TempDir()
	t.Chdir(folder)
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write = func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	return folder, git, write
}

// TestDiff tells of what changed alone, and of what a change brought about
// elsewhere.
func TestDiff(t *testing.T) {
	repo, git, write := newRepository(t)
	write("old.py", "import os\nos.system('id')\nx = 1\n")
	write("alias.py", "import math as m\nm.system('id')\n")
	write("same.py", "import subprocess\n")
	git("add", ".")
	git("commit", "-qm", "one")

	if code, out, errs := command(t, repo, "scan", "--profile", "data", "--diff", "HEAD"); code != 0 || out != "" {
		t.Errorf("nothing changed: exit %d, %q, %q", code, out, errs)
	}
	write("old.py", "import os\nos.system('id')\nx = 2\n")
	if code, out, _ := command(t, repo, "scan", "--profile", "data", "--diff", "HEAD"); code != 0 || !strings.Contains(out, "old.py: allow") {
		t.Errorf("a harmless change: exit %d, %q", code, out)
	}
	write("old.py", "import os\nos.system('id')\nos.remove('/etc/x')\n")
	write("alias.py", "import os as m\nm.system('id')\n")
	write("new.py", "eval('1')\n")
	git("add", "new.py")
	code, out, _ := command(t, repo, "scan", "--profile", "data", "--diff", "HEAD")
	for _, want := range []string{"old.py:3:1: ", "alias.py:2:1: ", "new.py:1:1: "} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q in\n%s", want, out)
		}
	}
	if code != 1 || strings.Contains(out, "old.py:2:") || strings.Contains(out, "same.py") {
		t.Errorf("exit %d, tells of what did not change:\n%s", code, out)
	}
	if code, _, errs := command(t, repo, "scan", "--diff", "HEAD", "-"); code != 2 || errs == "" {
		t.Errorf("standard input in a diff: exit %d, %q", code, errs)
	}
	// A change is told of, however much the file had before.
	had := strings.Repeat("os.system('id')\n", 300)
	write("much.py", "import os\n"+had)
	git("add", ".")
	git("commit", "-qm", "two")
	write("much.py", "import os\n"+had+"os.remove('/etc/x')\n")
	if code, out, _ := command(t, repo, "scan", "--profile", "data", "--diff", "HEAD"); code != 1 || !strings.Contains(out, "much.py:302:1: ") || strings.Contains(out, "much.py:2:") {
		t.Errorf("exit %d, a change in a file of many findings is not told of: %.500s", code, out)
	}
	for _, odd := range []string{"--output=/tmp/x", "nosuchrevision"} {
		if code, _, errs := command(t, repo, "scan", "--diff", odd); code != 2 || errs == "" {
			t.Errorf("--diff %s: exit %d, %q", odd, code, errs)
		}
	}
}

// TestHostileRepository scans a repository whose settings name programs for
// everything that Git lets them: none may run.
func TestHostileRepository(t *testing.T) {
	marks := t.TempDir()
	repo, git, write := newRepository(t)
	for _, name := range []string{"a.py", "b.py", "c.py", "[a].py", "ä\n\".py"} {
		write(name, "x = 1\n")
	}
	git("add", ".")
	git("commit", "-qm", "one")
	for _, name := range []string{"a.py", "b.py", "c.py", "[a].py", "ä\n\".py"} {
		write(name, "import os\nos.system('id')\n")
	}
	if err := os.Symlink("/dev/zero", "endless.py"); err != nil {
		t.Fatal(err)
	}
	git("add", "--intent-to-add", "endless.py")
	write(".git/info/attributes", "a.py filter=x diff=x\nb.py filter=a=b\nc.py filter=p\n")
	for _, key := range []string{
		"filter.x.clean", "filter.x.smudge", "filter.a=b.clean", "filter.p.process", "diff.x.textconv", "diff.x.command", "diff.external",
		"core.fsmonitor", "core.pager", "pager.diff", "core.sshCommand", "core.alternateRefsCommand", "core.askPass", "gpg.program",
	} {
		git("config", key, "sh -c 'touch "+filepath.Join(marks, strings.ReplaceAll(key, "=", "-"))+"; cat'")
	}
	git("config", "filter.x.required", "true")
	code, out, errs := command(t, repo, "scan", "--profile", "data", "--diff", "HEAD")
	if left, err := os.ReadDir(marks); err != nil || len(left) > 0 {
		t.Errorf("it ran what %v names, %v", left, err)
	}
	if code != 1 || strings.Count(out, ": deny (") != 5 || strings.Contains(out, "endless") {
		t.Errorf("exit %d, %q, %s", code, errs, out)
	}
}

// TestNoCredentialIsShown: whatever the format, a scan does not repeat one.
func TestNoCredentialIsShown(t *testing.T) {
	home := t.TempDir()
	const token = "ghp_1234567890abcdefABCDEF1234567890abcd"
	path := filepath.Join(home, "p.py")
	if err := os.WriteFile(path, []byte("import os\nos.system('curl -H "+token+" https://x.example')\nos.system('id')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--color", "never"}, {"--format", "json"}, {"--format", "sarif"}} {
		_, out, errs := command(t, home, append([]string{"scan", "--all", path}, args...)...)
		if strings.Contains(out+errs, token[:12]) || !strings.Contains(out, "[credential]") || !strings.Contains(out, "py-process") {
			t.Errorf("%v:\n%s%s", args, out, errs)
		}
	}
	var b strings.Builder
	carries := palisade.Finding{Capability: palisade.CapCredential, File: "p", Line: 2}
	s := scanned{Path: "p", source: []byte("a = 1\nb = '" + token + "'\nc = 3\n"), Findings: []palisade.Finding{carries}}
	for line := 1; line <= 3; line++ {
		textReport{}.frame(&b, s, palisade.Finding{File: "p", Line: line, Column: 1})
	}
	if text := b.String(); strings.Contains(text, token[:12]) || !strings.Contains(text, "a = 1") || !strings.Contains(text, "c = 3") {
		t.Errorf("frames:\n%s", text)
	}
}
