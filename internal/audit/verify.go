package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"palisade"
	"palisade/internal/audit/mirror"
)

// VerifyOptions say what a log is held to beside its public key.
type VerifyOptions struct {
	// Heads are mirrored heads, as mirror.Read gives them. Heads of logs with
	// other names are passed over.
	Heads []mirror.Copy
	// PayloadsWithheld accepts that payloads are not there, for a copy of the
	// log that was made without them.
	PayloadsWithheld bool
}

// Verify recomputes a log from its files and holds it to its public key and to
// the mirrored heads. It needs no private key and no network, and reads nothing
// outside dir. What it finds is in the report; an error means that it could not
// look.
func Verify(ctx context.Context, dir, publicKey string, o VerifyOptions) (Report, error) {
	key, err := parsePublic(publicKey)
	if err != nil {
		return Report{}, fmt.Errorf("audit key: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		v := newVerifier(nil, key, o)
		v.r.problem(dir, "there is no log")
		v.readHeads()
		v.tooFar(0)
		return v.conclude(), nil
	}
	if err != nil {
		return Report{}, fmt.Errorf("verify audit log: %w", err)
	}
	defer root.Close()
	for try := 0; ; try++ {
		v := newVerifier(root, key, o)
		if err := v.run(ctx); err != nil {
			return Report{}, fmt.Errorf("verify audit log: %w", err)
		}
		r := v.conclude()
		if r.Verdict != Tampered || try == liveTries || !settle(root, try) {
			return r, nil
		}
	}
}

// verifier is one pass over a log.
type verifier struct {
	dir  *os.Root
	key  note.Verifier
	o    VerifyOptions
	r    Report
	s    *state
	tree tiler
	edge compact

	heads     []mark // mirrored heads of this log, smallest first
	strangers []mark // mirrored heads of this name under another key
	bad       bool   // entries do not follow; counts are partial

	runs      map[string]bool // whether each has an end
	opened    Opened
	missing   []Entry
	forgotten []Forgotten
}

func newVerifier(dir *os.Root, key note.Verifier, o VerifyOptions) *verifier {
	return &verifier{dir: dir, key: key, o: o, runs: map[string]bool{}, r: Report{Origin: key.Name()}}
}

func (v *verifier) run(ctx context.Context) error {
	v.readHeads()
	s, torn, err := readState(v.dir, v.key, true)
	if tampered := (*TamperError)(nil); errors.As(err, &tampered) {
		v.r.problem(tampered.Where, "%s", tampered.What)
		return nil
	}
	if err != nil {
		return err
	}
	v.s = s
	if torn != nil {
		v.r.TornBytes = torn.Bytes
	}
	v.tooFar(s.size())
	v.matchHeads()
	for n := int64(0); n*tileWidth < s.base.Size && !v.bad; n++ {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		v.bundle(n)
	}
	if v.bad {
		return nil
	}
	v.journal()
	v.finish()
	return nil
}

// bundle checks one bundle, its tiles and its payloads.
func (v *verifier) bundle(n int64) {
	w := int(min(tileWidth, v.s.base.Size-n*tileWidth))
	name := tilePath(bundleTile(n, w))
	lines, err := readBundle(v.dir, n, w)
	if err != nil {
		v.stop(name, "%v", err)
		return
	}
	tile := tlog.Tile{H: tileHeight, L: 0, N: n, W: w}
	leaves, err := readHashTile(v.dir, tile)
	if err != nil {
		v.stop(tilePath(tile), "%v", err)
		return
	}
	p, err := openPack(v.dir, n, n*tileWidth+int64(w))
	if err != nil {
		v.r.problem(packPath(n), "%v", err)
	}
	defer p.close()
	switch extra := p.size - p.end; {
	case p.odd || extra > 0 && w == tileWidth:
		v.r.problem(packPath(n), "holds %d bytes that are no payload of an entry", extra)
	case extra > 0:
		// For entries to come, so that nothing depends on them.
		v.r.note("%s: %d bytes of a flush under way, or cut off", packPath(n), extra)
	}
	for i, line := range lines {
		leaf := tlog.RecordHash(line)
		if leaf != leaves[i] {
			v.stop(name, "entry %d is not the one in %s", n*tileWidth+int64(i), tilePath(tile))
			return
		}
		e, err := parseEntry(line)
		if err == nil && e.Index != v.edge.n {
			err = fmt.Errorf("entry %d stands at %d", e.Index, v.edge.n)
		}
		if err != nil {
			v.stop(name, "%v", err)
			return
		}
		blob, err := p.blob(e)
		if err != nil {
			v.r.problem(packPath(n), "%v", err)
		}
		v.entry(e, leaf, blob, err == nil)
	}
}

// journal checks the entries that are not in tiles yet; readState has checked
// the journal itself.
func (v *verifier) journal() {
	if root := v.edge.root(); v.edge.n != v.s.base.Size || root != v.s.base.Root {
		v.stop(fileCheckpoint, "the entries do not give the root that is signed for %d of them", v.s.base.Size)
		return
	}
	v.partials()
	for _, p := range v.s.added {
		v.entry(p.entry, tlog.RecordHash(p.line), p.blob, true)
	}
	v.r.Journal = int64(len(v.s.added))
}

// partials compares the partial tiles with the entries.
func (v *verifier) partials() {
	for _, t := range partials(v.s.base.Size) {
		if !slices.Equal(v.s.tiles.levels[t.L], v.tree.levels[t.L]) {
			v.r.problem(tilePath(t), "is not the tile of these entries")
		}
	}
}

// entry takes one entry into account.
func (v *verifier) entry(e Entry, leaf tlog.Hash, blob []byte, ok bool) {
	if v.edge.n < v.s.base.Size {
		// An error is a problem already noted.
		_ = v.tree.add(leaf, v.fullTile)
	}
	v.edge.add(leaf)
	v.matchHeads()
	switch {
	case blob == nil && ok:
		v.missing = append(v.missing, e)
	case ok:
		v.r.Payloads++
	}
	if e.Run != "" {
		v.runs[e.Run] = v.runs[e.Run] || ends(e.Kind)
	}
	v.own(e, blob, ok)
}

func ends(k palisade.EventKind) bool {
	return k == palisade.EventOutcome || k == palisade.EventRejected || k == palisade.EventFailed
}

// own reads the log's own entries.
func (v *verifier) own(e Entry, blob []byte, ok bool) {
	if e.Index == 0 && e.Kind != KindOpened {
		v.r.problem("entry 0", "is of kind %s, not %s", e.Kind, KindOpened)
	}
	var rec Record
	if ok && blob != nil {
		rec = Record{e, blob[nonceLen:]}
	}
	var err error
	switch e.Kind {
	case KindOpened:
		if e.Index > 0 {
			v.r.problem(fmt.Sprintf("entry %d", e.Index), "a log is opened once")
		} else if err = rec.Decode(&v.opened); err == nil {
			v.r.Follows = len(v.opened.Follows)
		}
	case KindForgotten:
		var f Forgotten
		if err = rec.Decode(&f); err == nil {
			f.at = e.Index
			v.forgotten = append(v.forgotten, f)
		}
	case palisade.EventRecovered:
		v.r.Recovered++
	}
	if err != nil && !errors.Is(err, ErrForgotten) {
		v.r.problem(fmt.Sprintf("entry %d", e.Index), "%v", err)
	}
}

// fullTile compares a tile with the entries. Level 0 was compared entry by entry.
func (v *verifier) fullTile(level int, n int64, hashes []tlog.Hash) error {
	t := tlog.Tile{H: tileHeight, L: level, N: n, W: tileWidth}
	if level == 0 {
		return nil
	}
	switch got, err := readHashTile(v.dir, t); {
	case err != nil:
		v.r.problem(tilePath(t), "%v", err)
	case !slices.Equal(got, hashes):
		v.r.problem(tilePath(t), "is not the tile of these entries")
	}
	return nil
}

func (v *verifier) stop(where, format string, args ...any) {
	v.bad = true
	v.r.problem(where, format, args...)
}

// finish accounts for what is missing and what is too much.
func (v *verifier) finish() {
	var lost []Entry
	for _, e := range v.missing {
		switch {
		case slices.ContainsFunc(v.forgotten, func(f Forgotten) bool { return f.covers(e) }):
			v.r.Forgotten++
		case v.o.PayloadsWithheld:
			v.r.Withheld++
		default:
			lost = append(lost, e)
		}
	}
	if len(lost) > 0 {
		v.r.problem("payload", "%d payloads are missing and no record says that they were forgotten; the first is that of entry %d (%s, run %q)",
			len(lost), lost[0].Index, lost[0].Kind, lost[0].Run)
	}
	for _, m := range v.strangers {
		v.stranger(m)
	}
	v.r.Entries, v.r.Root = v.s.size(), v.s.head.Root.String()
	v.strays()
}

// conclude sums up.
func (v *verifier) conclude() Report {
	v.r.Runs = len(v.runs)
	for _, done := range v.runs {
		if !done {
			v.r.Incomplete++
		}
	}
	switch {
	case len(v.r.Problems) > 0 || v.s == nil:
		v.r.Verdict = Tampered
	case v.r.Heads == 0:
		v.r.Verdict = Unanchored
	default:
		v.r.Verdict = Intact
	}
	return v.r
}

// Forgotten is the payload of an entry of kind KindForgotten: which payloads
// were deleted.
type Forgotten struct {
	Selection
	Through int64 `json:"through"` // entries below this index
	Count   int   `json:"count"`   // payloads that were there

	at int64
}

func (f Forgotten) covers(e Entry) bool {
	return e.Index < f.Through && f.Through <= f.at && f.chooses(e)
}

// Selection chooses payloads to forget; all conditions that are set must hold,
// and one of Before and Run must be set.
type Selection struct {
	Before time.Time `json:"before,omitzero"` // of entries older than this
	Run    string    `json:"run,omitempty"`   // of this run only
	Reason string    `json:"reason"`
}

// chooses reports whether an entry's payload is to go. The log's own entries,
// without which it could not be verified, stay; so do those that say who may
// come in and what must not run twice.
func (s Selection) chooses(e Entry) bool {
	switch e.Kind {
	case KindOpened, KindForgotten, palisade.EventRecovered:
		return false
	}
	if isStanding(e.Kind) {
		return false
	}
	return (s.Run == "" || s.Run == e.Run) && (s.Before.IsZero() || e.Time.Before(s.Before))
}
