package semgrep

import (
	"errors"
	"fmt"
	"strings"

	"palisade/internal/python"
)

// shape is what a pattern looks for.
type shape uint8

const (
	anExpression shape = iota
	aStatement
	statements // several, perhaps with dots between them
	aDecorator
	aHandler
)

// pattern is a parsed pattern.
type pattern struct {
	text  string // as it was written
	shape shape
	list  []*node // one, or the statements
	// names must all occur in a file for the pattern to match in it.
	names []string
}

// Bounds of a pattern. Semgrep's own have some ten lines.
const (
	maxPatternBytes = 16 << 10
	maxPatternDepth = 100
	maxPatternNodes = 4096
)

// parsePattern reads a pattern. Python's grammar decides what is one, after
// placeholders took the place of metavariables and dots.
func parsePattern(src string) (*pattern, error) {
	if len(src) > maxPatternBytes {
		return nil, fmt.Errorf("the pattern is longer than %d bytes", maxPatternBytes)
	}
	if strings.TrimSpace(src) == "" {
		return nil, errors.New("the pattern is empty")
	}
	var first error
	for _, typed := range []bool{false, true} {
		tokens, err := scan(dedent(src))
		if err != nil {
			return nil, err
		}
		rewrite(tokens, typed)
		p, err := parseTokens(tokens)
		if err == nil {
			p.text, p.names = src, required(p.list)
			return p, compileStrings(p.list)
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// dedent removes the indentation of a pattern whose first line is indented.
func dedent(src string) string {
	src = strings.Trim(strings.ReplaceAll(src, "\r\n", "\n"), "\n")
	indent := src[:len(src)-len(strings.TrimLeft(src, " \t"))]
	src = strings.TrimRight(src, " \t\n")
	if indent == "" {
		return src
	}
	return strings.TrimPrefix(strings.ReplaceAll(src, "\n"+indent, "\n"), indent)
}

// frames are what may stand round a pattern so that Python takes it: `return`
// wants a function, `await` an asynchronous one, `break` a loop.
var frames = [...]string{"", "def w():\n while 1:\n", "async def w():\n while 1:\n"}

// parts complete what is only a part of a statement.
var parts = [...]struct {
	before, after string
	shape         shape
}{
	{"", "", statements},
	{"", " ...", statements},
	{"", "\ndef " + holderPart + "(): ...", aDecorator},
	{"try: ...\n", "", aHandler},
	{"", "\nfinally: " + holderPart, statements},
}

func parseTokens(tokens []token) (*pattern, error) {
	var first error
	for _, part := range parts {
		for _, frame := range frames {
			body, err := parseFramed(tokens, frame, part.before, part.after)
			if err != nil {
				if first == nil || part.before+part.after == "" {
					first = err
				}
				continue
			}
			if p := shaped(body, part.shape); p != nil {
				return p, nil
			}
		}
	}
	return nil, first
}

// parseFramed parses a pattern with what completes it, inside a frame.
func parseFramed(tokens []token, frame, before, after string) ([]*node, error) {
	var text strings.Builder
	text.WriteString(frame)
	indent := ""
	if frame != "" {
		indent = "  "
	}
	text.WriteString(indent + strings.ReplaceAll(before, "\n", "\n"+indent))
	lines := 1
	for _, t := range tokens {
		text.WriteString(t.out)
		lines += strings.Count(t.out, "\n")
		if t.kind == tLine {
			text.WriteString(indent)
		}
	}
	text.WriteString(strings.ReplaceAll(after, "\n", "\n"+indent) + "\n")
	m, err := python.Parse([]byte(text.String()), python.Options{
		Version: python.Version{Major: 3, Minor: 14}, MaxDepth: maxPatternDepth, MaxNodes: maxPatternNodes,
	})
	if err != nil {
		return nil, unframe(err, strings.Count(frame+before, "\n"), lines)
	}
	b := &builder{pattern: true}
	root := b.module(m)
	if root == nil {
		return nil, errors.New("the pattern is empty")
	}
	if frame == "" {
		return root.kids, nil
	}
	return root.kids[0].kids[4].kids[0].kids[1].kids, nil
}

// unframe gives an error the line in the pattern, which has so many; the parser
// may have stopped behind its end.
func unframe(err error, before, lines int) error {
	var bad *python.SyntaxError
	if !errors.As(err, &bad) {
		return err
	}
	return fmt.Errorf("line %d: not a Python pattern: %s", min(max(1, bad.Line-before), lines), bad.Msg)
}

// shaped takes from the parsed text what belongs to the pattern; nil where
// that is not of the shape.
func shaped(body []*node, want shape) *pattern {
	switch want {
	case aDecorator:
		d := body[0].kid(0)
		if len(body) != 1 || body[0].kind != kFunc || body[0].kids[1].text != holderPart || d == nil || len(d.kids) != 1 {
			return nil
		}
		return &pattern{shape: aDecorator, list: d.kids}
	case aHandler:
		if len(body) != 1 || body[0].kind != kTry || len(body[0].kids[1].kids) != 1 || body[0].kids[2] != nil || body[0].kids[3] != nil {
			return nil
		}
		return &pattern{shape: aHandler, list: body[0].kids[1].kids}
	}
	dropParts(body)
	switch {
	case len(body) > 1:
		return &pattern{shape: statements, list: body}
	case body[0].kind == kExprStmt:
		return &pattern{shape: anExpression, list: body[0].kids}
	}
	return &pattern{shape: aStatement, list: body}
}

// dropParts removes the `finally` that completed a try.
func dropParts(body []*node) {
	for _, n := range body {
		if n.kind != kTry || n.kids[3] == nil {
			continue
		}
		if s := n.kids[3].kids[0]; s.kind == kExprStmt && s.kids[0].text == holderPart {
			n.kids[3] = nil
		}
	}
}

// required collects the names that a match cannot be without. A name inside a
// string is none of them: a constant may have been put together.
func required(list []*node) []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range list {
		n.walk(func(n *node) bool {
			if (n.kind == kName || n.kind == kIdent) && !strings.HasPrefix(n.text, ".") && !seen[n.text] {
				seen[n.text] = true
				out = append(out, n.text)
			}
			return n.kind != kTyped // a type need not be written down
		})
	}
	return out
}

// isDots reports whether a statement of a pattern is `...`.
func isDots(s *node) bool { return s.kind == kExprStmt && s.kids[0].kind == kDots }
