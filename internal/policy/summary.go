package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/yamlfile"
)

// bySection are the capabilities that a section of their own decides and that
// are used on something that the section lists.
var bySection = []palisade.Capability{palisade.CapReadPath, palisade.CapWritePath, palisade.CapDeletePath, palisade.CapNetwork, palisade.CapEnvironment}

// summary is the profile in effect, in a few lines.
func (p *Profile) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s@%s, digest %s\n", p.Name, p.Version, p.digest)
	if len(p.Extends) > 0 {
		fmt.Fprintf(&b, "  extends %s\n", strings.Join(p.Extends, ", "))
	}
	fmt.Fprintf(&b, "  %s\n", p.Available())
	for _, c := range names(plain) {
		key := "capabilities." + c
		fmt.Fprintf(&b, "  %-14s %-5s  %s\n", c, p.Capabilities[palisade.Capability(c)], p.origin[key])
	}
	for _, c := range bySection {
		fmt.Fprintf(&b, "  %s\n", p.reachOf(c, 160))
	}
	for _, section := range []string{"named", "rules", "patterns", "score", "approvals", "conditions"} {
		text, _ := p.explainSection(section)
		b.WriteString(indented(text))
	}
	fmt.Fprintf(&b, "  denied system calls: %s\n", strings.Join(p.DeniedSyscalls, ", "))
	if len(p.Abort) > 0 {
		fmt.Fprintf(&b, "  acts that end a run: %s\n", strings.Join(p.Abort, ", "))
	}
	fmt.Fprintf(&b, "  back-ends: %s\n", strings.Join(p.Isolation.Backends, ", "))
	if p.Deterministic {
		fmt.Fprintf(&b, "  deterministic: every run%s\n", p.at("deterministic"))
	}
	l := p.Limits
	fmt.Fprintf(&b, "  output %s, processes %d, disk %s, inodes %d\n", yamlfile.FormatSize(l.Output), l.Processes, yamlfile.FormatSize(l.Disk), l.Inodes)
	return b.String()
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// explainSection is what a section says that decides about many things, or
// about the program as a whole.
func (p *Profile) explainSection(section string) (string, bool) {
	var b strings.Builder
	switch section {
	case "paths":
		for _, c := range bySection[:3] {
			fmt.Fprintf(&b, "%s\n", p.reachOf(c, maxListed))
		}
	case "modules", "import":
		fmt.Fprintf(&b, "import: %s\n", p.Modules.text(maxListed)+"what is not named is denied")
	case "call", "callables":
		b.WriteString("call: decided by the module's name, under modules, and where callables or builtins name the module by their lists; ask about one\n")
	case "capabilities":
		return p.byDecision(""), true
	case "named":
		for _, c := range slices.Sorted(maps.Keys(p.Named)) {
			fmt.Fprintf(&b, "%s by name: %s\n", c, p.namesOf(c, maxListed))
		}
	case "rules", "rule":
		section = "rules"
		for _, id := range slices.Sorted(maps.Keys(p.Rules)) {
			fmt.Fprintf(&b, "rule %s: %s%s\n", id, p.Rules[id], p.at("rules."+id))
		}
	case "patterns", "pattern":
		section = "patterns"
		b.WriteString(p.bySeverities())
	case "score":
		b.WriteString(p.scoreLine())
	case "approvals", "approval":
		section = "approvals"
		b.WriteString(p.approversLine())
	case "conditions", "condition":
		section = "conditions"
		for i, c := range p.Conditions {
			fmt.Fprintf(&b, "condition %d: %s where %s (%s)%s\n", i, c.Then, strings.Join(strings.Fields(c.When), " "), c.Why, p.at(fmt.Sprintf("conditions[%d]", i)))
		}
	default:
		return "", false
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "%s: none\n", section)
	}
	return b.String(), true
}

// at is the place of a line, in brackets.
func (p *Profile) at(key string) string {
	if place, ok := p.origin[key]; ok {
		return " (" + place + ")"
	}
	return ""
}

// bySeverities is what is decided about findings of pattern rules.
func (p *Profile) bySeverities() string {
	var parts []string
	for s := palisade.Critical; s >= palisade.Info; s-- {
		parts = append(parts, fmt.Sprintf("%s %s", s, p.Patterns[s]))
	}
	return fmt.Sprintf("pattern rules, by severity: %s%s\n", strings.Join(parts, ", "), p.at("patterns"))
}

