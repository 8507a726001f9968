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
	in.frame.loops++
	defer func() {
		s.weak--
		in.frame.loops--
	}()
	outer := len(in.moved)
	for round := range maxRepeat {
		clock, mixed, start := in.clock, in.mixed, len(in.moved)
		if target != nil {
			in.assign(s, target, elem)
		}
		in.body(s, body)
		if len(in.moved) == start && (in.clock == clock || in.frame.summary && in.mixed == mixed) {
			return // a summary is read again where what it read has changed
		}
		if round >= maxRepeat/2 {
			in.widen(in.moved[start:])
		}
		if outer == 0 {
			in.moved = in.moved[:start]
		}
	}
	// It grows still: what is read of it now may be anything.
	in.open(s, body)
	in.body(s, body)
}

// maxRepeat bounds the rounds of a loop.
const maxRepeat = 6

// open lets the variables that a body assigns be anything.
func (in *interp) open(s *scope, body []python.Stmt) {
	for name := range ordered(collect(nil, body, nil).local) {
		if c, ok := s.home(name).vars[name]; ok {
			in.set(c, unknown, false)
		}
	}
}

// widen lets any text and any number stand for those of variables that grow.
func (in *interp) widen(cells []*cell) {
	for _, c := range cells {
		in.set(c, generalize(c.cur), true)
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
	in.frame.loops++
	for range 2 {
		in.bindTarget(inner, g.Target, in.each(g.Iter, v))
		for _, c := range g.Ifs {
			in.eval(inner, c)
		}
		in.generate(inner, inner, gens[1:], leaf)
	}
	in.frame.loops--
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
