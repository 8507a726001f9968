package js

import (
	tdewolff "github.com/tdewolff/parse/v2/js"
)

func (c *converter) statements(list []tdewolff.IStmt) []*node {
	out := make([]*node, 0, len(list))
	for _, s := range list {
		if n := c.statement(s); n != nil {
			out = append(out, n)
		}
	}
	return out
}

func group(kids ...*node) *node { return &node{kind: nGroup, kids: kids} }

func (c *converter) block(b *tdewolff.BlockStmt) (out *node) {
	if b == nil {
		return nil
	}
	c.within(func() { out = group(c.statements(b.List)...) })
	return out
}

func (c *converter) statement(s tdewolff.IStmt) *node {
	c.enter()
	defer c.leave()
	switch s := s.(type) {
	case nil, *tdewolff.EmptyStmt, *tdewolff.DebuggerStmt:
		return nil
	case *tdewolff.Comment:
		return nil
	case *tdewolff.DirectivePrologueStmt:
		c.take(string(s.Value))
		return nil
	case *tdewolff.ExprStmt:
		return c.expression(s.Value)
	case *tdewolff.BlockStmt:
		return c.block(s)
	case *tdewolff.IfStmt:
		return group(c.expression(s.Cond), c.statement(s.Body), c.statement(s.Else))
	case *tdewolff.DoWhileStmt:
		return group(c.statement(s.Body), c.expression(s.Cond))
	case *tdewolff.WhileStmt:
		return group(c.expression(s.Cond), c.statement(s.Body))
	case *tdewolff.ForStmt, *tdewolff.ForInStmt, *tdewolff.ForOfStmt:
		return c.loop(s)
	case *tdewolff.SwitchStmt:
		return c.choice(s)
	case *tdewolff.BranchStmt:
		c.take(string(s.Label))
		return nil
	case *tdewolff.LabelledStmt:
		c.take(string(s.Label))
		return c.statement(s.Value)
	case *tdewolff.ReturnStmt:
		pos := c.word("return")
		return &node{kind: nReturn, pos: pos, kids: []*node{c.expression(s.Value)}}
	case *tdewolff.ThrowStmt:
		pos := c.word("throw")
		return &node{kind: nThrow, pos: pos, kids: []*node{c.expression(s.Value)}}
	case *tdewolff.WithStmt:
		return c.with(s)
	case *tdewolff.TryStmt:
		return c.try(s)
	case *tdewolff.VarDecl:
		return c.declaration(s)
	case *tdewolff.FuncDecl:
		return c.functionDeclaration(s)
	case *tdewolff.ClassDecl:
		return c.classDeclaration(s)
	case *tdewolff.ImportStmt:
		return c.importModule(s)
	case *tdewolff.ExportStmt:
		return c.export(s)
	}
	c.fail("a statement of an unknown kind %T", s)
	return nil
}

func (c *converter) loop(s tdewolff.IStmt) (out *node) {
	c.within(func() {
		switch s := s.(type) {
		case *tdewolff.ForStmt:
			out = group(c.expression(s.Init), c.expression(s.Cond), c.expression(s.Post), c.block(s.Body))
		case *tdewolff.ForInStmt:
			out = &node{kind: nForIn, pos: c.at, kids: []*node{c.loopTarget(s.Init), c.expression(s.Value), c.block(s.Body)}}
		case *tdewolff.ForOfStmt:
			c.module = c.module || s.Await && c.awaits == 0
			out = &node{kind: nForOf, pos: c.at, kids: []*node{c.loopTarget(s.Init), c.expression(s.Value), c.block(s.Body)}}
		}
	})
	return out
}

// loopTarget is what a for-in or for-of loop assigns to.
func (c *converter) loopTarget(e tdewolff.IExpr) *node {
	if d, ok := e.(*tdewolff.VarDecl); ok && len(d.List) == 1 {
		return c.binding(d.List[0].Binding, d.TokenType == tdewolff.VarToken)
	}
	return c.expression(e)
}

func (c *converter) choice(s *tdewolff.SwitchStmt) *node {
	out := group(c.expression(s.Init))
	c.within(func() {
		for _, clause := range s.List {
			out.kids = append(out.kids, c.expression(clause.Cond))
			out.kids = append(out.kids, c.statements(clause.List)...)
		}
	})
	return out
}

// with puts the object where names inside the statement look first.
func (c *converter) with(s *tdewolff.WithStmt) *node {
	object := c.expression(s.Cond)
	held := &cell{}
	out := &node{kind: nGroup, op: "with", pos: object.pos, kids: []*node{object}}
	c.within(func() {
		c.scope.with = held
		out.kids = append(out.kids, c.statement(s.Body))
	})
	out.withs = []*cell{held}
	return out
}

