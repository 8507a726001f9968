package semgrep

import (
	"bytes"
	"sort"

	"palisade/internal/python"
)

// file is a program made ready for patterns.
type file struct {
	source Source
	budget *budget
	lines  []int // the offset of each line
	root   *node // a kBody; nil for an empty program, or another language
	byKind [kinds][]*node
	exprs  []*node // all expressions
	consts []*node // those of which a constant is known; see constants
	stmts  []*node // all statements, those inside others behind them
	// names are all identifiers that occur.
	names map[string]struct{}
	// stars are the modules of `from m import *` at the top.
	stars []string
	// defined are the names that some statement of the file binds.
	defined map[string]bool
	window  window
	self    span               // of the node that is looked at alone
	types   map[string][]*node // see annotations
}

// newFile reads a program. The tree is that of the source.
func newFile(s Source, tree *python.Module) *file {
	f := &file{source: s, budget: &budget{maxSteps}, lines: lineStarts(s.Text), names: map[string]struct{}{}, defined: map[string]bool{}}
	f.window.text = string(s.Text)
	if tree == nil {
		return f
	}
	b := &builder{}
	f.root = b.module(tree)
	f.enter(f.root)
	if f.root == nil {
		return f
	}
	resolve(f)
	propagate(f)
	return f
}

// enter numbers the statements and sorts the nodes by kind.
func (f *file) enter(n *node) {
	if n == nil {
		return
	}
	f.byKind[n.kind] = append(f.byKind[n.kind], n)
	switch {
	case n.kind.isStmt():
		n.first = int32(len(f.stmts))
		f.stmts = append(f.stmts, n)
	case n.kind.isExpr():
		f.exprs = append(f.exprs, n)
	}
	if n.kind == kName || n.kind == kIdent {
		f.names[n.text] = struct{}{}
	}
	if n.kind == kIdent {
		f.narrow(n)
	}
	kids := n.kids
	if n.kind == kDecorator && len(kids) == 3 {
		kids = kids[2:] // the first two are inside it
	}
	for _, k := range kids {
		f.enter(k)
	}
	n.end = int32(len(f.stmts))
}

// maxNarrow bounds how far behind `def` and the like a name is looked for.
const maxNarrow = 256

// narrow gives a name, which the tree places where its statement is, its own
// place. One that is written otherwise, as with NFKC, keeps the wider one.
func (f *file) narrow(n *node) {
	from, to := f.offset(n.from), f.offset(n.to)
	text := f.source.Text[from:min(to, from+maxNarrow)]
	for at := 0; to-from != len(n.text); at++ {
		i := bytes.Index(text[at:], []byte(n.text))
		if i < 0 {
			return
		}
		at += i
		end := at + len(n.text)
		if (at == 0 || !nameByte(text[at-1])) && (end == len(text) || !nameByte(text[end])) {
			n.span = span{f.place(from + at), f.place(from + end)}
			return
		}
	}
}

// constants returns the expressions of which a constant is known.
func (f *file) constants() []*node {
	if f.consts == nil {
		f.consts = []*node{}
		for _, n := range f.exprs {
			if n.known != nil {
				f.consts = append(f.consts, n)
			}
		}
	}
	return f.consts
}

// lastIn returns the last statement that starts between two numbers.
func (f *file) lastIn(lo, hi int32) *node {
	last := f.stmts[lo]
	for last.end < hi {
		last = f.stmts[last.end]
	}
	return last
}

func lineStarts(src []byte) []int {
	out := []int{0}
	for i, c := range src {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// offset returns where a place is in the source.
func (f *file) offset(p place) int {
	line := p.line() - 1
	if line < 0 || line >= len(f.lines) {
		return len(f.source.Text)
	}
	return min(f.lines[line]+p.col(), len(f.source.Text))
}

// place returns the place of an offset.
func (f *file) place(offset int) place {
	line := sort.SearchInts(f.lines, offset+1)
	return at(line, offset-f.lines[line-1])
}

// text returns the source of a span.
func (f *file) text(s span) string {
	from, to := f.offset(s.from), f.offset(s.to)
	if from >= to {
		return ""
	}
	return string(f.source.Text[from:to])
}

// window is the part of the text that regular expressions see.
type window struct {
	text string
	from int // where it starts in the source
	// base is set for the content of a string: its bytes count as columns from
	// there, so that places in it compare.
	base place
}

// inWindow returns the place of a part of the window.
func (f *file) inWindow(from, to int) span {
	if b := f.window.base; b != 0 {
		return span{b + place(from), b + place(to)}
	}
	return span{f.place(f.window.from + from), f.place(f.window.from + to)}
}
