package policy

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// peer is a pattern of network peers: a host name, "*.domain" (names beneath
// it, not itself), an address or a CIDR prefix, each with an optional port.
type peer struct {
	pattern string
	host    string // lower case; for a domain with its leading dot
	prefix  netip.Prefix
	port    string
}

var errPeer = errors.New("not a host, *.domain, address or prefix, with an optional port")

func parsePeer(pattern string) (peer, error) {
	p := peer{pattern: pattern}
	if prefix, err := netip.ParsePrefix(pattern); err == nil {
		p.prefix = prefix.Masked()
		return p, nil
	}
	host, port := splitPort(pattern)
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return p, errPeer
		}
		p.port = port
	}
	if addr, ok := address(host); ok {
		p.prefix = netip.PrefixFrom(addr, addr.BitLen())
		return p, nil
	}
	name, ok := strings.CutPrefix(host, "*.")
	if !hostname(name) {
		return p, errPeer
	}
	if p.host = canonicalHost(name); ok {
		p.host = "." + p.host
	}
	return p, nil
}

// peers makes patterns that were checked when the file was read.
func peers(patterns []string) []peer {
	var out []peer
	for _, pattern := range patterns {
		if p, err := parsePeer(pattern); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// match reports whether the pattern names the host and port. A pattern without
// a port names every port.
func (p peer) match(host, port string) bool {
	if p.port != "" && p.port != port {
		return false
	}
	if p.prefix.IsValid() {
		addr, ok := address(host)
		return ok && p.prefix.Contains(addr)
	}
	host = canonicalHost(host)
	if strings.HasPrefix(p.host, ".") {
		return strings.HasSuffix(host, p.host)
	}
	return host == p.host
}

func matchPeer(list []peer, host, port string) (string, bool) {
	for _, p := range list {
		if p.match(host, port) {
			return p.pattern, true
		}
	}
	return "", false
}

// splitPeer returns host and port of a finding's argument: host, host:port or a
// URL. False means that no host can be told.
func splitPeer(argument string) (host, port string, ok bool) {
	if strings.ContainsFunc(argument, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return "", "", false
	}
	if scheme, _, isURL := peerURL(argument); isURL {
		u, err := url.Parse(argument)
		if err != nil || u.Hostname() == "" {
			return "", "", false
		}
		if port = u.Port(); port == "" {
			port = schemePorts[scheme]
		}
		return u.Hostname(), port, true
	}
	host, port = splitPort(argument)
	if _, isAddress := address(host); !isAddress && !hostname(host) {
		return "", "", false
	}
	return host, port, true
}

// schemePorts are the well-known ports of URL schemes (IANA).
var schemePorts = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "ftps": "990", "ssh": "22", "sftp": "22"}

func splitPort(text string) (host, port string) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		host, port, _ = strings.Cut(rest, "]")
		return host, strings.TrimPrefix(port, ":")
	}
	if strings.Count(text, ":") > 1 { // a bare IPv6 address
		return text, ""
	}
	host, port, _ = strings.Cut(text, ":")
	return host, port
}

func canonicalHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

func hostname(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
		}) {
			return false
		}
	}
	return true
}

// address reads an address in every spelling that resolvers accept: the usual
// ones, and inet_aton's (one to four parts, decimal, octal or hexadecimal). An
// IPv4 address inside IPv6 (mapped, NAT64, RFC 6052) is that address.
func address(host string) (netip.Addr, bool) {
	host = strings.TrimSuffix(host, ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		return embedded(addr.WithZone("")), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		// strconv's base 0 would take underscores and 0o, which inet_aton does not.
		digits, base := strings.ToLower(part), 10
		if rest, ok := strings.CutPrefix(digits, "0x"); ok {
			digits, base = rest, 16
		} else if len(digits) > 1 && digits[0] == '0' {
			digits, base = digits[1:], 8
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err != nil {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return netip.Addr{}, false
			}
			value = value<<8 | n
			continue
		}
		width := 8 * (5 - len(parts)) // the last part fills what is left
		if n >= 1<<width {
			return netip.Addr{}, false
		}
		value = value<<width | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

func embedded(addr netip.Addr) netip.Addr {
	if addr.Is4In6() {
		return addr.Unmap()
	}
	if addr.Is6() {
		raw := addr.As16()
		if netip.MustParsePrefix("64:ff9b::/96").Contains(addr) {
			return netip.AddrFrom4([4]byte(raw[12:]))
		}
	}
	return addr
}
