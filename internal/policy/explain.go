package policy

import (
	"fmt"
	"slices"
	"strings"

	"palisade"
)

// Explain says which line of a profile decides about a thing, and where that
// line stands. A thing is one of
//   - a module or callable (os, os.path.join), a builtin (builtins.open);
//   - a capability (process, read_data), or one with what it is used on
//     ("read_data sales", "target prod", "table sales", "image nginx");
//   - a path (/work/x, "write /etc/x", "delete /work/x"), a URL, a peer with
//     "network " before it, a variable with "environment " before it;
//   - a rule with "rule " before it, or a finding that policy itself makes;
//   - a section: paths, capabilities, named, rules, patterns, score, approvals,
//     conditions.
//
// The empty thing is the whole profile. The error is [ErrNoProfile], or
// [ErrNoRule] where it is known which rules there are.
func (s *Set) Explain(profile, thing string) (string, error) {
	p, err := s.Profile(profile)
	if err != nil {
		return "", err
	}
	if len(thing) > maxName {
		return "", fmt.Errorf("explain: longer than %d characters", maxName)
	}
	if thing = strings.TrimSpace(thing); thing == "" {
		return p.summary(), nil
	}
	if id, ok := strings.CutPrefix(thing, "rule "); ok {
		return s.explainRule(p, strings.TrimSpace(id))
	}
	if text, ok := p.explainSection(thing); ok {
		return text, nil
	}
	c := palisade.Capability(thing)
	if slices.Contains(bySection, c) {
		return p.reachOf(c, maxListed) + "\n", nil
	}
	var b strings.Builder
	if _, ok := plain[c]; ok {
		s.explainCapability(&b, p, palisade.Finding{Capability: c})
		return b.String(), nil
	}
	if _, ok := Own(thing); ok {
		return s.explainRule(p, thing)
	}
	for _, f := range p.readings(thing) {
		s.explain(&b, p, f)
	}
	return b.String(), nil
}

// explain writes what a profile says of one reading of a thing.
func (s *Set) explain(b *strings.Builder, p *Profile, f palisade.Finding) {
	d, line := p.finding(f)
	call := f.Capability == palisade.CapCall
	how := s.HowToAllow(p, f, d)
	switch {
	case call && d == palisade.Allow:
		fmt.Fprintf(b, "%s: the name is allowed", label(f))
	case f.Capability == palisade.CapImport && p.absent(f.Argument) && d != palisade.Deny:
		fmt.Fprintf(b, "%s: %s, %s", label(f), d, notInstalled)
	default:
		fmt.Fprintf(b, "%s: %s", label(f), d)
	}
	fmt.Fprintf(b, "\n  decided by %s", p.where(line))
	if held := p.heldTo(line); held != "" {
		fmt.Fprintf(b, "\n  held to: %s", held)
	}
	if line == p.line("modules") {
		fmt.Fprintf(b, "\n  %s", p.unknown(f))
	}
	if f.Capability == palisade.CapDeletePath {
		fmt.Fprintf(b, "\n  %s", p.asWritten(f, line))
	}
	if next := p.next(f, d, line, ""); d != palisade.Allow && next != "" {
		fmt.Fprintf(b, "\n  instead: %s", next)
	}
	b.WriteString(p.allowed(d, line, how))
	switch {
	case call && (d != palisade.Deny || how != ""):
		fmt.Fprintf(b, "\n  that is about the name: what it is used on and does is judged by capabilities as well,\n"+
			"  and the strictest decides (palisade scan tells which a program has):\n%s", p.effects("    "))
	case f.Capability == palisade.CapImport && d != palisade.Deny:
		b.WriteString("\n  what is used of it is judged where it is used, by callables, paths, network, environment and capabilities\n")
	default:
		b.WriteByte('\n')
	}
}

