package semgrep

import (
	"strconv"
	"strings"

	"palisade/internal/python"
)

// variableName is the name under which a variable or a part of one is kept:
// "a", "a.b", "a[1]"; "" for anything else.
func variableName(n *node) string {
	switch n.kind {
	case kName, kIdent:
		return n.text
	case kParam:
		return n.kids[0].text
	case kAttr:
		if base := variableName(n.kids[0]); base != "" {
			return base + "." + n.kids[1].text
		}
	case kIndex:
		if base := variableName(n.kids[0]); base != "" {
			return base + "[" + indexName(n.kids[1]) + "]"
		}
	}
	return ""
}

// indexName tells constant indexes apart; all others are one.
func indexName(n *node) string {
	if s, ok := n.known.text(); ok {
		return strconv.Quote(s)
	}
	if i, ok := constantOf(n.known).(int64); ok {
		return strconv.FormatInt(i, 10)
	}
	return ""
}

// base is the variable that a name is a part of; "" for a whole one.
func base(name string) string {
	if i := strings.LastIndexAny(name, ".["); i > 0 {
		return name[:i]
	}
	return ""
}

// load returns what a variable carries: that of the smallest known part that
// it lies in, and of its own parts.
func (t *tracker) load(n *node, s *state) taints {
	name := variableName(n)
	if t.options.onlyAssignments {
		return s.get(name).taints
	}
	out := taints(nil)
	for at := name; at != ""; at = base(at) {
		t.step(1)
		if v := s.get(at); v.known {
			out = v.taints
			break
		}
	}
	return out.union(t.loadParts(name, s, 0))
}

// maxParts bounds how deep parts of variables are looked at.
const maxParts = 8

func (t *tracker) loadParts(name string, s *state, depth int) (out taints) {
	if depth > maxParts {
		return nil
	}
	for _, part := range t.parts[name] {
		t.step(1)
		out = out.union(s.get(part).taints).union(t.loadParts(part, s, depth+1))
	}
	return out
}

// store sets what a variable carries; what was known of its parts is gone.
func (t *tracker) store(name string, list taints, s *state) {
	s.set(name, variable{true, list})
	t.dropParts(name, s, 0)
	t.part(name)
}

func (t *tracker) dropParts(name string, s *state, depth int) {
	for _, part := range t.parts[name] {
		t.step(1)
		s.set(part, variable{})
		if depth < maxParts {
			t.dropParts(part, s, depth+1)
		}
	}
}

// part notes that a name is a part of another.
func (t *tracker) part(name string) {
	for at := base(name); at != ""; at, name = base(at), at {
		for _, known := range t.parts[at] {
			if known == name {
				return
			}
		}
		t.step(len(t.parts[at]))
		t.parts[at] = append(t.parts[at], name)
	}
}

// add taints a variable further.
func (t *tracker) add(name string, list taints, s *state) {
	old := taints(nil)
	for at := name; at != ""; at = base(at) {
		if v := s.get(at); v.known {
			old = v.taints
			break
		}
	}
	s.set(name, variable{true, old.union(list)})
	t.part(name)
}

// expr returns what an expression carries, and notes the sinks inside it.
func (t *tracker) expr(n *node, s *state) taints {
	if n == nil {
		return nil
	}
	t.step(1)
	leave := t.enter(n)
	carried := t.carried(n, s)
	if t.sanitized(n) {
		carried = nil
	} else {
		carried = carried.union(t.fromSources(n, carried)).union(t.pending[n.span])
		carried = t.safe(n, carried)
	}
	t.reach(t.sinks.at[n.span], carried)
	t.reach(t.open.deep, carried)
	t.propagate(n, carried, s)
	t.after(n, s)
	leave()
	return carried
}

// safe drops what the rule's options take for clean.
func (t *tracker) safe(n *node, carried taints) taints {
	o := t.options
	switch {
	case o.safeComparisons && n.kind == kCompare,
		o.safeBooleans && (n.kind == kCompare || n.kind == kUnary && n.text == "Not" || t.calls(n, "bool") || t.typed(n, "bool")),
		o.safeNumbers && (t.calls(n, "int", "float", "len", "abs", "round") || t.typed(n, "int", "float") || isNumber(n)):
		return nil
	}
	return carried
}

