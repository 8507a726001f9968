// Package resident is the door to a gate that stays: programs of the same user
// hand it submissions over a Unix socket, and it decides, runs and records them
// with the sandboxes that it keeps warm.
//
// Only submissions and answers go over the socket. Boxes, their pipes, keys and
// the record never leave the process that owns them.
//
// It promises:
//   - the socket is for its user alone: mode 0600, in a folder that nobody else
//     can write, and both sides ask the kernel who the other one is;
//   - whom a submission is from is what the kernel says of the peer, not what the
//     submission says;
//   - a client that goes away interrupts its run, which is recorded;
//   - a request that is too large, cut off or late is refused, and costs no other
//     client anything.
//
// It does not authenticate other users, and does not listen on a network.
package resident
