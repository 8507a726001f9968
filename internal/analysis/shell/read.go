package shell

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"palisade/internal/analysis"
)

const (
	// maxFrames bounds the calls in progress while the parser asks for more
	// text. It takes five to ten calls for one level of nesting, so this stands
	// for about 200 levels, far beyond what people write; and the parser holds
	// at most one kilobyte of text that it has not asked for again, which adds
	// at most a thousand levels. A stack of that size is a few megabytes.
	maxFrames = 1600
	// maxTreeDepth bounds the tree that is walked by recursion afterwards; a
	// level of nesting in the source is about five levels of the tree.
	maxTreeDepth = 1000
	// maxSource bounds the text, as policy does at most for other languages
	// than Python.
	maxSource = 1 << 20
)

var (
	errDeep   = errors.New("nested too deeply to be read")
	errPrints = errors.New("its canonical form does not have the same tree, so what was judged could not be what runs")
)

// Read reads a bash program. It is deterministic and does no I/O.
func Read(t analysis.Text) (analysis.Reading, error) {
	switch {
	case len(t.Source) > maxSource:
		return analysis.Reading{}, fmt.Errorf("%d bytes are more than the %d that are read", len(t.Source), maxSource)
	case !utf8.ValidString(t.Source):
		return analysis.Reading{}, &analysis.SyntaxError{Message: "not UTF-8"}
	case strings.ContainsRune(t.Source, 0):
		return analysis.Reading{}, &analysis.SyntaxError{Message: "a NUL character"}
	}
	file, err := parse(t.Source)
	if err != nil {
		return analysis.Reading{}, err
	}
	text, made, err := canonical(file)
	if err != nil {
		return analysis.Reading{}, err
	}
	in := newInterp(t.Name, t.Source)
	if err := in.program(file); err != nil {
		return analysis.Reading{}, err
	}
	return analysis.Reading{Facts: analysis.Sort(in.facts), Canonical: text, Lines: made, Embedded: in.embedded}, nil
}

// parse gives the tree of a text, and never a part of one.
func parse(text string) (*syntax.File, error) {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := p.Parse(&shallow{text: text}, "")
	if err != nil {
		return nil, syntaxError(err)
	}
	if tooDeep(file) {
		return nil, errDeep
	}
	return file, nil
}

func syntaxError(err error) error {
	if errors.Is(err, errDeep) {
		return errDeep
	}
	if e, ok := errors.AsType[syntax.ParseError](err); ok {
		return &analysis.SyntaxError{Line: int(e.Pos.Line()), Column: int(e.Pos.Col()), Message: e.Text}
	}
	if e, ok := errors.AsType[syntax.LangError](err); ok {
		return &analysis.SyntaxError{Line: int(e.Pos.Line()), Column: int(e.Pos.Col()), Message: e.Error()}
	}
	return &analysis.SyntaxError{Message: err.Error()}
}

// shallow hands a text to a recursive parser and refuses to go on when the
// parser is in too deep: whatever construct nests, it nests the calls.
type shallow struct {
	text string
	at   int
}

func (s *shallow) Read(p []byte) (int, error) {
	if s.at == len(s.text) {
		return 0, io.EOF
	}
	var frame [1]uintptr
	if runtime.Callers(maxFrames, frame[:]) > 0 {
		return 0, errDeep
	}
	n := copy(p[:min(len(p), 256)], s.text[s.at:])
	s.at += n
	return n, nil
}

// tooDeep reports whether a tree nests deeper than is walked; it goes no deeper
// itself.
func tooDeep(file *syntax.File) bool {
	depth, deep := 0, false
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return true
		}
		if depth == maxTreeDepth || deep {
			deep = true
			return false
		}
		depth++
		return true
	})
	return deep
}

// canonical prints a tree, and makes sure that what was printed has that tree.
// It says which line of the source each line was made of.
func canonical(file *syntax.File) ([]byte, []int, error) {
	var text strings.Builder
	if err := syntax.NewPrinter().Print(&text, file); err != nil {
		return nil, nil, fmt.Errorf("print the canonical form: %w", err)
	}
	again, err := parse(text.String())
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errPrints, err)
	}
	if err := same(file, again); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errPrints, err)
	}
	return []byte(text.String()), lineMap(file, again, strings.Count(text.String(), "\n")), nil
}

// lineMap are the lines of the source on which the lines of a printed tree begin: the
// two trees have the same nodes in the same order.
func lineMap(source, printed *syntax.File, count int) []int {
	of := make([]int, count)
	var from []uint
	syntax.Walk(source, func(n syntax.Node) bool {
		if n != nil {
			from = append(from, n.Pos().Line())
		}
		return true
	})
	at := 0
	syntax.Walk(printed, func(n syntax.Node) bool {
		if n == nil || at >= len(from) {
			return true
		}
		if line := int(n.Pos().Line()); line >= 1 && line <= count && of[line-1] == 0 {
			of[line-1] = int(from[at])
		}
		at++
		return true
	})
	for i := 1; i < len(of); i++ {
		if of[i] == 0 { // "done" and the like
			of[i] = of[i-1]
		}
	}
	return of
}
