package python

import "math/big"

// Pos is where a node stands in the normalized source: lines count from 1,
// columns are UTF-8 bytes from 0, and the end is just behind the last byte.
// These are CPython's lineno, col_offset, end_lineno and end_col_offset.
type Pos struct {
	Line, Col, EndLine, EndCol int
}

// Position returns p itself; by embedding it is how every node tells its place.
func (p Pos) Position() Pos { return p }

// Node is any part of the tree. Names and field order are those of
// Python.asdl in CPython 3.14; operators and contexts are enums, not nodes.
// The node types for which CPython keeps no position (Module, Comprehension,
// Arguments, WithItem, MatchCase) answer with that of their first child, or
// with the zero Pos.
type Node interface {
	Position() Pos
	// TypeName is CPython's class name, such as "FunctionDef" or "arg".
	TypeName() string
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Pattern is what stands behind `case`.
type Pattern interface {
	Node
	pattern()
}

// TypeParam is one parameter in the brackets of PEP 695.
type TypeParam interface {
	Node
	typeParam()
}

// Module is a whole program.
type Module struct {
	Body []Stmt
}

// FunctionDef is `def`.
type FunctionDef struct {
	Pos
	Name          string
	Args          *Arguments
	Body          []Stmt
	DecoratorList []Expr
	Returns       Expr // may be nil
	TypeParams    []TypeParam
}

// AsyncFunctionDef is `async def`.
type AsyncFunctionDef struct {
	Pos
	Name          string
	Args          *Arguments
	Body          []Stmt
	DecoratorList []Expr
	Returns       Expr // may be nil
	TypeParams    []TypeParam
}

// ClassDef is `class`.
type ClassDef struct {
	Pos
	Name          string
	Bases         []Expr
	Keywords      []*Keyword
	Body          []Stmt
	DecoratorList []Expr
	TypeParams    []TypeParam
}

// Return is `return`.
type Return struct {
	Pos
	Value Expr // may be nil
}

// Delete is `del`.
type Delete struct {
	Pos
	Targets []Expr
}

// Assign is `a = b = value`.
type Assign struct {
	Pos
	Targets []Expr
	Value   Expr
}

// TypeAlias is `type X[T] = value`.
type TypeAlias struct {
	Pos
	Name       Expr // always a *Name
	TypeParams []TypeParam
	Value      Expr
}

// AugAssign is `a += value`.
type AugAssign struct {
	Pos
	Target Expr
	Op     Operator
	Value  Expr
}

// AnnAssign is `target: annotation = value`.
type AnnAssign struct {
	Pos
	Target     Expr
	Annotation Expr
	Value      Expr // may be nil
	Simple     bool // the target is a bare name, not in parentheses
}

// For is `for`.
type For struct {
	Pos
	Target Expr
	Iter   Expr
	Body   []Stmt
	Orelse []Stmt
}

// AsyncFor is `async for`.
type AsyncFor struct {
	Pos
	Target Expr
	Iter   Expr
	Body   []Stmt
	Orelse []Stmt
}

// While is `while`.
type While struct {
	Pos
	Test   Expr
	Body   []Stmt
	Orelse []Stmt
}

// If is `if`; an `elif` is an If alone in Orelse.
type If struct {
	Pos
	Test   Expr
	Body   []Stmt
	Orelse []Stmt
}

// With is `with`.
type With struct {
	Pos
	Items []*WithItem
	Body  []Stmt
}

// AsyncWith is `async with`.
type AsyncWith struct {
	Pos
	Items []*WithItem
	Body  []Stmt
}

// Match is `match`.
type Match struct {
	Pos
	Subject Expr
	Cases   []*MatchCase
}

// Raise is `raise`.
type Raise struct {
	Pos
	Exc   Expr // may be nil
	Cause Expr // may be nil
}

// Try is `try` with `except`.
type Try struct {
	Pos
	Body      []Stmt
	Handlers  []*ExceptHandler
	Orelse    []Stmt
	Finalbody []Stmt
}

// TryStar is `try` with `except*`.
type TryStar struct {
	Pos
	Body      []Stmt
	Handlers  []*ExceptHandler
	Orelse    []Stmt
	Finalbody []Stmt
}

// Assert is `assert`.
type Assert struct {
	Pos
	Test Expr
	Msg  Expr // may be nil
}

// Import is `import`.
type Import struct {
	Pos
	Names []*Alias
}

// ImportFrom is `from … import …`.
type ImportFrom struct {
	Pos
	Module string // empty: none, as in `from . import x`
	Names  []*Alias
	Level  int // the number of leading dots
}

// Global is `global`.
type Global struct {
	Pos
	Names []string
}

// Nonlocal is `nonlocal`.
type Nonlocal struct {
	Pos
	Names []string
}

// ExprStmt is an expression as a statement; CPython calls it Expr.
type ExprStmt struct {
	Pos
	Value Expr
}

// Pass is `pass`.
type Pass struct{ Pos }

// Break is `break`.
type Break struct{ Pos }

// Continue is `continue`.
type Continue struct{ Pos }

// BoolOp is `a and b and c`.
type BoolOp struct {
	Pos
	Op     BoolOperator
	Values []Expr
}

// NamedExpr is `target := value`.
type NamedExpr struct {
	Pos
	Target Expr // always a *Name
	Value  Expr
}

// BinOp is `left op right`.
type BinOp struct {
	Pos
	Left  Expr
	Op    Operator
	Right Expr
}

// UnaryOp is `op operand`.
type UnaryOp struct {
	Pos
	Op      UnaryOperator
	Operand Expr
}

// Lambda is `lambda args: body`.
type Lambda struct {
	Pos
	Args *Arguments
	Body Expr
}

// IfExp is `body if test else orelse`.
type IfExp struct {
	Pos
	Test   Expr
	Body   Expr
	Orelse Expr
}

// Dict is `{key: value}`; a nil key stands for `**value`.
type Dict struct {
	Pos
	Keys   []Expr // elements may be nil
	Values []Expr
}

// Set is `{a, b}`.
type Set struct {
	Pos
	Elts []Expr
}

// ListComp is `[elt for …]`.
type ListComp struct {
	Pos
	Elt        Expr
	Generators []*Comprehension
}

// SetComp is `{elt for …}`.
type SetComp struct {
	Pos
	Elt        Expr
	Generators []*Comprehension
}

// DictComp is `{key: value for …}`.
type DictComp struct {
	Pos
	Key        Expr
	Value      Expr
	Generators []*Comprehension
}

// GeneratorExp is `(elt for …)`.
type GeneratorExp struct {
	Pos
	Elt        Expr
	Generators []*Comprehension
}

// Await is `await value`.
type Await struct {
	Pos
	Value Expr
}

// Yield is `yield value`.
type Yield struct {
	Pos
	Value Expr // may be nil
}

// YieldFrom is `yield from value`.
type YieldFrom struct {
	Pos
	Value Expr
}

// Compare is `left op a op b`.
type Compare struct {
	Pos
	Left        Expr
	Ops         []CmpOperator
	Comparators []Expr
}

// Call is `func(args, keywords)`.
type Call struct {
	Pos
	Func     Expr
	Args     []Expr
	Keywords []*Keyword
}

// FormattedValue is a replacement field of an f-string. Conversion is -1
// for none, else one of 's', 'r', 'a'.
type FormattedValue struct {
	Pos
	Value      Expr
	Conversion int
	FormatSpec Expr // a *JoinedStr, or nil
}

// Interpolation is a replacement field of a t-string; Str is its source text.
type Interpolation struct {
	Pos
	Value      Expr
	Str        string
	Conversion int
	FormatSpec Expr // a *JoinedStr, or nil
}

// JoinedStr is an f-string: its values are Constants and FormattedValues.
type JoinedStr struct {
	Pos
	Values []Expr
}

// TemplateStr is a t-string: its values are Constants and Interpolations.
type TemplateStr struct {
	Pos
	Values []Expr
}

// Constant is a literal. U is true where the first literal had the prefix
// `u` (CPython: kind="u").
type Constant struct {
	Pos
	Value Value
	U     bool
}

// Attribute is `value.attr`.
type Attribute struct {
	Pos
	Value Expr
	Attr  string
	Ctx   ExprContext
}

// Subscript is `value[slice]`.
type Subscript struct {
	Pos
	Value Expr
	Slice Expr
	Ctx   ExprContext
}

// Starred is `*value`.
type Starred struct {
	Pos
	Value Expr
	Ctx   ExprContext
}

// Name is an identifier; Id is in NFKC, as CPython keeps it.
type Name struct {
	Pos
	Id  string
	Ctx ExprContext
}

// List is `[a, b]`.
type List struct {
	Pos
	Elts []Expr
	Ctx  ExprContext
}

// Tuple is `a, b`.
type Tuple struct {
	Pos
	Elts []Expr
	Ctx  ExprContext
}

// Slice is `lower:upper:step`, only inside a Subscript.
type Slice struct {
	Pos
	Lower Expr // may be nil
	Upper Expr // may be nil
	Step  Expr // may be nil
}

// Comprehension is one `for target in iter if …` of a comprehension.
type Comprehension struct {
	Target  Expr
	Iter    Expr
	Ifs     []Expr
	IsAsync bool
}

// ExceptHandler is `except type as name`.
type ExceptHandler struct {
	Pos
	Type Expr   // may be nil
	Name string // empty: none
	Body []Stmt
}

// Arguments are the parameters of a function or a lambda. Defaults belong to
// the last len(Defaults) of Posonlyargs followed by Args; KwDefaults has one
// entry, perhaps nil, for each of Kwonlyargs.
type Arguments struct {
	Posonlyargs []*Arg
	Args        []*Arg
	Vararg      *Arg // may be nil
	Kwonlyargs  []*Arg
	KwDefaults  []Expr // elements may be nil
	Kwarg       *Arg   // may be nil
	Defaults    []Expr
}

// Arg is one parameter.
type Arg struct {
	Pos
	Arg        string
	Annotation Expr // may be nil
}

// Keyword is `arg=value` in a call; an empty Arg stands for `**value`.
type Keyword struct {
	Pos
	Arg   string
	Value Expr
}

// Alias is `name as asname` in an import.
type Alias struct {
	Pos
	Name   string
	Asname string // empty: none
}

// WithItem is one `context as vars` of a with statement.
type WithItem struct {
	ContextExpr  Expr
	OptionalVars Expr // may be nil
}

// MatchCase is one `case pattern if guard:`.
type MatchCase struct {
	Pattern Pattern
	Guard   Expr // may be nil
	Body    []Stmt
}

// MatchValue is a pattern that compares with ==.
type MatchValue struct {
	Pos
	Value Expr
}

// MatchSingleton is the pattern None, True or False.
type MatchSingleton struct {
	Pos
	Value Value
}

// MatchSequence is `[a, b]` or `a, b`.
type MatchSequence struct {
	Pos
	Patterns []Pattern
}

// MatchMapping is `{key: pattern, **rest}`.
type MatchMapping struct {
	Pos
	Keys     []Expr
	Patterns []Pattern
	Rest     string // empty: none
}

// MatchClass is `cls(patterns, attr=pattern)`.
type MatchClass struct {
	Pos
	Cls         Expr
	Patterns    []Pattern
	KwdAttrs    []string
	KwdPatterns []Pattern
}

// MatchStar is `*name`; an empty Name stands for `*_`.
type MatchStar struct {
	Pos
	Name string
}

// MatchAs is `pattern as name`, a capture (no Pattern) or `_` (neither).
type MatchAs struct {
	Pos
	Pattern Pattern // may be nil
	Name    string  // empty: the wildcard
}

// MatchOr is `a | b`.
type MatchOr struct {
	Pos
	Patterns []Pattern
}

// TypeVar is `T: bound = default`.
type TypeVar struct {
	Pos
	Name         string
	Bound        Expr // may be nil
	DefaultValue Expr // may be nil
}

// ParamSpec is `**P = default`.
type ParamSpec struct {
	Pos
	Name         string
	DefaultValue Expr // may be nil
}

// TypeVarTuple is `*Ts = default`.
type TypeVarTuple struct {
	Pos
	Name         string
	DefaultValue Expr // may be nil
}

// ExprContext says whether an expression is read, written or deleted.
type ExprContext uint8

// The contexts.
const (
	Load ExprContext = iota
	Store
	Del
)

// String is CPython's class name.
func (c ExprContext) String() string { return [...]string{"Load", "Store", "Del"}[c] }

// BoolOperator is `and` or `or`.
type BoolOperator uint8

// The boolean operators.
const (
	And BoolOperator = iota
	Or
)

// String is CPython's class name.
func (o BoolOperator) String() string { return [...]string{"And", "Or"}[o] }

// Operator is a binary operator.
type Operator uint8

// The binary operators.
const (
	Add Operator = iota
	Sub
	Mult
	MatMult
	Div
	Mod
	Pow
	LShift
	RShift
	BitOr
	BitXor
	BitAnd
	FloorDiv
)

// String is CPython's class name.
func (o Operator) String() string {
	return [...]string{
		"Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow",
		"LShift", "RShift", "BitOr", "BitXor", "BitAnd", "FloorDiv",
	}[o]
}

// UnaryOperator is a unary operator.
type UnaryOperator uint8

// The unary operators.
const (
	Invert UnaryOperator = iota
	Not
	UAdd
	USub
)

// String is CPython's class name.
func (o UnaryOperator) String() string {
	return [...]string{"Invert", "Not", "UAdd", "USub"}[o]
}

// CmpOperator is a comparison.
type CmpOperator uint8

// The comparisons.
const (
	Eq CmpOperator = iota
	NotEq
	Lt
	LtE
	Gt
	GtE
	Is
	IsNot
	In
	NotIn
)

// String is CPython's class name.
func (o CmpOperator) String() string {
	return [...]string{
		"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn",
	}[o]
}

// ValueKind is the Python type of a literal.
type ValueKind uint8

// The types of literals.
const (
	None ValueKind = iota
	Bool
	Int
	Float
	Complex
	Str
	Bytes
	Ellipsis
)

// String is the name of the Python type.
func (k ValueKind) String() string {
	return [...]string{
		"NoneType", "bool", "int", "float", "complex", "str", "bytes", "ellipsis",
	}[k]
}

// Value is the value of a literal. Only the fields of its kind are set.
type Value struct {
	Kind ValueKind
	// Str holds a str as UTF-8, in which a lone surrogate has its three-byte
	// form (Python's "surrogatepass"); or it holds the bytes of a bytes.
	Str string
	// Int holds a bool (0 or 1) and an int that fits; Big is nil then.
	Int int64
	// Big holds an int beyond 64 bits. It is shared: do not change it.
	Big *big.Int
	// Float holds a float, or the imaginary part of a complex, whose real
	// part is always zero in a literal.
	Float float64
}

// IsTrue reports whether the value is the constant True.
func (v Value) IsTrue() bool { return v.Kind == Bool && v.Int != 0 }

// BigInt returns an int or a bool as a new big.Int, and nil for other kinds.
func (v Value) BigInt() *big.Int {
	switch {
	case v.Kind != Int && v.Kind != Bool:
		return nil
	case v.Big != nil:
		return new(big.Int).Set(v.Big)
	default:
		return big.NewInt(v.Int)
	}
}
