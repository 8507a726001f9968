package py

import "palisade/internal/python"

// cell is a place that holds a value: a variable, a parameter, an attribute.
type cell struct {
	mark
	cur  val // what it holds at this point of the program
	ever val // everything that it ever held
}

type scopeKind uint8

const (
	moduleScope scopeKind = iota
	functionScope
	classScope
	comprehensionScope
)

// scope is a set of names while a body is interpreted.
type scope struct {
	kind  scopeKind
	unit  *unit // the file
	outer *scope
	vars  map[string]*cell
	syms  *symbols
	fn    *function // the function that runs here, for a function's scope
	class *class    // the class that is being made, for a class's scope
	stars []object  // modules that were imported with *
	// weak counts what makes an assignment uncertain: branches and loops.
	weak int
	rets *val // what the function that runs here returns
	// summary says that the body is read for all calls at once, loops counts
	// the loops around what is read. Then what a place makes is kept.
	summary bool
	loops   int
	made    map[objectKey]*made
	run     int // counts how often the body was read
	// self is the object or class whose method runs here, for super().
	self object
}

// symbols are the names that a function, class or module body binds.
type symbols struct {
	local    map[string]bool
	global   map[string]bool
	nonlocal map[string]bool
	yields   bool
}

// collect finds the names that a body binds, as CPython's symtable does. It
// does not enter nested functions and classes.
func collect(args *python.Arguments, body []python.Stmt, expr python.Expr) *symbols {
	s := &symbols{local: map[string]bool{}}
	if args != nil {
		for _, a := range parameters(args) {
			s.local[a.Arg] = true
		}
	}
	for _, st := range body {
		s.visit(st)
	}
	if expr != nil {
		s.visit(expr)
	}
	return s
}

func parameters(a *python.Arguments) []*python.Arg {
	out := make([]*python.Arg, 0, len(a.Posonlyargs)+len(a.Args)+len(a.Kwonlyargs)+2)
	out = append(append(append(out, a.Posonlyargs...), a.Args...), a.Kwonlyargs...)
	if a.Vararg != nil {
		out = append(out, a.Vararg)
	}
	if a.Kwarg != nil {
		out = append(out, a.Kwarg)
	}
	return out
}

func (s *symbols) visit(n python.Node) {
	switch n := n.(type) {
	case *python.FunctionDef:
		s.local[n.Name] = true
		s.outside(n.DecoratorList, n.Args, n.Returns)
		return
	case *python.AsyncFunctionDef:
		s.local[n.Name] = true
		s.outside(n.DecoratorList, n.Args, n.Returns)
		return
	case *python.Lambda:
		s.outside(nil, n.Args, nil)
		return
	case *python.ClassDef:
		s.local[n.Name] = true
		s.outside(n.DecoratorList, nil, nil)
		for _, b := range n.Bases {
			s.visit(b)
		}
		for _, k := range n.Keywords {
			s.visit(k.Value)
		}
		return
	case *python.Name:
		if n.Ctx != python.Load {
			s.local[n.Id] = true
		}
		return
	case *python.Global:
		s.global = with(s.global, n.Names)
		return
	case *python.Nonlocal:
		s.nonlocal = with(s.nonlocal, n.Names)
		return
	case *python.Import:
		for _, a := range n.Names {
			s.local[bindingOf(a)] = true
		}
		return
	case *python.ImportFrom:
		for _, a := range n.Names {
			if a.Asname != "" {
				s.local[a.Asname] = true
			} else {
				s.local[a.Name] = true
			}
		}
		return
	case *python.ExceptHandler:
		if n.Name != "" {
			s.local[n.Name] = true
		}
	case *python.MatchStar:
		s.local[n.Name] = true
	case *python.MatchAs:
		s.local[n.Name] = true
	case *python.MatchMapping:
		s.local[n.Rest] = true
	case *python.Yield, *python.YieldFrom:
		s.yields = true
	case *python.ListComp, *python.SetComp, *python.DictComp, *python.GeneratorExp:
		inner := &symbols{local: map[string]bool{}}
		walrus(n, inner)
		for name := range inner.local {
			s.local[name] = true
		}
		s.yields = s.yields || inner.yields
		return
	case *python.Constant, *python.Pass:
		return
	}
	python.Children(n, s.visit)
}

// walrus collects what := inside a comprehension binds: it binds outside.
func walrus(n python.Node, s *symbols) {
	switch n := n.(type) {
	case *python.NamedExpr:
		if name, ok := n.Target.(*python.Name); ok {
			s.local[name.Id] = true
		}
	case *python.Lambda:
		s.outside(nil, n.Args, nil)
		return
	case *python.Constant, *python.Name:
		return
	}
	python.Children(n, func(c python.Node) { walrus(c, s) })
}

// outside visits the parts of a function that are evaluated where it is defined.
func (s *symbols) outside(decorators []python.Expr, args *python.Arguments, returns python.Expr) {
	for _, d := range decorators {
		s.visit(d)
	}
	if args != nil {
		for _, d := range args.Defaults {
			s.visit(d)
		}
		for _, d := range args.KwDefaults {
			if d != nil {
				s.visit(d)
			}
		}
	}
	if returns != nil {
		s.visit(returns)
	}
}

func with(set map[string]bool, names []string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// bindingOf is the name that `import a.b` or `import a.b as c` binds.
func bindingOf(a *python.Alias) string {
	if a.Asname != "" {
		return a.Asname
	}
	for i := range a.Name {
		if a.Name[i] == '.' {
			return a.Name[:i]
		}
	}
	return a.Name
}

// home is the scope in which a name that is bound here lives.
func (s *scope) home(name string) *scope {
	if s.kind == comprehensionScope {
		if _, ok := s.vars[name]; ok {
			return s
		}
		return s.outer.home(name)
	}
	if s.syms != nil && s.syms.global[name] {
		return s.unit.scope
	}
	if s.syms != nil && s.syms.nonlocal[name] {
		for o := s.outer; o != nil; o = o.outer {
			if o.kind == functionScope && o.syms.local[name] {
				return o
			}
		}
		return s.unit.scope
	}
	return s
}

// find is the scope in which a name that is read here lives, or nil: then it
// is a builtin, or comes from a star import.
func (s *scope) find(name string) *scope {
	if s.syms != nil && s.syms.global[name] {
		return s.unit.scope.having(name)
	}
	for o := s; o != nil; o = o.outer {
		if o.kind == classScope && o != s && !(s.kind == comprehensionScope && o == s.outer) {
			continue // names of a class body are not seen by its functions
		}
		if o.kind == functionScope && o.syms != nil && o.syms.local[name] && !o.syms.nonlocal[name] && !o.syms.global[name] {
			return o
		}
		if h := o.having(name); h != nil {
			return h
		}
		if o != s && o.syms != nil && o.syms.global[name] {
			return s.unit.scope.having(name)
		}
	}
	return nil
}

func (s *scope) having(name string) *scope {
	if _, ok := s.vars[name]; ok {
		return s
	}
	return nil
}

// frame is the scope whose straight line of execution we are on: a
// comprehension runs on the line of the body around it.
func (s *scope) frame() *scope {
	for s.kind == comprehensionScope {
		s = s.outer
	}
	return s
}

// certain reports whether what happens here surely happens, once, as far as
// this body goes; see interp.sure.
func (s *scope) certain() bool {
	for o := s; ; o = o.outer {
		if o.weak > 0 {
			return false
		}
		if o.kind != comprehensionScope {
			return true
		}
	}
}
