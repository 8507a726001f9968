package sql

// kind says what a token is.
type kind uint8

const (
	end    kind = iota
	word        // an unquoted identifier or keyword, in lower case
	quoted      // a quoted identifier, decoded
	text        // a string literal, decoded
	number
	param    // a bound parameter: $1, ?, :name
	variable // MySQL's @name and @@name
	op       // an operator or punctuation
	meta     // a command of the client program, to the end of its line
)

// token is a word of SQL. lo and hi are its place in the source, in bytes.
type token struct {
	kind   kind
	text   string
	lo, hi int
	// body is where the content of a dollar-quoted string starts; 0: not one.
	body int
	// escaped says that the decoded text is not how the source spells it.
	escaped bool
}

// is reports whether t is one of the unquoted words.
func (t token) is(words ...string) bool {
	if t.kind != word {
		return false
	}
	for _, w := range words {
		if t.text == w {
			return true
		}
	}
	return false
}

// op reports whether t is one of the operators.
func (t token) op(ops ...string) bool {
	if t.kind != op {
		return false
	}
	for _, o := range ops {
		if t.text == o {
			return true
		}
	}
	return false
}

// name reports whether t can stand for an identifier.
func (t token) name() bool { return t.kind == quoted || t.kind == word && !reserved(t.text) }

// show is the token as a message names it.
func (t token) show() string {
	if t.kind == end {
		return "the end"
	}
	s := t.text
	if len(s) > 30 {
		s = s[:30]
	}
	return s
}
