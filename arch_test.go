package palisade_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers says which of our own packages each package may import; everyone may
// import the root. A package that is not here is not part of the house yet:
// give it a line, and the reader a reason in ARCHITECTURE.md.
var layers = map[string][]string{
	"":                        {},
	"internal/python":         {},
	"internal/lang":           {"internal/python"},
	"internal/analysis":       {"internal/lang", "internal/python"},
	"internal/analysis/py":    {"internal/analysis", "internal/python"},
	"internal/rules":          {"internal/analysis", "internal/analysis/py", "internal/lang", "internal/python"},
	"internal/yamlfile":       {},
	"internal/policy":         {"internal/yamlfile"},
	"internal/approval":       {},
	"internal/sandbox":        {"internal/lang"},
	"internal/rootfs":         {},
	"internal/sandbox/gvisor": {"internal/sandbox", "internal/lang", "internal/rootfs"},
	"internal/redact":         {},
	"internal/feedback":       {"internal/redact"},
	"internal/audit":          {"internal/audit/mirror"},
	"internal/audit/mirror":   {},
	"internal/config":         {"internal/yamlfile"},
	"local": {
		"internal/analysis", "internal/approval", "internal/audit", "internal/audit/mirror", "internal/config",
		"internal/feedback", "internal/lang", "internal/policy", "internal/python", "internal/redact",
		"internal/rootfs", "internal/rules", "internal/sandbox", "internal/sandbox/gvisor", "internal/yamlfile",
	},
	"cmd/palisade": {
		"local", "internal/approval", "internal/audit", "internal/audit/mirror", "internal/config", "internal/policy", "internal/python",
		"internal/redact", "internal/rootfs", "internal/rules", "internal/sandbox", "internal/sandbox/gvisor", "internal/yamlfile",
	},
	"internal/sandbox/sandboxtest": {"internal/lang", "internal/python", "internal/sandbox"},
}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	CgoFiles        []string
	Imports         []string
}

func packages(t *testing.T) (module string, list []listed) {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,CgoFiles,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	module, err = modulePath()
	if err != nil || len(list) == 0 {
		t.Fatalf("module %q, %d packages: %v", module, len(list), err)
	}
	return module, list
}

// modulePath reads the module's name, which changes when it is published.
func modulePath() (string, error) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(string(data), "module "), "\n")
	return strings.TrimSpace(name), nil
}

func TestLayers(t *testing.T) {
	module, list := packages(t)
	for _, p := range list {
		name := strings.Trim(strings.TrimPrefix(p.ImportPath, module), "/")
		if strings.HasPrefix(name, "examples/") {
			continue // examples use the public packages as any program would
		}
		allowed, known := layers[name]
		if !known {
			t.Errorf("package %s is in no layer: add it to the map in arch_test.go", name)
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module+"/") {
				continue
			}
			rel := strings.TrimPrefix(imported, module+"/")
			if !slices.Contains(allowed, rel) {
				t.Errorf("%s imports %s: its layer may import only %v (the direction is in ARCHITECTURE.md)", name, rel, allowed)
			}
		}
		if len(p.CgoFiles) > 0 {
			t.Errorf("%s uses cgo: the sentry cannot run in a cgo binary", name)
		}
	}
}

func TestRootUsesStandardLibraryOnly(t *testing.T) {
	_, list := packages(t)
	for _, p := range list[:1] {
		for _, imported := range p.Imports {
			if strings.Contains(strings.Split(imported, "/")[0], ".") {
				t.Errorf("the root package imports %s: it holds words and the flow, standard library only", imported)
			}
		}
	}
}

// TestFileSizes keeps files readable: at most 400 lines, the root package at
// most 1,000 in all. A parser's files and generated tables may be longer.
func TestFileSizes(t *testing.T) {
	module, list := packages(t)
	for _, p := range list {
		name := strings.Trim(strings.TrimPrefix(p.ImportPath, module), "/")
		total := 0
		for _, file := range p.GoFiles {
			data, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			n := bytes.Count(data, []byte("\n"))
			total += n
			if generated := bytes.HasPrefix(data, []byte("// Code generated ")); n > 400 && name != "internal/python" && !generated {
				t.Errorf("%s/%s has %d lines: split it by what it holds", name, file, n)
			}
		}
		if name == "" && total > 1000 {
			t.Errorf("the root package has %d lines: at most 1,000", total)
		}
	}
}

// TestEveryPackageHasDoc holds every package to a doc.go.
func TestEveryPackageHasDoc(t *testing.T) {
	_, list := packages(t)
	for _, p := range list {
		if strings.Contains(p.ImportPath, "/cmd/") || strings.Contains(p.ImportPath, "/examples/") {
			continue
		}
		if !slices.Contains(p.GoFiles, "doc.go") {
			t.Errorf("%s has no doc.go: say what it does, promises and does not", p.ImportPath)
		}
	}
}
