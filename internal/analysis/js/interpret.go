package js

import (
	"fmt"
	"strings"

	"palisade/internal/analysis"
)

// Bounds on the interpretation of one text.
const (
	maxSteps   = 3_000_000 // nodes visited, all passes together
	maxPasses  = 60        // a program's values settle in as many passes as its longest chain of calls
	maxFacts   = 10_000
	maxCalls   = 200   // calls of the program's own functions inside one another
	maxDerived = 2     // arrays made of arrays, told apart
	maxInline  = 4     // functions followed inside one another
	maxFollow  = 2_000 // functions followed in one pass
	coarseFrom = 8     // the pass from which on what has more than one value is not computed with
	bigArray   = 64    // elements from which on the objects in a literal are one
)

// spent is the panic of a budget that is used up.
type spent struct{ what string }

// interpreter runs a program over sets of values. It knows no order of events:
// a variable is whatever is ever assigned to it, and passes are made over the
// program until nothing new appears. The facts are taken in one last pass.
type interpreter struct {
	program *program
	file    string

	steps, passes int
	changed       bool
	reporting     bool

	objects map[place]*object
	globals map[string]*cell // what the program assigns to global names
	stored  map[string]*cell // and to properties of known things, by path
	written map[string]*cell // and to files, by path
	thrown  cell
	seen    map[*function]int // the pass in which a function's body was last visited

	frame    frame
	overlay  map[*binding]set // parameters of the functions that are being followed
	inline   []*function
	followed int   // functions, in this pass
	calls    int   // inside one another, now
	rows     *node // the big array whose rows are being visited
	quiet    *node // an expression whose value is only compared or named
	callee   *node // an expression whose value is called
	base     *node // an expression of which a property is taken
	calling  bool  // a property is being taken in order to be called

	facts    []analysis.Fact
	embedded []analysis.Embedded
}

// place identifies an object: where it is made, and as what.
type place struct {
	node *node
	role string
	of   *object
}

// frame is the function that is being visited.
type frame struct {
	fn   *function
	this set
	args *object
	home *object
}

func newInterpreter(p *program, file string) *interpreter {
	return &interpreter{
		program: p, file: file,
		objects: map[place]*object{}, globals: map[string]*cell{}, stored: map[string]*cell{}, written: map[string]*cell{},
		seen: map[*function]int{}, overlay: map[*binding]set{},
	}
}

// run visits the program until its values have settled, then takes the facts.
func (i *interpreter) run() (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case spent:
			err = fmt.Errorf("the budget of %s is spent", v.what)
		default:
			panic(v)
		}
	}()
	for settled := false; !settled; {
		i.changed = false
		i.pass()
		settled = !i.changed
		if i.passes > maxPasses {
			return fmt.Errorf("its values have not settled after %d passes", maxPasses)
		}
	}
	i.reporting = true
	i.pass()
	return nil
}

func (i *interpreter) pass() {
	i.passes++
	i.followed = 0
	i.frame = frame{this: i.topThis(), args: i.wrapperArguments()}
	for _, n := range i.program.body {
		i.eval(n)
	}
}

// topThis is this outside every function: module.exports in a script.
func (i *interpreter) topThis() set {
	if i.program.module {
		return inert
	}
	return ref("module!.exports")
}

// wrapperArguments is what arguments is outside every function: those of the
// function that Node.js wraps a script in (Node.js 20, "The module wrapper").
func (i *interpreter) wrapperArguments() *object {
	if i.program.module {
		return nil
	}
	o := i.object(nil, "arguments", nil)
	for n, path := range []string{"module!.exports", "require", "module!", "__filename", "__dirname"} {
		i.add(&o.slot(formatNumber(float64(n))).value, i.global(path))
	}
	return o
}

// object gives the object of a place.
func (i *interpreter) object(site *node, role string, of *object) *object {
	if i.rows != nil && (role == "object" || role == "array") {
		site, role = i.rows, "row"
	}
	depth := 0
	if of != nil && derived(role) {
		if depth = of.depth + 1; depth > maxDerived {
			of = nil // it may be in a loop
		}
	}
	key := place{site, role, of}
	o := i.objects[key]
	if o == nil {
		o = &object{site: site, depth: depth}
		i.objects[key] = o
	}
	return o
}

// derived reports whether objects of a role are made of another object, which
// may be one of the same place and role.
func derived(role string) bool {
	switch role {
	case "prototype", "instance", "give":
		return false
	}
	return !strings.HasPrefix(role, "method ")
}

// add puts values into a cell.
func (i *interpreter) add(c *cell, s set) {
	for _, v := range s {
		after := c.values.plus(v)
		if !same(c.values, after) {
			c.values, i.changed = after, true
		}
	}
}

func same(a, b set) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return true
}

func (i *interpreter) step(n int) {
	if i.steps += n; i.steps > maxSteps {
		panic(spent{"steps"})
	}
}

// cellOf gives the cell of a path in a map of cells.
func cellOf(m map[string]*cell, path string) *cell {
	c := m[path]
	if c == nil {
		c = &cell{}
		m[path] = c
	}
	return c
}

// global is what a name means that the program does not declare.
func (i *interpreter) global(name string) set {
	var out set
	if c := i.globals[name]; c != nil {
		out = c.values
	}
	switch name {
	case "undefined", "NaN", "Infinity":
		return inert
	case "__dirname":
		return out.with(str(analysis.Workspace))
	case "__filename":
		return out.with(str(analysis.Workspace + "/program.js"))
	case "module":
		return out.with(ref("module!"))
	case "exports":
		return out.with(ref("module!.exports"))
	case "globalThis", "global", "self", "window", "root":
		return out.with(ref("globalThis"))
	}
	if path := canonical(name); isGlobal(path) {
		return out.with(ref(path))
	}
	if len(out) > 0 {
		return out
	}
	return anything
}