// isNumber reports whether an operation has a number on one side: then the
// other is one, too.
func isNumber(n *node) bool {
	if n.kind != kBinary || n.text == "Mod" || n.text == "Mult" {
		return false
	}
	for _, k := range n.kids {
		if k.known != nil && (k.known.kind == python.Int || k.known.kind == python.Float) {
			return true
		}
	}
	return false
}

func (t *tracker) calls(n *node, names ...string) bool {
	for _, name := range names {
		if n.kind == kCall && n.kids[0].dotted() == name {
			return true
		}
	}
	return false
}

func (t *tracker) typed(n *node, names ...string) bool {
	for _, name := range names {
		if n.kind == kName && t.hasType(n, &node{kind: kName, text: name}) {
			return true
		}
	}
	return false
}

// carried is what an expression has from its parts.
func (t *tracker) carried(n *node, s *state) (out taints) {
	switch n.kind {
	case kName:
		return t.load(n, s)
	case kConst, kIdent, kPath, kText, kBody:
		return nil
	case kAttr:
		return t.access(n, t.expr(n.kids[0], s), s)
	case kIndex:
		whole, index := t.expr(n.kids[0], s), t.expr(n.kids[1], s)
		if t.options.safeIndexes || t.options.onlyAssignments {
			index = nil
		}
		return t.access(n, whole, s).union(index)
	case kCall:
		return t.call(n, s)
	case kIfExp:
		t.expr(n.kids[1], s)
		return t.expr(n.kids[0], s).union(t.expr(n.kids[2], s))
	case kWalrus:
		out = t.expr(n.kids[1], s)
		t.assign(n.kids[0], out, s)
		return out
	case kLambda:
		inner := s.branch()
		for _, p := range n.kids[0].kids {
			t.parameter(p, inner)
		}
		t.expr(n.kids[1], inner)
		return nil
	case kComp:
		return t.comprehension(n, s)
	}
	for _, k := range n.kids {
		out = out.union(t.expr(k, s))
	}
	if t.options.onlyAssignments && n.kind != kStar {
		return nil
	}
	return out
}

// access is what a part of a variable carries; of another expression, what the
// whole does.
func (t *tracker) access(n *node, whole taints, s *state) taints {
	if variableName(n) == "" {
		return whole
	}
	name := variableName(n.kids[0])
	list := t.load(n, s)
	if t.options.onlyAssignments {
		return list
	}
	// The whole may be tainted where it is used, as a source is, not where it
	// is kept.
	if len(t.load(n.kids[0], s)) == 0 && name != "" {
		list = list.union(whole)
	}
	return list
}

// call is what a call returns: what its function and its arguments carry. A
// method that fills a container gives it what it takes.
func (t *tracker) call(n *node, s *state) taints {
	fn, args := n.kids[0], n.kids[1]
	sinks := inside(t.sinks.at[n.span])
	var given taints
	for _, a := range args.kids {
		list := t.expr(a, s)
		t.reach(sinks, list)
		given = given.union(list)
	}
	object := t.expr(fn, s) // behind the arguments, which may taint it
	t.reach(sinks, object)
	if fn.kind == kAttr && len(given) > 0 && fills(fn.kids[1].text) {
		if name := variableName(fn.kids[0]); name != "" {
			t.add(name, given, s)
		}
	}
	if t.options.safeFunctions || t.options.onlyAssignments {
		return nil
	}
	return object.union(given)
}

// fills reports whether a method puts its arguments into its object. Source:
// the mutable sequences, sets and mappings of Python's standard library.
func fills(method string) bool {
	switch method {
	case "append", "appendleft", "add", "extend", "extendleft", "insert", "update", "setdefault", "put", "put_nowait", "push":
		return true
	}
	return false
}

func (t *tracker) comprehension(n *node, s *state) taints {
	inner := s.branch()
	for _, c := range n.kids[1].kids {
		t.assign(c.kids[0], t.expr(c.kids[1], inner), inner)
		for _, cond := range c.kids[2].kids {
			t.expr(cond, inner)
		}
	}
	out := t.expr(n.kids[0], inner)
	if t.options.onlyAssignments {
		return nil
	}
	return out
}
