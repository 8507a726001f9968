package feedback

import (
	"strings"
	"testing"
	"time"

	"palisade"
)

func denial(decision palisade.Decision) palisade.Verdict {
	v := verdict()
	v.Decision = decision
	v.Reasons = []palisade.Reason{
		{Decision: decision, Policy: "profiles.data.capabilities.process", Next: "there is no way to run another program",
			Finding: palisade.Finding{Rule: "py-process", Severity: palisade.High, Capability: palisade.CapProcess, Message: "could run " + sampleKey + " \x1b[31m\u202e", File: "/home/alice/prog.py", Line: 3, Column: 5, Evidence: "alias chain o = os"}},
		{Decision: palisade.Deny, Next: "there is no way to run another program",
			Finding: palisade.Finding{Rule: "py-import", Capability: palisade.CapImport, Message: "imports os", File: "helper", Line: 1, Evidence: "folded secret"}},
	}
	return v
}

func TestDenied(t *testing.T) {
	f := newSanitizer(t).Refusal(caseOf(""), denial(palisade.Deny), nil)
	checkFeedback(t, f)
	if f.Type != palisade.PolicyViolation {
		t.Errorf("type = %q", f.Type)
	}
	all := f.Text + strings.Join(f.Next, "\n")
	for _, want := range []string{"line 3, column 5: could run [redacted:aws-access-key] \\x1b[31m\\u202e (denied: process, rule py-process)", "line 1 of helper: imports os", "the profile has: math, numpy"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
	if strings.Contains(all, "alias chain") || strings.Contains(all, "folded") {
		t.Errorf("evidence is told: %q", all)
	}
	if strings.Count(all, "there is no way") != 1 {
		t.Errorf("a step is told twice: %q", f.Next)
	}
}

func TestManyReasons(t *testing.T) {
	v := denial(palisade.Deny)
	for len(v.Reasons) < 5000 {
		v.Reasons = append(v.Reasons, palisade.Reason{Next: strings.Repeat("n", 1000) + v.Reasons[len(v.Reasons)-1].Next, Finding: palisade.Finding{Message: strings.Repeat("m\n", 5000)}})
		if len(v.Reasons) > 40 {
			v.Reasons = append(v.Reasons, v.Reasons...)
		}
	}
	f := newSanitizer(t).Refusal(caseOf(""), v, nil)
	checkFeedback(t, f)
	if !strings.Contains(f.Text, "more\n") || len(f.Next) > maxReasons+2 {
		t.Errorf("%d steps, text %q", len(f.Next), f.Text)
	}
}

func TestAsks(t *testing.T) {
	a := &palisade.Approval{Ticket: "T-17", Binding: palisade.Digest{0xab, 0xcd, 0xef, 1, 2, 3}, Expires: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	f := newSanitizer(t).Refusal(caseOf(""), denial(palisade.Ask), a)
	checkFeedback(t, f)
	if f.Type != palisade.ApprovalRequired {
		t.Errorf("type = %q", f.Type)
	}
	all := strings.Join(f.Next, "\n")
	for _, want := range []string{"do not retry, rephrase or work around", "palisade approvals show T-17", "palisade approvals approve T-17 abcdef010203 --comment WHY (or deny)", "2026-01-02 03:04:05 UTC", "exactly the same program"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
	if f := newSanitizer(t).Refusal(caseOf(""), denial(palisade.Ask), nil); !strings.Contains(strings.Join(f.Next, ""), "human") {
		t.Errorf("without a ticket: %q", f.Next)
	}
}

func TestHumanDenied(t *testing.T) {
	f := newSanitizer(t).Refusal(caseOf(""), denial(palisade.Deny), &palisade.Approval{Denied: true, Comment: "no\n\x1b[2Jnetwork here"})
	checkFeedback(t, f)
	all := strings.Join(f.Next, "\n")
	if f.Type != palisade.PolicyViolation || !strings.Contains(all, "do not retry") || !strings.Contains(all, `no\n\x1b[2Jnetwork here`) {
		t.Errorf("%+v", f)
	}
}

// TestCallerDenied: where nothing in the program was denied, the program is not
// what to change.
func TestCallerDenied(t *testing.T) {
	v := verdict()
	v.Decision = palisade.Deny
	v.Reasons = []palisade.Reason{{Finding: palisade.Finding{Rule: "profile-unknown", Message: "no such profile"}, Next: "the profiles are pal and data"}}
	f := newSanitizer(t).Refusal(caseOf(""), v, nil)
	if len(f.Next) != 1 || f.Next[0] != "the profiles are pal and data" {
		t.Errorf("next = %q", f.Next)
	}
}
