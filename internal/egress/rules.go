package egress

import (
	"fmt"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/peer"
)

// rule is one peer that a run may reach, and how far.
type rule struct {
	pattern peer.Pattern
	refuses bool // the peer is taken out of what others allow
	palisade.Peer
}

// rules are all of a run's.
type rules []rule

// except stands before a pattern in a [palisade.Peer]'s name that takes peers
// out of what the others allow.
const except = "!"

func compile(peers []palisade.Peer) (rules, error) {
	var all rules
	for _, p := range peers {
		name, refuses := strings.CutPrefix(p.Name, except)
		pattern, err := peer.Parse(name)
		if err != nil {
			return nil, fmt.Errorf("peer %q: %w", p.Name, err)
		}
		if !p.Terminate && len(p.Methods)+len(p.Paths)+len(p.Secrets) > 0 {
			return nil, fmt.Errorf("peer %q: methods, paths and secrets need its TLS opened", p.Name)
		}
		for _, path := range p.Paths {
			if !strings.HasPrefix(path, "/") {
				return nil, fmt.Errorf("peer %q: the path %q does not begin with a slash", p.Name, path)
			}
		}
		all = append(all, rule{pattern, refuses, p})
	}
	return all, nil
}

// refusal is why something is not let through, in words fit to be told.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// about returns the rules that let a peer be reached. Where some of them open
// its TLS, only those count: a narrow line is not widened by a wide one.
func (all rules) about(a peer.Authority) (rules, error) {
	var found rules
	for _, r := range all {
		switch {
		case r.refuses && r.pattern.Match(a.Host, a.Port):
			return nil, refuse("policy denies %s (%s)", a, r.pattern)
		case !r.refuses && r.pattern.Grants(a.Host, a.Port):
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return nil, refuse("%s is not among the peers of this run: %s", a, all)
	}
	if found.terminate() {
		found = slices.DeleteFunc(found, func(r rule) bool { return !r.Terminate })
	}
	return found, nil
}

// terminate reports whether the peer's TLS is opened.
func (all rules) terminate() bool {
	return slices.ContainsFunc(all, func(r rule) bool { return r.Terminate })
}

// String lists the peers, for whoever wrote the program.
func (all rules) String() string {
	var names []string
	for _, r := range all {
		if !r.refuses && len(names) < 20 {
			names = append(names, r.pattern.String())
		}
	}
	if len(names) == 0 {
		return "it has none"
	}
	return strings.Join(names, ", ")
}

// request returns the first rule that lets a request through. The path is as it
// was sent, without its query.
func (all rules) request(method, path string) (rule, error) {
	for _, r := range all {
		if len(r.Paths) > 0 {
			if err := plainPath(path); err != nil {
				return rule{}, err
			}
		}
		if (len(r.Methods) == 0 || slices.Contains(r.Methods, method)) &&
			(len(r.Paths) == 0 || slices.ContainsFunc(r.Paths, func(glob string) bool { return matchPath(glob, path) })) {
			return r, nil
		}
	}
	return rule{}, refuse("%s %s is not among the requests that policy allows there", method, brief(path))
}

// plainPath refuses what servers read in more than one way: a rule about paths
// would mean something else to them.
func plainPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return refuse("the path %q does not begin with a slash", brief(path))
	}
	if len(path) > maxPath {
		return refuse("the path is longer than %d bytes", maxPath)
	}
	lower := strings.ToLower(path)
	for _, bad := range []string{"//", "\\", "%2f", "%5c", "%2e", "%00", "%25", ";", "\x00"} {
		if strings.Contains(lower, bad) {
			return refuse("the path has %q, which servers read in more than one way", bad)
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return refuse("the path has a segment %q", segment)
		}
	}
	return nil
}

// matchPath reports whether a glob names a path: `*` is anything but a slash,
// `**` as a whole segment is any number of segments.
func matchPath(glob, path string) bool {
	return matchSegments(strings.Split(glob, "/"), strings.Split(path, "/"))
}

func matchSegments(glob, path []string) bool {
	for i, g := range glob {
		if g == "**" {
			if i == len(glob)-1 {
				return len(path) > i-1
			}
			for j := i; j <= len(path); j++ {
				if matchSegments(glob[i+1:], path[j:]) {
					return true
				}
			}
			return false
		}
		if i >= len(path) || !matchSegment(g, path[i]) {
			return false
		}
	}
	return len(glob) == len(path)
}

// matchSegment matches one segment: the parts between stars stand in it in
// their order.
func matchSegment(glob, text string) bool {
	parts := strings.Split(glob, "*")
	if len(parts) == 1 {
		return glob == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

// brief cuts a foreign text for a message.
func brief(text string) string {
	const most = 200
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
