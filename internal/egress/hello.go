package egress

import (
	"encoding/binary"
	"io"
)

// hello is what the first message of TLS says in clear (RFC 8446, section
// 4.1.2).
type hello struct {
	raw  []byte // the records as they came, to be sent on
	name string // the server that is wanted; empty: none was named
	ech  bool   // the true name may be hidden (RFC 9849)
}

// Types of TLS records, messages and extensions (IANA).
const (
	recordHandshake = 22
	clientHello     = 1
	extensionSNI    = 0
	extensionECH    = 0xfe0d
	maxRecord       = 16 << 10
)

// errNotTLS says that a connection does not begin as TLS does.
var errNotTLS = refuse("this does not begin as TLS does")

// readHello reads records until they hold one whole ClientHello, and nothing
// more.
func readHello(r io.Reader) (hello, error) {
	var h hello
	var message []byte
	for {
		var head [5]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return h, err
		}
		size := int(binary.BigEndian.Uint16(head[3:]))
		if head[0] != recordHandshake || head[1] != 3 || size == 0 || size > maxRecord {
			return h, errNotTLS
		}
		part := make([]byte, size)
		if _, err := io.ReadFull(r, part); err != nil {
			return h, err
		}
		h.raw = append(append(h.raw, head[:]...), part...)
		message = append(message, part...)
		if len(h.raw) > maxHello {
			return h, refuse("the first message of TLS is larger than %d bytes", maxHello)
		}
		if len(message) < 4 {
			continue
		}
		if message[0] != clientHello {
			return h, errNotTLS
		}
		length := int(message[1])<<16 | int(message[2])<<8 | int(message[3])
		switch {
		case length > maxHello:
			return h, refuse("the first message of TLS is larger than %d bytes", maxHello)
		case len(message) == length+4:
			return h, h.parse(message[4:])
		case len(message) > length+4:
			return h, errNotTLS
		}
	}
}

// parse reads the message's body.
func (h *hello) parse(body []byte) error {
	b := fields{data: body}
	b.skip(2 + 32)     // version, random
	b.skip(b.uint(1))  // session
	b.skip(b.uint(2))  // cipher suites
	b.skip(b.uint(1))  // compression methods
	if b.left() == 0 { // a TLS that is older than extensions
		return b.end()
	}
	all := fields{data: b.take(b.uint(2))}
	if err := b.end(); err != nil {
		return err
	}
	seen := map[int]bool{}
	for all.left() > 0 {
		kind := all.uint(2)
		data := all.take(all.uint(2))
		if seen[kind] {
			return refuse("TLS begins with an extension twice")
		}
		seen[kind] = true
		switch kind {
		case extensionSNI:
			if err := h.serverName(data); err != nil {
				return err
			}
		case extensionECH:
			h.ech = true
		}
	}
	return all.end()
}

// serverName reads the extension of RFC 6066, section 3: a list of exactly one
// host name.
func (h *hello) serverName(data []byte) error {
	b := fields{data: data}
	list := fields{data: b.take(b.uint(2))}
	if err := b.end(); err != nil {
		return err
	}
	kind := list.uint(1)
	h.name = string(list.take(list.uint(2)))
	if kind != 0 || h.name == "" {
		return refuse("TLS names its server in an unknown way")
	}
	return list.end()
}

// fields reads big-endian numbers and what they count. After the first thing
// that is not there, everything is empty and end complains.
type fields struct {
	data []byte
	bad  bool
}

func (f *fields) left() int { return len(f.data) }

func (f *fields) take(n int) []byte {
	if f.bad || n > len(f.data) {
		f.bad, f.data = true, nil
		return nil
	}
	part := f.data[:n]
	f.data = f.data[n:]
	return part
}

func (f *fields) skip(n int) { f.take(n) }

func (f *fields) uint(size int) int {
	n := 0
	for _, b := range f.take(size) {
		n = n<<8 | int(b)
	}
	return n
}

func (f *fields) end() error {
	if f.bad || len(f.data) > 0 {
		return errNotTLS
	}
	return nil
}
