package semgrep

import (
	"errors"

	"palisade/internal/python"
)

// Bounds of the work on one file. A step is a comparison of two nodes, or as
// much work as that.
const (
	maxSteps = 20_000_000
	ruleStep = 500_000 // more for each rule
	byteStep = 16      // more for each byte
	maxEnvs  = 20_000  // ways in which one pattern matches at one place
)

// errBudget ends the work on a file.
var errBudget = errors.New("the rules ran over their budget on this file")

// budget is what is left of the work on one file.
type budget struct{ left int }

func (b *budget) spend(n int) {
	if b.left -= n; b.left < 0 {
		panic(errBudget)
	}
}

// matcher compares patterns with the nodes of one file. It panics with
// errBudget where the work becomes too much; Match recovers.
type matcher struct {
	file    *file
	options options
	symbols int // names being followed
}

func (m *matcher) step(n int) { m.file.budget.spend(n) }

// match compares a pattern's node with a file's; either may be nil.
func (m *matcher) match(p, t *node, e *env) envs {
	m.step(1)
	if p == nil {
		if t == nil {
			return envs{e}
		}
		return nil
	}
	if t == nil {
		if p.kind == kDots {
			return envs{e}
		}
		return nil
	}
	switch p.kind {
	case kDots:
		return envs{e}
	case kMvar, kMvars:
		return m.bind(p.text, t, e)
	case kDeep:
		return m.deep(p.kids[0], t, e)
	case kTyped:
		if m.hasType(t, p.kids[0]) {
			return m.bind(p.text, t, e)
		}
		return nil
	case kConst:
		return m.constant(p, t, e)
	case kName, kIdent:
		if out := m.name(p, t, e); len(out) > 0 {
			return out
		}
		return m.symbol(p, t, e)
	case kAttr:
		if out := m.attribute(p, t, e); len(out) > 0 {
			return out
		}
		return m.symbol(p, t, e)
	}
	if out := m.structure(p, t, e); len(out) > 0 {
		return out
	}
	return m.symbol(p, t, e)
}

// maxSymbols bounds how many names in a row stand for their expressions.
const maxSymbols = 20

// symbol compares a pattern with what a name was set to, for rules that ask
// for symbolic propagation.
func (m *matcher) symbol(p, t *node, e *env) envs {
	if t.sym == nil || !m.options.symbolic || m.symbols == maxSymbols {
		return nil
	}
	m.symbols++
	defer func() { m.symbols-- }()
	return m.match(p, t.sym, e)
}

// structure compares nodes by their kinds, and their children by the rules of
// the kind.
func (m *matcher) structure(p, t *node, e *env) envs {
	if p.kind != t.kind {
		switch {
		case p.kind == kSet && t.kind == kDict && onlyDots(p.kids):
			return envs{e}
		case p.kind == kList && t.kind == kComp && t.text == "[" && onlyDots(p.kids):
			return envs{e}
		}
		return nil
	}
	switch p.kind {
	case kBinary, kBool:
		return m.operation(p, t, e)
	case kCompare:
		return m.compare(p, t, e)
	case kArgs, kBases:
		return m.arguments(p, t, e)
	case kSet, kDict:
		return m.unordered(p.kids, t.kids, e, false)
	case kList, kTuple, kSeq, kParams, kFString, kCasePart:
		if p.text != t.text {
			return nil
		}
		return m.list(p.kids, t.kids, e)
	case kDecorator:
		return m.each(m.match(p.kids[0], t.kids[0], e), func(e *env) envs { return m.match(p.kids[1], t.kids[1], e) })
	case kDecorators, kHandlers:
		return m.unordered(p.kids, t.kids, e, true)
	case kHandler:
		return m.handler(p, t, e)
	case kClass:
		return m.class(p, t, e)
	case kAssign:
		return m.assign(p, t, e)
	case kImport:
		return m.imports(p, t, e)
	case kBody:
		return m.block(p, t, e)
	}
	if p.text != t.text && p.kind != kFunc && p.kind != kParam && p.kind != kField {
		return nil
	}
	if p.kind == kFunc && p.text != "" && p.text != t.text || p.kind == kParam && p.text != t.text {
		return nil
	}
	return m.kids(p, t, e, optional(p.kind))
}

// optional says from which child on a pattern that leaves a child out matches
// one that has it: `if x: ...` also finds an if with an else, and a parameter
// without an annotation one with it.
func optional(k kind) int {
	switch k {
	case kIf, kWhile:
		return 2
	case kFor, kFunc:
		return 3
	case kTry:
		return 2
	case kParam, kWithItem, kField, kAssert:
		return 1
	}
	return 1 << 30
}

// kids compares children one by one.
func (m *matcher) kids(p, t *node, e *env, optionalFrom int) envs {
	list := envs{e}
	for i := range max(len(p.kids), len(t.kids)) {
		a, b := p.kid(i), t.kid(i)
		if a == nil && (i >= optionalFrom || i == 0 && p.kind == kFunc) {
			continue
		}
		if list = m.each(list, func(e *env) envs { return m.match(a, b, e) }); list == nil {
			return nil
		}
	}
	return list
}

