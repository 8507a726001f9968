package main

import (
	"encoding/json"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/approval"
)

// asked puts a question on the record of a state folder, as the gate does.
func asked(t *testing.T, home, submitter string) palisade.Approval {
	t.Helper()
	q, err := (&env{home: home}).questions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	reason := palisade.Reason{Decision: palisade.Ask, Finding: palisade.Finding{
		Rule: "py-network", Severity: palisade.High, Capability: palisade.CapNetwork, Argument: "example.org\x1b[2J", Message: "could reach\nforged: nothing becomes possible\u202e", Line: 1, Evidence: "alias\x1b[2J",
	}}
	a, err := q.Take(t.Context(), "run1", palisade.Question{
		Case: palisade.Case{Submission: palisade.Submission{
			Submitter: submitter, Door: "cli", Prompt: "fetch\x1b[2J it",
			Program: palisade.Program{Language: palisade.Python, Name: "a.py", Source: []byte("import urllib.request\u202e\n")},
		}},
		Verdict: palisade.Verdict{Decision: palisade.Ask, Reasons: []palisade.Reason{reason}, Profile: "data"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestApprovals(t *testing.T) {
	home := t.TempDir()
	if code, out, _ := command(t, home, "approvals", "ls"); code != 0 || out != "no questions\n" {
		t.Errorf("exit %d: %q", code, out)
	}
	own, other := asked(t, home, submitter()), asked(t, home, "uid:424242")
	digest := other.Binding.String()[:12]

	code, out, _ := command(t, home, "approvals", "ls")
	if code != 0 || !strings.Contains(out, own.Ticket) || !strings.Contains(out, digest) || !strings.Contains(out, "uid:424242") {
		t.Errorf("exit %d: %q", code, out)
	}
	code, out, _ = command(t, home, "approvals", "show", other.Ticket)
	if code != 0 || !strings.Contains(out, `fetch\x1b[2J it`) || !strings.Contains(out, "reach the network") || !strings.Contains(out, digest) {
		t.Errorf("exit %d: %q", code, out)
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "forged") {
			t.Errorf("a finding passes for a line of ours: %q", line)
		}
	}
	code, out, _ = command(t, home, "approvals", "show", other.Ticket, "--json")
	var q approval.Question
	if err := json.Unmarshal([]byte(out), &q); code != 0 || err != nil || q.Prompt != "fetch\x1b[2J it" {
		t.Errorf("exit %d, %v: %q", code, err, out)
	}
	for _, c := range []struct {
		name string
		code int
		args []string
	}{
		{"own question", 3, []string{"approve", own.Ticket, own.Binding.String(), "--comment", "x"}},
		{"no such ticket", 2, []string{"approve", "nosuch\x1b[2J", digest, "--comment", "x"}},
		{"another digest", 2, []string{"approve", other.Ticket, own.Binding.String()[:12] + "0", "--comment", "x"}},
		{"short digest", 2, []string{"approve", other.Ticket, digest[:7], "--comment", "x"}},
		{"no comment", 2, []string{"approve", other.Ticket, digest}},
		{"no digest", 2, []string{"approve", other.Ticket}},
		{"show nothing", 2, []string{"show", "nosuch"}},
		{"approved", 0, []string{"approve", other.Ticket, digest, "--comment", "looked"}},
		{"approved twice", 2, []string{"approve", other.Ticket, digest, "--comment", "looked"}},
		{"one's own may be withdrawn", 0, []string{"deny", own.Ticket, own.Binding.String()}},
	} {
		code, out, errs := command(t, home, append([]string{"approvals"}, c.args...)...)
		if code != c.code || out+errs == "" {
			t.Errorf("%s: exit %d, want %d: %q %q", c.name, code, c.code, out, errs)
		}
		if next := "another user does it with: palisade --home " + home + " approvals approve " + own.Ticket; (code == 3) != strings.Contains(errs, next) {
			t.Errorf("%s: %q", c.name, errs)
		}
	}
	code, out, _ = command(t, home, "approvals", "ls", "--json")
	states := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var item struct{ Ticket, Standing string }
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		states[item.Ticket] = item.Standing
	}
	if code != 0 || states[other.Ticket] != "approved" || states[own.Ticket] != "denied" {
		t.Errorf("exit %d: %v", code, states)
	}
}
