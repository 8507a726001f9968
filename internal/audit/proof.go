package audit

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// tileReader gives tlog the tiles of a state: full ones below base from the
// folder, those that the journal changes from memory.
type tileReader struct {
	s    *state
	size int64                     // of the tree that mem and edge are of; -1: not made
	mem  map[tlog.Tile][]tlog.Hash // full tiles that the journal completes
	edge tiler                     // at the end of the journal
	seen map[tlog.Tile][]byte      // full tiles that were proven before

	bundle int64    // the bundle that was proven last
	lines  [][]byte // and its entries
}

func (s *state) tileReader() *tileReader {
	return &tileReader{s: s, size: -1, mem: map[tlog.Tile][]tlog.Hash{}, seen: map[tlog.Tile][]byte{}}
}

// extend makes the tiles that the journal changes. It waits until one is asked
// for, since following the log's end needs none.
func (r *tileReader) extend() {
	if r.size == r.s.size() {
		return
	}
	r.size, r.edge = r.s.size(), r.s.tiles.clone()
	for _, p := range r.s.added {
		// The callback only fills a map.
		_ = r.edge.add(tlog.RecordHash(p.line), func(level int, n int64, hashes []tlog.Hash) error {
			r.mem[tlog.Tile{H: tileHeight, L: level, N: n, W: tileWidth}] = hashes
			return nil
		})
	}
}

// hashes returns a reader of the tree's hashes, each proven against its root.
func (r *tileReader) hashes() tlog.HashReader {
	return tlog.TileHashReader(tlog.Tree{N: r.s.size(), Hash: r.s.head.Root}, r)
}

// Height is part of tlog.TileReader.
func (r *tileReader) Height() int { return tileHeight }

// SaveTiles is part of tlog.TileReader.
func (r *tileReader) SaveTiles(tiles []tlog.Tile, data [][]byte) {
	const most = 1 << 10 // 8 MiB
	for i, t := range tiles {
		if t.W == tileWidth && len(r.seen) < most {
			r.seen[t] = data[i]
		}
	}
}

// ReadTiles is part of tlog.TileReader.
func (r *tileReader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, t := range tiles {
		if data[i] = r.seen[t]; data[i] != nil {
			continue
		}
		hashes, err := r.read(t)
		if err != nil {
			return nil, err
		}
		data[i] = encodeHashes(hashes)
	}
	return data, nil
}

func (r *tileReader) read(t tlog.Tile) ([]tlog.Hash, error) {
	r.extend()
	full := t
	full.W = tileWidth
	if hashes, ok := r.mem[full]; ok {
		return hashes[:t.W], nil
	}
	if t.L < len(r.edge.levels) && r.edge.n>>(tileHeight*(t.L+1)) == t.N {
		if hashes := r.edge.levels[t.L]; len(hashes) >= t.W {
			return hashes[:t.W], nil
		}
		return nil, fmt.Errorf("tile %s is beyond the log", tilePath(t))
	}
	return readHashTile(r.s.dir, t)
}

// rootAt returns the root of the first n entries, n at most size.
func (s *state) rootAt(n int64) (tlog.Hash, error) {
	switch {
	case n == s.size():
		return s.head.Root, nil
	case n == s.base.Size:
		return s.base.Root, nil
	case n > s.base.Size:
		edge := s.tiles.compact()
		for _, p := range s.added[:n-s.base.Size] {
			edge.add(tlog.RecordHash(p.line))
		}
		return edge.root(), nil
	}
	root, err := tlog.TreeHash(n, s.tileReader().hashes())
	if err != nil {
		return tlog.Hash{}, &TamperError{"tile", err.Error()}
	}
	return root, nil
}
