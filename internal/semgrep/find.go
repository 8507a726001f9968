package semgrep

// hit is one place where a pattern matches.
type hit struct {
	span
	env     *env
	node    *node // what matched; nil where that is not one node
	focused bool  // the place is that of a focused metavariable
}

// find returns all places where a pattern matches in the file.
func (m *matcher) find(p *pattern) []hit {
	var out hits
	switch p.shape {
	case anExpression:
		for _, n := range m.candidates(p.list[0]) {
			out.add(m, n, m.whole(p.list[0], n))
		}
	case aStatement:
		for _, n := range m.file.byKind[p.list[0].kind] {
			out.add(m, n, m.stmt(p.list[0], n, nil))
		}
	case aDecorator:
		for _, n := range m.file.byKind[kDecorator] {
			out.add(m, n, m.match(p.list[0], n, nil))
		}
	case aHandler:
		for _, n := range m.file.byKind[kHandler] {
			out.add(m, n, m.match(p.list[0], n, nil))
		}
	case statements:
		for _, b := range m.file.byKind[kBody] {
			m.blockRuns(p.list, b, &out)
		}
	}
	return out.list
}

// whole matches an expression with one of the file. A name alone is not what
// it was set to: that is found where it stands.
func (m *matcher) whole(p, n *node) envs {
	if n.kind == kName {
		m.symbols = maxSymbols
		defer func() { m.symbols = 0 }()
	}
	return m.match(p, n, nil)
}

// blockRuns finds runs of statements that start in a block.
func (m *matcher) blockRuns(ps []*node, b *node, out *hits) {
	end := b.kids[len(b.kids)-1].end
	for i, s := range b.kids {
		if i > 0 && isDots(ps[0]) {
			return
		}
		for _, f := range m.sequence(ps, s.first, end, nil, false) {
			last := s
			if f.last != nil {
				last = f.last
			}
			out.put(m, hit{span: span{s.from, max(last.to, s.from)}, env: f.env})
		}
	}
}

// hits are places without repetition.
type hits struct {
	list []hit
	seen map[hitKey]bool
}

type hitKey struct {
	span
	print uint64
}

func (h hit) key() hitKey { return hitKey{h.span, h.env.fingerprint()} }

func (h *hits) put(m *matcher, one hit) {
	m.step(1)
	key := one.key()
	if h.seen[key] {
		return
	}
	if h.seen == nil {
		h.seen = map[hitKey]bool{}
	}
	if len(h.list) >= maxHits {
		panic(errBudget)
	}
	h.seen[key] = true
	h.list = append(h.list, one)
}

// maxHits bounds the places where one pattern matches in a file.
const maxHits = 100_000

func (h *hits) add(m *matcher, n *node, list envs) {
	for _, e := range list {
		h.put(m, hit{span: n.span, env: e, node: n})
	}
}

// candidates returns the expressions that an expression might match.
func (m *matcher) candidates(p *node) []*node {
	switch p.kind {
	case kConst:
		return m.file.constants()
	case kMvar, kMvars, kDots, kDeep, kTyped:
		return m.file.exprs
	case kAttr:
		if p.kids[1].kind == kDots {
			return m.file.exprs
		}
		return m.both(kAttr, kName)
	case kSet:
		return m.both(kSet, kDict)
	case kList:
		return m.both(kList, kComp)
	}
	return m.file.byKind[p.kind]
}

func (m *matcher) both(a, b kind) []*node {
	x, y := m.file.byKind[a], m.file.byKind[b]
	return append(append(make([]*node, 0, len(x)+len(y)), x...), y...)
}
