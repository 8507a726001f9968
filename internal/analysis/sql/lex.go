package sql

import (
	"fmt"
	"strings"
)

// maxDepth bounds brackets inside one another. The parser recurses with them;
// queries that people and generators write stay far below, and PostgreSQL,
// MySQL and SQLite give up at depths of some hundreds to some thousands.
const maxDepth = 200

// lexer cuts a part of a source into tokens, as one dialect's server does.
type lexer struct {
	d       dialect
	src     string // up to the end of the part
	pos     int
	tokens  []token
	notes   []note
	version int  // MySQL: version comments that are open
	depth   int  // brackets that are open
	old     bool // letters behind a number are the next word, as in PostgreSQL before 15
}

// note is something that the lexer saw and no token shows.
type note struct {
	pos  int
	what string
	why  string
}

// lexError is a place and what is wrong there.
type lexError struct {
	pos int
	msg string
}

func (e *lexError) Error() string { return e.msg }

// lex gives the tokens of src[lo:hi], the last one an end; with an error, those
// before it.
func lex(d dialect, src string, lo, hi int) ([]token, []note, error) {
	return (&lexer{d: d, src: src[:hi], pos: lo}).all()
}

func (l *lexer) all() ([]token, []note, error) {
	for {
		if err := l.blank(); err != nil {
			return l.tokens, l.notes, err
		}
		if l.pos >= len(l.src) {
			break
		}
		if err := l.next(); err != nil {
			return l.tokens, l.notes, err
		}
	}
	if l.version > 0 {
		return l.tokens, l.notes, l.fail(l.pos, "a version comment does not end")
	}
	l.tokens = append(l.tokens, token{kind: end, lo: len(l.src), hi: len(l.src)})
	return l.tokens, l.notes, nil
}

func (l *lexer) fail(pos int, msg string) error { return &lexError{pos, msg} }

// at gives the byte n places ahead; 0 at the end. A source has no NUL.
func (l *lexer) at(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

func (l *lexer) has(s string) bool { return strings.HasPrefix(l.src[l.pos:], s) }

func (l *lexer) emit(k kind, text string, lo int) *token {
	l.tokens = append(l.tokens, token{kind: k, text: text, lo: lo, hi: l.pos})
	return &l.tokens[len(l.tokens)-1]
}

// next reads one token; the position is not at a blank.
func (l *lexer) next() error {
	lo, c := l.pos, l.at(0)
	switch {
	case c == '\'':
		return l.quotedString(lo, plainString)
	case c == '"':
		if l.d == mysql {
			return l.quotedString(lo, plainString)
		}
		return l.quotedName(lo, '"')
	case c == '`' && l.d != postgresql:
		return l.quotedName(lo, '`')
	case c == '[' && l.d == sqlite:
		return l.bracketName(lo)
	case c == '\\' && l.d != sqlite:
		return l.clientCommand(lo)
	case c == '.' && l.d == sqlite && l.startsStatement() && isLetter(l.at(1)):
		return l.clientCommand(lo)
	case isDigit(c) && l.afterDot(), c == '.' && l.afterName():
		return l.partOfName(lo)
	case isDigit(c) || c == '.' && isDigit(l.at(1)):
		return l.numberOrWord(lo)
	case c == '$':
		return l.dollar(lo)
	case c == '?' && l.d != postgresql, (c == ':' || c == '@' || c == '#') && l.d == sqlite && isWordByte(l.at(1)):
		return l.parameter(lo)
	case c == '@' && l.d == mysql:
		return l.userVariable(lo)
	case isWordStart(c):
		return l.wordOrPrefix(lo)
	}
	return l.operator(lo)
}

// startsStatement reports whether the next token is the first of a statement.
func (l *lexer) startsStatement() bool {
	return len(l.tokens) == 0 || l.tokens[len(l.tokens)-1].op(";") || l.tokens[len(l.tokens)-1].kind == meta
}

// afterDot and afterName say that MySQL reads what follows as the next part of
// a name, even where it starts with a digit (9.2 of its manual).
func (l *lexer) afterDot() bool {
	n := len(l.tokens)
	return l.d == mysql && n > 0 && l.tokens[n-1].op(".") && l.tokens[n-1].hi == l.pos
}

func (l *lexer) afterName() bool {
	n := len(l.tokens)
	return l.d == mysql && n > 0 && (l.tokens[n-1].kind == word || l.tokens[n-1].kind == quoted) && l.tokens[n-1].hi == l.pos
}

func (l *lexer) partOfName(lo int) error {
	if l.at(0) == '.' {
		l.pos++
		l.emit(op, ".", lo)
		return nil
	}
	return l.wordAt(lo)
}

// blank skips white space and comments.
func (l *lexer) blank() error {
	for l.pos < len(l.src) {
		c := l.at(0)
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			l.pos++
		case l.has("--") && (l.d != mysql || l.at(2) <= ' '):
			l.line()
		case c == '#' && l.d == mysql:
			l.line()
		case l.has("/*"):
			if err := l.comment(); err != nil {
				return err
			}
		case l.version > 0 && l.has("*/"):
			l.version--
			l.pos += 2
		default:
			return nil
		}
	}
	return nil
}

