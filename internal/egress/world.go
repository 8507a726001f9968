package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"palisade/internal/peer"
)

// world is what is outside: how names are resolved, which addresses may be
// reached, and whose certificates are believed.
type world struct {
	lookup    func(ctx context.Context, servers []string, name string) ([]netip.Addr, error)
	forbidden func(netip.Addr) string
	name      func(string) string // ForbiddenName
	roots     func() []byte       // certificates, as PEM
	dial      func(context.Context, netip.AddrPort) (net.Conn, error)
}

// outside is the world as it is; only [Pretend] changes it.
var outside = world{lookup: lookup, forbidden: peer.Forbidden, name: peer.ForbiddenName, roots: roots, dial: dial}

// Pretend puts another world in place of the real one, for tests alone: servers
// on the loopback device play the peers. It must be called before [Reexec]; no
// setting and no flag leads here, and a test holds the product's code to that.
// Nothing but the loopback
// device is ever reached. Lookup answers for every name; roots are certificates as PEM. A nil function
// leaves the real one.
func Pretend(lookup func(name string) ([]netip.Addr, error), forbidden func(netip.Addr) string, roots func() []byte) {
	outside.dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		if !to.Addr().IsLoopback() {
			return nil, errors.New("the tests' world is this machine")
		}
		return dial(ctx, to)
	}
	if lookup != nil {
		outside.lookup = func(_ context.Context, _ []string, name string) ([]netip.Addr, error) { return lookup(name) }
	}
	if forbidden != nil {
		outside.forbidden = forbidden
	}
	if roots != nil {
		outside.roots = roots
	}
}

// rootFiles are where systems keep the authorities that they trust: those of
// crypto/x509's root_linux.go.
var rootFiles = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
	"/etc/pki/tls/cacert.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// maxRoots bounds what is taken of such a file, in bytes.
const maxRoots = 2 << 20

// roots are this host's. Where it has none, no server is believed.
var roots = sync.OnceValue(func() []byte {
	for _, name := range rootFiles {
		if data, err := os.ReadFile(name); err == nil && len(data) <= maxRoots {
			return data
		}
	}
	return nil
})

// lookup asks the given name servers, which are this host's, for the addresses
// of a whole name. It reads no file: the host's own table of names is not the
// box's.
func lookup(ctx context.Context, servers []string, name string) ([]netip.Addr, error) {
	next := 0
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		server := servers[next%len(servers)]
		next++
		d := net.Dialer{Timeout: resolveTime / 2}
		return d.DialContext(ctx, network, server)
	}}
	if len(servers) == 0 {
		return nil, &net.DNSError{Err: "this host has no name server", Name: name}
	}
	return r.LookupNetIP(ctx, "ip", name+".")
}

// dial connects to one address.
func dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second}
	return d.DialContext(ctx, "tcp", to.String())
}
