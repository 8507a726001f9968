package python

import (
	"strings"
)

const (
	maxParens  = 200 // CPython's MAXLEVEL
	maxIndents = 100 // CPython's MAXINDENT
	maxFString = 150 // CPython's MAXFSTRINGLEVEL
)

// lexer cuts a source into tokens, one at a time, as CPython's tokenizer does.
// Its source ends with a newline and a NUL, which occurs nowhere else. It is a
// plain value: a copy may run ahead without disturbing the original, as long as
// both stand outside of f-strings.
type lexer struct {
	src       string
	pos       int
	lineStart int // offset at which the columns of this line count from 0
	line      int32
	minor     int // of Python 3
	level     int
	atBOL     bool
	pending   int // INDENTs (positive) or DEDENTs (negative) to give
	indent    int
	parens    [maxParens]byte
	indents   *[maxIndents]indent
	modes     []fmode
	err       *SyntaxError // set with tError
}

// indent is one level of indentation, measured with tabs to 8 and to 1.
type indent struct{ col, alt int32 }

func (lx *lexer) fail(t *token, start int, msg string) {
	lx.err = &SyntaxError{
		Msg:     msg,
		Line:    int(lx.line),
		Col:     start - lx.lineStart,
		EndLine: int(lx.line),
		EndCol:  lx.pos - lx.lineStart,
	}
	if lx.err.Col < 0 {
		lx.err.Col = 0
	}
	if lx.err.EndCol < lx.err.Col {
		lx.err.EndCol = lx.err.Col
	}
	t.kind = tError
}

// next reads the next token into t.
func (lx *lexer) next(t *token) {
	if n := len(lx.modes); n > 0 && lx.modes[n-1].literal {
		lx.nextLiteral(t)
		return
	}
	src, pos := lx.src, lx.pos
	blank := false
nextLine:
	if lx.atBOL {
		lx.atBOL = false
		var ok bool
		if pos, blank, ok = lx.indentation(t, pos); !ok {
			return
		}
	}
	if lx.pending != 0 {
		lx.pos = pos
		lx.point(t, pos)
		if lx.pending < 0 {
			lx.pending++
			t.kind = tDedent
		} else {
			lx.pending--
			t.kind = tIndent
		}
		return
	}
again:
	c := src[pos]
	for class[c]&cSpace != 0 {
		pos++
		c = src[pos]
	}
	start := pos
	t.start, t.line, t.col = int32(pos), lx.line, int32(pos-lx.lineStart)
	t.nonASCII = false
	switch {
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80:
		bits := c
		pos++
		for c = src[pos]; class[c]&cIdent != 0; c = src[pos] {
			bits |= c
			pos++
		}
		if (c == '"' || c == '\'') && pos-start <= 2 {
			if pre, ok := lx.prefix(src[start:pos]); ok {
				if pre.f && (lx.minor >= 12) {
					lx.startLiteral(t, start, pos, pre)
				} else {
					lx.str(t, start, pos)
				}
				return
			}
		}
		t.kind = tName
		if bits >= 0x80 {
			t.nonASCII = true
			lx.pos = pos
			if at, bad := badIdentifier(src[start:pos]); bad {
				lx.fail(t, start+at, "invalid character in identifier")
				return
			}
		} else if n := pos - start; n >= 2 && n <= 8 {
			t.kind = keyword(src[start:pos])
		}
	case c >= '0' && c <= '9' || c == '.' && class[src[pos+1]]&cDigit != 0:
		end, msg := number(src, pos, lx.minor)
		lx.pos = end
		if msg != "" {
			lx.fail(t, start, msg)
			return
		}
		pos = end
		t.kind = tNumber
	case c == '"' || c == '\'':
		lx.str(t, start, pos)
		return
	case c == '\n':
		pos++
		lx.atBOL = true
		if blank || lx.level > 0 {
			blank = false
			lx.line++
			lx.lineStart = pos
			goto nextLine
		}
		t.kind = tNewline
		lx.finish(t, pos)
		lx.line++
		lx.lineStart = pos
		return
	case c == '#':
		pos += strings.IndexByte(src[pos:], '\n')
		goto again
	case c == '\\':
		if pos = lx.continuation(t, pos); pos < 0 {
			return
		}
		goto again
	case c == 0:
		if pos == len(src)-1 {
			t.kind = tEOF
			lx.pos = pos
			lx.point(t, pos)
			return
		}
		lx.pos = pos
		lx.fail(t, start, "source code cannot contain null bytes")
		return
	default:
		lx.pos = pos
		lx.operator(t, c)
		return
	}
	lx.finish(t, pos)
}

// finish ends t at pos, on the current line.
func (lx *lexer) finish(t *token, pos int) {
	lx.pos = pos
	t.end, t.endLine, t.endCol = int32(pos), lx.line, int32(pos-lx.lineStart)
}

