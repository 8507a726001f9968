package peer

import (
	"net/netip"
	"testing"
)

func TestPeers(t *testing.T) {
	cases := []struct {
		pattern string
		yes, no []string
	}{
		{"example.org", []string{"example.org", "EXAMPLE.org.", "example.org:443", "https://example.org/x", "http://user:pw@example.org:8080/"}, []string{"a.example.org", "example.org.evil.com", "evil.com/example.org"}},
		{"*.example.org", []string{"a.example.org", "b.a.example.org:1"}, []string{"example.org", "aexample.org"}},
		{"example.org:443", []string{"example.org:443", "https://example.org/"}, []string{"example.org", "http://example.org/", "example.org:80"}},
		{"10.0.0.0/8", []string{"10.1.2.3", "10.1.2.3:80", "0xA010203", "[::ffff:10.1.2.3]:80", "::ffff:10.1.2.3", "http://012.1.2.3/"}, []string{"11.0.0.1", "ten.example"}},
		{"127.0.0.1", []string{"127.0.0.1", "127.1", "2130706433", "0x7f.1", "017700000001"}, []string{"127.0.0.2", "localhost"}},
		{"169.254.0.0/16", []string{"http://[64:ff9b:1::a9fe:a9fe]/", "http://[2002:a9fe:a9fe::1]/", "[::169.254.169.254]:80",
			"http://１６９.254.169.254/", "http://169。254｡169．254/"}, []string{"[2002:aafe:a9fe::]", "http://[::1]/"}},
		{"example.com", []string{"http://ｅxample.com/", "example。com"}, []string{"http://exämple.com/"}},
		{"fd00::/8", []string{"fd00:ec2::254", "[fd00:ec2::254]:80", "http://[fd00:ec2::254]/"}, []string{"fe80::1"}},
	}
	for _, c := range cases {
		p, err := Parse(c.pattern)
		if err != nil {
			t.Fatal(c.pattern, err)
		}
		match := func(argument string) bool {
			host, port, ok := Split(argument)
			return ok && p.Match(host, port)
		}
		for _, argument := range c.yes {
			if !match(argument) {
				t.Errorf("%s does not match %s", c.pattern, argument)
			}
		}
		for _, argument := range c.no {
			if match(argument) {
				t.Errorf("%s matches %s", c.pattern, argument)
			}
		}
	}
	for _, bad := range []string{"", "http://x", "a b", "x:0", "x:99999", "*", "*.", "-", "a..b", "x/y", "10.0.0.0/40", "ex*mple.org"} {
		if _, err := Parse(bad); err == nil && bad != "-" {
			t.Errorf("%q was taken as a peer", bad)
		}
	}
	for _, bad := range []string{"", "a b", "http://", "http://a\\@b/", "x\x00y", "://x", "http:///x", "bücher.example"} {
		if host, _, ok := Split(bad); ok {
			t.Errorf("%q was read as host %q", bad, host)
		}
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"1.2.3.4", "0x7f.1", "017700000001", "::ffff:1.2.3.4", "64:ff9b::102:304", "1.2.3", "fe80::1%eth0", "0x", "08", "256", "4294967296"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, host string) {
		addr, ok := Address(host)
		if ok != addr.IsValid() || ok && addr.Is4In6() {
			t.Fatalf("%q: %v %v", host, addr, ok)
		}
		if usual, err := netip.ParseAddr(host); err == nil && usual.Is4() && addr != usual {
			t.Fatalf("%q is %v, not %v", host, addr, usual)
		}
	})
}
