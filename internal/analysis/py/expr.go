package py

import (
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// loading says what the value of an expression is wanted for.
type loading uint8

const (
	asEscape  loading = iota // handed on: a callable in it may be called unseen
	asTracked                // kept in a variable, which stays in sight
	asBase                   // the base of an attribute, a subscript or a call
)

// eval evaluates an expression whose value is handed on.
func (in *interp) eval(s *scope, e python.Expr) val { return in.load(s, e, asEscape) }

// load evaluates an expression and reports what it names. Large values cost
// more steps.
func (in *interp) load(s *scope, e python.Expr, how loading) val {
	if in.nesting++; in.nesting > maxNesting {
		panic(stop{ErrBudget})
	}
	v := in.expr(s, e, how)
	in.nesting--
	in.steps += v.size() / 4
	if how != asBase {
		in.sawParts(v)
	}
	for i := range v.size() {
		o := v.at(i)
		long := false
		switch o := o.(type) {
		case cStr:
			long = len(o) > maxText
			in.steps += len(o) >> 7
		case cBytes:
			long = len(o) > maxText
			in.steps += len(o) >> 7
		}
		if long {
			return join(v.without(i), one(general(o)))
		}
	}
	return v
}

func (in *interp) expr(s *scope, e python.Expr, how loading) val {
	in.step()
	switch e := e.(type) {
	case *python.Constant:
		return constant(e.Value)
	case *python.Name:
		v := in.name(s, e)
		in.named(e, v, how)
		return v
	case *python.Attribute:
		base := in.load(s, e.Value, asBase)
		in.touch(e.Value, base)
		v := in.attribute(e, base, e.Attr)
		in.named(e, v, how)
		return v
	case *python.Subscript:
		base := in.load(s, e.Value, asBase)
		in.touch(e.Value, base)
		key := in.eval(s, e.Slice)
		v := in.place(e, in.item(e, base, key))
		in.named(e, v, how)
		return v
	case *python.Call:
		v := in.callExpr(s, e)
		in.named(e, v, how)
		return v
	case *python.NamedExpr:
		v := in.load(s, e.Value, asTracked)
		in.assign(s, e.Target, v)
		in.named(e, v, how)
		return v
	case *python.IfExp:
		in.eval(s, e.Test)
		return join(in.load(s, e.Body, how), in.load(s, e.Orelse, how))
	case *python.BoolOp:
		var out val
		for _, v := range e.Values {
			out = join(out, in.load(s, v, how))
		}
		return out
	case *python.Starred:
		return in.load(s, e.Value, how)
	}
	return in.compound(s, e)
}

// named reports a symbol that is named here, unless it is only the base of more.
func (in *interp) named(n python.Node, v val, how loading) {
	if how != asBase && v.size() > 0 {
		in.refer(n, v, how == asTracked)
	}
}

func (in *interp) compound(s *scope, e python.Expr) val {
	switch e := e.(type) {
	case *python.BinOp:
		return in.computed(e, in.binary(e, e.Op, in.eval(s, e.Left), in.eval(s, e.Right)))
	case *python.UnaryOp:
		return in.unary(e, in.eval(s, e.Operand))
	case *python.Compare:
		return in.compare(s, e)
	case *python.Lambda:
		return one(in.lambda(s, e))
	case *python.Dict:
		return in.dictExpr(s, e)
	case *python.Set:
		return in.listExpr(s, e, aSet, e.Elts)
	case *python.List:
		return in.listExpr(s, e, aList, e.Elts)
	case *python.Tuple:
		return in.listExpr(s, e, aTuple, e.Elts)
	case *python.ListComp:
		return in.listComp(s, aList, e.Elt, e.Generators)
	case *python.SetComp:
		return in.listComp(s, aSet, e.Elt, e.Generators)
	case *python.GeneratorExp:
		return in.listComp(s, anIterator, e.Elt, e.Generators)
	case *python.DictComp:
		d := newDict()
		in.comprehension(s, e.Generators, func(inner *scope) {
			d.store(in.eval(inner, e.Key), in.eval(inner, e.Value), inner.certainUntil(s))
		})
		return in.place(e, one(d))
	case *python.Await:
		return in.await(e, in.eval(s, e.Value))
	case *python.Yield:
		v := noneValue
		if e.Value != nil {
			v = in.load(s, e.Value, asTracked)
		}
		in.returned(s, v)
		return unknown
	case *python.YieldFrom:
		in.returned(s, in.each(e, in.eval(s, e.Value)))
		return unknown
	case *python.JoinedStr:
		return in.computed(e, in.joined(s, e.Values))
	case *python.TemplateStr:
		for _, v := range e.Values {
			in.eval(s, v)
		}
		return unknown
	case *python.FormattedValue:
		return in.formatted(s, e.Value, e.FormatSpec, e.Conversion)
	case *python.Interpolation:
		v := in.eval(s, e.Value)
		in.optional(s, e.FormatSpec)
		return v
	case *python.Slice:
		return in.slice(s, e)
	}
	return unknown
}

// name resolves a name.
func (in *interp) name(s *scope, n *python.Name) val {
	if h := s.find(n.Id); h != nil {
		c, ok := h.vars[n.Id]
		if !ok {
			return unknown // not bound yet
		}
		var v val
		if h == s || h.frame() == s.frame() {
			v = c.cur
		} else {
			in.saw(&c.mark)
			v = c.ever
		}
		if v.empty() {
			return unknown
		}
		return v
	}
	if v, ok := in.starred(s, n); ok {
		return v
	}
	if in.table.builtins[n.Id] {
		if n.Id == "__builtins__" {
			in.introspect(n, "__builtins__", analysis.KindUse, "")
			return one(module("builtins"))
		}
		return in.table.values[n.Id]
	}
	if annotationNames[n.Id] {
		return join(unknown, one(in.instanceOf(annotationsOf)))
	}
	if n.Id == "__loader__" || n.Id == "__spec__" {
		in.introspect(n, n.Id, analysis.KindName, "")
	}
	// A global that a function reads before we have seen its assignment.
	if in.run != nil {
		c := &cell{}
		if _, ok := s.unit.scope.vars[n.Id]; !ok {
			s.unit.scope.vars[n.Id] = c
		}
		in.saw(&s.unit.scope.vars[n.Id].mark)
	}
	if forgotten[n.Id] {
		return join(unknown, one(module(n.Id)))
	}
	return unknown
}

// forgotten are modules that programs use without importing them. Such a
// program fails where it stands, but pieces of programs are judged as well.
var forgotten = nameSet("os sys subprocess shutil socket ctypes importlib pickle marshal tempfile requests multiprocessing")

// starred resolves a name through the modules that were imported with *.
func (in *interp) starred(s *scope, n *python.Name) (val, bool) {
	var out val
	for o := s; o != nil; o = o.outer {
		for _, m := range o.stars {
			switch m := m.(type) {
			case *unit:
				if m.scope != nil {
					if c, ok := m.scope.vars[n.Id]; ok {
						out = join(out, c.ever)
					}
				}
			case module:
				full := string(m) + "." + n.Id
				if _, known := in.table.effects[full]; known || !in.table.builtins[n.Id] {
					out = join(out, in.moduleAttribute(n, m, n.Id))
				}
			}
		}
	}
	if in.table.builtins[n.Id] && !out.empty() {
		out = join(out, one(symbol("builtins."+n.Id)))
	}
	return out, !out.empty()
}

func (in *interp) listExpr(s *scope, n python.Node, kind listKind, elts []python.Expr) val {
	l := &list{kind: kind, exact: true}
	for _, e := range elts {
		if star, ok := e.(*python.Starred); ok {
			v := in.eval(s, star.Value)
			if exact, ok := in.elements(star, v); ok && l.exact {
				l.elems = append(l.elems, exact...)
			} else {
				l.blur(in.each(star, v))
			}
			continue
		}
		v := in.eval(s, e)
		if l.exact && len(l.elems) < 512 {
			l.elems = append(l.elems, v)
		} else {
			l.blur(v)
		}
	}
	return in.place(n, one(l))
}

func (in *interp) dictExpr(s *scope, e *python.Dict) val {
	d := newDict()
	for i, k := range e.Keys {
		if k == nil {
			in.merge(d, in.eval(s, e.Values[i]), true)
			continue
		}
		key := in.eval(s, k)
		in.annotationKey(k, key)
		d.store(key, in.eval(s, e.Values[i]), true)
	}
	return in.place(e, one(d))
}

func (in *interp) listComp(s *scope, kind listKind, elt python.Expr, gens []*python.Comprehension) val {
	l := &list{kind: kind, exact: true}
	in.comprehension(s, gens, func(inner *scope) {
		v := in.eval(inner, elt)
		if l.exact && inner.certainUntil(s) && len(l.elems) < 512 {
			l.elems = append(l.elems, v)
		} else {
			l.blur(v)
		}
	})
	return in.place(elt, one(l))
}

// certainUntil reports whether nothing between two comprehension scopes makes
// what happens uncertain.
func (s *scope) certainUntil(outer *scope) bool {
	for o := s; o != nil && o != outer; o = o.outer {
		if o.weak > 0 {
			return false
		}
	}
	return true
}

func (in *interp) slice(s *scope, e *python.Slice) val {
	part := func(e python.Expr) (int64, bool) {
		if e == nil {
			return noPart, true
		}
		v, ok := in.eval(s, e).only()
		i, isInt := v.(cInt)
		if _, none := v.(cNone); none && ok {
			return noPart, true
		}
		return int64(i), ok && isInt
	}
	lower, ok1 := part(e.Lower)
	upper, ok2 := part(e.Upper)
	step, ok3 := part(e.Step)
	if ok1 && ok2 && ok3 {
		return one(sliceOf{lower, upper, step})
	}
	return one(anySlice{})
}

// noPart stands for a part of a slice that is left out.
const noPart = -1 << 63

// anySlice is a slice object that is not known.
type anySlice struct{}

func (in *interp) lambda(s *scope, e *python.Lambda) *function {
	f := in.makeFunction(s, e, "<lambda>", e.Args, nil, e.Body)
	return f
}

// await gives what an awaitable of the program returns: calling a coroutine
// function is taken for running it.
func (in *interp) await(n python.Node, v val) val {
	out := v
	for j := range v.size() {
		o := v.at(j)
		if i, ok := o.(*instance); ok {
			if c, ok := i.of.(*class); ok {
				if m := in.classAttribute(c, "__await__"); !m.empty() {
					out = join(out, in.each(n, in.call(n, in.bind(m, i, c), callArgs{})))
				}
			}
		}
	}
	return out
}
