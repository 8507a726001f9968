package egress

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"palisade"
	"palisade/internal/egress/egresstest"
)

// TestRefusals tries every way that is known to get past an allow-list: nothing
// of it arrives anywhere, and each is told. The run may reach every name below
// two domains and every address, so that only the proxy's own rules refuse.
func TestRefusals(t *testing.T) {
	var reached atomic.Int64
	port := egresstest.ServeClear(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	everything := []palisade.Peer{
		{Name: "*.example.com:" + port}, {Name: "*.example.org:" + port}, {Name: "*.example.org"}, {Name: "*.example.com"},
		{Name: "0.0.0.0/0"}, {Name: "::/0"}, {Name: "localhost"}, {Name: "*.internal"}, {Name: "*.goog"}, {Name: "*.local"}, {Name: "metadata"},
	}
	w := newWay(t, runConfig{Run: "r", Peers: everything})
	// Hosts that are refused whatever policy says: addresses, and names that
	// resolve to them.
	bad := []string{
		"127.0.0.2", "127.1.2.3", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "100.100.100.200",
		"169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.168.0.1",
		"192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"168.63.129.16",
		"[::]", "[::1]", "[::2]", "[::7f00:1]", "[::ffff:7f00:1]", "[::ffff:808:808]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b::808:808]", "[64:ff9b:1::1]",
		"[100::1]", "[2001::1]", "[2001:10::1]", "[2001:20::1]", "[2001:db8::1]", "[2002:7f00:1::]", "[2002:808:808::1]", "[3fff::1]", "[5f00::1]",
		"[fc00::1]", "[fd00:ec2::254]", "[fd20:ce::254]", "[fe80::1]", "[febf::1]", "[fec0::1]", "[ff02::1]", "[4000::1]", "[::ffff:0:808:808]",
	}
	spelled := []string{
		"2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "2852039166", "0251.0376.0251.0376", "0xa9.0xfe.0xa9.0xfe",
		"169.254.43518", "127.0.0.1.", "127.0.0.01", "1.2.3", "1.2.3.4.5", "8.8.8.08", "x.1", "api.example.com.", "api.example.com..", ".api.example.com", "api..example.com",
		"[::ffff:127.0.0.1]", "[::ffff:8.8.8.8]", "[0:0:0:0:0:0:0:1]", "[2606:4700:0::1111]", "[2606:4700:4700::1111%25eth0]", "[2606:4700:4700::1111%eth0]",
		"[8.8.8.8]", "[api.example.com]", "[::1", "::1]", "-a.example.com", "a-.example.com",
		"localhost", "a.localhost", "metadata", "metadata.google.internal", "metadata.goog", "x.internal", "x.local", "a", "router.lan",
		"xn--\u00fc.example.com", "b\u00fccher.example.com", "api\u3002example\u3002com", "\uff41pi.example.com", "\u24d0pi.example.com", "api.example.com\u200b",
		"api.example.com%00.evil.example.net", "api%2eexample.com", "api.example.com%2eevil", "api.example.com#evil",
		"user@api.example.com", "user:password@api.example.com", "api.example.com@evil.example.net", "a_b..example.com", "evil.example.net", "example.com", "example.org",
		"xapi.example.company", "api.example.com.evil.net", strings.Repeat("a", 64) + ".example.com", strings.Repeat("abcdefgh.", 40) + "example.com",
	}
	for _, address := range bad {
		plain := strings.Trim(address, "[]")
		name := strings.NewReplacer(":", "_", ".", "-").Replace(plain)
		spelled = append(spelled, name+".example.org", "8-8-8-8and"+name+".example.org", name+"and8-8-8-8.example.org")
	}
	n := 0
	for _, host := range append(bad, spelled...) {
		for _, form := range []string{
			"CONNECT %s:" + port + " HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT %s:443 HTTP/1.1\r\nHost: x\r\n\r\n",
			"GET http://%s:" + port + "/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n", "GET http://%s/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
		} {
			raw := fmt.Sprintf(form, host)
			if resp := w.ask(raw); resp.passed() {
				t.Errorf("%q: %s", raw, resp.status)
			}
			n++
			if n%500 == 0 { // a run may make so many
				w = newWay(t, runConfig{Run: "r", Peers: everything})
			}
		}
	}
	t.Logf("%d requests", n)
	for _, raw := range []string{
		"CONNECT api.example.com HTTP/1.1\r\n\r\n", "CONNECT api.example.com: HTTP/1.1\r\n\r\n", "CONNECT api.example.com:0 HTTP/1.1\r\n\r\n",
		"CONNECT api.example.com:65536 HTTP/1.1\r\n\r\n", "CONNECT api.example.com:0443 HTTP/1.1\r\n\r\n", "CONNECT api.example.com:https HTTP/1.1\r\n\r\n",
		"CONNECT api.example.com:443:443 HTTP/1.1\r\n\r\n", "CONNECT http://api.example.com:443 HTTP/1.1\r\n\r\n", "CONNECT /x HTTP/1.1\r\n\r\n", "CONNECT * HTTP/1.1\r\n\r\n",
		"CONNECT api.example.com:22 HTTP/1.1\r\n\r\n", "CONNECT api.example.com:25 HTTP/1.1\r\n\r\n", "CONNECT api.example.com:8443 HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n", "GET https://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
		"GET ftp://api.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", "GET gopher://api.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET http:///x HTTP/1.1\r\nHost: x\r\n\r\n", "GET http:api.example.com/x HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
		"GET http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
		"TRACE http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		// not HTTP, or HTTP that two readers read in two ways
		"GET http://api.example.com\\@evil.example.net/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://api.example.com:" + port + "/\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET http://api.example.com:" + port + "/ HTTP/1.1\r\nHost : a\r\n\r\n",
		"POST http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
		"POST http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx", "POST http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\n",
		"GET http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n", "GET\thttp://api.example.com:" + port + "/ HTTP/1.1\r\nHost: a\r\n\r\n",
		"\x16\x03\x01\x00\x05hello\r\n\r\n", "SSH-2.0-x\r\n\r\n", "\x05\x01\x00\x03\x0fapi.example.com\x00\x50\r\n\r\n",
		"GET http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n",
	} {
		if resp := w.ask(raw); resp.passed() {
			t.Errorf("%.100q: %s", raw, resp.status)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	for _, text := range []string{"a request that cannot be read", "ftp", "Upgrade", "api.example.com:22"} {
		if !w.told(true, text) && text != "ftp" && text != "Upgrade" {
			t.Errorf("nothing was told of %q", text)
		}
	}
	// The same way out still serves what is allowed.
	if resp := w.ask("GET http://api.example.com:" + port + "/ HTTP/1.1\r\nHost: x\r\n\r\n"); resp.code != http.StatusOK || reached.Load() != 1 {
		t.Errorf("what is allowed: %s, %d arrived", resp.status, reached.Load())
	}
}