// point makes t an empty token at pos.
func (lx *lexer) point(t *token, pos int) {
	t.start, t.line, t.col = int32(pos), lx.line, int32(pos-lx.lineStart)
	t.end, t.endLine, t.endCol = t.start, t.line, t.col
}

// continuation passes a backslash and its newline. It returns -1 after failing.
func (lx *lexer) continuation(t *token, pos int) int {
	if lx.src[pos+1] != '\n' {
		lx.pos = pos + 1
		lx.fail(t, pos, "unexpected character after line continuation character")
		return -1
	}
	pos += 2
	lx.line++
	lx.lineStart = pos
	if pos == len(lx.src)-1 {
		lx.pos = pos
		lx.fail(t, pos, "unexpected EOF after line continuation character")
		return -1
	}
	return pos
}

// indentation measures the white space at the start of a line and sets pending.
// blank says that the line holds nothing but white space and a comment.
func (lx *lexer) indentation(t *token, pos int) (_ int, blank, ok bool) {
	src := lx.src
	var col, alt, contCol int32
loop:
	for {
		switch src[pos] {
		case ' ':
			col++
			alt++
		case '\t':
			col = (col/8 + 1) * 8
			alt++
		case '\f':
			col, alt = 0, 0
		case '\\':
			switch lx.minor {
			case 8:
				break loop
			case 9:
				return pos, true, true
			}
			if contCol == 0 {
				contCol = col
			}
			if pos = lx.continuation(t, pos); pos < 0 {
				return 0, false, false
			}
			continue
		default:
			break loop
		}
		pos++
	}
	if c := src[pos]; c == '#' || c == '\n' {
		return pos, true, true
	}
	if lx.level > 0 {
		return pos, false, true
	}
	if contCol != 0 {
		col, alt = contCol, contCol
	}
	lx.pos = pos
	top := lx.indents[lx.indent]
	switch {
	case col == top.col:
		if alt != top.alt {
			lx.fail(t, pos, "inconsistent use of tabs and spaces in indentation")
			return 0, false, false
		}
	case col > top.col:
		if lx.indent+1 >= maxIndents {
			lx.fail(t, pos, "too many levels of indentation")
			return 0, false, false
		}
		if alt <= top.alt {
			lx.fail(t, pos, "inconsistent use of tabs and spaces in indentation")
			return 0, false, false
		}
		lx.pending++
		lx.indent++
		lx.indents[lx.indent] = indent{col, alt}
	default:
		for lx.indent > 0 && col < lx.indents[lx.indent].col {
			lx.pending--
			lx.indent--
		}
		top = lx.indents[lx.indent]
		if col != top.col {
			lx.fail(t, pos, "unindent does not match any outer indentation level")
			return 0, false, false
		}
		if alt != top.alt {
			lx.fail(t, pos, "inconsistent use of tabs and spaces in indentation")
			return 0, false, false
		}
	}
	return pos, false, true
}

// stringPrefix is what stands before the quote of a literal.
type stringPrefix struct{ b, u, r, f, t bool }

// prefix reads the prefix of a string literal, of at most two letters.
func (lx *lexer) prefix(s string) (pre stringPrefix, ok bool) {
	for i := range len(s) {
		switch c := s[i] | 0x20; {
		case c == 'b' && !pre.b && !pre.u && !pre.f:
			pre.b = true
		case c == 'u' && pre == (stringPrefix{}):
			pre.u = true
		case c == 'r' && !pre.r && !pre.u:
			pre.r = true
		case c == 'f' && !pre.f && !pre.b && !pre.u:
			pre.f = true
		case c == 't' && lx.minor >= 14 && !pre.f && !pre.b && !pre.u:
			pre.f, pre.t = true, true
		default:
			return pre, false
		}
	}
	return pre, true
}

// str reads a string literal whose quote is at pos and makes it one token.
func (lx *lexer) str(t *token, start, pos int) {
	src := lx.src
	quote := src[pos]
	if src[pos+1] == quote && src[pos+2] == quote {
		lx.longString(t, start, pos+3, quote)
		return
	}
	line, lineStart := lx.line, lx.lineStart
	pos++
	for {
		switch c := src[pos]; {
		case c == quote:
			t.kind = tString
			lx.finish(t, pos+1)
			return
		case c == '\\':
			pos++
			if src[pos] == '\n' {
				lx.line++
				lx.lineStart = pos + 1
			}
			pos++
		case c == '\n' || c == 0:
			lx.line, lx.lineStart, lx.pos = line, lineStart, start+1
			lx.fail(t, start, "unterminated string literal")
			return
		default:
			pos++
		}
		if pos >= len(src) {
			lx.line, lx.lineStart, lx.pos = line, lineStart, start+1
			lx.fail(t, start, "unterminated string literal")
			return
		}
	}
}

