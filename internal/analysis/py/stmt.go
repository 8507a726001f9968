package py

import (
	"palisade/internal/python"
)

// maxNesting bounds the depth of statements and expressions in each other, on
// top of the parser's own bound.
const maxNesting = 3000

func (in *interp) body(s *scope, list []python.Stmt) {
	for _, st := range list {
		in.stmt(s, st)
	}
}

// maybe interprets what may or may not happen.
func (in *interp) maybe(s *scope, list []python.Stmt) {
	if len(list) == 0 {
		return
	}
	s.weak++
	in.body(s, list)
	s.weak--
}

func (in *interp) stmt(s *scope, st python.Stmt) {
	in.step()
	if in.nesting++; in.nesting > maxNesting {
		panic(stop{ErrBudget})
	}
	in.perform(s, st)
	in.nesting--
}

func (in *interp) perform(s *scope, st python.Stmt) {
	switch st := st.(type) {
	case *python.ExprStmt:
		in.eval(s, st.Value)
	case *python.Assign:
		in.assignAll(s, st.Targets, st.Value)
	case *python.AnnAssign:
		in.annotation(s, st.Annotation)
		if st.Value != nil {
			in.assign(s, st.Target, in.assigned(s, st.Target, st.Value))
		}
	case *python.AugAssign:
		in.augmented(s, st)
	case *python.FunctionDef:
		in.define(s, st, st.Name, st.Args, st.Body, st.DecoratorList, st.Returns, st.TypeParams)
	case *python.AsyncFunctionDef:
		in.define(s, st, st.Name, st.Args, st.Body, st.DecoratorList, st.Returns, st.TypeParams)
	case *python.ClassDef:
		in.classDef(s, st)
	case *python.Return:
		v := noneValue
		if st.Value != nil {
			v = in.load(s, st.Value, asTracked)
		}
		in.returned(s, v)
	case *python.Delete:
		for _, t := range st.Targets {
			in.unbind(s, t)
		}
	case *python.TypeAlias:
		in.typeParams(s, st.TypeParams)
		in.assign(s, st.Name, in.eval(s, st.Value))
	case *python.If:
		in.ifStmt(s, st)
	case *python.For:
		in.forStmt(s, st.Target, st.Iter, st.Body, st.Orelse)
	case *python.AsyncFor:
		in.forStmt(s, st.Target, st.Iter, st.Body, st.Orelse)
	case *python.While:
		in.whileStmt(s, st)
	case *python.With:
		in.withStmt(s, st.Items, st.Body)
	case *python.AsyncWith:
		in.withStmt(s, st.Items, st.Body)
	case *python.Match:
		in.matchStmt(s, st)
	case *python.Raise:
		if st.Exc != nil {
			in.eval(s, st.Exc)
		}
		if st.Cause != nil {
			in.eval(s, st.Cause)
		}
	case *python.Try:
		in.tryStmt(s, st.Body, st.Handlers, st.Orelse, st.Finalbody)
	case *python.TryStar:
		in.tryStmt(s, st.Body, st.Handlers, st.Orelse, st.Finalbody)
	case *python.Assert:
		in.eval(s, st.Test)
		if st.Msg != nil {
			in.eval(s, st.Msg)
		}
	case *python.Import:
		in.importStmt(s, st)
	case *python.ImportFrom:
		in.importFrom(s, st)
	}
}

func (in *interp) returned(s *scope, v val) {
	for o := s; o != nil; o = o.outer {
		if o.rets != nil {
			*o.rets = join(*o.rets, v)
			in.drift(v)
			return
		}
		if o.kind != comprehensionScope {
			return
		}
	}
}

func (in *interp) ifStmt(s *scope, st *python.If) {
	v := in.eval(s, st.Test)
	truth, known := truthOf(v)
	if isMain(st.Test) {
		in.body(s, st.Body)
		in.maybe(s, st.Orelse)
		return
	}
	if known && s.certain() && in.depth < maxDepth {
		// The branch that is not taken is read at the end, so that it does not
		// blur what the one that is taken computes.
		taken, other := st.Body, st.Orelse
		if !truth {
			taken, other = other, taken
		}
		in.later(s, st, other)
		in.body(s, taken)
		return
	}
	in.maybe(s, st.Body)
	in.maybe(s, st.Orelse)
}

