package js

import (
	"reflect"
	"strings"

	tdewolff "github.com/tdewolff/parse/v2/js"
)

func (c *converter) expressions(list []tdewolff.IExpr) []*node {
	out := make([]*node, 0, len(list))
	for _, e := range list {
		out = append(out, c.expression(e))
	}
	return out
}

func (c *converter) expression(e tdewolff.IExpr) *node {
	if e == nil || reflect.ValueOf(e).Kind() == reflect.Pointer && reflect.ValueOf(e).IsNil() {
		return nil
	}
	c.enter()
	defer c.leave()
	switch e := e.(type) {
	case *tdewolff.Var:
		return c.name(e.Data)
	case *tdewolff.LiteralExpr:
		return c.literal(*e)
	case tdewolff.LiteralExpr:
		return c.literal(e)
	case *tdewolff.GroupExpr:
		return c.expression(e.X)
	case *tdewolff.ArrayExpr:
		return c.array(e)
	case *tdewolff.ObjectExpr:
		return c.object(e)
	case *tdewolff.TemplateExpr:
		return c.template(e)
	case *tdewolff.DotExpr:
		return c.member(e)
	case *tdewolff.IndexExpr:
		x := c.expression(e.X)
		return &node{kind: nIndex, pos: x.pos, kids: []*node{x, c.expression(e.Y)}}
	case *tdewolff.CallExpr:
		return c.call(e)
	case *tdewolff.NewExpr:
		x := c.expression(e.X)
		out := &node{kind: nNew, pos: x.pos, kids: []*node{x}}
		if e.Args != nil {
			out.kids = append(out.kids, c.arguments(*e.Args)...)
		}
		return out
	case *tdewolff.UnaryExpr:
		return c.unary(e)
	case *tdewolff.BinaryExpr:
		return c.binary(e)
	case *tdewolff.CondExpr:
		kids := []*node{c.expression(e.Cond), c.expression(e.X), c.expression(e.Y)}
		return &node{kind: nEither, op: "?", num: 1, pos: kids[0].pos, kids: kids}
	case *tdewolff.CommaExpr:
		kids := c.expressions(e.List)
		return &node{kind: nComma, pos: kids[0].pos, kids: kids}
	case *tdewolff.YieldExpr:
		out := &node{kind: nYield, pos: c.word("yield"), kids: []*node{c.expression(e.X)}}
		if e.Generator {
			out.num = 1
		}
		return out
	case *tdewolff.ArrowFunc:
		return c.arrow(e)
	case *tdewolff.FuncDecl:
		return c.functionExpression(e)
	case *tdewolff.MethodDecl:
		c.fail("a method outside an object")
	case *tdewolff.ClassDecl:
		return c.classExpression(e)
	case *tdewolff.VarDecl:
		return c.declaration(e)
	case arrowResult:
		x := c.expression(e.IExpr)
		return &node{kind: nReturn, pos: x.pos, kids: []*node{x}}
	case *tdewolff.NewTargetExpr:
		return &node{kind: nNewTarget, pos: c.at}
	case *tdewolff.ImportMetaExpr:
		c.module = true
		return &node{kind: nMeta, pos: c.word("import")}
	}
	c.fail("an expression of an unknown kind %T", e)
	return nil
}

func (c *converter) literal(e tdewolff.LiteralExpr) *node {
	data := string(e.Data)
	pos := c.take(data)
	switch e.TokenType {
	case tdewolff.StringToken:
		return &node{kind: nString, name: stringValue(data), pos: pos}
	case tdewolff.ThisToken:
		return &node{kind: nThis, pos: pos}
	case tdewolff.SuperToken:
		return &node{kind: nSuper, pos: pos}
	case tdewolff.RegExpToken:
		return &node{kind: nRegExp, name: data, pos: pos}
	case tdewolff.ImportToken:
		return &node{kind: nImport, pos: pos}
	}
	if n, ok := numberValue(data); ok {
		return &node{kind: nNumber, num: n, pos: pos}
	}
	return &node{kind: nPlain, name: data, pos: pos}
}

