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
		{Decision: palisade.Deny, Policy: "profiles.data.modules", Next: "there is no way to run another program",
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

func refused(reasons ...palisade.Reason) palisade.Verdict {
	v := verdict()
	v.Decision, v.Reasons = palisade.Deny, reasons
	return v
}

// TestModulesAreListedOnce: the list of modules stands where a module's name
// was denied, once, and nowhere else.
func TestModulesAreListedOnce(t *testing.T) {
	finding := func(c palisade.Capability) palisade.Finding {
		return palisade.Finding{Rule: "r", Capability: c, Line: 1}
	}
	for _, c := range []struct {
		name  string
		given palisade.Reason
		want  int
	}{
		{"a call of os.system", palisade.Reason{Finding: finding(palisade.CapCall), Policy: "profiles.data.callables.os", Next: "a"}, 0},
		{"a process", palisade.Reason{Finding: finding(palisade.CapProcess), Policy: "profiles.data.capabilities.process", Next: "a"}, 0},
		{"a path", palisade.Reason{Finding: finding(palisade.CapReadPath), Policy: "profiles.data.paths.other", Next: "a"}, 0},
		{"a module that is asked about", palisade.Reason{Decision: palisade.Ask, Finding: finding(palisade.CapImport), Policy: "profiles.data.modules.ask[requests]", Next: "a"}, 0},
		{"an import", palisade.Reason{Finding: finding(palisade.CapImport), Policy: "profiles.data.modules", Next: "a"}, 1},
		{"a call", palisade.Reason{Finding: finding(palisade.CapCall), Policy: "profiles.data.modules.deny[ctypes]", Next: "a"}, 1},
	} {
		other := palisade.Reason{Finding: finding(palisade.CapNative), Policy: "profiles.data.capabilities.native"}
		f := newSanitizer(t).Refusal(caseOf(""), refused(c.given, other, c.given), nil)
		if got := strings.Count(strings.Join(f.Next, "\n"), "the profile has: "); got != c.want {
			t.Errorf("%s: %d lists in %q", c.name, got, f.Next)
		}
	}
}

// TestForeignLanguage: to a program in a language that the profile does not
// take, the profile's modules mean nothing.
func TestForeignLanguage(t *testing.T) {
	module := palisade.Reason{Finding: palisade.Finding{Rule: "js-import", Capability: palisade.CapImport, Line: 1}, Policy: "profiles.data.modules"}
	language := palisade.Reason{Finding: palisade.Finding{Rule: "language-not-allowed"}, Policy: "profiles.data.languages", Next: "this profile takes python"}
	f := newSanitizer(t).Refusal(caseOf(""), refused(language, module), nil)
	if all := strings.Join(f.Next, "\n"); strings.Contains(all, "the profile has: ") || !strings.Contains(all, "takes python") {
		t.Errorf("next = %q", f.Next)
	}
}

// TestUnparsable: what cannot be parsed hides nothing and was denied nothing.
func TestUnparsable(t *testing.T) {
	bad := palisade.Reason{Policy: "always.unparsable", Next: "generic", Finding: palisade.Finding{Rule: "unparsable", Capability: palisade.CapUnparsable, File: "helper\x1b", Line: 3, Column: 7}}
	f := newSanitizer(t).Refusal(caseOf(""), refused(bad, bad), nil)
	checkFeedback(t, f)
	all := strings.Join(f.Next, "\n")
	if !strings.Contains(all, `line 3, column 7 of helper\x1b`) || !strings.Contains(all, "send code that parses") || len(f.Next) != 2 {
		t.Errorf("next = %q", f.Next)
	}
	for _, not := range []string{"spelling", "does without", "the profile has"} {
		if strings.Contains(all, not) {
			t.Errorf("%q is told: %q", not, f.Next)
		}
	}
	bad.Finding.Line = 0
	if f := newSanitizer(t).Refusal(caseOf(""), refused(bad), nil); len(f.Next) != 2 || f.Next[0] != "generic" {
		t.Errorf("without a place: %q", f.Next)
	}
	bad.Finding.Capability, bad.Finding.Line = palisade.CapOversized, 1
	if f := newSanitizer(t).Refusal(caseOf(""), refused(bad), nil); len(f.Next) != 1 || f.Next[0] != "generic" {
		t.Errorf("oversized: %q", f.Next)
	}
}

// TestNoCapability: a reason about the caller has no capability to name.
func TestNoCapability(t *testing.T) {
	f := newSanitizer(t).Refusal(caseOf(""), refused(palisade.Reason{Finding: palisade.Finding{Rule: "profile-not-allowed", Message: "may not"}}), nil)
	if !strings.Contains(f.Text, "may not (denied by rule profile-not-allowed)") {
		t.Errorf("text = %q", f.Text)
	}
}
