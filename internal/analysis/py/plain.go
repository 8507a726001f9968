package py

import (
	"slices"
	"strings"
	"sync"

	"palisade/internal/python"
)

// A plain program only computes: it names nothing but its own variables and
// functions, builtins that do nothing to the world, methods of texts, numbers
// and collections, and a few modules of mathematics. Wherever its values flow,
// there is nothing that they could reach, so it is not interpreted: a walk over
// the tree finds the few facts that it has, its imports and what it calls of
// them. Most programs that a model writes to solve a problem are plain.
//
// What follows lists what may stand in such a program. Whatever is not listed
// makes a program not plain, and then it is interpreted as any other.

// plainBuiltins neither do anything nor lead to anything but values. They are
// none that makes text of numbers (chr, bytes), looks things up by name or makes
// classes. Source: Python Library Reference, "Built-in Functions".
var plainBuiltins = nameSet(`abs all any bool complex dict divmod enumerate filter float frozenset hash hex id int
	isinstance issubclass iter len list map max min next oct bin ord pow print range repr reversed round set slice
	sorted str sum tuple zip NotImplemented Ellipsis
	ArithmeticError AssertionError Exception IndexError KeyError LookupError NotImplementedError OverflowError
	RuntimeError StopIteration TypeError ValueError ZeroDivisionError`)

// plainMethods are attributes of texts, numbers, collections and matches whose
// results are such again. Those that make text out of numbers (decode,
// translate) or walk attributes (format) are left out. Source: Python Library
// Reference, "Built-in Types", "collections", "re", "random".
var plainMethods = nameSet(`append add appendleft clear copy count difference difference_update discard extend get
	index insert intersection intersection_update isdisjoint issubset issuperset items keys pop popitem popleft
	remove reverse rotate setdefault sort symmetric_difference union update values most_common elements subtract
	capitalize casefold center endswith expandtabs find isalnum isalpha isascii isdecimal isdigit isidentifier
	islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip partition removeprefix
	removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase
	title upper zfill bit_length conjugate imag real is_integer numerator denominator
	end finditer findall fullmatch group groups groupdict match search span start sub subn from_iterable
	choice choices randint random randrange sample shuffle uniform`)

// plainModules are modules whose public names only compute, where need be those
// of their names that do.
var plainModules = map[string]map[string]bool{
	"math": nil, "cmath": nil, "heapq": nil, "bisect": nil, "itertools": nil, "statistics": nil,
	"re":          nameSet("compile search match fullmatch findall finditer sub subn split escape IGNORECASE I MULTILINE M DOTALL S VERBOSE X ASCII A"),
	"collections": nameSet("Counter defaultdict deque OrderedDict"),
	"functools":   nameSet("reduce lru_cache cache cmp_to_key"),
	"random":      nameSet("Random choice choices randint random randrange sample seed shuffle uniform"),
	"copy":        nameSet("copy deepcopy"),
	"string":      nameSet("ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation whitespace"),
	"fractions":   nameSet("Fraction"),
	"typing": nameSet(`Any Callable Deque Dict FrozenSet Generator Iterable Iterator List Mapping Optional Sequence Set
		Tuple Union`),
}

// plain reports whether a program is plain, and then reports its facts.
func (in *interp) plain(u *unit) bool {
	w := plainWalks.Get().(*plainWalk)
	defer w.done()
	w.in = in
	w.body(u.tree.Body)
	if w.not {
		return false
	}
	for _, use := range w.names {
		if use&plainBound != 0 && use&plainModule != 0 || use == plainRead {
			return false // a module's name that is bound otherwise too; a name that is not bound
		}
	}
	w.texts = slices.DeleteFunc(w.texts, func(c *python.Constant) bool { return readText(c.Value.Str) == told{} })
	if len(w.facts)+len(w.texts) == 0 {
		return true
	}
	u.scope = &scope{kind: moduleScope, unit: u, vars: map[string]*cell{}}
	in.unit, in.frame = u, u.scope
	for _, c := range w.texts {
		in.literal(c)
	}
	for _, f := range w.facts {
		if f.attr == "" {
			in.imported(f.at, f.module, "")
		} else {
			in.moduleAttribute(f.at, module(f.module), f.attr)
		}
	}
	return true
}

