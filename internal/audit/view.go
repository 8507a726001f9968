package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"golang.org/x/mod/sumdb/tlog"

	"palisade"
)

// Record is an entry with its payload.
type Record struct {
	Entry
	// Data is the payload, JSON. Nil when it is no longer kept.
	Data json.RawMessage `json:"data,omitempty"`
}

// ErrForgotten says that a record's payload is not kept any more.
var ErrForgotten = errors.New("payload is not kept any more")

// Decode reads the payload into v; ErrForgotten when it is not kept.
func (r Record) Decode(v any) error {
	if r.Data == nil {
		return fmt.Errorf("entry %d: %w", r.Index, ErrForgotten)
	}
	if err := json.Unmarshal(r.Data, v); err != nil {
		return fmt.Errorf("entry %d: payload: %w", r.Index, err)
	}
	return nil
}

// View is a log as it was at one size. What it gives out was checked against
// the signed head of that size. That of an Update is good within it only.
type View struct {
	s     *state
	tiles *tileReader
}

func (s *state) view() View { return View{s, s.tileReader()} }

// Size is the number of entries.
func (v View) Size() int64 { return v.s.size() }

// Head is the signed head of the view.
func (v View) Head() Head { return v.s.head }

// RootAt returns the root that the log had at an earlier size: what a follower
// that stopped there compares with what it saw.
func (v View) RootAt(size int64) (tlog.Hash, error) {
	if size < 0 || size > v.Size() {
		return tlog.Hash{}, fmt.Errorf("root at %d: the log has %d entries", size, v.Size())
	}
	return v.s.rootAt(size)
}

// Records gives the records of the named kinds (all, when none is named) from
// index from on, in order. To follow a log cheaply, remember Size and go on from
// there. The first error ends it.
func (v View) Records(from int64, kinds ...palisade.EventKind) iter.Seq2[Record, error] {
	wanted := make([][]byte, len(kinds))
	for i, k := range kinds {
		wanted[i] = []byte(`,"kind":"` + string(k) + `",`)
	}
	return v.records(from, true, func(line []byte) bool {
		for _, w := range wanted {
			if bytes.Contains(line, w) {
				return true
			}
		}
		return len(wanted) == 0
	})
}

// records gives the records whose lines are wanted; without payloads, Data is
// always nil.
func (v View) records(from int64, payloads bool, want func(line []byte) bool) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		base := v.s.base.Size
		for i := max(from, 0); i < base; {
			n := i / tileWidth
			end := min((n+1)*tileWidth, base)
			next, ok := v.bundle(n, i, end, payloads, want, yield)
			if !ok {
				return
			}
			i = next
		}
		for i := max(from, base); i < v.s.size(); i++ {
			p := v.s.added[i-base]
			if !want(p.line) {
				continue
			}
			r := Record{Entry: p.entry}
			if payloads {
				r.Data = p.blob[nonceLen:]
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// bundle yields the wanted records i to end of bundle n.
func (v View) bundle(n, i, end int64, payloads bool, want func([]byte) bool, yield func(Record, error) bool) (int64, bool) {
	fail := func(err error) (int64, bool) {
		yield(Record{}, err)
		return end, false
	}
	lines, err := v.lines(n, int(end-n*tileWidth))
	if err != nil {
		return fail(err)
	}
	var p *pack
	for ; i < end; i++ {
		line := lines[i-n*tileWidth]
		if !want(line) {
			continue
		}
		e, err := parseEntry(line)
		if err == nil && e.Index != i {
			err = fmt.Errorf("entry %d stands at %d", e.Index, i)
		}
		if err != nil {
			return fail(&TamperError{tilePath(bundleTile(n, tileWidth)), err.Error()})
		}
		r := Record{Entry: e}
		if payloads {
			if p == nil {
				opened, err := openPack(v.s.dir, n, end)
				if err != nil {
					return fail(err)
				}
				defer opened.close()
				p = &opened
			}
			blob, err := p.blob(e)
			if err != nil {
				return fail(&TamperError{packPath(n), err.Error()})
			}
			if blob != nil {
				r.Data = blob[nonceLen:]
			}
		}
		if !yield(r, nil) {
			return end, false
		}
	}
	return end, true
}

// record returns one record.
func (v View) record(index int64) (Record, error) {
	if index < 0 || index >= v.Size() {
		return Record{}, fmt.Errorf("entry %d: the log has %d", index, v.Size())
	}
	mark := fmt.Appendf(nil, `{"v":1,"index":%d,`, index)
	for r, err := range v.records(index, true, func(line []byte) bool { return bytes.HasPrefix(line, mark) }) {
		return r, err
	}
	return Record{}, &TamperError{fmt.Sprintf("entry %d", index), "is not where it belongs"}
}

// lines returns the first w entries of bundle n, below base, proven to be in the
// tree.
func (v View) lines(n int64, w int) ([][]byte, error) {
	if n == v.s.base.Size/tileWidth {
		return v.s.tail[:w], nil
	}
	if v.tiles.bundle == n && v.tiles.lines != nil {
		return v.tiles.lines, nil
	}
	name := tilePath(bundleTile(n, tileWidth))
	lines, err := readBundle(v.s.dir, n, tileWidth)
	if err != nil {
		return nil, &TamperError{name, err.Error()}
	}
	leaves := make([]tlog.Hash, len(lines))
	for i, line := range lines {
		leaves[i] = tlog.RecordHash(line)
	}
	want, err := v.tiles.hashes().ReadHashes([]int64{tlog.StoredHashIndex(tileHeight, n)})
	if err != nil {
		return nil, &TamperError{name, err.Error()}
	}
	if perfect(leaves) != want[0] {
		return nil, &TamperError{name, "its entries are not those in the tree"}
	}
	v.tiles.bundle, v.tiles.lines = n, lines
	return lines, nil
}
