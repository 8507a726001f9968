package semgrep

import (
	"strings"

	"palisade/internal/python"
)

// builder turns CPython's tree into ours, in which what Semgrep treats alike
// looks alike: lists of equal meaning have one shape, names are nodes.
type builder struct {
	pattern bool // names that stand for metavariables and dots become those
	slab    []node
	next    uint32
}

func (b *builder) node(k kind, pos python.Pos, text string, kids ...*node) *node {
	if len(b.slab) == 0 {
		size := 128
		if b.pattern {
			size = 8
		}
		b.slab = make([]node, size)
	}
	n := &b.slab[0]
	b.slab = b.slab[1:]
	b.next++
	n.kind, n.text, n.kids, n.id = k, text, kids, b.next
	n.span = span{at(pos.Line, pos.Col), at(pos.EndLine, pos.EndCol)}
	return n
}

// ident makes a node of a name that is no expression.
func (b *builder) ident(pos python.Pos, name string) *node {
	if n := b.special(pos, name); n != nil {
		return n
	}
	return b.node(kIdent, pos, name)
}

// identOrNil is ident, but nil for the empty name.
func (b *builder) identOrNil(pos python.Pos, name string) *node {
	if name == "" {
		return nil
	}
	return b.ident(pos, name)
}

// special turns a placeholder of a pattern into what it stands for.
func (b *builder) special(pos python.Pos, name string) *node {
	if !b.pattern || !strings.HasPrefix(name, holder) {
		return nil
	}
	switch {
	case strings.HasPrefix(name, holderMvar):
		return b.node(kMvar, pos, "$"+name[len(holderMvar):])
	case strings.HasPrefix(name, holderMvars):
		return b.node(kMvars, pos, "$..."+name[len(holderMvars):])
	case strings.HasPrefix(name, holderDots):
		return b.node(kDots, pos, "")
	}
	return nil
}

func (b *builder) module(m *python.Module) *node { return b.body(m.Body) }

// body makes a block; nil where there is no statement.
func (b *builder) body(list []python.Stmt) *node {
	if len(list) == 0 {
		return nil
	}
	n := b.node(kBody, python.Pos{}, "")
	n.kids = make([]*node, 0, len(list))
	for _, s := range list {
		n.kids = append(n.kids, b.stmt(s))
	}
	n.span = span{n.kids[0].from, n.kids[len(n.kids)-1].to}
	return n
}

func (b *builder) stmt(s python.Stmt) *node {
	pos := s.Position()
	switch s := s.(type) {
	case *python.FunctionDef:
		return b.function(pos, "", s.DecoratorList, s.Name, s.Args, s.Returns, s.Body)
	case *python.AsyncFunctionDef:
		return b.function(pos, "async", s.DecoratorList, s.Name, s.Args, s.Returns, s.Body)
	case *python.ClassDef:
		return b.class(s)
	case *python.Return:
		return b.node(kReturn, pos, "", b.exprOrNil(s.Value))
	case *python.Delete:
		return b.node(kDelete, pos, "", b.seq(pos, s.Targets))
	case *python.Assign:
		return b.node(kAssign, pos, "", b.seq(pos, s.Targets), b.expr(s.Value), nil)
	case *python.AnnAssign:
		return b.node(kAssign, pos, "", b.seq(pos, []python.Expr{s.Target}), b.exprOrNil(s.Value), b.expr(s.Annotation))
	case *python.AugAssign:
		return b.node(kAugment, pos, s.Op.String(), b.expr(s.Target), b.expr(s.Value))
	case *python.TypeAlias:
		return b.node(kAlias, pos, "", b.expr(s.Name), b.expr(s.Value))
	case *python.For:
		return b.node(kFor, pos, "", b.expr(s.Target), b.expr(s.Iter), b.body(s.Body), b.body(s.Orelse))
	case *python.AsyncFor:
		return b.node(kFor, pos, "async", b.expr(s.Target), b.expr(s.Iter), b.body(s.Body), b.body(s.Orelse))
	case *python.While:
		return b.node(kWhile, pos, "", b.expr(s.Test), b.body(s.Body), b.body(s.Orelse))
	case *python.If:
		return b.node(kIf, pos, "", b.expr(s.Test), b.body(s.Body), b.body(s.Orelse))
	case *python.With:
		return b.node(kWith, pos, "", b.items(pos, s.Items), b.body(s.Body))
	case *python.AsyncWith:
		return b.node(kWith, pos, "async", b.items(pos, s.Items), b.body(s.Body))
	case *python.Match:
		return b.match(s)
	case *python.Raise:
		return b.node(kRaise, pos, "", b.exprOrNil(s.Exc), b.exprOrNil(s.Cause))
	case *python.Try:
		return b.try(pos, "", s.Body, s.Handlers, s.Orelse, s.Finalbody)
	case *python.TryStar:
		return b.try(pos, "*", s.Body, s.Handlers, s.Orelse, s.Finalbody)
	case *python.Assert:
		return b.node(kAssert, pos, "", b.expr(s.Test), b.exprOrNil(s.Msg))
	case *python.Import:
		return b.imports(s)
	case *python.ImportFrom:
		return b.importsFrom(s)
	case *python.Global:
		return b.node(kScope, pos, "global", b.idents(pos, s.Names))
	case *python.Nonlocal:
		return b.node(kScope, pos, "nonlocal", b.idents(pos, s.Names))
	case *python.ExprStmt:
		return b.node(kExprStmt, pos, "", b.expr(s.Value))
	case *python.Break:
		return b.node(kBreak, pos, "")
	case *python.Continue:
		return b.node(kContinue, pos, "")
	}
	return b.node(kPass, pos, "")
}

