package sql

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// stringForm says how a string literal's backslashes count.
type stringForm uint8

const (
	plainString   stringForm = iota // as the dialect's default has it
	escapeString                    // E'…'
	unicodeString                   // U&'…'
	rawString                       // X'…', B'…'
)

// wordOrPrefix reads a word, or the prefix of a string: E”, U&”, N”, X”, B”.
func (l *lexer) wordOrPrefix(lo int) error {
	quote := l.at(1) == '\''
	switch c := l.at(0) | 0x20; {
	case c == 'e' && quote && l.d == postgresql:
		l.pos++
		return l.quotedString(lo, escapeString)
	case (c == 'x' || c == 'b') && quote:
		l.pos++
		return l.quotedString(lo, rawString)
	case c == 'n' && quote && l.d != sqlite:
		l.pos++
		return l.quotedString(lo, plainString)
	case c == 'u' && l.d == postgresql && l.at(1) == '&' && (l.at(2) == '\'' || l.at(2) == '"'):
		l.pos += 2
		if l.at(0) == '"' {
			if err := l.quotedName(lo, '"'); err != nil {
				return err
			}
			return l.unicodeEscapes(&l.tokens[len(l.tokens)-1])
		}
		return l.quotedString(lo, unicodeString)
	}
	for isWordByte(l.at(0)) {
		l.pos++
	}
	// Only ASCII folds: PostgreSQL and SQLite leave other letters alone.
	l.emit(word, lower(l.src[lo:l.pos]), lo)
	return nil
}

