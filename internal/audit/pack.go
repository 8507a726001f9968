package audit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A pack holds the payloads of one entry bundle, in the order of their entries:
//
//	index(8, big-endian) length(4) nonce ‖ payload
//
// A payload that was forgotten is left out.
const packHead = 8 + 4

// span is where a blob lies in a pack.
type span struct{ off, len int64 }

// pack is an open pack; the zero pack has no payloads.
type pack struct {
	f     *os.File
	spans map[int64]span // by entry index
	end   int64          // where the last record of an index below the limit ends
	size  int64          // bytes of the file
	// odd is set when what follows end is neither nothing, nor what a crash
	// leaves of a flush.
	odd bool
}

// openPack reads the index of bundle n's pack, up to the first record for an
// entry at or beyond limit: such records are what a crash left of a flush. A
// missing pack is an empty one.
func openPack(dir *os.Root, n, limit int64) (pack, error) {
	name := packPath(n)
	f, err := openFile(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return pack{}, nil
	}
	if err != nil {
		return pack{}, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return pack{}, err
	}
	p := pack{f: f, spans: map[int64]span{}, size: info.Size()}
	limit = min(limit, (n+1)*tileWidth)
	last := n*tileWidth - 1
	var head [packHead]byte
	for p.end+packHead <= p.size {
		if _, err := f.ReadAt(head[:], p.end); err != nil {
			break
		}
		index := int64(binary.BigEndian.Uint64(head[:]))
		length := int64(binary.BigEndian.Uint32(head[8:]))
		if index <= last || index >= limit || length < nonceLen || p.end+packHead+length > p.size {
			// A power cut may leave zeros where a record was to come.
			p.odd = index < limit && head != [packHead]byte{}
			break
		}
		p.spans[index] = span{p.end + packHead, length}
		p.end += packHead + length
		last = index
	}
	return p, nil
}

func (p pack) close() {
	if p.f != nil {
		p.f.Close()
	}
}

// blob returns the nonce and payload of an entry, nil when the pack has none.
func (p pack) blob(e Entry) ([]byte, error) {
	s, ok := p.spans[e.Index]
	if !ok {
		return nil, nil
	}
	if s.len != e.Size+nonceLen {
		return nil, fmt.Errorf("entry %d: payload has another length", e.Index)
	}
	blob := make([]byte, s.len)
	if _, err := p.f.ReadAt(blob, s.off); err != nil {
		return nil, fmt.Errorf("entry %d: read payload: %w", e.Index, err)
	}
	return blob, e.holds(blob)
}

func appendPackRecord(b []byte, index int64, blob []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(index))
	b = binary.BigEndian.AppendUint32(b, uint32(len(blob)))
	return append(b, blob...)
}

// extendPack puts records behind what the pack of bundle n holds for entries
// below base, over whatever a crash left there, and syncs.
func extendPack(dir *os.Root, n, base int64, records []byte) error {
	p, err := openPack(dir, n, base)
	if err != nil {
		return err
	}
	p.close()
	name := packPath(n)
	if p.odd {
		return &TamperError{name, "holds bytes that this program did not write"}
	}
	if err := makeFolders(dir, name); err != nil {
		return err
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = create(dir, name)
	}
	if err != nil {
		return err
	}
	err = f.Truncate(p.end)
	if err == nil {
		_, err = f.WriteAt(records, p.end)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// dropFromPack rewrites the pack of bundle n without the entries that drop
// names, and returns how many payloads went.
func dropFromPack(dir *os.Root, n, limit int64, drop func(index int64) bool) (int, error) {
	p, err := openPack(dir, n, limit)
	if err != nil || p.f == nil {
		return 0, err
	}
	defer p.close()
	if p.odd {
		return 0, &TamperError{packPath(n), "holds bytes that this program did not write"}
	}
	kept, dropped := []byte{}, 0
	for index := n * tileWidth; index < (n+1)*tileWidth; index++ {
		s, ok := p.spans[index]
		switch {
		case !ok:
		case drop(index):
			dropped++
		default:
			blob := make([]byte, s.len)
			if _, err := io.ReadFull(io.NewSectionReader(p.f, s.off, s.len), blob); err != nil {
				return 0, fmt.Errorf("read %s: %w", packPath(n), err)
			}
			kept = appendPackRecord(kept, index, blob)
		}
	}
	if dropped == 0 {
		return 0, nil
	}
	name := packPath(n)
	if len(kept) == 0 {
		err = dir.Remove(name)
	} else {
		err = writeFile(dir, name, kept)
	}
	if err == nil {
		err = syncDirs(dir, []string{name})
	}
	return dropped, err
}
