package audit

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// appendEntries writes entries in the form of C2SP entry bundles: each after its
// length in 16 bits, big-endian.
func appendEntries(b []byte, entries ...[]byte) []byte {
	for _, e := range entries {
		b = binary.BigEndian.AppendUint16(b, uint16(len(e)))
		b = append(b, e...)
	}
	return b
}

// parseBundle reads the first w entries of a bundle. With exact set nothing may
// follow them.
func parseBundle(data []byte, w int, exact bool) ([][]byte, error) {
	entries := make([][]byte, 0, min(w, len(data)/2))
	for range w {
		var entry []byte
		var err error
		if entry, data, err = cutEntry(data); err != nil {
			return nil, fmt.Errorf("bundle entry %d: %w", len(entries), err)
		}
		entries = append(entries, entry)
	}
	if exact && len(data) > 0 {
		return nil, fmt.Errorf("bundle: %d bytes after its last entry", len(data))
	}
	return entries, nil
}

var errShort = errors.New("cut short")

func cutEntry(data []byte) (entry, rest []byte, err error) {
	if len(data) < 2 {
		return nil, nil, errShort
	}
	n := int(binary.BigEndian.Uint16(data))
	if data = data[2:]; len(data) < n {
		return nil, nil, errShort
	}
	return data[:n:n], data[n:], nil
}
