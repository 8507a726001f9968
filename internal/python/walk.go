package python

// Inspect calls f for n and then, where f returned true, for the children of n
// in source order. Nil children are left out. Recursion is as deep as the tree,
// which Parse bounds.
func Inspect(n Node, f func(Node) bool) {
	if !f(n) {
		return
	}
	Children(n, func(c Node) { Inspect(c, f) })
}

// Children calls f for each direct child of n in source order.
func Children(n Node, f func(Node)) {
	switch n := n.(type) {
	case *Module:
		each(n.Body, f)
	case *FunctionDef:
		function(n.DecoratorList, n.TypeParams, n.Args, n.Returns, n.Body, f)
	case *AsyncFunctionDef:
		function(n.DecoratorList, n.TypeParams, n.Args, n.Returns, n.Body, f)
	case *ClassDef:
		each(n.DecoratorList, f)
		each(n.TypeParams, f)
		call(n.Bases, n.Keywords, f)
		each(n.Body, f)
	case *Return:
		maybe(n.Value, f)
	case *Delete:
		each(n.Targets, f)
	case *Assign:
		each(n.Targets, f)
		f(n.Value)
	case *TypeAlias:
		f(n.Name)
		each(n.TypeParams, f)
		f(n.Value)
	case *AugAssign:
		f(n.Target)
		f(n.Value)
	case *AnnAssign:
		f(n.Target)
		f(n.Annotation)
		maybe(n.Value, f)
	case *For:
		f(n.Target)
		f(n.Iter)
		each(n.Body, f)
		each(n.Orelse, f)
	case *AsyncFor:
		f(n.Target)
		f(n.Iter)
		each(n.Body, f)
		each(n.Orelse, f)
	case *While:
		f(n.Test)
		each(n.Body, f)
		each(n.Orelse, f)
	case *If:
		f(n.Test)
		each(n.Body, f)
		each(n.Orelse, f)
	case *With:
		each(n.Items, f)
		each(n.Body, f)
	case *AsyncWith:
		each(n.Items, f)
		each(n.Body, f)
	case *Match:
		f(n.Subject)
		each(n.Cases, f)
	case *Raise:
		maybe(n.Exc, f)
		maybe(n.Cause, f)
	case *Try:
		try(n.Body, n.Handlers, n.Orelse, n.Finalbody, f)
	case *TryStar:
		try(n.Body, n.Handlers, n.Orelse, n.Finalbody, f)
	case *Assert:
		f(n.Test)
		maybe(n.Msg, f)
	case *Import:
		each(n.Names, f)
	case *ImportFrom:
		each(n.Names, f)
	case *ExprStmt:
		f(n.Value)
	case *Global, *Nonlocal, *Pass, *Break, *Continue:
	case *BoolOp:
		each(n.Values, f)
	case *NamedExpr:
		f(n.Target)
		f(n.Value)
	case *BinOp:
		f(n.Left)
		f(n.Right)
	case *UnaryOp:
		f(n.Operand)
	case *Lambda:
		f(n.Args)
		f(n.Body)
	case *IfExp:
		f(n.Body)
		f(n.Test)
		f(n.Orelse)
	case *Dict:
		for i, k := range n.Keys {
			maybe(k, f)
			f(n.Values[i])
		}
	case *Set:
		each(n.Elts, f)
	case *ListComp:
		f(n.Elt)
		each(n.Generators, f)
	case *SetComp:
		f(n.Elt)
		each(n.Generators, f)
	case *DictComp:
		f(n.Key)
		f(n.Value)
		each(n.Generators, f)
	case *GeneratorExp:
		f(n.Elt)
		each(n.Generators, f)
	case *Await:
		f(n.Value)
	case *Yield:
		maybe(n.Value, f)
	case *YieldFrom:
		f(n.Value)
	case *Compare:
		f(n.Left)
		each(n.Comparators, f)
	case *Call:
		f(n.Func)
		call(n.Args, n.Keywords, f)
	case *FormattedValue:
		f(n.Value)
		maybe(n.FormatSpec, f)
	case *Interpolation:
		f(n.Value)
		maybe(n.FormatSpec, f)
	case *JoinedStr:
		each(n.Values, f)
	case *TemplateStr:
		each(n.Values, f)
	case *Constant, *Name:
	case *Attribute:
		f(n.Value)
	case *Subscript:
		f(n.Value)
		f(n.Slice)
	case *Starred:
		f(n.Value)
	case *List:
		each(n.Elts, f)
	case *Tuple:
		each(n.Elts, f)
	case *Slice:
		maybe(n.Lower, f)
		maybe(n.Upper, f)
		maybe(n.Step, f)
	case *Comprehension:
		f(n.Target)
		f(n.Iter)
		each(n.Ifs, f)
	case *ExceptHandler:
		maybe(n.Type, f)
		each(n.Body, f)
	case *Arguments:
		arguments(n, f)
	case *Arg:
		maybe(n.Annotation, f)
	case *Keyword:
		f(n.Value)
	case *Alias:
	case *WithItem:
		f(n.ContextExpr)
		maybe(n.OptionalVars, f)
	case *MatchCase:
		f(n.Pattern)
		maybe(n.Guard, f)
		each(n.Body, f)
	case *MatchValue:
		f(n.Value)
	case *MatchSingleton, *MatchStar:
	case *MatchSequence:
		each(n.Patterns, f)
	case *MatchMapping:
		for i, k := range n.Keys {
			f(k)
			f(n.Patterns[i])
		}
	case *MatchClass:
		f(n.Cls)
		each(n.Patterns, f)
		each(n.KwdPatterns, f)
	case *MatchAs:
		if n.Pattern != nil {
			f(n.Pattern)
		}
	case *MatchOr:
		each(n.Patterns, f)
	case *TypeVar:
		maybe(n.Bound, f)
		maybe(n.DefaultValue, f)
	case *ParamSpec:
		maybe(n.DefaultValue, f)
	case *TypeVarTuple:
		maybe(n.DefaultValue, f)
	}
}

