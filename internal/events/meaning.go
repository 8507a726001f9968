package events

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// OpenKind is what an open(2) with flags does to a file that is there.
func OpenKind(flags uint64) Kind {
	switch {
	case flags&unix.O_TMPFILE == unix.O_TMPFILE:
		return Create
	case flags&unix.O_ACCMODE != unix.O_RDONLY, flags&unix.O_TRUNC != 0:
		return Write
	}
	return Open
}

// IsDevice reports whether a path is that of a device that keeps nothing: who
// opens it to write changes no file.
func IsDevice(name string) bool {
	switch name {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx":
		return true
	}
	return strings.HasPrefix(name, "/dev/pts/")
}

// Word is an argument of a command as a shell would take it, or near that.
func Word(text string) string {
	if text == "" || strings.ContainsAny(text, " \t\n\"'\\") {
		return strconv.Quote(text)
	}
	return text
}

// Sizes of addresses of sockets, from include/uapi/linux/{in,in6,un}.h.
const (
	inetSize, inet6Size = 8, 24
	pathOffset          = 2
)

// MaxAddress is how many bytes of a socket's address are looked at.
const MaxAddress = 128

// Address names a socket's address, as the kernel takes it. near: it is no network
// peer's, which never ends a run. ok is false for one that nobody is told of.
func Address(b []byte) (name string, near, ok bool) {
	if len(b) < 2 {
		return "", true, false
	}
	family := binary.NativeEndian.Uint16(b)
	switch {
	case family == unix.AF_UNSPEC || family == unix.AF_NETLINK:
		return "", true, false
	case family == unix.AF_INET && len(b) >= inetSize, family == unix.AF_INET6 && len(b) >= inet6Size:
		return inet(b).String(), false, true
	case family == unix.AF_UNIX:
		name := string(b[pathOffset:])
		if strings.HasPrefix(name, "\x00") {
			name = "@" + strings.TrimRight(name[1:], "\x00")
		} else {
			name, _, _ = strings.Cut(name, "\x00")
		}
		return "unix:" + name, true, true
	}
	return fmt.Sprintf("address family %d", family), false, true
}

// inet reads an address of IPv4 or IPv6 that is long enough.
func inet(b []byte) netip.AddrPort {
	at := b[4:8]
	if binary.NativeEndian.Uint16(b) == unix.AF_INET6 {
		at = b[8:24]
	}
	addr, _ := netip.AddrFromSlice(at)
	return netip.AddrPortFrom(addr, binary.BigEndian.Uint16(b[2:]))
}
