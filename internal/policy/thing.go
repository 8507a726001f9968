package policy

import (
	"slices"
	"strings"

	"palisade"
)

// kinds are the first words of things that say how the rest is meant.
var kinds = map[string][]palisade.Capability{
	"read":   {palisade.CapReadPath},
	"write":  {palisade.CapWritePath},
	"delete": {palisade.CapDeletePath},
	"table":  {palisade.CapReadData, palisade.CapWriteData, palisade.CapSchema},
	"image":  {palisade.CapRemoteCode},
}

// readings are the findings that a thing could stand for.
func (p *Profile) readings(thing string) []palisade.Finding {
	kind, rest, _ := strings.Cut(thing, " ")
	if rest = strings.TrimSpace(rest); rest != "" {
		if list := meant(kind); list != nil {
			if kind == "image" {
				rest = imageName(rest)
			}
			out := make([]palisade.Finding, len(list))
			for i, c := range list {
				out[i] = on(c, rest)
			}
			return out
		}
	}
	c := palisade.Capability(thing)
	if _, ok := always[c]; ok {
		return []palisade.Finding{{Capability: c}}
	}
	if strings.HasPrefix(thing, "/") {
		return []palisade.Finding{on(palisade.CapReadPath, thing), on(palisade.CapWritePath, thing)}
	}
	if strings.Contains(thing, "://") {
		return []palisade.Finding{on(palisade.CapNetwork, thing)}
	}
	if !strings.Contains(thing, ".") {
		return []palisade.Finding{on(palisade.CapImport, thing)}
	}
	// A dotted name may be a module or something in one: a list of modules may
	// say which.
	call := on(palisade.CapCall, thing)
	if strings.HasPrefix(thing, builtinModule+".") || !p.mayBeModule(thing) {
		return []palisade.Finding{call}
	}
	return []palisade.Finding{on(palisade.CapImport, thing), call}
}

// meant are the capabilities that the first word of a thing stands for: its own
// name, or an everyday word.
func meant(kind string) []palisade.Capability {
	c := palisade.Capability(kind)
	_, simple := plain[c]
	if _, ok := sections[c]; (ok || simple) && c != palisade.CapPattern {
		return []palisade.Capability{c}
	}
	return kinds[kind]
}

// on is a finding of a capability that is used on something.
func on(c palisade.Capability, name string) palisade.Finding {
	if c == palisade.CapCall {
		return palisade.Finding{Capability: c, Symbol: name}
	}
	return palisade.Finding{Capability: c, Argument: name}
}

// imageName writes an image's name out as findings do: with Docker's own
// registry and tag where it has none. Source: the reference grammar and the
// familiar names of the distribution project.
func imageName(name string) string {
	first, _, inside := strings.Cut(name, "/")
	switch {
	case !inside:
		name = "docker.io/library/" + name
	case !strings.ContainsAny(first, ".:") && first != "localhost":
		name = "docker.io/" + name
	}
	if !strings.Contains(name[strings.LastIndexByte(name, '/'):], ":") && !strings.Contains(name, "@") {
		name += ":latest"
	}
	return name
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
