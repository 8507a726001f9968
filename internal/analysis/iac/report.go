package iac

import (
	"errors"
	"fmt"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// Bounds of a reading. 200 levels are more than any real file has (Kubernetes'
// deepest schema has about 15, CPython's parser stops at 200 brackets as well)
// and far less than what overflows a parser's stack.
const (
	maxDepth    = 200
	maxFacts    = 10_000
	maxEmbedded = 2_000
	maxSteps    = 1 << 20
	maxText     = 256 << 10 // bytes of a folded text
	maxOneText  = 1 << 10   // bytes of a fact's argument
)

var errBudget = errors.New("the file is too large or too deep to be read: over the budget")

// report collects what a reading finds. It ends the reading by a panic with
// errBudget where the budget is spent.
type report struct {
	file     string
	facts    []analysis.Fact
	embedded []analysis.Embedded
	steps    int
	size     int // bytes of folded texts
}

// step spends a part of the budget.
func (r *report) step() {
	if r.steps++; r.steps > maxSteps {
		panic(errBudget)
	}
}

// fold spends the bytes of a text that was put together.
func (r *report) fold(s string) string {
	if r.size += len(s); len(s) > maxText || r.size > 16*maxText {
		panic(errBudget)
	}
	return s
}

// fact is what a table says of a value; the report adds file and place.
type fact struct {
	capability palisade.Capability
	symbol     string
	argument   string // gaps and what follows them are cut off
	kind       analysis.Kind
	how        string
}

func (r *report) add(p place, f fact) {
	if len(r.facts) >= maxFacts {
		panic(errBudget)
	}
	argument, _, unknown := strings.Cut(f.argument, gap)
	if len(argument) > maxOneText {
		argument = strings.ToValidUTF8(argument[:maxOneText], "")
	}
	r.facts = append(r.facts, analysis.Fact{
		Capability: f.capability, Symbol: strings.ReplaceAll(f.symbol, gap, "…"), Argument: argument, Unknown: unknown,
		File: r.file, Line: p.line, Column: p.column, Kind: f.kind, Evidence: strings.ReplaceAll(f.how, gap, "…"),
	})
}

// path adds a fact whose argument is a path.
func (r *report) path(p place, c palisade.Capability, symbol, path, how string) {
	known, _, unknown := strings.Cut(path, gap)
	f := fact{capability: c, symbol: symbol, how: how, kind: pathKind(known)}
	switch {
	case unknown && known == "":
		f.argument = gap
	case unknown:
		f.argument = analysis.Path(known) + gap
	default:
		f.argument = analysis.Path(known)
	}
	switch {
	case analysis.IsURL(known):
		f.capability = palisade.CapNetwork
	case f.kind == analysis.KindCredentials && c == palisade.CapReadPath:
		f.capability = palisade.CapSecret
	}
	r.add(p, f)
}

// unresolved adds what the reading does not know.
func (r *report) unresolved(p place, symbol, why string) {
	r.add(p, fact{capability: palisade.CapUnresolved, symbol: symbol, argument: gap, how: why})
}

// embed hands on a program. Parts that are not known become an unset variable,
// which each reader takes for unknown.
func (r *report) embed(l palisade.Language, source string, p place, via string) {
	if strings.TrimSpace(source) == "" {
		return
	}
	if len(r.embedded) >= maxEmbedded {
		panic(errBudget)
	}
	r.embedded = append(r.embedded, analysis.Embedded{
		Language: l, Source: r.fold(strings.ReplaceAll(source, gap, "${unknown}")), Line: p.line, Column: p.column, Via: via,
	})
}

// guard turns the panic of a spent budget, and any other, into an error.
func guard(err *error) {
	switch v := recover().(type) {
	case nil:
	case error:
		*err = fmt.Errorf("read infrastructure code: %w", v)
	default:
		*err = fmt.Errorf("read infrastructure code: %v", v)
	}
}
