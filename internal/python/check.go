package python

import (
	"strconv"
	"strings"
)

// check refuses what CPython's compiler refuses behind its parser: the errors
// of its symbol table (scopes), of its code generator (return outside of a
// function, too many nested blocks, …) and of its patterns. It panics with a
// *SyntaxError. It also holds the depth of the tree below maxDepth.
func check(m *Module, minor, maxDepth int, track bool) {
	c := &checker{minor: minor, maxDepth: maxDepth, track: track}
	c.futures(m)
	c.scope = &scope{kind: moduleScope}
	c.docstring(m.Body)
	c.body(m.Body)
	c.resolve()
}

type checker struct {
	minor           int
	depth, maxDepth int
	// track says that names are recorded: the program has global, nonlocal or
	// an assignment expression. Without them no error can come of names.
	track       bool
	futureLine  int  // the line of the last import from __future__
	annotations bool // from __future__ import annotations
	symbolsOnly int  // above zero: an expression that is never compiled
	scope       *scope
	blocks      []block // of all scopes; each has those from its base on
	nonlocals   []nonlocal
}

// nonlocal is a declaration to be resolved when all scopes are known.
type nonlocal struct {
	scope *scope
	name  string
	at    Node
}

type scopeKind uint8

const (
	moduleScope scopeKind = iota
	classScope
	functionScope // def, async def, lambda and comprehension
	annotationScope
	typeParamScope
	typeBoundScope
	typeDefaultScope
	typeAliasScope
)

// scope is one block of CPython's symbol table.
type scope struct {
	kind          scopeKind
	parent        *scope
	names         map[string]flags // only where names are tracked
	class         string           // the class whose private names are mangled
	async         bool             // async def
	comprehension bool
	generator     bool // a generator expression, or a function with yield
	coroutine     bool // async def, or a comprehension with await or async for
	result        Node // a return with a value
	needsAsync    Node // before 3.11: what needs the comprehension to be a coroutine
	iterTarget    bool // in the target of a comprehension
	iterExpr      int  // in the iterable of a comprehension
	seesClass     bool // a scope of type parameters right inside a class
	base          int  // of its blocks
}

// flags are what a scope knows of a name.
type flags uint16

const (
	isParam flags = 1 << iota
	isLocal
	isUsed
	isGlobal
	isNonlocal
	isAnnotated
	isImported
	isCompIter
	isTypeParam
)

// block is what the code generator nests statically.
type block uint8

const (
	otherBlock block = iota
	loopBlock
	exceptStarBlock
)

// maxBlocks is CO_MAXBLOCKS.
func (c *checker) maxBlocks() int {
	if c.minor >= 13 {
		return 21
	}
	return 20
}

func (c *checker) enter(n Node) {
	c.depth++
	if c.depth > c.maxDepth {
		failNode(n, "program is nested too deeply")
	}
}

func (c *checker) open(kind scopeKind) *scope {
	s := &scope{kind: kind, parent: c.scope, class: c.scope.class, base: len(c.blocks)}
	s.iterExpr = c.scope.iterExpr
	c.scope = s
	return s
}

func (c *checker) shut() {
	c.blocks = c.blocks[:c.scope.base]
	c.scope = c.scope.parent
}

func (c *checker) push(b block, at Node) {
	if c.symbolsOnly == 0 && len(c.blocks)-c.scope.base >= c.maxBlocks() {
		failNode(at, "too many statically nested blocks")
	}
	c.blocks = append(c.blocks, b)
}

func (c *checker) pop() { c.blocks = c.blocks[:len(c.blocks)-1] }

// mangle is the private form of a name inside a class.
func (c *checker) mangle(name string) string {
	class := strings.TrimLeft(c.scope.class, "_")
	if class == "" || !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") || strings.Contains(name, ".") {
		return name
	}
	return "_" + class + name
}

// def records something about a name in the current scope.
func (c *checker) def(name string, f flags, at Node) {
	if c.track {
		c.defIn(c.scope, c.mangle(name), f, at)
	}
}

