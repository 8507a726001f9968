package js

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tdewolff/parse/v2"
	tdewolff "github.com/tdewolff/parse/v2/js"
)

// program is a text's tree.
type program struct {
	body   []*node
	module bool // it runs as an ECMAScript module
	marked bool // it says so itself, by an import or export statement
	strict bool
	text   string
}

// converter turns the foreign parser's tree into ours. That tree has no
// places and shares its variables; so the converter walks the text beside it:
// each name and each literal of the tree must be the next one of the text, and
// between them there may be nothing but punctuation and keywords. What the
// tree leaves out of the text, or moves, is an error.
type converter struct {
	text   string
	at     int
	scope  *scope
	names  []*node
	module bool
	marked bool
	depth  int
	awaits int // functions around
	strict bool
}

// maxTreeDepth bounds the nesting of the tree. The foreign parser stops at
// 1,000 expressions inside one another.
const maxTreeDepth = 2500

// differs is the panic of a tree that is not that of its text.
type differs struct{ why string }

// parseCanonical reads a text that esbuild printed.
func parseCanonical(text string) (p *program, err error) {
	ast, err := tdewolff.Parse(parse.NewInputString(text), tdewolff.Options{})
	if err != nil {
		inline, again := tdewolff.Parse(parse.NewInputString(text), tdewolff.Options{Inline: true})
		if again != nil { // it is not only a return outside a function
			return nil, fmt.Errorf("the second parser refuses the text: %w", err)
		}
		ast = inline
	}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case differs:
			p, err = nil, errors.New("the second parser's tree differs from the text: "+v.why)
		default:
			panic(v)
		}
	}()
	c := &converter{text: text, scope: &scope{function: true}}
	c.strict = directive(ast.List)
	body := c.statements(ast.List)
	c.gap(len(text))
	for _, n := range c.names {
		n.binding, n.withs = n.scope.resolve(n.name)
		n.scope = nil
	}
	return &program{body: body, module: c.module, marked: c.marked, strict: c.strict || c.module, text: text}, nil
}

func directive(list []tdewolff.IStmt) bool {
	for _, s := range list {
		d, ok := s.(*tdewolff.DirectivePrologueStmt)
		if !ok {
			return false
		}
		if strings.Trim(string(d.Value), `"'`) == "use strict" {
			return true
		}
	}
	return false
}

func (c *converter) fail(format string, args ...any) {
	panic(differs{fmt.Sprintf(format, args...)})
}

func (c *converter) enter() {
	if c.depth++; c.depth > maxTreeDepth {
		c.fail("more than %d parts inside one another", maxTreeDepth)
	}
}

func (c *converter) leave() { c.depth-- }

// take moves over a leaf of the tree, which must be the text's next, and gives
// its place.
func (c *converter) take(leaf string) int {
	if leaf == "" {
		return c.at
	}
	for at := c.at; at < len(c.text); at = c.skip(at) {
		if strings.HasPrefix(c.text[at:], leaf) && !wordAfter(c.text, at+len(leaf), leaf) {
			c.at = at + len(leaf)
			return at
		}
	}
	c.fail("%.40q does not follow offset %d", leaf, c.at)
	return 0
}

func wordAfter(text string, end int, leaf string) bool {
	return end < len(text) && isWord(leaf[len(leaf)-1]) && isWord(text[end])
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '\\' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// syntax holds the words that are not leaves of the tree. Source: ECMAScript
// 2022, 12.7.2, with the contextual words.
const syntax = " as async await break case catch class const continue debugger default delete do else export extends " +
	"finally for from function get if import in instanceof let meta new of return set static super switch target this " +
	"throw try typeof var void while with yield "

// gap checks that there is only syntax before end.
func (c *converter) gap(end int) {
	for c.at < end {
		c.at = c.skip(c.at)
	}
	c.at = end
}

// skip gives the end of one piece of syntax: a keyword, a comment (esbuild has
// some of its own, and keeps those between the members of a class) or a
// punctuation mark.
func (c *converter) skip(at int) int {
	switch b := c.text[at]; {
	case isWord(b):
		end := at
		for end < len(c.text) && isWord(c.text[end]) {
			end++
		}
		if !strings.Contains(syntax, " "+c.text[at:end]+" ") {
			c.fail("%.40q at offset %d is not in it", c.text[at:end], at)
		}
		return end
	case strings.HasPrefix(c.text[at:], "//"):
		line, _, _ := strings.Cut(c.text[at:], "\n")
		if strings.ContainsAny(line, "\r\u2028\u2029") { // which end a line too
			c.fail("a comment at offset %d", at)
		}
		return at + len(line)
	case strings.HasPrefix(c.text[at:], "/*"):
		length := strings.Index(c.text[at+2:], "*/")
		if length < 0 {
			c.fail("a comment at offset %d", at)
		}
		return at + length + 4
	case strings.IndexByte("\"'`#@", b) >= 0:
		c.fail("%q at offset %d is not in it", b, at)
	}
	return at + 1
}

// next is the place of a bracket that follows.
func (c *converter) next(bracket byte) int {
	if k := strings.IndexByte(c.text[c.at:], bracket); k >= 0 {
		return c.at + k
	}
	return c.at
}

// word moves over a keyword, so that its place is known.
func (c *converter) word(word string) int { return c.take(word) }

// within runs f in a scope of its own.
func (c *converter) within(f func()) {
	c.scope = &scope{parent: c.scope}
	f()
	c.scope = c.scope.parent
}

// name makes a node of an identifier that is used.
func (c *converter) name(data []byte) *node {
	pos := c.take(string(data))
	n := &node{kind: nIdent, name: identifier(string(data)), pos: pos, scope: c.scope}
	c.names = append(c.names, n)
	return n
}
