package audit

import (
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// The tree must be that of x/mod/sumdb/tlog, at every size and in every tile.
func TestTreeEqualsTlog(t *testing.T) {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, x := range indexes {
			out[i] = stored[x]
		}
		return out, nil
	})
	var edge compact
	var tiles tiler
	checked := 0
	full := func(level int, n int64, hashes []tlog.Hash) error {
		tile := tlog.Tile{H: tileHeight, L: level, N: n, W: tileWidth}
		want, err := tlog.ReadTileData(tile, reader)
		if err != nil || string(want) != string(encodeHashes(hashes)) {
			return fmt.Errorf("tile %s differs (%w)", tilePath(tile), err)
		}
		checked++
		return nil
	}
	const most = 70_000 // three levels of tiles
	for n := int64(0); n <= most; n++ {
		if n < 600 || n%997 == 0 || n == 1<<16 || n == most {
			want, err := tlog.TreeHash(n, reader)
			if err != nil {
				t.Fatal(err)
			}
			fromTiles := tiles.compact()
			if edge.root() != want || fromTiles.root() != want {
				t.Fatalf("root at %d differs", n)
			}
			for _, p := range partials(n) {
				data, err := tlog.ReadTileData(p, reader)
				if err != nil || string(data) != string(encodeHashes(tiles.levels[p.L])) {
					t.Fatalf("partial tile %s at %d differs (%v)", tilePath(p), n, err)
				}
			}
		}
		entry := fmt.Appendf(nil, "entry %d", n)
		leaf := tlog.RecordHash(entry)
		hashes, err := tlog.StoredHashesForRecordHash(n, leaf, reader)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, hashes...)
		edge.add(leaf)
		if err := tiles.add(leaf, full); err != nil {
			t.Fatal(err)
		}
	}
	if checked != most/256+1 {
		t.Errorf("%d full tiles checked", checked)
	}
}

func TestPathsAreThoseOfC2SP(t *testing.T) {
	for want, tile := range map[string]tlog.Tile{
		"tile/0/000":                 {H: 8, L: 0, N: 0, W: 256},
		"tile/0/x001/x234/067.p/8":   {H: 8, L: 0, N: 1234067, W: 8},
		"tile/3/005":                 {H: 8, L: 3, N: 5, W: 256},
		"tile/entries/x001/234.p/17": bundleTile(1234, 17),
		"tile/entries/000":           bundleTile(0, 256),
	} {
		if got := tilePath(tile); got != want {
			t.Errorf("path %s, want %s", got, want)
		}
	}
	if got := packPath(1234); got != "payload/x001/234" {
		t.Errorf("pack path %s", got)
	}
}
