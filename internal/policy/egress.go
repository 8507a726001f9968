package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/peer"
	"palisade/internal/yamlfile"
)

// Exit says how far a peer may be reached. The zero value is no bound, and TLS
// that nobody opens.
type Exit struct {
	Terminate bool     `json:"terminate,omitempty"`
	Methods   []string `json:"methods,omitempty"`
	Paths     []string `json:"paths,omitempty"`
	Secrets   []string `json:"secrets,omitempty"`
}

// String says in words what the peer is held to; empty: to nothing.
func (e Exit) String() string {
	var parts []string
	if e.Terminate {
		parts = append(parts, "its TLS is opened")
	}
	if len(e.Methods) > 0 {
		parts = append(parts, "methods "+strings.Join(e.Methods, ", "))
	}
	if len(e.Paths) > 0 {
		parts = append(parts, "paths "+strings.Join(e.Paths, ", "))
	}
	if len(e.Secrets) > 0 {
		parts = append(parts, "it gets the secrets "+strings.Join(e.Secrets, ", "))
	}
	return strings.Join(parts, "; ")
}

// heldTo is what the peer of a line is held to, in words.
func (p *Profile) heldTo(line string) string {
	name, ok := strings.CutPrefix(line, p.line("network.allow["))
	if !ok {
		return ""
	}
	return p.Network.Exits[strings.TrimSuffix(name, "]")].String()
}

// maxAsked is how many peers one approval can be about.
const maxAsked = 20

// except stands before a peer that is taken out of what others allow: see
// package egress.
const except = "!"

// peersOf reads network.allow: patterns, and maps that bound a peer.
func (r *reading) peersOf(n *yamlfile.Node, into *Reach) {
	plain := *n
	plain.Items = nil
	if n.Kind != yamlfile.List {
		r.patterns(n, "network.allow", &into.Allow, validPeer)
		return
	}
	for _, item := range n.Items {
		if item.Kind == yamlfile.Map {
			r.boundPeer(item, into)
		} else {
			plain.Items = append(plain.Items, item)
		}
	}
	r.patterns(&plain, "network.allow", &into.Allow, validPeer)
}

