package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"palisade"
	"palisade/internal/peer"
	"palisade/internal/yamlfile"
)

// HowToAllow returns the lines of a policy file that would allow a finding:
// those of a profile that extends a built-in one, or those to write into a
// profile of the owner's. It is empty where the finding is allowed or no such
// lines can be given. What it returns was tried.
func (s *Set) HowToAllow(p *Profile, f palisade.Finding, d palisade.Decision) string {
	if d == palisade.Allow {
		return ""
	}
	if _, fixed := always[f.Capability]; fixed {
		return ""
	}
	for _, lines := range p.allowing(f) {
		unasks := strings.Contains(strings.Join(lines, " "), "{unask: ")
		if !(unasks && p.asksItself(f)) && s.wouldAllow(snippet(p.Name, "", lines), f) {
			return p.lines(lines...)
		}
	}
	return "" // a deny that cannot be taken back, or an odd name that a file cannot hold
}

// lines are lines of a profile as they are told of.
func (p *Profile) lines(lines ...string) string {
	if p.file == "" {
		return snippet(p.Name, "    ", lines)
	}
	return "    " + strings.Join(lines, "\n    ")
}

// snippet is a policy file with lines of a profile that extends another.
func snippet(extends, indent string, lines []string) string {
	text := indent + "version: 1\n" + indent + "profiles:\n" + indent + "  mine:\n" + indent + "    extends: " + extends
	for _, line := range lines {
		text += "\n" + indent + "    " + line
	}
	return text
}

// asksItself reports whether it is the profile's own file that asks about a
// finding: what a file asks itself, it cannot take back beside it.
func (p *Profile) asksItself(f palisade.Finding) bool {
	if slices.Contains(nameable, f.Capability) {
		return slices.ContainsFunc(p.asking(f), func(pattern string) bool {
			return p.isOwn("named." + string(f.Capability) + ".ask[" + pattern + "]")
		})
	}
	_, line := p.finding(f)
	return p.isOwn(strings.TrimPrefix(line, p.line("")))
}

// isOwn reports whether a line stands in the file that the profile is from, and
// that file is the owner's.
func (p *Profile) isOwn(key string) bool {
	return p.file != "" && strings.HasPrefix(p.origin[key], p.file+":")
}

// allowing are lines of a profile that may allow a finding, the narrowest first.
func (p *Profile) allowing(f palisade.Finding) [][]string {
	one := func(format string, a ...any) [][]string { return [][]string{{fmt.Sprintf(format, a...)}} }
	if f.Argument == "" && f.Symbol == "" && sections[f.Capability] != "" && f.Capability != palisade.CapPattern {
		return nil
	}
	switch f.Capability {
	case palisade.CapImport, palisade.CapCall, palisade.CapEnvironment:
		// A text that is no name could write more than its own line.
		if dotted(cmp.Or(f.Argument, f.Symbol)) != "" || f.Symbol != "" && dotted(f.Symbol) != "" {
			return nil
		}
	}
	switch f.Capability {
	case palisade.CapImport, palisade.CapCall:
		return one("%s", p.allowName(f))
	case palisade.CapReadPath:
		return one("paths: {read: [%q]}", f.Argument)
	case palisade.CapWritePath:
		return one("paths: {write: [%q]}", f.Argument)
	case palisade.CapDeletePath:
		return one("paths: {deleting: allow, write: [%q]}", f.Argument)
	case palisade.CapPattern:
		return one("patterns: {%s: allow}", f.Severity)
	case palisade.CapNetwork:
		host, _, _ := peer.Split(f.Argument)
		return one("network: {allow: [%q]}", host)
	case palisade.CapEnvironment:
		return one("environment: {allow: [%s]}", f.Argument)
	}
	line := fmt.Sprintf("capabilities: {%s: allow}", f.Capability)
	if !slices.Contains(nameable, f.Capability) {
		return one("%s", line)
	}
	return p.allowingName(f, line)
}

// allowingName are lines for what a capability is used on: its name, also where
// its name is asked about; else the capability's line, for every name.
func (p *Profile) allowingName(f palisade.Finding, capability string) [][]string {
	asked := make([]string, 0, len(p.asking(f)))
	for _, pattern := range p.asking(f) {
		asked = append(asked, fmt.Sprintf("%q", pattern))
	}
	unask := strings.Join(asked, ", ")
	if f.Argument == "" || f.Unknown {
		return [][]string{{capability}, {capability, fmt.Sprintf("named: {%s: {unask: [%s]}}", f.Capability, unask)}}
	}
	// With a star it would name others too, and it must stand on one line.
	if strings.Contains(f.Argument, "*") || strings.ContainsFunc(f.Argument, unicode.IsControl) || len(f.Argument) > maxName {
		return [][]string{{capability}}
	}
	return [][]string{
		{fmt.Sprintf("named: {%s: {allow: [%q]}}", f.Capability, f.Argument)},
		{fmt.Sprintf("named: {%s: {unask: [%s], allow: [%q]}}", f.Capability, unask, f.Argument)},
	}
}

// asking are the patterns of an ask list that stop a finding.
func (p *Profile) asking(f palisade.Finding) []string {
	var out []string
	for _, pattern := range p.Named[f.Capability].Ask {
		if f.Argument == "" || f.Unknown || stops(f.Capability, pattern, f.Argument) {
			out = append(out, pattern)
		}
	}
	return out
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
