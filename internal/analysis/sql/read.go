package sql

import (
	"errors"
	"fmt"
	"sort"

	"palisade"
	"palisade/internal/analysis"
)

// Bounds of one reading, for all dialects and all strings inside together.
const (
	maxBytes = 1 << 20
	maxFacts = 10_000
	maxSteps = 2_000_000 // tokens taken; a text of maxBytes has at most half as many
	maxInner = 4         // strings of SQL inside strings of SQL
)

// budgetError says that a text is more than can be read.
type budgetError struct{ why string }

func (e *budgetError) Error() string { return "read SQL: " + e.why }

// reader is one text on its way through.
type reader struct {
	name  string
	src   string
	lines []int // offsets at which lines start
	// known are the dialects whose functions count as known.
	known    dialect
	facts    []analysis.Fact
	embedded []analysis.Embedded
	steps    int
}

// Read says what a text of SQL could do. Its error is an [analysis.SyntaxError]
// where no dialect that it may be in knows the text, and another error where it
// is too much to be read.
func Read(t analysis.Text) (analysis.Reading, error) {
	ds, err := dialects(t.Dialect)
	if err != nil {
		return analysis.Reading{}, err
	}
	if len(t.Source) > maxBytes {
		return analysis.Reading{}, &budgetError{fmt.Sprintf("%d bytes of at most %d", len(t.Source), maxBytes)}
	}
	r := &reader{name: t.Name, src: t.Source, lines: lineStarts(t.Source)}
	for _, d := range ds {
		r.known |= d
	}
	var first *analysis.SyntaxError
	var read, failed []dialect
	for _, d := range ds {
		facts, embedded := r.facts, r.embedded
		err := r.dialect(d)
		var syntax *analysis.SyntaxError
		switch {
		case err == nil:
			read = append(read, d)
		case errors.As(err, &syntax):
			r.facts, r.embedded, failed = facts, embedded, append(failed, d)
			if first == nil || syntax.Line > first.Line || syntax.Line == first.Line && syntax.Column > first.Column {
				first = syntax // the dialect that got furthest knows best what is wrong
			}
		default:
			return analysis.Reading{}, err
		}
	}
	if len(read) == 0 {
		return analysis.Reading{}, first
	}
	r.hidden(failed, read)
	return analysis.Reading{Facts: analysis.Sort(r.facts), Embedded: analysis.Distinct(r.embedded)}, nil
}

// dialect reads the whole text as one dialect.
func (r *reader) dialect(d dialect) error {
	return r.part(d, r.src, 0, len(r.src), inside{fixed: -1})
}

// inside says where a part of a text stands.
type inside struct {
	// via says how the part is run, for its facts' evidence; "": as it stands.
	via string
	// fixed is the place of all facts, where the part is a decoded string; -1:
	// each has its own.
	fixed int
	// body says that the part is of a procedural language, which has
	// statements of its own.
	body  bool
	depth int
}

// part reads src[lo:hi] as statements.
func (r *reader) part(d dialect, src string, lo, hi int, in inside) error {
	if in.depth > maxInner {
		return &budgetError{fmt.Sprintf("SQL inside SQL is more than %d deep", maxInner)}
	}
	p := &parser{r: r, d: d, in: in, src: src}
	tokens, notes, err := lex(d, src, lo, hi)
	if err != nil {
		return r.located(err, in)
	}
	p.tokens = tokens
	for _, n := range notes {
		if n.what == "SET_VAR" {
			p.fact(n.pos, analysis.Fact{Capability: palisade.CapSideEffect, Symbol: n.what, Evidence: n.why})
			continue
		}
		p.fact(n.pos, analysis.Fact{Capability: palisade.CapObfuscation, Symbol: n.what, Kind: analysis.KindText, Evidence: n.why})
	}
	p.statements()
	if p.err != nil {
		return r.located(p.err, in)
	}
	if len(r.facts) > maxFacts {
		return &budgetError{fmt.Sprintf("more than %d facts", maxFacts)}
	}
	return nil
}

// located turns a place into a line and a column.
func (r *reader) located(err error, in inside) error {
	var at *lexError
	if !errors.As(err, &at) {
		return err
	}
	pos := at.pos
	if in.fixed >= 0 {
		pos = in.fixed
	}
	line, column := r.place(pos)
	return &analysis.SyntaxError{Line: line, Column: column, Message: at.msg}
}

func lineStarts(src string) []int {
	starts := []int{0}
	for i := range len(src) {
		if src[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// place gives the line and column of an offset, from 1, in bytes.
func (r *reader) place(pos int) (line, column int) {
	line = sort.SearchInts(r.lines, pos+1)
	return line, pos - r.lines[line-1] + 1
}
