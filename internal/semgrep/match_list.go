package semgrep

import (
	"cmp"
	"slices"
)

// reached is how far the elements of a pattern have come in a list: the next
// element is number at, or, behind dots, any one from there.
type reached struct {
	at   int
	open bool
	env  *env
}

// front are the places that have been reached, without repetition.
type front struct {
	list []reached
	seen map[reachedKey]bool
}

type reachedKey struct {
	at    int
	print uint64
}

func (f *front) put(m *matcher, r reached) {
	m.step(1)
	key := reachedKey{r.at, r.env.fingerprint()}
	if r.open {
		key.at = -1 // whoever came less far comes first
	}
	if f.seen[key] {
		return
	}
	if f.seen == nil {
		f.seen = map[reachedKey]bool{}
	}
	f.seen[key] = true
	if f.list = append(f.list, r); len(f.list) > maxEnvs {
		panic(errBudget)
	}
}

// list compares ordered lists. Dots stand for any number of elements, and so
// does a metavariable for many, which binds them.
func (m *matcher) list(ps, ts []*node, e *env) envs {
	if !hasMany(ps) {
		return m.pairs(ps, ts, e)
	}
	return m.runs(ps, ts, e, nil)
}

// runs is list with dots. With an operation, whose operands the list are, a
// metavariable takes one operand or several in a row. Of the ways that agree
// in what they bind only the one that came least far is kept behind dots, so
// dots do not multiply.
func (m *matcher) runs(ps, ts []*node, e *env, operation *node) envs {
	now := []reached{{env: e}}
	for _, p := range ps {
		var next front
		for _, r := range now {
			switch {
			case p.kind == kDots:
				next.put(m, reached{r.at, true, r.env})
			case r.open:
				for j := r.at; j <= len(ts); j++ {
					m.take(p, ts, reached{j, false, r.env}, operation, &next)
				}
			default:
				m.take(p, ts, r, operation, &next)
			}
		}
		slices.SortStableFunc(next.list, func(a, b reached) int { return cmp.Compare(a.at, b.at) })
		now = next.list
	}
	var out ways
	for _, r := range now {
		if r.open || r.at == len(ts) {
			out.add(m, r.env)
		}
	}
	return out.list
}

// take lets one element of a pattern take what stands at a place.
func (m *matcher) take(p *node, ts []*node, r reached, operation *node, next *front) {
	if p.kind == kMvars {
		for k := r.at; k <= len(ts); k++ {
			for _, e := range m.bind(p.text, many(ts[r.at:k]), r.env) {
				next.put(m, reached{k, false, e})
			}
		}
		return
	}
	if r.at == len(ts) {
		return
	}
	for _, e := range m.match(p, ts[r.at], r.env) {
		next.put(m, reached{r.at + 1, false, e})
	}
	for k := r.at + 2; operation != nil && p.kind == kMvar && k <= len(ts); k++ {
		m.step(1)
		joined := &node{kind: operation.kind, text: operation.text, kids: ts[r.at:k], span: span{ts[r.at].from, ts[k-1].to}}
		for _, e := range m.bind(p.text, joined, r.env) {
			next.put(m, reached{k, false, e})
		}
	}
}

func hasMany(ps []*node) bool {
	for _, p := range ps {
		if p != nil && (p.kind == kDots || p.kind == kMvars) {
			return true
		}
	}
	return false
}

// pairs compares element by element.
func (m *matcher) pairs(ps, ts []*node, e *env) envs {
	if len(ps) != len(ts) {
		return nil
	}
	list := envs{e}
	for i, p := range ps {
		if list = m.each(list, func(e *env) envs { return m.match(p, ts[i], e) }); list == nil {
			return nil
		}
	}
	return list
}

// many makes one node of several, for a metavariable.
func many(ts []*node) *node {
	n := &node{kind: kSeq, kids: ts}
	if len(ts) > 0 {
		n.span = span{ts[0].from, ts[len(ts)-1].to}
	}
	return n
}

// split divides a pattern's elements into those to find and whether others may
// be there.
func split(ps []*node) (find []*node, more bool) {
	for _, p := range ps {
		if p.kind == kDots {
			more = true
		} else {
			find = append(find, p)
		}
	}
	return find, more
}

// unordered finds each of the elements once, in any order. Others may be there
// if less says so, or with dots in the pattern.
func (m *matcher) unordered(ps, ts []*node, e *env, less bool) envs {
	find, more := split(ps)
	if len(find) > len(ts) || !more && !less && len(find) != len(ts) {
		return nil
	}
	return m.pick(find, ts, e, m.match)
}

