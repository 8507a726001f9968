package sql

// typeName reads a type: numeric(10, 2), character varying(3)[], double
// precision, timestamp (3) with time zone, unsigned integer, schema.type.
func (p *parser) typeName() {
	p.accept("setof")
	switch {
	case p.is("set") && p.ahead(1).op("("): // MySQL
		p.take()
	case p.accept("natural"):
		p.fail("a type")
	default:
		p.dotted("a type")
	}
	for !(p.is("character") && p.ahead(1).is("set")) && p.accept("precision", "varying", "unsigned", "signed", "integer", "int", "zerofill", "char", "character", "large", "object", "big") {
	}
	p.typeArguments()
	if p.is("with", "without") && p.ahead(1).is("time", "local") {
		p.take()
		p.accept("local")
		p.expect("time")
		p.expect("zone")
	}
	if units := wordSet(intervalUnits); p.cur().kind == word && units[p.cur().text] && p.ahead(1).is("to") { // interval day to second
		p.take()
		p.take()
		p.take()
		p.typeArguments()
	}
	for p.accept("unsigned", "signed", "zerofill") {
	}
	if p.phrase("character", "set") || p.accept("charset") {
		if p.cur().kind == text {
			p.take()
		} else {
			p.ident("a character set")
		}
	}
	p.accept("array")
	for p.d != sqlite && p.symbol("[") {
		if p.cur().kind == number {
			p.take()
		}
		p.expectSymbol("]")
	}
}

// typeArguments reads (10, 2), ('a', 'b') and (geometry(Point, 4326)'s words).
func (p *parser) typeArguments() {
	if !p.symbol("(") {
		return
	}
	for p.err == nil {
		if k := p.cur().kind; k != number && k != text && k != word {
			p.fail("a number")
			return
		}
		p.take()
		if !p.symbol(",") {
			break
		}
	}
	p.expectSymbol(")")
}
