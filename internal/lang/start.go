package lang

import (
	"fmt"
	"slices"

	"palisade"
)

// boxFolder is where a back-end places what a language's box needs of ours, as
// files that the program cannot change.
const boxFolder = "/run/palisade/"

// HarnessPath is where the harness stands inside a box.
const HarnessPath = boxFolder + "harness.py"

// Interpreters are the interpreters inside a box's root.
type Interpreters struct {
	// Python runs the harness, and the program where it is in Python. The path
	// is absolute, and of the real file, such as "/usr/bin/python3.11".
	Python string
	// ModulePath lists the folders, beside Python's own, from which modules are
	// loaded, such as "/usr/lib/python3/dist-packages".
	ModulePath []string
	// Program runs the program where it is not in Python, such as "/usr/bin/bash",
	// and Version is what it says of its version, such as "v20.15.1".
	Program, Version string
}

// Start says how the first process of a box is started.
type Start struct {
	Path string
	Args []string // without the program's own name
	Env  []string // everything that the box's environment holds
	// Files are what the box's root must hold for it, by absolute path.
	Files map[string][]byte
	// Processes are those that the harness itself takes, beside the program's.
	Processes int
	// Needs are the groups of system calls, by the names that policy denies
	// them under, without which no program of the language can run.
	Needs []string
	// deterministic is added by Deterministic.
	deterministic extra
}

// starters are the languages that run.
func starters() map[palisade.Language]func(Interpreters) Start {
	return map[palisade.Language]func(Interpreters) Start{
		palisade.Python:     startPython,
		palisade.Shell:      startShell,
		palisade.JavaScript: startNode,
		palisade.TypeScript: startNode, // what is judged and runs is the JavaScript made of it
	}
}

// StartFor returns how a program of a language is started.
func StartFor(l palisade.Language, i Interpreters) (Start, error) {
	start, ok := starters()[l]
	if !ok {
		return Start{}, fmt.Errorf("start %q: no such language runs", l)
	}
	return start(i), nil
}

// Denied returns those of the denied groups of system calls without which no
// program of the language can run.
func (s Start) Denied(groups []string) []string {
	return slices.DeleteFunc(slices.Clone(s.Needs), func(need string) bool { return !slices.Contains(groups, need) })
}
