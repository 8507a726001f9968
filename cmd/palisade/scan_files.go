package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/redact"
)

// target is one file to scan.
type target struct {
	path string
	// lines are those that changed, and before is what the file was; findings
	// that are not about these lines and that it had before are not told of. Nil
	// lines: all are told of.
	lines  map[int]bool
	before []byte
	had    map[findingKey]int
}

// findingKey says which findings of two versions of a file are the same one.
type findingKey struct {
	rule, symbol, argument string
	unknown                bool
}

func keyOf(f palisade.Finding) findingKey {
	return findingKey{f.Rule, f.Symbol, f.Argument, f.Unknown}
}

// covers reports whether a finding is told of. What is about a file as a whole,
// or about another file, always is.
func (t target) covers(f palisade.Finding) bool {
	return t.lines == nil || f.Line == 0 || f.File != redact.EscapeLine(t.path) || t.lines[f.Line] || t.had[keyOf(f)] == 0
}

// remember counts what a file's older version had.
func (t *target) remember(findings []palisade.Finding) {
	t.had = map[findingKey]int{}
	for _, f := range findings {
		t.had[keyOf(f)]++
	}
}

// language is that of a target: the one that was asked for, what its name or
// first line says, or Python where neither could say anything.
func (t target) language(asked string, source []byte) (palisade.Language, error) {
	if asked == "" && t.path != "-" && lang.IsOther(t.path) && lang.Detect(t.path, source) == "" {
		return "", usage("%s: its name does not tell a language that is read: --lang says which it is", t.path)
	}
	return languageOf(asked, t.path, source), nil
}

// programs leaves out, and says so, files that were named and are YAML or JSON
// of another kind than those that are read: whoever passes all changed files
// names them too.
func (e *env) programs(f scanFlags, targets []target) []target {
	return slices.DeleteFunc(targets, func(t target) bool {
		data := slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(t.path))
		if f.language != "" || !data || isProgram(t.path, "") {
			return false
		}
		if info, err := os.Stat(t.path); err != nil || !info.Mode().IsRegular() {
			return false // it is reported where it is read
		}
		fmt.Fprintf(e.stderr, "palisade: %s: no Kubernetes manifest, left out (--lang says otherwise)\n", redact.EscapeLine(t.path))
		return true
	})
}

// scanTargets says what is scanned: the arguments with folders expanded, or
// what changed among them.
func scanTargets(ctx context.Context, f scanFlags, args []string) ([]target, error) {
	if f.diff != "" {
		return changed(ctx, f, args)
	}
	if len(args) == 0 {
		return nil, usage("nothing to scan: give files, folders, or - for standard input")
	}
	var targets []target
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == "-" || err != nil || !info.IsDir() {
			targets = append(targets, target{path: arg}) // an unreadable file is reported where it is read
			continue
		}
		if targets, err = walk(targets, f, arg); err != nil {
			return nil, err
		}
	}
	if len(targets) == 0 {
		return nil, usage("no program in %s: there is no file whose name or first line tells a language that is read", strings.Join(args, ", "))
	}
	return targets, nil
}

// walk adds the programs in a folder.
func walk(targets []target, f scanFlags, folder string) ([]target, error) {
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil { // what cannot be listed is one unreadable input; the rest is scanned
			targets = append(targets, target{path: path})
			return nil
		}
		if path != folder && (d.IsDir() && d.Name() == ".git" || f.excluded(d.Name())) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.IsDir() && isFile(path, d) && isProgram(path, f.language) {
			targets = append(targets, target{path: path})
		}
		return nil
	})
	if err != nil {
		return nil, usage("%w", err)
	}
	return targets, nil
}

// excluded reports whether a file or folder of this name is left out.
func (f scanFlags) excluded(name string) bool {
	for _, glob := range f.exclude {
		if ok, err := path.Match(glob, name); ok && err == nil { // the globs were checked
			return true
		}
	}
	return false
}

// isProgram reports whether a file in a folder is of a language that is read,
// or of the one that was asked for. Where only the text can tell, its
// beginning is read.
func isProgram(name, asked string) bool {
	found := lang.Detect(name, nil)
	if found == "" && slices.Contains([]string{"", ".yaml", ".yml", ".json"}, filepath.Ext(name)) {
		found = lang.Detect(name, head(name))
	}
	if wanted, ok := lang.Named(asked); ok {
		return found == wanted
	}
	return found != ""
}

// head reads the beginning of a file; what cannot be read says nothing.
func head(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	n, _ := f.Read(buf)
	return buf[:n]
}

// isFile reports whether an entry is a file, or a link that leads to one: a link
// is read too, or it would hide what it leads to. One that leads nowhere is an
// unreadable file.
func isFile(path string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}
