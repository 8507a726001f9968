package peer

import (
	"net/netip"
	"testing"
)

func TestForbidden(t *testing.T) {
	for _, text := range []string{"8.8.8.8", "1.1.1.1", "100.128.0.1", "172.32.0.1", "192.0.3.1", "198.20.0.1", "223.255.255.255", "11.0.0.1", "2606:4700:4700::1111", "2a00::1", "2001:4860:4860::8888", "2001:200::1"} {
		if why := Forbidden(netip.MustParseAddr(text)); why != "" {
			t.Errorf("%s: %s", text, why)
		}
	}
	if Forbidden(netip.Addr{}) == "" || Forbidden(netip.MustParseAddr("2606::1%eth0")) == "" {
		t.Error("no address, or one of an interface")
	}
	// Go's own words for what is not public are a part of the table.
	for i := range 1 << 16 {
		for _, addr := range []netip.Addr{netip.AddrFrom4([4]byte{byte(i >> 8), byte(i), 1, 1}), netip.AddrFrom16([16]byte{byte(i >> 8), byte(i), 15: 1})} {
			odd := addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsMulticast() || addr.IsUnspecified() || addr.Is4In6() || !addr.IsGlobalUnicast()
			if odd && Forbidden(addr) == "" {
				t.Fatalf("%s is let through", addr)
			}
		}
	}
}

func TestForbiddenNames(t *testing.T) {
	for _, name := range []string{"localhost", "a.localhost", "router", "db.internal", "metadata.google.internal", "metadata.goog", "printer.local", "x.home.arpa", "x.test"} {
		if ForbiddenName(name) == "" {
			t.Error(name)
		}
	}
	for _, name := range []string{"example.com", "internal.example.com", "local.example.org", "mylocalhost.net"} {
		if why := ForbiddenName(name); why != "" {
			t.Error(name, why)
		}
	}
}

func FuzzAuthority(f *testing.F) {
	for _, seed := range []string{"example.com", "example.com:443", "[::1]:80", "1.2.3.4", "0x7f.1:80", "a@b", "[fe80::1%eth0]:80", "xn--x.y:1", "a:b:c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAuthority(text, "443")
		if err != nil {
			return
		}
		again, err := ParseAuthority(a.String(), "")
		if err != nil || again != a {
			t.Fatalf("%q is %+v, and that is %+v, %v", text, a, again, err)
		}
		if host, port, ok := Split(a.String()); !ok || Canonical(host) != a.Host || port != a.Port {
			t.Fatalf("policy reads %q as %q %q", a, host, port)
		}
	})
}
