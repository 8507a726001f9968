package rules

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/analysis/py"
	"palisade/internal/python"
)

// Programs inside programs are read to this depth, and this many of them; what
// lies beyond is unresolved.
const (
	maxEmbeddedDepth = 3
	maxEmbedded      = 64
)

// foreign reads a program of a language that is held to a text.
func (r *reading) foreign(p palisade.Program) {
	source, err := r.normalize(p.Language, p.Name, p.Source)
	if err != nil {
		return
	}
	if len(p.Modules) > 0 || p.Entry != "" {
		r.facts = append(r.facts, failed(p.Name, fmt.Sprintf("modules and entry functions are not read in %q", p.Language)))
	}
	got, err := r.text(analysis.Text{Language: p.Language, Name: p.Name, Source: string(source)})
	if err != nil {
		if _, ok := errors.AsType[*analysis.SyntaxError](err); ok {
			r.unparsable(p.Name, err)
		} else {
			r.facts = append(r.facts, failed(p.Name, err.Error()))
		}
		return
	}
	judged := source
	if got.Canonical != nil {
		judged, r.inspection.Runs, r.inspection.Lines = got.Canonical, got.Canonical, got.Lines
	}
	r.inspection.Trees[""] = sha256.Sum256(judged)
	r.facts = append(r.facts, got.Facts...)
	r.match(p.Language, p.Name, source, nil)
	for _, inner := range got.Embedded {
		r.inner(inner, p.Name, 1)
	}
}

// commands reads the command lines that a Python program runs, as shell.
func (r *reading) commands(facts []analysis.Fact) {
	if r.Reader == nil {
		return
	}
	for _, f := range facts {
		if e, ok := commandOf(f); ok {
			r.inner(e, f.File, 1)
		}
	}
}

// commandOf is the command line that a fact of a Python program says it runs.
func commandOf(f analysis.Fact) (analysis.Embedded, bool) {
	if f.Capability != palisade.CapProcess || f.Argument == "" {
		return analysis.Embedded{}, false
	}
	line := f.Argument
	switch {
	case f.Unknown: // it only begins so
		line += `"$1"`
	case onlyNames(f.Symbol):
		line += ` "$@"`
	}
	return analysis.Embedded{Language: palisade.Shell, Source: line, Line: f.Line, Column: f.Column, Via: f.Symbol}, true
}

// onlyNames reports whether the first argument of a function is the program
// alone, and those of the program are others. Source: Python Library Reference,
// "os", Process Management; "asyncio", Subprocesses.
func onlyNames(symbol string) bool {
	name := symbol[strings.LastIndexByte(symbol, '.')+1:]
	return strings.HasPrefix(name, "exec") || strings.HasPrefix(symbol, "os.spawn") || strings.HasPrefix(name, "posix_spawn") || name == "create_subprocess_exec"
}

var errNoReader = errors.New("no reader")

// text reads a text of a language other than Python. Without a reader for it,
// it is not read.
func (r *reading) text(t analysis.Text) (analysis.Reading, error) {
	if r.Reader == nil {
		return analysis.Reading{}, fmt.Errorf("%w for the language %q", errNoReader, t.Language)
	}
	got, err := r.Reader.Read(r.ctx, t)
	for i := range got.Facts {
		got.Facts[i].Language = t.Language
	}
	return got, err
}

// inner reads a program inside another one. Its facts stand where it starts.
func (r *reading) inner(e analysis.Embedded, file string, depth int) {
	r.embedded++
	if depth > maxEmbeddedDepth || r.embedded > maxEmbedded {
		r.unresolved(e, file, "programs inside programs, too many or too deep")
		return
	}
	got, err := r.innerReading(e, file)
	if err != nil {
		r.unread(e, file, err)
		return
	}
	for _, f := range got.Facts {
		f.Evidence = strings.TrimRight(fmt.Sprintf("in %s, line %d: %s", e.Via, f.Line, f.Evidence), " :…")
		f.File, f.Line, f.Column = file, e.Line, e.Column
		if r.language == palisade.Dockerfile && ofImage(f, e.Via) {
			continue
		}
		if r.builds(e) {
			f = inImage(f)
		}
		r.facts = append(r.facts, f)
	}
	switch {
	case e.Language == palisade.SQL:
		got.Embedded = append(got.Embedded, programsOf(got.Facts)...)
	case e.Language == palisade.Python && r.Reader != nil:
		for _, f := range got.Facts {
			if command, ok := commandOf(f); ok {
				got.Embedded = append(got.Embedded, command)
			}
		}
	}
	for _, next := range got.Embedded {
		next.Via = e.Via + ", " + next.Via
		next.Line, next.Column = e.Line, e.Column
		r.inner(next, file, depth+1)
	}
}

// programsOf are the command lines that a statement has its server or its
// client run.
func programsOf(facts []analysis.Fact) []analysis.Embedded {
	var out []analysis.Embedded
	for _, f := range facts {
		if f.Capability == palisade.CapProcess && f.Argument != "" {
			out = append(out, analysis.Embedded{Language: palisade.Shell, Source: f.Argument, Via: f.Symbol})
		}
	}
	return out
}

func (r *reading) innerReading(e analysis.Embedded, file string) (analysis.Reading, error) {
	if e.Language != palisade.Python {
		return r.text(analysis.Text{Language: e.Language, Dialect: e.Dialect, Name: file, Source: e.Source})
	}
	tree, err := python.Parse([]byte(e.Source), python.Options{Version: r.Version})
	if err != nil {
		return analysis.Reading{}, err
	}
	facts, err := py.Analyze(py.Program{Main: py.Source{File: file, Tree: tree}}, r.Budget)
	for i := range facts {
		facts[i].Language = palisade.Python
	}
	return analysis.Reading{Facts: facts}, err
}

// unread says why a program inside another one is not read: one that is not of
// its language is unresolved; one that its reader gave up on is as much as a
// program that cannot be read.
func (r *reading) unread(e analysis.Embedded, file string, err error) {
	_, syntax := errors.AsType[*analysis.SyntaxError](err)
	_, python := errors.AsType[*python.SyntaxError](err)
	if syntax || python || errors.Is(err, errNoReader) {
		r.unresolved(e, file, err.Error())
		return
	}
	f := failed(file, fmt.Sprintf("in %s: %v", e.Via, err))
	f.Line, f.Column = e.Line, e.Column
	r.facts = append(r.facts, f)
}

func (r *reading) unresolved(e analysis.Embedded, file, why string) {
	r.facts = append(r.facts, analysis.Fact{
		Capability: palisade.CapUnresolved, Symbol: e.Via, Unknown: true, File: file,
		Line: e.Line, Column: e.Column, Kind: analysis.KindComputed, Evidence: why,
	})
}
