package semgrep

import (
	"maps"
	"slices"
)

// fact is what a name is bound to: a constant, and the expression it was set to.
type fact struct {
	known *value
	sym   *node
}

func joinFacts(a, b fact) fact {
	out := fact{known: join(a.known, b.known)}
	if a.sym == b.sym {
		out.sym = a.sym
	}
	return out
}

type facts = flow[fact]

// propagator follows constants through one file: in order, without guessing
// which branch is taken. What a loop changes is unknown in it.
type propagator struct {
	file   *file
	global *facts // names that the module binds once, to a constant
	folded int    // bytes of the strings that were put together
}

func propagate(f *file) {
	p := &propagator{file: f, global: &facts{}}
	p.globals(f.root)
	p.block(f.root, &facts{})
	for _, fn := range f.byKind[kFunc] {
		p.function(fn)
	}
}

// globals finds the module's constants: names bound once, at the top, and
// declared global nowhere.
func (p *propagator) globals(root *node) {
	count, bound := map[string]int{}, map[string]bool{}
	root.walk(func(n *node) bool {
		clear(bound)
		switch n.kind {
		case kFunc, kClass:
			count[n.kids[1].text]++
			return false
		case kLambda, kComp:
			return false
		case kAssign, kDelete, kFor, kAugment, kWalrus:
			targets(n.kids[0], bound)
		case kWithItem, kHandler:
			targets(n.kids[1], bound)
		case kEntry:
			count[n.kids[0].dotted()]++
		}
		for name := range bound {
			count[name]++
		}
		return true
	})
	for _, s := range p.file.byKind[kScope] {
		for _, name := range s.kids[0].kids {
			count[name.text] = 2
		}
	}
	before := &facts{}
	for _, s := range root.kids {
		if s.kind != kAssign || len(s.kids[0].kids) != 1 || s.kids[1] == nil {
			continue
		}
		target := s.kids[0].kids[0]
		if target.kind != kName || count[target.text] != 1 {
			continue
		}
		v := fact{p.expr(s.kids[1], before), s.kids[1]}
		before.set(target.text, v)
		p.global.set(target.text, v)
	}
}

// function reads a body; it knows the module's constants, but for names that
// it binds itself.
func (p *propagator) function(fn *node) {
	params, body := fn.kids[2], fn.kids[4]
	local := map[string]bool{}
	for _, param := range params.kids {
		local[param.kids[0].text] = true
	}
	inner := newScope(nil)
	(&resolver{file: &file{}}).collect(body, inner)
	maps.Copy(local, inner.bound)
	f := &facts{parent: p.global}
	f.forget(local)
	p.block(body, f)
}

func (p *propagator) block(b *node, f *facts) {
	if b == nil {
		return
	}
	for _, s := range b.kids {
		p.stmt(s, f)
	}
}

func (p *propagator) stmt(s *node, f *facts) {
	p.file.budget.spend(1)
	switch s.kind {
	case kFunc:
		p.others(s.kids[:4], f)
		f.set(s.kids[1].text, fact{})
	case kClass:
		p.others(s.kids[:3], f)
		inner := f.branch()
		p.block(s.kids[3], inner)
		f.set(s.kids[1].text, fact{})
	case kAssign:
		p.assign(s, f)
	case kAugment:
		v := p.fold(binary(s.text, known(s.kids[0], f), p.expr(s.kids[1], f)))
		if s.kids[0].kind == kName {
			f.set(s.kids[0].text, fact{known: v})
		} else {
			p.expr(s.kids[0], f)
		}
	case kIf:
		p.expr(s.kids[0], f)
		then, otherwise := f.fork(), f.fork()
		p.block(s.kids[1], then)
		p.block(s.kids[2], otherwise)
		f.meet(joinFacts, then, otherwise)
	case kWhile, kFor:
		p.loop(s, f)
	case kWith:
		p.expr(s.kids[0], f)
		f.forget(boundIn(s.kids[0]))
		for _, item := range s.kids[0].kids {
			if as := item.kids[1]; as != nil && as.kind == kName {
				f.set(as.text, fact{sym: item.kids[0]})
			}
		}
		p.block(s.kids[1], f)
	case kTry:
		p.try(s, f)
	case kMatch:
		p.match(s, f)
	case kReturn, kRaise, kBreak, kContinue:
		p.others(s.kids, f)
		f.dead = true
	case kImport, kScope, kDelete:
		f.forget(boundIn(s))
	default:
		p.others(s.kids, f)
	}
}

func (p *propagator) others(list []*node, f *facts) {
	for _, n := range list {
		p.expr(n, f)
	}
}

func (p *propagator) assign(s *node, f *facts) {
	v := p.expr(s.kids[1], f)
	p.expr(s.kids[2], f)
	for _, t := range s.kids[0].kids {
		if t.kind == kName {
			f.set(t.text, fact{v, s.kids[1]})
			continue
		}
		p.unpack(t, s.kids[1], f)
	}
}

// unpack sets the names of a target each to its own element, where the value
// is written out.
func (p *propagator) unpack(t, v *node, f *facts) {
	if t.kind == kName {
		f.set(t.text, fact{v.known, v})
		return
	}
	if !pairwise(t, v) {
		p.target(t, f)
		return
	}
	for i, k := range t.kids {
		p.unpack(k, v.kids[i], f)
	}
}

// pairwise reports whether a target takes a value apart element by element.
func pairwise(t, v *node) bool {
	list := func(n *node) bool { return n != nil && (n.kind == kTuple || n.kind == kList) }
	star := func(n *node) bool { return n.kind == kStar }
	return list(t) && list(v) && len(t.kids) == len(v.kids) &&
		!slices.ContainsFunc(t.kids, star) && !slices.ContainsFunc(v.kids, star)
}

