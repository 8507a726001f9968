package lang

import "strings"

// ModuleFile is the file name under which messages know a module that comes
// beside a program: "a.b" is "a/b.py".
func ModuleFile(name string) string { return strings.ReplaceAll(name, ".", "/") + ".py" }
