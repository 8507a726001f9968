package events

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"
	"unsafe"
)

// A region is a page of words and a log of entries behind it. Both sides are
// this program on one machine, so that words have the machine's own byte order.

const (
	headSize = 4096
	logSize  = 260 << 10
	// Size is the size of a region in bytes.
	Size = headSize + logSize

	// MaxWhat and MaxDetail bound names; longer ones are cut, and end with "…".
	MaxWhat   = 1024
	MaxDetail = 256
)

// Words of a region. The first three are the host's.
const (
	wordGo     = 0 // when go was said, in ns since 1970; 0: it was not
	wordAborts = 1 // a Set: acts that end the run
	wordSpared = 2 // 1: the harness starts the interpreter after go
	// The rest are the recorder's.
	wordMagic   = 3 // magic: there is a recorder
	wordUsed    = 4 // bytes of the log
	wordEnded   = 5 // 1 + the kind of the act that ended the run
	wordStarted = 6 // processes that were started
	wordWritten = 7 // bytes that were written to files
	wordCounts  = 16
	wordDropped = 48
)

// magic is written by a recorder.
const magic = 0x9a11e7e7

// An entry of the log: a head, what, detail, and zeros up to a multiple of 8.
const (
	entryCount  = 0 // uint64
	entryMillis = 8 // uint64
	entrySize   = 16
	entryKind   = 20
	entryFlags  = 21
	entryWhat   = 22 // length
	entryDetail = 24
	entryHead   = 32
)

const (
	flagRefused   = 1 << iota // the act did not happen
	flagCutWhat               // what was longer
	flagCutDetail             // the detail was longer
)

// budgets are how many bytes of the log each kind may take.
var budgets = [kinds]int{
	Exec: 32 << 10, Fork: 2 << 10, Open: 64 << 10, Create: 48 << 10, Write: 32 << 10, Delete: 24 << 10,
	Rename: 16 << 10, Connect: 24 << 10, Listen: 4 << 10, Syscall: 12 << 10, Library: 2 << 10,
}

// word is one of a region's words. Regions begin at a multiple of 8.
func word(region []byte, i int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&region[i*8]))
}

// Orders are what the host tells a recorder when it says go.
type Orders struct {
	// Aborts are the kinds of act that end the run.
	Aborts Set
	// Spared says that the harness itself starts one process after go, the
	// program's interpreter: it is no act of the program's.
	Spared bool
}

// Begin tells a region's recorder that go is said now. at is where the region
// begins in the file.
func Begin(file io.WriterAt, at int64, now time.Time, o Orders) error {
	var words [3]uint64
	words[wordGo], words[wordAborts] = uint64(now.UnixNano()), uint64(o.Aborts)
	if o.Spared {
		words[wordSpared] = 1
	}
	// What go means comes before go itself.
	for _, i := range []int{wordAborts, wordSpared, wordGo} {
		var b [8]byte
		binary.NativeEndian.PutUint64(b[:], words[i])
		if _, err := file.WriteAt(b[:], at+int64(i*8)); err != nil {
			return fmt.Errorf("begin the events: %w", err)
		}
	}
	return nil
}

// Look returns whether there is a recorder, and the kind of the act that ended
// the run, if one did.
func Look(file io.ReaderAt, at int64) (there bool, ended Kind, isEnded bool, err error) {
	var head [(wordEnded + 1) * 8]byte
	if _, err := file.ReadAt(head[:], at); err != nil {
		return false, 0, false, fmt.Errorf("look at the events: %w", err)
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(head[i*8:]) }
	there = word(wordMagic) == magic
	if by := word(wordEnded); by > 0 && by <= uint64(kinds) {
		return there, Kind(by - 1), true, nil
	}
	return there, 0, false, nil
}

// count makes a counter fit.
func count(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
