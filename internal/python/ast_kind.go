package python

func (*FunctionDef) stmt()      {}
func (*AsyncFunctionDef) stmt() {}
func (*ClassDef) stmt()         {}
func (*Return) stmt()           {}
func (*Delete) stmt()           {}
func (*Assign) stmt()           {}
func (*TypeAlias) stmt()        {}
func (*AugAssign) stmt()        {}
func (*AnnAssign) stmt()        {}
func (*For) stmt()              {}
func (*AsyncFor) stmt()         {}
func (*While) stmt()            {}
func (*If) stmt()               {}
func (*With) stmt()             {}
func (*AsyncWith) stmt()        {}
func (*Match) stmt()            {}
func (*Raise) stmt()            {}
func (*Try) stmt()              {}
func (*TryStar) stmt()          {}
func (*Assert) stmt()           {}
func (*Import) stmt()           {}
func (*ImportFrom) stmt()       {}
func (*Global) stmt()           {}
func (*Nonlocal) stmt()         {}
func (*ExprStmt) stmt()         {}
func (*Pass) stmt()             {}
func (*Break) stmt()            {}
func (*Continue) stmt()         {}

func (*BoolOp) expr()         {}
func (*NamedExpr) expr()      {}
func (*BinOp) expr()          {}
func (*UnaryOp) expr()        {}
func (*Lambda) expr()         {}
func (*IfExp) expr()          {}
func (*Dict) expr()           {}
func (*Set) expr()            {}
func (*ListComp) expr()       {}
func (*SetComp) expr()        {}
func (*DictComp) expr()       {}
func (*GeneratorExp) expr()   {}
func (*Await) expr()          {}
func (*Yield) expr()          {}
func (*YieldFrom) expr()      {}
func (*Compare) expr()        {}
func (*Call) expr()           {}
func (*FormattedValue) expr() {}
func (*Interpolation) expr()  {}
func (*JoinedStr) expr()      {}
func (*TemplateStr) expr()    {}
func (*Constant) expr()       {}
func (*Attribute) expr()      {}
func (*Subscript) expr()      {}
func (*Starred) expr()        {}
func (*Name) expr()           {}
func (*List) expr()           {}
func (*Tuple) expr()          {}
func (*Slice) expr()          {}

func (*MatchValue) pattern()     {}
func (*MatchSingleton) pattern() {}
func (*MatchSequence) pattern()  {}
func (*MatchMapping) pattern()   {}
func (*MatchClass) pattern()     {}
func (*MatchStar) pattern()      {}
func (*MatchAs) pattern()        {}
func (*MatchOr) pattern()        {}

func (*TypeVar) typeParam()      {}
func (*ParamSpec) typeParam()    {}
func (*TypeVarTuple) typeParam() {}

// TypeName implements Node.
func (*FunctionDef) TypeName() string { return "FunctionDef" }

// TypeName implements Node.
func (*AsyncFunctionDef) TypeName() string { return "AsyncFunctionDef" }

// TypeName implements Node.
func (*ClassDef) TypeName() string { return "ClassDef" }

// TypeName implements Node.
func (*Return) TypeName() string { return "Return" }

// TypeName implements Node.
func (*Delete) TypeName() string { return "Delete" }

// TypeName implements Node.
func (*Assign) TypeName() string { return "Assign" }

// TypeName implements Node.
func (*TypeAlias) TypeName() string { return "TypeAlias" }

// TypeName implements Node.
func (*AugAssign) TypeName() string { return "AugAssign" }

// TypeName implements Node.
func (*AnnAssign) TypeName() string { return "AnnAssign" }

// TypeName implements Node.
func (*For) TypeName() string { return "For" }

// TypeName implements Node.
func (*AsyncFor) TypeName() string { return "AsyncFor" }

// TypeName implements Node.
func (*While) TypeName() string { return "While" }

// TypeName implements Node.
func (*If) TypeName() string { return "If" }

// TypeName implements Node.
func (*With) TypeName() string { return "With" }

// TypeName implements Node.
func (*AsyncWith) TypeName() string { return "AsyncWith" }

// TypeName implements Node.
func (*Match) TypeName() string { return "Match" }

// TypeName implements Node.
func (*Raise) TypeName() string { return "Raise" }

// TypeName implements Node.
func (*Try) TypeName() string { return "Try" }

// TypeName implements Node.
func (*TryStar) TypeName() string { return "TryStar" }

// TypeName implements Node.
func (*Assert) TypeName() string { return "Assert" }

// TypeName implements Node.
func (*Import) TypeName() string { return "Import" }

// TypeName implements Node.
func (*ImportFrom) TypeName() string { return "ImportFrom" }

// TypeName implements Node.
func (*Global) TypeName() string { return "Global" }

// TypeName implements Node.
func (*Nonlocal) TypeName() string { return "Nonlocal" }

// TypeName implements Node.
func (*ExprStmt) TypeName() string { return "Expr" }

// TypeName implements Node.
func (*Pass) TypeName() string { return "Pass" }

// TypeName implements Node.
func (*Break) TypeName() string { return "Break" }

// TypeName implements Node.
func (*Continue) TypeName() string { return "Continue" }

// TypeName implements Node.
func (*BoolOp) TypeName() string { return "BoolOp" }

