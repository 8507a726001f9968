package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"palisade"
	"palisade/internal/yamlfile"
)

// Bounds of texts for whoever wrote the program, in characters.
const (
	maxListed    = 1000
	maxAvailable = 2000
)

// notInstalled goes on a sentence about what a profile allows.
const notInstalled = "but not installed on this machine"

// next says what is allowed instead of a finding that a line did not allow in a
// program of a language: a hint of the profile's, else what the profile has.
func (p *Profile) next(f palisade.Finding, d palisade.Decision, line string, l palisade.Language) string {
	if why, ok := always[f.Capability]; ok {
		return why
	}
	if f.Capability == palisade.CapImport && len(f.Argument) <= maxName && p.absent(f.Argument) {
		switch now, _ := p.module(f.Argument); now {
		case palisade.Allow:
			return fmt.Sprintf("%s is allowed, %s: use another module", f.Argument, notInstalled)
		case palisade.Ask:
			return fmt.Sprintf("%s may be allowed by a human, %s: use another module", f.Argument, notInstalled)
		}
	}
	text := p.advice(f, d, line, p.languageOf(f, l))
	if d != palisade.Ask {
		return text
	}
	if text == "" {
		return "a human may allow it"
	}
	return "a human may allow it; or " + text
}

// hint returns the profile's own sentence: the most particular one. A module's
// sentence is about the module, so that it is the last choice for an effect.
func (p *Profile) hint(f palisade.Finding) string {
	if len(f.Symbol) > maxName || len(f.Argument) > maxName && f.Capability == palisade.CapImport {
		return ""
	}
	name := f.Symbol
	if f.Capability == palisade.CapImport {
		name = cmp.Or(f.Argument, f.Symbol)
	}
	exact := cmp.Or(p.Hints[name], p.Hints[f.Rule])
	switch f.Capability {
	case palisade.CapImport, palisade.CapCall:
		return cmp.Or(exact, p.hintOfModule(name), p.Hints[string(f.Capability)])
	case palisade.CapReadPath, palisade.CapWritePath, palisade.CapDeletePath, palisade.CapNetwork, palisade.CapEnvironment:
		return cmp.Or(exact, p.Hints[string(f.Capability)])
	default:
		return cmp.Or(exact, p.Hints[string(f.Capability)], p.hintOfModule(name))
	}
}

func (p *Profile) hintOfModule(name string) string {
	for part := range prefixes(name) {
		if text, ok := p.Hints[part]; ok {
			return text
		}
	}
	return ""
}

func (p *Profile) insteadOfModule(module string) string {
	if module == "" || len(module) > maxName {
		return "import modules by their names"
	}
	if slices.Contains(p.Modules.Allow, "*") {
		return fmt.Sprintf("%s is denied in profile %s: use another module", module, p.Name)
	}
	if near := yamlfile.Nearest(module, p.plainModules()); near != "" && near != module {
		return fmt.Sprintf("did you mean %s?", near)
	}
	// What the profile has is told once, by Available.
	if d, _ := p.module(module); d == palisade.Ask {
		return "do without " + module
	}
	return fmt.Sprintf("%s is not in profile %s: use another module", module, p.Name)
}

func (p *Profile) insteadOfCall(symbol string) string {
	if len(symbol) > maxName {
		return "use shorter names"
	}
	for module := range prefixes(symbol) {
		if lists, ok := p.Callables[module]; ok && len(lists.Allow) > 0 {
			return fmt.Sprintf("of %s, profile %s has: %s", module, p.Name, listed(lists.Allow, maxListed))
		}
	}
	if name, ok := cutModule(symbol, builtinModule); ok {
		return fmt.Sprintf("%s is not in profile %s", name, p.Name)
	}
	module := p.moduleOf(symbol)
	if d, _ := p.module(module); d != palisade.Allow {
		return p.insteadOfModule(module)
	}
	return fmt.Sprintf("%s is not in profile %s: use another part of %s", symbol, p.Name, module)
}

