package rules

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/analysis/py"
	"palisade/internal/python"
)

// DefaultMaxBytes bounds a program and each of its modules, in bytes.
const DefaultMaxBytes = 256 << 10

// Inspector reads submissions. The zero Inspector is safe.
type Inspector struct {
	// Version is that of the interpreter which will run the program.
	Version python.Version
	// MaxBytes bounds a program and each of its modules. Default: DefaultMaxBytes.
	MaxBytes int
	// Budget bounds the analysis.
	Budget py.Budget
}

// Inspect reads a submission's program and modules without running any of it.
// It gives findings, sorted by place, and the digest of each tree. What cannot
// be read is a finding; the only error is a context that has ended.
func (i Inspector) Inspect(ctx context.Context, s palisade.Submission) (palisade.Inspection, error) {
	if err := ctx.Err(); err != nil {
		return palisade.Inspection{}, fmt.Errorf("read the program: %w", context.Cause(ctx))
	}
	r := reading{Inspector: i, trees: map[string]palisade.Digest{}}
	facts := r.read(s.Program)
	ix := newIndex(catalogue)
	findings := make([]palisade.Finding, 0, len(facts))
	for _, f := range analysis.Sort(facts) {
		findings = append(findings, ix.finding(f))
	}
	return palisade.Inspection{Findings: findings, Trees: r.trees}, nil
}

// reading is one submission on its way through.
type reading struct {
	Inspector
	trees map[string]palisade.Digest
	facts []analysis.Fact
}

func (r *reading) read(p palisade.Program) (facts []analysis.Fact) {
	name := p.Name
	if name == "" {
		name = "program.py"
	}
	defer func() {
		if v := recover(); v != nil {
			facts = append(r.facts, failed(name, fmt.Sprint("panic: ", v)))
		}
	}()
	if p.Language != palisade.Python {
		return []analysis.Fact{failed(name, fmt.Sprintf("no reader for the language %q", p.Language))}
	}
	program := py.Program{Entry: p.Entry, Modules: map[string]py.Source{}}
	main := r.parse("", name, p.Source)
	if main == nil {
		main = &python.Module{}
	}
	program.Main = py.Source{File: name, Tree: main}
	for _, m := range p.Modules {
		file := moduleFile(m.Name)
		if _, twice := program.Modules[m.Name]; twice || m.Name == "" {
			r.facts = append(r.facts, failed(file, fmt.Sprintf("the module %q stands twice or has no name", m.Name)))
			continue
		}
		tree := r.parse(m.Name, file, m.Source)
		if tree == nil {
			tree = &python.Module{}
		}
		program.Modules[m.Name] = py.Source{File: file, Tree: tree}
	}
	found, err := py.Analyze(program, r.Budget)
	r.facts = append(r.facts, found...)
	if err != nil {
		r.facts = append(r.facts, failed(name, err.Error()))
	}
	return r.facts
}

func moduleFile(name string) string {
	out := []byte(name)
	for i := range out {
		if out[i] == '.' {
			out[i] = '/'
		}
	}
	return string(out) + ".py"
}

func failed(file, why string) analysis.Fact {
	return analysis.Fact{Capability: palisade.CapFailed, File: file, Kind: analysis.KindBudget, Evidence: why}
}

// parse reads one file into its tree; nil means that there is none.
func (r *reading) parse(key, file string, source []byte) *python.Module {
	limit := r.MaxBytes
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	if len(source) > limit {
		r.facts = append(r.facts, analysis.Fact{
			Capability: palisade.CapOversized, File: file, Kind: analysis.KindSize,
			Argument: fmt.Sprintf("%d bytes of at most %d", len(source), limit),
		})
		return nil
	}
	normal, err := python.Normalize(source)
	if err == nil {
		r.facts = append(r.facts, hidden(file, normal)...)
		var tree *python.Module
		if tree, err = python.Parse(normal, python.Options{Version: r.Version}); err == nil {
			r.trees[key] = palisade.Digest(python.Digest(tree))
			return tree
		}
	}
	f := analysis.Fact{Capability: palisade.CapUnparsable, File: file, Kind: analysis.KindSyntax, Argument: err.Error()}
	if syntax := (*python.SyntaxError)(nil); errors.As(err, &syntax) {
		f.Line, f.Column, f.Argument = syntax.Line, syntax.Col+1, syntax.Msg
	}
	r.facts = append(r.facts, f)
	return nil
}

// hidden finds characters that a reader does not see, or sees elsewhere. It
// reports the first of each kind on a line.
func hidden(file string, src []byte) []analysis.Fact {
	var out []analysis.Fact
	line, start := 1, 0
	lastLine, lastKind := 0, ""
	prev := rune(0)
	for i := 0; i < len(src); {
		if c := src[i]; c >= 0x20 && c < 0x7f {
			prev = rune(c)
			i++
			continue
		}
		r, size := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(src[i:])
		}
		next := rune(0)
		if i+size < len(src) {
			next, _ = utf8.DecodeRune(src[i+size:])
		}
		kind := hiddenKind(r, prev, next)
		if kind != "" && (line != lastLine || kind != lastKind) && len(out) < 200 {
			lastLine, lastKind = line, kind
			out = append(out, analysis.Fact{
				Capability: palisade.CapObfuscation, File: file, Line: line, Column: i - start + 1,
				Symbol: kind, Argument: fmt.Sprintf("U+%04X", r), Kind: analysis.KindHidden,
			})
		}
		if r == '\n' {
			line, start = line+1, i+1
		}
		prev = r
		i += size
	}
	return out
}

// hiddenKind names the kind of a hidden character; "" for any other. Source:
// Unicode Bidirectional Algorithm (UAX 9), table of default-ignorable code
// points, and Unicode Technical Report 36.
func hiddenKind(r, prev, next rune) string {
	switch {
	case r >= 0x20 && r < 0x7f, r == '\n', r == '\t', r == '\f':
		return ""
	case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0:
		return "control character"
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return "bidirectional control"
	case r == 0x200c, r == 0x200d:
		// Joiners belong to some scripts and to emoji, between their letters.
		if prev > 0x7f && next > 0x7f {
			return ""
		}
		return "invisible character"
	case r == 0x200b, r >= 0x2060 && r <= 0x2065, r == 0xfeff, r == 0x180e, r == 0x00ad, r == 0x034f,
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r >= 0x206a && r <= 0x206f:
		return "invisible character"
	case r >= 0xe0000 && r <= 0xe007f:
		return "tag character"
	}
	return ""
}
