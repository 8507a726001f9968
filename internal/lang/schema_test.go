package lang

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"palisade"
)

func checkBySchema(schemaText, value string) error {
	s, err := compileSchema([]byte(schemaText))
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	v, err := decode([]byte(value))
	if err != nil {
		return err
	}
	return s.check(v)
}

func TestSchemas(t *testing.T) {
	object := `{"type":"object","properties":{"n":{"type":"integer","minimum":1},"s":{"type":"string","pattern":"^[a-z]+$"}},"required":["n"],"additionalProperties":false}`
	for _, c := range []struct{ schema, value, says string }{
		{object, `{"n":1}`, ""},
		{object, `{"n":1,"s":"abc"}`, ""},
		{object, `{"n":0}`, "minimum"},
		{object, `{"n":1.5}`, "type"},
		{object, `{"n":1,"s":"A"}`, "pattern"},
		{object, `{"n":1,"x":1}`, "additional"},
		{object, `{}`, "required"},
		{object, `{"n":123456789012345678901234567890}`, ""},
		{object, `{"n":` + strings.Repeat("9", 5000) + `}`, ""},
		{object, `{"n":-` + strings.Repeat("9", 5000) + `}`, "minimum"},
		{`true`, `1`, ""},
		{`false`, `1`, "not"},
		{`{"not":{"type":"integer"}}`, `1`, "validated against a schema of its own"},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}`, `1.5`, ""},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}`, `"x"`, "type"},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","const":{"$ref":"#"}}`, `{"$ref":"#"}`, ""},
		{`{"type":"number"}`, `1e400`, "out of range"},
		{`{"type":"number","maximum":5}`, `1e-999999999`, ""},

		{`{"$ref":"https://example.com/schema"}`, `1`, "not local"},
		{`{"$ref":"other.json"}`, `1`, "not local"},
		{`{"$ref":"file:///etc/passwd"}`, `1`, "not local"},
		{`{"$ref":"#"}`, `1`, "back to itself"},
		{`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, `1`, "back to itself"},
		{`{"items":{"$ref":"#"}}`, `[[[]]]`, "back to itself"},
		{`{"$ref":"#/$defs/none"}`, `1`, "leads nowhere"},
		{`{"$dynamicRef":"#x"}`, `1`, "not understood"},
		{`{"properties":{"a":{"$id":"https://x"}}}`, `1`, "not understood"},
		{`{"$schema":"http://json-schema.org/draft-04/schema#"}`, `1`, "2020-12"},
		{`[]`, `1`, "object or a boolean"},
		{`1`, `1`, "object or a boolean"},
		{`{"type":"nonsense"`, `1`, "JSON"},
		{`{"pattern":"("}`, `1`, "pattern: error parsing"},
		{`{"type":1}`, `1`, "schema"},
		{`{"properties":[]}`, `1`, "the value of properties, an instance of array, is of another kind than draft 2020-12 wants"},
		{`{"items":{"minLength":"a"}}`, `1`, "the value of a keyword is of another kind"},
		{strings.Repeat(`{"not":`, 300) + "{}" + strings.Repeat("}", 300), `1`, "nested"},
		{`{"enum":["` + strings.Repeat("x", maxSchemaBytes) + `"]}`, `1`, "at most"},
	} {
		err := checkBySchema(c.schema, c.value)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%.100s with %.40s: %v, want %q", c.schema, c.value, err, c.says)
		}
		if err != nil && (strings.Contains(err.Error(), "jsonschema.") || strings.Contains(err.Error(), "anonymous")) {
			t.Errorf("%.100s: it is told in words of the library: %v", c.schema, err)
		}
	}
}

// A schema that doubles with each reference, and a value that meets all of it.
func TestSchemaBombs(t *testing.T) {
	var defs []string
	for i := range 40 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i))
	}
	bomb := `{"$ref":"#/$defs/d40","$defs":{"d0":{"type":"number"},` + strings.Join(defs, ",") + `}}`
	began := time.Now()
	if err := checkBySchema(bomb, "1"); err == nil || !strings.Contains(err.Error(), "parts") {
		t.Errorf("%v", err)
	}
	wide := `{"items":{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"const":1},`, 3000), ",") + `]}}`
	if err := checkBySchema(wide, "["+strings.TrimSuffix(strings.Repeat("2,", 500_000), ",")+"]"); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("%v", err)
	}
	unique := `{"uniqueItems":true}`
	var items []string
	for i := range 100_000 {
		items = append(items, fmt.Sprint(i))
	}
	if err := checkBySchema(unique, "["+strings.Join(items, ",")+"]"); err != nil {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > time.Minute { // 2^40 parts would take days, on any machine
		t.Errorf("took %v", took)
	}
}

func TestSchemaOfArguments(t *testing.T) {
	s := palisade.Submission{Program: palisade.Program{Language: palisade.Python, Source: []byte("def f(x: str): pass\n"), Entry: "f"}}
	s.Inputs = palisade.Inputs{Args: map[string]json.RawMessage{"x": json.RawMessage("3")}, Schema: json.RawMessage(`{"properties":{"x":{"maximum":2}}}`)}
	if _, err := (Preparer{}).Prepare(t.Context(), s); err == nil || !strings.Contains(err.Error(), "do not satisfy the schema") {
		t.Errorf("%v", err)
	}
	// A schema is used in place of annotations.
	s.Inputs.Args["x"] = json.RawMessage("1")
	if _, err := (Preparer{}).Prepare(t.Context(), s); err != nil {
		t.Error(err)
	}
	s.Inputs.Returns = json.RawMessage(`{"type":`)
	if _, err := (Preparer{}).Prepare(t.Context(), s); err == nil {
		t.Error("a bad schema of the value was taken")
	}
}

func TestCheckValue(t *testing.T) {
	s := palisade.Submission{Program: palisade.Program{Entry: "f"}, Inputs: palisade.Inputs{Returns: json.RawMessage(`{"type":"integer"}`)}}
	p := Preparer{}
	for value, fits := range map[string]bool{"1": true, "1.5": false, `"1"`: false, "": false, "{": false, "1 2": false, "99999999999999999999": true} {
		if err := p.CheckValue(s, json.RawMessage(value)); (err == nil) != fits {
			t.Errorf("%q: %v", value, err)
		}
	}
	s.Inputs.Returns = nil
	if err := p.CheckValue(s, json.RawMessage(`{"any":1}`)); err != nil {
		t.Error(err)
	}
	if err := p.CheckValue(s, nil); err == nil {
		t.Error("an entry function without a value")
	}
	if err := p.CheckValue(palisade.Submission{}, nil); err != nil {
		t.Error(err)
	}
}

func FuzzPrepareInputs(f *testing.F) {
	f.Add("def f(x: int | None): pass", `{"type":"object"}`, `1`)
	f.Add("def f(x: 'Literal[1, \"a\"]'): pass", `{"$ref":"#/$defs/a","$defs":{"a":true}}`, `[1e5, {"a": null}]`)
	f.Fuzz(func(t *testing.T, src, schema, value string) {
		s := palisade.Submission{Program: palisade.Program{Language: palisade.Python, Source: []byte(src), Entry: "f"}}
		s.Inputs.Args = map[string]json.RawMessage{"x": json.RawMessage(value)}
		for _, s.Inputs.Schema = range []json.RawMessage{nil, json.RawMessage(schema)} {
			out, err := Preparer{}.Prepare(t.Context(), s)
			if err != nil {
				continue
			}
			if _, err := EncodeArgs(out.Inputs.Args); err != nil {
				t.Errorf("prepared, but not to be sent: %v", err)
			}
		}
	})
}
