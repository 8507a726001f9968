package semgrep

import (
	"strings"

	"palisade/internal/python"
)

func (b *builder) exprOrNil(e python.Expr) *node {
	if e == nil {
		return nil
	}
	return b.expr(e)
}

func (b *builder) seq(pos python.Pos, list []python.Expr) *node {
	n := b.node(kSeq, pos, "")
	n.kids = b.exprs(list)
	return n
}

func (b *builder) exprs(list []python.Expr) []*node {
	if len(list) == 0 {
		return nil
	}
	out := make([]*node, 0, len(list))
	for _, e := range list {
		out = append(out, b.exprOrNil(e))
	}
	return out
}

func (b *builder) expr(e python.Expr) *node {
	pos := e.Position()
	switch e := e.(type) {
	case *python.Name:
		return b.name(e)
	case *python.Constant:
		return b.constant(pos, e.Value)
	case *python.Attribute:
		return b.node(kAttr, pos, "", b.expr(e.Value), b.attribute(e))
	case *python.Call:
		return b.call(e)
	case *python.Subscript:
		return b.subscript(e)
	case *python.Slice:
		return b.node(kSlice, pos, "", b.exprOrNil(e.Lower), b.exprOrNil(e.Upper), b.exprOrNil(e.Step))
	case *python.BinOp:
		return b.node(kBinary, pos, e.Op.String(), b.expr(e.Left), b.expr(e.Right))
	case *python.BoolOp:
		return b.node(kBool, pos, e.Op.String(), b.exprs(e.Values)...)
	case *python.UnaryOp:
		return b.unary(pos, e)
	case *python.Compare:
		return b.compare(e)
	case *python.Lambda:
		return b.node(kLambda, pos, "", b.params(pos, e.Args), b.expr(e.Body))
	case *python.IfExp:
		return b.node(kIfExp, pos, "", b.expr(e.Body), b.expr(e.Test), b.expr(e.Orelse))
	case *python.Dict:
		return b.dict(e)
	case *python.Set:
		return b.node(kSet, pos, "", b.exprs(e.Elts)...)
	case *python.List:
		return b.node(kList, pos, "", b.exprs(e.Elts)...)
	case *python.Tuple:
		return b.node(kTuple, pos, "", b.exprs(e.Elts)...)
	case *python.ListComp:
		return b.comprehension(pos, "[", b.expr(e.Elt), e.Generators)
	case *python.SetComp:
		return b.comprehension(pos, "{", b.expr(e.Elt), e.Generators)
	case *python.GeneratorExp:
		return b.comprehension(pos, "(", b.expr(e.Elt), e.Generators)
	case *python.DictComp:
		return b.comprehension(pos, "{", b.node(kPair, pos, "", b.expr(e.Key), b.expr(e.Value)), e.Generators)
	case *python.Await:
		return b.node(kAwait, pos, "", b.expr(e.Value))
	case *python.Yield:
		return b.node(kYield, pos, "", b.exprOrNil(e.Value))
	case *python.YieldFrom:
		return b.node(kYieldFrom, pos, "", b.expr(e.Value))
	case *python.NamedExpr:
		return b.node(kWalrus, pos, "", b.expr(e.Target), b.expr(e.Value))
	case *python.Starred:
		return b.node(kStar, pos, "", b.expr(e.Value))
	case *python.JoinedStr:
		return b.fstring(pos, "", e.Values)
	case *python.TemplateStr:
		return b.fstring(pos, "t", e.Values)
	case *python.FormattedValue:
		return b.node(kField, pos, conversion(e.Conversion), b.expr(e.Value), b.exprOrNil(e.FormatSpec))
	case *python.Interpolation:
		return b.node(kField, pos, conversion(e.Conversion), b.expr(e.Value), b.exprOrNil(e.FormatSpec))
	}
	return b.node(kConst, pos, "")
}

// fstring lets a part of a pattern that is "..." stand for any parts.
func (b *builder) fstring(pos python.Pos, form string, values []python.Expr) *node {
	n := b.node(kFString, pos, form, b.exprs(values)...)
	for i, k := range n.kids {
		if k.span == n.span {
			k.to = k.from // before 3.12 a part has the place of the whole
		}
		if b.pattern && k.kind == kConst && k.lit.Str == "..." {
			n.kids[i] = b.node(kDots, pos, "")
		}
	}
	return n
}

func conversion(c int) string {
	if c <= 0 {
		return ""
	}
	return string(rune(c))
}

func (b *builder) name(e *python.Name) *node {
	if n := b.special(e.Pos, e.Id); n != nil {
		return n
	}
	return b.node(kName, e.Pos, e.Id)
}

// attribute gives the name behind the dot the place at the end of the whole.
func (b *builder) attribute(e *python.Attribute) *node {
	pos := e.Pos
	pos.Line, pos.Col = pos.EndLine, max(0, pos.EndCol-len(e.Attr))
	return b.ident(pos, e.Attr)
}

func (b *builder) constant(pos python.Pos, v python.Value) *node {
	if b.pattern && v.Kind == python.Ellipsis {
		return b.node(kDots, pos, "")
	}
	n := b.node(kConst, pos, "")
	n.lit = &v
	n.known = literal(v)
	return n
}

