package lang

import (
	"fmt"

	"palisade"
)

// HarnessPath is where a back-end places Start.Harness inside the box, as a
// file that the program cannot change.
const HarnessPath = "/run/palisade/harness.py"

// Interpreter is an interpreter inside a box's root.
type Interpreter struct {
	// Path is absolute, and of the real file, such as "/usr/bin/python3.11".
	Path string
	// ModulePath lists the folders, beside the interpreter's own, from which
	// modules are loaded, such as "/usr/lib/python3/dist-packages".
	ModulePath []string
}

// Start says how an interpreter is started as the first process of a box.
type Start struct {
	Path string
	Args []string // without the program's own name
	Env  []string // everything that the box's environment holds
	// Harness is the text to be found at HarnessPath.
	Harness []byte
}

// StartFor returns how the interpreter of a language is started.
func StartFor(l palisade.Language, i Interpreter) (Start, error) {
	if l != palisade.Python {
		return Start{}, fmt.Errorf("start %q: no such language", l)
	}
	return startPython(i), nil
}

// Harness returns the harness of a language.
func Harness(l palisade.Language) ([]byte, error) {
	if l != palisade.Python {
		return nil, fmt.Errorf("harness of %q: no such language", l)
	}
	return pythonHarness(), nil
}
