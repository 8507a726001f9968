package py

import (
	"palisade/internal/python"
)

// callArgs are the arguments of a call.
type callArgs struct {
	pos  []val
	kw   map[string]val
	rest val  // what further arguments may be, from *args or **kwargs
	open bool // there may be further ones
	// mapping is what names are looked up in, for str.format_map.
	mapping val
	scope   *scope // where the call stands, for eval and locals
}

// at is the argument at a position; empty if there is none.
func (a callArgs) at(i int) val {
	if i >= 0 && i < len(a.pos) {
		return a.pos[i]
	}
	if a.open {
		return join(a.rest, unknown)
	}
	return val{}
}

func (a callArgs) named(key string) val {
	if v, ok := a.kw[key]; ok {
		return v
	}
	if o, ok := a.mapping.only(); ok {
		if d, isDict := o.(*dict); isDict {
			if v, ok := d.items[cStr(key)]; ok {
				return v
			}
		}
	}
	if a.open {
		return join(a.rest, unknown)
	}
	return val{}
}

// get is an argument that may be given by position or by name.
func (a callArgs) get(i int, key string) val {
	if i >= 0 && i < len(a.pos) {
		return a.pos[i]
	}
	if key != "" {
		if v, ok := a.kw[key]; ok {
			return v
		}
	}
	if a.open {
		return join(a.rest, unknown)
	}
	return val{}
}

func (a callArgs) prepend(v val) callArgs {
	a.pos = append([]val{v}, a.pos...)
	return a
}

func (a callArgs) drop() callArgs {
	if len(a.pos) > 0 {
		a.pos = a.pos[1:]
	}
	return a
}

// all is every argument at once.
func (a callArgs) all() val {
	out := a.rest
	for _, v := range a.pos {
		out = join(out, v)
	}
	for _, v := range ordered(a.kw) {
		out = join(out, v)
	}
	return out
}

func (in *interp) callExpr(s *scope, e *python.Call) val {
	fn := in.load(s, e.Func, asBase)
	if fn.has(symbol("builtins.super")) && len(e.Args) == 0 {
		if v, ok := in.implicitSuper(s); ok {
			return v
		}
	}
	how := asEscape
	if in.follows(fn) {
		how = asTracked
	}
	args := in.arguments(s, withoutGlobals(e, fn), how)
	args.scope = s
	return in.call(e, fn, args)
}

