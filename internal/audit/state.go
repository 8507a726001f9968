package audit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"palisade"
)

// Names of the files in a log's folder, beside tile/ and payload/.
const (
	fileLock       = "lock"
	fileHead       = "head"
	fileCheckpoint = "checkpoint"
	fileJournal    = "journal"
)

// TamperError says that the log is not what was written.
type TamperError struct {
	Where string // a file, or an entry
	What  string
}

func (e *TamperError) Error() string {
	return fmt.Sprintf("audit log tampered: %s: %s", e.Where, e.What)
}

// pending is an entry that is in the journal only.
type pending struct {
	entry Entry
	line  []byte
	blob  []byte
}

// tear is the torn end of a journal.
type tear struct {
	Offset int64           `json:"offset"` // in the journal, bytes
	Bytes  int64           `json:"bytes"`
	SHA256 palisade.Digest `json:"sha256"` // of the bytes that were cut off
}

// mark is a signed head that the log must agree with.
type mark struct {
	where string
	head  Head
}

// state is a log as far as it was read: what was flushed up to base, and what
// the journal adds.
type state struct {
	dir *os.Root
	key note.Verifier

	base    Head     // what tile/ and payload/ hold
	tiles   tiler    // at base
	tail    [][]byte // entries of base's partial bundle
	header  []byte   // the journal's header frame; empty: none
	end     int64    // bytes of the journal that were read
	added   []pending
	edge    compact // at the end of added
	head    Head    // at the end of added
	durable int64   // entries known to be on stable storage
	marks   []mark  // the signed heads in the folder
}

// size is the number of entries.
func (s *state) size() int64 { return s.edge.n }

// readState reads a log's folder: its right edge and its journal. A torn end is
// returned beside the state; a log that is not what was signed is a
// *TamperError. With strict set every signature in the journal is checked, else
// the last, which covers them all.
func readState(dir *os.Root, key note.Verifier, strict bool) (*state, *tear, error) {
	// The checkpoint comes first: the journal read after it reaches at least as
	// far, whoever writes meanwhile.
	s := &state{dir: dir, key: key}
	checkpoint, err := s.readHead(fileCheckpoint)
	if err != nil {
		return nil, nil, err
	}
	newest, err := s.readHead(fileHead)
	if err != nil {
		return nil, nil, err
	}
	journal, err := readFile(dir, fileJournal, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &TamperError{fileJournal, "missing"}
	}
	if err != nil {
		return nil, nil, err
	}
	rest, torn, err := s.readHeader(journal, checkpoint)
	if err != nil {
		return nil, nil, err
	}
	if err := s.readEdge(); err != nil {
		return nil, nil, err
	}
	s.marks = append(s.marks, mark{fileCheckpoint, checkpoint}, mark{fileHead, newest})
	s.durable = max(s.base.Size, checkpoint.Size, newest.Size)
	if torn == nil {
		if torn, err = s.apply(rest, strict); err != nil {
			return nil, nil, err
		}
	}
	for _, m := range s.marks {
		if err := s.agrees(m); err != nil {
			return nil, nil, err
		}
	}
	return s, torn, nil
}

// agrees reports an error unless the log, as it was at the size of a signed
// head, had that head's root.
func (s *state) agrees(m mark) error {
	if m.head.Size > s.size() {
		return &TamperError{m.where, fmt.Sprintf("signs %d entries, %d are there", m.head.Size, s.size())}
	}
	root, err := s.rootAt(m.head.Size)
	if err != nil {
		return err
	}
	if root != m.head.Root {
		return &TamperError{m.where, fmt.Sprintf("signs another history of the first %d entries", m.head.Size)}
	}
	return nil
}

func (s *state) readHead(name string) (Head, error) {
	data, err := readFile(s.dir, name, maxHead)
	if err == nil && name == fileHead {
		data, err = unpadHead(data)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Head{}, &TamperError{name, "missing"}
	}
	if errors.Is(err, fs.ErrPermission) {
		return Head{}, err
	}
	if err != nil {
		return Head{}, &TamperError{name, err.Error()}
	}
	h, err := openHead(data, s.key)
	if err != nil {
		return Head{}, &TamperError{name, err.Error()}
	}
	return h, nil
}

// readHeader finds what the journal is based on and returns its batches. A
// journal without a whole header was cut off while it was started anew, right
// after a flush: then the checkpoint is its base.
func (s *state) readHeader(journal []byte, checkpoint Head) (batches []byte, torn *tear, err error) {
	kind, body, rest, err := cutFrame(journal)
	if err != nil {
		if len(journal) >= frameOverhead+len(checkpoint.Note) {
			return nil, nil, &TamperError{fileJournal, "its header is damaged"}
		}
		s.base = checkpoint
		return nil, tornAt(journal, 0), nil
	}
	if kind != typeHeader {
		return nil, nil, &TamperError{fileJournal, "does not start with a header"}
	}
	if s.base, err = openHead(body, s.key); err != nil {
		return nil, nil, &TamperError{fileJournal, "header: " + err.Error()}
	}
	if s.base.Size > checkpoint.Size || s.base.Size == checkpoint.Size && !s.base.same(checkpoint) {
		return nil, nil, &TamperError{fileJournal, "its header and the checkpoint disagree"}
	}
	s.end = int64(len(journal) - len(rest))
	s.header = bytes.Clone(journal[:s.end])
	return rest, nil, nil
}

