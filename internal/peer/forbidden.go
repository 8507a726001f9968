package peer

import (
	"net/netip"
	"strings"
)

// block is a range of addresses that no run reaches.
type block struct {
	prefix netip.Prefix
	why    string
}

// blocks are the ranges that are not the public Internet: IANA's special-purpose
// registries for IPv4 and IPv6 (RFC 6890 and its updates), and what providers of
// clouds serve credentials on. An address inside one that carries another is
// refused too: which of both is meant depends on who routes it.
var blocks = parseBlocks(`
169.254.169.254/32   a metadata service
169.254.0.0/16       link-local
100.100.100.200/32   a metadata service (Alibaba Cloud)
192.0.0.192/32       a metadata service (Oracle Cloud)
168.63.129.16/32     a metadata service (Azure)
fd00:ec2::254/128    a metadata service (AWS)
fd20:ce::254/128     a metadata service (Google Cloud)
0.0.0.0/8            this host
10.0.0.0/8           private
100.64.0.0/10        shared by a provider's customers (CGNAT)
127.0.0.0/8          loopback
172.16.0.0/12        private
192.0.0.0/24         reserved for protocols
192.0.2.0/24         documentation
192.31.196.0/24      reserved (AS112)
192.52.193.0/24      reserved (AMT)
192.88.99.0/24       6to4 relays
192.168.0.0/16       private
192.175.48.0/24      reserved (AS112)
198.18.0.0/15        benchmarks
198.51.100.0/24      documentation
203.0.113.0/24       documentation
224.0.0.0/4          multicast
240.0.0.0/4          reserved
::/96                this host, loopback or an IPv4 address in IPv6
::ffff:0:0/96        an IPv4 address in IPv6
::ffff:0:0:0/96      an IPv4 address in IPv6 (SIIT)
64:ff9b::/96         NAT64
64:ff9b:1::/48       NAT64
100::/64             discarded
100:0:0:1::/64       reserved
2001::/23            reserved for protocols (Teredo among them)
2001:db8::/32        documentation
2002::/16            6to4
2620:4f:8000::/48    reserved (AS112)
3fff::/20            documentation
5f00::/16            segment routing
fc00::/7             private
fe80::/10            link-local
fec0::/10            private
ff00::/8             multicast
`)

func parseBlocks(table string) []block {
	var all []block
	for line := range strings.Lines(strings.TrimSpace(table)) {
		prefix, why, _ := strings.Cut(line, " ")
		all = append(all, block{netip.MustParsePrefix(prefix), strings.TrimSpace(why)})
	}
	return all
}

// global are the addresses that IPv6 gives out: RFC 4291, section 2.4, and
// IANA's registry of unicast addresses.
var global = netip.MustParsePrefix("2000::/3")

// Forbidden says what an address is that no run reaches; the empty text is said
// of public ones.
func Forbidden(addr netip.Addr) string {
	switch {
	case !addr.IsValid():
		return "no address"
	case addr.Zone() != "":
		return "bound to one of this host's networks"
	}
	for _, b := range blocks {
		if b.prefix.Contains(addr) {
			return b.why
		}
	}
	if addr.Is4In6() {
		return "an IPv4 address in IPv6"
	}
	if addr.Is6() && !global.Contains(addr) {
		return "not a public address"
	}
	return ""
}

// ForbiddenName says what a name is that no run reaches, whatever it resolves
// to; the empty text is said of others. The names are special-use ones (RFC
// 6761, 6762, 8375, 9476) and those of metadata services.
func ForbiddenName(name string) string {
	if !strings.Contains(name, ".") {
		return "a name of the local network"
	}
	for _, suffix := range []string{"localhost", "local", "localdomain", "internal", "home.arpa", "lan", "intranet", "corp", "home", "onion", "alt", "invalid", "test", "arpa"} {
		if name == suffix || strings.HasSuffix(name, "."+suffix) {
			return "a name of the local network or of none (." + suffix + ")"
		}
	}
	if name == "metadata.goog" || strings.HasSuffix(name, ".metadata.goog") {
		return "a metadata service"
	}
	return ""
}
