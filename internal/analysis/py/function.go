package py

import (
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
}

// decorate is the call that a decorator is. What a library's decorator returns
// is taken to call what it was given.
func (in *interp) decorate(n python.Node, dec, v val) val {
	out := in.call(n, dec, callArgs{pos: []val{v}})
	for _, o := range dec.objs {
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
	for _, o := range v.objs {
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
		node: n, name: name, args: args, body: body, expr: expr, outer: s, syms: syms,
		defaults: defaults, kwDefaults: kwDefaults, ret: newCell(), params: map[string]*cell{},
	}
	for _, p := range parameters(args) {
		c := newCell()
		f.params[p.Arg] = c
		f.seen = append(f.seen, c)
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

// bindArgs lays arguments out on parameters.
func (in *interp) bindArgs(f *function, args callArgs) map[string]val {
	a := f.args
	out := make(map[string]val, len(f.params))
	positional := append(a.Posonlyargs[:len(a.Posonlyargs):len(a.Posonlyargs)], a.Args...)
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
		out[p.Arg] = v
	}
	if a.Vararg != nil {
		l := newList(aTuple)
		if len(args.pos) > len(positional) {
			l.elems = append(l.elems, args.pos[len(positional):]...)
		}
		if args.open {
			l.blur(join(args.rest, unknown))
		}
		out[a.Vararg.Arg] = one(l)
	}
	for _, p := range a.Kwonlyargs {
		v, ok := args.kw[p.Arg]
		if !ok {
			v = f.kwDefaults[p.Arg]
			if args.open {
				v = join(v, join(args.rest, unknown))
			}
		}
		out[p.Arg] = v
	}
	if a.Kwarg != nil {
		d := newDict()
		for k, v := range ordered(args.kw) {
			if _, taken := out[k]; !taken {
				d.put(cStr(k), v)
			}
		}
		if args.open {
			d.blur(join(args.rest, unknown))
		}
		out[a.Kwarg.Arg] = one(d)
	}
	return out
}

// callFunction follows a call of a function of the program.
func (in *interp) callFunction(n python.Node, f *function, args callArgs) val {
	bound := in.bindArgs(f, args)
	for _, p := range parameters(f.args) {
		in.set(f.params[p.Arg], bound[p.Arg], false)
	}
	if in.settling > 0 && in.run != nil && f.called {
		// Rounds go on until what a function returns no longer changes.
		in.saw(f.ret)
		if !f.ret.ever.empty() {
			return f.ret.ever
		}
		return unknown
	}
	if f.running > 0 || in.depth >= maxDepth || in.coarse() {
		// Not followed here: it is read once more, with everything it was given.
		in.saw(f.ret)
		return join(f.ret.ever, unknown)
	}
	key := make([]val, 0, len(bound))
	for _, p := range parameters(f.args) {
		key = append(key, bound[p.Arg])
	}
	for _, m := range f.memo {
		if m.at == in.clock && sameVals(m.args, key) {
			in.saw(f.ret)
			return m.ret
		}
	}
	shaky, start := in.shaky, in.clock
	in.shaky = shaky || args.scope == nil || !args.scope.certain()
	ret := in.runFunction(f, bound)
	in.shaky = shaky
	if len(f.memo) < 8 && in.clock == start { // it changed nothing
		f.memo = append(f.memo, memo{key, ret, in.clock})
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

// runFunction interprets a function's body.
func (in *interp) runFunction(f *function, params map[string]val) val {
	in.depth++
	f.running++
	outerRun, outerUnit := in.run, in.unit
	in.run, in.unit = f, f.outer.unit
	defer func() {
		in.depth--
		f.running--
		in.run, in.unit = outerRun, outerUnit
	}()
	f.called = true
	start := in.clock
	rets := val{}
	s := &scope{
		kind: functionScope, unit: f.outer.unit, outer: f.outer, vars: make(map[string]*cell, len(f.syms.local)),
		syms: f.syms, fn: f, rets: &rets, self: f.outer.self,
	}
	for name, v := range params {
		s.vars[name] = &cell{cur: v, ever: v}
	}
	if f.class != nil {
		if p := parameters(f.args); len(p) > 0 {
			if o, ok := params[p[0].Arg].only(); ok {
				s.self = o
			}
		}
	}
	if f.expr != nil {
		rets = in.load(s, f.expr, asTracked)
	} else {
		in.body(s, f.body)
	}
	if f.syms.yields {
		rets = one(&list{kind: anIterator, rest: rets})
	} else if rets.empty() {
		rets = one(cNone{})
	}
	in.set(f.ret, rets, false)
	f.seenAt = max(f.seenAt, start)
	return rets
}

// summarize interprets a function with everything that it was ever given; one
// that nobody calls here may be called with anything.
func (in *interp) summarize(f *function) {
	params := map[string]val{}
	wild := f.escaped || !f.called
	list := parameters(f.args)
	for i, p := range list {
		v := f.params[p.Arg].ever
		if wild || v.empty() {
			v = join(v, in.anything(f, i, p))
		}
		params[p.Arg] = v
	}
	if wild {
		f.wild = true
		for i, d := range f.defaults {
			positional := len(f.args.Posonlyargs) + len(f.args.Args)
			p := list[positional-len(f.defaults)+i]
			params[p.Arg] = join(params[p.Arg], d)
		}
		for name, d := range ordered(f.kwDefaults) {
			params[name] = join(params[name], d)
		}
	}
	start := in.clock
	in.shaky = true
	ret := in.runFunction(f, params)
	in.shaky = false
	if wild { // whoever calls it may call what it returns
		outer := in.unit
		in.unit = f.outer.unit
		in.refer(f.node, ret, false)
		in.unit = outer
	}
	f.seenAt = start
}

// anything is what a parameter may be when the caller is not known.
func (in *interp) anything(f *function, i int, p *python.Arg) val {
	if f.args.Vararg == p {
		return one(&list{kind: aTuple, rest: unknown})
	}
	if f.args.Kwarg == p {
		d := newDict()
		d.blur(unknown)
		return one(d)
	}
	if f.class != nil && i == 0 {
		return one(f.class.self())
	}
	return unknown
}