// readEdge reads the partial tiles and the partial bundle at base and holds
// them to its root.
func (s *state) readEdge() error {
	s.tiles = tiler{n: s.base.Size}
	for _, t := range partials(s.base.Size) {
		hashes, err := readHashTile(s.dir, t)
		if err != nil {
			return &TamperError{tilePath(t), err.Error()}
		}
		for len(s.tiles.levels) <= t.L {
			s.tiles.levels = append(s.tiles.levels, nil)
		}
		s.tiles.levels[t.L] = hashes
	}
	s.edge = s.tiles.compact()
	if s.edge.root() != s.base.Root {
		return &TamperError{"tile", fmt.Sprintf("the tiles do not give the root that is signed for %d entries", s.base.Size)}
	}
	s.head = s.base
	w := int(s.base.Size % tileWidth)
	if w == 0 {
		return nil
	}
	n := s.base.Size / tileWidth
	entries, err := readBundle(s.dir, n, w)
	if err != nil {
		return &TamperError{tilePath(bundleTile(n, w)), err.Error()}
	}
	for i, line := range entries {
		if tlog.RecordHash(line) != s.tiles.levels[0][i] {
			return &TamperError{tilePath(bundleTile(n, w)), fmt.Sprintf("entry %d is not the one in the tree", n*tileWidth+int64(i))}
		}
	}
	s.tail = entries
	return nil
}

// apply reads batches that follow what was read before.
func (s *state) apply(data []byte, strict bool) (*tear, error) {
	before := s.size()
	var torn *tear
	for len(data) > 0 {
		kind, body, rest, err := cutFrame(data)
		if err != nil {
			if torn, err = s.torn(data); err != nil {
				return nil, err
			}
			break
		}
		if kind != typeBatch {
			return nil, s.broken("a frame of unknown type")
		}
		b, err := parseBatch(body)
		if err != nil {
			return nil, s.broken(err.Error())
		}
		if err := s.applyBatch(b); err != nil {
			return nil, err
		}
		if strict {
			if err := s.checkHead(); err != nil {
				return nil, err
			}
		}
		s.end += int64(len(data) - len(rest))
		data = rest
	}
	if s.size() > before && !strict {
		return torn, s.checkHead()
	}
	return torn, nil
}

// applyBatch adds a batch whose signature is still to be checked.
func (s *state) applyBatch(b batch) error {
	if b.first != s.size() {
		return s.broken(fmt.Sprintf("a batch starts at entry %d", b.first))
	}
	for i, line := range b.entries {
		e, err := parseEntry(line)
		if err != nil {
			return s.broken(err.Error())
		}
		if e.Index != b.first+int64(i) {
			return s.broken(fmt.Sprintf("entry %d stands at %d", e.Index, b.first+int64(i)))
		}
		if err := e.holds(b.blobs[i]); err != nil {
			return s.broken(err.Error())
		}
		s.edge.add(tlog.RecordHash(line))
		s.added = append(s.added, pending{e, line, b.blobs[i]})
	}
	s.head = Head{Origin: s.base.Origin, Size: s.size(), Note: b.head} // root: see checkHead
	return nil
}

// checkHead checks the signature of the newest batch, which covers all before.
func (s *state) checkHead() error {
	s.head.Root = s.edge.root()
	signed, err := openHead(s.head.Note, s.key)
	if err != nil {
		return s.broken(err.Error())
	}
	if !signed.same(s.head) {
		return s.broken("a signed head does not match the entries before it")
	}
	return nil
}

// torn judges an end that is not a whole frame. A crash leaves one behind what
// was on stable storage; anything else is tampering.
func (s *state) torn(data []byte) (*tear, error) {
	rest := data
	// The work on a hostile journal is bounded; who exceeds it did not crash.
	for budget := 4 * maxJournal; ; {
		i := bytes.Index(rest[min(1, len(rest)):], []byte(frameMagic))
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		if budget -= frameCost(rest); budget < 0 {
			return nil, s.broken("its end is damaged beyond what a crash does")
		}
		if _, body, _, err := cutFrame(rest); err == nil {
			if b, err := parseBatch(body); err == nil && b.synced > s.size() {
				return nil, s.broken("a batch is damaged that was on stable storage")
			}
		}
	}
	return tornAt(data, s.end), nil
}

func tornAt(data []byte, offset int64) *tear {
	if len(data) == 0 {
		return nil
	}
	return &tear{offset, int64(len(data)), sha256.Sum256(data)}
}

func (s *state) broken(what string) error {
	return &TamperError{fmt.Sprintf("%s, after entry %d", fileJournal, s.size()-1), what}
}
