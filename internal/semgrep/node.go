package semgrep

import (
	"palisade/internal/python"
)

// kind is the sort of a node.
type kind uint8

// The kinds. What stands in brackets are the children, in order; a question
// mark says that one may be nil.
const (
	// Names and literals.
	kName  kind = iota + 1 // a name used as an expression
	kIdent                 // a name elsewhere: of an attribute, a parameter, a definition
	kPath                  // a module's path; its text is the whole, its children the parts
	kConst                 // a literal
	kText                  // the content of a string, where a metavariable is bound to it

	// Expressions.
	kAttr      // [value, ident]
	kCall      // [function, args]
	kIndex     // [value, index]
	kSlice     // [lower?, upper?, step?]
	kBinary    // [left, right]; the text is the operator
	kBool      // operands; "and" or "or"
	kUnary     // [operand]
	kCompare   // operands; the text holds all operators
	kLambda    // [params, body]
	kIfExp     // [body, test, else]
	kDict      // pairs and double stars
	kSet       // elements
	kList      // elements
	kTuple     // elements
	kComp      // [element, seq of clauses]; the text is the bracket
	kClause    // [target, iter, seq of conditions]
	kAwait     // [value]
	kYield     // [value?]
	kYieldFrom // [value]
	kWalrus    // [target, value]
	kFString   // literals and fields; "t" for a template string
	kField     // [value, format?]; the text is the conversion
	kStar      // [value]

	// Parts of expressions and statements.
	kArgs       // arguments of a call
	kKeyword    // [ident, value]
	kDoubleStar // [value]
	kPair       // [key, value]
	kParams     // parameters
	kParam      // [ident, annotation?, default?]; the text is "", "*", "**" or "/"
	kSeq        // an ordered list
	kDecorators // decorators
	kDecorator  // [expression, args, the whole as a call?]
	kBases      // bases and keywords of a class
	kHandlers   // exception handlers
	kHandler    // [types?, ident?, body]
	kWithItem   // [value, target?]
	kCase       // [pattern, guard?, body]
	kCasePart   // a part of a case's pattern; the text is its class
	kEntry      // [path, ident?] of an import; the text is "*" for all names

	// Statements.
	kFunc     // [decorators, ident, params, returns?, body]
	kClass    // [decorators, ident, bases?, body]
	kReturn   // [value?]
	kDelete   // [seq]
	kAssign   // [seq of targets, value?, annotation?]
	kAugment  // [target, value]; the text is the operator
	kFor      // [target, iter, body, else?]
	kWhile    // [test, body, else?]
	kIf       // [test, body, else?]
	kWith     // [seq of items, body]
	kMatch    // [subject, seq of cases]
	kRaise    // [exception?, cause?]
	kTry      // [body, handlers, else?, finally?]
	kAssert   // [test, message?]
	kImport   // entries; the text is "from" or "import"
	kScope    // [seq of idents]; "global" or "nonlocal"
	kAlias    // [name, value] of `type`
	kExprStmt // [value]
	kPass
	kBreak
	kContinue
	kBody // a block of statements

	// In patterns only.
	kMvar  // $X; the text is the name with its dollar
	kMvars // $...X
	kDots  // ...
	kDeep  // [expression]: <... e ...>
	kTyped // [type]: ($X: T)

	kinds
)

// isStmt reports whether nodes of the kind are statements.
func (k kind) isStmt() bool { return k >= kFunc && k < kBody }

// isExpr reports whether nodes of the kind are expressions.
func (k kind) isExpr() bool {
	return k >= kAttr && k <= kFString || k == kName || k == kConst
}

// place is a line, counted from 1, and a column in bytes, counted from 0, in
// one number that compares.
type place uint64

func at(line, col int) place { return place(line)<<32 | place(uint32(col)) }

func (p place) line() int { return int(p >> 32) }
func (p place) col() int  { return int(uint32(p)) }

// span is where something stands; to is behind its last byte.
type span struct{ from, to place }

// within reports whether s lies inside o.
func (s span) within(o span) bool { return o.from <= s.from && s.to <= o.to }

// node is any part of a program or of a pattern.
type node struct {
	kind kind
	text string
	kids []*node
	span
	lit *python.Value // of a kConst
	re  *expression   // of a string "=~/re/" in a pattern
	// known is what constant propagation found for an expression.
	known *value
	// sym is what a name was last set to, where that is certain.
	sym *node
	// alias is what an import makes of a name: the dotted expression.
	alias *node
	// id numbers the nodes of a tree in preorder; statements are numbered by
	// first, and end is the number of the first statement behind them.
	id         uint32
	first, end int32
}

// kid returns a child, or nil where there is none.
func (n *node) kid(i int) *node {
	if i >= len(n.kids) {
		return nil
	}
	return n.kids[i]
}

// walk calls f for n and what is below it, parents first, as long as f says so.
func (n *node) walk(f func(*node) bool) {
	if n == nil || !f(n) {
		return
	}
	for _, k := range n.kids {
		k.walk(f)
	}
}

// header calls f for the expressions of a statement itself, not for those of
// the statements inside it.
func (n *node) header(f func(*node)) {
	for _, k := range n.kids {
		switch {
		case k == nil || k.kind == kBody || k.kind == kIdent:
		case k.kind.isExpr():
			f(k)
		default:
			k.header(f)
		}
	}
}

// dotted returns the names of a chain of attributes, joined by dots, or "".
func (n *node) dotted() string {
	switch {
	case n.kind == kName || n.kind == kIdent || n.kind == kPath:
		return n.text
	case n.kind == kAttr && n.kids[1].kind == kIdent:
		if left := n.kids[0].dotted(); left != "" {
			return left + "." + n.kids[1].text
		}
	}
	return ""
}
