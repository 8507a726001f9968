package semgrep

import (
	"slices"
)

// taintRule follows data from sources to sinks.
type taintRule struct {
	sources     []*taintSpec
	sinks       []*taintSpec
	sanitizers  []*taintSpec
	propagators []*propagatorSpec
}

// taintSpec is one source, sink or sanitizer.
type taintSpec struct {
	formula *formula
	// exact: only what was matched itself; otherwise also what is inside it.
	// A sink that does not say takes what it matched, and the arguments of a
	// call.
	exact, deep bool
	// sideEffect: a variable that was matched is tainted, or clean, from then on.
	sideEffect bool
	onlyAfter  bool // and not yet there: `by-side-effect: only`
	label      string
	requires   *node // nil: no condition
	// aside: a sanitizer that is also a source or a sink is none.
	aside bool
}

// propagatorSpec moves taint from one metavariable to another.
type propagatorSpec struct {
	formula  *formula
	from, to string
	// sideEffect: the variable that taint moves to keeps it.
	sideEffect bool
	label      string
	replace    []string // the labels that the new one replaces; nil: all
	requires   *node
}

// plainLabel is that of a source without one. Source: Semgrep.
const plainLabel = "__SOURCE__"

func (t *taintRule) mayMatch(names map[string]struct{}) bool {
	some := func(list []*taintSpec) bool {
		return slices.ContainsFunc(list, func(s *taintSpec) bool { return s.formula.mayMatch(names) })
	}
	return some(t.sources) && some(t.sinks)
}

// taint is data from one source under one label.
type taint struct {
	label  string
	source hit
}

// taints are what an expression or a variable carries. They are not changed
// once made.
type taints []*taint

// maxTaints bounds the sources that one value carries. A value with more than
// these is no less tainted.
const maxTaints = 16

func (list taints) union(more taints) taints {
	if len(list) == 0 {
		return more
	}
	out := list
	for _, t := range more {
		if len(out) < maxTaints && !out.has(t) {
			out = append(out[:len(out):len(out)], t)
		}
	}
	return out
}

func (list taints) has(t *taint) bool {
	for _, o := range list {
		if o == t || o.label == t.label && o.source.span == t.source.span && o.source.env.fingerprint() == t.source.env.fingerprint() {
			return true
		}
	}
	return false
}

// satisfy evaluates a condition over labels, such as `A and not B`.
func (list taints) satisfy(cond *node) bool {
	switch cond.kind {
	case kName:
		return slices.ContainsFunc(list, func(t *taint) bool { return t.label == cond.text })
	case kUnary:
		return !list.satisfy(cond.kids[0])
	case kBool:
		for _, k := range cond.kids {
			if list.satisfy(k) != (cond.text == "And") {
				return cond.text == "Or"
			}
		}
		return cond.text == "And"
	}
	return false
}

// mark is one place that a spec matched.
type mark struct {
	spec *taintSpec
	hit
}

// marking is where the sources, sinks and sanitizers of a rule are.
type marking struct {
	at   map[span][]mark
	wide []mark // those of several statements
}

func (r *finder) marking(specs []*taintSpec) marking {
	m := marking{at: map[span][]mark{}}
	for _, s := range specs {
		for _, h := range r.eval(s.formula) {
			m.at[h.span] = append(m.at[h.span], mark{s, h})
			if h.node == nil {
				m.wide = append(m.wide, mark{s, h})
			}
		}
	}
	return m
}

// without drops the sanitizers that stand aside for others.
func (m marking) without(others ...marking) {
	for at, list := range m.at {
		for _, o := range others {
			if len(o.at[at]) > 0 {
				m.at[at] = slices.DeleteFunc(list, func(k mark) bool { return k.spec.aside })
			}
		}
	}
}

// move is one place where a propagator moves taint.
type move struct {
	spec     *propagatorSpec
	from, to *node
	hit
}

// variable is what a variable carries: known says that something is known of it, if only that
// it is clean.
type variable struct {
	known bool
	taints
}

func joinVariables(a, b variable) variable {
	return variable{known: a.known || b.known, taints: a.union(b.taints)}
}

// state is what variables carry. Parts of a variable, as in `a.b` and `a[1]`,
// are variables of their own.
type state = flow[variable]

// tracker follows taint through one function at a time.
type tracker struct {
	*finder
	sources, sinks, sanitizers marking
	moves                      map[span][]move     // by where they come from
	pending                    map[span]taints     // by where they go to
	parts                      map[string][]string // the known parts of a variable
	// open are the marks that the present node lies in; for sinks those of the
	// statement.
	open  struct{ sources, sinks, deep, sanitizers []mark }
	found hits
}

// follow returns the sinks that data from a source reaches.
func (r *finder) follow(rule *taintRule) []hit {
	t := &tracker{
		finder: r, sources: r.marking(rule.sources), sinks: r.marking(rule.sinks), sanitizers: r.marking(rule.sanitizers),
		moves: map[span][]move{}, pending: map[span]taints{},
	}
	t.sanitizers.without(t.sources, t.sinks)
	if len(t.sources.at) == 0 || len(t.sinks.at) == 0 || r.file.root == nil {
		return nil
	}
	for _, p := range rule.propagators {
		for _, h := range r.eval(p.formula) {
			from, to := h.env.lookup(p.from), h.env.lookup(p.to)
			if from != nil && to != nil {
				t.moves[from.span] = append(t.moves[from.span], move{p, from, to, h})
			}
		}
	}
	t.function(nil, r.file.root)
	for _, fn := range r.file.byKind[kFunc] {
		leave := t.enter(fn) // a whole function may be marked
		t.function(fn.kids[2], fn.kids[4])
		leave()
	}
	return t.found.list
}

