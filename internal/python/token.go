package python

// kind is the kind of a token.
type kind uint8

const (
	tEOF kind = iota
	tError
	tNewline
	tIndent
	tDedent
	tName
	tNumber
	tString
	tFStart
	tFMiddle
	tFEnd

	tLPar
	tRPar
	tLSqb
	tRSqb
	tLBrace
	tRBrace
	tColon
	tComma
	tSemi
	tDot
	tEllipsis
	tArrow
	tColonEq
	tAssign
	tExclam
	tTilde

	// The binary operators, in the order of Operator.
	tPlus
	tMinus
	tStar
	tAt
	tSlash
	tPercent
	tDoubleStar
	tLShift
	tRShift
	tVBar
	tCircumflex
	tAmper
	tDoubleSlash

	// The augmented assignments, in the order of Operator.
	tPlusEq
	tMinusEq
	tStarEq
	tAtEq
	tSlashEq
	tPercentEq
	tDoubleStarEq
	tLShiftEq
	tRShiftEq
	tVBarEq
	tCircumflexEq
	tAmperEq
	tDoubleSlashEq

	tEqEq
	tNotEq
	tLess
	tLessEq
	tGreater
	tGreaterEq

	kAnd
	kAs
	kAssert
	kAsync
	kAwait
	kBreak
	kClass
	kContinue
	kDef
	kDel
	kElif
	kElse
	kExcept
	kFalse
	kFinally
	kFor
	kFrom
	kGlobal
	kIf
	kImport
	kIn
	kIs
	kLambda
	kNone
	kNonlocal
	kNot
	kOr
	kPass
	kRaise
	kReturn
	kTrue
	kTry
	kWhile
	kWith
	kYield

	kindCount
)

// precedence is how tightly a binary operator binds; 0: not one. The power
// operator binds tighter than a unary operator and is handled apart.
var precedence = [kindCount]uint8{
	tVBar:        1,
	tCircumflex:  2,
	tAmper:       3,
	tLShift:      4,
	tRShift:      4,
	tPlus:        5,
	tMinus:       5,
	tStar:        6,
	tSlash:       6,
	tDoubleSlash: 6,
	tPercent:     6,
	tAt:          6,
}

// keyword returns the kind of a name: tName or that of a keyword.
func keyword(s string) kind {
	switch s {
	case "and":
		return kAnd
	case "as":
		return kAs
	case "assert":
		return kAssert
	case "async":
		return kAsync
	case "await":
		return kAwait
	case "break":
		return kBreak
	case "class":
		return kClass
	case "continue":
		return kContinue
	case "def":
		return kDef
	case "del":
		return kDel
	case "elif":
		return kElif
	case "else":
		return kElse
	case "except":
		return kExcept
	case "False":
		return kFalse
	case "finally":
		return kFinally
	case "for":
		return kFor
	case "from":
		return kFrom
	case "global":
		return kGlobal
	case "if":
		return kIf
	case "import":
		return kImport
	case "in":
		return kIn
	case "is":
		return kIs
	case "lambda":
		return kLambda
	case "None":
		return kNone
	case "nonlocal":
		return kNonlocal
	case "not":
		return kNot
	case "or":
		return kOr
	case "pass":
		return kPass
	case "raise":
		return kRaise
	case "return":
		return kReturn
	case "True":
		return kTrue
	case "try":
		return kTry
	case "while":
		return kWhile
	case "with":
		return kWith
	case "yield":
		return kYield
	}
	return tName
}

// token is one token. start and end are offsets into the lexer's source; the
// columns are what CPython reports, which differs from the offsets inside the
// expressions of an f-string.
type token struct {
	kind     kind
	nonASCII bool
	start    int32
	end      int32
	line     int32
	col      int32
	endLine  int32
	endCol   int32
}

// Byte classes.
const (
	cIdent = 1 << iota // may continue a name (every byte of a non-ASCII rune too)
	cDigit
	cHex
	cSpace
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
			t[c] |= cIdent
		case c >= '0' && c <= '9':
			t[c] |= cIdent | cDigit | cHex
		case c == ' ', c == '\t', c == '\f':
			t[c] |= cSpace
		}
		if c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' {
			t[c] |= cHex
		}
	}
	return t
}()
