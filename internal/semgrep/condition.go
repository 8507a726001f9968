package semgrep

import "palisade/internal/python"

// condition asks something of what is bound. It returns the bindings with
// which it holds: none where it does not.
type condition interface {
	holds(r *finder, e *env) []*env
	// metavariables that it speaks of
	speaksOf() []string
}

// regexpCondition is `metavariable-regex`. As Semgrep says, it is anchored on
// the left.
type regexpCondition struct {
	name      string
	regex     *expression
	constants bool // look at what is known of a name
}

func (c *regexpCondition) speaksOf() []string { return []string{c.name} }

func (c *regexpCondition) holds(r *finder, e *env) []*env {
	n := e.lookup(c.name)
	if n == nil {
		return nil
	}
	text := r.content(n, c.constants)
	loc := r.search(c.regex, text, 0)
	if loc == nil {
		return nil
	}
	for i, name := range c.regex.names() {
		if name != "" && loc[2*i] >= 0 && e.lookup("$"+name) == nil {
			e = e.with("$"+name, textNode(text[loc[2*i]:loc[2*i+1]], n.span))
		}
	}
	return []*env{e}
}

// textNode is a piece of text that a metavariable is bound to.
func textNode(text string, s span) *node {
	return &node{
		kind: kText, text: text, span: s,
		known: &value{kind: python.Str, lit: &python.Value{Kind: python.Str, Str: text}},
	}
}

// content is what a regular expression sees of a binding: what is written, a
// string with its quotes; with constants the content of what is known.
func (r *finder) content(n *node, constants bool) string {
	if constants {
		if s, ok := n.known.text(); ok {
			return s
		}
	}
	return r.written(n)
}

// written is the source of a binding.
func (r *finder) written(n *node) string {
	switch n.kind {
	case kText, kName, kIdent:
		return n.text
	}
	return r.file.text(n.span)
}

// typeCondition is `metavariable-type`.
type typeCondition struct {
	name  string
	types []*node
}

func (c *typeCondition) speaksOf() []string { return []string{c.name} }

func (c *typeCondition) holds(r *finder, e *env) []*env {
	n := e.lookup(c.name)
	if n == nil {
		return nil
	}
	for _, t := range c.types {
		if r.hasType(n, t) {
			return []*env{e}
		}
	}
	return nil
}

// patternCondition is `metavariable-pattern`: the formula matches somewhere in
// what is bound.
type patternCondition struct {
	name    string
	formula *formula
}

func (c *patternCondition) speaksOf() []string { return []string{c.name} }

func (c *patternCondition) holds(r *finder, e *env) []*env {
	n := e.lookup(c.name)
	if n == nil {
		return nil
	}
	var out hits
	for _, h := range r.insideOf(c.formula, n) {
		if merged, ok := r.merge(e, h.env); ok {
			out.put(r.matcher, hit{env: merged})
		}
	}
	list := make([]*env, 0, len(out.list))
	for _, h := range out.list {
		list = append(list, h.env)
	}
	return list
}

// insideOf evaluates a formula on what a metavariable is bound to, as if
// nothing else was there.
func (r *finder) insideOf(f *formula, n *node) []hit {
	sub := &finder{matcher: r.matcher, memo: map[*formula][]hit{}}
	inner := *r.file
	inner.restrict(n)
	if n.kind == kName && n.sym != nil && r.options.symbolic {
		inner.list(n.sym)
	}
	r.step(len(inner.exprs) + len(inner.window.text)/8)
	outer := r.matcher.file
	r.matcher.file = &inner
	defer func() { r.matcher.file = outer }()
	return sub.eval(f)
}

// restrict makes the file one that holds only n. Places stay what they are.
func (f *file) restrict(n *node) {
	f.byKind, f.exprs, f.consts = [kinds][]*node{}, nil, nil
	f.window = window{text: f.text(n.span), from: f.offset(n.span.from)}
	f.self = n.span
	switch n.kind {
	case kText:
		f.window = window{text: n.text, base: n.from}
		f.self = f.inWindow(0, len(n.text))
		n = &node{kind: kConst, span: n.span, known: n.known}
	case kIdent:
		n = &node{kind: kName, text: n.text, span: n.span}
	}
	f.list(n)
	if n.kind == kSeq && len(n.kids) > 0 && n.kids[0].kind.isStmt() {
		f.byKind[kBody] = append(f.byKind[kBody], n) // what $...X is bound to
	}
}

// list sorts the nodes by kind, as enter does, without numbering them again.
func (f *file) list(n *node) {
	n.walk(func(n *node) bool {
		f.byKind[n.kind] = append(f.byKind[n.kind], n)
		if n.kind.isExpr() {
			f.exprs = append(f.exprs, n)
		}
		return true
	})
}