// line skips to the end of the line.
func (l *lexer) line() {
	if i := strings.IndexByte(l.src[l.pos:], '\n'); i >= 0 {
		l.pos += i + 1
		return
	}
	l.pos = len(l.src)
}

// comment skips a comment between /* and */. PostgreSQL's nest. MySQL runs what
// stands in /*! and obeys what stands in /*+.
func (l *lexer) comment() error {
	lo := l.pos
	if l.d == mysql {
		rest := strings.TrimPrefix(l.src[lo+2:], "M") // MariaDB's own: /*M!
		if strings.HasPrefix(rest, "!") {
			l.pos = len(l.src) - len(rest) + 1
			for isDigit(l.at(0)) {
				l.pos++
			}
			l.version++
			l.notes = append(l.notes, note{lo, "version comment", "some versions of the server run the text inside it"})
			return nil
		}
	}
	l.pos += 2
	for depth := 1; depth > 0; {
		i := strings.IndexAny(l.src[l.pos:], "*/")
		if i < 0 {
			if l.d == sqlite { // SQLite ends it at the end of the text
				l.pos = len(l.src)
				return nil
			}
			return l.fail(lo, "a comment does not end")
		}
		l.pos += i
		switch {
		case l.has("*/"):
			depth--
			l.pos += 2
		case l.has("/*") && l.d == postgresql:
			depth++
			l.pos += 2
		default:
			l.pos++
		}
	}
	if body := l.src[lo:l.pos]; l.d == mysql && strings.HasPrefix(body, "/*+") && strings.Contains(strings.ToLower(body), "set_var") {
		l.notes = append(l.notes, note{lo, "SET_VAR", "an optimizer hint sets a variable"})
	}
	return nil
}

// numberOrWord reads a number; in MySQL a name may start with digits.
func (l *lexer) numberOrWord(lo int) error {
	n := l.numberLength()
	if l.d == mysql {
		run := 0
		for isWordByte(l.at(run)) {
			run++
		}
		if run > n {
			l.pos += run
			l.emit(word, strings.ToLower(l.src[lo:l.pos]), lo)
			return nil
		}
	}
	l.pos += n
	if isWordStart(l.at(0)) && !l.old {
		return l.fail(lo, "letters follow a number")
	}
	l.emit(number, l.src[lo:l.pos], lo)
	return nil
}

// numberLength is the length of the number at the position.
func (l *lexer) numberLength() int {
	n := 0
	digits := func(ok func(byte) bool) {
		for ok(l.at(n)) || l.at(n) == '_' && l.d != mysql && ok(l.at(n+1)) {
			n++
		}
	}
	if l.at(0) == '0' {
		ok := isDigit
		switch l.at(1) | 0x20 {
		case 'x':
			ok = isHex
		case 'o', 'b':
		default:
			ok = nil
		}
		if ok != nil && ok(l.at(2)) {
			n = 2
			digits(ok)
			return n
		}
	}
	digits(isDigit)
	// In PostgreSQL two dots are a range of PL/pgSQL, not a fraction.
	if l.at(n) == '.' && !(l.d == postgresql && l.at(n+1) == '.') {
		n++
		digits(isDigit)
	}
	if l.at(n)|0x20 == 'e' {
		sign := 0
		if c := l.at(n + 1); c == '+' || c == '-' {
			sign = 1
		}
		if isDigit(l.at(n + 1 + sign)) {
			n += 1 + sign
			digits(isDigit)
		}
	}
	return n
}

