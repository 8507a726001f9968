package js

import (
	"encoding/json"
	"errors"
	"sort"
	"strings"
	"unicode/utf8"
)

// mapping leads from places of the canonical text to places of the source. It
// reads source maps of version 3 (ECMA-426).
type mapping struct {
	lines  []segments // by line of the canonical text
	source []string   // lines of the source
}

type segments []segment

type segment struct{ column, line, from int }

var errMapping = errors.New("it is not a list of base64 numbers")

func readMapping(data []byte, source string) (*mapping, error) {
	var file struct {
		Mappings string `json:"mappings"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	m := &mapping{source: strings.Split(source, "\n")}
	line, column := 0, 0 // in the source: they go on from line to line
	skipped := 0         // the index of the source's name and of the name
	for text := range strings.SplitSeq(file.Mappings, ";") {
		at := 0
		var list segments
		for text != "" {
			fields := []*int{&at, &skipped, &line, &column, &skipped}
			n := 0
			for text != "" && text[0] != ',' {
				v, rest, ok := number64(text)
				if !ok || n >= len(fields) {
					return nil, errMapping
				}
				*fields[n] += v
				n++
				text = rest
			}
			text = strings.TrimPrefix(text, ",")
			if n >= 4 {
				list = append(list, segment{at, line, column})
			}
		}
		m.lines = append(m.lines, list)
	}
	return m, nil
}

// number64 reads one signed number in base 64, five bits to a digit.
func number64(s string) (v int, rest string, ok bool) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i, shift := 0, 0; i < len(s) && shift < 35; i, shift = i+1, shift+5 {
		d := strings.IndexByte(digits, s[i])
		if d < 0 {
			return 0, "", false
		}
		v |= (d & 31) << shift
		if d&32 == 0 {
			if v&1 != 0 {
				return -(v >> 1), s[i+1:], true
			}
			return v >> 1, s[i+1:], true
		}
	}
	return 0, "", false
}

// place gives the line and column (from 1, in bytes) in the source of a line
// and column (from 0) of the canonical text: that of the nearest mapped place
// before it, or else of the first on its line. 0: there is none.
func (m *mapping) place(line, column int) (int, int) {
	for l := line; l >= 0 && l > line-200; l-- {
		if l >= len(m.lines) {
			continue
		}
		list := m.lines[l]
		if len(list) == 0 {
			continue
		}
		k := sort.Search(len(list), func(k int) bool { return l == line && list[k].column > column })
		s := list[max(k-1, 0)]
		return s.line + 1, m.bytes(s.line, s.from) + 1
	}
	return 0, 0
}

// bytes turns a column in UTF-16 units into one in bytes.
func (m *mapping) bytes(line, units int) int {
	if line < 0 || line >= len(m.source) {
		return 0
	}
	s := m.source[line]
	at := 0
	for units > 0 && at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		units--
		if r > 0xffff {
			units--
		}
		at += size
	}
	return at
}
