package feedback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"palisade/internal/redact"
)

// value returns a JSON value without secrets in its strings. Numbers and the
// rest stay byte for byte, but for space between them. What a terminal or a
// reader could not see is written as a JSON escape, so that the value is the
// same.
func (s *Sanitizer) value(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) > maxValue {
		return nil, fmt.Errorf("it is larger than %s", size(maxValue))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, errors.New("it is no JSON")
	}
	text, err := s.strings(compact.Bytes())
	if err != nil {
		return nil, errors.New("it is no JSON")
	}
	if len(text) > maxValue {
		return nil, fmt.Errorf("it is larger than %s", size(maxValue))
	}
	return redact.EscapeJSON(text), nil
}

// strings redacts the strings of a compact JSON value.
func (s *Sanitizer) strings(raw []byte) ([]byte, error) {
	out := make([]byte, 0, len(raw))
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	for done := int64(0); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return append(out, raw[done:]...), nil
		}
		if err != nil {
			return nil, err
		}
		piece := raw[done:dec.InputOffset()]
		done = dec.InputOffset()
		text, isString := token.(string)
		clean := s.redactor.String(text)
		if !isString || clean == text {
			out = append(out, piece...)
			continue
		}
		out = append(out, piece[:bytes.IndexByte(piece, '"')]...)
		out = appendString(out, clean)
	}
}

// appendString appends a JSON string.
func appendString(out []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return append(out, `""`...) // no string fails to encode
	}
	return append(out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