// unary makes a negative number of a pattern a literal, as it is for whoever
// wrote it; in a file constant propagation does so.
func (b *builder) unary(pos python.Pos, e *python.UnaryOp) *node {
	operand := b.expr(e.Operand)
	if v := negate(e.Op.String(), operand.known); b.pattern && v != nil {
		n := b.node(kConst, pos, "")
		n.lit, n.known = v.lit, v
		return n
	}
	return b.node(kUnary, pos, e.Op.String(), operand)
}

// isDeep reports whether a call is the placeholder of <... e ...>.
func (b *builder) isDeep(e *python.Call) bool {
	name, ok := e.Func.(*python.Name)
	return ok && b.pattern && name.Id == holderDeep && len(e.Args) == 1 && len(e.Keywords) == 0
}

func (b *builder) call(e *python.Call) *node {
	if b.isDeep(e) {
		return b.node(kDeep, e.Pos, "", b.expr(e.Args[0]))
	}
	return b.node(kCall, e.Pos, "", b.expr(e.Func), b.args(kArgs, e.Pos, e.Args, e.Keywords))
}

// subscript also reads the placeholder of a typed metavariable.
func (b *builder) subscript(e *python.Subscript) *node {
	if name, ok := e.Value.(*python.Name); ok && b.pattern && strings.HasPrefix(name.Id, holderTyped) {
		return b.node(kTyped, e.Pos, "$"+name.Id[len(holderTyped):], b.expr(e.Slice))
	}
	return b.node(kIndex, e.Pos, "", b.expr(e.Value), b.expr(e.Slice))
}

// args lists arguments, positional ones first.
func (b *builder) args(k kind, pos python.Pos, args []python.Expr, keywords []*python.Keyword) *node {
	n := b.node(k, pos, "")
	n.kids = make([]*node, 0, len(args)+len(keywords))
	n.kids = append(n.kids, b.exprs(args)...)
	for _, w := range keywords {
		value := b.expr(w.Value)
		switch {
		case w.Arg != "":
			n.kids = append(n.kids, b.node(kKeyword, w.Pos, "", b.ident(w.Pos, w.Arg), value))
		case value.kind == kDots || value.kind == kMvars:
			n.kids = append(n.kids, value)
		default:
			n.kids = append(n.kids, b.node(kDoubleStar, w.Pos, "", value))
		}
	}
	return n
}

func (b *builder) compare(e *python.Compare) *node {
	ops := make([]string, len(e.Ops))
	for i, op := range e.Ops {
		ops[i] = op.String()
	}
	n := b.node(kCompare, e.Pos, strings.Join(ops, " "), b.expr(e.Left))
	n.kids = append(n.kids, b.exprs(e.Comparators)...)
	return n
}

func (b *builder) dict(e *python.Dict) *node {
	n := b.node(kDict, e.Pos, "")
	for i, key := range e.Keys {
		value := b.expr(e.Values[i])
		if key == nil {
			n.kids = append(n.kids, b.node(kDoubleStar, e.Values[i].Position(), "", value))
			continue
		}
		k := b.expr(key)
		if k.kind == kDots && value.kind == kDots {
			n.kids = append(n.kids, k)
			continue
		}
		pair := b.node(kPair, key.Position(), "", k, value)
		pair.to = value.to
		n.kids = append(n.kids, pair)
	}
	return n
}

func (b *builder) comprehension(pos python.Pos, bracket string, elt *node, list []*python.Comprehension) *node {
	clauses := b.node(kSeq, pos, "")
	for _, c := range list {
		async := ""
		if c.IsAsync {
			async = "async"
		}
		clauses.kids = append(clauses.kids, b.node(kClause, c.Position(), async, b.expr(c.Target), b.expr(c.Iter), b.seq(pos, c.Ifs)))
	}
	return b.node(kComp, pos, bracket, elt, clauses)
}

// params lists all parameters in the order of the source; "/" and a lone "*"
// are parameters without a name.
func (b *builder) params(pos python.Pos, a *python.Arguments) *node {
	n := b.node(kParams, pos, "")
	if a == nil {
		return n
	}
	positional := append(append([]*python.Arg{}, a.Posonlyargs...), a.Args...)
	plain := len(positional) - len(a.Defaults)
	for i, p := range positional {
		var value python.Expr
		if i >= plain {
			value = a.Defaults[i-plain]
		}
		n.kids = append(n.kids, b.param("", p, value))
	}
	if a.Vararg != nil {
		n.kids = append(n.kids, b.param("*", a.Vararg, nil))
	}
	for i, p := range a.Kwonlyargs {
		n.kids = append(n.kids, b.param("", p, a.KwDefaults[i]))
	}
	if a.Kwarg != nil {
		n.kids = append(n.kids, b.param("**", a.Kwarg, nil))
	}
	return n
}

func (b *builder) param(star string, p *python.Arg, value python.Expr) *node {
	ident := b.ident(p.Pos, p.Arg)
	if ident.kind == kDots || ident.kind == kMvars {
		return ident
	}
	annotation := b.exprOrNil(p.Annotation)
	def := b.exprOrNil(value)
	if def != nil && def.kind == kName && def.text == holderNone && b.pattern {
		def = nil
	}
	n := b.node(kParam, p.Pos, star, ident, annotation, def)
	if def != nil {
		n.to = def.to
	}
	return n
}
