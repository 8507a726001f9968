package audit

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Tiles have the height that C2SP tlog-tiles fixes.
const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
)

// compact is the right edge of a tree: the roots of its largest full subtrees,
// left to right. It is enough to add leaves and to know the root.
type compact struct {
	n     int64
	roots []tlog.Hash
}

func (c *compact) add(leaf tlog.Hash) {
	for i := c.n; i&1 == 1; i >>= 1 {
		last := len(c.roots) - 1
		leaf = tlog.NodeHash(c.roots[last], leaf)
		c.roots = c.roots[:last]
	}
	c.roots = append(c.roots, leaf)
	c.n++
}

func (c *compact) root() tlog.Hash {
	if c.n == 0 {
		h, _ := tlog.TreeHash(0, nil) // reads nothing
		return h
	}
	h := c.roots[len(c.roots)-1]
	for i := len(c.roots) - 2; i >= 0; i-- {
		h = tlog.NodeHash(c.roots[i], h)
	}
	return h
}

func (c *compact) clone() compact { return compact{c.n, slices.Clone(c.roots)} }

// tiler holds the hashes of a tree's partial tiles, one slice a level, and hands
// out tiles as they fill.
type tiler struct {
	n      int64
	levels [][]tlog.Hash
}

func (t *tiler) clone() tiler {
	c := tiler{t.n, make([][]tlog.Hash, len(t.levels))}
	for i, level := range t.levels {
		c.levels[i] = slices.Clone(level)
	}
	return c
}

// add adds a leaf; full is called with each tile that this fills.
func (t *tiler) add(leaf tlog.Hash, full func(level int, n int64, hashes []tlog.Hash) error) error {
	n := t.n
	t.n++
	for level := 0; ; level++ {
		if level == len(t.levels) {
			t.levels = append(t.levels, nil)
		}
		t.levels[level] = append(t.levels[level], leaf)
		if len(t.levels[level]) < tileWidth {
			return nil
		}
		n >>= tileHeight
		if err := full(level, n, t.levels[level]); err != nil {
			return err
		}
		leaf = perfect(t.levels[level])
		t.levels[level] = nil
	}
}

// compact returns the edge of the same tree.
func (t *tiler) compact() compact {
	c := compact{n: t.n}
	for level := len(t.levels) - 1; level >= 0; level-- {
		hashes := t.levels[level]
		for len(hashes) > 0 {
			k := 1 << (bits.Len(uint(len(hashes))) - 1)
			c.roots = append(c.roots, perfect(hashes[:k]))
			hashes = hashes[k:]
		}
	}
	return c
}

// perfect returns the root over a power of two of hashes.
func perfect(hashes []tlog.Hash) tlog.Hash {
	hashes = slices.Clone(hashes)
	for len(hashes) > 1 {
		for i := range len(hashes) / 2 {
			hashes[i] = tlog.NodeHash(hashes[2*i], hashes[2*i+1])
		}
		hashes = hashes[:len(hashes)/2]
	}
	return hashes[0]
}

// partials lists the partial tiles of a tree of n leaves.
func partials(n int64) []tlog.Tile {
	var tiles []tlog.Tile
	for level := 0; n > 0; level++ {
		if w := int(n % tileWidth); w > 0 {
			tiles = append(tiles, tlog.Tile{H: tileHeight, L: level, N: n / tileWidth, W: w})
		}
		n >>= tileHeight
	}
	return tiles
}

// tilePath is the C2SP path of a tile; level -1 is an entry bundle.
func tilePath(t tlog.Tile) string {
	path := strings.TrimPrefix(t.Path(), fmt.Sprintf("tile/%d/", tileHeight))
	if rest, ok := strings.CutPrefix(path, "data/"); ok {
		path = "entries/" + rest
	}
	return "tile/" + path
}

// bundleTile is the entry bundle n with w entries.
func bundleTile(n int64, w int) tlog.Tile { return tlog.Tile{H: tileHeight, L: -1, N: n, W: w} }

// packPath is where the payloads of bundle n lie.
func packPath(n int64) string {
	return "payload/" + strings.TrimPrefix(tilePath(bundleTile(n, tileWidth)), "tile/entries/")
}

func encodeHashes(hashes []tlog.Hash) []byte {
	data := make([]byte, 0, len(hashes)*tlog.HashSize)
	for _, h := range hashes {
		data = append(data, h[:]...)
	}
	return data
}

func parseHashes(data []byte) []tlog.Hash {
	hashes := make([]tlog.Hash, len(data)/tlog.HashSize)
	for i := range hashes {
		copy(hashes[i][:], data[i*tlog.HashSize:])
	}
	return hashes
}
