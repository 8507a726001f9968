package sql

import "strings"

// argument is what a call gives a function, as far as it can be seen.
type argument struct {
	at token
	// text is the value where it is a string literal, alone (literal) or
	// followed by something that is not (a prefix).
	text    string
	literal bool
}

// ownGrammar are the functions whose arguments have words between them, such as
// extract(year FROM d): SQL's own, in all dialects.
const ownGrammar = `cast try_cast safe_cast convert extract substring substr mid trim position overlay normalize char
	weight_string get_format treat group_concat json_group_array collation json_object json_array json_objectagg
	json_arrayagg json_query json_value json_exists json_table json_scalar json_serialize json xmlelement
	xmlforest xmlattributes xmlpi xmlroot xmlserialize xmlparse xmlexists xmltable xmlagg xmlconcat match`

// betweenWords are the words that stand between those arguments.
const betweenWords = `from for placing using separator both leading trailing value passing returning absent on error empty
	with without wrapper array conditional unconditional keep omit quotes unique keys format encoding name content
	document version standalone yes no ordinality whitespace preserve strip indent no by ref namespaces only in`

// call reads the arguments of a function and what may follow them; the
// position is at the bracket.
func (p *parser) call(at token, name string, parts int) {
	if !p.enter() {
		return
	}
	defer p.leave()
	p.expectSymbol("(")
	var args []argument
	switch {
	case p.symbol("*"):
	case p.cur().op(")"):
	case parts == 1 && at.kind == word && wordSet(ownGrammar)[at.text]:
		outer := p.inPosition
		p.inPosition = at.text == "position"
		args = p.ownArguments(at.text)
		p.inPosition = outer
	default:
		args = p.arguments()
	}
	p.expectSymbol(")")
	p.aggregateTail(at)
	if p.err == nil {
		p.use(at, name, parts, args)
	}
}

// arguments reads what stands between a call's brackets.
func (p *parser) arguments() []argument {
	p.accept("distinct", "distinctrow", "all")
	var args []argument
	for p.err == nil {
		p.accept("variadic")
		if p.cur().kind == word && p.ahead(1).op("=>", ":=") && p.d != mysql {
			p.take()
			p.take()
		}
		if p.symbol("*") {
			p.scope.mention("*")
		} else {
			args = append(args, p.argument())
		}
		if !p.symbol(",") {
			break
		}
	}
	if p.phrase("order", "by") {
		p.orderList()
	}
	if p.accept("limit") { // MariaDB's and SQLite's aggregates
		p.exprList()
	}
	return args
}

// argument reads one expression, or a query where a dialect lets it stand alone.
func (p *parser) argument() argument {
	start := p.cur()
	from := p.i
	if p.startsQuery(0) && !start.op("(") {
		p.query()
		return argument{at: start}
	}
	p.expr()
	a := argument{at: start}
	if start.kind == text && p.i > from {
		a.text, a.literal = start.text, p.i == from+1 || p.typed(from+1)
	}
	return a
}

// typed reports whether the tokens from n on are a cast: they change nothing
// about what a string says.
func (p *parser) typed(n int) bool {
	if !p.tokens[n].op("::") {
		return false
	}
	for _, t := range p.tokens[n+1 : p.i] {
		if t.kind != word && t.kind != number && !t.op("(", ")", ".", "[", "]", "::") {
			return false
		}
	}
	return true
}

// ownArguments reads the arguments of a function with a grammar of its own.
func (p *parser) ownArguments(name string) []argument {
	p.accept("distinct", "all")
	between := wordSet(betweenWords)
	var args []argument
	for p.err == nil && !p.cur().op(")") && p.cur().kind != end {
		switch t := p.cur(); {
		case t.op(",", ":"):
			p.take()
			if name == "convert" && t.text == "," && p.cur().kind == word && p.ahead(1).op("(", ")") { // MySQL: convert(a, char(3))
				p.typeName()
			}
		case t.is("as"):
			p.take()
			p.typeName()
		case t.is("columns") && p.ahead(1).op("("):
			p.take()
			p.jsonColumns()
		case t.is("order") && p.ahead(1).is("by"):
			p.take()
			p.take()
			p.orderList()
		case t.is("null", "error", "empty", "default", "true", "false", "unknown") && p.ahead(1).is("on"):
			p.take()
		case t.is("name") && (p.ahead(1).kind == word || p.ahead(1).kind == quoted): // xmlelement(name x)
			p.take()
			p.take()
		case t.is("returning"):
			p.take()
			p.typeName()
		case t.kind == word && between[t.text] && !p.ahead(1).op(".", "("):
			p.take()
		default:
			args = append(args, p.argument())
		}
	}
	return args
}

