package py

import "palisade/internal/python"

// maxUnroll bounds how often a loop over known elements is interpreted.
const maxUnroll = 100

func (in *interp) forStmt(s *scope, target, iter python.Expr, body, orelse []python.Stmt) {
	v := in.eval(s, iter)
	elems, exact := in.elements(iter, v)
	if exact && len(elems) <= maxUnroll && !in.coarse() && len(elems)*size(body) <= 800 {
		sure := !jumps(body)
		for _, e := range elems {
			if in.coarse() {
				break
			}
			if !sure {
				s.weak++
			}
			in.assign(s, target, e)
			in.body(s, body)
			if !sure {
				s.weak--
			}
		}
		if len(elems) == 0 || in.coarse() {
			in.repeat(s, target, in.each(iter, v), body)
		}
		in.maybe(s, orelse)
		return
	}
	in.repeat(s, target, in.each(iter, v), body)
	in.maybe(s, orelse)
}

// repeat interprets a body whose number of rounds is not known until what it
// assigns no longer grows.
func (in *interp) repeat(s *scope, target python.Expr, elem val, body []python.Stmt) {
	s.weak++
	defer func() { s.weak-- }()
	for range 3 {
		before := in.clock
		if target != nil {
			in.assign(s, target, elem)
		}
		in.body(s, body)
		if in.clock == before {
			return
		}
	}
	// What still grows is widened: strings that the loop builds are not known.
	in.widen(s, body)
	in.body(s, body)
}

// widen opens the variables that a body assigns.
func (in *interp) widen(s *scope, body []python.Stmt) {
	syms := collect(nil, body, nil)
	for name := range ordered(syms.local) {
		if c, ok := s.home(name).vars[name]; ok {
			wide := val{open: c.cur.open}
			grows := 0
			for _, o := range c.cur.objs {
				switch o.(type) {
				case cStr, pattern, prefix:
					grows++
					wide = join(wide, one(prefix("")))
				case cInt, number:
					wide = join(wide, one(number{}))
				default:
					wide = join(wide, one(o))
				}
			}
			if grows > 2 || len(c.cur.objs) > 4 {
				in.set(c, wide, true)
			}
		}
	}
}

func (in *interp) whileStmt(s *scope, st *python.While) {
	sure := !jumps(st.Body)
	for range maxUnroll {
		v := in.eval(s, st.Test)
		truth, known := truthOf(v)
		if !known || !sure || !s.certain() || in.coarse() || isTrue(st.Test) {
			in.repeat(s, nil, val{}, st.Body)
			in.maybe(s, st.Orelse)
			return
		}
		if !truth {
			in.maybe(s, st.Body)
			in.maybe(s, st.Orelse)
			return
		}
		in.body(s, st.Body)
	}
	in.repeat(s, nil, val{}, st.Body)
	in.maybe(s, st.Orelse)
}

func isTrue(e python.Expr) bool {
	_, ok := e.(*python.Constant)
	return ok
}

// jumps reports whether a body may leave before its end.
func jumps(body []python.Stmt) bool {
	for _, st := range body {
		switch st := st.(type) {
		case *python.Break, *python.Continue, *python.Return:
			return true
		case *python.If:
			if jumps(st.Body) || jumps(st.Orelse) {
				return true
			}
		case *python.For:
			if jumps(st.Body) || jumps(st.Orelse) {
				return true
			}
		case *python.While:
			if jumps(st.Body) || jumps(st.Orelse) {
				return true
			}
		case *python.With:
			if jumps(st.Body) {
				return true
			}
		case *python.Try:
			return true
		case *python.TryStar, *python.AsyncFor, *python.AsyncWith, *python.Match:
			return true
		}
	}
	return false
}

// size counts the statements of a body, coarsely.
func size(body []python.Stmt) int {
	n := 0
	for _, st := range body {
		n++
		switch st := st.(type) {
		case *python.If:
			n += size(st.Body) + size(st.Orelse)
		case *python.For:
			n += 4 * size(st.Body)
		case *python.While:
			n += 4 * size(st.Body)
		case *python.With:
			n += size(st.Body)
		case *python.Try:
			n += size(st.Body) + 4
		}
	}
	return n
}

func (in *interp) comprehension(s *scope, gens []*python.Comprehension, leaf func(*scope)) {
	inner := &scope{kind: comprehensionScope, unit: s.unit, outer: s, vars: map[string]*cell{}, self: s.self}
	in.generate(inner, s, gens, leaf)
}

// generate interprets the for parts of a comprehension; the first iterable is
// evaluated outside of it.
func (in *interp) generate(inner, outer *scope, gens []*python.Comprehension, leaf func(*scope)) {
	if len(gens) == 0 {
		leaf(inner)
		return
	}
	g := gens[0]
	v := in.eval(outer, g.Iter)
	elems, exact := in.elements(g.Iter, v)
	ran := false
	once := func(e val) {
		in.bindTarget(inner, g.Target, e)
		maybe := false
		for _, c := range g.Ifs {
			if truth, known := truthOf(in.eval(inner, c)); !known {
				maybe = true
			} else if !truth {
				return
			}
		}
		if maybe {
			inner.weak++
		}
		ran = true
		in.generate(inner, inner, gens[1:], leaf)
		if maybe {
			inner.weak--
		}
	}
	if exact && len(elems) <= maxUnroll && len(elems) > 0 && !in.coarse() {
		for _, e := range elems {
			once(e)
		}
		if ran {
			return
		}
	}
	inner.weak++
	for range 2 {
		in.bindTarget(inner, g.Target, in.each(g.Iter, v))
		for _, c := range g.Ifs {
			in.eval(inner, c)
		}
		in.generate(inner, inner, gens[1:], leaf)
	}
	inner.weak--
}

// bindTarget binds the target of a comprehension in its own scope.
func (in *interp) bindTarget(s *scope, target python.Expr, v val) {
	python.Inspect(target, func(n python.Node) bool {
		if name, ok := n.(*python.Name); ok && name.Ctx == python.Store {
			if _, ok := s.vars[name.Id]; !ok {
				s.vars[name.Id] = &cell{}
			}
			s.vars[name.Id].cur = val{}
		}
		return true
	})
	in.assign(s, target, v)
}