func each[T Node](list []T, f func(Node)) {
	for _, n := range list {
		f(n)
	}
}

func maybe(e Expr, f func(Node)) {
	if e != nil {
		f(e)
	}
}

func function(decorators []Expr, params []TypeParam, args *Arguments, returns Expr, body []Stmt, f func(Node)) {
	each(decorators, f)
	each(params, f)
	f(args)
	maybe(returns, f)
	each(body, f)
}

func try(body []Stmt, handlers []*ExceptHandler, orelse, finally []Stmt, f func(Node)) {
	each(body, f)
	each(handlers, f)
	each(orelse, f)
	each(finally, f)
}

// call visits arguments and keywords merged by their place: f(a=1, *b).
func call(args []Expr, keywords []*Keyword, f func(Node)) {
	for len(args) > 0 && len(keywords) > 0 {
		if before(args[0].Position(), keywords[0].Pos) {
			f(args[0])
			args = args[1:]
		} else {
			f(keywords[0])
			keywords = keywords[1:]
		}
	}
	each(args, f)
	each(keywords, f)
}

// before reports whether a starts before b.
func before(a, b Pos) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
}

// arguments visits each parameter and then its default.
func arguments(a *Arguments, f func(Node)) {
	first := len(a.Posonlyargs) + len(a.Args) - len(a.Defaults)
	param := func(i int, p *Arg) {
		f(p)
		if i >= first {
			f(a.Defaults[i-first])
		}
	}
	for i, p := range a.Posonlyargs {
		param(i, p)
	}
	for i, p := range a.Args {
		param(len(a.Posonlyargs)+i, p)
	}
	if a.Vararg != nil {
		f(a.Vararg)
	}
	for i, p := range a.Kwonlyargs {
		f(p)
		maybe(a.KwDefaults[i], f)
	}
	if a.Kwarg != nil {
		f(a.Kwarg)
	}
}
