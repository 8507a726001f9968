package yamlfile

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a file. The parser behind is quadratic in the length of a line and
// recursive in the depth of nesting, so both are capped before it starts.
const (
	MaxBytes  = 256 << 10 // bytes of a file
	MaxLine   = 2048      // bytes of a line
	maxTokens = 1 << 15
	maxDepth  = 32 // nesting of lists and maps; rules of patterns in patterns need some 25
	maxColumn = 64 // of a "- " that opens a list item
)

// Kind is the shape of a node.
type Kind int

// Kinds of nodes.
const (
	Null Kind = iota
	Scalar
	List
	Map
)

var kinds = [...]string{"nothing", "a value", "a list", "a map"}

// String returns the kind in words, with its article.
func (k Kind) String() string { return kinds[k] }

// Node is one value of a file with its place.
type Node struct {
	File         string
	Line, Column int
	Path         string
	Kind         Kind
	Text         string  // of a Scalar
	Items        []*Node // of a List
	Fields       []Field // of a Map, in the order of the file
}

// Field is one entry of a map.
type Field struct {
	Name         string
	Line, Column int
	Value        *Node
}

// Place returns "file:line".
func (n *Node) Place() string { return fmt.Sprintf("%s:%d", n.File, n.Line) }

// Parse reads the text of a file. An error is of type [Problems]. An empty file
// is a node of kind Null.
func Parse(file string, data []byte) (*Node, error) {
	p := &reading{file: file}
	if p.precheck(data); len(p.problems) > 0 {
		return nil, p.problems
	}
	tokens := lexer.Tokenize(string(data))
	if p.checkTokens(tokens); len(p.problems) > 0 {
		return nil, p.problems
	}
	tree, err := parse(tokens)
	if err != nil {
		p.syntax(err)
		return nil, p.problems
	}
	if len(tree.Docs) > 1 {
		p.fail(1, 1, "", "more than one document", "keep one document in a file")
		return nil, p.problems
	}
	root := &Node{File: file, Line: 1, Column: 1}
	if len(tree.Docs) == 1 && tree.Docs[0].Body != nil {
		root = p.node(tree.Docs[0].Body, "", 0)
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return root, nil
}

type reading struct {
	file     string
	problems Problems
}

func (p *reading) fail(line, column int, path, message, fix string) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, Problem{p.file, line, column, path, message, fix})
	}
}

// precheck looks at bytes alone.
func (p *reading) precheck(data []byte) {
	if len(data) > MaxBytes {
		p.fail(0, 0, "", fmt.Sprintf("the file has %d bytes, more than %d", len(data), MaxBytes), "split it")
		return
	}
	if !utf8.Valid(data) {
		p.fail(0, 0, "", "the file is not UTF-8 text", "save it as UTF-8")
		return
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		if len(text) > MaxLine {
			p.fail(line, 1, "", fmt.Sprintf("the line has more than %d bytes", MaxLine), "break it")
		}
		for i, r := range strings.TrimRight(text, "\r\n") {
			if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 || strings.ContainsRune(invisible, r) {
				p.fail(line, i+1, "", fmt.Sprintf("the character U+%04X cannot be seen", r), "remove it")
				break
			}
		}
	}
}

// invisible characters would make a file read differently from what it says.
const invisible = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"

// refused tokens, with what to write instead.
var refused = map[token.Type][2]string{
	token.AnchorType:     {"anchors (&name) are not read here", "write the value out; quote it if it is text"},
	token.AliasType:      {"aliases (*name) are not read here", "write the value out; quote a text that starts with *"},
	token.MergeKeyType:   {"merge keys (<<) are not read here", "write the keys out"},
	token.TagType:        {"tags (!name) are not read here", "remove it; quote a text that starts with !"},
	token.DirectiveType:  {"directives (%NAME) are not read here", "remove the line"},
	token.MappingKeyType: {"complex keys (? key) are not read here", "write key: value"},
}

// checkTokens bounds what the recursive parser will see.
func (p *reading) checkTokens(tokens token.Tokens) {
	if len(tokens) > maxTokens {
		p.fail(0, 0, "", fmt.Sprintf("the file has more than %d tokens", maxTokens), "split it")
		return
	}
	depth, headers := 0, 0
	for _, t := range tokens {
		line, column := t.Position.Line, t.Position.Column
		if why, ok := refused[t.Type]; ok {
			p.fail(line, column, "", why[0], why[1])
			return
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.DocumentHeaderType:
			headers++
		case token.SequenceEntryType:
			if column > maxColumn {
				depth = maxDepth + 1
			}
		}
		if depth > maxDepth {
			p.fail(line, column, "", fmt.Sprintf("nested deeper than %d", maxDepth), "flatten it")
			return
		}
		if headers > 1 {
			p.fail(line, column, "", "more than one document", "keep one document in a file")
			return
		}
	}
}

func (p *reading) syntax(err error) {
	var bad *yaml.SyntaxError
	if errors.As(err, &bad) && bad.Token != nil {
		p.fail(bad.Token.Position.Line, bad.Token.Position.Column, "", bad.Message, "mend the YAML")
		return
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	p.fail(0, 0, "", text, "mend the YAML")
}

// node turns the parser's tree into ours.
func (p *reading) node(n ast.Node, path string, depth int) *Node {
	t := n.GetToken()
	out := &Node{File: p.file, Line: t.Position.Line, Column: t.Position.Column, Path: path}
	if depth > maxDepth {
		p.fail(out.Line, out.Column, path, fmt.Sprintf("nested deeper than %d", maxDepth), "flatten it")
		return out
	}
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.StringNode:
		out.Kind, out.Text = Scalar, n.Value
	case *ast.LiteralNode:
		out.Kind, out.Text = Scalar, n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.Kind, out.Text = Scalar, t.Value
	case *ast.SequenceNode:
		out.Kind = List
		for i, item := range n.Values {
			out.Items = append(out.Items, p.node(item, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
	case *ast.MappingNode:
		out.Kind = Map
		p.fields(out, n.Values, depth)
	case *ast.MappingValueNode:
		out.Kind = Map
		p.fields(out, []*ast.MappingValueNode{n}, depth)
	default:
		p.fail(out.Line, out.Column, path, "this form of YAML is not read here", "write a plain value, list or map")
	}
	return out
}

func (p *reading) fields(out *Node, values []*ast.MappingValueNode, depth int) {
	seen := map[string]int{}
	for i, v := range values {
		t := v.Key.GetToken()
		line, column := t.Position.Line, t.Position.Column
		if i == 0 {
			out.Line, out.Column = line, column
		}
		name := t.Value
		if s, ok := v.Key.(*ast.StringNode); ok {
			name = s.Value
		}
		if first, ok := seen[name]; ok {
			p.fail(line, column, out.Path, fmt.Sprintf("the key %q stands here twice, first on line %d", name, first), "keep one")
			continue
		}
		seen[name] = line
		out.Fields = append(out.Fields, Field{name, line, column, p.node(v.Value, Join(out.Path, name), depth+1)})
	}
}

// Join appends a key to a path of keys.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// parse turns a panic of the parser into an error: the text is foreign to it.
func parse(tokens token.Tokens) (tree *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gave up: %v", r)
		}
	}()
	return parser.Parse(tokens, 0)
}
