package iac

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"palisade/internal/analysis"
)

// readJSON reads one JSON text into values with their places. Names that stand
// twice make two fields, unless strict: then they are a syntax error.
func readJSON(r *report, source string, at place, strict bool) (*value, error) {
	d := json.NewDecoder(strings.NewReader(source))
	d.UseNumber()
	j := &jsonReader{report: r, d: d, source: source, at: at, strict: strict}
	v, err := j.value(0)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return v, nil
		}
		err = errors.New("something follows the value")
	}
	if errors.Is(err, errBudget) {
		return nil, err
	}
	p := j.place()
	return nil, &analysis.SyntaxError{Line: p.line, Column: p.column, Message: "not JSON: " + err.Error()}
}

type jsonReader struct {
	*report
	d      *json.Decoder
	source string
	at     place // where the text stands
	strict bool

	seen      int // bytes of the source before the line and start of line
	line      int
	lineStart int
}

// place is that of the token which comes next.
func (j *jsonReader) place() place {
	end := int(j.d.InputOffset())
	for end < len(j.source) && strings.IndexByte(" \t\r\n,:", j.source[end]) >= 0 {
		end++
	}
	for j.seen < end {
		i := strings.IndexByte(j.source[j.seen:end], '\n')
		if i < 0 {
			break
		}
		j.seen += i + 1
		j.line, j.lineStart = j.line+1, j.seen
	}
	j.seen = max(j.seen, end)
	p := place{j.at.line + j.line, end - j.lineStart + 1}
	if j.line == 0 {
		p.column += j.at.column - 1
	}
	return p
}

func (j *jsonReader) value(depth int) (*value, error) {
	j.step()
	if depth > maxDepth {
		return nil, errBudget
	}
	p := j.place()
	token, err := j.d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case nil:
		return &value{line: p.line, column: p.column}, nil
	case bool:
		if token {
			return textAt("true", p), nil
		}
		return textAt("false", p), nil
	case json.Number:
		return textAt(token.String(), p), nil
	case string:
		return textAt(strings.ReplaceAll(clean(token), jsonGap, gap), p), nil
	case json.Delim:
		if token == '[' {
			return j.list(p, depth)
		}
		return j.mapping(p, depth)
	}
	return nil, errors.New("no value")
}

func (j *jsonReader) list(p place, depth int) (*value, error) {
	out := &value{kind: list, line: p.line, column: p.column}
	for j.d.More() {
		item, err := j.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out.items = append(out.items, item)
	}
	_, err := j.d.Token()
	return out, err
}

func (j *jsonReader) mapping(p place, depth int) (*value, error) {
	out := &value{kind: mapping, line: p.line, column: p.column}
	seen := map[string]bool{}
	for j.d.More() {
		at := j.place()
		token, err := j.d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := token.(string)
		name = clean(name)
		if !ok || j.strict && seen[name] {
			return nil, errors.New("a name is missing or stands twice: " + name)
		}
		seen[name] = true
		v, err := j.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out.fields = append(out.fields, field{name, at.line, at.column, v})
	}
	_, err := j.d.Token()
	return out, err
}

// jsonGap stands for a gap inside JSON, which takes no control characters. It
// is a private character: one that a text holds itself is taken for a gap too.
const jsonGap = "\uE000"

// clean takes out of a decoded string what a gap is made of.
func clean(s string) string {
	if !strings.Contains(s, gap) && utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(strings.ReplaceAll(s, gap, "\uFFFD"), "\uFFFD")
}

// looksJSON reports whether a text's first byte opens a JSON object.
func looksJSON(source string) bool {
	return strings.HasPrefix(strings.TrimLeft(source, " \t\r\n"), "{")
}
