package semgrep

import (
	"strconv"
	"strings"
)

// Placeholders: the names that stand for what Python's grammar does not know.
// A pattern may not use names that start so.
const (
	holder      = "__palisade_"
	holderMvar  = holder + "mv_"
	holderMvars = holder + "mvs_"
	holderTyped = holder + "typed_"
	holderDots  = holder + "dots"
	holderDeep  = holder + "deep"
	holderNone  = holder + "none" // no default
	holderPart  = holder + "part" // what completes a part of a statement
)

// bracket is an open bracket, or a lambda before its colon.
type bracket struct {
	open     string
	params   bool // the parameters of a def or a lambda
	keyword  bool // a keyword argument was seen
	colon    bool // a colon was seen
	first    bool // nothing of the present item was seen
	hasValue bool // the present parameter has a default
	star     bool // the present parameter is behind a star
	anyStar  bool
	defaults bool  // some parameter has a default
	dots     []int // items of a brace that are dots
}

// rewriter turns a pattern's tokens into Python.
type rewriter struct {
	tokens []token
	stack  []bracket
	inCase bool // between `case` and its colon, where dots are a name
	typed  bool // read `$X: T` in brackets as a typed metavariable
	count  int
}

// rewrite sets what each token becomes.
func rewrite(tokens []token, typed bool) {
	r := &rewriter{tokens: tokens, typed: typed, stack: []bracket{{first: true}}}
	for i := range tokens {
		if tokens[i].quiet() {
			if tokens[i].kind == tLine && len(r.stack) == 1 {
				r.top().first = true
			}
			continue
		}
		r.token(i)
	}
}

func (r *rewriter) top() *bracket { return &r.stack[len(r.stack)-1] }

// before and behind return the next token of the grammar, or an empty one.
func (r *rewriter) before(i int) token {
	for i--; i >= 0; i-- {
		if !r.tokens[i].quiet() {
			return r.tokens[i]
		}
	}
	return token{}
}

func (r *rewriter) behind(i int) token {
	for i++; i < len(r.tokens); i++ {
		if !r.tokens[i].quiet() {
			return r.tokens[i]
		}
	}
	return token{}
}

func (r *rewriter) token(i int) {
	t := &r.tokens[i]
	first := r.top().first
	if t.text != "," {
		r.top().first = false
	}
	switch t.kind {
	case tMvar:
		t.out = holderMvar + t.text[1:]
		if r.typed && r.behind(i).text == ":" && r.top().open == "(" && !r.top().params {
			r.typedMvar(i)
		}
	case tMvars:
		t.out = r.item(i, holderMvars+t.text[4:], holderMvars+t.text[4:], first)
	case tDots:
		r.dots(i, first)
	case tDeepOpen:
		t.out = holderDeep + "("
	case tDeepClose:
		t.out = ")"
	case tString:
		t.out = stringOut(t.text)
	case tName:
		r.inCase = r.inCase || t.text == "case" && first && len(r.stack) == 1
		if t.text == "lambda" {
			r.stack = append(r.stack, bracket{open: "lambda", params: true, first: true})
		}
	case tOp:
		r.op(i)
	}
}

// typedMvar reads `$X: T` up to the end of the item.
func (r *rewriter) typedMvar(i int) {
	r.tokens[i].out = holderTyped + r.tokens[i].text[1:]
	depth := 0
	for j := i + 1; j < len(r.tokens); j++ {
		t := &r.tokens[j]
		switch {
		case t.text == ":" && depth == 0:
			t.out = "["
			depth++
		case t.text == "(" || t.text == "[":
			depth++
		case depth > 1 && (t.text == ")" || t.text == "]"):
			depth--
		case depth == 1 && (t.text == ")" || t.text == ","):
			t.out = "]" + t.text
			return
		}
	}
}

// item gives a whole item that stands for many the form which its bracket takes.
func (r *rewriter) item(i int, plain, ident string, first bool) string {
	b := r.top()
	after := r.behind(i).text
	whole := first && (after == "," || after == ")" || after == ":" && b.open == "lambda")
	switch {
	case b.params && whole:
		b.hasValue = true
		if b.anyStar {
			return ident + "=" + holderNone
		}
		b.defaults = true
		return ident + "=" + holderNone
	case b.open == "(" && b.keyword && whole:
		return "**" + ident
	}
	return plain
}

