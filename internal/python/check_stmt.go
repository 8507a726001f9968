package python

import "unicode/utf8"

// docstring refuses one that 3.13 and later cannot clean.
func (c *checker) docstring(body []Stmt) {
	if c.minor < 13 || len(body) == 0 {
		return
	}
	if e, ok := body[0].(*ExprStmt); ok {
		if k, ok := e.Value.(*Constant); ok && k.Value.Kind == Str && !utf8.ValidString(k.Value.Str) {
			failNode(k, "surrogates not allowed in a docstring")
		}
	}
}

func (c *checker) body(list []Stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

func (c *checker) stmt(s Stmt) {
	c.enter(s)
	switch s := s.(type) {
	case *ExprStmt:
		c.expr(s.Value)
	case *Assign:
		for _, t := range s.Targets {
			c.target(t)
		}
		c.expr(s.Value)
	case *AugAssign:
		if a, ok := s.Target.(*Attribute); ok && c.minor > 8 && c.minor < 14 {
			c.expr(a.Value) // here CPython 3.9 to 3.13 let __debug__ pass
		} else {
			c.target(s.Target)
		}
		c.expr(s.Value)
	case *AnnAssign:
		c.annAssign(s)
	case *FunctionDef:
		c.function(s, s.Name, s.Args, s.Returns, s.DecoratorList, s.TypeParams, s.Body, false)
	case *AsyncFunctionDef:
		c.function(s, s.Name, s.Args, s.Returns, s.DecoratorList, s.TypeParams, s.Body, true)
	case *ClassDef:
		c.class(s)
	case *Return:
		c.returns(s)
	case *Delete:
		for _, t := range s.Targets {
			c.expr(t)
		}
	case *For:
		c.loop(s, s.Target, s.Iter, s.Body, s.Orelse)
	case *AsyncFor:
		c.async(s, "async for")
		c.loop(s, s.Target, s.Iter, s.Body, s.Orelse)
	case *While:
		c.expr(s.Test)
		c.push(loopBlock, s)
		c.body(s.Body)
		c.pop()
		c.body(s.Orelse)
	case *If:
		c.expr(s.Test)
		c.body(s.Body)
		c.body(s.Orelse)
	case *With:
		c.with(s, s.Items, s.Body)
	case *AsyncWith:
		c.async(s, "async with")
		c.with(s, s.Items, s.Body)
	case *Match:
		c.expr(s.Subject)
		c.match(s)
	case *Raise:
		c.maybe(s.Exc)
		c.maybe(s.Cause)
	case *Try:
		c.try(s, s.Body, s.Handlers, s.Orelse, s.Finalbody, false)
	case *TryStar:
		c.try(s, s.Body, s.Handlers, s.Orelse, s.Finalbody, true)
	case *Assert:
		c.expr(s.Test)
		c.maybe(s.Msg)
	case *Import:
		for _, a := range s.Names {
			c.alias(a)
		}
	case *ImportFrom:
		c.importFrom(s)
	case *Global:
		c.declare(s.Names, isGlobal, s)
	case *Nonlocal:
		c.declare(s.Names, isNonlocal, s)
	case *Break:
		c.leaves(s, "'break' outside loop")
	case *Continue:
		c.leaves(s, "'continue' not properly in loop")
	case *TypeAlias:
		c.typeAlias(s)
	case *Pass:
	}
	c.depth--
}

// leaves checks break and continue, or with an empty message return, against
// the blocks that they leave.
func (c *checker) leaves(s Stmt, msg string) {
	for i := len(c.blocks) - 1; i >= c.scope.base; i-- {
		switch c.blocks[i] {
		case exceptStarBlock:
			failNode(s, "'break', 'continue' and 'return' cannot appear in an except* block")
		case loopBlock:
			if msg != "" {
				return
			}
		}
	}
	if msg != "" {
		failNode(s, msg)
	}
}

func (c *checker) returns(s *Return) {
	if c.scope.kind != functionScope {
		failNode(s, "'return' outside function")
	}
	if s.Value != nil {
		c.scope.result = s
		c.expr(s.Value)
	}
	c.leaves(s, "")
}

func (c *checker) async(s Stmt, what string) {
	if !c.scope.async {
		failNode(s, "'"+what+"' outside async function")
	}
}

func (c *checker) loop(s Stmt, target, iter Expr, body, orelse []Stmt) {
	c.target(target)
	c.expr(iter)
	c.push(loopBlock, s)
	c.body(body)
	c.pop()
	c.body(orelse)
}

func (c *checker) with(s Stmt, items []*WithItem, body []Stmt) {
	for _, w := range items {
		c.expr(w.ContextExpr)
		c.push(otherBlock, s)
		if w.OptionalVars != nil {
			c.target(w.OptionalVars)
		}
	}
	c.body(body)
	c.blocks = c.blocks[:len(c.blocks)-len(items)]
}

func (c *checker) try(s Stmt, body []Stmt, handlers []*ExceptHandler, orelse, finally []Stmt, star bool) {
	if finally != nil {
		c.push(otherBlock, s)
	}
	if len(handlers) > 0 {
		c.push(otherBlock, s)
	}
	c.body(body)
	if len(handlers) > 0 {
		c.pop()
	}
	// The symbol table of CPython took the else first before 3.13, which
	// decides which use of a name comes before its declaration.
	if c.minor < 13 {
		c.body(orelse)
	}
	c.handlers(s, handlers, star)
	if c.minor >= 13 {
		c.body(orelse)
	}
	if finally != nil {
		c.pop()
		c.push(otherBlock, s)
		c.body(finally)
		c.pop()
	}
}

func (c *checker) handlers(s Stmt, handlers []*ExceptHandler, star bool) {
	if len(handlers) == 0 {
		return
	}
	b := otherBlock
	if star {
		b = exceptStarBlock
	}
	if c.minor >= 9 {
		c.push(b, s)
		defer c.pop()
	}
	for i, h := range handlers {
		if h.Type == nil && i < len(handlers)-1 {
			failNode(h, "default 'except:' must be last")
		}
		c.maybe(h.Type)
		if h.Name != "" {
			c.bind(h.Name, h)
		}
		c.push(otherBlock, h)
		c.body(h.Body)
		c.pop()
	}
}

func (c *checker) alias(a *Alias) {
	name := a.Asname
	if name == "" {
		name = a.Name
		for i := range len(name) {
			if name[i] == '.' {
				name = name[:i]
				break
			}
		}
	}
	if c.minor > 8 || a.Asname != "" || name == a.Name {
		c.forbid(name, a, "assign to")
	}
	c.def(name, isImported, a)
}

func (c *checker) importFrom(s *ImportFrom) {
	if c.isFuture(s) && s.Line > c.futureLine {
		failNode(s, "from __future__ imports must occur at the beginning of the file")
	}
	if s.Names[0].Name == "*" {
		if c.scope.kind != moduleScope {
			failNode(s, "import * only allowed at module level")
		}
		return
	}
	for _, a := range s.Names {
		c.alias(a)
	}
}

func (c *checker) annAssign(s *AnnAssign) {
	if n, ok := s.Target.(*Name); ok {
		name := c.mangle(n.Id)
		if f := c.scope.names[name]; f&(isGlobal|isNonlocal) != 0 && c.scope.kind != moduleScope && s.Simple {
			failNode(s, "annotated name '"+name+"' can't be global or nonlocal")
		}
		if s.Simple || s.Value != nil {
			c.forbid(n.Id, n, "assign to")
		}
		switch {
		case s.Simple:
			c.def(n.Id, isAnnotated|isLocal, n)
		case s.Value != nil:
			c.def(n.Id, isLocal, n)
		}
	} else {
		c.target(s.Target)
	}
	// CPython compiles the annotation only where it is evaluated.
	dead := c.scope.kind != moduleScope && c.scope.kind != classScope ||
		c.annotations && (s.Simple || c.minor >= 10) || c.minor >= 14 && !s.Simple
	c.annotation(s.Annotation, dead)
	c.maybe(s.Value)
}

// annotation checks one annotation; a dead one is never compiled.
func (c *checker) annotation(e Expr, dead bool) {
	if e == nil {
		return
	}
	own := c.minor >= 14 || c.annotations && c.minor >= 10
	if own {
		c.open(annotationScope)
	}
	if dead {
		c.symbolsOnly++
	}
	if s, ok := e.(*Starred); ok { // *args: *Ts
		e = s.Value
	}
	c.expr(e)
	if dead {
		c.symbolsOnly--
	}
	if own {
		c.shut()
	}
}

func (c *checker) function(at Stmt, name string, args *Arguments, returns Expr, decorators []Expr,
	params []TypeParam, body []Stmt, async bool,
) {
	for _, d := range decorators {
		c.expr(d)
	}
	c.bind(name, at)
	c.defaults(args)
	if len(params) > 0 {
		c.typeParams(params)
	}
	for _, a := range args.Posonlyargs {
		c.annotation(a.Annotation, c.annotations)
	}
	for _, a := range args.Args {
		c.annotation(a.Annotation, c.annotations)
	}
	if args.Vararg != nil {
		c.annotation(args.Vararg.Annotation, c.annotations)
	}
	for _, a := range args.Kwonlyargs {
		c.annotation(a.Annotation, c.annotations)
	}
	if args.Kwarg != nil {
		c.annotation(args.Kwarg.Annotation, c.annotations)
	}
	c.annotation(returns, c.annotations)
	s := c.open(functionScope)
	s.async, s.coroutine = async, async
	s.iterExpr = 0
	c.parameters(args)
	c.docstring(body)
	c.body(body)
	if s.async && s.generator && s.result != nil {
		failNode(s.result, "'return' with value in async generator")
	}
	c.shut()
	if len(params) > 0 {
		c.shut()
	}
}

func (c *checker) defaults(a *Arguments) {
	for _, d := range a.Defaults {
		c.expr(d)
	}
	for _, d := range a.KwDefaults {
		c.maybe(d)
	}
}

// parameters binds those of the function whose scope is open.
func (c *checker) parameters(a *Arguments) {
	n := len(a.Posonlyargs) + len(a.Args) + len(a.Kwonlyargs)
	seen := newNameSet(n + 2)
	add := func(p *Arg) {
		c.forbid(p.Arg, p, "assign to")
		if !seen.add(p.Arg) {
			failNode(p, "duplicate argument '"+p.Arg+"' in function definition")
		}
		c.def(p.Arg, isParam, p)
	}
	for _, p := range a.Posonlyargs {
		add(p)
	}
	for _, p := range a.Args {
		add(p)
	}
	for _, p := range a.Kwonlyargs {
		add(p)
	}
	if a.Vararg != nil {
		add(a.Vararg)
	}
	if a.Kwarg != nil {
		add(a.Kwarg)
	}
}

func (c *checker) class(s *ClassDef) {
	for _, d := range s.DecoratorList {
		c.expr(d)
	}
	c.bind(s.Name, s)
	if len(s.TypeParams) > 0 {
		c.typeParams(s.TypeParams)
		c.scope.class = s.Name
	}
	c.exprsWithStars(s.Bases)
	c.keywords(s.Keywords)
	in := c.open(classScope)
	in.class = s.Name
	c.docstring(s.Body)
	c.body(s.Body)
	c.shut()
	if len(s.TypeParams) > 0 {
		c.shut()
	}
}

// typeParams opens the scope of the parameters of a generic.
func (c *checker) typeParams(params []TypeParam) {
	s := c.open(typeParamScope)
	s.seesClass = s.parent.kind == classScope
	seen := newNameSet(len(params))
	defaults := false
	add := func(name string, bound, def Expr, star bool, at Node) {
		c.forbid(name, at, "assign to")
		if !seen.add(name) {
			failNode(at, "duplicate type parameter '"+name+"'")
		}
		if def == nil && defaults {
			failNode(at, "non-default type parameter '"+name+"' follows default type parameter")
		}
		defaults = defaults || def != nil
		c.def(name, isTypeParam|isLocal, at)
		c.inScope(typeBoundScope, bound)
		if s, ok := def.(*Starred); ok && star {
			def = s.Value
		}
		c.inScope(typeDefaultScope, def)
	}
	for _, p := range params {
		switch p := p.(type) {
		case *TypeVar:
			add(p.Name, p.Bound, p.DefaultValue, false, p)
		case *ParamSpec:
			add(p.Name, nil, p.DefaultValue, false, p)
		case *TypeVarTuple:
			add(p.Name, nil, p.DefaultValue, true, p)
		}
	}
}

// inScope checks an expression in a scope of its own.
func (c *checker) inScope(kind scopeKind, e Expr) {
	if e == nil {
		return
	}
	s := c.open(kind)
	s.seesClass = s.parent.seesClass || s.parent.kind == classScope
	c.expr(e)
	c.shut()
}

func (c *checker) typeAlias(s *TypeAlias) {
	c.expr(s.Name)
	if len(s.TypeParams) > 0 {
		c.typeParams(s.TypeParams)
	}
	c.inScope(typeAliasScope, s.Value)
	if len(s.TypeParams) > 0 {
		c.shut()
	}
}

// nameSet finds a name that occurs twice.
type nameSet struct {
	few  []string
	many map[string]bool
}

func newNameSet(n int) nameSet {
	if n <= 12 {
		return nameSet{}
	}
	return nameSet{many: make(map[string]bool, n)}
}

// add returns false where the name is known.
func (s *nameSet) add(name string) bool {
	if s.many != nil {
		if s.many[name] {
			return false
		}
		s.many[name] = true
		return true
	}
	for _, f := range s.few {
		if f == name {
			return false
		}
	}
	s.few = append(s.few, name)
	return true
}