func (c *converter) array(e *tdewolff.ArrayExpr) *node {
	out := &node{kind: nArray, pos: c.next('[')}
	for _, item := range e.List {
		value := c.expression(item.Value)
		if item.Spread {
			value = &node{kind: nSpread, pos: value.pos, kids: []*node{value}}
		}
		out.kids = append(out.kids, value)
	}
	return out
}

func (c *converter) object(e *tdewolff.ObjectExpr) *node {
	out := &node{kind: nObject, pos: c.next('{')}
	for _, item := range e.List {
		if m, ok := item.Value.(*tdewolff.MethodDecl); ok {
			out.props = append(out.props, c.method(m))
			continue
		}
		if item.Spread {
			out.props = append(out.props, property{spread: true, value: c.expression(item.Value)})
			continue
		}
		p := property{}
		p.name, p.key = c.propertyName(item.Name, item.Value)
		p.value = c.expression(item.Value)
		if item.Init != nil {
			p.value = &node{kind: nAssign, op: "=", pos: p.value.pos, kids: []*node{p.value, c.expression(item.Init)}}
		}
		out.props = append(out.props, p)
	}
	return out
}

// propertyName gives a property's name or the expression that computes it. The
// name of a shorthand ({a}) is the value's leaf and is not taken here.
func (c *converter) propertyName(n *tdewolff.PropertyName, value any) (string, *node) {
	if n.Computed != nil {
		return "", c.expression(n.Computed)
	}
	data := string(n.Literal.Data)
	if v, ok := value.(*tdewolff.Var); ok && string(v.Data) == data && c.shorthand(data) {
		return identifier(data), nil
	}
	if n.Literal.TokenType == tdewolff.StringToken {
		c.take(data)
		return stringValue(data), nil
	}
	c.takeName(data)
	if number, ok := numberValue(data); ok {
		return formatNumber(number), nil
	}
	return identifier(data), nil
}

// takeName takes a property's name, which the foreign parser may have taken
// out of its quotes, and which words such as get and static may precede.
func (c *converter) takeName(data string) {
	at := c.nextLeaf(c.at)
	if at >= len(c.text) {
		c.fail("%.40q is missing", data)
	}
	if b := c.text[at]; b == '"' || b == '\'' {
		c.take(string(b) + data + string(b))
		return
	}
	end := at
	for end < len(c.text) && isWord(c.text[end]) {
		end++
	}
	switch word := c.text[at:end]; word {
	case "get", "set", "static", "async":
		rest := strings.TrimLeft(c.text[end:], " \n")
		if word == data && (rest == "" || strings.IndexByte("=;}(:,", rest[0]) >= 0) {
			break // it is the name
		}
		c.gap(end)
		c.takeName(data)
		return
	}
	c.take(data)
}

// nextLeaf is the place of the next word, number or string.
func (c *converter) nextLeaf(at int) int {
	for at < len(c.text) {
		switch b := c.text[at]; {
		case isWord(b), b == '"', b == '\'', b == '.':
			return at
		default:
			at = c.skip(at)
		}
	}
	return at
}

// shorthand reports whether the next leaf is a name that no colon follows.
func (c *converter) shorthand(data string) bool {
	at := c.nextLeaf(c.at)
	if at >= len(c.text) || !isWord(c.text[at]) {
		return false
	}
	at += len(data)
	for at < len(c.text) {
		switch {
		case c.text[at] == ' ' || c.text[at] == '\n':
			at++
		case strings.HasPrefix(c.text[at:], "//"), strings.HasPrefix(c.text[at:], "/*"):
			at = c.skip(at)
		default:
			return c.text[at] != ':'
		}
	}
	return true
}

