package events

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"
)

// Recorder writes acts into a region. Until go is said it writes nothing: what
// comes before is the harness's. Its methods may be called at any time and from
// any goroutine; those of a nil Recorder do nothing.
type Recorder struct {
	region []byte
	now    func() time.Time

	mu    sync.Mutex
	seen  map[act]int // offset of the entry's count
	spent [kinds]int

	execSpared, forkSpared atomic.Bool
}

// act is what makes acts equal.
type act struct {
	kind         Kind
	refused      bool
	what, detail string
}

// NewRecorder returns a recorder for a region of [Size] bytes that are zero but
// for the host's words.
func NewRecorder(region []byte) *Recorder {
	r := &Recorder{region: region[:Size], now: time.Now, seen: map[act]int{}}
	word(region, wordMagic).Store(magic)
	return r
}

// On reports whether go was said.
func (r *Recorder) On() bool { return r != nil && word(r.region, wordGo).Load() != 0 }

// Aborts reports whether acts of a kind end the run.
func (r *Recorder) Aborts(k Kind) bool {
	return r.On() && Set(word(r.region, wordAborts).Load()).Has(k)
}

// Spare reports, once for [Exec] and once for [Fork], that an act is the
// harness's: it is the first after go, and the harness starts the interpreter.
func (r *Recorder) Spare(k Kind) bool {
	if !r.On() || word(r.region, wordSpared).Load() != 1 {
		return false
	}
	switch k {
	case Exec:
		return r.execSpared.CompareAndSwap(false, true)
	case Fork:
		return r.forkSpared.CompareAndSwap(false, true)
	default:
		return false
	}
}

// End notes that an act of this kind ends the run. The first one counts.
func (r *Recorder) End(k Kind) {
	if r.On() {
		word(r.region, wordEnded).CompareAndSwap(0, uint64(k)+1)
	}
}

// Started counts a process that was started.
func (r *Recorder) Started() { r.add(wordStarted, 1) }

// Wrote counts bytes that were written to a file.
func (r *Recorder) Wrote(n uint64) { r.add(wordWritten, n) }

func (r *Recorder) add(i int, n uint64) {
	if r.On() {
		word(r.region, i).Add(n)
	}
}

// Count counts an act of a kind that is not listed, such as reading what the
// program itself has made.
func (r *Recorder) Count(k Kind) { r.add(wordCounts+int(k), 1) }

// Record notes one act. Refused says that it was tried and did not happen.
func (r *Recorder) Record(k Kind, what, detail string, refused bool) {
	if !r.On() || k >= kinds {
		return
	}
	word(r.region, wordCounts+int(k)).Add(1)
	a := act{kind: k, refused: refused, what: what[:min(len(what), MaxWhat+1)], detail: detail[:min(len(detail), MaxDetail+1)]}
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.seen[a]; ok {
		word(r.region[at:], 0).Add(1)
		return
	}
	if at, ok := r.append(a); ok {
		r.seen[a] = at
		return
	}
	word(r.region, wordDropped+int(k)).Add(1)
}

// append writes a new entry, if there is room.
func (r *Recorder) append(a act) (int, bool) {
	flags := byte(0)
	if a.refused {
		flags |= flagRefused
	}
	what, detail := a.what, a.detail
	if len(what) > MaxWhat {
		what, flags = what[:MaxWhat], flags|flagCutWhat
	}
	if len(detail) > MaxDetail {
		detail, flags = detail[:MaxDetail], flags|flagCutDetail
	}
	size := (entryHead + len(what) + len(detail) + 7) &^ 7
	used := int(word(r.region, wordUsed).Load())
	if r.spent[a.kind]+size > budgets[a.kind] || used+size > logSize {
		return 0, false
	}
	at := headSize + used
	e := r.region[at : at+size]
	binary.NativeEndian.PutUint64(e[entryCount:], 1)
	binary.NativeEndian.PutUint64(e[entryMillis:], uint64(max(r.now().UnixNano()-int64(word(r.region, wordGo).Load()), 0)/int64(time.Millisecond)))
	binary.NativeEndian.PutUint32(e[entrySize:], uint32(size))
	e[entryKind], e[entryFlags] = byte(a.kind), flags
	binary.NativeEndian.PutUint16(e[entryWhat:], uint16(len(what)))
	binary.NativeEndian.PutUint16(e[entryDetail:], uint16(len(detail)))
	copy(e[entryHead:], what)
	copy(e[entryHead+len(what):], detail)
	r.spent[a.kind] += size
	word(r.region, wordUsed).Store(uint64(used + size)) // only now is it there
	return at, true
}
