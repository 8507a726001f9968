package python

func (c *checker) maybe(e Expr) {
	if e != nil {
		c.expr(e)
	}
}

func (c *checker) exprs(list []Expr) {
	for _, e := range list {
		if e != nil {
			c.expr(e)
		}
	}
}

// exprsWithStars are elements among which there may be starred ones.
func (c *checker) exprsWithStars(list []Expr) {
	for _, e := range list {
		if s, ok := e.(*Starred); ok {
			c.enter(s)
			c.expr(s.Value)
			c.depth--
			continue
		}
		c.expr(e)
	}
}

// target is what an assignment writes to; stars need a list or a tuple.
func (c *checker) target(e Expr) {
	if s, ok := e.(*Starred); ok && c.symbolsOnly == 0 {
		failNode(s, "starred assignment target must be in a list or tuple")
	}
	c.expr(e)
}

// elements are those of a list or a tuple, in any context.
func (c *checker) elements(list []Expr, ctx ExprContext) {
	if ctx == Store && c.symbolsOnly == 0 {
		star := -1
		for i, e := range list {
			if _, ok := e.(*Starred); !ok {
				continue
			}
			if star >= 0 {
				failNode(e, "multiple starred expressions in assignment")
			}
			star = i
		}
		if star >= 256 {
			failNode(list[star], "too many expressions in star-unpacking assignment")
		}
	}
	c.exprsWithStars(list)
}

func (c *checker) expr(e Expr) {
	c.enter(e)
	switch e := e.(type) {
	case *Name:
		if e.Ctx == Load {
			c.def(e.Id, isUsed, e)
			break
		}
		if e.Ctx == Del {
			if c.minor >= 10 {
				c.forbid(e.Id, e, "delete")
			}
			c.def(e.Id, isLocal, e)
			break
		}
		c.bind(e.Id, e)
	case *Constant:
	case *Attribute:
		if e.Ctx == Store || e.Ctx == Del && c.minor >= 14 {
			c.forbid(e.Attr, e, "assign to")
		}
		c.expr(e.Value)
	case *Call:
		c.expr(e.Func)
		c.exprsWithStars(e.Args)
		c.keywords(e.Keywords)
	case *Subscript:
		c.expr(e.Value)
		c.expr(e.Slice)
	case *BinOp:
		c.expr(e.Left)
		c.expr(e.Right)
	case *BoolOp:
		c.exprs(e.Values)
	case *UnaryOp:
		c.expr(e.Operand)
	case *Compare:
		c.expr(e.Left)
		c.exprs(e.Comparators)
	case *Tuple:
		c.elements(e.Elts, e.Ctx)
	case *List:
		c.elements(e.Elts, e.Ctx)
	case *Set:
		c.exprsWithStars(e.Elts)
	case *Dict:
		for i, k := range e.Keys {
			c.maybe(k)
			c.expr(e.Values[i])
		}
	case *Slice:
		c.maybe(e.Lower)
		c.maybe(e.Upper)
		c.maybe(e.Step)
	case *Starred:
		if c.symbolsOnly == 0 {
			failNode(e, "can't use starred expression here")
		}
		c.expr(e.Value)
	case *IfExp:
		c.expr(e.Test)
		c.expr(e.Body)
		c.expr(e.Orelse)
	case *Lambda:
		c.defaults(e.Args)
		c.refuseInClassAnnotation(e, "lambda")
		c.open(functionScope)
		c.parameters(e.Args)
		c.expr(e.Body)
		c.shut()
	case *JoinedStr:
		c.exprs(e.Values)
	case *TemplateStr:
		c.exprs(e.Values)
	case *FormattedValue:
		c.expr(e.Value)
		c.maybe(e.FormatSpec)
	case *Interpolation:
		c.expr(e.Value)
		c.maybe(e.FormatSpec)
	case *NamedExpr:
		c.named(e)
	case *Await:
		c.await(e)
	case *Yield:
		c.yield(e)
		c.maybe(e.Value)
	case *YieldFrom:
		c.yield(e)
		if c.scope.async && c.symbolsOnly == 0 {
			failNode(e, "'yield from' inside async function")
		}
		c.expr(e.Value)
	case *ListComp:
		c.comprehension(e, e.Elt, nil, e.Generators)
	case *SetComp:
		c.comprehension(e, e.Elt, nil, e.Generators)
	case *DictComp:
		c.comprehension(e, e.Key, e.Value, e.Generators)
	case *GeneratorExp:
		c.comprehension(e, e.Elt, nil, e.Generators)
	}
	c.depth--
}

func (c *checker) keywords(list []*Keyword) {
	if len(list) == 0 {
		return
	}
	seen := newNameSet(len(list))
	for _, k := range list {
		if k.Arg != "" {
			c.forbid(k.Arg, k, "assign to")
			if !seen.add(k.Arg) && (c.symbolsOnly == 0 || c.minor == 8) {
				failNode(k, "keyword argument repeated: "+k.Arg)
			}
		}
		c.expr(k.Value)
	}
}

