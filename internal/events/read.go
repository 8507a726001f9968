package events

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"palisade"
)

// Report is what a region tells.
type Report struct {
	Activity palisade.Activity
	// Started counts processes, without the first; Written bytes to files.
	Started, Written int64
}

// Read reads a region, trusting nothing in it: what is not an entry ends the
// list, and is an error beside what was read before it.
func Read(region []byte) (Report, error) {
	var r Report
	if len(region) < Size {
		return r, fmt.Errorf("events: %d bytes, want %d", len(region), Size)
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(region[i*8:]) }
	r.Started, r.Written = count(word(wordStarted)), count(word(wordWritten))
	r.Activity.Counts = map[string]int64{}
	for k := range kinds {
		if n := count(word(wordCounts + int(k))); n > 0 {
			r.Activity.Counts[k.String()] = n
		}
		r.Activity.Dropped = count(uint64(r.Activity.Dropped) + uint64(count(word(wordDropped+int(k)))))
	}
	used := word(wordUsed)
	if used > logSize {
		return r, fmt.Errorf("events: a log of %d bytes, at most %d", used, logSize)
	}
	log := region[headSize : headSize+int(used)]
	for len(log) > 0 {
		a, size, err := readEntry(log)
		if err != nil {
			return r, err
		}
		r.Activity.Acts = append(r.Activity.Acts, a)
		log = log[size:]
	}
	return r, nil
}

func readEntry(log []byte) (palisade.Act, int, error) {
	if len(log) < entryHead {
		return palisade.Act{}, 0, fmt.Errorf("events: %d bytes are no entry", len(log))
	}
	size := int(binary.NativeEndian.Uint32(log[entrySize:]))
	kind, flags := Kind(log[entryKind]), log[entryFlags]
	what, detail := int(binary.NativeEndian.Uint16(log[entryWhat:])), int(binary.NativeEndian.Uint16(log[entryDetail:]))
	if kind >= kinds || what > MaxWhat || detail > MaxDetail || size > len(log) || size%8 != 0 || size < entryHead+what+detail {
		return palisade.Act{}, 0, fmt.Errorf("events: an entry of kind %d and %d bytes is none", kind, size)
	}
	a := palisade.Act{
		Millis: count(binary.NativeEndian.Uint64(log[entryMillis:])),
		Kind:   kind.String(), Refused: flags&flagRefused != 0,
		What:   text(log[entryHead:entryHead+what], flags&flagCutWhat != 0),
		Detail: text(log[entryHead+what:entryHead+what+detail], flags&flagCutDetail != 0),
	}
	if n := count(binary.NativeEndian.Uint64(log[entryCount:])); n > 1 {
		a.Count = n
	}
	return a, size, nil
}

// text makes a name that a record can hold: bytes that are not UTF-8 are written
// as \xNN.
func text(b []byte, cut bool) string {
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			if cut && len(b) < utf8.UTFMax && !utf8.FullRune(b) {
				break // a character that the cut went through
			}
			fmt.Fprintf(&s, `\x%02x`, b[0])
		} else {
			s.WriteRune(r)
		}
		b = b[n:]
	}
	if cut {
		s.WriteString("…")
	}
	return s.String()
}
