package py

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

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
	in := newInterp(b)
	defer func() {
		facts = analysis.Sort(in.facts)
		*in = interp{} // it keeps nothing of the program
		interps.Put(in)
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
	// asked says that its body looked for what is adrift; it was last read at readAt.
	asked  bool
	readAt int
	// bindings are where names get their values, for explanations.
	bindings map[string][]binding
}

type interp struct {
	table      *table
	exports    *exports
	budget     Budget
	steps      int
	clock      int     // counts changes of what others may have read
	mixed      int     // counts changes of collections
	moved      []*cell // what was changed in the frame that runs while loops are read
	depth      int
	deep       int  // walks through objects in progress
	shaky      bool // the function that runs may run once, often or never
	calls      int
	outerCalls int             // of calls, those outside of the function that runs
	callStart  int             // the steps when the outermost call of that one began
	active     map[object]bool // what is being called that is no function
	nesting    int
	units      map[string]*unit
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
	pathChoices []*instance // those of several texts
	plains      map[object]*instance
	supers      map[super]*super
	made        map[objectKey]*class
	settling    int
	sites       map[objectKey]object // callables made of others, by the place that makes them
	frame       *scope               // of the function that is being interpreted
	classes     map[classKey]*class
	methods     map[methodKey]*method
	lookups     map[string]found
	names       map[[2]string]string
	resolved    map[[2]string]*export
	mentioned   map[string]*unit // callables that were reported, and where last
	spare       []val            // for the arguments of calls
	unmoored    map[string]int   // attributes that nothing adrift has, and as of when
	lineages    int              // counts what changes lineages
	archives    map[string]bool  // tar archives that the program writes
	// strangeMembers says that it names members of archives otherwise than by their files.
	strangeMembers bool
	unfollowed     bool // a call was too deep or too much to be followed
	byText         bool // sympy's names are made of computed text
	docs           bool // a docstring is assigned
	docRun         bool // the examples in docstrings are run
	unit           *unit
	run            *function   // the function that is being interpreted
	at             python.Node // where facts in a string that is code are placed
	texts          int         // strings that were read as code
}

type factKey struct {
	file             string
	line, col        int
	capability       string
	symbol, argument string
	unknown          bool
}

func newInterp(b Budget) *interp {
	if b.Steps <= 0 {
		b.Steps = 400_000
	}
	if b.Precise <= 0 {
		b.Precise = 12_000
	}
	if b.Facts <= 0 {
		b.Facts = 10_000
	}
	in := interps.Get().(*interp)
	in.table, in.exports, in.budget = effectsTable(), reexports(), b
	return in
}

// interps keeps the memory of readings for the next ones: it is more than what
// reading a plain program takes.
var interps = sync.Pool{New: func() any { return new(interp) }}

// program says what the program could do.
func (in *interp) program(p Program) {
	if len(p.Modules) > 0 || !in.plain(&unit{file: p.Main.File, tree: p.Main.Tree}) {
		in.interpret(p)
	}
}

// interpret interprets the main file, then what was not reached from it.
func (in *interp) interpret(p Program) {
	in.prepare(p)
	in.shadowing(p)
	in.runUnit(in.units[""])
	for _, name := range slices.Sorted(maps.Keys(p.Modules)) {
		in.runUnit(in.units[name])
	}
	if p.Entry != "" {
		main := in.units[""]
		if c, ok := main.scope.vars[p.Entry]; ok {
			for i := range c.ever.size() {
				o := c.ever.at(i)
				in.escape(one(o))
			}
		}
	}
	in.settle()
	for _, name := range append([]string{""}, slices.Sorted(maps.Keys(p.Modules))...) {
		in.literals(in.units[name])
	}
}

// prepare makes what interpreting needs: a plain program does without.
func (in *interp) prepare(p Program) {
	in.units = map[string]*unit{"": {file: p.Main.File, tree: p.Main.Tree}}
	for name, m := range p.Modules {
		in.units[name] = &unit{name: name, file: m.File, tree: m.Tree}
	}
	in.functions, in.syms, in.loose = map[python.Node][]*function{}, map[python.Node]*symbols{}, map[string]*cell{}
	in.archives, in.active, in.put = map[string]bool{}, map[object]bool{}, map[python.Node]bool{}
	in.sites, in.objects, in.made = map[objectKey]object{}, map[objectKey]*instance{}, map[objectKey]*class{}
	in.pathObjects, in.plains, in.supers = map[object]*instance{}, map[object]*instance{}, map[super]*super{}
	in.names, in.unmoored = map[[2]string]string{}, map[string]int{}
	in.classes, in.methods = map[classKey]*class{}, map[methodKey]*method{}
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
	outer, run, frame := in.unit, in.run, in.frame
	in.unit, in.run, in.frame = u, nil, nil
	syms := &symbols{local: map[string]bool{}}
	u.scope = &scope{kind: moduleScope, unit: u, vars: map[string]*cell{}, syms: syms}
	name, file := "__main__", analysis.Workspace+"/"+u.file // as the harness has it
	if u.name != "" {
		name, file = u.name, u.file
	}
	in.frame = u.scope
	in.store(u.scope, "__name__", text(name))
	in.store(u.scope, "__file__", text(file))
	in.store(u.scope, "__doc__", oneOf(cNone{}, prefix("")))
	u.readAt = in.clock
	in.body(u.scope, u.tree.Body)
	in.unit, in.run, in.frame = outer, run, frame
	u.state = 2
}

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
	in.steps += (c.cur.size() + v.size()) / 4
	if !covers(c.ever, v) {
		if in.settling > 0 || in.coarse() {
			if v = in.absorb(c.ever, v); v.empty() {
				return
			}
		}
		v.open = v.open || in.settling >= openRounds
		ever := join(c.ever, v)
		if ever.size() > maxObjects {
			ever = generalize(ever)
		}
		if same(ever, c.ever) {
			return
		}
		c.ever = ever
		in.clock++
		c.since = in.clock
	}
}

// store binds a name in a scope.
func (in *interp) store(s *scope, name string, v val) {
	h := s.home(name)
	c, ok := h.vars[name]
	sure := h == s.frame() && s.certain()
	if h != s.frame() {
		in.drift(v) // whoever reads it may not see this call
	}
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
	before := c.cur
	in.set(c, v, sure)
	if sure || h.kind == comprehensionScope || same(before, c.cur) {
		return
	}
	if h == s.frame() {
		in.moved = append(in.moved, c)
	} else {
		in.clock++ // another frame may read what it holds now
	}
}

// sure reports whether what is done to an object here surely happens, once.
func (in *interp) sure(s *scope) bool { return s != nil && !in.shaky && s.certain() }