// plainUse says what a program does with a name.
type plainUse uint8

const (
	plainBound  plainUse = 1 << iota // binds it
	plainRead                        // reads it, and it is no builtin
	plainModule                      // imports a module as it
)

// plainWalk looks for what makes a program not plain.
type plainWalk struct {
	in      *interp
	each    func(python.Node) // visit
	names   map[string]plainUse
	modules map[string]string // by the names they are imported as
	facts   []plainFact       // what is to be reported, in source order
	texts   []*python.Constant
	not     bool
}

// plainFact is the import of a module or, with attr, the use of a name of it.
type plainFact struct {
	at           python.Node
	module, attr string
}

// plainWalks keeps the memory of walks for the next ones: most programs are small.
var plainWalks = sync.Pool{New: func() any {
	w := &plainWalk{names: make(map[string]plainUse, 24), modules: map[string]string{}}
	w.each = w.visit
	return w
}}

// maxPlainKept bounds what is kept of a walk, in names, facts or texts.
const maxPlainKept = 256

// done hands the walk back. It keeps nothing of the program.
func (w *plainWalk) done() {
	if max(len(w.names), cap(w.facts), cap(w.texts)) > maxPlainKept {
		return
	}
	clear(w.names)
	clear(w.modules)
	clear(w.facts)
	clear(w.texts)
	w.in, w.facts, w.texts, w.not = nil, w.facts[:0], w.texts[:0], false
	plainWalks.Put(w)
}

func (w *plainWalk) body(list []python.Stmt) {
	for _, st := range list {
		w.visit(st)
	}
}

func (w *plainWalk) bind(name string) { w.names[name] |= plainBound }

func (w *plainWalk) visit(n python.Node) {
	if w.not {
		return
	}
	w.in.step()
	switch n := n.(type) {
	case *python.Name:
		w.name(n)
		return
	case *python.Constant:
		w.constant(n)
		return
	case *python.Attribute:
		w.attribute(n)
		return
	case *python.ExprStmt:
		if c, ok := n.Value.(*python.Constant); ok { // a docstring goes nowhere
			w.literal(c)
			return
		}
	case *python.FunctionDef:
		w.function(n)
	case *python.Lambda:
		w.parameters(n.Args)
	case *python.Import:
		w.imports(n)
		return
	case *python.ImportFrom:
		w.importsFrom(n)
		return
	case *python.ExceptHandler:
		if n.Name != "" {
			w.bind(n.Name)
		}
	case *python.If:
		if isMain(n.Test) {
			w.body(n.Body)
			w.body(n.Orelse)
			return
		}
	case *python.FormattedValue:
		w.not = !plainSpec(n.FormatSpec)
	case *python.AnnAssign:
		w.not = !plainAnnotation(n.Annotation)
	case *python.Assign, *python.AugAssign, *python.Return, *python.Delete, *python.For, *python.While,
		*python.Raise, *python.Try, *python.Assert, *python.Global, *python.Nonlocal, *python.Pass, *python.Break,
		*python.Continue, *python.BoolOp, *python.NamedExpr, *python.BinOp, *python.UnaryOp, *python.IfExp, *python.Dict,
		*python.Set, *python.List, *python.Tuple, *python.ListComp, *python.SetComp, *python.DictComp, *python.GeneratorExp,
		*python.Comprehension, *python.Yield, *python.YieldFrom, *python.Compare, *python.Call, *python.Keyword,
		*python.JoinedStr, *python.Starred, *python.Slice, *python.Subscript, *python.Arguments, *python.Arg:
	default:
		w.not = true // classes, with, match, async, type parameters
		return
	}
	python.Children(n, w.each)
}

func (w *plainWalk) name(n *python.Name) {
	switch {
	case n.Ctx != python.Load:
		w.bind(n.Id)
	case plainBuiltins[n.Id]:
	case w.in.table.builtins[n.Id] || w.names[n.Id]&plainModule != 0:
		w.not = true // it leads further, even where a variable has its name; a module as a value
	default:
		w.names[n.Id] |= plainRead
	}
}

