package foreign

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"palisade/internal/analysis"
)

// maxFrame bounds a message between host and child, in bytes: a text of 10 MiB,
// as JSON, or 10,000 facts with their evidence.
const maxFrame = 64 << 20

// maxValues bounds the values in an answer: each takes a hundred times the memory
// of its text here.
const maxValues = 1 << 20

// reply is what a child says of a text.
type reply struct {
	Reading analysis.Reading
	// Syntax says that there is no reading, because the text is not of its
	// language; Error, for another reason.
	Syntax *analysis.SyntaxError `json:",omitempty"`
	Error  string                `json:",omitempty"`
}

func (r reply) reading() (analysis.Reading, error) {
	switch {
	case r.Syntax != nil:
		return analysis.Reading{}, r.Syntax
	case r.Error != "":
		return analysis.Reading{}, errors.New(r.Error)
	}
	return r.Reading, nil
}

// readText is how a child reads; tests have it misbehave.
var readText = Direct

// answerTo reads a text. A panic is an answer; what cannot be recovered ends
// the child, and that is one too.
func answerTo(t analysis.Text) (r reply) {
	defer func() {
		if v := recover(); v != nil {
			r = reply{Error: fmt.Sprintf("the reader of %s panicked: %v", t.Language, v)}
		}
	}()
	got, err := readText(t)
	if syntax, ok := errors.AsType[*analysis.SyntaxError](err); ok {
		return reply{Syntax: syntax}
	}
	if err != nil {
		return reply{Error: err.Error()}
	}
	return reply{Reading: got}
}

// writeFrame writes a value as JSON behind its length, a big-endian uint32.
func writeFrame(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(data) > maxFrame {
		return fmt.Errorf("a message of %d bytes; at most %d are allowed", len(data), maxFrame)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(data)), uint32(len(data)))
	_, err = w.Write(append(frame, data...))
	return err
}

// readFrame reads what writeFrame wrote. It is io.EOF only before a frame.
func readFrame(r io.Reader, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxFrame {
		return fmt.Errorf("a message of %d bytes; at most %d are allowed", size, maxFrame)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return fmt.Errorf("in the middle of a message: %w", err)
	}
	if _, ok := v.(*reply); ok && bytes.Count(data, []byte(",")) > maxValues {
		return fmt.Errorf("an answer of more than %d values", maxValues)
	}
	return json.Unmarshal(data, v)
}
