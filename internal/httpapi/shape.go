package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

const (
	// maxValues bounds the values in a body: each takes many times its text once
	// it is decoded.
	maxValues = 200_000
	// maxDepth bounds how deep they stand in each other.
	maxDepth = 200
)

// checkShape refuses JSON that would cost far more than its size, and members that
// are named twice, of which different readers see different ones. What is no JSON
// is left to the decoder, which says where.
func checkShape(data []byte) *Error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var open []members // objects and lists that have not ended
	for values := 0; ; values++ {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF), err != nil:
			return nil
		case values > maxValues:
			return fail(http.StatusUnprocessableEntity, "invalid", "body: more than %d values", maxValues)
		case len(open) > maxDepth:
			return fail(http.StatusUnprocessableEntity, "invalid", "body: deeper than %d", maxDepth)
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 && !open[len(open)-1].next(token) {
			return fail(http.StatusUnprocessableEntity, "invalid", "body: the member %.80q is there twice", token)
		}
		switch token {
		case json.Delim('{'):
			open = append(open, members{seen: map[string]bool{}})
		case json.Delim('['):
			open = append(open, members{})
		}
	}
}

// members are those of an object so far; of a list, nil.
type members struct {
	seen  map[string]bool
	value bool // the next token begins a value
}

// next takes a token of the object or list itself, and reports whether it may
// stand there.
func (m *members) next(token json.Token) bool {
	if m.seen == nil {
		return true
	}
	if m.value = !m.value; !m.value {
		return true
	}
	name, _ := token.(string)
	if m.seen[name] {
		return false
	}
	m.seen[name] = true
	return true
}
