package policy

import (
	"fmt"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/yamlfile"
)

// nameable are the capabilities whose argument is a name of the program's own
// world (a table, a source, a system), which `named:` can tell apart.
var nameable = []palisade.Capability{
	palisade.CapReadData, palisade.CapWriteData, palisade.CapSchema, palisade.CapSideEffect,
	palisade.CapRemoteCode, palisade.CapTarget, palisade.CapDestroy, palisade.CapInstall, palisade.CapPrivilege,
	palisade.CapListen,
}

// named reads what a capability is used on: lists of names in which a star
// stands for any characters.
func (r *reading) named(n *yamlfile.Node) {
	r.Each(n, func(f yamlfile.Field) {
		c := palisade.Capability(f.Name)
		if !slices.Contains(nameable, c) {
			r.Fail(f.Value, fmt.Sprintf("%q is not used on something with a name", f.Name), fmt.Sprintf("use one of %v", nameable))
			return
		}
		lists := r.p.Named[c]
		r.lists(f.Value, "named."+f.Name, &lists, anyName)
		if r.p.Named == nil {
			r.p.Named = map[palisade.Capability]Lists{}
		}
		r.p.Named[c] = lists
	})
}

// anyName checks a pattern of names: any text on one line.
func anyName(pattern string) string {
	if len(pattern) > maxName {
		return fmt.Sprintf("use at most %d characters", maxName)
	}
	return ""
}

// qualified are the capabilities whose names may stand behind those of a schema
// and a database, or without them.
var qualified = []palisade.Capability{palisade.CapReadData, palisade.CapWriteData, palisade.CapSchema}

// stops reports whether a pattern of a list that asks or denies means a name: in
// any case, and with or without what may stand before its parts.
func stops(c palisade.Capability, pattern, name string) bool {
	pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	if wild(pattern, name) {
		return true
	}
	if !slices.Contains(qualified, c) {
		return false
	}
	for rest, ok := name, true; ok; {
		if _, rest, ok = strings.Cut(rest, "."); ok && wild(pattern, rest) {
			return true // a.b.c, where the pattern means b.c or c
		}
	}
	for rest, ok := pattern, true; ok; {
		if _, rest, ok = strings.Cut(rest, "."); ok && strings.Trim(rest, "*") != "" && strings.Count(name, ".") <= strings.Count(rest, ".") && wild(rest, name) {
			return true // c, where the pattern means a.b.c: c may be found there, but not every c where it means a.*
		}
	}
	return false
}

// onName judges what a capability is used on: by the first list that names it,
// else by the capability's line. A name that could not be resolved may be any
// of those that a list stops.
func (p *Profile) onName(f palisade.Finding) (palisade.Decision, string) {
	d, key := p.Capabilities[f.Capability], "capabilities."+string(f.Capability)
	lists := p.Named[f.Capability]
	unknown := f.Unknown || f.Argument == "" || len(f.Argument) > maxName
	found := false
	lists.each(func(name string, said palisade.Decision, patterns *[]string) {
		for _, pattern := range *patterns {
			switch {
			case found:
			case unknown && said < d:
				d, key, found = said, "named."+string(f.Capability)+"."+name, true
			case !unknown && (wild(pattern, f.Argument) || said != palisade.Allow && stops(f.Capability, pattern, f.Argument)):
				d, key, found = said, "named."+string(f.Capability)+"."+name+"["+pattern+"]", true
			}
		}
	})
	return d, key
}
