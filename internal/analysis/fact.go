package analysis

import (
	"cmp"
	"slices"

	"palisade"
)

// Fact is one use of a capability by a program.
type Fact struct {
	// Language is that of the text in which it stands.
	Language   palisade.Language
	Capability palisade.Capability
	// Symbol is the resolved dotted name, such as "os.system"; for an import
	// the module's.
	Symbol string
	// Argument is what the capability is used on: an absolute path, a peer, a
	// module, a command. Empty where there is none or it is Unknown.
	Argument string
	// Unknown says that there is an argument which could not be resolved.
	Unknown bool
	// File is the program's or the module's name. Line and Column count from
	// 1, columns in UTF-8 bytes; 0 means the file as a whole.
	File         string
	Line, Column int
	// Kind narrows the capability down for rules; see the constants.
	Kind Kind
	// Evidence says how it was reached, for approvers and auditors.
	Evidence string
	// Image says that it is done inside an image, while that is built.
	Image bool
}

// Kind says in which way a fact was established. The zero value is an ordinary
// resolved use.
type Kind uint8

// The kinds of facts that rules tell apart.
const (
	KindUse         Kind = iota // a resolved symbol, called or referred to
	KindName                    // an attribute whose name alone is telling, on an unknown value
	KindText                    // a string that is code, or walks attributes
	KindComputed                // a name, module or code that is computed at run time
	KindPrivate                 // a private or foreign part of a module
	KindAddress                 // a literal address of a metadata service
	KindHidden                  // characters that do not show
	KindSyntax                  // there is no tree
	KindBudget                  // the reading ran over its budget or failed
	KindSize                    // too large to be read
	KindPackage                 // a package manager
	KindCredentials             // a path where credentials live
	KindLookalike               // a name that looks like a well-known package's, and is not it
	KindDevice                  // a device or a pseudo-file of the kernel
	KindShadow                  // a name that hides a command, a library or a setting
)

// Sort orders facts by place and then by content, and removes equal ones.
func Sort(facts []Fact) []Fact {
	slices.SortFunc(facts, compare)
	return slices.CompactFunc(facts, func(a, b Fact) bool { return compare(a, b) == 0 })
}

// compare orders by place first; evidence does not tell two facts apart.
func compare(a, b Fact) int {
	switch { // most differ in their place
	case a.File != b.File:
		return cmp.Compare(a.File, b.File)
	case a.Line != b.Line:
		return cmp.Compare(a.Line, b.Line)
	case a.Column != b.Column:
		return cmp.Compare(a.Column, b.Column)
	case a.Capability != b.Capability:
		return cmp.Compare(a.Capability, b.Capability)
	case a.Symbol != b.Symbol:
		return cmp.Compare(a.Symbol, b.Symbol)
	case a.Argument != b.Argument:
		return cmp.Compare(a.Argument, b.Argument)
	case a.Unknown != b.Unknown:
		if b.Unknown {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.Kind, b.Kind)
}
