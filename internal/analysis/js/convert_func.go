package js

import (
	tdewolff "github.com/tdewolff/parse/v2/js"
)

// function converts what every kind of function has. Parameters have a scope
// of their own, outside that of the body: `function f(a = b) { var b }` speaks
// of two variables.
func (c *converter) function(f *function, params tdewolff.Params, body []tdewolff.IStmt) *node {
	out := &node{kind: nFunction, fn: f, pos: c.at}
	f.node = out
	strict := c.strict
	c.strict = c.strict || directive(body)
	f.strict = c.strict || c.module
	c.awaits++
	c.within(func() {
		if f.self != nil {
			c.scope.names = map[string]*binding{f.self.name: f.self}
		}
		for _, p := range params.List {
			f.params = append(f.params, c.element(p, false))
		}
		if params.Rest != nil {
			f.params = append(f.params, &node{kind: nSpread, kids: []*node{c.binding(params.Rest, false)}})
		}
		c.within(func() {
			c.scope.function = true
			f.body = c.statements(body)
		})
	})
	c.awaits--
	c.strict = strict
	if len(f.body) == 1 && f.body[0].kind == nReturn && !f.generator {
		f.result = f.body[0].kids[0]
	}
	return out
}

func (c *converter) arrow(e *tdewolff.ArrowFunc) *node {
	f := &function{arrow: true, async: e.Async}
	if list := e.Body.List; len(list) == 1 {
		if r, ok := list[0].(*tdewolff.ReturnStmt); ok && r.Value != nil {
			return c.shortArrow(f, e, r)
		}
	}
	return c.function(f, e.Params, e.Body.List)
}

// shortArrow converts an arrow function that gives one value; there need not
// be the word return.
func (c *converter) shortArrow(f *function, e *tdewolff.ArrowFunc, r *tdewolff.ReturnStmt) *node {
	return c.function(f, e.Params, []tdewolff.IStmt{&tdewolff.ExprStmt{Value: arrowResult{r.Value}}})
}

// arrowResult marks the value of an arrow function without braces.
type arrowResult struct{ tdewolff.IExpr }

func (c *converter) functionDeclaration(e *tdewolff.FuncDecl) *node {
	f := &function{async: e.Async, generator: e.Generator}
	out := &node{kind: nDeclare, op: "function", pos: c.word("function")}
	if e.Name == nil {
		return c.function(f, e.Params, e.Body.List)
	}
	target := c.declareName(e.Name, false)
	if !c.strict { // it is also a variable of the function around (ECMAScript 2022, B.3.2)
		c.alias(target.name)
	}
	f.name = target.name
	out.kids = []*node{target, c.function(f, e.Params, e.Body.List)}
	return out
}

// alias makes a function that is declared in a block known around it.
func (c *converter) alias(name string) {
	b := c.scope.names[name]
	for s := c.scope; !s.function && s.parent != nil; {
		s = s.parent
		if s.names[name] != nil {
			return
		}
		if s.names == nil {
			s.names = map[string]*binding{}
		}
		s.names[name] = b
	}
}

func (c *converter) functionExpression(e *tdewolff.FuncDecl) *node {
	f := &function{async: e.Async, generator: e.Generator}
	if e.Name != nil {
		c.word("function")
		c.take(string(e.Name.Data))
		f.name = identifier(string(e.Name.Data))
		f.self = &binding{name: f.name}
	}
	return c.function(f, e.Params, e.Body.List)
}

func (c *converter) method(m *tdewolff.MethodDecl) property {
	p := property{static: m.Static}
	switch {
	case m.Get:
		p.accessor = 'g'
	case m.Set:
		p.accessor = 's'
	}
	p.name, p.key = c.memberName(&m.Name)
	f := &function{async: m.Async, generator: m.Generator, name: p.name}
	p.value = c.function(f, m.Params, m.Body.List)
	return p
}

func (c *converter) memberName(n *tdewolff.ClassElementName) (string, *node) {
	if n.Private != nil {
		c.take(string(n.Private.Data))
		return string(n.Private.Data), nil
	}
	return c.propertyName(&n.PropertyName, nil)
}

func (c *converter) classDeclaration(e *tdewolff.ClassDecl) *node {
	if e.Name == nil {
		return c.classExpression(e)
	}
	c.word("class")
	target := c.declareName(e.Name, false)
	out := &node{kind: nDeclare, op: "class", pos: target.pos, kids: []*node{target, nil}}
	out.kids[1] = c.class(&class{name: target.name}, e)
	return out
}

func (c *converter) classExpression(e *tdewolff.ClassDecl) *node {
	k := &class{}
	c.word("class")
	if e.Name != nil {
		c.take(string(e.Name.Data))
		k.name = identifier(string(e.Name.Data))
		k.self = &binding{name: k.name}
	}
	return c.class(k, e)
}

func (c *converter) class(k *class, e *tdewolff.ClassDecl) *node {
	out := &node{kind: nClass, class: k, pos: c.at}
	k.node = out
	strict := c.strict
	c.strict = true
	c.within(func() {
		if k.self != nil {
			c.scope.names = map[string]*binding{k.self.name: k.self}
		}
		k.extends = c.expression(e.Extends)
		for _, m := range e.List {
			switch {
			case m.StaticBlock != nil:
				f := &function{name: "static"}
				k.blocks = append(k.blocks, c.function(f, tdewolff.Params{}, m.StaticBlock.List))
			case m.Method != nil:
				k.members = append(k.members, c.method(m.Method))
			default:
				k.members = append(k.members, c.field(m.Field))
			}
		}
	})
	c.strict = strict
	return out
}

// field makes a method of a field's initializer: its this is the object.
func (c *converter) field(d tdewolff.Field) property {
	p := property{static: d.Static, accessor: 'f'}
	p.name, p.key = c.memberName(&d.Name)
	if d.Init != nil {
		p.value = c.function(&function{name: p.name, arrow: false}, tdewolff.Params{},
			[]tdewolff.IStmt{&tdewolff.ExprStmt{Value: arrowResult{d.Init}}})
	}
	return p
}
