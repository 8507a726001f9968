package httpapi

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs.html
var docsPage string

// documents serves the OpenAPI document and a page that shows it. Neither loads
// anything from elsewhere.
func (s *Server) documents(mux *http.ServeMux) error {
	document, err := s.document()
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	page, err := docs(s.api.OpenAPI())
	if err != nil {
		return fmt.Errorf("docs: %w", err)
	}
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(document) // whoever asked may be gone
	})
	mux.HandleFunc("GET /docs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		_, _ = w.Write(page)
	})
	return nil
}

// described is one operation on the page.
type described struct {
	*huma.Operation
	Body    []field
	Answers []answered
}

type field struct {
	Name, Type, Text string
	Required         bool
}

type answered struct{ Status, Text string }

// docs writes the page.
func docs(api *huma.OpenAPI) ([]byte, error) {
	groups := map[string][]described{}
	var order []string
	for _, path := range sortedKeys(api.Paths) {
		item := api.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if op == nil {
				continue
			}
			tag := op.Tags[0]
			if !slices.Contains(order, tag) {
				order = append(order, tag)
			}
			groups[tag] = append(groups[tag], describe(api, op))
		}
	}
	t, err := template.New("docs").Parse(docsPage)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{"Info": api.Info, "Order": order, "Groups": groups})
	return b.Bytes(), err
}

func describe(api *huma.OpenAPI, op *huma.Operation) described {
	d := described{Operation: op}
	if op.RequestBody != nil {
		if media := op.RequestBody.Content["application/json"]; media != nil && media.Schema != nil {
			d.Body = fields(api, media.Schema)
		}
	}
	for _, status := range sortedKeys(op.Responses) {
		d.Answers = append(d.Answers, answered{status, op.Responses[status].Description})
	}
	return d
}

func fields(api *huma.OpenAPI, s *huma.Schema) (out []field) {
	if s.Ref != "" {
		s = api.Components.Schemas.SchemaFromRef(s.Ref)
	}
	for _, name := range sortedKeys(s.Properties) {
		p := s.Properties[name]
		kind := cmp.Or(p.Type, "any")
		if p.Ref != "" {
			kind = "object"
		}
		out = append(out, field{name, kind, p.Description, slices.Contains(s.Required, name)})
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