func (b *builder) function(pos python.Pos, async string, decorators []python.Expr, name string, args *python.Arguments, returns python.Expr, body []python.Stmt) *node {
	n := b.node(kFunc, pos, async, b.decorators(pos, decorators), b.ident(pos, name),
		b.params(pos, args), b.exprOrNil(returns), b.body(body))
	return b.decorated(n)
}

func (b *builder) class(s *python.ClassDef) *node {
	var bases *node
	if len(s.Bases)+len(s.Keywords) > 0 {
		bases = b.args(kBases, s.Pos, s.Bases, s.Keywords)
	}
	n := b.node(kClass, s.Pos, "", b.decorators(s.Pos, s.DecoratorList), b.ident(s.Pos, s.Name), bases, b.body(s.Body))
	return b.decorated(n)
}

// decorated lets a definition start at its first decorator.
func (b *builder) decorated(n *node) *node {
	if d := n.kids[0]; d != nil {
		n.from = d.kids[0].from
	}
	return n
}

// decorators gives each decorator its arguments; one that is not called has none.
func (b *builder) decorators(pos python.Pos, list []python.Expr) *node {
	if len(list) == 0 {
		return nil
	}
	n := b.node(kDecorators, pos, "")
	for _, e := range list {
		var d *node
		if c, ok := e.(*python.Call); ok && !b.isDeep(c) {
			call := b.expr(c)
			d = b.node(kDecorator, c.Pos, "", call.kids[0], call.kids[1], call)
		} else {
			fn, none := b.expr(e), b.node(kArgs, e.Position(), "")
			d = b.node(kDecorator, e.Position(), "", fn, none)
			if fn.dotted() != "" && !b.pattern {
				d.kids = append(d.kids, b.node(kCall, e.Position(), "", fn, none))
			}
		}
		if d.from.col() > 0 {
			d.from-- // the at sign
		}
		n.kids = append(n.kids, d)
	}
	return n
}

func (b *builder) items(pos python.Pos, list []*python.WithItem) *node {
	n := b.node(kSeq, pos, "")
	for _, i := range list {
		n.kids = append(n.kids, b.node(kWithItem, i.Position(), "", b.expr(i.ContextExpr), b.exprOrNil(i.OptionalVars)))
	}
	return n
}

func (b *builder) try(pos python.Pos, star string, body []python.Stmt, handlers []*python.ExceptHandler, orelse, final []python.Stmt) *node {
	list := b.node(kHandlers, pos, "")
	for _, h := range handlers {
		list.kids = append(list.kids, b.handler(h))
	}
	return b.node(kTry, pos, star, b.body(body), list, b.body(orelse), b.body(final))
}

// handler lists the types that it catches, whether in brackets or alone.
func (b *builder) handler(h *python.ExceptHandler) *node {
	var types *node
	if t, ok := h.Type.(*python.Tuple); ok {
		types = b.seq(h.Pos, t.Elts)
	} else if h.Type != nil {
		types = b.seq(h.Pos, []python.Expr{h.Type})
	}
	return b.node(kHandler, h.Pos, "", types, b.identOrNil(h.Pos, h.Name), b.body(h.Body))
}

