package lang

import (
	"fmt"
	"strings"
)

// ModuleFile is the file name under which messages know a module that comes
// beside a program: "a.b" is "a/b.py".
func ModuleFile(name string) string { return strings.ReplaceAll(name, ".", "/") + ".py" }

// maxModuleName bounds a module's dotted name, in bytes.
const maxModuleName = 200

// pythonKeywords are the reserved words of 3.8 to 3.14.
var pythonKeywords = nameSet(`False None True and as assert async await break class continue def del elif else
except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// checkModuleName holds the name of a module that comes beside a program to
// plain dotted identifiers that hide no other module.
func (p Preparer) checkModuleName(name string) error {
	if name == "" || len(name) > maxModuleName {
		return fmt.Errorf("module %.40q: the name must have 1 to %d bytes", name, maxModuleName)
	}
	for part := range strings.SplitSeq(name, ".") {
		if !isASCIIIdentifier(part) || pythonKeywords[part] {
			return fmt.Errorf("module %q: the name must be identifiers (a-z, A-Z, 0-9, _) with dots between them", name)
		}
	}
	top, _, _ := strings.Cut(name, ".")
	if stdlibModules[top] || p.reserved(top) {
		return fmt.Errorf("module %q: %s is a module of the runtime and must not be replaced", name, top)
	}
	return nil
}

func (p Preparer) reserved(top string) bool {
	for _, r := range p.Reserved {
		if r == top {
			return true
		}
	}
	return false
}

func isASCIIIdentifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
