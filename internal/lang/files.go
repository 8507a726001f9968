package lang

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxNameBytes = 1024
	maxPartBytes = 255
	maxNameParts = 32
)

// CheckName reports why a name is not one that a file may have in a program's
// working directory: names are relative, use slashes, are clean, and hold
// nothing that could be taken for something else (control and invisible
// characters, a leading "-", a backslash).
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("empty name")
	case len(name) > maxNameBytes:
		return fmt.Errorf("a name of %d bytes; at most %d are allowed", len(name), maxNameBytes)
	case !utf8.ValidString(name):
		return errors.New("not UTF-8")
	case path.IsAbs(name), !fs.ValidPath(name), name == ".":
		return errors.New("not a clean relative path")
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || r == '\\' {
			return fmt.Errorf("the character %U is not allowed", r)
		}
	}
	parts := strings.Split(name, "/")
	if len(parts) > maxNameParts {
		return fmt.Errorf("more than %d folders", maxNameParts)
	}
	for _, part := range parts {
		if len(part) > maxPartBytes {
			return fmt.Errorf("a part of %d bytes; at most %d are allowed", len(part), maxPartBytes)
		}
		if strings.HasPrefix(part, "-") || strings.TrimSpace(part) != part {
			return fmt.Errorf("the part %q is not allowed", part)
		}
	}
	return nil
}
