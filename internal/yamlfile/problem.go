package yamlfile

import (
	"fmt"
	"strings"
)

// Problem is one complaint about a file.
type Problem struct {
	File string `json:"file"`
	// Line and Column count from 1; 0 means the file as a whole.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Path is the path of keys to the place, such as "profiles.data.limits".
	Path string `json:"path,omitempty"`
	// Message says what is wrong.
	Message string `json:"message"`
	// Fix says what to do.
	Fix string `json:"fix,omitempty"`
}

// String returns the problem on one line: "file:line:column: path: message; fix".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	if p.Fix != "" {
		b.WriteString("; " + p.Fix)
	}
	return b.String()
}

// Problems is an error: all complaints about a file, in their order.
type Problems []Problem

// Error returns one problem a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems as an error, or nil where there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
