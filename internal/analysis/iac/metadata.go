package iac

import (
	"net/netip"
	"strconv"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// isMetadataHost reports whether a host is where a cloud serves credentials, in
// any spelling of its address. Source: the documentation of AWS, GCP, Azure,
// Alibaba Cloud and Oracle Cloud.
func isMetadataHost(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	switch host {
	case "metadata.google.internal", "metadata.goog", "metadata.azure.internal":
		return true
	}
	addr, ok := address(host)
	if !ok {
		return false
	}
	switch addr.String() {
	case "100.100.100.200", "192.0.0.192", "fd00:ec2::254":
		return true
	}
	b := addr.AsSlice()
	return addr.Is4() && b[0] == 169 && b[1] == 254
}

// address reads an address as inet_aton does: one to four parts, decimal, octal
// or hexadecimal. An IPv4 address inside IPv6 (mapped, or NAT64's) is that one.
func address(host string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		if raw := addr.As16(); addr.Is6() && netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b, 12: raw[12], raw[13], raw[14], raw[15]}) == addr.WithZone("") {
			return netip.AddrFrom4([4]byte(raw[12:])), true
		}
		return addr.WithZone("").Unmap(), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		digits, base := part, 10
		if rest, ok := strings.CutPrefix(part, "0x"); ok {
			digits, base = rest, 16
		} else if len(part) > 1 && part[0] == '0' {
			digits, base = part[1:], 8
		}
		n, err := strconv.ParseUint(digits, base, 32)
		last := i == len(parts)-1
		if err != nil || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if last {
			value = value<<(8*(5-len(parts))) | n
		} else {
			value = value<<8 | n
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// metadata finds the address of a metadata service in a text: in its usual
// spellings anywhere, in any as the host of a URL. A prefix such as 169.254.169.254/32 is what a
// firewall's rule is made of, and none.
func (r *report) metadata(t *value, symbol string) {
	if host := metadataIn(t.text); host != "" {
		r.add(t.place(), fact{capability: palisade.CapNetwork, symbol: symbol, argument: host, kind: analysis.KindAddress, how: t.how})
	}
}

func metadataIn(s string) string {
	if _, err := netip.ParsePrefix(strings.TrimSpace(s)); err == nil {
		return ""
	}
	if host := analysis.MetadataHost(s); host != "" {
		return host
	}
	for {
		_, rest, ok := strings.Cut(s, "://")
		if !ok {
			return ""
		}
		end := strings.IndexAny(rest, "/?#\"'` \t\n\\"+gap)
		if end < 0 {
			end = len(rest)
		}
		host := rest[strings.LastIndexByte(rest[:end], '@')+1 : end]
		if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
			host = host[:i]
		}
		if isMetadataHost(host) {
			return strings.Trim(host, "[]")
		}
		s = rest
	}
}