func (b *builder) imports(s *python.Import) *node {
	n := b.node(kImport, s.Pos, "import")
	for _, a := range s.Names {
		n.kids = append(n.kids, b.node(kEntry, a.Pos, "", b.path(a.Pos, a.Name), b.identOrNil(a.Pos, a.Asname)))
	}
	return n
}

// importsFrom gives each name its whole path, so that both forms of import
// compare. A relative path starts with its dots.
func (b *builder) importsFrom(s *python.ImportFrom) *node {
	n := b.node(kImport, s.Pos, "from")
	module := strings.Repeat(".", s.Level)
	if s.Level > 0 && s.Module != "" {
		module += "."
	}
	for _, a := range s.Names {
		path, text := module+s.Module, ""
		if a.Name == "*" {
			text = "*"
		} else if path == "" || strings.HasSuffix(path, ".") {
			path += a.Name
		} else {
			path += "." + a.Name
		}
		n.kids = append(n.kids, b.node(kEntry, a.Pos, text, b.path(a.Pos, path), b.identOrNil(a.Pos, a.Asname)))
	}
	return n
}

// path splits a module's path; leading dots are a part of their own.
func (b *builder) path(pos python.Pos, text string) *node {
	n := b.node(kPath, pos, text)
	rest := strings.TrimLeft(text, ".")
	if level := len(text) - len(rest); level > 0 {
		n.kids = append(n.kids, b.node(kIdent, pos, text[:level]))
	}
	for rest != "" {
		part, tail, _ := strings.Cut(rest, ".")
		n.kids = append(n.kids, b.ident(pos, part))
		rest = tail
	}
	return n
}

func (b *builder) idents(pos python.Pos, names []string) *node {
	n := b.node(kSeq, pos, "")
	for _, name := range names {
		n.kids = append(n.kids, b.ident(pos, name))
	}
	return n
}

func (b *builder) match(s *python.Match) *node {
	cases := b.node(kSeq, s.Pos, "")
	for _, c := range s.Cases {
		cases.kids = append(cases.kids, b.node(kCase, c.Position(), "", b.casePart(c.Pattern), b.exprOrNil(c.Guard), b.body(c.Body)))
	}
	return b.node(kMatch, s.Pos, "", b.expr(s.Subject), cases)
}

// casePart reads what stands behind `case`; captures are names.
func (b *builder) casePart(p python.Pattern) *node {
	pos := p.Position()
	switch p := p.(type) {
	case *python.MatchValue:
		return b.expr(p.Value)
	case *python.MatchSingleton:
		return b.constant(pos, p.Value)
	case *python.MatchAs:
		return b.matchAs(p)
	case *python.MatchStar:
		return b.node(kCasePart, pos, "*", b.ident(pos, p.Name))
	case *python.MatchSequence:
		return b.node(kCasePart, pos, "[]", b.caseParts(p.Patterns)...)
	case *python.MatchOr:
		return b.node(kCasePart, pos, "|", b.caseParts(p.Patterns)...)
	case *python.MatchMapping:
		n := b.node(kCasePart, pos, "{}")
		for i, key := range p.Keys {
			n.kids = append(n.kids, b.node(kPair, key.Position(), "", b.expr(key), b.casePart(p.Patterns[i])))
		}
		return n
	case *python.MatchClass:
		n := b.node(kCasePart, pos, "()", b.expr(p.Cls))
		n.kids = append(n.kids, b.caseParts(p.Patterns)...)
		for i, name := range p.KwdAttrs {
			n.kids = append(n.kids, b.node(kKeyword, pos, "", b.ident(pos, name), b.casePart(p.KwdPatterns[i])))
		}
		return n
	}
	return b.node(kCasePart, pos, p.TypeName())
}

func (b *builder) matchAs(p *python.MatchAs) *node {
	name := p.Name
	if name == "" {
		name = "_"
	}
	ident := b.ident(p.Pos, name)
	if p.Pattern == nil {
		return ident
	}
	return b.node(kCasePart, p.Pos, "as", b.casePart(p.Pattern), ident)
}

func (b *builder) caseParts(list []python.Pattern) (out []*node) {
	for _, p := range list {
		out = append(out, b.casePart(p))
	}
	return out
}