// parameter reads ?, ?1, :name, @name, #name.
func (l *lexer) parameter(lo int) error {
	l.pos++
	for isWordByte(l.at(0)) {
		l.pos++
	}
	l.emit(param, l.src[lo:l.pos], lo)
	return nil
}

// userVariable reads MySQL's @name, @'name' and @@scope.name.
func (l *lexer) userVariable(lo int) error {
	for l.at(0) == '@' {
		l.pos++
	}
	if c := l.at(0); c == '\'' || c == '"' || c == '`' {
		i := strings.IndexByte(l.src[l.pos+1:], c)
		if i < 0 {
			return l.fail(lo, "a quoted variable does not end")
		}
		l.pos += i + 2
	}
	for isWordByte(l.at(0)) || l.at(0) == '.' {
		l.pos++
	}
	l.emit(variable, strings.ToLower(l.src[lo:l.pos]), lo)
	return nil
}

// clientCommand reads a command of psql, mysql or sqlite3 to the end of its line.
func (l *lexer) clientCommand(lo int) error {
	if c := l.at(1); l.d == mysql && (c == 'g' || c == 'G') && !isWordByte(l.at(2)) {
		l.pos += 2
		l.emit(op, ";", lo)
		return nil
	}
	l.line()
	l.emit(meta, strings.TrimSpace(l.src[lo:l.pos]), lo)
	return nil
}

// operator reads punctuation and operators.
func (l *lexer) operator(lo int) error {
	switch c := l.at(0); c {
	case '(', '[', '{':
		if l.depth++; l.depth > maxDepth {
			return &budgetError{fmt.Sprintf("brackets are more than %d deep", maxDepth)}
		}
	case ')', ']', '}':
		l.depth--
	}
	n := 1
	if l.d == postgresql && strings.IndexByte(operatorBytes, l.at(0)) >= 0 {
		if n = l.operatorRun(); n > maxOperator {
			return l.fail(lo, "an operator is too long")
		}
	} else {
		for _, long := range [...]string{"->>", "<=>", "::", ":=", "=>", "->", "||", "&&", "<=", ">=", "<>", "!=", "==", "<<", ">>"} {
			if l.has(long) {
				n = len(long)
				break
			}
		}
	}
	c := l.at(0)
	if n == 1 && strings.IndexByte(operatorBytes+"()[]{},;.:", c) < 0 {
		return l.fail(lo, fmt.Sprintf("the character %q belongs to no word", c))
	}
	l.pos += n
	l.emit(op, l.src[lo:l.pos], lo)
	return nil
}

// operatorBytes are those of which PostgreSQL builds operators (4.1.3 of its manual).
const operatorBytes = "+-*/<>=~!@#%^&|`?"

// maxOperator bounds an operator with the signs behind it; PostgreSQL's own
// bound for an operator is 63 bytes.
const maxOperator = 200

// operatorRun is the length of PostgreSQL's operator at the position: the
// longest run that holds no comment and ends in + or - only where the manual
// (4.1.3) lets it.
func (l *lexer) operatorRun() int {
	n := 0
	for strings.IndexByte(operatorBytes, l.at(n)) >= 0 && l.pos+n < len(l.src) {
		if rest := l.src[l.pos+n:]; n > 0 && (strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*")) {
			break
		}
		if n++; n > maxOperator {
			return n
		}
	}
	for n > 1 && (l.at(n-1) == '+' || l.at(n-1) == '-') && !strings.ContainsAny(l.src[l.pos:l.pos+n-1], "~!@#%^&|`?") {
		n--
	}
	return n
}

func isDigit(c byte) bool     { return c >= '0' && c <= '9' }
func isHex(c byte) bool       { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func isLetter(c byte) bool    { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isWordStart(c byte) bool { return isLetter(c) || c == '_' || c >= 0x80 }
func isWordByte(c byte) bool  { return isWordStart(c) || isDigit(c) || c == '$' }
