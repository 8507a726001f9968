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

// layers says which of our own packages each package may import, in lines
// "package: packages", those of internal without that word; everyone may import
// the root. A package that is not here is not part of the house yet: give it a
// line, and the reader a reason in ARCHITECTURE.md. Each of the languages below
// analysis gets its name into the line of foreign too.
const layers = `
python:
lang: python
analysis: lang python
analysis/py: analysis python
analysis/secret:
analysis/lookalike:
analysis/iac: analysis
analysis/js: analysis
analysis/sql: analysis
analysis/sql/oracle:
analysis/shell: analysis
analysis/foreign: analysis analysis/iac analysis/shell analysis/sql analysis/js
rules: analysis analysis/lookalike analysis/py analysis/secret lang python
semgrep: python semgrep/perlre yamlfile
semgrep/perlre:
yamlfile:
jsontext:
bench:
peer:
policy: peer yamlfile
approval:
sandbox: lang
events:
rootfs:
egress: peer sandbox sandbox/packet
egress/egresstest: peer
sandbox/packet:
sandbox/roots: lang rootfs
sandbox/gvisor: events sandbox sandbox/packet sandbox/roots lang rootfs
sandbox/native: events sandbox sandbox/packet sandbox/roots lang rootfs
sandbox/sandboxtest: events lang python sandbox
resident:
redact:
feedback: redact
audit: audit/mirror
audit/mirror:
config: yamlfile
store:
store/storetest:
auth:
incident:
httpapi: approval audit auth incident jsontext store
local: analysis analysis/foreign approval audit audit/mirror auth config egress feedback incident lang policy python redact rootfs rules sandbox sandbox/gvisor sandbox/native semgrep store yamlfile
cmd/palisade: local approval bench audit audit/mirror auth config egress httpapi incident jsontext lang policy python redact resident rootfs rules sandbox sandbox/gvisor semgrep store yamlfile
`

// allowed reads layers.
func allowed() map[string][]string {
	path := func(name string) string {
		if name == "local" || strings.HasPrefix(name, "cmd/") {
			return name
		}
		return "internal/" + name
	}
	out := map[string][]string{"": nil}
	for line := range strings.Lines(strings.TrimSpace(layers)) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), ":")
		imports := strings.Fields(list)
		for i, imported := range imports {
			imports[i] = path(imported)
		}
		out[path(name)] = imports
	}
	return out
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
	house := allowed()
	for _, p := range list {
		name := strings.Trim(strings.TrimPrefix(p.ImportPath, module), "/")
		if strings.HasPrefix(name, "examples/") {
			continue // examples use the public packages as any program would
		}
		allowed, known := house[name]
		if !known {
			t.Errorf("package %s is in no layer: add it to the lines in arch_test.go", name)
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