func (c *checker) defIn(s *scope, name string, f flags, at Node) {
	if s.names == nil {
		s.names = map[string]flags{}
	}
	f |= s.names[name]
	if c.scope.iterTarget {
		if f&(isGlobal|isNonlocal) != 0 {
			failNode(at, "comprehension inner loop cannot rebind assignment expression target '"+name+"'")
		}
		f |= isCompIter
	}
	s.names[name] = f
}

// bind is a name that is assigned, deleted or defined.
func (c *checker) bind(name string, at Node) {
	c.forbid(name, at, "assign to")
	c.def(name, isLocal, at)
}

func (c *checker) forbid(name string, at Node, what string) {
	if name == "__debug__" && (c.symbolsOnly == 0 || c.minor == 8 || c.minor >= 14) {
		failNode(at, "cannot "+what+" __debug__")
	}
}

// declare is global or nonlocal.
func (c *checker) declare(names []string, f flags, at Node) {
	word := "global"
	if f == isNonlocal {
		word = "nonlocal"
		if c.scope.kind == moduleScope {
			failNode(at, "nonlocal declaration not allowed at module level")
		}
	}
	for _, plain := range names {
		name := c.mangle(plain)
		known := c.scope.names[name]
		switch {
		case known&isParam != 0:
			failNode(at, "name '"+name+"' is parameter and "+word)
		case known&isUsed != 0:
			failNode(at, "name '"+name+"' is used prior to "+word+" declaration")
		case known&isAnnotated != 0:
			failNode(at, "annotated name '"+name+"' can't be "+word)
		case known&isLocal != 0:
			failNode(at, "name '"+name+"' is assigned to before "+word+" declaration")
		}
		c.def(plain, f, at)
		if f == isNonlocal {
			c.nonlocals = append(c.nonlocals, nonlocal{c.scope, name, at})
		}
	}
}

// resolve finds the scope of each nonlocal name.
func (c *checker) resolve() {
	for _, n := range c.nonlocals {
		if n.scope.names[n.name]&isGlobal != 0 {
			failNode(n.at, "name '"+n.name+"' is nonlocal and global")
		}
		if !c.bound(n) {
			failNode(n.at, "no binding for nonlocal '"+n.name+"' found")
		}
	}
}

func (c *checker) bound(n nonlocal) bool {
	for s := n.scope.parent; s != nil; s = s.parent {
		f := s.names[n.name]
		switch {
		case s.kind == classScope:
			if n.name == "__class__" {
				return true
			}
		case s.kind == moduleScope:
		case f&isTypeParam != 0:
			failNode(n.at, "nonlocal binding not allowed for type parameter '"+n.name+"'")
		case f&isGlobal != 0:
			return false
		case f&isNonlocal != 0, f&(isLocal|isParam|isImported) != 0:
			return true
		}
	}
	return false
}

// futures checks the imports from __future__, which only a docstring may
// precede.
func (c *checker) futures(m *Module) {
	done, doc := false, false
	for _, s := range m.Body {
		if imp, ok := s.(*ImportFrom); ok && c.isFuture(imp) {
			c.futureLine = imp.Line
			if done {
				failNode(s, "from __future__ imports must occur at the beginning of the file")
			}
			for _, a := range imp.Names {
				c.future(a)
			}
			doc = true
			continue
		}
		if e, ok := s.(*ExprStmt); ok && !doc {
			if k, ok := e.Value.(*Constant); ok && k.Value.Kind == Str {
				doc = true
				continue
			}
		}
		done = true
	}
}

// isFuture tells an import from __future__. Before 3.13 CPython took a relative
// import for one, too.
func (c *checker) isFuture(s *ImportFrom) bool {
	return s.Module == "__future__" && (s.Level == 0 || c.minor < 13)
}

func (c *checker) future(a *Alias) {
	switch a.Name {
	case "nested_scopes", "generators", "division", "absolute_import", "with_statement",
		"print_function", "unicode_literals", "barry_as_FLUFL", "generator_stop":
	case "annotations":
		c.annotations = true
	case "braces":
		failNode(a, "not a chance")
	default:
		failNode(a, "future feature "+strconv.Quote(a.Name)+" is not defined")
	}
}
