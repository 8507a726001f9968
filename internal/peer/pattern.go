package peer

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Pattern stands for network peers: a host name, "*.domain" (names beneath it,
// not itself), an address or a CIDR prefix, each with an optional port.
type Pattern struct {
	text   string
	host   string // lower case; for a domain with its leading dot
	prefix netip.Prefix
	port   string
}

// ErrPattern says that a text is no pattern.
var ErrPattern = errors.New("not a host, *.domain, address or prefix, with an optional port")

// Parse reads a pattern. A prefix has no port.
func Parse(pattern string) (Pattern, error) {
	p := Pattern{text: pattern}
	if prefix, err := netip.ParsePrefix(pattern); err == nil {
		p.prefix = prefix.Masked()
		return p, nil
	}
	host, port := splitPort(pattern)
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return p, ErrPattern
		}
		p.port = port
	}
	if addr, ok := Address(host); ok {
		p.prefix = netip.PrefixFrom(addr, addr.BitLen())
		return p, nil
	}
	name, ok := strings.CutPrefix(host, "*.")
	if !hostname(name) {
		return p, ErrPattern
	}
	if p.host = Canonical(name); ok {
		p.host = "." + p.host
	}
	return p, nil
}

// ParseAll makes patterns that were checked before; what is none is left out.
func ParseAll(patterns []string) []Pattern {
	var out []Pattern
	for _, pattern := range patterns {
		if p, err := Parse(pattern); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Port returns the port that the pattern names; empty: none.
func (p Pattern) Port() string { return p.port }

// Name returns the one host name that the pattern stands for; false where it
// stands for several, or for addresses.
func (p Pattern) Name() (string, bool) {
	return p.host, p.host != "" && !strings.HasPrefix(p.host, ".")
}

// Domain returns the domain with its leading dot of a pattern of names; empty: it
// is none.
func (p Pattern) Domain() string {
	if strings.HasPrefix(p.host, ".") {
		return p.host
	}
	return ""
}

// Prefix returns the addresses that the pattern stands for; false where it is
// about names.
func (p Pattern) Prefix() (netip.Prefix, bool) { return p.prefix, p.prefix.IsValid() }

// WebPorts are those that a pattern without a port lets through: HTTP's and
// HTTPS's (IANA).
var WebPorts = []string{"80", "443"}

// Grants reports whether the pattern, in a list of what is allowed, names the
// host and port: without a port of its own it grants the web's. An empty port is
// one that the reading could not tell; what is reached is bounded by the proxy.
func (p Pattern) Grants(host, port string) bool {
	if p.port == "" && port != "" && !slices.Contains(WebPorts, port) {
		return false
	}
	if p.port != "" && port == "" {
		port = p.port
	}
	return p.Match(host, port)
}

// Match reports whether the pattern names the host and port. A pattern without
// a port names every port.
func (p Pattern) Match(host, port string) bool {
	if p.port != "" && p.port != port {
		return false
	}
	if p.prefix.IsValid() {
		addr, ok := Address(host)
		return ok && p.prefix.Contains(addr)
	}
	host = Canonical(host)
	if strings.HasPrefix(p.host, ".") {
		return strings.HasSuffix(host, p.host)
	}
	return host == p.host
}

// Find returns the first of a list that a function takes, as it was written.
func Find(list []Pattern, takes func(Pattern) bool) (string, bool) {
	for _, p := range list {
		if takes(p) {
			return p.text, true
		}
	}
	return "", false
}

// Split returns host and port of a finding's argument: host, host:port or a
// URL. False means that no host can be told.
func Split(argument string) (host, port string, ok bool) {
	argument = plainText(argument)
	if strings.ContainsFunc(argument, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return "", "", false
	}
	if scheme, _, isURL := URL(argument); isURL {
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
	if _, isAddress := Address(host); !isAddress && !hostname(host) {
		return "", "", false
	}
	return host, port, true
}

// plainText writes an address as resolvers read it: other forms of digits,
// letters and full stops stand for the plain ones (UTS 46, "Mapping").
func plainText(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.NewReplacer("\u3002", ".", "\uff61", ".").Replace(norm.NFKC.String(text))
		}
	}
	return text
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

// Canonical returns a host name as names are compared.
func Canonical(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

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

// URL splits an argument that is a URL: rest is a path for file:, else a
// host and what follows it.
func URL(argument string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(argument, "://")
	if !ok || scheme == "" || strings.ContainsFunc(scheme, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.' || r == ':')
	}) {
		return "", "", false
	}
	return strings.ToLower(scheme), rest, true
}
