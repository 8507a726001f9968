// Package packet is how this program talks with copies of itself that it started:
// over a pair of sequenced-packet Unix sockets, one message a packet, with
// descriptors beside it.
//
// It promises that a message arrives whole or is an error, that descriptors which
// came with a broken message are closed, and that a side which does not read is an
// error after [Patience] and no hang. It does not judge what is said: each side
// checks that.
package packet
