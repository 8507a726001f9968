package peer

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Authority is one peer in its one plain spelling.
type Authority struct {
	Host string     // lower case; an address as RFC 5952 writes it
	Addr netip.Addr // valid where the host is an address
	Port string     // decimal, without leading zeros
}

// String returns host:port.
func (a Authority) String() string { return net.JoinHostPort(a.Host, a.Port) }

// maxAuthority bounds a text that is read: a name of 253 bytes and a port.
const maxAuthority = 300

// ParseAuthority reads host or host:port as it stands in a request. It takes
// one spelling of everything: names of letters, digits, dashes and underscores
// that do not end in a number or a dot, addresses as they are usually written.
// fallback is the port of a text that has none; empty: it needs one. The error
// says what is wrong in words that are fit to be told.
func ParseAuthority(text, fallback string) (Authority, error) {
	if len(text) > maxAuthority {
		return Authority{}, fmt.Errorf("the peer's name is longer than %d bytes", maxAuthority)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }); i >= 0 {
		return Authority{}, fmt.Errorf("the peer's name has a character that no name has (at byte %d): write a name in its ASCII form (xn--…)", i+1)
	}
	if i := strings.IndexAny(text, `@\/?#%<>"'{}|^`+"`"); i >= 0 {
		return Authority{}, fmt.Errorf("the peer's name has a %q: write host:port and nothing else", text[i])
	}
	host, port, err := splitAuthority(text)
	if err != nil {
		return Authority{}, err
	}
	if port == "" {
		port = fallback
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
		return Authority{}, fmt.Errorf("%q is not a port", port)
	}
	a := Authority{Host: strings.ToLower(host), Port: port}
	bracketed := strings.HasPrefix(text, "[")
	if addr, err := netip.ParseAddr(a.Host); err == nil {
		if addr.String() != a.Host || addr.Zone() != "" || addr.Is6() != bracketed {
			return Authority{}, fmt.Errorf("the address %q is not in its usual spelling", host)
		}
		a.Addr = addr
		return a, nil
	}
	return a, plainName(a.Host, bracketed)
}

func splitAuthority(text string) (host, port string, err error) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		host, after, closed := strings.Cut(rest, "]")
		if !closed || after != "" && !strings.HasPrefix(after, ":") || after == ":" {
			return "", "", fmt.Errorf("the address has no end")
		}
		return host, strings.TrimPrefix(after, ":"), nil
	}
	host, port, found := strings.Cut(text, ":")
	if found && (port == "" || strings.Contains(port, ":")) {
		return "", "", fmt.Errorf("%q is not host:port", text)
	}
	return host, port, nil
}

// plainName holds a name to one spelling. One whose last part is a number is an
// address to some (WHATWG URL, "ends in a number").
func plainName(name string, bracketed bool) error {
	if bracketed {
		return fmt.Errorf("%q is not an address", name)
	}
	if strings.HasSuffix(name, ".") {
		return fmt.Errorf("the name ends in a dot: write it without")
	}
	if !hostname(name) {
		return fmt.Errorf("%q is not a host name", name)
	}
	if _, isAddress := Address(name); isAddress {
		return fmt.Errorf("%q is an unusual spelling of an address", name)
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last[0] >= '0' && last[0] <= '9' {
		return fmt.Errorf("%q ends in a number and is not an address", name)
	}
	for label := range strings.SplitSeq(name, ".") {
		if label[0] == '-' || label[len(label)-1] == '-' {
			return fmt.Errorf("%q is not a host name", name)
		}
	}
	return nil
}
