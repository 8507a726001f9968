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
		Next: s.clean(instead(v)),
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
		if f.Line > 0 {
			line += fmt.Sprintf("line %d", f.Line)
			if f.Column > 0 {
				line += fmt.Sprintf(", column %d", f.Column)
			}
			if f.File != "" && f.File != c.Submission.Program.Name {
				line += " of " + f.File
			}
			line += ": "
		}
		line += f.Message
		what := "denied"
		if reason.Decision == palisade.Ask {
			what = "needs approval"
		}
		line += fmt.Sprintf(" (%s: %s, rule %s)", what, f.Capability, f.Rule)
		b.WriteString(s.line(line) + "\n")
	}
	if len(v.Reasons) == 0 && v.Policy != "" {
		b.WriteString(s.line("- decided by "+v.Policy) + "\n")
	}
	return b.String()
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
func instead(v palisade.Verdict) []string {
	var steps []string
	program := false // something in the program was denied, not who asked or how
	for _, reason := range v.Reasons {
		program = program || reason.Finding.Line > 0
		if reason.Next != "" && !slices.Contains(steps, reason.Next) && len(steps) < maxReasons {
			steps = append(steps, reason.Next)
		}
	}
	if !program {
		return steps
	}
	if v.Available != "" && !slices.Contains(steps, v.Available) {
		steps = append(steps, v.Available)
	}
	return append(steps, "write a program that does without what was denied; hiding it in another spelling is denied too")
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
