package semgrep

import (
	"cmp"
	"slices"
	"strconv"
)

// operator says how a formula finds places.
type operator uint8

const (
	isPattern operator = iota
	isRegexp
	isAnd    // places that lie in one another, agree and pass the conditions
	isOr     // places of any
	isInside // in an isAnd: keeps what lies inside
	isNot    // in an isAnd: removes what is the same, or, of an isInside, what lies inside
)

// formula is a tree of patterns.
type formula struct {
	op      operator
	pattern *pattern
	regex   *expression
	kids    []*formula
	conds   []condition
	// focus narrows places down to metavariables: to any of each list.
	focus [][]string
}

// onlyText reports whether a formula needs no tree.
func (f *formula) onlyText() bool {
	if f.op == isPattern {
		return false
	}
	for _, k := range f.kids {
		if !k.onlyText() {
			return false
		}
	}
	for _, c := range f.conds {
		if p, ok := c.(*patternCondition); ok && !p.formula.onlyText() {
			return false
		}
	}
	return true
}

// mayMatch reports whether the names that a match needs occur.
func (f *formula) mayMatch(names map[string]struct{}) bool {
	switch f.op {
	case isPattern:
		for _, name := range f.pattern.names {
			if _, ok := names[name]; !ok {
				return false
			}
		}
	case isAnd, isInside:
		for _, k := range f.kids {
			if k.op != isNot && !k.mayMatch(names) {
				return false
			}
		}
	case isOr:
		return slices.ContainsFunc(f.kids, func(k *formula) bool { return k.mayMatch(names) })
	}
	return true
}

// isContext reports whether a formula says only what is around the places.
func (f *formula) isContext() bool {
	switch f.op {
	case isInside:
		return true
	case isOr, isAnd:
		positive := false
		for _, k := range f.kids {
			if k.op != isNot && !k.isContext() {
				return false
			}
			positive = positive || k.op != isNot
		}
		return positive
	}
	return false
}

// finder evaluates the formulas of one rule on one file.
type finder struct {
	*matcher
	memo map[*formula][]hit
	// shared is what the patterns of all rules found in the file; nil where
	// only a part of it is looked at.
	shared map[patternKey][]hit
}

// patternKey tells apart what a pattern finds: rules often have the same.
type patternKey struct {
	text    string
	options options
}

// pattern returns the places of a pattern.
func (r *finder) pattern(p *pattern) []hit {
	if r.shared == nil {
		return r.find(p)
	}
	key := patternKey{p.text, r.options}
	found, ok := r.shared[key]
	if !ok {
		found = r.find(p)
		r.shared[key] = found
	}
	return found
}

// eval returns the places of a formula.
func (r *finder) eval(f *formula) []hit {
	if found, ok := r.memo[f]; ok {
		return found
	}
	var out []hit
	switch f.op {
	case isPattern:
		out = r.pattern(f.pattern)
	case isRegexp:
		out = r.findRegexp(f.regex)
	case isOr:
		var all hits
		for _, k := range f.kids {
			for _, h := range r.eval(k) {
				all.put(r.matcher, h)
			}
		}
		out = all.list
	case isAnd:
		out = r.and(f)
	case isInside, isNot:
		out = r.eval(f.kids[0])
	}
	r.memo[f] = out
	return out
}

// and starts with what is found, keeps what lies inside, removes what is
// excluded, and then asks the conditions.
func (r *finder) and(f *formula) []hit {
	var list []hit
	started, places := false, false
	for _, context := range []bool{false, true} {
		for _, k := range f.kids {
			if k.op == isNot || k.isContext() != context {
				continue
			}
			found := r.eval(k)
			switch {
			case !started:
				list, started, places = found, true, !context
			case context && places:
				list = r.inside(list, found)
			default:
				list = r.intersect(list, found)
			}
			if len(list) == 0 {
				return nil
			}
		}
	}
	if !started {
		list = []hit{{span: r.file.self}}
	}
	for _, k := range f.kids {
		if k.op == isNot {
			list = r.without(list, r.eval(k), k.kids[0].op != isInside && k.kids[0].op != isRegexp)
		}
	}
	list = r.filter(list, f.conds)
	for _, names := range f.focus {
		list = r.focus(list, names)
	}
	return list
}

// inside keeps the places that lie in one of the others, with its bindings.
func (r *finder) inside(list, outer []hit) []hit {
	var out hits
	r.around(list, outer, func(h, o hit) bool {
		if e, ok := r.merge(h.env, o.env); ok {
			h.env = e
			out.put(r.matcher, h)
		}
		return true
	})
	return out.list
}