// scoreLine is what is decided about the score of a whole program.
func (p *Profile) scoreLine() string {
	var parts []string
	for _, one := range []struct {
		key  string
		from int
	}{{"ask", p.Score.Ask}, {"deny", p.Score.Deny}} {
		if one.from == 0 {
			parts = append(parts, "no score alone is "+map[string]string{"ask": "asked about", "deny": "denied"}[one.key])
			continue
		}
		parts = append(parts, fmt.Sprintf("%s from %d on%s", one.key, one.from, p.at("score."+one.key)))
	}
	return fmt.Sprintf("score, of 0 to 100: %s\n", strings.Join(parts, "; "))
}

// effects says what a profile decides about what a program does, whatever the
// name by which it does it: which callable does what is for the reading to find.
func (p *Profile) effects(indent string) string {
	var b strings.Builder
	b.WriteString(p.byDecision(indent))
	for _, c := range bySection {
		fmt.Fprintf(&b, "%s%s\n", indent, p.reachOf(c, 80))
	}
	for _, rule := range slices.Sorted(maps.Keys(p.Rules)) {
		fmt.Fprintf(&b, "%srule %s: %s\n", indent, rule, p.Rules[rule])
	}
	if len(p.Conditions) > 0 {
		fmt.Fprintf(&b, "%sand %d conditions on the whole program\n", indent, len(p.Conditions))
	}
	return b.String()
}

// byDecision are the capabilities that a line decides, by what it says.
func (p *Profile) byDecision(indent string) string {
	var b strings.Builder
	groups := map[palisade.Decision][]string{}
	for _, c := range names(plain) {
		d := p.Capabilities[palisade.Capability(c)]
		groups[d] = append(groups[d], c)
	}
	for _, d := range []palisade.Decision{palisade.Allow, palisade.Ask, palisade.Deny} {
		if len(groups[d]) > 0 {
			fmt.Fprintf(&b, "%s%s: %s\n", indent, d, strings.Join(groups[d], ", "))
		}
	}
	return b.String()
}

// reachOf is one line about a capability that a section of its own decides; its
// lists are cut at a number of characters.
func (p *Profile) reachOf(c palisade.Capability, limit int) string {
	allow, deny, other, unknown := p.Paths.Read, p.Paths.Deny, p.Paths.Other, p.Paths.Unknown
	switch c {
	case palisade.CapWritePath:
		allow = p.Paths.Write
	case palisade.CapDeletePath:
		return string(c) + ": " + p.deletes()
	case palisade.CapNetwork:
		allow, deny, other, unknown = p.Network.Allow, p.Network.Deny, p.Network.Other, p.Network.Unknown
	case palisade.CapEnvironment:
		allow, deny, other, unknown = p.Environment.Allow, p.Environment.Deny, p.Environment.Other, p.Environment.Unknown
	}
	text := string(c) + ": "
	if len(deny) > 0 {
		text += "deny " + listed(deny, limit) + "; "
	}
	if len(allow) > 0 {
		text += "allow " + listed(allow, limit) + "; "
	}
	return text + fmt.Sprintf("any other %s; what the reading cannot tell %s", other, unknown)
}

// deletes is what deleting comes to beside writing.
func (p *Profile) deletes() string {
	at := p.at("paths.deleting")
	switch p.Paths.Deleting {
	case palisade.Allow:
		return "decided as write_path is" + at
	case palisade.Ask:
		return "ask where write_path is allowed, else decided as write_path is" + at
	default:
		return "deny, wherever" + at
	}
}

// namesOf are the lists of names of a capability, and what holds for the rest.
func (p *Profile) namesOf(c palisade.Capability, limit int) string {
	d, _ := p.onName(palisade.Finding{Capability: c, Unknown: true})
	return p.Named[c].text(limit) + fmt.Sprintf("any other %s; a name that the reading cannot tell %s", p.Capabilities[c], d)
}

// text is what lists name, the strictest first, each cut at a number of
// characters.
func (l Lists) text(limit int) string {
	text := ""
	l.each(func(name string, _ palisade.Decision, patterns *[]string) {
		if len(*patterns) > 0 {
			text += name + " " + listed(*patterns, limit) + "; "
		}
	})
	return text
}
