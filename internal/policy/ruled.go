package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"palisade"
)

// ErrNoRule says that there is no rule of an ID.
var ErrNoRule = errors.New("no such rule")

// explainRule says what a profile decides about a rule's findings.
func (s *Set) explainRule(p *Profile, id string) (string, error) {
	if own, ok := Own(id); ok {
		return p.explainOwn(own), nil
	}
	rule, known := p.known[id]
	raised, line := p.Rules[id]
	var b strings.Builder
	switch {
	case p.known != nil && !known:
		return "", fmt.Errorf("%w: %.100q; %s", ErrNoRule, id, p.known.instead(id))
	case !known && line:
		fmt.Fprintf(&b, "rule %s: %s\n  decided by %s\n", id, raised, p.where(p.line("rules."+id)))
	case !known:
		fmt.Fprintf(&b, "rule %s: no line under %s raises it; the capability of each of its findings decides, or its severity if it is a pattern rule\n", id, p.line("rules"))
	default:
		s.explainKnown(&b, p, rule)
	}
	return b.String(), nil
}

// explainKnown writes what is decided about the findings of a rule that there is.
func (s *Set) explainKnown(b *strings.Builder, p *Profile, rule Rule) {
	f := palisade.Finding{Rule: rule.ID, Severity: rule.Severity, Capability: rule.Capability}
	raised, has := p.Rules[rule.ID]
	if !has {
		fmt.Fprintf(b, "rule %s is about %s, and no line under %s raises it:\n", rule.ID, about(rule), p.line("rules"))
		b.WriteString(indented(s.rest(p, f)))
		return
	}
	d, line, least := raised, p.line("rules."+rule.ID), ""
	if p.oneLine(f) {
		d, line = p.finding(f)
	} else if raised != palisade.Deny {
		least = "at least "
	}
	fmt.Fprintf(b, "rule %s: %s%s\n  decided by %s", rule.ID, least, d, p.where(line))
	fmt.Fprintf(b, "\n  instead: %s%s\n", p.next(f, d, line, ""), p.allowed(d, line, ""))
	fmt.Fprintf(b, "  it is about %s; what decides about that where no rule does:\n%s", about(rule), indented(indented(s.rest(p, f))))
}

// about is what a rule's findings are, in words.
func about(rule Rule) string {
	if rule.Capability == palisade.CapPattern {
		return fmt.Sprintf("a pattern of severity %s", rule.Severity)
	}
	return string(rule.Capability)
}

// oneLine reports whether one line decides about all findings of a capability,
// whatever they are used on.
func (p *Profile) oneLine(f palisade.Finding) bool {
	_, simple := plain[f.Capability]
	_, byName := p.Named[f.Capability]
	return f.Capability == palisade.CapPattern || simple && !byName
}

// rest is what a profile decides about a rule's findings without the rule's line.
func (s *Set) rest(p *Profile, f palisade.Finding) string {
	var b strings.Builder
	_, simple := plain[f.Capability]
	_, fixed := always[f.Capability]
	switch {
	case slices.Contains(bySection, f.Capability):
		return p.reachOf(f.Capability, maxListed)
	case simple:
		s.explainCapability(&b, p, f)
	case f.Capability == palisade.CapPattern || fixed:
		general := f
		general.Rule = ""
		d, line := p.finding(general)
		fmt.Fprintf(&b, "%s: %s\n  decided by %s", f.Capability, d, p.where(line))
		if next := p.next(f, d, line, ""); d != palisade.Allow && next != "" {
			fmt.Fprintf(&b, "\n  instead: %s", next)
		}
		b.WriteString(p.allowed(d, line, s.HowToAllow(p, general, d)))
	default:
		fmt.Fprintf(&b, "%s: the names under %s decide", f.Capability, p.line(sections[f.Capability]))
	}
	return b.String()
}

// explainOwn says what decides about a finding that policy itself makes.
func (p *Profile) explainOwn(own OwnFinding) string {
	text := fmt.Sprintf("%s: %s\n  policy's own finding; decided by %s\n", own.ID, own.Title, own.Line)
	if section, ok := p.explainSection(own.ID); ok {
		text += indented(section)
	}
	return text + "  instead: " + own.Remedy + "\n"
}
