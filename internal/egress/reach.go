package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"

	"palisade/internal/peer"
)

// reach connects to peers that policy allows, and to no other address than the
// public ones that a name had when it was first asked for in this run.
type reach struct {
	world   world
	servers []string

	mu     sync.Mutex
	pinned map[string][]netip.Addr
}

// addresses returns where a peer is. All addresses of a name must be fit: one
// that is not means that whoever owns the name means this host's network.
func (r *reach) addresses(ctx context.Context, a peer.Authority) ([]netip.Addr, error) {
	if a.Addr.IsValid() {
		if why := r.world.forbidden(a.Addr); why != "" {
			return nil, refuse("%s is never reached: %s", a.Host, why)
		}
		return []netip.Addr{a.Addr}, nil
	}
	if why := r.world.name(a.Host); why != "" {
		return nil, refuse("%s is never reached: %s", a.Host, why)
	}
	r.mu.Lock()
	known, full := r.pinned[a.Host], len(r.pinned) >= maxNames
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	if full {
		return nil, refuse("this run asked for more than %d names", maxNames)
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	found, err := r.world.lookup(ctx, r.servers, a.Host)
	if err != nil || len(found) == 0 {
		return nil, &unreachable{"the name " + a.Host + " does not resolve", err}
	}
	found = found[:min(len(found), maxAnswer)]
	for _, addr := range found {
		if why := r.world.forbidden(addr); why != "" {
			return nil, refuse("%s is never reached: it resolves to %s, %s", a.Host, addr, why)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.pinned[a.Host]; known != nil { // someone was faster: the first answer stays
		return known, nil
	}
	r.pinned[a.Host] = found
	return found, nil
}

// dial connects to a peer.
func (r *reach) dial(ctx context.Context, a peer.Authority) (net.Conn, error) {
	found, err := r.addresses(ctx, a)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	port, err := net.LookupPort("tcp", a.Port)
	if err != nil {
		return nil, err
	}
	for _, addr := range found {
		var conn net.Conn
		if conn, err = r.world.dial(ctx, netip.AddrPortFrom(addr, uint16(port))); err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, &unreachable{a.String() + " does not answer", err}
}

// unreachable says that a peer that may be reached cannot be. The cause is not
// told: it names addresses.
type unreachable struct {
	what  string
	cause error
}

func (u *unreachable) Error() string {
	if netErr, ok := errors.AsType[net.Error](u.cause); ok && netErr.Timeout() {
		return u.what + " in time"
	}
	return u.what
}

func (u *unreachable) Unwrap() error { return u.cause }