// TypeName implements Node.
func (*NamedExpr) TypeName() string { return "NamedExpr" }

// TypeName implements Node.
func (*BinOp) TypeName() string { return "BinOp" }

// TypeName implements Node.
func (*UnaryOp) TypeName() string { return "UnaryOp" }

// TypeName implements Node.
func (*Lambda) TypeName() string { return "Lambda" }

// TypeName implements Node.
func (*IfExp) TypeName() string { return "IfExp" }

// TypeName implements Node.
func (*Dict) TypeName() string { return "Dict" }

// TypeName implements Node.
func (*Set) TypeName() string { return "Set" }

// TypeName implements Node.
func (*ListComp) TypeName() string { return "ListComp" }

// TypeName implements Node.
func (*SetComp) TypeName() string { return "SetComp" }

// TypeName implements Node.
func (*DictComp) TypeName() string { return "DictComp" }

// TypeName implements Node.
func (*GeneratorExp) TypeName() string { return "GeneratorExp" }

// TypeName implements Node.
func (*Await) TypeName() string { return "Await" }

// TypeName implements Node.
func (*Yield) TypeName() string { return "Yield" }

// TypeName implements Node.
func (*YieldFrom) TypeName() string { return "YieldFrom" }

// TypeName implements Node.
func (*Compare) TypeName() string { return "Compare" }

// TypeName implements Node.
func (*Call) TypeName() string { return "Call" }

// TypeName implements Node.
func (*FormattedValue) TypeName() string { return "FormattedValue" }

// TypeName implements Node.
func (*Interpolation) TypeName() string { return "Interpolation" }

// TypeName implements Node.
func (*JoinedStr) TypeName() string { return "JoinedStr" }

// TypeName implements Node.
func (*TemplateStr) TypeName() string { return "TemplateStr" }

// TypeName implements Node.
func (*Constant) TypeName() string { return "Constant" }

// TypeName implements Node.
func (*Attribute) TypeName() string { return "Attribute" }

// TypeName implements Node.
func (*Subscript) TypeName() string { return "Subscript" }

// TypeName implements Node.
func (*Starred) TypeName() string { return "Starred" }

// TypeName implements Node.
func (*Name) TypeName() string { return "Name" }

// TypeName implements Node.
func (*List) TypeName() string { return "List" }

// TypeName implements Node.
func (*Tuple) TypeName() string { return "Tuple" }

// TypeName implements Node.
func (*Slice) TypeName() string { return "Slice" }

// TypeName implements Node.
func (*MatchValue) TypeName() string { return "MatchValue" }

// TypeName implements Node.
func (*MatchSingleton) TypeName() string { return "MatchSingleton" }

// TypeName implements Node.
func (*MatchSequence) TypeName() string { return "MatchSequence" }

// TypeName implements Node.
func (*MatchMapping) TypeName() string { return "MatchMapping" }

// TypeName implements Node.
func (*MatchClass) TypeName() string { return "MatchClass" }

// TypeName implements Node.
func (*MatchStar) TypeName() string { return "MatchStar" }

// TypeName implements Node.
func (*MatchAs) TypeName() string { return "MatchAs" }

// TypeName implements Node.
func (*MatchOr) TypeName() string { return "MatchOr" }

// TypeName implements Node.
func (*TypeVar) TypeName() string { return "TypeVar" }

// TypeName implements Node.
func (*ParamSpec) TypeName() string { return "ParamSpec" }

// TypeName implements Node.
func (*TypeVarTuple) TypeName() string { return "TypeVarTuple" }

// TypeName implements Node.
func (*Module) TypeName() string { return "Module" }

// TypeName implements Node.
func (*Comprehension) TypeName() string { return "comprehension" }

// TypeName implements Node.
func (*ExceptHandler) TypeName() string { return "ExceptHandler" }

// TypeName implements Node.
func (*Arguments) TypeName() string { return "arguments" }

// TypeName implements Node.
func (*Arg) TypeName() string { return "arg" }

// TypeName implements Node.
func (*Keyword) TypeName() string { return "keyword" }

// TypeName implements Node.
func (*Alias) TypeName() string { return "alias" }

// TypeName implements Node.
func (*WithItem) TypeName() string { return "withitem" }

// TypeName implements Node.
func (*MatchCase) TypeName() string { return "match_case" }

// Position implements Node with the place of the first statement.
func (m *Module) Position() Pos {
	if len(m.Body) == 0 {
		return Pos{}
	}
	return m.Body[0].Position()
}

// Position implements Node with the place of the target.
func (c *Comprehension) Position() Pos { return c.Target.Position() }

// Position implements Node with the place of the context expression.
func (w *WithItem) Position() Pos { return w.ContextExpr.Position() }

// Position implements Node with the place of the pattern.
func (c *MatchCase) Position() Pos { return c.Pattern.Position() }

// Position implements Node with the place of the first parameter.
func (a *Arguments) Position() Pos {
	switch {
	case len(a.Posonlyargs) > 0:
		return a.Posonlyargs[0].Pos
	case len(a.Args) > 0:
		return a.Args[0].Pos
	case a.Vararg != nil:
		return a.Vararg.Pos
	case len(a.Kwonlyargs) > 0:
		return a.Kwonlyargs[0].Pos
	case a.Kwarg != nil:
		return a.Kwarg.Pos
	}
	return Pos{}
}
