package audit

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"palisade/internal/audit/mirror"
)

// readHeads sorts the mirrored heads: ours, those of this name under another
// key, and those of other logs.
func (v *verifier) readHeads() {
	name := nameOf(v.key.Name())
	others := 0
	seen := map[string]bool{}
	for _, c := range v.o.Heads {
		if c.Damaged != "" {
			if c.Torn {
				v.r.note("mirror %s: a copy was torn, as a crash leaves it", c.Where)
			} else {
				v.r.problem("mirror "+c.Where, "%s", c.Damaged)
			}
			continue
		}
		if seen[string(c.Note)] {
			continue
		}
		seen[string(c.Note)] = true
		h, err := openHead(c.Note, v.key)
		m := mark{"mirror " + c.Where, h}
		switch {
		case err == nil:
			v.heads = append(v.heads, m)
		case errors.Is(err, errNotOurs) && h.Origin != v.key.Name() && nameOf(h.Origin) != name:
			others++
		case errors.Is(err, errNotOurs):
			v.addStranger(m)
		default:
			v.r.problem(m.where, "%v", err)
		}
	}
	slices.SortStableFunc(v.heads, func(a, b mark) int { return cmp.Compare(a.head.Size, b.head.Size) })
	if others > 0 {
		v.r.note("%d mirrored heads are of other logs", others)
	}
	if v.dir == nil {
		for _, m := range v.strangers {
			v.r.problem(m.where, "is a head of %s, which this key did not sign", m.head.Origin)
		}
	}
}

// addStranger keeps, of each other log of this name, the head of most entries:
// one of them tells what all of them do.
func (v *verifier) addStranger(m mark) {
	for i, have := range v.strangers {
		if have.head.Origin == m.head.Origin {
			if m.head.Size > have.head.Size {
				v.strangers[i] = m
			}
			return
		}
	}
	v.strangers = append(v.strangers, m)
}

// Named chooses, of mirrored heads, those that are said to be of a log of a
// name; empty: the default one. They are not verified.
func Named(copies []mirror.Copy, name string) []mirror.Copy {
	var named []mirror.Copy
	for _, c := range copies {
		h, err := openHead(c.Note, strangers{})
		if errors.Is(err, errNotOurs) && nameOf(h.Origin) == cmp.Or(name, defaultName) {
			named = append(named, c)
		}
	}
	return named
}

// tooFar reports the mirrored heads that sign more entries than there are.
func (v *verifier) tooFar(size int64) {
	for i, m := range v.heads {
		if m.head.Size > size {
			v.r.problem(m.where, "signs %d entries, %d are there: the tail was cut, or an older copy was put back", m.head.Size, size)
			v.heads = v.heads[:i]
			return
		}
	}
}

// matchHeads compares the mirrored heads of the size that was reached.
func (v *verifier) matchHeads() {
	for len(v.heads) > 0 && v.heads[0].head.Size == v.edge.n {
		if m := v.heads[0]; m.head.Root == v.edge.root() {
			v.r.Heads++
			v.r.AnchoredTo = m.head.Size
		} else {
			v.r.problem(m.where, "signs another history of the first %d entries", m.head.Size)
		}
		v.heads = v.heads[1:]
	}
}

// stranger judges a head of a log of this name that another key signed: a log
// that this one names as its predecessor, or a sign that this log is not the one
// that was mirrored.
func (v *verifier) stranger(m mark) {
	for _, p := range v.opened.Follows {
		if p.Origin != m.head.Origin {
			continue
		}
		if m.head.Size > p.Size {
			v.r.problem(m.where, "signs %d entries of the earlier log %s, which is said to have ended at %d", m.head.Size, p.Origin, p.Size)
		}
		return
	}
	v.r.problem(m.where, "is a head of %s: this log is not the one that was mirrored, and does not name it as an earlier one", m.head.Origin)
}

// strays notes files that are no part of the log. They change nothing in it.
func (v *verifier) strays() {
	strays, first := 0, ""
	// A folder that cannot be listed has been read already, or is not needed.
	_ = fs.WalkDir(v.dir.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if !v.expects(path) {
			if strays++; first == "" {
				first = path
			}
		}
		return nil
	})
	if strays > 0 {
		v.r.note("%d files are no part of the log; the first is %q", strays, first)
	}
}

func (v *verifier) expects(path string) bool {
	switch path {
	case fileLock, fileHead, fileCheckpoint, fileJournal:
		return true
	}
	form := "tile/8/" + strings.TrimPrefix(path, "tile/")
	if rest, ok := strings.CutPrefix(path, "tile/entries/"); ok {
		form = "tile/8/data/" + rest
	} else if rest, ok := strings.CutPrefix(path, "payload/"); ok {
		form = "tile/8/data/" + rest
	}
	t, err := tlog.ParseTilePath(form)
	if err != nil {
		return false
	}
	total := v.s.base.Size >> (tileHeight * max(t.L, 0))
	if strings.HasPrefix(path, "payload/") {
		return t.W == tileWidth && t.N*tileWidth < total
	}
	return t.W == int(min(tileWidth, total-t.N*tileWidth))
}
