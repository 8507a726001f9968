package iac

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"palisade/internal/analysis"
)

// maxDocuments bounds the documents of a file.
const maxDocuments = 2_000

// readYAML reads the documents of a YAML text. The parser is of the family that
// kubectl's is (see docs/adr/0009): it takes time in proportion to the text and
// bounds its own depth at 10,000, which its stack bears; what it gives is held
// to maxDepth here. Aliases are followed inside the budget of steps, merge keys
// are merged, and a key that stands twice is a syntax error. The offset is
// added to each line.
func readYAML(r *report, source string, offset int) ([]*value, error) {
	d := yaml.NewDecoder(strings.NewReader(source))
	y := yamlReader{report: r, offset: offset}
	var docs []*value
	for {
		var n yaml.Node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, yamlError(err, source, offset)
		}
		if len(docs) == maxDocuments {
			return nil, errBudget
		}
		v, err := y.value(&n, 0)
		if err != nil {
			return nil, err
		}
		docs = append(docs, v)
	}
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+):`) })

// yamlError says where a text stops to be YAML. The parser's message names the
// line where what it is in began, which may be the first: the place is the first
// line with which the text gives that message.
func yamlError(err error, source string, offset int) error {
	e := &analysis.SyntaxError{Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := yamlLine().FindString(e.Message); m != "" {
		e.Message = strings.TrimSpace(strings.Replace(e.Message, m, "", 1))
	}
	lines := strings.SplitAfter(strings.TrimRight(source, " \t\n"), "\n")
	n := sort.Search(len(lines)-1, func(i int) bool { return fault(strings.Join(lines[:i+1], "")) == err.Error() })
	e.Line = n + 1 + offset
	e.Column = 1 + len(lines[n]) - len(strings.TrimLeft(lines[n], " \t"))
	return e
}

// fault is the parser's message about a text; "": there is none.
func fault(source string) string {
	d := yaml.NewDecoder(strings.NewReader(source))
	for {
		var n yaml.Node
		if err := d.Decode(&n); errors.Is(err, io.EOF) {
			return ""
		} else if err != nil {
			return err.Error()
		}
	}
}

type yamlReader struct {
	*report
	offset int
}

func (y yamlReader) value(n *yaml.Node, depth int) (*value, error) {
	y.step()
	if depth > maxDepth {
		return nil, errBudget
	}
	p := place{n.Line + y.offset, n.Column}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 1 {
			return y.value(n.Content[0], depth)
		}
	case yaml.AliasNode:
		v, err := y.value(n.Alias, depth+1)
		if v != nil {
			c := *v
			c.how = "the alias *" + n.Value
			v = &c
		}
		return v, err
	case yaml.ScalarNode:
		switch {
		case n.Tag == "!!null":
			return &value{line: p.line, column: p.column}, nil
		case n.Tag == "!!binary":
			return unknownAt(p), nil
		}
		return textAt(clean(n.Value), p), nil
	case yaml.SequenceNode:
		out := &value{kind: list, line: p.line, column: p.column}
		for _, item := range n.Content {
			v, err := y.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, v)
		}
		return out, nil
	case yaml.MappingNode:
		return y.mapping(n, p, depth)
	}
	return &value{line: p.line, column: p.column}, nil
}

func (y yamlReader) mapping(n *yaml.Node, p place, depth int) (*value, error) {
	out := &value{kind: mapping, line: p.line, column: p.column}
	seen := map[string]bool{}
	var merged []*value
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		v, err := y.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if key.Tag == "!!merge" {
			merged = append(merged, items(v)...)
			continue
		}
		for key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			return nil, &analysis.SyntaxError{Line: key.Line + y.offset, Column: key.Column, Message: fmt.Sprintf("the key %.40q is no text or stands twice", key.Value)}
		}
		seen[key.Value] = true
		out.fields = append(out.fields, field{clean(key.Value), key.Line + y.offset, key.Column, v})
	}
	for _, m := range merged { // the first one wins, and what stands here before all
		for _, f := range m.fields {
			y.step()
			if !seen[f.name] {
				seen[f.name] = true
				out.fields = append(out.fields, f)
			}
		}
	}
	return out, nil
}
