package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/yamlfile"
)

// Explain says which line of a profile decides about a thing, and where that
// line stands. A thing is a module or callable (os, os.path.join), a builtin
// (builtins.open), a capability (process), a path (/work/x, or "write /etc/x"),
// a URL or host:port with "network " before it, a variable with "environment "
// before it, or a rule with "rule " before it. The error is [ErrNoProfile].
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
	var b strings.Builder
	if text, ok := p.section(thing); ok {
		return text, nil
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
	if line == p.line("modules") {
		fmt.Fprintf(b, "\n  %s", p.unknown(f))
	}
	if next := p.next(f, d); d != palisade.Allow && next != "" {
		fmt.Fprintf(b, "\n  instead: %s", next)
	}
	switch {
	case how != "":
		fmt.Fprintf(b, "\n  to allow it, in a policy file of yours:\n%s", how)
	case d == palisade.Deny && strings.Contains(line, ".deny["):
		b.WriteString("\n  a profile that extends this one cannot take the deny back")
	}
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

// effects says what a profile decides about what a program does, whatever the
// name by which it does it: which callable does what is for the reading to find.
func (p *Profile) effects(indent string) string {
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
	for _, c := range []palisade.Capability{palisade.CapReadPath, palisade.CapWritePath, palisade.CapNetwork, palisade.CapEnvironment} {
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

// reachOf is one line about a capability that a section of its own decides; its
// lists are cut at a number of characters.
func (p *Profile) reachOf(c palisade.Capability, limit int) string {
	allow, deny, other, unknown := p.Paths.Read, p.Paths.Deny, p.Paths.Other, p.Paths.Unknown
	switch c {
	case palisade.CapWritePath:
		allow = p.Paths.Write
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

// section explains the name of a capability that has a section of its own, and
// a rule without a line.
func (p *Profile) section(thing string) (string, bool) {
	switch c := palisade.Capability(thing); c {
	case palisade.CapReadPath, palisade.CapWritePath, palisade.CapNetwork, palisade.CapEnvironment:
		return p.reachOf(c, maxListed) + "\n", true
	}
	if rule, ok := strings.CutPrefix(thing, "rule "); ok {
		rule = strings.TrimSpace(rule)
		if _, named := p.Rules[rule]; rule != "" && !named {
			return fmt.Sprintf("rule %s: no line under %s raises it; the capability of each of its findings decides\n", rule, p.line("rules")), true
		}
	}
	return "", false
}

// ExplainFinding says which line of a profile decides about a finding.
func (s *Set) ExplainFinding(profile string, f palisade.Finding) (string, error) {
	p, err := s.Profile(profile)
	if err != nil {
		return "", err
	}
	d, line := p.finding(f)
	return fmt.Sprintf("%s: %s\n  decided by %s\n", label(f), d, p.where(line)), nil
}

// readings are the findings that a thing could stand for.
func (p *Profile) readings(thing string) []palisade.Finding {
	kind, rest, two := strings.Cut(thing, " ")
	if rest = strings.TrimSpace(rest); two && rest != "" {
		switch kind {
		case "read":
			return []palisade.Finding{{Capability: palisade.CapReadPath, Argument: rest}}
		case "write":
			return []palisade.Finding{{Capability: palisade.CapWritePath, Argument: rest}}
		case "network":
			return []palisade.Finding{{Capability: palisade.CapNetwork, Argument: rest}}
		case "environment":
			return []palisade.Finding{{Capability: palisade.CapEnvironment, Argument: rest}}
		case "rule":
			return []palisade.Finding{{Capability: palisade.CapThread, Rule: rest}}
		}
	}
	c := palisade.Capability(thing)
	if _, ok := plain[c]; ok {
		return []palisade.Finding{{Capability: c}}
	}
	if _, ok := always[c]; ok {
		return []palisade.Finding{{Capability: c}}
	}
	if strings.HasPrefix(thing, "/") {
		return []palisade.Finding{{Capability: palisade.CapReadPath, Argument: thing}, {Capability: palisade.CapWritePath, Argument: thing}}
	}
	if strings.Contains(thing, "://") {
		return []palisade.Finding{{Capability: palisade.CapNetwork, Argument: thing}}
	}
	if !strings.Contains(thing, ".") {
		return []palisade.Finding{{Capability: palisade.CapImport, Argument: thing}}
	}
	// A dotted name may be a module or something in one: a list of modules may
	// say which.
	call := palisade.Finding{Capability: palisade.CapCall, Symbol: thing}
	if strings.HasPrefix(thing, builtinModule+".") || !p.mayBeModule(thing) {
		return []palisade.Finding{call}
	}
	return []palisade.Finding{{Capability: palisade.CapImport, Argument: thing}, call}
}

// mayBeModule reports whether a list names a dotted name as a module, and no
// list of callables speaks against it.
func (p *Profile) mayBeModule(name string) bool {
	d, line := p.module(name)
	if d != palisade.Allow {
		return slices.Contains(p.Modules.Ask, name) || slices.Contains(p.Modules.Deny, name)
	}
	if line == "modules.allow[*]" { // which names everything
		return false
	}
	d, line = p.callable(name)
	return d == palisade.Allow || !strings.HasPrefix(line, "callables.")
}

func label(f palisade.Finding) string {
	switch {
	case f.Capability == palisade.CapImport:
		return "import " + f.Argument
	case f.Capability == palisade.CapCall:
		return f.Symbol
	case f.Rule != "":
		return "rule " + f.Rule
	case f.Argument != "":
		return string(f.Capability) + " " + f.Argument
	default:
		return string(f.Capability)
	}
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
	return line + ", which is not in the profile: what is not named is denied"
}

// HowToAllow returns the lines of a policy file that would allow a finding;
// empty where it is allowed or no such file can. What it returns was tried.
func (s *Set) HowToAllow(p *Profile, f palisade.Finding, d palisade.Decision) string {
	if d == palisade.Allow || f.Rule != "" && p.Rules[f.Rule] != palisade.Deny && p.Rules[f.Rule] == d {
		return ""
	}
	if _, fixed := always[f.Capability]; fixed {
		return ""
	}
	if f.Argument == "" && f.Symbol == "" && sections[f.Capability] != "" {
		return ""
	}
	var line string
	switch f.Capability {
	case palisade.CapImport, palisade.CapCall, palisade.CapEnvironment:
		// A text that is no name could write more than its own line.
		if dotted(cmp.Or(f.Argument, f.Symbol)) != "" || f.Symbol != "" && dotted(f.Symbol) != "" {
			return ""
		}
	}
	switch f.Capability {
	case palisade.CapImport, palisade.CapCall:
		line = p.allowName(f)
	case palisade.CapReadPath:
		line = fmt.Sprintf("paths: {read: [%q]}", f.Argument)
	case palisade.CapWritePath:
		line = fmt.Sprintf("paths: {write: [%q]}", f.Argument)
	case palisade.CapNetwork:
		host, _, _ := splitPeer(f.Argument)
		line = fmt.Sprintf("network: {allow: [%q]}", host)
	case palisade.CapEnvironment:
		line = fmt.Sprintf("environment: {allow: [%s]}", f.Argument)
	default:
		line = fmt.Sprintf("capabilities: {%s: allow}", f.Capability)
	}
	text := fmt.Sprintf("    version: 1\n    profiles:\n      mine:\n        extends: %s\n        %s\n", p.Name, line)
	if !s.wouldAllow(text, f) {
		return "" // a deny that cannot be taken back, or an odd name that a file cannot hold
	}
	return strings.TrimSuffix(text, "\n")
}

// wouldAllow reports whether the profile mine of a policy file, read over the
// set, allows a finding. The set stays as it is.
func (s *Set) wouldAllow(text string, f palisade.Finding) bool {
	b := &builder{set: &Set{profiles: maps.Clone(s.profiles), sources: map[string][]byte{}, fallback: s.fallback}, d: &yamlfile.Decoder{}}
	b.add("", []byte(text))
	if len(b.d.Problems) > 0 || b.set.profiles["mine"] == nil {
		return false
	}
	d, _ := b.set.profiles["mine"].finding(f)
	return d == palisade.Allow
}

// allowName is the line that allows a name as the profile in effect judges it:
// what is asked about is no longer asked, and then allowed.
func (p *Profile) allowName(f palisade.Finding) string {
	_, line := p.finding(f)
	section, asked, _ := strings.Cut(strings.TrimPrefix(line, p.line("")), ".ask[")
	asked = strings.TrimSuffix(asked, "]")
	allow := func(name string) string {
		if asked == "" {
			return fmt.Sprintf("{allow: [%s]}", name)
		}
		return fmt.Sprintf("{unask: [%s], allow: [%s]}", asked, name)
	}
	if f.Capability == palisade.CapImport {
		return "modules: " + allow(f.Argument)
	}
	if name, ok := cutModule(f.Symbol, builtinModule); ok {
		return "builtins: " + allow(name)
	}
	if module, ok := strings.CutPrefix(section, "callables."); ok && asked != "" {
		if len(p.Callables[module].Allow) == 0 { // an allow list would deny the rest
			return fmt.Sprintf("callables: {%s: {unask: [%s]}}", module, asked)
		}
		name, _ := cutModule(f.Symbol, module)
		return fmt.Sprintf("callables: {%s: %s}", module, allow(name))
	}
	if section != "modules" {
		for module := range prefixes(f.Symbol) {
			if name, ok := cutModule(f.Symbol, module); ok && len(p.Callables[module].Allow) > 0 {
				return fmt.Sprintf("callables: {%s: %s}", module, allow(name))
			}
		}
	}
	return "modules: " + allow(p.moduleOf(f.Symbol))
}

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
	fmt.Fprintf(&b, "  denied system calls: %s\n", strings.Join(p.DeniedSyscalls, ", "))
	fmt.Fprintf(&b, "  back-ends: %s\n", strings.Join(p.Isolation.Backends, ", "))
	l := p.Limits
	fmt.Fprintf(&b, "  output %s, processes %d, disk %s, inodes %d\n", yamlfile.FormatSize(l.Output), l.Processes, yamlfile.FormatSize(l.Disk), l.Inodes)
	return b.String()
}