// follows reports whether everything that is called is followed, so that what
// is passed stays in sight.
func (in *interp) follows(fn val) bool {
	if fn.open || fn.size() == 0 {
		return false
	}
	for i := range fn.size() {
		o := fn.at(i)
		switch o := o.(type) {
		case *function, *method, *class, *getter:
		case symbol:
			if !followed[o] {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// followed are the functions of libraries whose calls of their arguments are modelled.
var followed = map[symbol]bool{
	"builtins.map": true, "builtins.filter": true, "builtins.sorted": true, "builtins.min": true,
	"builtins.max": true, "functools.reduce": true, "functools.partial": true, "itertools.starmap": true,
	"functools.wraps": true, "functools.lru_cache": true, "functools.cache": true, "builtins.callable": true,
	"builtins.staticmethod": true, "builtins.classmethod": true, "builtins.property": true,
	"contextlib.contextmanager": true, "dataclasses.dataclass": true, "operator.call": true,
	"builtins.isinstance": true, "builtins.type": true, "builtins.print": true, "asyncio.run": true,
	"builtins.len": true, "builtins.next": true, "builtins.iter": true,
}

func (in *interp) arguments(s *scope, e *python.Call, how loading) callArgs {
	var a callArgs
	if len(e.Args) > 0 {
		a.pos = in.vals(len(e.Args))
	}
	for _, arg := range e.Args {
		if star, ok := arg.(*python.Starred); ok {
			v := in.eval(s, star.Value)
			if elems, exact := in.elements(star, v); exact && !a.open && len(elems) < 256 {
				a.pos = append(a.pos, elems...)
			} else {
				a.open, a.rest = true, join(a.rest, in.each(star, v))
			}
			continue
		}
		v := in.load(s, arg, how)
		if a.open {
			a.rest = join(a.rest, v)
			continue
		}
		a.pos = append(a.pos, v)
	}
	for _, k := range e.Keywords {
		v := in.load(s, k.Value, how)
		if a.kw == nil {
			a.kw = make(map[string]val, len(e.Keywords))
		}
		if k.Arg != "" {
			a.kw[k.Arg] = v
			continue
		}
		o, ok := v.only()
		if d, isDict := o.(*dict); ok && isDict && d.exact {
			for _, key := range d.keys {
				if name, ok := key.(cStr); ok {
					a.kw[string(name)] = d.items[key]
				}
			}
			continue
		}
		a.open, a.rest = true, join(a.rest, in.values(v))
	}
	return a
}

// vals makes room for n values, a part of a larger piece: calls have few
// arguments, and there are many calls.
func (in *interp) vals(n int) []val {
	const piece = 64
	if n > piece/4 {
		return make([]val, 0, n)
	}
	if n > len(in.spare) {
		in.spare = make([]val, piece)
	}
	out := in.spare[:0:n]
	in.spare = in.spare[n:]
	return out
}

// values is what any value of a mapping may be.
func (in *interp) values(v val) val {
	out := val{open: v.open}
	for i := range v.size() {
		o := v.at(i)
		if d, ok := o.(*dict); ok {
			out = join(out, d.element())
			continue
		}
		out.open = true
	}
	return out
}

// call is fn(args) for everything that fn may be.
func (in *interp) call(n python.Node, fn val, args callArgs) val {
	var out val
	if fn.open {
		out = unknown
		in.escape(args.all())
		in.callAdrift(n, args)
		if c, ok := n.(*python.Call); ok {
			if a, ok := c.Func.(*python.Attribute); ok {
				in.strayPaths(n, "?."+a.Attr, args)
			}
		}
	}
	in.texKeywords(n, args)
	if in.calls++; in.calls == in.outerCalls+1 {
		in.callStart = in.steps
	}
	if in.calls > maxCalls || in.spreads() {
		// Too deep to follow: every function is read on its own as well.
		in.calls--
		in.escape(args.all())
		in.refer(n, fn, false)
		return unknown
	}
	for i := range fn.size() {
		o := fn.at(i)
		in.step()
		out = join(out, in.callObject(n, o, args))
	}
	in.calls--
	return out
}

// spreads reports whether a call leads to more and more others that are no
// functions of the program: objects that call each other.
func (in *interp) spreads() bool {
	return in.calls-in.outerCalls > 4 && in.coarse() && in.steps-in.callStart > maxCallSteps
}

// maxCallSteps bounds the steps of such a call.
const maxCallSteps = 3000

// maxCalls bounds the calls that are in progress, those that only look
// something up included.
const maxCalls = 40

func (in *interp) callObject(n python.Node, o object, args callArgs) val {
	switch o.(type) {
	case *instance, *partial, *wrapper:
		if in.active[o] {
			return unknown // it calls itself
		}
		in.active[o] = true
		defer delete(in.active, o)
	}
	switch o := o.(type) {
	case symbol:
		return in.computed(n, in.callSymbol(n, o, args))
	case bound:
		return in.computed(n, in.callBound(n, o, args))
	case *function:
		return in.callFunction(n, o, args)
	case *method:
		return in.callFunction(n, o.fn, args.prepend(o.self))
	case *class:
		return in.instantiate(n, o, args)
	case *partial:
		in.saw(&o.mark)
		merged := callArgs{pos: append(o.args.pos[:len(o.args.pos):len(o.args.pos)], args.pos...), kw: map[string]val{}, scope: args.scope}
		for k, v := range o.args.kw {
			merged.kw[k] = v
		}
		for k, v := range args.kw {
			merged.kw[k] = v
		}
		merged.open, merged.rest = o.args.open || args.open, join(o.args.rest, args.rest)
		if in.depth > maxDepth {
			return unknown
		}
		in.depth++
		defer func() { in.depth-- }()
		return in.call(n, o.fn, merged)
	case identity:
		return args.at(0)
	case *getter:
		in.saw(&o.mark)
		return in.applyGetter(n, o, args.at(0))
	case *wrapper:
		in.saw(&o.mark)
		if o.kind == "property" {
			return unknown
		}
		return in.call(n, o.fn, args)
	case *instance:
		if c, ok := o.of.(*class); ok {
			if m := in.classAttribute(c, "__call__"); !m.empty() {
				return in.call(n, in.bind(m, o, c), args)
			}
			return unknown
		}
		in.escape(args.all())
		in.callAdrift(n, args)
		return unknown
	}
	in.escape(args.all())
	return unknown
}

// escape notes that functions of the program may be called from where we do
// not see, with anything.
func (in *interp) escape(v val) {
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case *function:
			o.escaped = true
		case *method:
			o.fn.escaped = true
		case *list:
			in.escapeParts(o.elems)
		case *dict:
			for _, k := range o.keys {
				in.escapeParts([]val{o.items[k]})
			}
		}
	}
}

func (in *interp) escapeParts(list []val) {
	for _, v := range list {
		for i := range v.size() {
			o := v.at(i)
			if f, ok := o.(*function); ok {
				f.escaped = true
			}
		}
	}
}

// applyGetter is operator.attrgetter(…)(v) and its kin.
func (in *interp) applyGetter(n python.Node, g *getter, v val) val {
	switch g.kind {
	case "methodcaller":
		if len(g.keys) == 0 {
			return unknown
		}
		return in.call(n, in.getattr(n, v, g.keys[0]), g.args)
	case "itemgetter":
		return in.several(g.keys, func(k val) val { return in.item(n, v, k) })
	}
	return in.several(g.keys, func(k val) val { return in.getattr(n, v, k) })
}

func (in *interp) several(keys []val, f func(val) val) val {
	if len(keys) == 1 {
		return f(keys[0])
	}
	l := newList(aTuple)
	for _, k := range keys {
		l.elems = append(l.elems, f(k))
	}
	return one(l)
}