// lower folds ASCII letters.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// quotedString reads a string literal; the position is at its quote. Adjacent
// literals are one, in PostgreSQL where a new line parts them.
func (l *lexer) quotedString(lo int, form stringForm) error {
	backslash := form == escapeString || form == plainString && l.d == mysql
	var b strings.Builder
	for {
		if err := l.stringPart(&b, form, backslash); err != nil {
			return err
		}
		if !l.continues() {
			break
		}
	}
	t := l.emit(text, b.String(), lo)
	t.escaped = backslash && strings.Contains(l.src[lo:l.pos], `\`)
	if form == unicodeString {
		return l.unicodeEscapes(t)
	}
	return nil
}

// stringPart reads one literal between quotes into b.
func (l *lexer) stringPart(b *strings.Builder, form stringForm, backslash bool) error {
	lo, quote := l.pos, l.at(0)
	l.pos++
	for l.pos < len(l.src) {
		c := l.at(0)
		switch {
		case c == quote && l.at(1) == quote:
			b.WriteByte(c)
			l.pos += 2
		case c == quote:
			l.pos++
			return nil
		case c == '\\' && backslash:
			if form == plainString {
				l.doubtful(quote)
			}
			l.backslash(b)
		default:
			if c == '\\' && form == plainString && l.d == postgresql {
				l.doubtful(quote)
			}
			b.WriteByte(c)
			l.pos++
		}
	}
	return l.fail(lo, "a string does not end")
}

// doubtful notes a backslash before a quote in a plain string: whether the
// string ends there depends on a setting of the server
// (standard_conforming_strings, NO_BACKSLASH_ESCAPES, ANSI_QUOTES).
func (l *lexer) doubtful(quote byte) {
	if l.at(1) == quote {
		l.notes = append(l.notes, note{l.pos, "backslash before a quote", "where the string ends depends on a setting of the server"})
	}
}

// continues moves to the next literal where it is one with the last.
func (l *lexer) continues() bool {
	if l.d == sqlite {
		return false
	}
	start, line := l.pos, false
	for {
		c := l.at(0)
		switch {
		case c == '\n':
			line = true
			l.pos++
		case c == ' ' || c >= '\t' && c <= '\r':
			l.pos++
		case l.d == postgresql && l.has("--"):
			l.line()
			line = true
		case c == '\'' && (l.d == mysql || line), c == '"' && l.d == mysql:
			if l.pos == start { // a doubled quote would have been read
				return false
			}
			return true
		default:
			l.pos = start
			return false
		}
	}
}

// simpleEscapes are the letters that a backslash gives a meaning: PostgreSQL's
// manual 4.1.2.2, MySQL's 11.1.1.
var simpleEscapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// backslash decodes the escape at the position.
func (l *lexer) backslash(b *strings.Builder) {
	c := l.at(1)
	l.pos = min(l.pos+2, len(l.src))
	if l.d == mysql {
		switch c {
		case '0':
			b.WriteByte(0)
		case 'Z':
			b.WriteByte(26)
		case 'b', 'n', 'r', 't':
			b.WriteByte(simpleEscapes[c])
		default:
			b.WriteByte(c)
		}
		return
	}
	number := func(ok func(byte) bool, base, most int) (uint64, bool) {
		n := 0
		for n < most && ok(l.at(n)) {
			n++
		}
		v, err := strconv.ParseUint(l.src[l.pos:l.pos+n], base, 32)
		l.pos += n
		return v, err == nil
	}
	octal := func(c byte) bool { return c >= '0' && c <= '7' }
	switch {
	case simpleEscapes[c] != 0:
		b.WriteByte(simpleEscapes[c])
	case c == 'x' && isHex(l.at(0)):
		v, _ := number(isHex, 16, 2)
		b.WriteByte(byte(v))
	case octal(c):
		l.pos--
		v, _ := number(octal, 8, 3)
		b.WriteByte(byte(v))
	case c == 'u':
		v, _ := number(isHex, 16, 4)
		b.WriteRune(rune(v))
	case c == 'U':
		v, _ := number(isHex, 16, 8)
		b.WriteRune(rune(v & 0x1fffff))
	default:
		b.WriteByte(c)
	}
}

// quotedName reads a quoted identifier; the position is at its quote.
func (l *lexer) quotedName(lo int, quote byte) error {
	l.pos++
	var b strings.Builder
	for l.pos < len(l.src) {
		c := l.at(0)
		if c == quote && l.at(1) != quote {
			if l.pos++; b.Len() == 0 && l.d != sqlite {
				return l.fail(lo, "a quoted name is empty")
			}
			l.emit(quoted, b.String(), lo)
			return nil
		}
		if c == quote {
			l.pos++
		}
		b.WriteByte(c)
		l.pos++
	}
	return l.fail(lo, "a quoted name does not end")
}

// bracketName reads SQLite's [name].
func (l *lexer) bracketName(lo int) error {
	i := strings.IndexByte(l.src[lo:], ']')
	if i < 0 {
		return l.fail(lo, "a name in brackets does not end")
	}
	l.pos = lo + i + 1
	l.emit(quoted, l.src[lo+1:lo+i], lo)
	return nil
}

// unicodeEscapes decodes the \XXXX and \+XXXXXX of U&'…' and U&"…"
// (PostgreSQL's manual 4.1.2.3), with another escape character where UESCAPE
// names one.
func (l *lexer) unicodeEscapes(t *token) error {
	escape := byte('\\')
	start := l.pos
	if err := l.blank(); err != nil {
		return err
	}
	if rest := l.src[l.pos:]; len(rest) > 7 && strings.EqualFold(rest[:7], "uescape") && !isWordByte(rest[7]) {
		l.pos += 7
		if err := l.blank(); err != nil {
			return err
		}
		if l.at(0) != '\'' || l.at(1) == 0 || l.at(2) != '\'' {
			return l.fail(l.pos, "UESCAPE needs one character")
		}
		escape = l.at(1)
		l.pos += 3
	} else {
		l.pos = start
	}
	decoded, ok := decodeUnicode(t.text, escape)
	if !ok {
		return l.fail(t.lo, "a Unicode escape is not complete")
	}
	t.escaped = decoded != t.text
	t.text, t.hi = decoded, l.pos
	return nil
}

func decodeUnicode(s string, escape byte) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != escape {
			b.WriteByte(s[i])
			i++
			continue
		}
		i++
		if i < len(s) && s[i] == escape {
			b.WriteByte(escape)
			i++
			continue
		}
		n := 4
		if i < len(s) && s[i] == '+' {
			i, n = i+1, 6
		}
		if i+n > len(s) {
			return "", false
		}
		v, err := strconv.ParseUint(s[i:i+n], 16, 32)
		if err != nil || v > utf8.MaxRune {
			return "", false
		}
		b.WriteRune(rune(v))
		i += n
	}
	return b.String(), true
}

// dollar reads $1, $tag$…$tag$ and SQLite's $name.
func (l *lexer) dollar(lo int) error {
	if l.d == mysql {
		return l.wordAt(lo)
	}
	n := 1
	for isWordByte(l.at(n)) && l.at(n) != '$' {
		n++
	}
	if l.d == sqlite || isDigit(l.at(1)) {
		if n == 1 {
			return l.fail(lo, "a parameter has no name")
		}
		l.pos += n
		l.emit(param, l.src[lo:l.pos], lo)
		return nil
	}
	if l.at(n) != '$' {
		return l.fail(lo, "a dollar sign belongs to no word")
	}
	tag := l.src[lo : lo+n+1]
	body := lo + len(tag)
	i := strings.Index(l.src[body:], tag)
	if i < 0 {
		return l.fail(lo, "a dollar-quoted string does not end")
	}
	l.pos = body + i + len(tag)
	t := l.emit(text, l.src[body:body+i], lo)
	t.body = body
	return nil
}

// wordAt reads a word that may start with a dollar sign.
func (l *lexer) wordAt(lo int) error {
	for isWordByte(l.at(0)) {
		l.pos++
	}
	l.emit(word, lower(l.src[lo:l.pos]), lo)
	return nil
}
