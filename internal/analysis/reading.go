package analysis

import (
	"fmt"

	"palisade"
)

// Text is source code to be read: UTF-8, without NUL, lines end in "\n".
type Text struct {
	Language palisade.Language
	// Dialect narrows the language down, such as "postgresql". Empty: the
	// language's reader says what it takes for granted.
	Dialect string
	// Name is what facts call the text.
	Name   string
	Source string
}

// Reading is what a language's reader says of a text.
type Reading struct {
	Facts []Fact
	// Canonical is the text that was judged and must run in place of the
	// source, for languages that run as text. Facts have places in the source.
	Canonical []byte `json:",omitempty"`
	// Lines are, for each line of Canonical, the line of the source that it was
	// made of; 0: of none.
	Lines []int `json:",omitempty"`
	// Embedded are programs inside the text, for the readers of their languages.
	Embedded []Embedded `json:",omitempty"`
}

// Embedded is a program that another one carries and runs, such as that of
// `python3 -c`.
type Embedded struct {
	Language palisade.Language
	Dialect  string `json:",omitempty"`
	Source   string
	// Line and Column are where it starts in the text that carries it.
	Line, Column int
	// Via says how it is run, such as "python3 -c"; it becomes part of the
	// evidence of what is found inside.
	Via string
}

// Distinct removes programs that stand twice, such as those that more than one pass
// over a text saw. The order stays.
func Distinct(list []Embedded) []Embedded {
	seen := map[Embedded]bool{}
	var out []Embedded
	for _, e := range list {
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}

// SyntaxError says that a text is not of its language: there is no tree.
type SyntaxError struct {
	Line, Column int // from 1; 0: not known
	Message      string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}