// comparer is a way to compare one node of a pattern.
type comparer func(p, t *node, e *env) envs

// pick gives each node of a pattern one of its own, in any order.
func (m *matcher) pick(ps, ts []*node, e *env, compare comparer) envs {
	return m.picking(ps, ts, make([]bool, len(ts)), e, compare)
}

func (m *matcher) picking(ps, ts []*node, used []bool, e *env, compare comparer) envs {
	if len(ps) == 0 {
		return envs{e}
	}
	var out ways
	for i, t := range ts {
		if used[i] {
			continue
		}
		for _, e := range compare(ps[0], t, e) {
			used[i] = true
			out.add(m, m.picking(ps[1:], ts, used, e, compare)...)
			used[i] = false
		}
	}
	return out.list
}

// arguments compares the arguments of a call, or the bases of a class: those
// by position in order, those by name in any.
func (m *matcher) arguments(p, t *node, e *env) envs {
	positional, named := byName(p.kids)
	have, haveNamed := byName(t.kids)
	dots, rest := false, ""
	for _, a := range p.kids {
		dots = dots || a.kind == kDots
		if a.kind == kMvars {
			rest = a.text
		}
	}
	if len(named) > len(haveNamed) || len(named) < len(haveNamed) && !dots && rest == "" {
		return nil
	}
	if rest != "" && len(named) == 0 && len(haveNamed) > 0 {
		have, haveNamed = t.kids, nil // the metavariable takes them all
	}
	list := m.pick(named, haveNamed, e, m.match)
	return m.each(list, func(e *env) envs {
		if p.kind == kBases {
			return m.unordered(positional, have, e, true)
		}
		return m.list(positional, have, e)
	})
}

// byName divides arguments into those by position and those by name. `**x` is
// one by name, `*x` one by position.
func byName(list []*node) (positional, named []*node) {
	for i, a := range list {
		if a.kind == kKeyword || a.kind == kDoubleStar {
			if named == nil {
				positional = append([]*node(nil), list[:i]...)
			}
			named = append(named, a)
		} else if named != nil {
			positional = append(positional, a)
		}
	}
	if named == nil {
		return list, nil
	}
	return positional, named
}

// associative are the operators whose operands are compared as one list, and
// commutative those whose order is free as well. Source: Semgrep's AC
// matching; it takes `and` and `or` for commutative only where an option says so.
func associative(op string) bool {
	switch op {
	case "And", "Or", "BitAnd", "BitOr", "BitXor", "Add", "Mult":
		return true
	}
	return false
}

func commutative(op string) bool { return op == "BitAnd" || op == "BitOr" || op == "BitXor" }

// operation compares `a op b`.
func (m *matcher) operation(p, t *node, e *env) envs {
	if p.text != t.text {
		return nil
	}
	if !associative(p.text) || !m.options.acMatching {
		return m.list(p.kids, t.kids, e)
	}
	ps, ts := operands(p, p.text, nil), operands(t, t.text, nil)
	m.step(len(ps) + len(ts))
	if commutative(p.text) || p.kind == kBool && m.options.commutativeBool {
		find, _ := split(ps)
		return m.pickFirst(find, ts, make([]bool, len(ts)), e)
	}
	if hasMany(ps) {
		return m.runs(ps, ts, e, nil) // the dots take several
	}
	return m.runs(ps, ts, e, p)
}

// compare compares comparisons; with symmetric_eq the sides may be swapped.
func (m *matcher) compare(p, t *node, e *env) envs {
	if p.text != t.text {
		return nil
	}
	out := m.list(p.kids, t.kids, e)
	if m.options.symmetricEq && (p.text == "Eq" || p.text == "NotEq") && len(out) == 0 {
		out = m.list([]*node{p.kids[1], p.kids[0]}, t.kids, e)
	}
	return out
}

// operands lists what an associative operator joins.
func operands(n *node, op string, out []*node) []*node {
	if (n.kind == kBinary || n.kind == kBool) && n.text == op {
		for _, k := range n.kids {
			out = operands(k, op, out)
		}
		return out
	}
	return append(out, n)
}

// pickFirst is pick, but the first way will do, and elements that no pattern
// takes may be left: with operators in any order the ways are too many.
func (m *matcher) pickFirst(ps, ts []*node, used []bool, e *env) envs {
	if len(ps) == 0 {
		return envs{e}
	}
	for i, t := range ts {
		if used[i] {
			continue
		}
		for _, e := range m.match(ps[0], t, e) {
			used[i] = true
			found := m.pickFirst(ps[1:], ts, used, e)
			used[i] = false
			if found != nil {
				return found
			}
		}
	}
	return nil
}
