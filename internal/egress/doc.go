// Package egress is the one way out of a box: a proxy outside, in a process of
// its own, which decides by itself what is reached.
//
// A box without peers has no way out at all. One with peers has a channel of two
// pipes to the proxy ([sandbox.Exit]); a relay inside takes a program's
// connections on the loopback device and passes on what is in them. The relay
// knows nothing of HTTP and decides nothing: it is the guest's.
//
// [Proxy] runs this program again as palisade-egress, which has no file, no key
// and no right but to use sockets of the Internet, and serves all runs of a
// gate. It takes HTTP requests for http URLs, and CONNECT for TLS.
//
// The package promises:
//   - what policy does not name is refused, and every attempt is told, allowed or
//     not;
//   - a peer has one spelling; names are resolved here, once for each run, and no
//     address that is not public is ever reached ([peer.Forbidden]);
//   - TLS must ask for the very server that CONNECT names;
//   - methods, paths and credentials are held to where policy opens a peer's TLS:
//     an authority made for that run vouches to the program, and this host's
//     authorities to the proxy;
//   - a credential's value goes to its own host alone, over TLS, in a header; the
//     box has a placeholder;
//   - bytes, connections and time are bounded ([MaxUp], [MaxDown],
//     [MaxConnections]);
//   - when the proxy's process dies or is cut off ([Proxy.Cut]), so are its
//     connections.
//
// It does not see into TLS that policy does not open: to which host on a shared
// server a request inside goes, only opening tells. It does not judge what is
// sent to a peer that is allowed.
package egress
