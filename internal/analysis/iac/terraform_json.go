package iac

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"palisade/internal/analysis"
)

// labelCount says how many labels the blocks of a kind have. Source: the
// reference of Terraform's language and of its JSON syntax.
var labelCount = map[string]int{
	"resource": 2, "data": 2, "ephemeral": 2, "variable": 1, "output": 1, "module": 1, "provider": 1, "check": 1,
	"run": 1, "action": 2, "list": 2,
	"provisioner": 1, "dynamic": 1, "backend": 1, "provider_meta": 1, // inside other blocks
}

// readTerraformJSON reads the JSON syntax: blocks are objects, their labels the
// names of nested objects, and strings are templates.
func readTerraformJSON(r *report, source string) (*module, error) {
	root, err := readJSON(r, source, place{1, 1}, false)
	if err != nil {
		return nil, err
	}
	if root.kind != mapping {
		return nil, &analysis.SyntaxError{Line: root.line, Column: root.column, Message: "the file is not an object of blocks"}
	}
	m := &module{variables: map[string]lazy{}, locals: map[string]lazy{}}
	for _, f := range root.fields {
		if f.name == "//" {
			continue
		}
		m.jsonBlocks(f.name, nil, f, labelCount[f.name])
	}
	return m, nil
}

// jsonBlocks adds the blocks of a kind, once as many labels as it has are read.
func (m *module) jsonBlocks(kind string, labels []string, f field, missing int) {
	for v := range f.value.each() {
		if missing > 0 {
			for _, nested := range v.fields {
				if nested.name != "//" {
					m.jsonBlocks(kind, append(labels[:len(labels):len(labels)], nested.name), nested, missing-1)
				}
			}
			continue
		}
		b := block{place: f.place(), kind: kind, labels: labels, body: func(s *scope) *value { return s.templates(v, labels) }}
		if each := v.get("for_each"); each != nil {
			b.forEach = func(s *scope) *value { return s.templates(each, nil) }
		}
		m.add(b)
		for _, local := range v.fields {
			switch {
			case kind == "locals":
				m.locals[local.name] = func(s *scope) *value { return s.templates(local.value, nil) }
			case kind == "variable" && local.name == "default" && len(labels) == 1:
				m.variables[labels[0]] = func(*scope) *value { return local.value }
			}
		}
	}
}

// templates evaluates the strings of a JSON value.
func (s *scope) templates(v *value, labels []string) *value {
	s.step()
	if v == nil {
		return nil
	}
	switch v.kind {
	case text:
		return s.template(v)
	case list, choice:
		out := &value{kind: v.kind, line: v.line, column: v.column}
		for _, item := range v.items {
			out.items = append(out.items, s.templates(item, nil))
		}
		return out
	case mapping:
		out := &value{kind: mapping, labels: labels, line: v.line, column: v.column}
		for _, f := range v.fields {
			if f.name == "//" {
				continue
			}
			name := f.name
			if strings.Contains(name, "${") {
				name = s.template(textAt(name, f.place())).first()
			}
			out.fields = append(out.fields, s.jsonField(name, f)...)
		}
		return out
	}
	return v
}

// jsonField evaluates a field, which is a labeled or a dynamic block where its
// name says so.
func (s *scope) jsonField(name string, f field) []field {
	if labelCount[name] == 0 || !f.value.is(mapping) && !f.value.is(list) {
		return []field{fieldAt(name, f.place(), s.templates(f.value, nil))}
	}
	var out []field
	for v := range f.value.each() {
		for _, nested := range v.fields {
			if name != "dynamic" {
				for body := range nested.value.each() {
					out = append(out, fieldAt(name, nested.place(), s.templates(body, []string{nested.name})))
				}
				continue
			}
			for body := range nested.value.each() {
				iterator := nested.name
				if word := body.get("iterator").first(); word != "" {
					iterator = word
				}
				over := s.templates(body.get("for_each"), nil)
				s.bind(iterator, eachOf(over), func() {
					out = append(out, fieldAt(nested.name, nested.place(), s.templates(body.get("content"), nil)))
				})
			}
		}
	}
	return out
}

// template evaluates one string of the JSON syntax.
func (s *scope) template(v *value) *value {
	if !strings.Contains(v.text, "${") && !strings.Contains(v.text, "%{") {
		return v
	}
	if err := scanTemplate(v.text); err != nil {
		panic(errBudget)
	}
	e, diags := hclsyntax.ParseTemplate([]byte(v.text), "", hcl.Pos{Line: v.line, Column: v.column})
	if diags.HasErrors() {
		return unknownAt(v.place())
	}
	out := *s.eval(e, 0)
	out.line, out.column = v.line, v.column
	return &out
}
