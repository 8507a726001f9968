package sql

import (
	"palisade"
	"palisade/internal/analysis"
)

// What one server skips as a comment or takes for a string, another one runs. A
// text that only some dialects can read may still be meant for another: its
// server may know more than its grammar here, and MySQL and SQLite run the first
// statements of a text before they see that a later one is wrong.

// span is the place of a token.
type span struct{ lo, hi int }

// hidden adds a fact where a dialect that cannot read the text sees, in a place
// where those that can see none, what could call, read or run something.
func (r *reader) hidden(failed, read []dialect) {
	if len(failed) == 0 {
		return
	}
	seen := map[span]bool{}
	for _, d := range read {
		tokens, _, _ := lex(d, r.src, 0, len(r.src)) // they were read: there is no error
		for _, t := range tokens {
			seen[span{t.lo, t.hi}] = true
		}
	}
	for _, d := range failed {
		tokens, notes, _ := (&lexer{d: d, src: r.src, old: d == postgresql}).all() // up to an error, where its server stops as well
		if len(notes) > 0 {
			r.hides(d, notes[0].pos, notes[0].what)
			continue
		}
		for _, t := range tokens {
			if acts(t) && !seen[span{t.lo, t.hi}] {
				r.hides(d, t.lo, t.show())
				break
			}
		}
	}
}

// acts reports whether a token could begin a call or a statement, bring in a
// table, or say where rows go.
func acts(t token) bool {
	return t.kind == meta || t.op("(", ";") ||
		t.is("from", "join", "table", "union", "intersect", "except", "into", "outfile", "dumpfile")
}

func (r *reader) hides(d dialect, pos int, what string) {
	line, column := r.place(pos)
	r.facts = append(r.facts, analysis.Fact{
		Capability: palisade.CapObfuscation, Symbol: d.String(), Kind: analysis.KindText, File: r.name, Line: line, Column: column,
		Evidence: d.String() + " does not take this for a comment or a string, and cannot be read to the end: " + shorten(what),
	})
}
