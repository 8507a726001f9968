package lang

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

const (
	maxSchemaBytes = 64 << 10
	// maxSchemaCost bounds the number of schemas that one value can meet, with
	// every reference followed. References that lead back to themselves have
	// no bound and are refused.
	maxSchemaCost = 10_000
	// maxSchemaWork bounds the schemas times the bytes of the value, which
	// bounds the time.
	maxSchemaWork = 64 << 20
	maxErrorBytes = 500
)

const draft202012 = "https://json-schema.org/draft/2020-12/schema"

// schema is a JSON schema (draft 2020-12) that is safe to apply to a value:
// nothing is fetched, and neither time nor stack run away.
type schema struct {
	resolved *jsonschema.Resolved
	cost     int
}

// compileSchema reads a schema. References must be local ("#", "#/$defs/name",
// or another JSON pointer) and must not be recursive.
func compileSchema(raw []byte) (*schema, error) {
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("%d bytes; at most %d are allowed", len(raw), maxSchemaBytes)
	}
	tree, err := decode(raw)
	if err != nil {
		return nil, err
	}
	switch t := tree.(type) {
	case bool:
	case map[string]any:
		if draft, ok := t["$schema"].(string); ok && strings.TrimSuffix(draft, "#") != draft202012 {
			return nil, fmt.Errorf("$schema %.80q: draft 2020-12 is what is understood", draft)
		}
	default:
		return nil, errors.New("a schema is an object or a boolean")
	}
	w := weigher{root: tree, known: map[string]int{}}
	cost, err := w.weigh(tree, "#")
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, bounded(inWords(err))
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, bounded(err)
	}
	return &schema{resolved, cost}, nil
}

// check holds a value, as decode returns it, to the schema. It changes the
// numbers of the value.
func (s *schema) check(value any) error {
	if size := sizeOf(value); size*s.cost > maxSchemaWork {
		return fmt.Errorf("the value (%d parts) is too large for a schema of %d parts", size, s.cost)
	}
	value, err := plainNumbers(value)
	if err != nil {
		return err
	}
	return bounded(s.resolved.Validate(value))
}

// inWords says of a schema what its decoder says of Go's types.
func inWords(err error) error {
	const want = "is of another kind than draft 2020-12 wants"
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		kind, _, _ := strings.Cut(wrong.Value, " ")
		keyword := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:] // before it stand Go's names
		return fmt.Errorf("the value of %s, an instance of %s, %s", keyword, kind, want)
	}
	if strings.Contains(err.Error(), "unmarshal") {
		return errors.New("the value of a keyword " + want)
	}
	return err
}

// foreign is what the schema library says of itself, and how it is said here.
var foreign = strings.NewReplacer("jsonschema.Schema: <anonymous schema>: ", "", "jsonschema.Schema: ", "", "<anonymous schema>", "a schema of its own")

// bounded is an error of the schema library, in our words and not too long.
func bounded(err error) error {
	if err == nil {
		return nil
	}
	text := foreign.Replace(err.Error())
	if len(text) > maxErrorBytes {
		text = strings.ToValidUTF8(text[:maxErrorBytes], "") + "..."
	}
	return errors.New(text)
}

// weigher counts the schemas behind a schema, with references followed.
type weigher struct {
	root  any
	known map[string]int // by reference; -1 while it is being weighed
}

func (w *weigher) weigh(node any, place string) (int, error) {
	sum := 1
	switch node := node.(type) {
	case []any:
		for i, item := range node {
			n, err := w.weigh(item, place+"/"+strconv.Itoa(i))
			if err != nil {
				return 0, err
			}
			sum += n
		}
	case map[string]any:
		for key, item := range node {
			n, err := w.member(key, item, place)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	if sum > maxSchemaCost {
		return 0, fmt.Errorf("%s: more than %d parts, with its references followed", place, maxSchemaCost)
	}
	return sum, nil
}

func (w *weigher) member(key string, item any, place string) (int, error) {
	switch key {
	case "const", "enum", "default", "examples":
		return 1, nil
	case "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor":
		if _, isText := item.(string); isText && !(key == "$id" && place == "#") {
			return 0, fmt.Errorf("%s: %s is not understood here", place, key)
		}
	case "$ref":
		if ref, isText := item.(string); isText {
			return w.follow(ref, place)
		}
	case "$defs", "definitions":
		// They count where they are referred to, and are looked at here.
		for name, def := range asObject(item) {
			if _, err := w.weigh(def, place+"/"+key+"/"+name); err != nil {
				return 0, err
			}
		}
		return 1, nil
	}
	return w.weigh(item, place+"/"+key)
}

func asObject(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func (w *weigher) follow(ref, place string) (int, error) {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return 0, fmt.Errorf("%s: $ref %.80q is not local, and nothing is fetched", place, ref)
	}
	if n, seen := w.known[pointer]; seen {
		if n < 0 {
			return 0, fmt.Errorf("%s: $ref %.80q leads back to itself", place, ref)
		}
		return n, nil
	}
	node := w.root
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch n := node.(type) {
		case map[string]any:
			node = n[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n) {
				return 0, fmt.Errorf("%s: $ref %.80q leads nowhere", place, ref)
			}
			node = n[i]
		default:
			node = nil
		}
		if node == nil {
			return 0, fmt.Errorf("%s: $ref %.80q leads nowhere", place, ref)
		}
	}
	w.known[pointer] = -1
	n, err := w.weigh(node, ref)
	w.known[pointer] = n
	return n, err
}

// sizeOf counts the parts of a value; text counts by its bytes.
func sizeOf(value any) int {
	switch v := value.(type) {
	case string:
		return 1 + len(v)
	case json.Number:
		return 1 + len(v)
	case []any:
		sum := 1
		for _, item := range v {
			sum += sizeOf(item)
		}
		return sum
	case map[string]any:
		sum := 1
		for key, item := range v {
			sum += len(key) + sizeOf(item)
		}
		return sum
	}
	return 1
}

// decode reads one JSON value of bounded depth, with numbers as they are
// written.
func decode(raw []byte) (any, error) {
	if err := checkDepth(raw); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// checkDepth bounds the nesting of brackets outside of text.
func checkDepth(raw []byte) error {
	depth, inText := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '[' || c == '{':
			if depth++; depth > maxArgDepth {
				return fmt.Errorf("nested deeper than %d", maxArgDepth)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

// plainNumbers turns the numbers of a value, in place, into those that the
// schema library takes: int64, or float64, to which a whole number of more than
// 64 bits is rounded. No huge exponent or number reaches its rational arithmetic.
func plainNumbers(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		return plainNumber(string(v))
	case []any:
		for i := range v {
			if v[i], err = plainNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = plainNumbers(v[key]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func plainNumber(s string) (any, error) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	whole := !strings.ContainsAny(s, ".eE")
	switch {
	case err == nil:
		return f, nil
	case whole && f > 0:
		return math.MaxFloat64, nil
	case whole && f < 0:
		return -math.MaxFloat64, nil
	}
	return nil, fmt.Errorf("the number %.40s is out of range", s)
}
