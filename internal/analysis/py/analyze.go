package py

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// Program is what is read together: a program and the modules beside it.
type Program struct {
	Main    Source
	Modules map[string]Source // by dotted name
	// Entry is the function that is called once the program has run. Empty: none.
	Entry string
}

// Source is one parsed file.
type Source struct {
	File string // what facts call it
	Tree *python.Module
}

// Budget bounds the work. Zero fields take safe defaults.
type Budget struct {
	// Steps is the number of expressions and statements that may be
	// interpreted before the reading gives up. Default 400,000.
	Steps int
	// Precise is the number of steps after which loops are no longer unrolled
	// and calls no longer followed one by one. Default 12,000.
	Precise int
	// Facts bounds the facts that are kept. Default 10,000.
	Facts int
}

// ErrBudget says that a program could not be read within its budget.
var ErrBudget = errors.New("the program is too complex to be read within the budget")

// maxText bounds a string that is folded, in bytes.
const maxText = 64 << 10

// maxDepth bounds the calls that are followed into each other.
const maxDepth = 12

// Analyze says what a program could do. The facts are sorted and without
// duplicates. With ErrBudget, those found so far are returned.
func Analyze(p Program, b Budget) (facts []analysis.Fact, err error) {
	in := newInterp(p, b)
	defer func() {
		facts = analysis.Sort(in.facts)
		if r := recover(); r != nil {
			if stop, ok := r.(stop); ok {
				err = stop.error
				return
			}
			err = fmt.Errorf("analysis failed: %v", r)
		}
	}()
	in.program(p)
	return nil, nil
}

// stop ends the reading from wherever it is.
type stop struct{ error }

// unit is one file that is interpreted.
type unit struct {
	name  string // "" for the program, else the module's
	file  string
	tree  *python.Module
	scope *scope
	state int // 0 not yet, 1 running, 2 done
}

type interp struct {
	table   *table
	exports *exports
	budget  Budget
	steps   int
	clock   int // counts changes of cells that others may have read
	depth   int
	deep    int  // walks through objects in progress
	shaky   bool // the function that runs may run once, often or never
	calls   int
	active  map[object]bool // what is being called that is no function
	nesting int
	units   map[string]*unit
	// functions are all that were made, by their node, a few for each.
	functions map[python.Node][]*function
	order     []*function
	syms      map[python.Node]*symbols
	facts     []analysis.Fact
	seen      map[factKey]bool
	// loose holds what was stored as an attribute of something unknown.
	loose       map[string]*cell
	put         map[python.Node]bool
	dead        []deferred
	objects     map[objectKey]*instance
	pathObjects map[object]*instance
	made        map[objectKey]*class
	settling    int
	sites       map[objectKey]object // objects with parts, by the place that makes them
	classes     map[*python.ClassDef]*class
	methods     map[methodKey]*method
	unit        *unit
	run         *function   // the function that is being interpreted
	at          python.Node // where facts in a string that is code are placed
	texts       int         // strings that were read as code
}

type factKey struct {
	file             string
	line, col        int
	capability       string
	symbol, argument string
	unknown          bool
}

func newInterp(p Program, b Budget) *interp {
	if b.Steps <= 0 {
		b.Steps = 400_000
	}
	if b.Precise <= 0 {
		b.Precise = 12_000
	}
	if b.Facts <= 0 {
		b.Facts = 10_000
	}
	in := &interp{
		table: effectsTable(), exports: reexports(), budget: b,
		units: map[string]*unit{}, functions: map[python.Node][]*function{},
		syms: map[python.Node]*symbols{}, seen: map[factKey]bool{}, loose: map[string]*cell{},
		active: map[object]bool{}, sites: map[objectKey]object{}, objects: map[objectKey]*instance{}, pathObjects: map[object]*instance{}, made: map[objectKey]*class{},
		put: map[python.Node]bool{}, classes: map[*python.ClassDef]*class{}, methods: map[methodKey]*method{},
	}
	in.units[""] = &unit{file: p.Main.File, tree: p.Main.Tree}
	for name, m := range p.Modules {
		in.units[name] = &unit{name: name, file: m.File, tree: m.Tree}
	}
	return in
}

// program interprets the main file, then what was not reached from it.
func (in *interp) program(p Program) {
	in.shadowing(p)
	in.runUnit(in.units[""])
	for _, name := range slices.Sorted(maps.Keys(p.Modules)) {
		in.runUnit(in.units[name])
	}
	if p.Entry != "" {
		main := in.units[""]
		if c, ok := main.scope.vars[p.Entry]; ok {
			for _, o := range c.ever.objs {
				in.escape(one(o))
			}
		}
	}
	in.settle()
	for _, name := range append([]string{""}, slices.Sorted(maps.Keys(p.Modules))...) {
		in.literals(in.units[name])
	}
}

