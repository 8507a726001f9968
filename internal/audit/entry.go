package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"palisade"
)

// Kinds that the log itself writes, beside palisade.EventRecovered. Kinds are
// part of the format: add, never rename.
const (
	// KindOpened is the first entry of every log; it names the log's
	// predecessors.
	KindOpened palisade.EventKind = "log_opened"
	// KindForgotten says which payloads were deleted on purpose.
	KindForgotten palisade.EventKind = "payloads_forgotten"
)

// Kinds that begin so hold for longer than the run, or the day, that they were
// written in: keys that were given out or revoked, and requests that were
// claimed to be run once. Retention does not take their payloads, which hold no
// secrets and nothing of a program: without a revocation its key would come back.
const (
	StandingKeys   = "key_"
	StandingClaims = "idempotency_"
)

func isStanding(k palisade.EventKind) bool {
	return strings.HasPrefix(string(k), StandingKeys) || strings.HasPrefix(string(k), StandingClaims)
}

const (
	maxEntry = 1<<16 - 1 // bytes; C2SP tlog-tiles gives entries a 16-bit length
	maxName  = 64        // bytes of a run's ID or a kind
	nonceLen = 32        // bytes
	// timeForm has a fixed width, so that entries differ only where they must.
	timeForm = "2006-01-02T15:04:05.000000000Z"
)

// Entry is one line of the log. It never holds the payload itself.
type Entry struct {
	Index   int64              `json:"index"`         // place in the log, from 0
	Time    time.Time          `json:"time"`          // when the event happened, by the writer's clock; UTC
	Run     string             `json:"run,omitempty"` // empty for the log's own entries
	Kind    palisade.EventKind `json:"kind"`          // what happened
	Payload palisade.Digest    `json:"payload"`       // SHA-256(nonce ‖ payload)
	Size    int64              `json:"size"`          // bytes of the payload, without its nonce
}

// encode returns the entry's only form: keys in this order, no spaces.
func (e Entry) encode() []byte {
	b := make([]byte, 0, 256)
	b = append(b, `{"v":1,"index":`...)
	b = strconv.AppendInt(b, e.Index, 10)
	b = append(b, `,"time":"`...)
	b = e.Time.UTC().AppendFormat(b, timeForm)
	b = append(b, `","run":"`...)
	b = append(b, e.Run...)
	b = append(b, `","kind":"`...)
	b = append(b, e.Kind...)
	b = append(b, `","payload":"`...)
	b = hex.AppendEncode(b, e.Payload[:])
	b = append(b, `","size":`...)
	b = strconv.AppendInt(b, e.Size, 10)
	return append(b, '}')
}

// parseEntry reads an entry and accepts nothing but what encode writes.
func parseEntry(line []byte) (Entry, error) {
	var e Entry
	rest := string(line)
	next := func(before, until string) string {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, before); !ok {
			rest = ""
			return ""
		}
		var value string
		value, rest, ok = strings.Cut(rest, until)
		if !ok {
			rest = ""
			return ""
		}
		rest = until + rest
		return value
	}
	index := next(`{"v":1,"index":`, `,`)
	at := next(`,"time":"`, `"`)
	run := next(`","run":"`, `"`)
	kind := next(`","kind":"`, `"`)
	payload := next(`","payload":"`, `"`)
	size := next(`","size":`, `}`)
	var err error
	if e.Index, err = strconv.ParseInt(index, 10, 64); err != nil || e.Index < 0 {
		return Entry{}, fmt.Errorf("entry: bad index %.24q", index)
	}
	if e.Time, err = time.Parse(timeForm, at); err != nil {
		return Entry{}, fmt.Errorf("entry %d: bad time", e.Index)
	}
	if e.Size, err = strconv.ParseInt(size, 10, 64); err != nil || e.Size < 0 {
		return Entry{}, fmt.Errorf("entry %d: bad size", e.Index)
	}
	if err := e.Payload.UnmarshalText([]byte(payload)); err != nil {
		return Entry{}, fmt.Errorf("entry %d: bad commitment", e.Index)
	}
	if e.Run, e.Kind = run, palisade.EventKind(kind); !validName(run) || !validName(kind) || kind == "" {
		return Entry{}, fmt.Errorf("entry %d: bad run or kind", e.Index)
	}
	if !bytes.Equal(e.encode(), line) {
		return Entry{}, fmt.Errorf("entry %d: not in its stable form", e.Index)
	}
	return e, nil
}

// validName reports whether s may stand in an entry: nothing that JSON escapes.
func validName(s string) bool {
	if len(s) > maxName {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// commitment is what an entry says about its payload; blob is nonce ‖ payload.
func commitment(blob []byte) palisade.Digest { return sha256.Sum256(blob) }

// holds reports an error unless blob is the entry's nonce and payload.
func (e Entry) holds(blob []byte) error {
	if len(blob) < nonceLen || int64(len(blob)-nonceLen) != e.Size || commitment(blob) != e.Payload {
		return fmt.Errorf("entry %d: payload is not the one that was committed to", e.Index)
	}
	return nil
}
