package js

// kind is what a node is. The tree is smaller than the language's: what does
// not change which values meet (the order of statements, the direction of a
// branch) is a group.
type kind uint8

const (
	nGroup    kind = iota // its parts, in order; no value
	nIdent                // name, binding (nil: a global), withs
	nString               // name: the value
	nNumber               // num
	nPlain                // a value that leads nowhere: true, null, a regular expression
	nRegExp               // name: the literal
	nTemplate             // texts, kids between them
	nTagged               // kids[0] is the tag, then as nTemplate
	nArray                // kids; nil for a hole
	nObject               // props
	nFunction             // fn
	nClass                // class
	nMember               // kids[0].name
	nIndex                // kids[0][kids[1]]
	nCall                 // kids[0](kids[1:])
	nNew                  // new kids[0](kids[1:])
	nImport               // import(kids...)
	nThis
	nSuper
	nMeta // import.meta
	nNewTarget
	nUnary   // op kids[0]
	nBinary  // kids[0] op kids[1]
	nEither  // one of kids: conditional and logical operators; kids[0] may be a condition only (num 1)
	nAssign  // kids[0] = kids[1], or with op; as a pattern: a target with its default
	nDeclare // kids[0] is the target, kids[1] its value, if any
	nYield   // kids[0], or none; num 1: yield*
	nAwait
	nComma
	nSpread
	nForIn // kids: target, value, body
	nForOf
	nReturn
	nThrow
	nTry          // kids: body, catch's parameter, catch, finally; nil where absent
	nImportModule // name: the module; imports
	nExportFrom   // name: the module
	nExport       // kids
)

// node is a part of the program that was judged.
type node struct {
	kind    kind
	op      string
	name    string
	num     float64
	pos     int // offset in the canonical text
	kids    []*node
	texts   []string
	props   []property
	fn      *function
	class   *class
	binding *binding
	withs   []*cell // what a name may belong to, because it stands in a with statement
	scope   *scope  // of a name, until it is resolved
	imports []importName
}

// property is one of an object literal's, an object pattern's or a class's.
type property struct {
	name     string // where key is nil
	key      *node  // computed
	value    *node
	spread   bool
	accessor byte // 'g' a getter, 's' a setter
	static   bool
}

type importName struct {
	name    string // "*": the whole module
	binding *binding
}

// function is a function, method or arrow function.
type function struct {
	node                    *node
	name                    string
	params                  []*node // targets, perhaps with defaults; the last may be nSpread
	body                    []*node
	arrow, async, generator bool
	strict                  bool
	self                    *binding // its own name inside
	result                  *node    // where the body only gives this value
	this, returns, yields   cell
	sent                    cell // what next gives a generator
	args                    cell // what arguments[i] may be
	owner                   *object
	home                    *object // the object whose member it is: where super looks
}

type class struct {
	node    *node
	name    string
	extends *node
	members []property
	blocks  []*node
	self    *binding
}

// binding is a variable: a name in a scope.
type binding struct {
	name string
	cell cell
}

// scope is where names are declared.
type scope struct {
	parent   *scope
	function bool
	names    map[string]*binding
	with     *cell
}

// declare gives the binding of a name in this scope.
func (s *scope) declare(name string) *binding {
	if b := s.names[name]; b != nil {
		return b
	}
	if s.names == nil {
		s.names = map[string]*binding{}
	}
	b := &binding{name: name}
	s.names[name] = b
	return b
}

// hoist declares a var: in the function's scope, where it is a parameter if
// there is one of that name.
func (s *scope) hoist(name string) *binding {
	for !s.function {
		s = s.parent
	}
	if s.parent != nil && !s.parent.function && s.parent.names[name] != nil {
		return s.parent.names[name] // a parameter: see converter.function
	}
	return s.declare(name)
}

// resolve finds a name's binding, nil for a global's, and the with statements
// that it may belong to instead.
func (s *scope) resolve(name string) (*binding, []*cell) {
	var withs []*cell
	for ; s != nil; s = s.parent {
		if s.with != nil {
			withs = append(withs, s.with)
		}
		if b := s.names[name]; b != nil {
			return b, withs
		}
	}
	return nil, withs
}
