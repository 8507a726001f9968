package semgrep

func (t *tracker) block(b *node, s *state) {
	if b == nil {
		return
	}
	for _, stmt := range b.kids {
		if s.dead {
			return
		}
		leave := t.enter(stmt)
		t.stmt(stmt, s)
		leave()
	}
}

func (t *tracker) stmt(n *node, s *state) {
	t.step(1)
	switch n.kind {
	case kFunc:
		t.all(n.kids[0], s)
		t.defaults(n.kids[2], s)
		t.store(n.kids[1].text, nil, s)
	case kClass:
		t.all(n.kids[0], s)
		t.all(n.kids[2], s)
		t.block(n.kids[3], s.branch())
	case kAssign:
		list := t.top(n.kids[1], s)
		if n.kids[1] == nil {
			return
		}
		for _, target := range n.kids[0].kids {
			t.unpack(target, n.kids[1], list, s)
		}
	case kAugment:
		list := t.top(n.kids[0], s).union(t.top(n.kids[1], s))
		t.assign(n.kids[0], list, s)
	case kIf:
		t.top(n.kids[0], s)
		then, otherwise := s.fork(), s.fork()
		t.block(n.kids[1], then)
		t.block(n.kids[2], otherwise)
		s.meet(joinVariables, then, otherwise)
	case kFor, kWhile:
		t.loop(n, s)
	case kWith:
		for _, item := range n.kids[0].kids {
			list := t.top(item.kids[0], s)
			if item.kids[1] != nil {
				t.assign(item.kids[1], list, s)
			}
		}
		t.block(n.kids[1], s)
	case kTry:
		t.try(n, s)
	case kMatch:
		t.match(n, s)
	case kReturn, kRaise:
		t.all(n, s)
		s.dead = true
	case kDelete:
		for _, target := range n.kids[0].kids {
			t.assign(target, nil, s)
		}
	case kImport, kScope:
	default:
		t.all(n, s)
	}
}

// all reads every expression in a node.
func (t *tracker) all(n *node, s *state) {
	if n == nil {
		return
	}
	for _, k := range n.kids {
		t.top(k, s)
	}
}

// top reads an expression that a statement has itself: what it carries has
// come to the sinks that the statement is.
func (t *tracker) top(n *node, s *state) taints {
	sinks := t.open.sinks
	list := t.expr(n, s)
	t.reach(sinks, list)
	return list
}

func (t *tracker) defaults(params *node, s *state) {
	for _, p := range params.kids {
		t.expr(p.kid(2), s)
	}
}

// unpack gives each part of a target what its own element carries, where the
// value is written out.
func (t *tracker) unpack(target, value *node, list taints, s *state) {
	if !pairwise(target, value) {
		t.assign(target, list, s)
		return
	}
	carried := make([]taints, len(value.kids))
	for i, k := range value.kids {
		carried[i] = t.expr(k, s)
	}
	for i, k := range target.kids {
		t.unpack(k, value.kids[i], carried[i], s)
	}
}

// assign gives a target what a value carries. A target may be a source.
func (t *tracker) assign(target *node, list taints, s *state) {
	t.step(1)
	switch target.kind {
	case kTuple, kList:
		leave := t.enter(target)
		list = list.union(t.fromSources(target, list))
		leave()
		for _, k := range target.kids {
			t.assign(k, list, s)
		}
		return
	case kStar:
		t.assign(target.kids[0], list, s)
		return
	}
	leave := t.enter(target)
	defer leave()
	if target.kind == kIndex {
		t.expr(target.kids[1], s)
	}
	if t.sanitized(target) {
		list = nil
	} else {
		list = list.union(t.fromSources(target, list))
	}
	t.reach(t.sinks.at[target.span], list)
	if name := variableName(target); name != "" {
		t.store(name, list, s)
	} else {
		t.all(target, s)
	}
	t.after(target, s)
}

// loop reads a body until it taints nothing more. Taint only grows, and there
// is an end to it; the budget comes first where that is far.
func (t *tracker) loop(n *node, s *state) {
	body, otherwise := n.kids[1], n.kids[2]
	if n.kind == kFor {
		body, otherwise = n.kids[2], n.kids[3]
	}
	for {
		inner := s.branch()
		if n.kind == kFor {
			t.assign(n.kids[0], t.top(n.kids[1], inner), inner)
		} else {
			t.top(n.kids[0], inner)
		}
		t.block(body, inner)
		if !grows(inner, s) {
			break
		}
		t.step(10 * len(inner.vars)) // maps are slower than comparisons
		inner.dead = false
		s.meet(joinVariables, s.branch(), inner)
	}
	t.block(otherwise, s)
}

// grows reports whether a branch taints what was clean before it.
func grows(b, base *state) bool {
	for name, v := range b.vars {
		old := base.get(name)
		if len(old.union(v.taints)) > len(old.taints) {
			return true
		}
	}
	return false
}

// try lets a handler start with anything that the body may have done.
func (t *tracker) try(n *node, s *state) {
	body := s.branch()
	t.block(n.kids[0], body)
	start := s.branch()
	thrown := body.flat(s)
	thrown.dead = false
	start.meet(joinVariables, s.branch(), thrown)
	t.block(n.kids[2], body)
	ends, throws := []*state{body}, canRaise(n.kids[0])
	for _, h := range n.kids[1].kids {
		handler := start.branch()
		t.expr(h.kids[0], handler)
		handler.dead = !throws
		t.block(h.kids[2], handler)
		ends = append(ends, handler.flat(s))
	}
	s.meet(joinVariables, ends...)
	if dead := s.dead; n.kids[3] != nil {
		s.dead = false
		t.block(n.kids[3], s)
		s.dead = s.dead || dead
	}
}

func (t *tracker) match(n *node, s *state) {
	list := t.top(n.kids[0], s)
	ends := []*state{s.branch()}
	for _, c := range n.kids[1].kids {
		b := s.branch()
		captures(c.kids[0], func(name string) { b.set(name, variable{true, list}) })
		t.expr(c.kids[1], b)
		t.block(c.kids[2], b)
		ends = append(ends, b)
	}
	s.meet(joinVariables, ends...)
}

// captures calls f for each name that a case's pattern may bind.
func captures(n *node, f func(string)) {
	n.walk(func(n *node) bool {
		if n.kind == kIdent && n.text != "_" {
			f(n.text)
		}
		return n.kind != kAttr
	})
}