// allowed says how something could be allowed that a line decides about.
func (p *Profile) allowed(d palisade.Decision, line, how string) string {
	key := strings.TrimPrefix(line, p.line(""))
	stopped := d == palisade.Deny && strings.Contains(key, ".deny[") || d != palisade.Allow && strings.HasPrefix(key, "rules.")
	switch {
	case how != "":
		at := "a policy file of yours"
		if p.file != "" {
			at = fmt.Sprintf("the profile %s of %s", p.Name, p.file)
		}
		if _, unasked, ok := strings.Cut(how, "named: {"); ok && strings.Contains(unasked, "unask: ") && strings.Contains(unasked, "*") {
			at += " (no other name that these patterns mean is asked about then)"
		}
		return fmt.Sprintf("\n  to allow it, in %s:\n%s", at, how)
	case d != palisade.Allow && p.isOwn(key) && (stopped || strings.Contains(key, ".ask[")):
		return "\n  that line is yours: without it, what stands behind it decides"
	case stopped:
		return fmt.Sprintf("\n  a profile that extends this one cannot take the %s back", d)
	}
	return ""
}

// asWritten says of something that is deleted what the other line decides: that
// of writing, or that of deleting.
func (p *Profile) asWritten(f palisade.Finding, line string) string {
	const deleting = "paths.deleting"
	if line != p.line(deleting) {
		return fmt.Sprintf("as what is written to; of deleting, %s says: %s", p.where(p.line(deleting)), p.Paths.Deleting)
	}
	d, key := p.path(f, p.quick.write, "paths.write")
	return fmt.Sprintf("writing to it: %s, by %s", d, p.where(p.line(key)))
}

// explainCapability writes what a line under `capabilities:` says, and the lists
// of names that come before it.
func (s *Set) explainCapability(b *strings.Builder, p *Profile, f palisade.Finding) {
	c := string(f.Capability)
	d, line := p.Capabilities[f.Capability], p.line("capabilities."+c)
	fmt.Fprintf(b, "%s: %s\n  decided by %s", c, d, p.where(line))
	if _, ok := p.Named[f.Capability]; ok {
		fmt.Fprintf(b, "\n  by name, before that: %s\n  (%s)", p.namesOf(f.Capability, maxListed), p.where(p.line("named."+c)))
	}
	if next := p.next(f, d, line, ""); d != palisade.Allow && next != "" {
		fmt.Fprintf(b, "\n  instead: %s", next)
	}
	if d == palisade.Allow {
		b.WriteByte('\n')
		return
	}
	b.WriteString(p.allowed(d, line, p.lines("capabilities: {"+c+": allow}")))
	if slices.Contains(nameable, f.Capability) {
		fmt.Fprintf(b, "\n  or, for one NAME alone: named: {%s: {allow: [NAME]}}", c)
	}
	b.WriteByte('\n')
}

// unknown says of a module that no list names what there is instead.
func (p *Profile) unknown(f palisade.Finding) string {
	module := f.Argument
	if f.Capability == palisade.CapCall {
		module = p.moduleOf(f.Symbol)
	}
	var inside []string
	for _, name := range slices.Concat(p.Modules.Allow, p.Modules.Ask) {
		if strings.HasPrefix(name, module+".") {
			inside = append(inside, name)
		}
	}
	text := fmt.Sprintf("no such module is known to profile %s: %s", p.Name, module)
	if len(inside) > 0 {
		text = fmt.Sprintf("profile %s does not name %s itself, only: %s", p.Name, module, listed(inside, maxListed))
	}
	if p.absent(module) {
		text += "; none is installed on this machine"
	}
	return text
}

// where adds to a line's name what it says or leaves out, and its place.
func (p *Profile) where(line string) string {
	if strings.HasPrefix(line, "always.") {
		return line + ", which no file can change"
	}
	key := strings.TrimPrefix(line, p.line(""))
	if place, ok := p.origin[key]; ok {
		if key == "modules" || key == "builtins" || strings.HasPrefix(key, "callables.") && !strings.Contains(key, "[") {
			return fmt.Sprintf("%s (%s), which does not name it", line, place)
		}
		return fmt.Sprintf("%s (%s)", line, place)
	}
	if at := strings.LastIndexByte(key, '.'); strings.HasPrefix(key, "named.") && !strings.Contains(key, "[") && p.origin[key[:at]] != "" {
		return fmt.Sprintf("%s (%s), which may mean it: its name is not known", line, p.origin[key[:at]])
	}
	return line + ", which is not in the profile: what is not named is denied"
}
