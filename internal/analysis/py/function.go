package py

import (
	"slices"

	"palisade/internal/python"
)

// maxClosures bounds the functions that are kept apart for one definition.
const maxClosures = 6

type memo struct {
	args []val
	ret  val
	at   int
}

// define makes a function of a def, applies its decorators and binds it.
func (in *interp) define(s *scope, n python.Node, name string, args *python.Arguments, body []python.Stmt,
	decorators []python.Expr, returns python.Expr, params []python.TypeParam) {
	applied := make([]val, len(decorators))
	for i, d := range decorators {
		applied[i] = in.load(s, d, asBase)
	}
	in.typeParams(s, params)
	f := in.makeFunction(s, n, name, args, body, nil)
	if returns != nil {
		in.annotation(s, returns)
	}
	v := one(f)
	for i := len(decorators) - 1; i >= 0; i-- {
		v = in.decorate(decorators[i], applied[i], v)
	}
	in.store(s, name, v)
	if annotationNames[name] {
		in.annotates(n, name)
	}
}

// decorate is the call that a decorator is. What a library's decorator returns
// is taken to call what it was given.
func (in *interp) decorate(n python.Node, dec, v val) val {
	out := in.call(n, dec, callArgs{pos: []val{v}})
	for i := range dec.size() {
		o := dec.at(i)
		switch o.(type) {
		case symbol, bound, *instance:
			if !hasWrapper(out) {
				out = join(out, v)
			}
		}
	}
	if dec.open {
		out = join(out, v)
	}
	return out
}

func hasWrapper(v val) bool {
	for i := range v.size() {
		o := v.at(i)
		if _, ok := o.(*wrapper); ok {
			return true
		}
	}
	return false
}

// makeFunction makes the object of a def or a lambda. Defaults and annotations
// are evaluated where it stands.
func (in *interp) makeFunction(s *scope, n python.Node, name string, args *python.Arguments, body []python.Stmt, expr python.Expr) *function {
	syms, ok := in.syms[n]
	if !ok {
		syms = collect(args, body, expr)
		in.syms[n] = syms
	}
	defaults := make([]val, len(args.Defaults))
	for i, d := range args.Defaults {
		defaults[i] = in.eval(s, d)
	}
	var kwDefaults map[string]val
	for i, d := range args.KwDefaults {
		if d != nil {
			if kwDefaults == nil {
				kwDefaults = map[string]val{}
			}
			kwDefaults[args.Kwonlyargs[i].Arg] = in.eval(s, d)
		}
	}
	for _, p := range parameters(args) {
		if p.Annotation != nil {
			in.annotation(s, p.Annotation)
		}
	}
	// The same definition in the same place is the same function.
	for _, f := range in.functions[n] {
		if f.outer == s || len(in.functions[n]) >= maxClosures {
			f.defaults, f.kwDefaults = joinAll(f.defaults, defaults), kwDefaults
			return f
		}
	}
	f := &function{
		list: parameters(args), node: n, name: name, args: args, body: body, expr: expr, outer: s, syms: syms,
		defaults: defaults, kwDefaults: kwDefaults, ret: newCell(), params: map[string]*cell{},
	}
	for _, p := range f.list {
		c := newCell()
		f.params[p.Arg] = c
		f.seen = append(f.seen, sight{of: &c.mark})
	}
	if s.kind == classScope {
		f.class = s.class
	}
	in.functions[n] = append(in.functions[n], f)
	in.order = append(in.order, f)
	return f
}

func joinAll(a, b []val) []val {
	if len(a) != len(b) {
		return b
	}
	out := make([]val, len(a))
	for i := range a {
		out[i] = join(a[i], b[i])
	}
	return out
}

// bindArgs lays arguments out on parameters, in the order of the function's list.
func (in *interp) bindArgs(n python.Node, f *function, args callArgs) []val {
	a := f.args
	out := make([]val, 0, len(f.list))
	positional := f.list[:len(a.Posonlyargs)+len(a.Args)]
	first := len(positional) - len(f.defaults)
	for i, p := range positional {
		v := val{}
		if i < len(args.pos) {
			v = args.pos[i]
		} else if kw, ok := args.kw[p.Arg]; ok {
			v = kw
		} else {
			if args.open {
				v = join(args.rest, unknown)
			}
			if i >= first && i-first < len(f.defaults) {
				v = join(v, f.defaults[i-first])
			}
		}
		out = append(out, v)
	}
	for _, p := range a.Kwonlyargs {
		v, ok := args.kw[p.Arg]
		if !ok {
			v = f.kwDefaults[p.Arg]
			if args.open {
				v = join(v, join(args.rest, unknown))
			}
		}
		out = append(out, v)
	}
	if a.Vararg != nil {
		l := newList(aTuple)
		if len(args.pos) > len(positional) {
			l.elems = append(l.elems, args.pos[len(positional):]...)
		}
		if args.open {
			l.blur(join(args.rest, unknown))
		}
		out = append(out, in.place(n, one(l)))
	}
	if a.Kwarg != nil {
		d := newDict()
		for k, v := range ordered(args.kw) {
			if _, taken := f.params[k]; !taken || k == a.Kwarg.Arg {
				d.put(cStr(k), v)
			}
		}
		if args.open {
			d.blur(join(args.rest, unknown))
		}
		out = append(out, in.place(n, one(d)))
	}
	return out
}