// jsonColumns reads the COLUMNS of json_table and xmltable.
func (p *parser) jsonColumns() {
	if !p.enter() {
		return
	}
	defer p.leave()
	p.expectSymbol("(")
	for p.err == nil {
		switch {
		case p.accept("nested"):
			p.accept("path")
			p.operand()
			if p.accept("as") {
				p.ident("a name")
			}
			p.expect("columns")
			p.jsonColumns()
		default:
			p.ident("a column")
			if !p.phrase("for", "ordinality") {
				p.typeName()
			}
			p.jsonColumnTail()
		}
		if !p.symbol(",") {
			break
		}
	}
	p.expectSymbol(")")
}

func (p *parser) jsonColumnTail() {
	for p.err == nil && !p.cur().op(",", ")") {
		switch {
		case p.accept("path", "exists", "not", "null", "on", "empty", "error", "format", "json", "with", "without", "wrapper",
			"array", "conditional", "unconditional", "keep", "omit", "quotes", "true", "false", "unknown", "object"):
		case p.accept("default"):
			p.operand()
		default:
			p.operand()
		}
	}
}

// aggregateTail reads WITHIN GROUP, FILTER, OVER and their kin.
func (p *parser) aggregateTail(at token) {
	for p.err == nil {
		switch {
		case p.phrase("within", "group"):
			p.expectSymbol("(")
			if !p.phrase("order", "by") {
				p.fail("ORDER BY")
			}
			p.orderList()
			p.expectSymbol(")")
		case p.is("filter") && p.ahead(1).op("("):
			p.take()
			p.take()
			p.expect("where")
			p.expr()
			p.expectSymbol(")")
		case p.phrase("ignore", "nulls"), p.phrase("respect", "nulls"), p.phrase("from", "first"), p.phrase("from", "last"):
		case p.is("over") && (p.ahead(1).op("(") || p.ahead(1).name()):
			p.take()
			if p.cur().op("(") {
				p.window()
			} else {
				p.take()
			}
		case at.is("match") && p.accept("against"): // MySQL
			p.expectSymbol("(")
			p.operand()
			for p.accept("in", "boolean", "mode", "natural", "language", "with", "query", "expansion") {
			}
			p.expectSymbol(")")
		default:
			return
		}
	}
}

// windows reads w AS (…), ….
func (p *parser) windows() {
	for p.err == nil {
		p.ident("the name of a window")
		p.expect("as")
		p.window()
		if !p.symbol(",") {
			return
		}
	}
}

// window reads what a window is made of.
func (p *parser) window() {
	p.expectSymbol("(")
	if p.cur().name() && !p.is("partition", "rows", "range", "groups") {
		p.take()
	}
	if p.phrase("partition", "by") {
		p.exprList()
	}
	if p.phrase("order", "by") {
		p.orderList()
	}
	if p.accept("rows", "range", "groups") {
		if p.accept("between") {
			p.bound()
			p.expect("and")
		}
		p.bound()
		if p.accept("exclude") && !p.phrase("current", "row") && !p.phrase("no", "others") && !p.accept("group", "ties") {
			p.fail("CURRENT ROW")
		}
	}
	p.expectSymbol(")")
}

func (p *parser) bound() {
	if p.phrase("current", "row") {
		return
	}
	if !p.accept("unbounded") {
		p.operand()
		for p.cur().kind == op && !p.cur().op(")", "(", ",") {
			p.take()
			p.operand()
		}
	}
	if !p.accept("preceding", "following") {
		p.fail("PRECEDING or FOLLOWING")
	}
}

func upper(s string) string { return strings.ToUpper(s) }