func (r *rewriter) dots(i int, first bool) {
	t := &r.tokens[i]
	r.count++
	name := holderDots + strconv.Itoa(r.count)
	before, after, b := r.before(i), r.behind(i), r.top()
	switch {
	case before.kind == tOp && before.text == ".":
		t.out = name
	case before.kind == tName && binds(before.text) || r.inCase:
		t.out = name
	case before.text == "" && after.text == "=", first && len(r.stack) == 1 && after.text == "=":
		t.out = name
	case b.open == "{" && first && (after.text == "," || after.text == "}"):
		b.dots = append(b.dots, i)
	default:
		t.out = r.item(i, "...", name, first)
	}
}

// binds reports whether only a name may stand behind a keyword.
func binds(keyword string) bool {
	switch keyword {
	case "for", "as", "def", "class", "import", "case", "del", "global", "nonlocal":
		return true
	}
	return false
}

func (r *rewriter) op(i int) {
	t := &r.tokens[i]
	switch t.text {
	case "(", "[", "{":
		r.stack = append(r.stack, bracket{open: t.text, params: t.text == "(" && r.behindDef(i), first: true})
	case ")", "]", "}":
		r.endItem(i)
		if len(r.stack) > 1 && r.top().open == "lambda" {
			r.stack = r.stack[:len(r.stack)-1]
		}
		if len(r.stack) > 1 {
			r.closeBrace()
			r.stack = r.stack[:len(r.stack)-1]
		}
	case ",":
		r.endItem(i)
		r.top().first = true
	case ":":
		if r.top().open == "lambda" {
			r.endItem(i)
			r.stack = r.stack[:len(r.stack)-1]
			return
		}
		r.top().colon = true
		r.inCase = r.inCase && len(r.stack) > 1
	case "=":
		r.top().keyword, r.top().hasValue = true, true
	case "*", "**":
		before := r.before(i).text
		first := before == "(" || before == "," || before == "lambda"
		switch {
		case r.top().params && first:
			r.top().star = true
		case t.text == "**" && first:
			r.top().keyword = true // nothing by position may follow
		}
	case "/":
		if r.top().params {
			r.top().star = true // no default belongs to it
		}
	}
}

// behindDef reports whether a parenthesis opens the parameters of a def.
func (r *rewriter) behindDef(i int) bool {
	depth := 0
	for i--; i >= 0; i-- {
		t := r.tokens[i]
		switch {
		case t.quiet():
		case t.text == "]":
			depth++
		case t.text == "[":
			depth--
		case depth > 0:
		case t.kind == tName || t.kind == tMvar || t.kind == tDots:
			return r.before(i).text == "def"
		default:
			return false
		}
	}
	return false
}

// endItem gives a parameter behind one with a default a default of its own,
// which only the grammar asks for.
func (r *rewriter) endItem(i int) {
	b := r.top()
	if !b.params || b.first {
		return
	}
	switch {
	case b.star:
		if r.before(i).text != "/" {
			b.anyStar = true
		}
	case b.hasValue:
		b.defaults = b.defaults || !b.anyStar
	case b.defaults && !b.anyStar:
		r.tokens[i].out = "=" + holderNone + r.tokens[i].out
	}
	b.hasValue, b.star = false, false
}

// closeBrace makes the dots of a dict into pairs.
func (r *rewriter) closeBrace() {
	if b := r.top(); b.open == "{" && b.colon {
		for _, i := range b.dots {
			r.count++
			r.tokens[i].out = "...: ..."
		}
	}
}

// stringOut replaces the metavariables in the fields of an f-string, and takes
// a regular expression as it is written.
func stringOut(s string) string {
	n := strings.IndexAny(s, `"'`)
	prefix, rest := strings.ToLower(s[:n]), s[n:]
	if prefix == "" && strings.HasPrefix(strings.TrimLeft(rest, `"'`), "=~/") {
		return "r" + rest
	}
	if !strings.ContainsAny(prefix, "ft") || !strings.Contains(rest, "$") {
		return s
	}
	var out strings.Builder
	out.WriteString(s[:n])
	depth := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '$':
			if t, err := metavariable(rest[i:]); err == nil && depth%2 == 1 && t.kind == tMvar {
				out.WriteString(holderMvar + t.text[1:])
				i += len(t.text) - 1
				continue
			}
		}
		out.WriteByte(rest[i])
	}
	return out.String()
}