// boundPeer reads one map: a peer with what it is held to.
func (r *reading) boundPeer(n *yamlfile.Node, into *Reach) {
	var name string
	var exit Exit
	before := len(r.Problems)
	r.Keys(n, map[string]func(*yamlfile.Node){
		"peer": func(n *yamlfile.Node) {
			if name = r.Text(n); name != "" && validPeer(name) != "" {
				r.Fail(n, fmt.Sprintf("%q is not a pattern for network.allow", name), validPeer(name))
			}
		},
		"tls": func(n *yamlfile.Node) {
			switch text := r.Text(n); text {
			case "terminate", "pass":
				exit.Terminate = text == "terminate"
			case "":
			default:
				r.Fail(n, fmt.Sprintf("%q is not known", text), "write terminate (the proxy reads what is inside) or pass")
			}
		},
		"methods": func(n *yamlfile.Node) {
			exit.Methods = r.choices(n, "network.methods", []string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
		},
		"paths":   func(n *yamlfile.Node) { exit.Paths = r.urlPaths(n) },
		"secrets": func(n *yamlfile.Node) { exit.Secrets = r.secretNames(n) },
	})
	switch {
	case len(r.Problems) > before:
	case name == "":
		r.Fail(n, "an entry of network.allow needs a peer", "add peer: host, with an optional port")
	case !exit.Terminate && len(exit.Methods)+len(exit.Paths)+len(exit.Secrets) > 0:
		r.Fail(n, "methods, paths and secrets are inside TLS, where nobody sees them", "add tls: terminate")
	default:
		into.Allow = append(into.Allow, name)
		r.place("network.allow["+name+"]", n)
		if into.Exits == nil {
			into.Exits = map[string]Exit{}
		}
		into.Exits[name] = exit
		// The program reads a placeholder from the variable of the secret's name.
		r.p.Environment.Allow = append(r.p.Environment.Allow, exit.Secrets...)
		for _, secret := range exit.Secrets {
			r.place("environment.allow["+secret+"]", n)
		}
	}
}

func (r *reading) urlPaths(n *yamlfile.Node) []string {
	var out []string
	for _, item := range r.Items(n) {
		text := r.Text(item)
		if text == "" {
			continue
		}
		if rest := strings.TrimSuffix(text, "/"); validGlob(text) != "" && (rest == "" || validGlob(rest) != "") {
			r.Fail(item, fmt.Sprintf("%q is not a pattern for paths of URLs", text), "write a path such as /v1/*, where ** stands alone between slashes")
			continue
		}
		out = append(out, text)
	}
	return out
}

func (r *reading) secretNames(n *yamlfile.Node) []string {
	var out []string
	for _, item := range r.Items(n) {
		text := r.Text(item)
		if text != "" && !secretName(text) {
			r.Fail(item, fmt.Sprintf("%q is not the name of a secret", text), "write a name of egress.secrets, such as EXAMPLE_TOKEN: never a value")
			continue
		}
		out = append(out, text)
	}
	return out
}

func secretName(name string) bool {
	return name[0] >= 'A' && name[0] <= 'Z' && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '_' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
}

// Secrets returns the names of the secrets that any profile names, sorted.
func (s *Set) Secrets() []string {
	var all []string
	for _, p := range s.profiles {
		for _, exit := range p.Network.Exits {
			all = append(all, exit.Secrets...)
		}
	}
	return union(nil, all)
}

// exits puts the peers of a verdict into it, and what follows for its box. Where
// a human is asked, they are those that the run will have if the answer is yes.
func (p *Profile) exits(v *palisade.Verdict) {
	v.Egress = p.egress()
	if v.Decision == palisade.Ask {
		for _, name := range asked(v.Reasons) {
			v.Egress = append(v.Egress, palisade.Peer{Name: name})
		}
	}
	if len(v.Egress) == 0 {
		return
	}
	v.Egress = append(v.Egress, p.exceptions(v.Egress)...)
	// The way out begins at a socket of the loopback device, and there is none
	// but the proxy's.
	v.DeniedSyscalls = slices.DeleteFunc(v.DeniedSyscalls, func(group string) bool { return group == "socket" })
	if v.Isolation.Layers["network"] == "none" {
		v.Isolation.Layers["network"] = "proxy"
	}
}

// egress are the peers that may be reached without asking.
func (p *Profile) egress() []palisade.Peer {
	var out []palisade.Peer
	for _, name := range p.Network.Allow {
		exit := p.Network.Exits[name]
		out = append(out, palisade.Peer{Name: name, Terminate: exit.Terminate, Methods: exit.Methods, Paths: exit.Paths, Secrets: exit.Secrets})
	}
	return out
}

// exceptions are the lines of network.deny that take something out of what
// peers let through.
func (p *Profile) exceptions(peers []palisade.Peer) []palisade.Peer {
	var out []palisade.Peer
	denials := slices.SortedFunc(slices.Values(p.quick.peersDeny), func(a, b peer.Pattern) int { return strings.Compare(a.String(), b.String()) })
	for _, denied := range denials {
		if slices.ContainsFunc(peers, func(one palisade.Peer) bool { return overlap(one.Name, denied) }) {
			out = append(out, palisade.Peer{Name: except + denied.String()})
		}
	}
	return out
}

// overlap reports whether a peer that both patterns stand for may exist.
func overlap(allowed string, denied peer.Pattern) bool {
	pattern, err := peer.Parse(allowed)
	if err != nil {
		return true
	}
	ours, addresses := pattern.Prefix()
	theirs, deniedAddresses := denied.Prefix()
	if addresses || deniedAddresses {
		return addresses && deniedAddresses && ours.Overlaps(theirs)
	}
	if name, ok := denied.Name(); ok {
		return pattern.Match(name, pattern.Port())
	}
	// A domain is denied: any name beneath it, or a wider domain above it.
	bare := strings.TrimPrefix(strings.TrimPrefix(allowed, "*."), ".")
	return denied.Match("x."+bare, denied.Port()) || denied.Match(bare, denied.Port()) || pattern.Match("x"+denied.Domain(), pattern.Port())
}

// asked are the peers that a human is asked about and that can be granted: those
// that the reading knows, and that are public.
func asked(reasons []palisade.Reason) []string {
	var out []string
	for _, r := range reasons {
		if r.Decision != palisade.Ask || !strings.Contains(r.Policy, ".network.") {
			continue
		}
		if name, ok := Grantable(whole(r.Finding)); ok && !slices.Contains(out, name) && len(out) < maxAsked {
			out = append(out, name)
		}
	}
	return out
}

// Grantable returns the one peer that a finding about the network names, as a
// pattern; false where it names none that any run could reach.
func Grantable(f palisade.Finding) (string, bool) {
	host, port, ok := peer.Split(f.Argument)
	if !ok || f.Unknown {
		return "", false
	}
	text := host
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		text = "[" + host + "]"
	}
	if port != "" {
		text += ":" + port
	}
	a, err := peer.ParseAuthority(text, "443")
	if err != nil {
		return "", false
	}
	if a.Addr.IsValid() && peer.Forbidden(a.Addr) != "" || !a.Addr.IsValid() && peer.ForbiddenName(a.Host) != "" {
		return "", false
	}
	if slices.Contains(peer.WebPorts, a.Port) {
		return strings.TrimSuffix(strings.TrimSuffix(a.String(), ":443"), ":80"), true
	}
	return a.String(), true
}
