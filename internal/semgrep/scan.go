package semgrep

import (
	"fmt"
	"strings"
)

// tokenKind is the sort of a piece of a pattern's text.
type tokenKind uint8

const (
	tSpace tokenKind = iota // blanks, line continuations and comments
	tLine                   // the end of a line
	tName
	tString
	tOp
	tMvar  // $X
	tMvars // $...X
	tDots
	tDeepOpen
	tDeepClose
)

// token is a piece of a pattern; together they are the whole text. out is what
// stands for it in the Python that the parser reads.
type token struct {
	kind tokenKind
	text string
	out  string
}

// quiet reports whether a token is nothing that the grammar sees.
func (t token) quiet() bool { return t.kind == tSpace || t.kind == tLine }

// scan cuts a pattern into tokens. It knows strings, so that nothing inside
// them is taken for a metavariable.
func scan(src string) ([]token, error) {
	var out []token
	deep := 0
	for i := 0; i < len(src); {
		t, err := next(src[i:], deep)
		if err != nil {
			return nil, err
		}
		switch t.kind {
		case tDeepOpen:
			deep++
		case tDeepClose:
			deep--
		case tName:
			if strings.HasPrefix(t.text, holder) {
				return nil, fmt.Errorf("the name %s is not for patterns", t.text)
			}
		}
		t.out = t.text
		out = append(out, t)
		i += len(t.text)
	}
	if deep != 0 {
		return nil, fmt.Errorf("<... without ...>")
	}
	return out, nil
}

// next reads one token; src is not empty.
func next(src string, deep int) (token, error) {
	switch c := src[0]; {
	case c == '\n':
		return token{kind: tLine, text: "\n"}, nil
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		return token{kind: tSpace, text: src[:1]}, nil
	case c == '\\' && len(src) > 1 && src[1] == '\n':
		return token{kind: tSpace, text: src[:2]}, nil
	case c == '#':
		end := strings.IndexByte(src, '\n')
		if end < 0 {
			end = len(src)
		}
		return token{kind: tSpace, text: src[:end]}, nil
	case c == '"' || c == '\'':
		return stringToken(src, 0)
	case c == '$':
		return metavariable(src)
	case strings.HasPrefix(src, "<..."):
		return token{kind: tDeepOpen, text: "<..."}, nil
	case deep > 0 && strings.HasPrefix(src, "...>"):
		return token{kind: tDeepClose, text: "...>"}, nil
	case c == '.':
		return dots(src), nil
	case nameByte(c):
		return nameToken(src)
	}
	for _, op := range []string{"==", "!=", "<=", ">=", ":=", "->", "**", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="} {
		if strings.HasPrefix(src, op) {
			return token{kind: tOp, text: op}, nil
		}
	}
	return token{kind: tOp, text: src[:1]}, nil
}

// dots reads one dot or three: in a run of four or more the first is that of
// an attribute.
func dots(src string) token {
	run := len(src) - len(strings.TrimLeft(src, "."))
	if run == 3 {
		return token{kind: tDots, text: "..."}
	}
	return token{kind: tOp, text: "."}
}

func nameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func nameToken(src string) (token, error) {
	n := 1
	for n < len(src) && nameByte(src[n]) {
		n++
	}
	if n < len(src) && (src[n] == '"' || src[n] == '\'') && n <= 2 && strings.Trim(strings.ToLower(src[:n]), "rbuft") == "" {
		return stringToken(src, n)
	}
	return token{kind: tName, text: src[:n]}, nil
}

// metavariable reads $X, $_, $1 or $...X.
func metavariable(src string) (token, error) {
	kind, n := tMvar, 1
	if strings.HasPrefix(src, "$...") {
		kind, n = tMvars, 4
	}
	start := n
	for n < len(src) && (src[n] == '_' || src[n] >= 'A' && src[n] <= 'Z' || src[n] >= '0' && src[n] <= '9') {
		n++
	}
	if n == start || n < len(src) && nameByte(src[n]) {
		return token{}, fmt.Errorf("%.20q is not a metavariable: write $ and capitals", src)
	}
	return token{kind: kind, text: src[:n]}, nil
}

// stringToken reads a string whose prefix has n bytes.
func stringToken(src string, n int) (token, error) {
	quote := src[n : n+1]
	if strings.HasPrefix(src[n:], strings.Repeat(quote, 3)) {
		quote = src[n : n+3]
	}
	for i := n + len(quote); i < len(src); i++ {
		switch {
		case src[i] == '\\':
			i++
		case strings.HasPrefix(src[i:], quote):
			return token{kind: tString, text: src[:i+len(quote)]}, nil
		case src[i] == '\n' && len(quote) == 1:
			return token{}, fmt.Errorf("the string %.20q does not end", src)
		}
	}
	return token{}, fmt.Errorf("the string %.20q does not end", src)
}
