package rules

import (
	"context"
	"errors"
	"fmt"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/analysis/py"
	"palisade/internal/analysis/secret"
	"palisade/internal/lang"
	"palisade/internal/python"
)

// DefaultMaxBytes bounds a program and each of its modules, in bytes.
const DefaultMaxBytes = 256 << 10

// Reader reads texts of the languages that have no reader in this process. An
// *[analysis.SyntaxError] says that a text is not of its language; any other
// error, that it could not be read.
type Reader interface {
	Read(ctx context.Context, t analysis.Text) (analysis.Reading, error)
}

// Inspector reads submissions. The zero Inspector is safe, and reads Python.
type Inspector struct {
	// Version is that of the interpreter which will run the program.
	Version python.Version
	// MaxBytes bounds a program and each of its modules. Default: DefaultMaxBytes.
	MaxBytes int
	// Budget bounds the analysis.
	Budget py.Budget
	// Reader reads the other languages. Nil: they are not read, and denied.
	Reader Reader
	// Patterns are rules beside the catalogue's. Nil: none.
	Patterns Patterns
}

// Inspect reads a submission's program and modules without running any of it.
// It gives findings, sorted by place, and the digest of each tree. What cannot
// be read is a finding; the only error is a context that has ended. A panic, in
// the reading, in a rule or in what makes findings of it, denies.
func (i Inspector) Inspect(ctx context.Context, s palisade.Submission) (out palisade.Inspection, err error) {
	if s.Program.Name == "" {
		s.Program.Name = "program"
	}
	defer func() {
		if v := recover(); v != nil {
			out = palisade.Inspection{Findings: findings([]analysis.Fact{failed(s.Program.Name, fmt.Sprint("panic: ", v))})}
		}
	}()
	r := reading{Inspector: i, ctx: ctx, language: s.Program.Language, inspection: palisade.Inspection{Trees: map[string]palisade.Digest{}}}
	r.submission(s)
	if ctx.Err() != nil {
		return palisade.Inspection{}, fmt.Errorf("read the program: %w", context.Cause(ctx))
	}
	facts := analysis.Sort(r.facts)
	r.inspection.Score, _ = analysis.Score(facts, sources(s.Program), r.dead)
	r.inspection.Findings = append(findings(facts), r.matches...)
	byPlace(r.inspection.Findings)
	r.mask(r.inspection.Findings)
	return r.inspection, nil
}

// ReadTree gives the findings of a Python program's tree: what Inspect finds in
// it. Inspect reads the text as well, for credentials, hidden characters, names
// that look like others', and commands in other languages.
func (i Inspector) ReadTree(file, entry string, tree *python.Module) []palisade.Finding {
	r := reading{Inspector: i}
	r.trees(py.Program{Main: py.Source{File: file, Tree: tree}, Entry: entry})
	return findings(analysis.Sort(r.facts))
}

// findings are the findings of sorted facts.
func findings(facts []analysis.Fact) []palisade.Finding {
	ix := catalogueIndex()
	out := make([]palisade.Finding, 0, len(facts))
	for _, f := range facts {
		out = append(out, ix.finding(f))
	}
	return out
}

// reading is one submission on its way through.
type reading struct {
	Inspector
	ctx        context.Context //nolint:containedctx // it lives as long as one call of Inspect
	inspection palisade.Inspection
	language   palisade.Language // of the program
	facts      []analysis.Fact
	matches    []palisade.Finding
	embedded   int // programs inside programs that were read
	dead       int // calls that never run
	code, data secret.Search
}

// sources is all code of a submission, as one text.
func sources(p palisade.Program) string {
	text := string(p.Source)
	for _, m := range p.Modules {
		text += "\n" + string(m.Source)
	}
	return text
}

// submission reads all that came.
func (r *reading) submission(s palisade.Submission) {
	if s.Program.Language == palisade.Python {
		r.python(s.Program)
	} else {
		r.foreign(s.Program)
	}
	r.lookalikes(s.Program)
	r.credentials(s)
}

// python reads a Python program and its modules together.
func (r *reading) python(p palisade.Program) {
	program := py.Program{Entry: p.Entry, Modules: map[string]py.Source{}}
	program.Main = py.Source{File: p.Name, Tree: r.tree("", p.Name, p.Source)}
	for _, m := range p.Modules {
		file := lang.ModuleFile(m.Name)
		if _, twice := program.Modules[m.Name]; twice || m.Name == "" {
			r.facts = append(r.facts, failed(file, fmt.Sprintf("the module %q stands twice or has no name", m.Name)))
			continue
		}
		program.Modules[m.Name] = py.Source{File: file, Tree: r.tree(m.Name, file, m.Source)}
	}
	r.commands(r.trees(program))
}

// trees reads what is parsed and returns what it found.
func (r *reading) trees(p py.Program) []analysis.Fact {
	found, err := py.Analyze(p, r.Budget)
	for i := range found {
		found[i].Language = palisade.Python
	}
	r.facts = append(r.facts, found...)
	if err != nil {
		r.facts = append(r.facts, failed(p.Main.File, err.Error()))
	}
	return found
}

func failed(file, why string) analysis.Fact {
	return analysis.Fact{Capability: palisade.CapFailed, File: file, Kind: analysis.KindBudget, Evidence: why}
}

// tree reads one file into its tree, an empty one where there is none.
func (r *reading) tree(key, file string, source []byte) *python.Module {
	normal, err := r.normalize(palisade.Python, file, source)
	if err != nil {
		return &python.Module{}
	}
	tree, err := python.Parse(normal, python.Options{Version: r.Version})
	if err != nil {
		r.unparsable(file, err)
		return &python.Module{}
	}
	r.inspection.Trees[key] = palisade.Digest(python.Digest(tree))
	r.dead += py.Dead(tree)
	r.match(palisade.Python, file, normal, tree)
	return tree
}

// limit bounds a program and each of its modules, in bytes.
func (r *reading) limit() int {
	if r.MaxBytes > 0 {
		return r.MaxBytes
	}
	return DefaultMaxBytes
}

// errUnread says that a fact already tells why a text is not read.
var errUnread = errors.New("not read")

// normalize returns the text that is read; a text that is too large, or not
// text, is a fact.
func (r *reading) normalize(l palisade.Language, file string, source []byte) ([]byte, error) {
	if limit := r.limit(); len(source) > limit {
		r.facts = append(r.facts, analysis.Fact{
			Capability: palisade.CapOversized, File: file, Kind: analysis.KindSize,
			Argument: fmt.Sprintf("%d bytes of at most %d", len(source), limit),
		})
		return nil, errUnread
	}
	normal, err := lang.Normalize(l, source)
	if err != nil {
		r.unparsable(file, err)
		return nil, errUnread
	}
	r.facts = append(r.facts, hidden(file, normal)...)
	return normal, nil
}

func (r *reading) unparsable(file string, err error) {
	f := analysis.Fact{Capability: palisade.CapUnparsable, File: file, Kind: analysis.KindSyntax, Argument: err.Error()}
	if syntax, ok := errors.AsType[*python.SyntaxError](err); ok {
		f.Line, f.Column, f.Argument = syntax.Line, syntax.Col+1, syntax.Msg
	}
	if syntax, ok := errors.AsType[*analysis.SyntaxError](err); ok {
		f.Line, f.Column, f.Argument = syntax.Line, syntax.Column, syntax.Message
	}
	r.facts = append(r.facts, f)
}