// constant is a value that goes somewhere: a text with an underscore may be
// part of a name that is put together, one of %c makes characters.
func (w *plainWalk) constant(c *python.Constant) {
	s := c.Value.Str
	switch c.Value.Kind {
	case python.Bytes:
		w.not = true
	case python.Str:
		w.not = strings.IndexByte(s, '_') >= 0 || strings.IndexByte(s, '%') >= 0 && strings.IndexByte(s, 'c') >= 0
		w.literal(c)
	}
}

func (w *plainWalk) literal(c *python.Constant) {
	if len(c.Value.Str) > 2 {
		w.texts = append(w.texts, c)
	}
}

// attribute is a method of a value, or a name of a module.
func (w *plainWalk) attribute(n *python.Attribute) {
	name, ok := n.Value.(*python.Name)
	if ok && w.names[name.Id]&plainModule != 0 {
		mod := w.modules[name.Id]
		w.not = n.Ctx != python.Load || !w.plainName(mod, n.Attr)
		w.facts = append(w.facts, plainFact{n, mod, n.Attr})
		return
	}
	if n.Ctx != python.Load || !plainMethods[n.Attr] {
		w.not = true
		return
	}
	w.visit(n.Value)
}

// plainName reports whether a module's name only computes. The tables have the
// last word.
func (w *plainWalk) plainName(mod, attr string) bool {
	names, ok := plainModules[mod]
	if !ok || attr[0] == '_' || leaks[attr] || names != nil && !names[attr] {
		return false
	}
	o, _ := w.in.exports.attribute(mod, attr)
	s, ok := o.(symbol)
	if !ok {
		return false
	}
	e, known := w.in.table.lookup(string(s))
	return !known || len(e.uses) == 0
}

func (w *plainWalk) function(n *python.FunctionDef) {
	w.not = w.not || len(n.TypeParams) > 0 || strings.HasPrefix(n.Name, "__") || !plainAnnotation(n.Returns)
	w.bind(n.Name)
	w.parameters(n.Args)
}

func (w *plainWalk) parameters(a *python.Arguments) {
	for _, p := range parameters(a) {
		w.bind(p.Arg)
		w.not = w.not || !plainAnnotation(p.Annotation)
	}
}

// plainAnnotation reports whether an annotation has no text, which is code.
func plainAnnotation(e python.Expr) bool {
	switch e := e.(type) {
	case nil, *python.Name, *python.Attribute:
		return true
	case *python.Subscript:
		return plainAnnotation(e.Slice)
	case *python.Tuple:
		for _, part := range e.Elts {
			if !plainAnnotation(part) {
				return false
			}
		}
		return true
	case *python.Constant:
		return e.Value.Kind == python.None || e.Value.Kind == python.Ellipsis
	case *python.List:
		return len(e.Elts) == 0
	}
	return false
}

// plainSpec reports whether a format specification makes no characters.
func plainSpec(e python.Expr) bool {
	spec, ok := e.(*python.JoinedStr)
	if !ok {
		return e == nil
	}
	for _, part := range spec.Values {
		c, ok := part.(*python.Constant)
		if !ok || strings.IndexByte(c.Value.Str, 'c') >= 0 {
			return false
		}
	}
	return true
}

func (w *plainWalk) imports(n *python.Import) {
	for _, a := range n.Names {
		if _, ok := plainModules[a.Name]; !ok {
			w.not = true
			return
		}
		name := bindingOf(a)
		if have, twice := w.modules[name]; twice && have != a.Name || w.names[name] != 0 && !twice {
			w.not = true // it was used before
			return
		}
		w.modules[name] = a.Name
		w.names[name] |= plainModule
		w.facts = append(w.facts, plainFact{a, a.Name, ""})
	}
}

func (w *plainWalk) importsFrom(n *python.ImportFrom) {
	if _, ok := plainModules[n.Module]; !ok || n.Level > 0 {
		w.not = true
		return
	}
	w.facts = append(w.facts, plainFact{n, n.Module, ""})
	for _, a := range n.Names {
		if a.Name == "*" || !w.plainName(n.Module, a.Name) {
			w.not = true
			return
		}
		if a.Asname != "" {
			w.bind(a.Asname)
		} else {
			w.bind(a.Name)
		}
		w.facts = append(w.facts, plainFact{a, n.Module, a.Name})
	}
}