// target forgets the names in a target and reads the expressions in it.
func (p *propagator) target(t *node, f *facts) {
	switch t.kind {
	case kName:
		f.set(t.text, fact{})
	case kTuple, kList, kStar:
		for _, k := range t.kids {
			p.target(k, f)
		}
	default:
		p.expr(t, f)
	}
}

func (p *propagator) loop(s *node, f *facts) {
	changed := boundIn(s)
	var body, otherwise *node
	if s.kind == kFor {
		p.expr(s.kids[1], f)
		body, otherwise = s.kids[2], s.kids[3]
		f.forget(changed)
	} else {
		f.forget(changed)
		p.expr(s.kids[0], f)
		body, otherwise = s.kids[1], s.kids[2]
	}
	inner := f.branch()
	p.block(body, inner)
	after := f.branch()
	p.block(otherwise, after)
	after.forget(boundIn(body))
	f.forget(changed)
	f.forget(boundIn(otherwise))
}

// try lets a handler start with what was known before, without what the body
// may have changed; it is not reached where nothing in the body can raise.
func (p *propagator) try(s *node, f *facts) {
	start := f.branch()
	body := f.branch()
	p.block(s.kids[0], body)
	p.block(s.kids[2], body)
	start.forget(boundIn(s.kids[0]))
	if !canRaise(s.kids[0]) {
		start.dead = true
	}
	ends := []*facts{body}
	for _, h := range s.kids[1].kids {
		handler := start.branch()
		p.expr(h.kids[0], handler)
		if h.kids[1] != nil {
			handler.set(h.kids[1].text, fact{})
		}
		p.block(h.kids[2], handler)
		ends = append(ends, handler.flat(f))
	}
	f.meet(joinFacts, ends...)
	p.block(s.kids[3], f)
}

func (p *propagator) match(s *node, f *facts) {
	p.expr(s.kids[0], f)
	ends := []*facts{f.branch()} // no case may match
	for _, c := range s.kids[1].kids {
		b := f.branch()
		b.forget(boundIn(c))
		p.expr(c.kids[0], b)
		p.expr(c.kids[1], b)
		p.block(c.kids[2], b)
		ends = append(ends, b)
	}
	f.meet(joinFacts, ends...)
}

// boundIn returns the names that anything inside n binds.
func boundIn(n *node) map[string]bool {
	out := map[string]bool{}
	n.walk(func(n *node) bool {
		switch n.kind {
		case kFunc, kClass:
			out[n.kids[1].text] = true
			return false
		case kLambda:
			return false
		case kAssign, kDelete, kAugment, kFor, kWalrus, kScope:
			targets(n.kids[0], out)
		case kWithItem, kHandler:
			targets(n.kids[1], out)
		case kCase:
			n.kids[0].walk(func(n *node) bool { targets(n, out); return true })
		case kEntry:
			if n.kids[1] != nil {
				out[n.kids[1].text] = true
			} else if len(n.kids[0].kids) > 0 {
				out[n.kids[0].kids[0].text] = true
				out[n.kids[0].kids[len(n.kids[0].kids)-1].text] = true
			}
		}
		return true
	})
	return out
}

// canRaise reports whether something inside n might raise: all but constants,
// names and `pass`.
func canRaise(n *node) bool {
	raises := false
	n.walk(func(n *node) bool {
		switch n.kind {
		case kBody, kExprStmt, kPass, kAssign, kSeq, kName, kConst, kTry, kHandlers, kTuple, kList, kIf:
		default:
			raises = true
		}
		return !raises
	})
	return raises
}

// known returns what is known of a name.
func known(n *node, f *facts) *value {
	if n.kind == kName {
		return f.get(n.text).known
	}
	return nil
}

// expr notes what is known of an expression and of those inside it.
func (p *propagator) expr(n *node, f *facts) *value {
	if n == nil {
		return nil
	}
	p.file.budget.spend(1)
	switch n.kind {
	case kName:
		now := f.get(n.text)
		n.known, n.sym = now.known, now.sym
		return n.known
	case kConst:
		return n.known
	case kLambda:
		p.lambda(n, f)
		return nil
	case kComp:
		inner := f.branch()
		inner.forget(boundIn(n))
		targets := map[string]bool{}
		collectClauses(n.kids[1], targets)
		inner.forget(targets)
		p.others(n.kids, inner)
		return nil
	case kBody:
		return nil
	}
	p.others(n.kids, f)
	switch n.kind {
	case kBinary:
		n.known = p.fold(binary(n.text, n.kids[0].known, n.kids[1].known))
	case kFString:
		if n.text == "" {
			n.known = p.fold(joined(n.kids))
		}
	case kBool:
		n.known = either(n)
	case kIfExp:
		n.known = join(n.kids[0].known, n.kids[2].known)
	case kUnary:
		n.known = negate(n.text, n.kids[0].known)
	case kWalrus:
		n.known = n.kids[1].known
		f.set(n.kids[0].text, fact{n.known, n.kids[1]})
	}
	return n.known
}

// fold counts what is put together, and lets go of it where it is too much.
func (p *propagator) fold(v *value) *value {
	text, _ := v.text()
	if p.folded += len(text); p.folded > maxFolded && text != "" {
		return &value{kind: v.kind}
	}
	return v
}

// lambda reads a body where it stands, as Semgrep does.
func (p *propagator) lambda(n *node, f *facts) {
	inner := f.branch()
	for _, param := range n.kids[0].kids {
		p.expr(param.kid(2), f)
		inner.set(param.kids[0].text, fact{})
	}
	p.expr(n.kids[1], inner)
}

func collectClauses(seq *node, out map[string]bool) {
	for _, c := range seq.kids {
		targets(c.kids[0], out)
	}
}
