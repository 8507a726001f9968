package policy

import (
	"fmt"
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
	for _, f := range p.readings(thing) {
		d, line := p.finding(f)
		fmt.Fprintf(&b, "%s: %s\n  decided by %s", label(f), d, p.where(line))
		if next := p.next(f, d); d != palisade.Allow && next != "" {
			fmt.Fprintf(&b, "\n  instead: %s", next)
		}
		if how := s.HowToAllow(p, f, d); how != "" {
			fmt.Fprintf(&b, "\n  to allow it, in a policy file of yours:\n%s", how)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
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
	// A dotted name may be a module or something in one: the longest beginning
	// that is allowed as a module says which.
	if d, _ := p.module(thing); d == palisade.Allow && !strings.HasPrefix(thing, builtinModule+".") {
		return []palisade.Finding{{Capability: palisade.CapImport, Argument: thing}, {Capability: palisade.CapCall, Symbol: thing}}
	}
	return []palisade.Finding{{Capability: palisade.CapCall, Symbol: thing}}
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
// empty where it is allowed or no file can.
func (s *Set) HowToAllow(p *Profile, f palisade.Finding, d palisade.Decision) string {
	if d == palisade.Allow || f.Rule != "" && p.Rules[f.Rule] != palisade.Deny && p.Rules[f.Rule] == d {
		return ""
	}
	if _, fixed := always[f.Capability]; fixed {
		return ""
	}
	var line string
	switch f.Capability {
	case palisade.CapImport:
		line = fmt.Sprintf("modules: {allow: [%s]}", f.Argument)
	case palisade.CapCall:
		line = p.allowCall(f.Symbol)
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
	if line == "" || f.Argument == "" && f.Symbol == "" && sections[f.Capability] != "" {
		return ""
	}
	text := fmt.Sprintf("    version: 1\n    profiles:\n      mine:\n        extends: %s\n        %s\n", p.Name, line)
	if Check("", []byte(text)) != nil && slices.Contains(builtinNames, p.Name) {
		return "" // an odd name that a file cannot hold
	}
	return strings.TrimSuffix(text, "\n")
}

func (p *Profile) allowCall(symbol string) string {
	if name, ok := cutModule(symbol, builtinModule); ok {
		return fmt.Sprintf("builtins: {allow: [%s]}", name)
	}
	for module := range prefixes(symbol) {
		if _, restricted := p.Callables[module]; restricted {
			if name, ok := cutModule(symbol, module); ok {
				return fmt.Sprintf("callables: {%s: {allow: [%s]}}", module, name)
			}
		}
	}
	module, _, _ := strings.Cut(symbol, ".")
	return fmt.Sprintf("modules: {allow: [%s]}", module)
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
