package peer

import (
	"net/netip"
	"strconv"
	"strings"
)

// Address reads an address in every spelling that resolvers accept: the usual
// ones, and inet_aton's (one to four parts, decimal, octal or hexadecimal). An
// IPv4 address inside IPv6 (mapped, compatible, 6to4, NAT64 of RFC 6052 and
// RFC 8215) is that address.
func Address(host string) (netip.Addr, bool) {
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
	if !addr.Is6() || addr.IsLoopback() || addr.IsUnspecified() {
		return addr
	}
	raw := addr.As16()
	switch {
	case under(addr, "64:ff9b::/96"), under(addr, "64:ff9b:1::/48"), under(addr, "::/96"):
		return netip.AddrFrom4([4]byte(raw[12:]))
	case under(addr, "2002::/16"): // 6to4 (RFC 3056)
		return netip.AddrFrom4([4]byte(raw[2:6]))
	}
	return addr
}

func under(addr netip.Addr, prefix string) bool { return netip.MustParsePrefix(prefix).Contains(addr) }