func (c *converter) template(e *tdewolff.TemplateExpr) *node {
	out := &node{kind: nTemplate, pos: c.at}
	if e.Tag != nil {
		tag := c.expression(e.Tag)
		out = &node{kind: nTagged, pos: tag.pos, kids: []*node{tag}}
	}
	for i, part := range e.List {
		pos := c.take(string(part.Value))
		if i == 0 && e.Tag == nil {
			out.pos = pos
		}
		out.texts = append(out.texts, templateValue(string(part.Value)))
		out.kids = append(out.kids, c.expression(part.Expr))
	}
	pos := c.take(string(e.Tail))
	if len(e.List) == 0 && e.Tag == nil {
		out.pos = pos
	}
	out.texts = append(out.texts, templateValue(string(e.Tail)))
	return out
}

func (c *converter) member(e *tdewolff.DotExpr) *node {
	x := c.expression(e.X)
	out := &node{kind: nMember, pos: x.pos, kids: []*node{x}}
	switch y := e.Y.(type) {
	case *tdewolff.Var:
		c.take(string(y.Data))
		out.name = string(y.Data)
	case tdewolff.LiteralExpr:
		c.take(string(y.Data))
		out.name = identifier(string(y.Data))
	case *tdewolff.LiteralExpr:
		c.take(string(y.Data))
		out.name = identifier(string(y.Data))
	default:
		c.fail("a property of an unknown kind %T", e.Y)
	}
	return out
}

func (c *converter) arguments(args tdewolff.Args) []*node {
	var out []*node
	for _, a := range args.List {
		value := c.expression(a.Value)
		if a.Rest {
			value = &node{kind: nSpread, pos: value.pos, kids: []*node{value}}
		}
		out = append(out, value)
	}
	return out
}

func (c *converter) call(e *tdewolff.CallExpr) *node {
	x := c.expression(e.X)
	args := c.arguments(e.Args)
	if x.kind == nImport {
		return &node{kind: nImport, pos: x.pos, kids: args}
	}
	return &node{kind: nCall, pos: x.pos, kids: append([]*node{x}, args...)}
}

func (c *converter) unary(e *tdewolff.UnaryExpr) *node {
	if e.Op == tdewolff.AwaitToken {
		pos := c.word("await")
		if c.awaits == 0 {
			c.module = true // await outside every function
		}
		return &node{kind: nAwait, pos: pos, kids: []*node{c.expression(e.X)}}
	}
	x := c.expression(e.X)
	op := e.Op.String()
	switch e.Op {
	case tdewolff.PreIncrToken, tdewolff.PreDecrToken, tdewolff.PostIncrToken, tdewolff.PostDecrToken:
		one := &node{kind: nNumber, num: 1, pos: x.pos}
		return &node{kind: nAssign, op: "++", pos: x.pos, kids: []*node{x, one}}
	case tdewolff.NegToken:
		op = "-"
	case tdewolff.PosToken:
		op = "+"
	}
	return &node{kind: nUnary, op: op, pos: x.pos, kids: []*node{x}}
}

func (c *converter) binary(e *tdewolff.BinaryExpr) *node {
	x := c.expression(e.X)
	y := c.expression(e.Y)
	out := &node{kind: nBinary, op: e.Op.String(), pos: x.pos, kids: []*node{x, y}}
	switch e.Op {
	case tdewolff.EqToken, tdewolff.MulEqToken, tdewolff.DivEqToken, tdewolff.ModEqToken, tdewolff.ExpEqToken,
		tdewolff.AddEqToken, tdewolff.SubEqToken, tdewolff.LtLtEqToken, tdewolff.GtGtEqToken, tdewolff.GtGtGtEqToken,
		tdewolff.BitAndEqToken, tdewolff.BitXorEqToken, tdewolff.BitOrEqToken, tdewolff.AndEqToken, tdewolff.OrEqToken,
		tdewolff.NullishEqToken:
		out.kind = nAssign
	case tdewolff.AndToken, tdewolff.OrToken, tdewolff.NullishToken:
		out.kind = nEither
	}
	return out
}
