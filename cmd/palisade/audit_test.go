package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/audit"
	"palisade/internal/audit/mirror"
	"palisade/internal/redact"
)

// command runs one command line in a state folder and returns its exit code and
// what it printed.
func command(t *testing.T, home string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	e := &env{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, version: "test"}
	code = e.execute(context.Background(), append([]string{"--home", home}, args...))
	for _, text := range []string{out.String(), errs.String()} {
		if redact.Escape(text) != text {
			t.Errorf("%v: not safe for a terminal: %q", args, text)
		}
	}
	return code, out.String(), errs.String()
}

// recorded makes a record of two runs, one of which tries to draw over the
// terminal, and returns its folder.
func recorded(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "heads"), 0o700); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	log, err := audit.Open(t.Context(), audit.Config{
		Dir: filepath.Join(home, "log"), KeyFile: filepath.Join(home, "key", "log.key"), Now: func() time.Time { return at },
		Mirrors: []audit.Mirror{mirror.Folder{Dir: filepath.Join(home, "heads"), Now: func() time.Time { return at }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const hostile = "\x1b[2J\u202e\r"
	event := func(run string, kind palisade.EventKind, data any) {
		at = at.Add(10 * time.Millisecond)
		if err := log.Append(t.Context(), true, palisade.Event{Run: run, Kind: kind, Time: at, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	finding := palisade.Finding{Rule: "py-process", Severity: palisade.High, Capability: palisade.CapProcess, Message: "could run id" + hostile, File: "a.py", Line: 1, Evidence: "alias" + hostile}
	verdict := palisade.Verdict{Decision: palisade.Deny, Policy: "profiles.data.capabilities.process", Profile: "data", Reasons: []palisade.Reason{{Finding: finding}}}
	event("run-denied", palisade.EventReceived, palisade.Submission{
		Submitter: "uid:7" + hostile, Door: "cli", Prompt: "list files" + hostile + "\n#9 12:00:00.000 decided",
		Program: palisade.Program{Language: palisade.Python, Name: "a.py" + hostile, Source: []byte("import os" + hostile + "\nos.system('id')\n")},
		Files:   []palisade.File{{Name: "x" + hostile, Data: []byte("abc")}},
	})
	event("run-denied", palisade.EventInspected, palisade.Inspection{Findings: []palisade.Finding{finding}, Trees: map[string]palisade.Digest{"": {1}}})
	event("run-denied", palisade.EventDecided, verdict)
	event("run-denied", palisade.EventOutcome, palisade.Outcome{Run: "run-denied", Decision: palisade.Deny, Status: palisade.PolicyViolation, Sanitized: palisade.Sanitized{Feedback: palisade.Feedback{Text: "not run" + hostile, Next: []string{"x" + hostile}}}})
	event("run-okay", palisade.EventReceived, palisade.Submission{Submitter: "uid:8", Door: "cli", Program: palisade.Program{Name: "b.py", Source: []byte("print(1)\n")}})
	event("run-okay", palisade.EventDecided, palisade.Verdict{Decision: palisade.Allow, Policy: "allow", Profile: "pal"})
	event("run-okay", palisade.EventStarted, palisade.Ready{Backend: "gvisor", Layers: map[string]string{"kernel": "gvisor" + hostile}})
	event("run-okay", palisade.EventFinished, palisade.Result{Status: palisade.OK, MayHaveRun: true, Stdout: palisade.Captured{Head: []byte("1\n" + hostile), Tail: []byte("z"), Total: 100}, Anomalies: []string{"forged" + hostile}})
	event("run-okay", palisade.EventOutcome, palisade.Outcome{Run: "run-okay", Decision: palisade.Allow, Status: palisade.OK})
	event("run-okay", "odd_kind", map[string]string{"x": hostile})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return home
}

func recordArgs(home string) []string {
	return []string{"--log", filepath.Join(home, "log"), "--key", filepath.Join(home, "key", "log.pub")}
}

func TestAuditLs(t *testing.T) {
	home := recorded(t)
	code, out, _ := command(t, home, append([]string{"audit", "ls"}, recordArgs(home)...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 3 || !strings.Contains(lines[1], "run-okay") || !strings.Contains(lines[2], "policy_violation") {
		t.Errorf("exit %d: %q", code, out)
	}
	code, out, _ = command(t, home, append([]string{"audit", "ls", "--json", "--decision", "deny"}, recordArgs(home)...)...)
	var run audit.Run
	if err := json.Unmarshal([]byte(out), &run); code != 0 || err != nil || run.ID != "run-denied" || run.Status != "policy_violation" {
		t.Errorf("exit %d, %v: %q", code, err, out)
	}
	if code, out, _ := command(t, home, append([]string{"audit", "ls", "--until", "2026-01-02"}, recordArgs(home)...)...); code != 0 || out != "no runs\n" {
		t.Errorf("exit %d: %q", code, out)
	}
	if code, _, errs := command(t, home, append([]string{"audit", "ls", "--since", "soon"}, recordArgs(home)...)...); code != 2 || !strings.Contains(errs, "no time") {
		t.Errorf("exit %d: %q", code, errs)
	}
	if code, _, errs := command(t, home, append([]string{"audit", "ls", "--status", "nope"}, recordArgs(home)...)...); code != 2 || !strings.Contains(errs, "ok, runtime_error, policy_violation") {
		t.Errorf("exit %d: %q", code, errs)
	}
	if code, _, errs := command(t, home, append([]string{"audit", "ls", "--decision", "nope"}, recordArgs(home)...)...); code != 2 || !strings.Contains(errs, "want one of allow, ask, deny") {
		t.Errorf("exit %d: %q", code, errs)
	}
	if code, _, errs := command(t, home, append([]string{"audit", "ls", "--limit", "-1"}, recordArgs(home)...)...); code != 2 || !strings.Contains(errs, "0 for all") {
		t.Errorf("exit %d: %q", code, errs)
	}
	if code, out, errs := command(t, home, append([]string{"audit", "ls", "--since", "2w"}, recordArgs(home)...)...); code != 0 {
		t.Errorf("exit %d: %q %q", code, out, errs)
	}
	for _, status := range listedStatuses() {
		if code, _, errs := command(t, home, append([]string{"audit", "ls", "--status", status}, recordArgs(home)...)...); code != 0 {
			t.Errorf("%s: exit %d: %q", status, code, errs)
		}
	}
	if code, _, errs := command(t, home, "audit", "ls", "--log", home, "--key", filepath.Join(home, "none")); code != 2 || !strings.Contains(errs, "no record yet") {
		t.Errorf("exit %d: %q", code, errs)
	}
}

func TestAuditShow(t *testing.T) {
	home := recorded(t)
	code, out, _ := command(t, home, append([]string{"audit", "show", "run-d"}, recordArgs(home)...)...)
	if code != 0 {
		t.Fatalf("exit %d: %q", code, out)
	}
	for _, want := range []string{
		"run run-denied: policy_violation", `    | list files\x1b[2J\u202e\r`, "    | #9 12:00:00.000 decided", `    | import os\x1b[2J`,
		"deny, by profiles.data.capabilities.process", "[py-process]", `    | alias\x1b[2J`, "x\\x1b[2J\\u202e\\r, 3 bytes", `    | not run\x1b[2J`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "#9") {
			t.Errorf("a prompt passes for a record: %q", line)
		}
	}
	code, out, _ = command(t, home, append([]string{"audit", "show", "run-okay"}, recordArgs(home)...)...)
	for _, want := range []string{"kernel = gvisor", "ANOMALY", "[… 89 bytes were not kept …]", "odd_kind", `"x": "\u001b[2J`} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d: %q is not in\n%s", code, want, out)
		}
	}
	code, out, _ = command(t, home, append([]string{"audit", "show", "run-okay", "--json"}, recordArgs(home)...)...)
	var record audit.Record
	if err := json.Unmarshal([]byte(strings.SplitN(out, "\n", 2)[0]), &record); code != 0 || err != nil || record.Kind != palisade.EventReceived {
		t.Errorf("exit %d, %v: %q", code, err, out)
	}
	if code, _, _ := command(t, home, append([]string{"audit", "show", "run-okay", "--brief"}, recordArgs(home)...)...); code != 0 {
		t.Errorf("exit %d", code)
	}
	for _, id := range []string{"nosuch", "run", "\x1b[2J"} {
		if code, _, errs := command(t, home, append([]string{"audit", "show", id}, recordArgs(home)...)...); code != 2 || errs == "" {
			t.Errorf("%q: exit %d, %q", id, code, errs)
		}
	}
}

func TestAuditVerify(t *testing.T) {
	home := recorded(t)
	verify := append([]string{"audit", "verify"}, recordArgs(home)...)
	heads := append(verify, "--head", filepath.Join(home, "heads"))
	if code, out, errs := command(t, home, verify...); code != 3 || !strings.HasPrefix(out, "consistent, not anchored: 2 runs") || !strings.Contains(errs, "audit.mirrors") || !strings.Contains(errs, "--head FILE") {
		t.Errorf("without heads: exit %d: %q %q", code, out, errs)
	}
	if code, _, errs := command(t, home, append(verify, "--head", t.TempDir())...); code != 3 || !strings.Contains(errs, "no head of this record is in ") {
		t.Errorf("no heads there: exit %d: %q", code, errs)
	}
	if code, out, _ := command(t, home, heads...); code != 0 || !strings.HasPrefix(out, "intact: 2 runs") {
		t.Errorf("with heads: exit %d: %q", code, out)
	}
	code, out, _ := command(t, home, append(heads, "--json")...)
	var report struct{ Verdict string }
	if err := json.Unmarshal([]byte(out), &report); code != 0 || err != nil || report.Verdict != "intact" {
		t.Errorf("exit %d, %v: %q", code, err, out)
	}
	if code, _, errs := command(t, home, append(verify, "--head", filepath.Join(home, "none"))...); code != 2 || !strings.Contains(errs, "none does not exist: mount it") {
		t.Errorf("a mirror that is not there: exit %d: %q", code, errs)
	}
	code, key, _ := command(t, home, append([]string{"audit", "pubkey"}, recordArgs(home)...)...)
	if want, err := os.ReadFile(filepath.Join(home, "key", "log.pub")); code != 0 || err != nil || key != string(want) {
		t.Errorf("pubkey: exit %d: %q, want %q, %v", code, key, want, err)
	}
	journal := filepath.Join(home, "log", "journal")
	data, err := os.ReadFile(journal)
	if err != nil || len(data) == 0 {
		t.Fatalf("journal: %d bytes, %v", len(data), err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(journal, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := command(t, home, heads...); code != 1 || !strings.HasPrefix(out, "tampered") {
		t.Errorf("a changed byte: exit %d: %q", code, out)
	}
	if err := os.RemoveAll(filepath.Join(home, "log")); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := command(t, home, heads...); code != 1 || !strings.HasPrefix(out, "tampered") {
		t.Errorf("a deleted log: exit %d: %q", code, out)
	}
}
