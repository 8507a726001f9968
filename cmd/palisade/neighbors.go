package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"palisade"
	"palisade/internal/python"
	"palisade/internal/yamlfile"
)

// Bounds of what is read beside a file that is scanned.
const (
	maxNeighbors     = 64
	maxNeighborBytes = 4 << 20
)

// neighbors returns the modules beside a file that it imports, and those that
// they import: what run --module would be given. What cannot be read or parsed
// is left out, and its import is judged like any other.
func neighbors(ctx context.Context, path string, source []byte) []palisade.Module {
	if path == "-" {
		return nil
	}
	var modules []palisade.Module
	seen := map[string]bool{strings.TrimSuffix(filepath.Base(path), ".py"): true}
	left := maxNeighborBytes
	wanted := imports(source)
	for len(wanted) > 0 && len(modules) < maxNeighbors && left > 0 {
		name := wanted[0]
		wanted = wanted[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		file := filepath.Join(filepath.Dir(path), name+".py")
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := readFile(ctx, file, int64(left))
		if err != nil {
			continue
		}
		left -= len(text)
		modules = append(modules, palisade.Module{Name: name, Source: text})
		wanted = append(wanted, imports(text)...)
	}
	return modules
}

// imports returns the top-level names that a program imports.
func imports(source []byte) []string {
	source, err := python.Normalize(source)
	if err != nil {
		return nil
	}
	module, err := python.Parse(source, python.Options{})
	if err != nil {
		return nil
	}
	var names []string
	add := func(dotted string) {
		if name, _, _ := strings.Cut(dotted, "."); name != "" {
			names = append(names, name)
		}
	}
	python.Inspect(module, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Import:
			for _, a := range n.Names {
				add(a.Name)
			}
		case *python.ImportFrom:
			if n.Level == 0 {
				add(n.Module)
			}
		}
		return true
	})
	return names
}

// hints are what the command line can tell beyond the outcome: a module that
// lies beside the program, and limits that were asked for in vain.
func (f *submissionFlags) hints(out palisade.Outcome) []string {
	var lines []string
	if out.Status == palisade.PolicyViolation && f.folder != "" {
		for _, finding := range out.Findings {
			name, _, _ := strings.Cut(finding.Argument, ".")
			file := filepath.Join(f.folder, name+".py")
			if info, err := os.Stat(file); finding.Capability == palisade.CapImport && err == nil && info.Mode().IsRegular() {
				lines = append(lines, "  → "+name+" lies beside the program: --module "+name+"="+quoted(file)+" sends it along, to be judged too")
			}
		}
	}
	granted := out.Sandbox.Limits
	if f.wall > granted.Wall || f.cpu > granted.CPU || f.bytes > granted.Memory {
		lines = append(lines, "a limit can be lowered, not raised: the profile "+out.Sandbox.Profile+" grants "+granted.CPU.String()+
			" of processor time, "+granted.Wall.String()+" in all, "+yamlfile.FormatSize(granted.Memory)+" of memory")
	}
	return lines
}