// shadowing reports modules of the submission that hide one of the runtime's.
func (in *interp) shadowing(p Program) {
	for _, name := range slices.Sorted(maps.Keys(p.Modules)) {
		top, _, _ := strings.Cut(name, ".")
		if in.exports.tops[top] {
			in.unit = in.units[name]
			in.report(&python.Module{}, analysis.Fact{
				Capability: palisade.CapImportPath, Symbol: name, Argument: name,
				Evidence: "a module of the submission hides one of the runtime",
			})
		}
	}
}

// runUnit interprets a file's body, once.
func (in *interp) runUnit(u *unit) {
	if u.state != 0 {
		return
	}
	u.state = 1
	outer, run := in.unit, in.run
	in.unit, in.run = u, nil
	syms := &symbols{local: map[string]bool{}}
	u.scope = &scope{kind: moduleScope, unit: u, vars: map[string]*cell{}, syms: syms}
	name := "__main__"
	if u.name != "" {
		name = u.name
	}
	in.store(u.scope, "__name__", text(name))
	in.store(u.scope, "__file__", text(u.file))
	in.store(u.scope, "__doc__", val{objs: []object{cNone{}, prefix("")}})
	in.body(u.scope, u.tree.Body)
	in.unit, in.run = outer, run
	u.state = 2
}

// settle interprets functions that were never called, and those that read
// something which changed after they ran, until nothing changes.
func (in *interp) settle() {
	for round := 0; round < maxRounds; round++ {
		again := false
		in.settling = round
		for i := 0; i < len(in.order); i++ { // it may grow
			f := in.order[i]
			if f.called && !in.stale(f) && (f.wild || !f.escaped) {
				continue
			}
			again = true
			in.summarize(f)
		}
		for ; len(in.dead) > 0; again = true {
			d := in.dead[0]
			in.dead = in.dead[1:]
			outer := in.unit
			in.unit = d.unit
			in.maybe(d.scope, d.body)
			in.unit = outer
		}
		if !again {
			return
		}
	}
}

// stale reports whether a function read something that has changed since.
func (in *interp) stale(f *function) bool {
	for _, c := range f.seen {
		if c.since > f.seenAt {
			return true
		}
	}
	return false
}

// maxRounds bounds how often functions are read again.
const maxRounds = 8

// step counts one unit of work.
func (in *interp) step() {
	in.steps++
	if in.steps > in.budget.Steps {
		panic(stop{ErrBudget})
	}
}

// coarse reports whether precision has been used up.
func (in *interp) coarse() bool { return in.steps > in.budget.Precise }

// set puts a value into a cell; a sure assignment replaces what it holds.
func (in *interp) set(c *cell, v val, sure bool) {
	if sure {
		c.cur = v
	} else {
		c.cur = join(c.cur, v)
	}
	in.steps += (len(c.cur.objs) + len(v.objs)) / 4
	if !covers(c.ever, v) && !(in.settling > 1 && coversLoosely(c.ever, v, 0)) {
		if in.settling > 0 || in.coarse() {
			if v = absorb(c.ever, v); v.empty() {
				return
			}
		}
		c.ever = join(c.ever, v)
		if len(c.ever.objs) > 24 {
			c.ever = generalize(c.ever)
		}
		in.clock++
		c.since = in.clock
	}
}

// saw notes that the function that runs has read a cell of its surroundings.
func (in *interp) saw(c *cell) {
	if in.run != nil && len(in.run.seen) < 256 && !slices.Contains(in.run.seen, c) {
		in.run.seen = append(in.run.seen, c)
	}
}

// store binds a name in a scope.
func (in *interp) store(s *scope, name string, v val) {
	h := s.home(name)
	c, ok := h.vars[name]
	sure := h == s.frame() && s.certain()
	if h.kind == comprehensionScope {
		sure = false
	}
	if !ok {
		c = &cell{}
		h.vars[name] = c
		if !sure && h.kind == moduleScope && in.table.builtins[name] {
			v = join(v, one(symbol("builtins."+name)))
		}
	}
	in.set(c, v, sure)
}

// sure reports whether what is done to an object here surely happens, once.
func (in *interp) sure(s *scope) bool { return s != nil && !in.shaky && s.certain() }