// longString reads the rest of a triple-quoted literal, from pos.
func (lx *lexer) longString(t *token, start, pos int, quote byte) {
	src := lx.src
	line, lineStart := lx.line, lx.lineStart
	for pos < len(src)-1 {
		switch c := src[pos]; {
		case c == quote && src[pos+1] == quote && src[pos+2] == quote:
			t.kind = tString
			lx.finish(t, pos+3)
			return
		case c == '\\':
			pos++
			if src[pos] == '\n' {
				lx.line++
				lx.lineStart = pos + 1
			}
		case c == '\n':
			lx.line++
			lx.lineStart = pos + 1
		}
		pos++
	}
	lx.line, lx.lineStart, lx.pos = line, lineStart, start+1
	lx.fail(t, start, "unterminated triple-quoted string literal")
}

// operator reads an operator or a delimiter that starts with c.
func (lx *lexer) operator(t *token, c byte) {
	pos := lx.pos
	c1 := lx.src[pos+1]
	inField := len(lx.modes) > 0
	if inField && (c == ':' || c == '!') && lx.endField(t, c, c1) {
		return
	}
	n := 1
	// pick chooses between an operator and its augmented form.
	pick := func(plain, eq kind) {
		t.kind = plain
		if c1 == '=' {
			t.kind, n = eq, 2
		}
	}
	switch c {
	case '(':
		t.kind = tLPar
	case ')':
		t.kind = tRPar
	case '[':
		t.kind = tLSqb
	case ']':
		t.kind = tRSqb
	case '{':
		t.kind = tLBrace
	case '}':
		t.kind = tRBrace
	case ',':
		t.kind = tComma
	case ';':
		t.kind = tSemi
	case ':':
		pick(tColon, tColonEq)
	case '=':
		pick(tAssign, tEqEq)
	case '+':
		pick(tPlus, tPlusEq)
	case '%':
		pick(tPercent, tPercentEq)
	case '|':
		pick(tVBar, tVBarEq)
	case '^':
		pick(tCircumflex, tCircumflexEq)
	case '&':
		pick(tAmper, tAmperEq)
	case '@':
		pick(tAt, tAtEq)
	case '~':
		t.kind = tTilde
	case '.':
		t.kind = tDot
		if c1 == '.' && lx.src[pos+2] == '.' {
			t.kind, n = tEllipsis, 3
		}
	case '-':
		pick(tMinus, tMinusEq)
		if c1 == '>' {
			t.kind, n = tArrow, 2
		}
	case '!':
		pick(tExclam, tNotEq)
		if n == 1 && !inField {
			lx.fail(t, pos, "invalid syntax")
			return
		}
	case '*', '/', '<', '>':
		if c1 == c {
			n = 2
			t.kind = map2(c, tDoubleStar, tDoubleSlash, tLShift, tRShift)
			if lx.src[pos+2] == '=' {
				n = 3
				t.kind = map2(c, tDoubleStarEq, tDoubleSlashEq, tLShiftEq, tRShiftEq)
			}
			break
		}
		pick(map2(c, tStar, tSlash, tLess, tGreater), map2(c, tStarEq, tSlashEq, tLessEq, tGreaterEq))
	default:
		lx.pos++
		lx.fail(t, pos, "invalid character")
		return
	}
	if t.kind >= tLPar && t.kind <= tRBrace && !lx.bracket(t, c) {
		return
	}
	lx.finish(t, pos+n)
}

func map2(c byte, star, slash, less, greater kind) kind {
	switch c {
	case '*':
		return star
	case '/':
		return slash
	case '<':
		return less
	}
	return greater
}

// bracket keeps the stack of open brackets. It returns false after failing.
func (lx *lexer) bracket(t *token, c byte) bool {
	var mode *fmode
	if n := len(lx.modes); n > 0 {
		mode = &lx.modes[n-1]
	}
	switch t.kind {
	case tLPar, tLSqb, tLBrace:
		if lx.level >= maxParens {
			lx.fail(t, lx.pos, "too many nested parentheses")
			return false
		}
		lx.parens[lx.level] = c
		lx.level++
		if mode != nil {
			mode.depth++
		}
		return true
	}
	if mode != nil && mode.depth == 0 {
		lx.fail(t, lx.pos, "f-string: unmatched '"+string(c)+"'")
		return false
	}
	if lx.level == 0 {
		lx.fail(t, lx.pos, "unmatched '"+string(c)+"'")
		return false
	}
	lx.level--
	open := lx.parens[lx.level]
	if open == '(' && c != ')' || open == '[' && c != ']' || open == '{' && c != '}' {
		lx.fail(t, lx.pos, "closing parenthesis '"+string(c)+"' does not match opening parenthesis '"+string(open)+"'")
		return false
	}
	if mode != nil {
		mode.depth--
		if c == '}' && mode.depth == mode.field {
			mode.field--
			mode.literal = true
			// From 3.13 on doubled braces count again behind a nested field.
			mode.spec = mode.field >= 0 && lx.minor == 12
		}
	}
	return true
}
