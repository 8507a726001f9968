package js

// eval gives what an expression may be, and takes what a statement does.
func (i *interpreter) eval(n *node) set {
	if n == nil {
		return nil
	}
	out := i.evaluate(n)
	i.step(1 + len(out)*len(out)/8) // what putting it into another set may take
	return out
}

func (i *interpreter) evaluate(n *node) set {
	switch n.kind {
	case nGroup:
		i.group(n)
		return nil
	case nIdent:
		out := i.name(n)
		i.mention(n, out)
		return out
	case nString:
		return str(n.name)
	case nNumber:
		return num(n.num)
	case nPlain:
		return inert
	case nRegExp:
		return ref(n.name)
	case nTemplate:
		return i.template(n)
	case nTagged:
		return i.tagged(n)
	case nArray:
		return i.array(n)
	case nObject:
		return i.literal(n).set()
	case nFunction:
		return i.closure(n, nil).set()
	case nClass:
		return i.classValue(n).set()
	case nMember, nIndex:
		_, out := i.access(n)
		return out
	case nCall:
		return i.evalCall(n)
	case nNew:
		return i.evalNew(n)
	case nImport:
		return i.importCall(n)
	case nThis:
		return i.frame.this
	case nSuper:
		return i.super()
	case nMeta:
		return ref("import!")
	case nNewTarget: // a function, whichever it is
		return ref(someConstructor)
	case nUnary:
		return i.unary(n)
	case nBinary:
		return i.binary(n)
	case nEither:
		return i.either(n)
	case nAssign:
		return i.assignment(n)
	case nDeclare:
		i.declare(n)
		return nil
	case nYield:
		return i.yield(n)
	case nAwait:
		return i.settled(i.eval(n.kids[0]))
	case nComma:
		var last set
		for _, kid := range n.kids {
			last = i.eval(kid)
		}
		return last
	case nSpread:
		return i.elements(i.eval(n.kids[0]), n)
	}
	i.statement(n)
	return nil
}

func (i *interpreter) group(n *node) {
	for k, kid := range n.kids {
		s := i.eval(kid)
		if k == 0 && n.op == "with" {
			i.add(n.withs[0], s)
		}
	}
}

func (i *interpreter) statement(n *node) {
	switch n.kind {
	case nForIn:
		i.assign(n.kids[0], i.keys(i.eval(n.kids[1])))
		i.eval(n.kids[2])
	case nForOf:
		i.assign(n.kids[0], i.settled(i.elements(i.eval(n.kids[1]), n)))
		i.eval(n.kids[2])
	case nReturn:
		s := i.eval(n.kids[0])
		if i.frame.fn != nil {
			i.add(&i.frame.fn.returns, s)
		}
	case nThrow:
		i.add(&i.thrown, i.eval(n.kids[0]))
	case nTry:
		i.eval(n.kids[0])
		if n.kids[1] != nil {
			i.assign(n.kids[1], i.thrown.values.with(anything))
		}
		i.eval(n.kids[2])
		i.eval(n.kids[3])
	case nImportModule:
		i.importStatement(n)
	case nExportFrom:
		i.module(str(n.name), n)
	case nExport:
		for _, kid := range n.kids {
			i.escape(i.eval(kid), kid)
		}
	}
}

// name is what an identifier may be.
func (i *interpreter) name(n *node) set {
	var out set
	if n.binding != nil {
		over, ok := i.overlay[n.binding]
		if ok {
			out = over
		} else {
			out = n.binding.cell.values
		}
	} else if n.name == "arguments" && i.frame.args != nil {
		out = i.frame.args.set()
	} else {
		out = i.global(n.name)
	}
	for _, w := range n.withs {
		for _, v := range w.values {
			if v.what == known || v.what == thing {
				out = out.with(i.member(v, n.name, n))
			}
		}
	}
	return out
}

// either is one of several expressions.
func (i *interpreter) either(n *node) set {
	var out set
	for k, kid := range n.kids {
		if k == 0 && n.num == 1 {
			i.quiet = kid
		}
		s := i.eval(kid)
		if k > 0 || n.num == 0 {
			out = out.with(s)
		}
	}
	return out
}

func (i *interpreter) unary(n *node) set {
	if n.op == "typeof" || n.op == "void" || n.op == "!" || n.op == "delete" {
		i.quiet = n.kids[0]
	}
	s := i.eval(n.kids[0])
	if n.op == "-" || n.op == "~" || n.op == "+" {
		return i.arithmetic(n.op, num(0), s)
	}
	return inert
}

func (i *interpreter) binary(n *node) set {
	switch n.op {
	case "===", "!==", "==", "!=", "instanceof", "in":
		var sides [2]set
		for k, kid := range n.kids {
			i.quiet = kid
			sides[k] = i.eval(kid)
		}
		if n.op == "instanceof" {
			i.instanceOf(sides[0], sides[1], n)
		}
		return inert
	}
	x := i.eval(n.kids[0])
	y := i.eval(n.kids[1])
	if n.op == "+" {
		return i.concat(x, y)
	}
	return i.arithmetic(n.op, x, y)
}

