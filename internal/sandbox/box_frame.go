package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A frame is a length (4 bytes, big-endian, of the payload alone), a type
// (1 byte) and a payload. Some payloads are lists of fields: each is a length
// (4 bytes, big-endian) and its bytes.
//
// The harness of each language speaks these types too: they change together.
const (
	// Host to guest, before go.
	frameProgram = 'P' // fields: name, source
	frameModule  = 'M' // fields: dotted name, file name, source
	frameEntry   = 'N' // the entry function's name
	frameArgs    = 'A' // the arguments, as lang.EncodeArgs writes them
	frameLimits  = 'L' // fields: key and decimal value, in turn
	frameFile    = 'F' // fields: name, first bytes
	frameMore    = 'C' // further bytes of the last file
	frameStdin   = 'I' // bytes of standard input
	frameExit    = 'E' // fields: certificates, then names and values of variables in turn
	frameSeal    = 'S' // all was sent: parse, digest, report
	frameGo      = 'G' // execute

	// Host to guest, before there is a job; each is answered by its like.
	frameTemplate = 'T' // fields: modules to import; answer: fields, those that failed
	frameWarm     = 'W' // a program of ours to run; answer: what went wrong, or nothing

	// Guest to host. Ready comes once, before go; all others only after it.
	frameReady     = 'R' // fields: kind, key, value, in turn
	frameValue     = 'V' // JSON text
	frameBundle    = 'B' // fields: MIME type and bytes, in turn
	frameException = 'X' // fields: type, message, then file, line, function in turn
	frameArtifact  = 'F' // fields: name, decimal size
	frameData      = 'D' // bytes of the last artifact
	frameEnd       = 'E' // the last artifact is complete
)

const (
	frameHeader = 5
	// chunk is how much of a file or of standard input one frame carries.
	chunk = 256 << 10
	// maxFields bounds a list of fields.
	maxFields = 4096
)

// maxPayload is the largest payload that is accepted from a guest, by type.
// A type without one is unknown.
var maxPayload = map[byte]int{
	frameReady:     1 << 20,
	frameValue:     1 << 20,
	frameBundle:    4 << 20,
	frameException: 64 << 10,
	frameArtifact:  8 << 10,
	frameData:      chunk,
	frameEnd:       0,
}

// maxWarmPayload is that of a harness that has no job yet.
var maxWarmPayload = map[byte]int{frameTemplate: 64 << 10, frameWarm: 64 << 10}

// errFrame says that what came is not a frame: nothing after it can be read.
var errFrame = errors.New("not a frame")

// writeFrame sends one frame.
func writeFrame(w io.Writer, kind byte, payload []byte) error {
	buf := make([]byte, frameHeader, frameHeader+len(payload))
	binary.BigEndian.PutUint32(buf, uint32(len(payload)))
	buf[4] = kind
	_, err := w.Write(append(buf, payload...))
	return err
}

// readFrame reads one frame of a guest. It returns [io.EOF] at the end of the
// stream, and errFrame for a type that does not exist, a payload that is too
// long and an end in mid-frame. Memory is taken as bytes arrive, not as the
// header claims.
func readFrame(r io.Reader) (kind byte, payload []byte, err error) {
	return readFrameOf(r, maxPayload)
}

func readFrameOf(r io.Reader, most map[byte]int) (kind byte, payload []byte, err error) {
	var head [frameHeader]byte
	if n, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, nil, fmt.Errorf("%w: the stream ends after %d bytes of a header", errFrame, n)
		}
		return 0, nil, err
	}
	size, kind := binary.BigEndian.Uint32(head[:]), head[4]
	limit, known := most[kind]
	if !known {
		return 0, nil, fmt.Errorf("%w: unknown type 0x%02x", errFrame, kind)
	}
	if uint64(size) > uint64(limit) {
		return 0, nil, fmt.Errorf("%w: type %q claims %d bytes, at most %d are allowed", errFrame, kind, size, limit)
	}
	var buf bytes.Buffer
	if n, err := io.CopyN(&buf, r, int64(size)); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, nil, fmt.Errorf("%w: type %q ends after %d of %d bytes", errFrame, kind, n, size)
		}
		return 0, nil, err
	}
	return kind, buf.Bytes(), nil
}

// joinFields writes a list of fields.
func joinFields[T string | []byte](fields ...T) []byte {
	size := 0
	for _, f := range fields {
		size += 4 + len(f)
	}
	out := make([]byte, 0, size)
	for _, f := range fields {
		out = binary.BigEndian.AppendUint32(out, uint32(len(f)))
		out = append(out, f...)
	}
	return out
}

// splitFields reads a list of fields.
func splitFields(payload []byte) ([][]byte, error) {
	var fields [][]byte
	for len(payload) > 0 {
		if len(fields) == maxFields {
			return nil, fmt.Errorf("more than %d fields", maxFields)
		}
		if len(payload) < 4 {
			return nil, errors.New("a field's length is cut short")
		}
		size := binary.BigEndian.Uint32(payload)
		payload = payload[4:]
		if uint64(size) > uint64(len(payload)) {
			return nil, errors.New("a field is cut short")
		}
		fields = append(fields, payload[:size:size])
		payload = payload[size:]
	}
	return fields, nil
}
