// Package egresstest is a world for the tests of the way out: names that lead to
// this machine, servers that play peers, and an authority that vouches for them.
//
// A test's main calls egress.Pretend with Lookup, Forbidden and Roots before
// anything else. The stories of boxes that use the way out are this package's own
// tests, so that those of the proxy need no box.
//
// It promises that nothing but the loopback device is reached. It is no part of
// the product: nothing but tests imports it.
package egresstest
