package egress

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A box and its proxy talk over two pipes in frames: one byte of kind, the
// stream's number, the payload's length (big-endian), the payload. The box
// opens streams, one for each connection that its relay took; what is in them
// is HTTP, of which the relay knows nothing. The relay is in
// internal/lang/harness/relay.py.
const (
	frameOpen   = 'O' // a stream begins; from the box alone
	frameData   = 'D' // bytes
	frameEnd    = 'E' // the sender sends no more bytes
	frameClose  = 'X' // the sender wants nothing more of the stream
	frameWindow = 'W' // the sender takes so many bytes more: a uint32
)

const (
	headerSize = 7
	// maxPayload bounds one frame's payload, in bytes.
	maxPayload = 32 << 10
	// window is how many bytes of one stream may be on their way in one
	// direction before the other side has taken them.
	window = 256 << 10
)

// frame is one message.
type frame struct {
	kind    byte
	stream  uint32
	payload []byte // valid until the next is read
}

var errFrame = errors.New("not a frame")

// readFrame reads one frame; its payload is in buf. It is io.EOF only where
// nothing of a frame was read.
func readFrame(r io.Reader, buf *[maxPayload]byte) (frame, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: head[0], stream: binary.BigEndian.Uint32(head[1:5])}
	size := int(binary.BigEndian.Uint16(head[5:7]))
	if size > maxPayload {
		return f, fmt.Errorf("%w: %d bytes", errFrame, size)
	}
	f.payload = buf[:size]
	if _, err := io.ReadFull(r, f.payload); err != nil {
		return f, io.ErrUnexpectedEOF
	}
	return f, f.check()
}

// check holds a frame to its kind.
func (f frame) check() error {
	want := -1
	switch f.kind {
	case frameData:
		if len(f.payload) == 0 {
			return fmt.Errorf("%w: no data", errFrame)
		}
	case frameOpen, frameEnd, frameClose:
		want = 0
	case frameWindow:
		want = 4
	default:
		return fmt.Errorf("%w: kind %q", errFrame, f.kind)
	}
	if want >= 0 && len(f.payload) != want {
		return fmt.Errorf("%w: kind %q with %d bytes", errFrame, f.kind, len(f.payload))
	}
	return nil
}

// appendFrame adds a frame to buf.
func appendFrame(buf []byte, kind byte, stream uint32, payload []byte) []byte {
	buf = append(buf, kind)
	buf = binary.BigEndian.AppendUint32(buf, stream)
	buf = binary.BigEndian.AppendUint16(buf, uint16(len(payload)))
	return append(buf, payload...)
}