// deferred is a body that does not happen as far as we see. It is read once
// all else was.
type deferred struct {
	scope *scope
	body  []python.Stmt
	unit  *unit
}

func (in *interp) later(s *scope, n python.Node, body []python.Stmt) {
	if len(body) == 0 || in.put[n] {
		return
	}
	in.put[n] = true
	in.dead = append(in.dead, deferred{s, body, in.unit})
}

// isMain recognizes `__name__ == "__main__"`.
func isMain(e python.Expr) bool {
	c, ok := e.(*python.Compare)
	if !ok || len(c.Ops) != 1 || c.Ops[0] != python.Eq {
		return false
	}
	name, ok := c.Left.(*python.Name)
	text, ok2 := c.Comparators[0].(*python.Constant)
	return ok && ok2 && name.Id == "__name__" && text.Value.Str == "__main__"
}

func (in *interp) withStmt(s *scope, items []*python.WithItem, body []python.Stmt) {
	swallows := false
	for _, item := range items {
		v := in.eval(s, item.ContextExpr)
		entered := in.enter(item.ContextExpr, v)
		if item.OptionalVars != nil {
			in.assign(s, item.OptionalVars, entered)
		}
		for j := range v.size() {
			o := v.at(j)
			i, ok := o.(*instance)
			swallows = swallows || !ok || !isFileLike(i.of)
		}
		swallows = swallows || v.open
	}
	if swallows { // it may end early without ending the program
		in.maybe(s, body)
		return
	}
	in.body(s, body)
}

// enter is what `with v as x` binds: most objects return themselves.
func (in *interp) enter(n python.Node, v val) val {
	out := val{open: v.open}
	for j := range v.size() {
		o := v.at(j)
		if i, ok := o.(*instance); ok {
			if c, ok := i.of.(*class); ok {
				for _, name := range []string{"__enter__", "__aenter__"} {
					if m := in.classAttribute(c, name); !m.empty() {
						out = join(out, in.call(n, in.bind(m, o, c), callArgs{}))
					}
				}
				continue
			}
		}
		if i, ok := o.(*instance); ok && i.of == symbol("tempfile.TemporaryDirectory") {
			out = join(out, one(pattern("/tmp/tmp*")))
			continue
		}
		if l, ok := o.(*list); ok && l.kind == anIterator {
			out = join(out, l.element()) // a generator function under contextmanager
			continue
		}
		out = join(out, one(o))
	}
	return out
}

func (in *interp) tryStmt(s *scope, body []python.Stmt, handlers []*python.ExceptHandler, orelse, finally []python.Stmt) {
	s.weak++
	in.body(s, body)
	for _, h := range handlers {
		caught := one(in.instanceOf(symbol("builtins.Exception")))
		if h.Type != nil {
			caught = in.caught(in.eval(s, h.Type))
		}
		if h.Name != "" {
			in.store(s, h.Name, caught)
		}
		in.body(s, h.Body)
	}
	in.body(s, orelse)
	s.weak--
	in.body(s, finally)
}

// caught is the exception object for what `except` names.
func (in *interp) caught(types val) val {
	out := val{open: types.open}
	if !in.deeper() {
		return unknown
	}
	defer in.shallower()
	for i := range types.size() {
		o := types.at(i)
		switch o := o.(type) {
		case *list:
			out = join(out, in.caught(o.element()))
		case symbol:
			out = join(out, one(in.instanceOf(o)))
		case *class:
			out = join(out, one(in.instanceOf(o)))
		default:
			out.open = true
		}
	}
	return out
}

func (in *interp) typeParams(s *scope, params []python.TypeParam) {
	for _, p := range params {
		name := ""
		switch p := p.(type) {
		case *python.TypeVar:
			name = p.Name
			in.optional(s, p.Bound)
			in.optional(s, p.DefaultValue)
		case *python.ParamSpec:
			name = p.Name
			in.optional(s, p.DefaultValue)
		case *python.TypeVarTuple:
			name = p.Name
			in.optional(s, p.DefaultValue)
		}
		in.store(s, name, unknown)
	}
}

func (in *interp) optional(s *scope, e python.Expr) val {
	if e == nil {
		return val{}
	}
	return in.eval(s, e)
}
