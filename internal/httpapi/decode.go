package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// decode reads a body. What does not fit is told in the words of the interface,
// behind its place; see placeOf.
func decode(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		place := strings.TrimSuffix("body."+wrong.Field, ".")
		return fmt.Errorf("%s: %s", place, misfit(stands(wrong.Value), wanted(wrong.Type)))
	}
	if _, ok := errors.AsType[*time.ParseError](err); ok {
		return errors.New("body: a time does not read: want RFC 3339, such as 2026-01-31T12:00:00Z")
	}
	return err
}

// misfit says what stands at a place and what is wanted there.
func misfit(stands, want string) string { return stands + " stands there: want " + want }

const whole = "a whole number in digits alone, at most 9223372036854775807"

// stands is what JSON has at a place, from the decoder's word for it, which may
// have the value behind.
func stands(value string) string {
	kind, _, _ := strings.Cut(value, " ")
	if word, ok := map[string]string{"string": "a string", "array": "a list", "object": "an object", "bool": "true or false", "number": "a number"}[kind]; ok {
		return word
	}
	return "another value"
}

// wanted is how JSON writes values of a type.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Uintptr:
		return whole
	case k == reflect.Float32, k == reflect.Float64:
		return "a number"
	case k == reflect.Bool:
		return "true or false"
	case k == reflect.String, t == reflect.TypeFor[[]byte](), t == reflect.TypeFor[time.Time]():
		return "a string"
	case k == reflect.Slice, k == reflect.Array:
		return "a list"
	}
	return "an object"
}

// wants are what the framework's complaints about a type want, in our words.
var wants = map[string]string{
	validation.MsgExpectedString: "a string", validation.MsgExpectedInteger: whole, validation.MsgExpectedNumber: "a number",
	validation.MsgExpectedBoolean: "true or false", validation.MsgExpectedArray: "a list", validation.MsgExpectedObject: "an object",
}

// placeOf is one of the framework's complaints. It quotes nothing of the request.
func placeOf(err error) Place {
	detailed, ok := err.(huma.ErrorDetailer)
	if !ok {
		return Place{Message: err.Error()}
	}
	d := detailed.ErrorDetail()
	if where, what, ok := strings.Cut(d.Message, ": "); ok && d.Location == "body" && strings.HasPrefix(where, "body") {
		return Place{where, what}
	}
	if want, ok := wants[d.Message]; ok && strings.HasPrefix(d.Location, "body") {
		return Place{d.Location, misfit(standing(d.Value), want)}
	}
	return Place{d.Location, d.Message}
}

// standing is what JSON has at a place, from its value.
func standing(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return stands("string")
	case bool:
		return stands("bool")
	case []any:
		return stands("array")
	case map[string]any, map[any]any:
		return stands("object")
	}
	return stands("number")
}