// function follows one body; its parameters may be sources.
func (t *tracker) function(params, body *node) {
	t.parts = map[string][]string{}
	s := &state{}
	if params != nil {
		for _, p := range params.kids {
			t.parameter(p, s)
		}
	}
	t.block(body, s)
}

// parameter gives a parameter what its default carries, and what it has as a
// source.
func (t *tracker) parameter(p *node, s *state) {
	list := t.expr(p.kid(2), &state{})
	leave := t.enter(p)
	name := p.kids[0]
	inner := t.enter(name)
	list = list.union(t.fromSources(name, list)).union(t.pending[name.span])
	s.set(name.text, variable{true, list})
	inner()
	leave()
}

// enter opens what is marked at a node for all that is inside it, and returns
// what closes it again.
func (t *tracker) enter(n *node) func() {
	before := t.open
	t.open.sources = append(before.sources, t.sources.at[n.span]...)
	t.open.sanitizers = append(before.sanitizers, t.sanitizers.at[n.span]...)
	t.open.deep = before.deep
	for _, m := range t.sinks.at[n.span] {
		if m.spec.deep {
			t.open.deep = append(t.open.deep, m)
		}
	}
	if n.kind.isStmt() {
		t.open.sinks = append(t.around(t.sinks, n), t.sinks.at[n.span]...)
		t.open.sources = append(t.open.sources, t.around(t.sources, n)...)
		t.open.sanitizers = append(t.open.sanitizers, t.around(t.sanitizers, n)...)
	}
	return func() { t.open = before }
}

// around returns the marks of several statements round one of them.
func (t *tracker) around(m marking, n *node) (out []mark) {
	t.step(len(m.wide))
	for _, k := range m.wide {
		if n.within(k.span) && n.span != k.span {
			out = append(out, k)
		}
	}
	return out
}

// sanitized reports whether a node is clean, because it or what it is inside
// was sanitized.
func (t *tracker) sanitized(n *node) bool {
	for _, m := range t.open.sanitizers {
		if !m.spec.onlyAfter && (!m.spec.exact || m.span == n.span) {
			return true
		}
	}
	return false
}

// fromSources returns the taint that a node has as a source, given what it
// carries otherwise.
func (t *tracker) fromSources(n *node, carried taints) (out taints) {
	for _, m := range t.open.sources {
		if m.spec.exact && m.span != n.span || m.spec.onlyAfter {
			continue
		}
		if m.spec.requires != nil && !carried.satisfy(m.spec.requires) {
			continue
		}
		out = out.union(taints{{m.spec.label, m.hit}})
	}
	return out
}

// reach notes the sinks that tainted data has come to.
func (t *tracker) reach(sinks []mark, carried taints) {
	if len(carried) == 0 {
		return
	}
	for _, m := range sinks {
		list := carried
		if m.spec.requires == nil {
			list = list.labeled(plainLabel)
		} else if !carried.satisfy(m.spec.requires) {
			continue
		}
		for _, one := range list {
			t.report(m, one)
		}
	}
}

// inside drops the sinks that want no more than what they match.
func inside(sinks []mark) (out []mark) {
	for _, m := range sinks {
		if !m.spec.exact && !m.focused {
			out = append(out, m)
		}
	}
	return out
}

// report notes one sink with what source and sink bind.
func (t *tracker) report(m mark, one *taint) {
	e, ok := t.merge(m.env, one.source.env)
	if !ok {
		if t.options.unifyMvars {
			return
		}
		e = m.env
	}
	place := m.span
	if t.options.focusSource {
		place = one.source.span
	}
	t.found.put(t.matcher, hit{span: place, env: e, node: m.node})
}

func (list taints) labeled(label string) (out taints) {
	for _, t := range list {
		if t.label == label {
			out = append(out, t)
		}
	}
	return out
}

// after lets marks with a side effect change the variable that they are at.
func (t *tracker) after(n *node, s *state) {
	name := variableName(n)
	if name == "" {
		return
	}
	for _, m := range t.sources.at[n.span] {
		if m.spec.sideEffect && (m.spec.requires == nil || t.load(n, s).satisfy(m.spec.requires)) {
			t.add(name, taints{{m.spec.label, m.hit}}, s)
		}
	}
	for _, m := range t.sanitizers.at[n.span] {
		if m.spec.sideEffect {
			t.store(name, nil, s)
		}
	}
}

// propagate moves what a node carries to where propagators say.
func (t *tracker) propagate(n *node, carried taints, s *state) {
	for _, m := range t.moves[n.span] {
		if len(carried) == 0 || m.spec.requires != nil && !carried.satisfy(m.spec.requires) {
			continue
		}
		list := m.spec.relabel(carried)
		t.pending[m.to.span] = t.pending[m.to.span].union(list)
		if name := variableName(m.to); name != "" && m.spec.sideEffect {
			t.add(name, list, s)
		}
	}
}

// relabel gives taint the label of a propagator.
func (p *propagatorSpec) relabel(list taints) (out taints) {
	if p.label == "" {
		return list
	}
	for _, t := range list {
		if p.replace != nil && !slices.Contains(p.replace, t.label) {
			out = append(out, t)
			continue
		}
		out = out.union(taints{{p.label, t.source}})
	}
	return out
}
