package iac

import (
	"net/netip"
	"slices"
	"strings"

	"palisade"
)

// peerLists end the names of settings that say who may come in. Source: the
// firewall resources of the registry's most used providers.
var peerLists = []string{
	"cidr_blocks", "cidr_ipv4", "cidr_ipv6", "source_ranges", "source_address_prefix", "source_address_prefixes", "source_addresses",
	"remote_ip_prefix", "source_ips", "public_access_cidrs", "cidr_ip", "allowed_cidrs", "allowed_ips", "allowed_ip_ranges",
	"inbound_cidrs", "ip_ranges", "source_cidr", "source_cidrs", "whitelist", "allowlist", "allowed_cidr_blocks", "ingress_cidr",
	"security_ips", "security_ip_list", "ip_rules", "ip_whitelist", "start_ip_address", "authorized_ip_ranges", "authorized_networks", "api_server_authorized_ip_ranges", "remote_ip",
}

// openings finds what anyone may connect to.
func (s spot) openings() {
	name := s.name()
	if name == "publicly_accessible" && s.value.yes() {
		s.add(s.where(s.value), fact{capability: palisade.CapListen, symbol: s.symbol(), argument: "0.0.0.0/0", how: "it gets a public address"})
		return
	}
	if !slices.ContainsFunc(peerLists, func(w string) bool { return strings.HasSuffix(name, w) }) && !s.peerOfMany() {
		return
	}
	if s.within("egress", "outbound", "destination", "route") || !s.inbound() {
		return
	}
	for t := range s.value.texts() {
		switch {
		case isWorld(t.text):
			s.opening(t, t.text)
		case t.isInput():
			s.opening(t, gap)
		}
	}
}

// peerOfMany reports whether a setting with a common name says who may come in.
func (s spot) peerOfMany() bool {
	switch s.name() {
	case "cidr_block", "ipv6_cidr_block":
		return s.within("acl", "authorized", "ingress", "inbound", "firewall")
	case "value", "cidr":
		return s.within("authorized_networks", "ip_allow", "inbound_rule")
	case "source":
		return s.within("ingress_security_rules", "ingress", "inbound_rule", "firewall")
	}
	return false
}

// inbound reports whether the rule beside the setting lets in. A direction that
// may be both counts as in.
func (s spot) inbound() bool {
	if d := s.beside("direction", "type"); d.has("egress", "outbound", "out") && !d.has("ingress", "inbound", "in") {
		return false
	}
	if e := s.beside("egress"); e.yes() && !e.no() {
		return false
	}
	if a := s.beside("access", "rule_action", "action"); a.has("deny", "block", "drop") && !a.has("allow") {
		return false
	}
	return true
}

func (s spot) opening(t *value, peer string) {
	for _, port := range s.ports() {
		argument := peer
		if port != "" && strings.Contains(peer, ":") {
			argument = "[" + peer + "]:" + port
		} else if port != "" && peer != gap {
			argument = peer + ":" + port
		}
		s.add(s.where(t), fact{capability: palisade.CapListen, symbol: s.symbol(), argument: argument, how: t.how})
	}
}

// ports are those that the rule beside the setting opens; "" where it does not
// say, which is all of them or the service's own.
func (s spot) ports() []string {
	var out []string
	out = append(out, portRanges(s.beside("from_port"), s.beside("to_port"))...)
	for _, name := range []string{"destination_port_range", "destination_port_ranges", "port", "ports", "port_range", "allow"} {
		v := s.beside(name)
		if name == "allow" {
			v = v.get("ports")
		}
		for t := range v.texts() {
			port := t.known()
			if low, high, ok := strings.Cut(port, "-"); ok && low == high {
				port = low
			}
			if len(out) < 64 {
				out = append(out, port)
			}
		}
	}
	out = append(out, portRanges(s.beside("port_range_min"), s.beside("port_range_max"))...)
	if len(out) == 0 {
		out = []string{""}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// portRanges pairs the lower and upper ends of ranges of ports.
func portRanges(from, to *value) []string {
	var out []string
	low, high := items(from), items(to)
	for i := range min(max(len(low), len(high)), 64) {
		a, b := at0(low, i), at0(high, i)
		switch {
		case a == b:
			out = append(out, a)
		default:
			out = append(out, a+"-"+b)
		}
	}
	return out
}

// at0 is the i-th text, or the only one, or nothing.
func at0(list []*value, i int) string {
	if len(list) == 0 {
		return ""
	}
	return list[min(i, len(list)-1)].known()
}

// isWorld reports whether a prefix takes in addresses of strangers: wider than
// any network that is not public (10.0.0.0/8, fc00::/7), or a word for all.
func isWorld(s string) bool {
	switch strings.ToLower(s) {
	case "*", "any", "internet", "0.0.0.0", "all":
		return true
	}
	p, err := netip.ParsePrefix(strings.TrimSpace(s))
	if err != nil {
		return false
	}
	return p.Addr().Is4() && p.Bits() < 8 || p.Addr().Is6() && p.Bits() < 7
}
