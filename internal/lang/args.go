package lang

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// maxArgDepth bounds how deep the arguments may be nested: the harness reads
// them by recursion.
const maxArgDepth = 200

// maxIntDigits bounds a whole number in the arguments. It keeps the conversion
// to binary, which is not linear, cheap.
const maxIntDigits = 100_000

// EncodeArgs writes arguments in the form in which a harness reads them without
// a JSON parser of its own: one letter, and for all but the constants a length
// (4 bytes, big-endian).
//
//	z null · t true · f false
//	i length, a whole number in hex with its sign, no prefix
//	d length, a number as JSON writes it
//	s length, text in UTF-8
//	l length in items, items
//	o length in members, each: text (without its letter), value
//
// Whole numbers of any size keep their value, and objects the order of their
// members. Text is always valid Unicode: JSON's decoder replaces what is not.
func EncodeArgs(args map[string]json.RawMessage) ([]byte, error) {
	out := sized(nil, 'o', len(args))
	for _, name := range slices.Sorted(maps.Keys(args)) {
		out = text(out, name)
		e := argEncoder{json.NewDecoder(bytes.NewReader(args[name])), out}
		e.d.UseNumber()
		if err := e.value(1); err != nil {
			return nil, fmt.Errorf("argument %q: %w", name, err)
		}
		if _, err := e.d.Token(); err != io.EOF {
			return nil, fmt.Errorf("argument %q: more than one value", name)
		}
		out = e.out
	}
	return out, nil
}

type argEncoder struct {
	d   *json.Decoder
	out []byte
}

func (e *argEncoder) value(depth int) error {
	if depth > maxArgDepth {
		return fmt.Errorf("nested deeper than %d", maxArgDepth)
	}
	token, err := e.d.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case nil:
		e.out = append(e.out, 'z')
	case bool:
		if v {
			e.out = append(e.out, 't')
		} else {
			e.out = append(e.out, 'f')
		}
	case string:
		e.out = text(append(e.out, 's'), v)
	case json.Number:
		e.out, err = appendNumber(e.out, string(v))
	case json.Delim:
		if v == '[' {
			return e.items('l', depth, func() error { return nil })
		}
		return e.items('o', depth, e.key)
	}
	return err
}

// items writes the items of a list, or the members of an object, and then
// their number, which stands in front of them.
func (e *argEncoder) items(letter byte, depth int, key func() error) error {
	e.out = sized(e.out, letter, 0)
	at := len(e.out) - 4
	n := 0
	for ; e.d.More(); n++ {
		if err := key(); err != nil {
			return err
		}
		if err := e.value(depth + 1); err != nil {
			return err
		}
	}
	binary.BigEndian.PutUint32(e.out[at:], uint32(n))
	_, err := e.d.Token()
	return err
}

func (e *argEncoder) key() error {
	token, err := e.d.Token()
	if err != nil {
		return err
	}
	e.out = text(e.out, token.(string))
	return nil
}

func appendNumber(out []byte, s string) ([]byte, error) {
	if strings.ContainsAny(s, ".eE") {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return nil, fmt.Errorf("the number %.40s is out of range", s)
		}
		return text(append(out, 'd'), s), nil
	}
	if len(s) > maxIntDigits {
		return nil, fmt.Errorf("a whole number of %d digits; at most %d are allowed", len(s), maxIntDigits)
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return nil, fmt.Errorf("%.40q is not a number", s)
	}
	return text(append(out, 'i'), n.Text(16)), nil
}

func sized(out []byte, letter byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(out, letter), uint32(n))
}

func text(out []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(out, uint32(len(s))), s...)
}