// moduleOf returns the module that a dotted name lies in: the longest beginning
// that the profile names, else what stands before the last part, without what is
// spelled as a class.
func (p *Profile) moduleOf(symbol string) string {
	for module := range prefixes(symbol) {
		for _, list := range [][]string{p.Modules.Allow, p.Modules.Ask, p.Modules.Deny} {
			if slices.Contains(list, module) || slices.Contains(list, module+".*") {
				return module
			}
		}
	}
	parts := strings.Split(symbol, ".")
	n := max(len(parts)-1, 1)
	for i := 1; i < n; i++ {
		if part := parts[i]; part != "" && part[0] >= 'A' && part[0] <= 'Z' {
			n = i
		}
	}
	return strings.Join(parts[:n], ".")
}

// plainModules are the allowed modules by their names that are not known to be
// absent: packages that are allowed whole first, and no module of a package that
// stands there itself.
func (p *Profile) plainModules() []string {
	return slices.DeleteFunc(p.allowedModules(), p.absent)
}

// absentModules are those that are allowed but not installed.
func (p *Profile) absentModules() []string {
	return slices.DeleteFunc(p.allowedModules(), func(name string) bool { return !p.absent(name) })
}

func (p *Profile) allowedModules() []string {
	var packages, modules []string
	for _, pattern := range p.Modules.Allow {
		if pattern == "*" {
			continue
		}
		name, whole := strings.CutSuffix(pattern, ".*")
		if d, _ := p.module(strings.TrimSuffix(name, "*")); d != palisade.Allow {
			continue
		}
		if whole {
			packages = append(packages, name)
		} else if parent, _, inside := strings.Cut(name, "."); !inside || !slices.Contains(p.Modules.Allow, parent) {
			modules = append(modules, name)
		}
	}
	return slices.Compact(append(packages, modules...))
}

// places are globs in words: /work/** is /work.
func places(globs []string) []string {
	var out []string
	for _, g := range globs {
		if strings.HasPrefix(g, "/dev/") {
			continue // programs know their streams
		}
		out = append(out, cmp.Or(strings.TrimSuffix(g, "/**"), "/"))
	}
	return out
}

func orNone(some, none string, list []string) string {
	if len(list) == 0 {
		return none
	}
	return some + listed(list, maxListed)
}

// listed joins a list up to a number of characters.
func listed(list []string, limit int) string {
	var b strings.Builder
	for i, item := range list {
		if b.Len()+len(item) > limit {
			fmt.Fprintf(&b, " and %d more", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(item)
	}
	return b.String()
}

// Available is one line that tells whoever writes programs what the profile
// has.
func (p *Profile) Available() string {
	l := p.Limits
	modules := listed(p.plainModules(), maxListed)
	if slices.Contains(p.Modules.Allow, "*") {
		modules = "every module that is installed but " + listed(p.Modules.Deny, maxListed)
	}
	text := fmt.Sprintf("profile %s: %s; modules: %s", p.Name, strings.Join(p.Languages, ", "), modules)
	if asked := slices.DeleteFunc(slices.Clone(p.Modules.Ask), p.absent); len(asked) > 0 {
		text += "; after a human's approval: " + listed(asked, maxListed/4)
	}
	if absent := p.absentModules(); len(absent) > 0 && !slices.Contains(p.Modules.Allow, "*") {
		text += "; allowed, " + notInstalled + ": " + listed(absent, maxListed/4)
	}
	network := "none"
	if p.Network.Other == palisade.Ask {
		network = "none without a human's approval"
	}
	text += fmt.Sprintf("; reads %s; writes %s; network: %s", orNone("", "no files", places(p.Paths.Read)),
		orNone("", "no files", places(p.Paths.Write)), orNone("", network, p.Network.Allow))
	text += fmt.Sprintf("; limits: %s CPU, %s in all, %s memory, %d open files, %s of output kept", brief(l.CPU), brief(l.Wall),
		yamlfile.FormatSize(l.Memory), l.OpenFiles, yamlfile.FormatSize(l.Kept))
	return text[:min(len(text), maxAvailable)]
}

func brief(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
