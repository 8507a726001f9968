package httpapi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"palisade/internal/httpapi"
)

// TestDocumentValidates holds the document to the schema of OpenAPI 3.1 (Apache-2.0,
// spec.openapis.org/oas/3.1), and each of its own schemas to JSON Schema.
func TestDocumentValidates(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	text := w.ask("", "GET", "/openapi.json", "").text
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	must(t, err)
	data, err := os.ReadFile(filepath.Join("testdata", "openapi-3.1.json"))
	must(t, err)
	official, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	must(t, err)
	c := jsonschema.NewCompiler()
	must(t, c.AddResource("https://spec.openapis.org/oas/3.1/schema", official))
	schema, err := c.Compile("https://spec.openapis.org/oas/3.1/schema")
	must(t, err)
	if err := schema.Validate(document); err != nil {
		t.Errorf("the document is not OpenAPI 3.1: %v", err)
	}
	own := jsonschema.NewCompiler()
	must(t, own.AddResource("https://palisade.example/openapi.json", document))
	var parsed struct {
		Components struct {
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
	}
	must(t, json.Unmarshal([]byte(text), &parsed))
	if len(parsed.Components.Schemas) < 20 {
		t.Errorf("only %d schemas", len(parsed.Components.Schemas))
	}
	for name := range parsed.Components.Schemas {
		if _, err := own.Compile("https://palisade.example/openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("schema %s: %v", name, err)
		}
	}
	// An answer is what the document says of it.
	outcome, err := own.Compile("https://palisade.example/openapi.json#/components/schemas/Outcome")
	must(t, err)
	for _, code := range []string{"file", "deny", "ask"} {
		got, err := jsonschema.UnmarshalJSON(strings.NewReader(w.run("blue submitter", code).text))
		must(t, err)
		if err := outcome.Validate(got); err != nil {
			t.Errorf("the outcome of %s: %v", code, err)
		}
	}
}

// TestDocsPage: the page loads nothing from elsewhere and runs nothing.
func TestDocsPage(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	page := w.ask("", "GET", "/docs", "")
	if page.status != 200 || !strings.Contains(page.text, "submitExecution") {
		t.Fatalf("%d", page.status)
	}
	for _, foreign := range []string{"<script", "src=", "@import", "url(", "http://", "https://", "<link"} {
		if strings.Contains(page.text, foreign) {
			t.Errorf("the page has %s", foreign)
		}
	}
	if policy := page.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
}
