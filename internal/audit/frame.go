package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// The journal is a header frame and then one frame for each batch. A frame is
//
//	"PAL1" type(1) length(4, big-endian) body SHA-256(all before)
//
// so that a torn one is known. That nobody changed it is for the signed heads
// inside to say, not for this sum.
const (
	frameMagic    = "PAL1"
	frameHead     = len(frameMagic) + 1 + 4
	frameOverhead = frameHead + sha256.Size
	typeHeader    = 'H'       // body: the signed head of what was flushed
	typeBatch     = 'B'       // body: see batch
	maxFrame      = 128 << 20 // bytes of a body
)

// batch is what one append adds.
type batch struct {
	first   int64    // index of its first entry
	synced  int64    // size that was on stable storage when it was written
	head    []byte   // the signed head with it
	entries [][]byte // encoded entries
	blobs   [][]byte // nonce ‖ payload of each
}

func appendFrame(b []byte, kind byte, body []byte) []byte {
	start := len(b)
	b = append(b, frameMagic...)
	b = append(b, kind)
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	b = append(b, body...)
	sum := sha256.Sum256(b[start:])
	return append(b, sum[:]...)
}

var errTorn = errors.New("not a whole frame")

// cutFrame takes a frame off data. It returns errTorn when there is no whole
// frame at its start.
func cutFrame(data []byte) (kind byte, body, rest []byte, err error) {
	if len(data) < frameOverhead || string(data[:len(frameMagic)]) != frameMagic {
		return 0, nil, nil, errTorn
	}
	n := int64(binary.BigEndian.Uint32(data[frameHead-4:]))
	if n > maxFrame || n > int64(len(data)-frameOverhead) {
		return 0, nil, nil, errTorn
	}
	end := frameHead + int(n)
	sum := sha256.Sum256(data[:end])
	if !bytes.Equal(sum[:], data[end:end+sha256.Size]) {
		return 0, nil, nil, errTorn
	}
	return data[len(frameMagic)], data[frameHead:end:end], data[end+sha256.Size:], nil
}

// frameCost is what cutFrame has to hash, in bytes, at least 64.
func frameCost(data []byte) int {
	if len(data) < frameOverhead {
		return 64
	}
	n := int(binary.BigEndian.Uint32(data[frameHead-4:]))
	if n > maxFrame || n > len(data)-frameOverhead {
		return 64
	}
	return n + 64
}

func (b batch) encode() []byte {
	n := 8 + 8 + 2 + len(b.head) + 4
	for i := range b.entries {
		n += 2 + len(b.entries[i]) + 4 + len(b.blobs[i])
	}
	out := make([]byte, 0, n)
	out = binary.BigEndian.AppendUint64(out, uint64(b.first))
	out = binary.BigEndian.AppendUint64(out, uint64(b.synced))
	out = appendEntries(out, b.head)
	out = binary.BigEndian.AppendUint32(out, uint32(len(b.entries)))
	out = appendEntries(out, b.entries...)
	for _, blob := range b.blobs {
		out = binary.BigEndian.AppendUint32(out, uint32(len(blob)))
		out = append(out, blob...)
	}
	return out
}

// parseBatch reads the body of a batch frame. The parts share body's memory.
func parseBatch(body []byte) (batch, error) {
	var b batch
	if len(body) < 16 {
		return batch{}, errShort
	}
	b.first = int64(binary.BigEndian.Uint64(body))
	b.synced = int64(binary.BigEndian.Uint64(body[8:]))
	if b.first < 0 || b.synced < 0 || b.synced > b.first {
		return batch{}, errors.New("batch: bad index")
	}
	var err error
	if b.head, body, err = cutEntry(body[16:]); err != nil {
		return batch{}, fmt.Errorf("batch head: %w", err)
	}
	if len(body) < 4 {
		return batch{}, errShort
	}
	count := int64(binary.BigEndian.Uint32(body))
	body = body[4:]
	if count == 0 || count > int64(len(body)/6) {
		return batch{}, fmt.Errorf("batch: %d entries in %d bytes", count, len(body))
	}
	b.entries = make([][]byte, count)
	for i := range b.entries {
		if b.entries[i], body, err = cutEntry(body); err != nil {
			return batch{}, fmt.Errorf("batch entry %d: %w", i, err)
		}
	}
	b.blobs = make([][]byte, count)
	for i := range b.blobs {
		if len(body) < 4 {
			return batch{}, errShort
		}
		n := int64(binary.BigEndian.Uint32(body))
		if body = body[4:]; n > int64(len(body)) {
			return batch{}, errShort
		}
		b.blobs[i], body = body[:n:n], body[n:]
	}
	if len(body) > 0 {
		return batch{}, fmt.Errorf("batch: %d bytes too many", len(body))
	}
	return b, nil
}
