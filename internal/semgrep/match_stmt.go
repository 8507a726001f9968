package semgrep

import "slices"

// stmt compares a statement of a pattern with one of a file. An expression
// alone also finds it inside another statement: `foo()` in `x = foo()`.
func (m *matcher) stmt(p, t *node, e *env) envs {
	if p.kind != kExprStmt {
		if p.kind != t.kind {
			m.step(1)
			return nil
		}
		return m.match(p, t, e)
	}
	inner := p.kids[0]
	switch inner.kind {
	case kDots:
		return envs{e}
	case kMvar, kMvars:
		if t.kind == kExprStmt {
			t = t.kids[0]
		}
		return m.bind(inner.text, t, e)
	case kDeep:
		inner = inner.kids[0]
	}
	var out ways
	t.header(func(h *node) { out.add(m, m.deep(inner, h, e)...) })
	return out.list
}

// found is a run of statements that a pattern matched.
type found struct {
	env  *env
	last *node
}

// run is how far the statements of a pattern have come: the next statement is
// number at, or, behind dots, any one from there.
type run struct {
	at   int32
	open bool
	env  *env
	last *node
}

// sequence finds the statements of a pattern in those from number lo to hi of
// the file, which are the rest of a block with all that is nested in it. Dots
// skip any number of them, and go into nested ones. With whole nothing may be
// left over.
//
// Of the ways that agree in what they bind only the one that came least far is
// kept, so dots do not multiply.
func (m *matcher) sequence(ps []*node, lo, hi int32, e *env, whole bool) []found {
	runs := []run{{at: lo, env: e}}
	for i, p := range ps {
		if isDots(p) {
			for r := range runs {
				runs[r].open = true
			}
			continue
		}
		if p.kind == kExprStmt && p.kids[0].kind == kMvars {
			if runs = m.advanceMany(p.kids[0].text, runs, hi, i+1 == len(ps)); len(runs) == 0 {
				return nil
			}
			continue
		}
		dotsFollow := i+1 < len(ps) && isDots(ps[i+1])
		if runs = m.advance(p, runs, hi, dotsFollow); len(runs) == 0 {
			return nil
		}
	}
	var out []found
	for _, r := range runs {
		if whole && !r.open && r.at != hi {
			continue
		}
		last := r.last
		if r.open && hi > lo {
			last = m.file.lastIn(lo, hi)
		}
		out = append(out, found{r.env, last})
	}
	return out
}

// advance matches one statement of a pattern from where the runs have come to.
func (m *matcher) advance(p *node, runs []run, hi int32, dotsFollow bool) (out []run) {
	var seen ways
	for _, r := range runs {
		end := hi
		if !r.open {
			end = min(hi, r.at+1)
		}
		for i := r.at; i < end; i++ {
			t := m.file.stmts[i]
			for _, e := range m.stmt(p, t, r.env) {
				to := run{at: t.end, env: e, last: t}
				if dotsFollow {
					to.at = i + 1
					if seen.has(e) {
						continue // came less far before
					}
					seen.put(e)
				}
				out = append(out, to)
				if len(out) > maxEnvs {
					panic(errBudget)
				}
			}
		}
	}
	return out
}

// advanceMany lets $...X take statements in a row: all that are left, where
// nothing follows in the pattern.
func (m *matcher) advanceMany(name string, runs []run, hi int32, last bool) (out []run) {
	for _, r := range runs {
		var taken []*node
		at := r.at
		for {
			if !last || at == hi {
				for _, e := range m.bind(name, many(taken), r.env) {
					out = append(out, run{at: at, env: e, last: r.last})
				}
			}
			m.step(1 + len(out))
			if at >= hi || len(out) > maxEnvs {
				break
			}
			r.last = m.file.stmts[at]
			taken = append(taken[:len(taken):len(taken)], r.last)
			at = r.last.end
		}
	}
	if len(out) > maxEnvs {
		panic(errBudget)
	}
	return out
}

// block compares the body of a compound statement: all of it, unless the
// pattern has dots in its body, which as in Semgrep also stand behind it. A
// metavariable alone takes a body of any length.
func (m *matcher) block(p, t *node, e *env) envs {
	if len(p.kids) == 1 && p.kids[0].kind == kExprStmt {
		switch inner := p.kids[0].kids[0]; {
		case inner.kind == kDots:
			return envs{e}
		case inner.kind == kMvar && len(t.kids) > 1:
			return m.bind(inner.text, t, e)
		}
	}
	whole := !slices.ContainsFunc(p.kids, isDots)
	var out ways
	for _, f := range m.sequence(p.kids, t.kids[0].first, t.kids[len(t.kids)-1].end, e, whole) {
		out.add(m, f.env)
	}
	return out.list
}

// class compares its body in any order, and leaves out what the pattern does.
func (m *matcher) class(p, t *node, e *env) envs {
	list := envs{e}
	for i := range 3 {
		if p.kids[i] == nil {
			continue
		}
		if list = m.each(list, func(e *env) envs { return m.match(p.kids[i], orEmpty(t.kids[i], p.kids[i].kind), e) }); list == nil {
			return nil
		}
	}
	var fields []*node
	for _, s := range p.kids[3].kids {
		if !isDots(s) {
			fields = append(fields, s)
		}
	}
	return m.each(list, func(e *env) envs { return m.pick(fields, t.kids[3].kids, e, m.stmt) })
}

// orEmpty lets a list that is not there be an empty one.
func orEmpty(n *node, k kind) *node {
	if n == nil && (k == kBases || k == kDecorators) {
		return &node{kind: k}
	}
	return n
}

// handler compares what is caught: the types of a pattern are in any order
// among those of the file, dots are any.
func (m *matcher) handler(p, t *node, e *env) envs {
	list := envs{e}
	if p.kids[0] == nil && t.kids[0] != nil {
		return nil
	}
	if p.kids[0] != nil {
		list = m.types(p.kids[0].kids, t.kids[0], e)
	}
	if p.kids[1] != nil {
		list = m.each(list, func(e *env) envs { return m.match(p.kids[1], t.kids[1], e) })
	}
	return m.each(list, func(e *env) envs { return m.match(p.kids[2], t.kids[2], e) })
}

func (m *matcher) types(ps []*node, t *node, e *env) envs {
	switch {
	case len(ps) == 1 && ps[0].kind == kDots:
		return envs{e}
	case t == nil:
		return nil
	case len(ps) == 1 && ps[0].kind == kMvar && len(t.kids) > 1:
		return m.bind(ps[0].text, t, e)
	}
	return m.unordered(ps, t.kids, e, false)
}

// assign compares assignments; a pattern with one target matches any one of
// `a = b = value`.
func (m *matcher) assign(p, t *node, e *env) envs {
	list := envs{e}
	if p.kids[2] != nil {
		list = m.match(p.kids[2], t.kids[2], e)
	}
	if p.kids[1] != nil {
		list = m.each(list, func(e *env) envs { return m.match(p.kids[1], t.kids[1], e) })
	} else if t.kids[1] != nil {
		return nil
	}
	targets, have := p.kids[0], t.kids[0]
	return m.each(list, func(e *env) envs {
		if len(targets.kids) != 1 {
			return m.list(targets.kids, have.kids, e)
		}
		var out ways
		for _, h := range have.kids {
			out.add(m, m.match(targets.kids[0], h, e)...)
		}
		return out.list
	})
}
