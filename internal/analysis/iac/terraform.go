package iac

import (
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"palisade/internal/analysis"
)

// module is one Terraform file, before anything in it is evaluated.
type module struct {
	blocks    []block
	variables map[string]lazy // defaults; nil where there is none
	locals    map[string]lazy
}

// lazy is something that is evaluated where and when it is used.
type lazy func(s *scope) *value

// block is a top-level block.
type block struct {
	place
	kind    string
	labels  []string
	body    lazy
	forEach lazy // nil: none
}

// label returns a label, "" where there is none.
func (b block) label(i int) string {
	if i < len(b.labels) {
		return b.labels[i]
	}
	return ""
}

func readTerraform(r *report, t analysis.Text) error {
	var m *module
	var err error
	if t.Dialect == "json" || looksJSON(t.Source) {
		m, err = readTerraformJSON(r, t.Source)
	} else {
		m, err = readHCL(r, t.Source)
	}
	if err != nil {
		return err
	}
	newScope(r, m).readModule()
	return nil
}

// readHCL reads the native syntax.
func readHCL(r *report, source string) (*module, error) {
	if err := scanConfig(source); err != nil {
		return nil, err
	}
	file, diags := hclsyntax.ParseConfig([]byte(source), r.file, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, syntaxError(diags)
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		return nil, &analysis.SyntaxError{Message: "no body"}
	}
	m := &module{variables: map[string]lazy{}, locals: map[string]lazy{}}
	for _, attribute := range attributes(body) {
		return nil, &analysis.SyntaxError{
			Line: attribute.SrcRange.Start.Line, Column: attribute.SrcRange.Start.Column,
			Message: "an argument outside any block: " + attribute.Name,
		}
	}
	for _, b := range body.Blocks {
		m.add(hclBlock(b))
		switch b.Type {
		case "locals":
			for _, a := range attributes(b.Body) {
				m.locals[a.Name] = expression(a.Expr)
			}
		case "variable":
			if a := b.Body.Attributes["default"]; a != nil && len(b.Labels) == 1 {
				m.variables[b.Labels[0]] = expression(a.Expr)
			}
		}
	}
	return m, nil
}

func (m *module) add(b block) { m.blocks = append(m.blocks, b) }

func hclBlock(b *hclsyntax.Block) block {
	out := block{
		place: at(b.TypeRange.Start), kind: b.Type, labels: b.Labels,
		body: func(s *scope) *value { return s.body(b, 0) },
	}
	if a := b.Body.Attributes["for_each"]; a != nil {
		out.forEach = expression(a.Expr)
	}
	return out
}

func expression(e hclsyntax.Expression) lazy {
	return func(s *scope) *value { return s.eval(e, 0) }
}

// attributes returns a body's arguments in the order of the file.
func attributes(b *hclsyntax.Body) []*hclsyntax.Attribute {
	out := make([]*hclsyntax.Attribute, 0, len(b.Attributes))
	for _, a := range b.Attributes {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *hclsyntax.Attribute) int { return cmp.Compare(a.SrcRange.Start.Byte, b.SrcRange.Start.Byte) })
	return out
}

// body evaluates a block to a mapping; nested blocks are fields of it.
func (s *scope) body(b *hclsyntax.Block, depth int) *value {
	s.step()
	if depth > maxDepth {
		panic(errBudget)
	}
	p := at(b.TypeRange.Start)
	out := &value{kind: mapping, labels: b.Labels, line: p.line, column: p.column}
	for _, a := range attributes(b.Body) {
		out.fields = append(out.fields, fieldAt(a.Name, at(a.SrcRange.Start), s.eval(a.Expr, 0)))
	}
	for _, nested := range b.Body.Blocks {
		out.fields = append(out.fields, s.nested(nested, depth+1))
	}
	return out
}

func (s *scope) nested(b *hclsyntax.Block, depth int) field {
	if b.Type != "dynamic" || len(b.Labels) != 1 {
		return fieldAt(b.Type, at(b.TypeRange.Start), s.body(b, depth))
	}
	name, iterator := b.Labels[0], b.Labels[0]
	if a := b.Body.Attributes["iterator"]; a != nil {
		if word := hcl.ExprAsKeyword(a.Expr); word != "" {
			iterator = word
		}
	}
	var over *value
	if a := b.Body.Attributes["for_each"]; a != nil {
		over = s.eval(a.Expr, 0)
	}
	var contents []*value
	s.bind(iterator, eachOf(over), func() {
		for _, c := range b.Body.Blocks {
			contents = append(contents, s.body(c, depth+1))
		}
	})
	return fieldAt(name, at(b.TypeRange.Start), oneOf(contents))
}

func fieldAt(name string, p place, v *value) field { return field{name, p.line, p.column, v} }

// at is a place of HCL, whose columns count characters: lines are what matters.
func at(p hcl.Pos) place { return place{p.Line, p.Column} }

func syntaxError(diags hcl.Diagnostics) error {
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		e := &analysis.SyntaxError{Message: d.Summary + ": " + d.Detail}
		if d.Subject != nil {
			e.Line, e.Column = d.Subject.Start.Line, d.Subject.Start.Column
		}
		return e
	}
	return &analysis.SyntaxError{Message: "does not parse"}
}