// instanceOf calls what a class of the program's own has to say about it.
func (i *interpreter) instanceOf(s, classes set, n *node) {
	for _, v := range classes {
		if v.what == thing {
			if found, ok := i.lookup(v.obj, "@@hasInstance"); ok {
				i.callAll(found, v.set(), arguments{list: []set{s}}, n)
			}
		}
	}
}

func (i *interpreter) yield(n *node) set {
	s := i.eval(n.kids[0])
	if n.num == 1 {
		s = i.elements(s, n)
	}
	if f := i.frame.fn; f != nil {
		i.add(&f.yields, s)
		return f.sent.values.with(anything)
	}
	return anything
}

// template is a template literal: its parts, joined.
func (i *interpreter) template(n *node) set {
	out := str(n.texts[0])
	for k, kid := range n.kids {
		out = i.concat(i.concat(out, i.text(i.eval(kid), n)), str(n.texts[k+1]))
	}
	return out
}

func (i *interpreter) tagged(n *node) set {
	tag, rest := n.kids[0], n.kids[1:]
	var this, fns set
	if tag.kind == nMember || tag.kind == nIndex {
		this, fns = i.access(tag)
	} else {
		fns = i.eval(tag)
	}
	texts := i.object(n, "texts", nil)
	texts.list = true
	for k, t := range n.texts {
		i.add(&texts.slot(formatNumber(float64(k))).value, str(t))
	}
	i.add(&texts.slot("raw").value, texts.set())
	args := arguments{list: []set{texts.set()}}
	for _, kid := range rest {
		args.list = append(args.list, i.eval(kid))
	}
	return i.callAll(fns, this, args, n)
}

// array is an array literal.
func (i *interpreter) array(n *node) set {
	o := i.object(n, "array", nil)
	rows := i.rows
	if len(n.kids) > bigArray {
		i.rows = n
	}
	o.list = rows == nil
	at := 0
	for _, kid := range n.kids {
		if kid != nil && kid.kind == nSpread {
			items, exact := i.items(i.eval(kid.kids[0]), kid)
			if exact && len(items) <= bigArray {
				for _, item := range items {
					i.add(&o.slot(formatNumber(float64(at))).value, item)
					at++
				}
				continue
			}
			for _, item := range items {
				i.add(&o.rest, item)
			}
			i.add(&o.rest, anything)
			continue
		}
		s := i.eval(kid)
		if at >= maxProperties || i.rows != nil && rows != nil {
			i.add(&o.rest, s)
		} else {
			i.add(&o.slot(formatNumber(float64(at))).value, s)
		}
		at++
	}
	i.rows = rows
	return o.set()
}

// literal is an object literal.
func (i *interpreter) literal(n *node) *object {
	o := i.object(n, "object", nil)
	for _, p := range n.props {
		if p.spread {
			i.copyProperties(o, i.eval(p.value), n)
			continue
		}
		var s set
		if p.value != nil && p.value.kind == nFunction {
			s = i.closure(p.value, o).set()
			i.add(&p.value.fn.this, o.set()) // whoever calls it: valueOf, say, is called by operators
		} else {
			s = i.eval(p.value)
		}
		for _, name := range i.propertyNames(p) {
			i.define(o, name, p.accessor, s)
		}
	}
	return o
}

// propertyNames gives a property's possible names; "" stands for any.
func (i *interpreter) propertyNames(p property) []string {
	if p.key == nil {
		return []string{p.name}
	}
	names, all := keyNames(i.eval(p.key))
	if !all {
		names = append(names, "")
	}
	return names
}

// define puts a value or an accessor into an object; the name "" is any.
func (i *interpreter) define(o *object, name string, accessor byte, s set) {
	switch {
	case name == "" || len(o.props) >= maxProperties && o.props[name] == nil:
		i.add(&o.rest, s)
	case accessor == 'g':
		i.add(&o.slot(name).get, s)
	case accessor == 's':
		i.add(&o.slot(name).set, s)
	case name == "__proto__":
		i.add(&o.proto, s)
		i.add(&o.slot(name).value, s)
	default:
		i.add(&o.slot(name).value, s)
	}
}

// keyNames gives the names that a computed property may have, and whether
// these are all.
func keyNames(s set) (names []string, all bool) {
	all = len(s) > 0
	for _, v := range s {
		switch {
		case v.what == constant:
			names = append(names, v.s)
		case v.what == number:
			names = append(names, formatNumber(v.n))
		case v.what == known && len(v.s) > 7 && v.s[:7] == "Symbol.":
			names = append(names, "@@"+v.s[7:])
		case v.what == thing && v.obj.list:
			if joined, ok := v.obj.join(","); ok {
				names = append(names, joined)
			} else {
				all = false
			}
		default:
			all = false
		}
	}
	return names, all
}