// each continues every way of matching.
func (m *matcher) each(list envs, f func(*env) envs) envs {
	if len(list) == 1 {
		return f(list[0])
	}
	var out ways
	for _, e := range list {
		out.add(m, f(e)...)
	}
	return out.list
}

// bind gives a metavariable its value, or holds it to the one that it has.
func (m *matcher) bind(name string, t *node, e *env) envs {
	switch t.kind {
	case kKeyword, kDoubleStar, kPair, kParams, kArgs, kDecorators, kHandlers:
		return nil
	case kParam:
		if t.text != "" {
			return nil
		}
		t = t.kids[0]
	}
	if name == "$_" || name == "$..._" {
		return envs{e}
	}
	if old := e.lookup(name); old != nil {
		if m.equal(old, t) {
			return envs{e}
		}
		return nil
	}
	return envs{e.with(name, t)}
}

// equal reports whether two nodes of a file say the same.
func (m *matcher) equal(a, b *node) bool {
	m.step(1)
	if a == nil || b == nil {
		return a == b
	}
	if a == b || a.known.same(b.known) {
		return true
	}
	return m.equalParts(a, b) || m.equalSymbols(a, b)
}

// equalSymbols compares what names were set to, for rules that ask for it.
func (m *matcher) equalSymbols(a, b *node) bool {
	if !m.options.symbolic || m.symbols == maxSymbols {
		return false
	}
	m.symbols++
	defer func() { m.symbols-- }()
	return a.sym != nil && m.equal(a.sym, b) || b.sym != nil && m.equal(a, b.sym)
}

func (m *matcher) equalParts(a, b *node) bool {
	if a.kind == kText || b.kind == kText {
		return sameText(a, b)
	}
	an, bn := a.kind == kName || a.kind == kIdent, b.kind == kName || b.kind == kIdent
	if an || bn {
		return an && bn && a.text == b.text
	}
	if a.kind != b.kind || a.text != b.text || len(a.kids) != len(b.kids) {
		return false
	}
	if a.lit != nil && (b.lit == nil || !sameLiteral(*a.lit, *b.lit)) {
		return false
	}
	for i := range a.kids {
		if !m.equal(a.kids[i], b.kids[i]) {
			return false
		}
	}
	return true
}

// sameText compares the content of a string with another or with a string.
func sameText(a, b *node) bool {
	return contentOf(a) == contentOf(b)
}

func contentOf(n *node) string {
	if n.kind == kText || n.kind == kName || n.kind == kIdent {
		return n.text
	}
	s, _ := n.known.text()
	return s
}

// deep matches an expression at every expression inside t.
func (m *matcher) deep(p, t *node, e *env) envs {
	var out ways
	t.walk(func(n *node) bool {
		if n.kind.isStmt() || n.kind == kBody {
			n.header(func(h *node) { out.add(m, m.deep(p, h, e)...) })
			return n.kind == kBody || n == t
		}
		if n.kind.isExpr() {
			out.add(m, m.match(p, n, e)...)
		}
		return true
	})
	return out.list
}

// name compares names; an import lends a name another.
func (m *matcher) name(p, t *node, e *env) envs {
	switch {
	case (t.kind == kName || t.kind == kIdent) && t.text == p.text:
		return envs{e}
	case t.alias != nil:
		return m.match(p, t.alias, e)
	case t.kind == kParam && p.kind == kIdent && t.kids[0].text == p.text:
		return envs{e}
	}
	return nil
}

// attribute compares `value.name`, also behind imports.
func (m *matcher) attribute(p, t *node, e *env) envs {
	if p.kids[1].kind == kDots {
		return m.chain(p.kids[0], t, e)
	}
	var out envs
	if t.kind == kAttr {
		out = m.each(m.match(p.kids[0], t.kids[0], e), func(e *env) envs { return m.match(p.kids[1], t.kids[1], e) })
	}
	if t.alias != nil && len(out) == 0 {
		out = m.match(p, t.alias, e)
	}
	if len(out) == 0 && t.kind == kName && t.alias == nil && len(m.file.stars) > 0 && p.dotted() != "" {
		for _, star := range m.file.stars {
			if p.dotted() == star+"."+t.text && !m.file.defined[t.text] {
				return envs{e}
			}
		}
	}
	return out
}

// chain matches `value. ... `: value itself, or with calls and attributes
// behind it.
func (m *matcher) chain(p, t *node, e *env) envs {
	var out ways
	for {
		out.add(m, m.match(p, t, e)...)
		switch t.kind {
		case kCall, kAttr, kIndex, kAwait:
			t = t.kids[0]
		default:
			return out.list
		}
	}
}

// constant compares a literal with what is known of an expression.
func (m *matcher) constant(p, t *node, e *env) envs {
	if t.known == nil || !m.options.constants && t.kind == kName {
		return nil
	}
	if p.lit.Kind != python.Str {
		anyBytes := p.lit.Kind == python.Bytes && p.lit.Str == "..." && t.known.kind == python.Bytes
		if anyBytes || p.known.same(t.known) {
			return envs{e}
		}
		return nil
	}
	return m.text(p, t, e)
}

func onlyDots(list []*node) bool {
	for _, n := range list {
		if n.kind != kDots {
			return false
		}
	}
	return len(list) > 0
}
