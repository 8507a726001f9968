package js

import (
	"fmt"
	"sort"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// Read says what a JavaScript or TypeScript program could do, and gives the
// text that runs in its place.
func Read(t analysis.Text) (analysis.Reading, error) {
	source := withoutHashbang(t.Source)
	escaped, err := prescan(source)
	if err != nil {
		return analysis.Reading{}, err
	}
	out, err := transform(source, t.Language)
	if err != nil {
		return analysis.Reading{}, err
	}
	if _, err := prescan(out.code); err != nil {
		return analysis.Reading{}, err
	}
	p, err := parseCanonical(out.code)
	if err != nil {
		return analysis.Reading{}, err
	}
	i := newInterpreter(p, t.Name)
	if err := i.run(); err != nil {

		return analysis.Reading{}, fmt.Errorf("interpret %s: %w", t.Name, err)
	}
	if escaped >= 0 {
		i.facts = append(i.facts, hiddenIdentifier(t.Name, source, escaped))
	}
	r := analysis.Reading{Facts: i.facts, Embedded: i.embedded, Canonical: []byte(out.code), Lines: out.lines()}
	if p.module && !p.marked {
		r.Canonical = append(r.Canonical, moduleMark...)
	}
	out.locate(&r)
	r.Facts = analysis.Sort(r.Facts)
	r.Embedded = analysis.Distinct(r.Embedded)
	return r, nil
}

// withoutHashbang makes a comment of a first line such as #!/usr/bin/env node.
func withoutHashbang(source string) string {
	if strings.HasPrefix(source, "#!") {
		return "//" + source[2:]
	}
	return source
}

// locate turns offsets in the canonical text into places in the source.
func (t transformed) locate(r *analysis.Reading) {
	starts := []int{0}
	for k := range len(t.code) {
		if t.code[k] == '\n' {
			starts = append(starts, k+1)
		}
	}
	place := func(offset int) (int, int) {
		line := sort.SearchInts(starts, offset+1) - 1
		return t.at.place(line, offset-starts[line])
	}
	for k := range r.Facts {
		if f := &r.Facts[k]; f.Line == 0 {
			f.Line, f.Column = place(f.Column)
		}
	}
	for k := range r.Embedded {
		e := &r.Embedded[k]
		e.Line, e.Column = place(e.Column)
	}
}

// lines are those of the source that the lines of the canonical text were made
// of.
func (t transformed) lines() (of []int) {
	for k, line := range strings.Split(strings.TrimSuffix(t.code, "\n"), "\n") {
		from, _ := t.at.place(k, len(line)-len(strings.TrimLeft(line, " ")))
		of = append(of, from)
	}
	return of
}

// hiddenIdentifier is a name that is written with an escape: \u0065val.
func hiddenIdentifier(file, source string, at int) analysis.Fact {
	line := strings.Count(source[:at], "\n") + 1
	column := at - strings.LastIndexByte(source[:at], '\n')
	end := at
	for end < len(source) && end < at+60 && source[end] > ' ' && source[end] != '(' {
		end++
	}
	return analysis.Fact{
		Capability: palisade.CapObfuscation, Symbol: "escaped name", File: file, Line: line, Column: column,
		Argument: identifier(source[at:end]), Kind: analysis.KindHidden,
		Evidence: "a name is written with an escape: " + source[at:end],
	}
}
