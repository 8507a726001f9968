package sql

import (
	"strconv"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// parser reads the statements of one part of a text in one dialect. Its error
// sticks: after the first one it stands at the end, so that every loop ends.
type parser struct {
	r      *reader
	d      dialect
	in     inside
	src    string
	tokens []token
	i      int
	err    error
	depth  int      // of expressions and queries inside one another
	number int      // of the statement, from 1
	names  []string // of the common table expressions in scope
	scope  *scope
	// inPosition says that IN stands between the arguments of position().
	inPosition bool
}

// maxNesting bounds what nests without brackets, such as CASE in CASE.
const maxNesting = 2 * maxDepth

func (p *parser) cur() token { return p.ahead(0) }

// ahead gives the token n places on; the last one is an end.
func (p *parser) ahead(n int) token {
	if p.err != nil || p.i+n >= len(p.tokens) {
		return p.tokens[len(p.tokens)-1]
	}
	return p.tokens[p.i+n]
}

// take returns the current token and moves on. At the end it counts too, so
// that no loop outlives the budget.
func (p *parser) take() token {
	t := p.cur()
	if p.r.steps++; p.r.steps > maxSteps {
		p.stop(&budgetError{"too many steps"})
	}
	if t.kind != end {
		p.i++
	}
	return t
}

func (p *parser) stop(err error) {
	if p.err == nil {
		p.err = err
	}
}

// fail ends the reading: the current token is not what the grammar wants.
func (p *parser) fail(want string) {
	t := p.cur()
	p.stop(&lexError{t.lo, want + " is missing before " + t.show()})
}

// is reports whether the current token is one of the words.
func (p *parser) is(words ...string) bool { return p.cur().is(words...) }

// accept takes one of the words.
func (p *parser) accept(words ...string) bool {
	if p.is(words...) {
		p.take()
		return true
	}
	return false
}

// phrase takes words that follow one another, all or none.
func (p *parser) phrase(words ...string) bool {
	for n, w := range words {
		if !p.ahead(n).is(w) {
			return false
		}
	}
	for range words {
		p.take()
	}
	return true
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		p.fail(strings.ToUpper(word))
	}
}

// symbol takes an operator.
func (p *parser) symbol(s string) bool {
	if p.cur().op(s) {
		p.take()
		return true
	}
	return false
}

func (p *parser) expectSymbol(s string) {
	if !p.symbol(s) {
		p.fail(s)
	}
}

// enter counts a level of nesting; leave undoes it.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxNesting {
		p.stop(&budgetError{"expressions are too deep"})
		return false
	}
	return p.err == nil
}

func (p *parser) leave() { p.depth-- }

// ident takes an identifier of any spelling.
func (p *parser) ident(what string) token {
	t := p.cur()
	if t.kind != word && t.kind != quoted || t.kind == word && reserved(t.text) {
		p.fail(what)
		return token{}
	}
	return p.take()
}

// maxParts bounds the parts of a name; servers know four at most.
const maxParts = 16

// dotted takes a name of several parts and gives it with dots.
func (p *parser) dotted(what string) (name string, parts int, at token) {
	at = p.ident(what)
	name, parts = p.dots(at.text)
	return name, parts, at
}

// dots takes the further parts of a name: after a dot any word may stand.
func (p *parser) dots(first string) (name string, parts int) {
	name, parts = first, 1
	for p.cur().op(".") && (p.ahead(1).kind == word || p.ahead(1).kind == quoted) {
		if parts++; parts > maxParts {
			p.fail("the end of a name")
			return name, parts
		}
		p.take()
		name += "." + p.take().text
	}
	return name, parts
}

// fact adds a fact; its place is that of an offset.
func (p *parser) fact(pos int, f analysis.Fact) *analysis.Fact {
	if p.in.fixed >= 0 {
		pos = p.in.fixed
	}
	f.File = p.r.name
	f.Line, f.Column = p.r.place(pos)
	var how []string
	if p.in.via != "" {
		how = append(how, p.in.via)
	}
	if p.number > 1 && p.in.via == "" {
		how = append(how, "statement "+strconv.Itoa(p.number)+" of the text")
	}
	if f.Evidence != "" {
		how = append(how, f.Evidence)
	}
	f.Evidence = strings.Join(how, "; ")
	if len(p.r.facts) > maxFacts {
		p.stop(&budgetError{"too many facts"})
		return &f
	}
	p.r.facts = append(p.r.facts, f)
	return &p.r.facts[len(p.r.facts)-1]
}

// say adds a fact of a capability, a symbol and an argument.
func (p *parser) say(pos int, c palisade.Capability, symbol, argument, evidence string) {
	p.fact(pos, analysis.Fact{Capability: c, Symbol: symbol, Argument: argument, Evidence: evidence})
}

// doubt adds a fact whose argument is not known.
func (p *parser) doubt(pos int, c palisade.Capability, symbol, prefix, evidence string) {
	p.fact(pos, analysis.Fact{Capability: c, Symbol: symbol, Argument: prefix, Unknown: true, Evidence: evidence})
}
