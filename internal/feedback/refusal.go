package feedback

import (
	"fmt"
	"slices"
	"strings"

	"palisade"
)

// maxReasons bounds the reasons that a refusal tells.
const maxReasons = 15

// Refusal implements palisade.Sanitizer. It tells rule, place, capability and
// what is allowed instead; never the evidence.
func (s *Sanitizer) Refusal(c palisade.Case, v palisade.Verdict, a *palisade.Approval) palisade.Feedback {
	if v.Decision == palisade.Ask {
		return palisade.Feedback{
			Type: palisade.ApprovalRequired,
			Text: "The program was not run: a human must approve it first.\n" + s.reasons(c, v),
			Next: s.clean(asking(a, v)),
		}
	}
	if a != nil && a.Denied {
		return palisade.Feedback{
			Type: palisade.PolicyViolation,
			Text: "The program was not run: a human was asked and said no.\n" + s.reasons(c, v),
			Next: s.clean(denied(a)),
		}
	}
	return palisade.Feedback{
		Type: palisade.PolicyViolation,
		Text: "The program was not run: policy does not allow it.\n" + s.reasons(c, v),
		Next: s.clean(s.instead(c, v)),
	}
}

// reasons writes one line for each finding that policy did not allow.
func (s *Sanitizer) reasons(c palisade.Case, v palisade.Verdict) string {
	var b strings.Builder
	for i, reason := range v.Reasons {
		if i == maxReasons {
			fmt.Fprintf(&b, "- and %d more\n", len(v.Reasons)-i)
			break
		}
		f := reason.Finding
		line := "- "
		if at := where(c, f); at != "" {
			line += at + ": "
		}
		line += f.Message
		what := "denied"
		if reason.Decision == palisade.Ask {
			what = "needs approval"
		}
		if f.Capability != "" {
			what += ": " + string(f.Capability) + ","
		} else {
			what += " by"
		}
		line += fmt.Sprintf(" (%s rule %s)", what, f.Rule)
		b.WriteString(s.line(line) + "\n")
	}
	if len(v.Reasons) == 0 && v.Policy != "" {
		b.WriteString(s.line("- decided by "+v.Policy) + "\n")
	}
	return b.String()
}

// where says where a finding stands; "" where no line is known.
func where(c palisade.Case, f palisade.Finding) string {
	if f.Line <= 0 {
		return ""
	}
	at := fmt.Sprintf("line %d", f.Line)
	if f.Column > 0 {
		at += fmt.Sprintf(", column %d", f.Column)
	}
	if f.File != "" && f.File != c.Submission.Program.Name {
		at += " of " + f.File
	}
	return at
}

// line makes one bounded line of text that may hold the program's own words.
func (s *Sanitizer) line(text string) string {
	return short(s.redactor.String(text), maxError)
}

func (s *Sanitizer) clean(steps []string) []string {
	for i, step := range steps {
		steps[i] = short(s.redactor.String(step), maxStep)
	}
	return steps
}

// instead says what is allowed where policy denied.
func (s *Sanitizer) instead(c palisade.Case, v palisade.Verdict) []string {
	var steps []string
	add := func(step string) {
		if step != "" && !slices.Contains(steps, step) && len(steps) < maxReasons {
			steps = append(steps, step)
		}
	}
	judged, unparsed, modules, foreign := false, false, false, false // judged: the program, not who asked or how
	for _, reason := range v.Reasons {
		f := reason.Finding
		if reason.Decision == palisade.Deny {
			modules = modules || deniedModule(v, reason)
		}
		foreign = foreign || f.Rule == "language-not-allowed"
		switch {
		case f.Capability == palisade.CapUnparsable:
			unparsed = true
			if at := where(c, f); at != "" {
				add(s.line("the code cannot be parsed: mend it at " + at))
			} else {
				add(reason.Next)
			}
			continue
		case unread(f.Capability):
		case f.Line > 0:
			judged = true
		}
		add(reason.Next)
	}
	if unparsed {
		steps = append(steps, "send code that parses: until then nothing in it can be judged")
	}
	if modules && !foreign && v.Available != "" && !slices.Contains(steps, v.Available) {
		steps = append(steps, v.Available)
	}
	if judged {
		steps = append(steps, "write a program that does without what was denied; hiding it in another spelling is denied too")
	}
	return steps
}

// unread reports whether a finding only says that code was not read.
func unread(c palisade.Capability) bool {
	return c == palisade.CapUnparsable || c == palisade.CapFailed || c == palisade.CapOversized
}

// deniedModule reports whether a module's name is what was denied, so that it
// helps to know which there are.
func deniedModule(v palisade.Verdict, r palisade.Reason) bool {
	if c := r.Finding.Capability; c != palisade.CapImport && c != palisade.CapCall {
		return false
	}
	line, ok := strings.CutPrefix(r.Policy, "profiles."+v.Profile+".modules")
	return ok && (line == "" || line[0] == '.')
}

// asking says how a human is asked, and what not to do meanwhile.
func asking(a *palisade.Approval, v palisade.Verdict) []string {
	if a == nil {
		return []string{"a human must approve the program; do not retry, rephrase or work around"}
	}
	approve := a.Ticket + " " + a.Binding.String()[:12]
	for _, reason := range v.Reasons {
		if reason.Finding.Severity >= palisade.High {
			approve += " --comment WHY" // approvals asks for one
			break
		}
	}
	steps := []string{
		"a human must approve ticket " + a.Ticket + "; until then do not retry, rephrase or work around",
		fmt.Sprintf("ask a human who may approve to run: palisade approvals show %s, and then palisade approvals approve %s (or deny)", a.Ticket, approve),
	}
	if !a.Expires.IsZero() {
		steps = append(steps, "the question expires at "+a.Expires.UTC().Format("2006-01-02 15:04:05 MST")+"; submitting the same program after that asks again")
	}
	return append(steps, "once approved, submit exactly the same program again: the approval holds for nothing else, and once")
}

// denied says what a human's no means.
func denied(a *palisade.Approval) []string {
	steps := []string{"do not retry, rephrase or work around: a human decided"}
	if a.Comment != "" {
		steps = append(steps, "the human's comment: "+a.Comment)
	}
	return append(steps, "go on without this program, or ask the human what is wanted instead")
}
