package python

// sink is told the fields of a node, in the order of Python.asdl. Fields that
// are None or an empty list are not told.
type sink interface {
	node(field string, n Node)
	str(field, s string)
	num(field string, n int)
	value(field string, v Value)
	// op is a field whose value is an operator, a node without fields; ctx is
	// the context of an expression.
	op(field, class string)
	ctx(field string, c ExprContext)
	kind(field string)
	// open starts a list of n items; where it returns true the items follow,
	// and then close.
	open(field string, n int) bool
	item(n Node) // nil: None
	strItem(s string)
	opItem(class string)
	close()
}

func list[T Node](s sink, field string, items []T) {
	if len(items) == 0 || !s.open(field, len(items)) {
		return
	}
	for _, n := range items {
		s.item(n)
	}
	s.close()
}

func strList(s sink, field string, items []string) {
	if len(items) == 0 || !s.open(field, len(items)) {
		return
	}
	for _, n := range items {
		s.strItem(n)
	}
	s.close()
}

func node(s sink, field string, n Node) {
	if n != nil {
		s.node(field, n)
	}
}

func optional(s sink, field, v string) {
	if v != "" {
		s.str(field, v)
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fields tells s the fields of n.
func fields(n Node, s sink) {
	switch n := n.(type) {
	case *Module:
		list(s, "body", n.Body)
	case *FunctionDef:
		s.str("name", n.Name)
		node(s, "args", n.Args)
		list(s, "body", n.Body)
		list(s, "decorator_list", n.DecoratorList)
		node(s, "returns", n.Returns)
		list(s, "type_params", n.TypeParams)
	case *AsyncFunctionDef:
		s.str("name", n.Name)
		node(s, "args", n.Args)
		list(s, "body", n.Body)
		list(s, "decorator_list", n.DecoratorList)
		node(s, "returns", n.Returns)
		list(s, "type_params", n.TypeParams)
	case *ClassDef:
		s.str("name", n.Name)
		list(s, "bases", n.Bases)
		list(s, "keywords", n.Keywords)
		list(s, "body", n.Body)
		list(s, "decorator_list", n.DecoratorList)
		list(s, "type_params", n.TypeParams)
	case *Return:
		node(s, "value", n.Value)
	case *Delete:
		list(s, "targets", n.Targets)
	case *Assign:
		list(s, "targets", n.Targets)
		node(s, "value", n.Value)
	case *TypeAlias:
		node(s, "name", n.Name)
		list(s, "type_params", n.TypeParams)
		node(s, "value", n.Value)
	case *AugAssign:
		node(s, "target", n.Target)
		s.op("op", n.Op.String())
		node(s, "value", n.Value)
	case *AnnAssign:
		node(s, "target", n.Target)
		node(s, "annotation", n.Annotation)
		node(s, "value", n.Value)
		s.num("simple", flag(n.Simple))
	case *For:
		node(s, "target", n.Target)
		node(s, "iter", n.Iter)
		list(s, "body", n.Body)
		list(s, "orelse", n.Orelse)
	case *AsyncFor:
		node(s, "target", n.Target)
		node(s, "iter", n.Iter)
		list(s, "body", n.Body)
		list(s, "orelse", n.Orelse)
	case *While:
		node(s, "test", n.Test)
		list(s, "body", n.Body)
		list(s, "orelse", n.Orelse)
	case *If:
		node(s, "test", n.Test)
		list(s, "body", n.Body)
		list(s, "orelse", n.Orelse)
	case *With:
		list(s, "items", n.Items)
		list(s, "body", n.Body)
	case *AsyncWith:
		list(s, "items", n.Items)
		list(s, "body", n.Body)
	case *Match:
		node(s, "subject", n.Subject)
		list(s, "cases", n.Cases)
	case *Raise:
		node(s, "exc", n.Exc)
		node(s, "cause", n.Cause)
	case *Try:
		list(s, "body", n.Body)
		list(s, "handlers", n.Handlers)
		list(s, "orelse", n.Orelse)
		list(s, "finalbody", n.Finalbody)
	case *TryStar:
		list(s, "body", n.Body)
		list(s, "handlers", n.Handlers)
		list(s, "orelse", n.Orelse)
		list(s, "finalbody", n.Finalbody)
	case *Assert:
		node(s, "test", n.Test)
		node(s, "msg", n.Msg)
	case *Import:
		list(s, "names", n.Names)
	case *ImportFrom:
		optional(s, "module", n.Module)
		list(s, "names", n.Names)
		s.num("level", n.Level)
	case *Global:
		strList(s, "names", n.Names)
	case *Nonlocal:
		strList(s, "names", n.Names)
	case *ExprStmt:
		node(s, "value", n.Value)
	case *Pass, *Break, *Continue:
	case *BoolOp:
		s.op("op", n.Op.String())
		list(s, "values", n.Values)
	case *NamedExpr:
		node(s, "target", n.Target)
		node(s, "value", n.Value)
	case *BinOp:
		node(s, "left", n.Left)
		s.op("op", n.Op.String())
		node(s, "right", n.Right)
	case *UnaryOp:
		s.op("op", n.Op.String())
		node(s, "operand", n.Operand)
	case *Lambda:
		node(s, "args", n.Args)
		node(s, "body", n.Body)
	case *IfExp:
		node(s, "test", n.Test)
		node(s, "body", n.Body)
		node(s, "orelse", n.Orelse)
	case *Dict:
		list(s, "keys", n.Keys)
		list(s, "values", n.Values)
	case *Set:
		list(s, "elts", n.Elts)
	case *ListComp:
		node(s, "elt", n.Elt)
		list(s, "generators", n.Generators)
	case *SetComp:
		node(s, "elt", n.Elt)
		list(s, "generators", n.Generators)
	case *GeneratorExp:
		node(s, "elt", n.Elt)
		list(s, "generators", n.Generators)
	case *DictComp:
		node(s, "key", n.Key)
		node(s, "value", n.Value)
		list(s, "generators", n.Generators)
	case *Await:
		node(s, "value", n.Value)
	case *Yield:
		node(s, "value", n.Value)
	case *YieldFrom:
		node(s, "value", n.Value)
	case *Compare:
		node(s, "left", n.Left)
		if s.open("ops", len(n.Ops)) {
			for _, op := range n.Ops {
				s.opItem(op.String())
			}
			s.close()
		}
		list(s, "comparators", n.Comparators)
	case *Call:
		node(s, "func", n.Func)
		list(s, "args", n.Args)
		list(s, "keywords", n.Keywords)
	case *FormattedValue:
		node(s, "value", n.Value)
		s.num("conversion", n.Conversion)
		node(s, "format_spec", n.FormatSpec)
	case *Interpolation:
		node(s, "value", n.Value)
		s.value("str", Value{Kind: Str, Str: n.Str})
		s.num("conversion", n.Conversion)
		node(s, "format_spec", n.FormatSpec)
	case *JoinedStr:
		list(s, "values", n.Values)
	case *TemplateStr:
		list(s, "values", n.Values)
	case *Constant:
		s.value("value", n.Value)
		if n.U {
			s.kind("kind")
		}
	case *Attribute:
		node(s, "value", n.Value)
		s.str("attr", n.Attr)
		s.ctx("ctx", n.Ctx)
	case *Subscript:
		node(s, "value", n.Value)
		node(s, "slice", n.Slice)
		s.ctx("ctx", n.Ctx)
	case *Starred:
		node(s, "value", n.Value)
		s.ctx("ctx", n.Ctx)
	case *Name:
		s.str("id", n.Id)
		s.ctx("ctx", n.Ctx)
	case *List:
		list(s, "elts", n.Elts)
		s.ctx("ctx", n.Ctx)
	case *Tuple:
		list(s, "elts", n.Elts)
		s.ctx("ctx", n.Ctx)
	case *Slice:
		node(s, "lower", n.Lower)
		node(s, "upper", n.Upper)
		node(s, "step", n.Step)
	case *Comprehension:
		node(s, "target", n.Target)
		node(s, "iter", n.Iter)
		list(s, "ifs", n.Ifs)
		s.num("is_async", flag(n.IsAsync))
	case *ExceptHandler:
		node(s, "type", n.Type)
		optional(s, "name", n.Name)
		list(s, "body", n.Body)
	case *Arguments:
		list(s, "posonlyargs", n.Posonlyargs)
		list(s, "args", n.Args)
		if n.Vararg != nil {
			s.node("vararg", n.Vararg)
		}
		list(s, "kwonlyargs", n.Kwonlyargs)
		list(s, "kw_defaults", n.KwDefaults)
		if n.Kwarg != nil {
			s.node("kwarg", n.Kwarg)
		}
		list(s, "defaults", n.Defaults)
	case *Arg:
		s.str("arg", n.Arg)
		node(s, "annotation", n.Annotation)
	case *Keyword:
		optional(s, "arg", n.Arg)
		node(s, "value", n.Value)
	case *Alias:
		s.str("name", n.Name)
		optional(s, "asname", n.Asname)
	case *WithItem:
		node(s, "context_expr", n.ContextExpr)
		node(s, "optional_vars", n.OptionalVars)
	case *MatchCase:
		node(s, "pattern", n.Pattern)
		node(s, "guard", n.Guard)
		list(s, "body", n.Body)
	case *MatchValue:
		node(s, "value", n.Value)
	case *MatchSingleton:
		s.value("value", n.Value)
	case *MatchSequence:
		list(s, "patterns", n.Patterns)
	case *MatchOr:
		list(s, "patterns", n.Patterns)
	case *MatchMapping:
		list(s, "keys", n.Keys)
		list(s, "patterns", n.Patterns)
		optional(s, "rest", n.Rest)
	case *MatchClass:
		node(s, "cls", n.Cls)
		list(s, "patterns", n.Patterns)
		strList(s, "kwd_attrs", n.KwdAttrs)
		list(s, "kwd_patterns", n.KwdPatterns)
	case *MatchStar:
		optional(s, "name", n.Name)
	case *MatchAs:
		node(s, "pattern", n.Pattern)
		optional(s, "name", n.Name)
	case *TypeVar:
		s.str("name", n.Name)
		node(s, "bound", n.Bound)
		node(s, "default_value", n.DefaultValue)
	case *ParamSpec:
		s.str("name", n.Name)
		node(s, "default_value", n.DefaultValue)
	case *TypeVarTuple:
		s.str("name", n.Name)
		node(s, "default_value", n.DefaultValue)
	}
}