// refuseInAnnotation refuses what the scopes of annotations and type parameters
// may not hold.
func (c *checker) refuseInAnnotation(e Expr, what string) {
	switch c.scope.kind {
	case annotationScope:
		failNode(e, what+" cannot be used within an annotation")
	case typeParamScope:
		failNode(e, what+" cannot be used within the definition of a generic")
	case typeBoundScope:
		failNode(e, what+" cannot be used within a TypeVar bound")
	case typeDefaultScope:
		failNode(e, what+" cannot be used within a type parameter default")
	case typeAliasScope:
		failNode(e, what+" cannot be used within a type alias")
	}
}

// refuseInClassAnnotation holds a limit of Python 3.12 alone.
func (c *checker) refuseInClassAnnotation(e Expr, what string) {
	if c.minor == 12 && c.scope.seesClass {
		failNode(e, "cannot use "+what+" in annotation scope within class scope")
	}
}

func (c *checker) await(e *Await) {
	c.refuseInAnnotation(e, "await expression")
	if c.symbolsOnly == 0 {
		switch {
		case c.scope.kind != functionScope:
			failNode(e, "'await' outside function")
		case !c.scope.async && !c.scope.comprehension:
			failNode(e, "'await' outside async function")
		}
	}
	c.scope.coroutine = true
	c.expr(e.Value)
}

func (c *checker) yield(e Expr) {
	c.refuseInAnnotation(e, "yield expression")
	if c.scope.comprehension {
		failNode(e, "'yield' inside a comprehension")
	}
	if c.scope.kind != functionScope && c.symbolsOnly == 0 {
		failNode(e, "'yield' outside function")
	}
	c.scope.generator = true
}

// named checks an assignment expression: in a comprehension it binds a name of
// the nearest scope that is none.
func (c *checker) named(e *NamedExpr) {
	c.refuseInAnnotation(e, "named expression")
	if c.scope.iterExpr > 0 {
		failNode(e, "assignment expression cannot be used in a comprehension iterable expression")
	}
	target := e.Target.(*Name)
	if c.scope.comprehension {
		c.extend(target)
	}
	c.expr(e.Value)
	c.expr(target)
}

func (c *checker) extend(target *Name) {
	name := c.mangle(target.Id)
	for s := c.scope; s != nil; s = s.parent {
		switch {
		case s.comprehension:
			// Before 3.12 every name of the target counted: the b of "for b.c".
			f := s.names[name]
			if f&isCompIter != 0 && (f&isLocal != 0 || c.minor < 12) {
				failNode(target, "assignment expression cannot rebind comprehension iteration variable '"+name+"'")
			}
			continue
		case s.kind == annotationScope:
			continue
		case s.kind == functionScope:
			f := isNonlocal
			if s.names[name]&isGlobal != 0 {
				f = isGlobal
			}
			c.defIn(c.scope, name, f, target)
			c.defIn(s, name, isLocal, target)
		case s.kind == moduleScope:
			c.defIn(c.scope, name, isGlobal, target)
			c.defIn(s, name, isGlobal, target)
		case s.kind == classScope:
			failNode(target, "assignment expression within a comprehension cannot be used in a class body")
		default:
			failNode(target, "assignment expression within a comprehension cannot be used here")
		}
		return
	}
}

func (c *checker) comprehension(e Expr, elt, value Expr, gens []*Comprehension) {
	_, isGen := e.(*GeneratorExp)
	c.refuseInClassAnnotation(e, "comprehension")
	first := gens[0]
	outer := c.scope
	outer.iterExpr++
	c.expr(first.Iter)
	outer.iterExpr--
	s := c.open(functionScope)
	s.comprehension = true
	s.coroutine = first.IsAsync
	c.iterTarget(first.Target)
	c.exprs(first.Ifs)
	for _, g := range gens[1:] {
		c.iterTarget(g.Target)
		s.iterExpr++
		c.expr(g.Iter)
		s.iterExpr--
		c.exprs(g.Ifs)
		s.coroutine = s.coroutine || g.IsAsync
	}
	c.maybe(value)
	c.expr(elt)
	c.shut()
	if s.needsAsync != nil && !s.coroutine {
		failNode(s.needsAsync, "asynchronous comprehension outside of an asynchronous function")
	}
	if !s.coroutine || isGen {
		return
	}
	if c.symbolsOnly == 0 || c.minor >= 14 {
		ok := outer.async || outer.comprehension
		if ok && c.minor < 11 && !outer.async {
			outer.needsAsync = e // decided when outer is known
		}
		if !ok {
			failNode(e, "asynchronous comprehension outside of an asynchronous function")
		}
	}
	if c.minor >= 11 {
		outer.coroutine = true
	}
}

func (c *checker) iterTarget(e Expr) {
	c.scope.iterTarget = true
	c.target(e)
	c.scope.iterTarget = false
}