// callFunction follows a call of a function of the program.
func (in *interp) callFunction(n python.Node, f *function, args callArgs) val {
	bound := in.bindArgs(n, f, args)
	for i, p := range f.list {
		in.set(f.params[p.Arg], bound[i], false)
	}
	if in.settling > 0 && in.run != nil && f.called {
		// Rounds go on until what a function returns no longer changes.
		in.saw(&f.ret.mark)
		if !f.ret.ever.empty() {
			return f.ret.ever
		}
		return unknown
	}
	if f.running > 0 || in.depth >= maxDepth || in.coarse() {
		// Not followed here: it is read once more, with everything it was given.
		in.unfollowed = in.unfollowed || f.running == 0
		in.saw(&f.ret.mark)
		return join(f.ret.ever, unknown)
	}
	for _, m := range f.memo {
		if m.at == in.clock && sameVals(m.args, bound) {
			in.saw(&f.ret.mark)
			return m.ret
		}
	}
	shaky, start := in.shaky, in.clock
	in.shaky = shaky || args.scope == nil || !args.scope.certain()
	if in.run != nil && !slices.Contains(in.run.followed, f) {
		in.run.followed = append(in.run.followed, f)
	}
	ret := in.runFunction(f, f.scope(), bound)
	in.shaky = shaky
	if len(f.memo) < 8 && in.clock == start { // it changed nothing
		f.memo = append(f.memo, memo{bound, ret, in.clock})
	}
	return ret
}

func sameVals(a, b []val) bool {
	for i := range a {
		if !covers(a[i], b[i]) || !covers(b[i], a[i]) {
			return false
		}
	}
	return true
}

// scope is a scope for one call of a function.
func (f *function) scope() *scope {
	return &scope{
		kind: functionScope, unit: f.outer.unit, outer: f.outer, vars: make(map[string]*cell, len(f.syms.local)),
		syms: f.syms, fn: f, self: f.outer.self,
	}
}

// summaryScope is the one scope that a function is summarized in: what is made
// in it stays the same from round to round, so that rounds end.
func (f *function) summaryScope() *scope {
	if f.frame == nil {
		f.frame = f.scope()
		f.frame.summary = true
	}
	for _, c := range f.frame.vars {
		c.cur = val{}
	}
	f.frame.run++
	return f.frame
}

// runFunction interprets a function's body in a scope of its own.
func (in *interp) runFunction(f *function, s *scope, params []val) val {
	in.depth++
	f.running++
	outerRun, outerUnit, outerFrame, outerCalls := in.run, in.unit, in.frame, in.outerCalls
	in.run, in.unit, in.frame, in.outerCalls = f, f.outer.unit, s, in.calls
	defer func() {
		in.depth--
		f.running--
		in.run, in.unit, in.frame, in.outerCalls = outerRun, outerUnit, outerFrame, outerCalls
	}()
	f.called = true
	f.runs++
	f.ranAt = in.clock
	for i := range len(f.params) { // they come first
		f.seen[i].since = f.seen[i].of.since
	}
	moved := len(in.moved)
	rets := val{}
	s.rets = &rets
	var cells []cell // of a scope that is new
	for i, v := range params {
		name := f.list[i].Arg
		if c, ok := s.vars[name]; ok {
			in.set(c, v, true)
			continue
		}
		if cells == nil {
			cells = make([]cell, len(params))
		}
		cells[i].cur, cells[i].ever = v, v
		s.vars[name] = &cells[i]
	}
	if f.class != nil && len(params) > 0 {
		if o, ok := params[0].only(); ok {
			s.self = o
		}
	}
	if f.expr != nil {
		rets = in.load(s, f.expr, asTracked)
		in.drift(rets)
	} else {
		in.body(s, f.body)
	}
	if f.syms.yields {
		rets = in.place(f.node, one(&list{kind: anIterator, rest: rets}))
	} else if rets.empty() {
		rets = noneValue
	}
	in.set(f.ret, rets, false)
	for i, seen := range f.seen {
		if seen.of.born == s { // it was made and changed in one and the same call
			f.seen[i].since = seen.of.since
		}
	}
	in.moved = in.moved[:moved]
	return rets
}

// summarize interprets a function with everything that it was ever given; one
// that nobody calls here may be called with anything.
func (in *interp) summarize(f *function) {
	list := f.list
	params := make([]val, len(list))
	wild := f.escaped || !f.called
	frame := f.summaryScope()
	outer := in.frame
	in.frame = frame
	f.epoch++
	f.seen = f.seen[:len(list)] // the parameters stay
	f.followed = nil
	for i, p := range list {
		v := f.params[p.Arg].ever
		if wild || v.empty() {
			v = join(v, in.anything(f, i, p))
		}
		if wild {
			v = join(v, f.kwDefaults[p.Arg])
		}
		params[i] = v
	}
	if wild {
		f.wild = true
		first := len(f.args.Posonlyargs) + len(f.args.Args) - len(f.defaults)
		for i, d := range f.defaults {
			params[first+i] = join(params[first+i], d)
		}
	}
	in.shaky = true
	ret := in.runFunction(f, frame, params)
	in.frame = outer
	in.shaky = false
	if wild { // whoever calls it may call what it returns
		outer := in.unit
		in.unit = f.outer.unit
		in.refer(f.node, ret, false)
		in.unit = outer
	}
}

// anything is what a parameter may be when the caller is not known.
func (in *interp) anything(f *function, i int, p *python.Arg) val {
	if f.args.Vararg == p {
		return in.place(p, one(&list{kind: aTuple, rest: unknown}))
	}
	if f.args.Kwarg == p {
		d := newDict()
		d.blur(unknown)
		return in.place(p, one(d))
	}
	if f.class != nil && i == 0 {
		return one(f.class.self())
	}
	return unknown
}