func (c *converter) try(s *tdewolff.TryStmt) *node {
	out := &node{kind: nTry, pos: c.at, kids: []*node{c.block(s.Body), nil, nil, nil}}
	c.within(func() {
		if s.Binding != nil {
			out.kids[1] = c.binding(s.Binding, false)
		}
		out.kids[2] = c.block(s.Catch)
	})
	out.kids[3] = c.block(s.Finally)
	return out
}

func (c *converter) declaration(s *tdewolff.VarDecl) *node {
	out := group()
	for _, item := range s.List {
		d := &node{kind: nDeclare, kids: []*node{c.binding(item.Binding, s.TokenType == tdewolff.VarToken), nil}}
		d.pos = d.kids[0].pos
		if item.Default != nil {
			d.kids[1] = c.expression(item.Default)
		}
		out.kids = append(out.kids, d)
	}
	return out
}

// binding is a declared target: a name or a pattern of names.
func (c *converter) binding(b tdewolff.IBinding, hoisted bool) *node {
	c.enter()
	defer c.leave()
	switch b := b.(type) {
	case nil:
		return nil
	case *tdewolff.Var:
		return c.declareName(b, hoisted)
	case *tdewolff.BindingArray:
		out := &node{kind: nArray, pos: c.at}
		for _, e := range b.List {
			out.kids = append(out.kids, c.element(e, hoisted))
		}
		if b.Rest != nil {
			out.kids = append(out.kids, &node{kind: nSpread, kids: []*node{c.binding(b.Rest, hoisted)}})
		}
		return out
	case *tdewolff.BindingObject:
		out := &node{kind: nObject, pos: c.at}
		for _, item := range b.List {
			p := property{}
			if item.Key != nil {
				p.name, p.key = c.propertyName(item.Key, item.Value.Binding)
			} else if v, ok := item.Value.Binding.(*tdewolff.Var); ok {
				p.name = identifier(string(v.Data))
			}
			p.value = c.element(item.Value, hoisted)
			out.props = append(out.props, p)
		}
		if b.Rest != nil {
			out.props = append(out.props, property{spread: true, value: c.declareName(b.Rest, hoisted)})
		}
		return out
	}
	c.fail("a binding of an unknown kind %T", b)
	return nil
}

// element is a target with its default.
func (c *converter) element(e tdewolff.BindingElement, hoisted bool) *node {
	target := c.binding(e.Binding, hoisted)
	if e.Default == nil {
		return target
	}
	return &node{kind: nAssign, op: "=", pos: target.pos, kids: []*node{target, c.expression(e.Default)}}
}

func (c *converter) declareName(v *tdewolff.Var, hoisted bool) *node {
	n := c.name(v.Data)
	if hoisted {
		c.scope.hoist(n.name)
	} else {
		c.scope.declare(n.name)
	}
	return n
}

func (c *converter) importModule(s *tdewolff.ImportStmt) *node {
	c.module, c.marked = true, true
	out := &node{kind: nImportModule, pos: c.word("import")}
	if len(s.Default) > 0 {
		out.imports = append(out.imports, importName{"default", c.declared(s.Default)})
	}
	for _, a := range s.List {
		if len(a.Name) == 0 {
			out.imports = append(out.imports, importName{name(a.Binding), c.declared(a.Binding)})
			continue
		}
		if string(a.Name) != "*" {
			c.take(string(a.Name))
		}
		out.imports = append(out.imports, importName{name(a.Name), c.declared(a.Binding)})
	}
	c.take(string(s.Module))
	out.name = stringValue(string(s.Module))
	return out
}

// name is an imported or exported name, which may be written as a string.
func name(data []byte) string {
	if len(data) > 0 && (data[0] == '"' || data[0] == '\'') {
		return stringValue(string(data))
	}
	return identifier(string(data))
}

func (c *converter) declared(data []byte) *binding {
	c.take(string(data))
	return c.scope.declare(identifier(string(data)))
}

func (c *converter) export(s *tdewolff.ExportStmt) *node {
	c.module, c.marked = true, true
	out := &node{kind: nExport, pos: c.word("export")}
	if s.Decl != nil {
		if n := c.expression(s.Decl); n != nil {
			out.kids = append(out.kids, n)
		}
		return out
	}
	for _, a := range s.List {
		local := a.Binding
		if len(a.Name) > 0 {
			local = a.Name
		}
		switch {
		case len(s.Module) > 0:
			for _, data := range [][]byte{a.Name, a.Binding} {
				if len(data) > 0 && string(data) != "*" {
					c.take(string(data))
				}
			}
		default:
			out.kids = append(out.kids, c.name(local))
			if len(a.Name) > 0 {
				c.take(string(a.Binding))
			}
		}
	}
	if len(s.Module) > 0 {
		c.take(string(s.Module))
		out.kind, out.name = nExportFrom, stringValue(string(s.Module))
	}
	return out
}