// around calls f for each place of a list and each of the others that it lies
// in, until f says that the place is done. It goes through both in the order
// of the file.
func (r *finder) around(list, outer []hit, f func(h, o hit) bool) {
	list, outer = byStart(list), byStart(outer)
	var open []hit
	next := 0
	for _, h := range list {
		for ; next < len(outer) && outer[next].from <= h.from; next++ {
			open = append(open, outer[next])
		}
		open = slices.DeleteFunc(open, func(o hit) bool { return o.to < h.from })
		r.step(1 + len(open))
		for _, o := range open {
			if h.within(o.span) && !f(h, o) {
				break
			}
		}
	}
}

func byStart(list []hit) []hit {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b hit) int { return cmp.Compare(a.from, b.from) })
	return out
}

// intersect keeps of two places that lie in one another the inner one.
func (r *finder) intersect(a, b []hit) []hit {
	var out hits
	for _, list := range [][]hit{r.inside(a, b), r.inside(b, a)} {
		for _, h := range list {
			out.put(r.matcher, h)
		}
	}
	return out.list
}

// without removes the places that lie in one of the others and agree with it;
// exact ones only those that are the same place.
func (r *finder) without(list, excluded []hit, exact bool) []hit {
	gone := map[hitKey]bool{}
	r.around(list, excluded, func(h, o hit) bool {
		_, agrees := r.merge(h.env, o.env)
		agrees = agrees && (!exact || h.span == o.span)
		if agrees {
			gone[h.key()] = true
		}
		return !agrees
	})
	var out []hit
	for _, h := range list {
		if !gone[h.key()] {
			out = append(out, h)
		}
	}
	return out
}

// merge joins bindings; it says no where they contradict each other.
func (r *finder) merge(a, b *env) (*env, bool) {
	if a == b {
		return a, true
	}
	out := a
	for ; b != nil; b = b.parent {
		old := a.lookup(b.name)
		switch {
		case old == nil:
			out = out.with(b.name, b.val)
		case isGroup(b.name): // two regular expressions have their own groups
		case !r.equal(old, b.val):
			return nil, false
		}
	}
	return out, true
}

// isGroup reports whether a metavariable is a numbered group.
func isGroup(name string) bool { return len(name) > 1 && name[1] >= '0' && name[1] <= '9' }

// filter keeps the places for which the conditions hold. Each condition sees
// what the patterns bound, not what another condition did.
func (r *finder) filter(list []hit, conds []condition) []hit {
	if len(conds) == 0 {
		return list
	}
	var out hits
	for _, h := range list {
		list := envs{h.env}
		for _, c := range conds {
			if list = r.extend(list, c.holds(r, h.env)); len(list) == 0 {
				break
			}
		}
		for _, e := range list {
			h := h
			h.env = e
			out.put(r.matcher, h)
		}
	}
	return out.list
}

// extend adds to bindings those that they lack, in every combination.
func (r *finder) extend(list, more envs) envs {
	var out ways
	for _, a := range list {
		for _, b := range more {
			joined := a
			for ; b != nil && a != b; b = b.parent {
				if a.lookup(b.name) == nil {
					joined = joined.with(b.name, b.val)
				}
			}
			out.add(r.matcher, joined)
		}
	}
	return out.list
}

// focus narrows each place down to what metavariables are bound to.
func (r *finder) focus(list []hit, names []string) []hit {
	var out hits
	for _, h := range list {
		for _, name := range names {
			n := h.env.lookup(name)
			switch {
			case n == nil:
			case n.within(h.span):
				out.put(r.matcher, hit{span: n.span, env: h.env, node: n, focused: true})
			case h.within(n.span):
				out.put(r.matcher, h)
			}
		}
	}
	return out.list
}

// findRegexp searches the text; groups are bound to $1, $2 and so on, and to
// their names.
func (r *finder) findRegexp(x *expression) []hit {
	w := r.file.window
	var out hits
	for _, loc := range r.searchAll(x, w.text) {
		h := hit{span: r.file.inWindow(loc[0], loc[1])}
		for i, name := range x.names() {
			if i == 0 || loc[2*i] < 0 {
				continue
			}
			n := textNode(w.text[loc[2*i]:loc[2*i+1]], r.file.inWindow(loc[2*i], loc[2*i+1]))
			h.env = h.env.with("$"+strconv.Itoa(i), n)
			if name != "" {
				h.env = h.env.with("$"+name, n)
			}
		}
		out.put(r.matcher, h)
	}
	return out.list
}
