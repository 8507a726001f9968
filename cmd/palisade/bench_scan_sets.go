package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/policy"
	"palisade/internal/python"
	"palisade/internal/rules"
	"palisade/internal/semgrep"
)

// scanSet are files that are measured together.
type scanSet struct {
	name    string
	profile string // by which they are judged; empty: they are not
	files   []scanFile
}

// scanFile is one file of a set, and what the last reading made of it.
type scanFile struct {
	path, entry string
	source      []byte
	version     python.Version
	findings    []palisade.Finding
}

// scanSets reads the corpora, writing each program to dir for bandit, and the
// interpreter's library.
func (e *env) scanSets(ctx context.Context, interpreter, corpora, dir string) ([]scanSet, error) {
	var sets []scanSet
	if _, err := os.Stat(corpora); err != nil {
		fmt.Fprintf(e.stderr, "palisade: no corpora: %v\n", err)
	} else {
		for _, c := range []struct {
			name, profile string
			read          func(string) ([]benchProgram, error)
		}{{"PAL", "pal", readPAL}, {"HumanEval", "data", readHumanEval}, {"MBPP", "data", readMBPP}} {
			programs, err := c.read(corpora)
			if err != nil {
				return nil, exit(2, "%s: %w", c.name, err)
			}
			set := scanSet{name: c.name, profile: c.profile}
			for i, p := range programs {
				path := filepath.Join(dir, fmt.Sprintf("%s-%d.py", strings.ToLower(c.name), i))
				if err := os.WriteFile(path, []byte(p.source), 0o600); err != nil {
					return nil, exit(1, "%w", err)
				}
				set.files = append(set.files, scanFile{path: path, entry: p.entry, source: []byte(p.source)})
			}
			sets = append(sets, set)
		}
	}
	library, err := e.librarySet(ctx, interpreter)
	return append(sets, library), err
}

// librarySet are the files of the interpreter's library that both accept.
func (e *env) librarySet(ctx context.Context, interpreter string) (scanSet, error) {
	cpython, err := startASTParser(ctx, interpreter, "")
	if err != nil {
		return scanSet{}, exit(1, "start %s: %w", interpreter, err)
	}
	defer cpython.close()
	version, err := pythonVersion(cpython.Version)
	if err != nil {
		return scanSet{}, err
	}
	set := scanSet{name: "library of " + cpython.Version}
	accepted, err := bothAccept(cpython.Files, version)
	for _, path := range slices.Sorted(maps.Keys(accepted)) {
		set.files = append(set.files, scanFile{path: path, source: accepted[path], version: version})
	}
	return set, err
}

// benchProgram is one program of the corpora.
type benchProgram struct{ source, entry string }

func readPAL(corpora string) ([]benchProgram, error) {
	data, err := os.ReadFile(filepath.Join(corpora, "pal", "gsmhardv2.jsonl"))
	if err != nil {
		return nil, err
	}
	return eachLine(data, func(c struct{ Code string }) benchProgram { return benchProgram{c.Code, "solution"} })
}

func readHumanEval(corpora string) ([]benchProgram, error) {
	f, err := os.Open(filepath.Join(corpora, "humaneval", "HumanEval.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(z, 64<<20))
	if err != nil {
		return nil, err
	}
	type task struct {
		Prompt, Test string
		Solution     string `json:"canonical_solution"`
		Entry        string `json:"entry_point"`
	}
	return eachLine(data, func(t task) benchProgram {
		return benchProgram{source: t.Prompt + t.Solution + "\n" + t.Test + "\ncheck(" + t.Entry + ")\n"}
	})
}

func readMBPP(corpora string) ([]benchProgram, error) {
	data, err := os.ReadFile(filepath.Join(corpora, "mbpp", "sanitized-mbpp.json"))
	if err != nil {
		return nil, err
	}
	var tasks []struct {
		Code  string
		Tests []string `json:"test_list"`
	}
	if err := json.Unmarshal(data, &tasks); err != nil {
		return nil, err
	}
	out := make([]benchProgram, len(tasks))
	for i, t := range tasks {
		out[i].source = t.Code + "\n" + strings.Join(t.Tests, "\n") + "\n"
	}
	return out, nil
}

func eachLine[T any](data []byte, f func(T) benchProgram) ([]benchProgram, error) {
	var out []benchProgram
	for line := range strings.Lines(string(data)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, err
		}
		out = append(out, f(v))
	}
	return out, nil
}

// submission is a file as the gate gets it.
func (f *scanFile) submission(profile string) palisade.Submission {
	return palisade.Submission{
		Submitter: "uid:0", Door: "cli", Profile: profile,
		Program: palisade.Program{Language: palisade.Python, Name: f.path, Source: f.source, Entry: f.entry},
	}
}

// inspect is the whole reading of each file, and how long it took.
func (s scanSet) inspect(ctx context.Context) (time.Duration, error) {
	start := processorTime()
	for i := range s.files {
		f := &s.files[i]
		inspector := rules.Inspector{Version: f.version, MaxBytes: maxCode}
		if _, err := inspector.Inspect(ctx, f.submission(s.profile)); err != nil {
			return 0, exit(1, "%s: %w", f.path, err)
		}
	}
	return processorTime() - start, nil
}

// patterns is how long the pattern rules that ship take over the trees.
func (s scanSet) patterns(context.Context) (time.Duration, error) {
	engine, err := semgrep.Load(semgrep.Shipped()...)
	if err != nil {
		return 0, exit(1, "pattern rules: %w", err)
	}
	var took time.Duration
	for _, f := range s.files {
		source, err := python.Normalize(f.source)
		if err != nil {
			continue
		}
		tree, err := python.Parse(source, python.Options{Version: f.version, MaxBytes: maxCode})
		if err != nil {
			continue
		}
		start := processorTime()
		// A file that is too much for them counts with the time it took.
		_, _ = engine.Match(semgrep.Source{Path: f.path, Language: palisade.Python, Text: source, Tree: tree})
		took += processorTime() - start
	}
	return took, nil
}

// decide counts the decisions that the timed readings lead to and holds them to
// those of the gate's whole reading. Of files that are not judged it counts
// those that were read to their end.
func (s scanSet) decide(ctx context.Context) (figure, error) {
	if s.profile == "" {
		read := 0
		for _, f := range s.files {
			if !slices.ContainsFunc(f.findings, func(f palisade.Finding) bool { return f.Capability == palisade.CapFailed }) {
				read++
			}
		}
		return s.count("files read to their end", "files", read), nil
	}
	set, err := policy.Load(policy.Config{Callers: policy.Callers{Owner: "uid:0"}})
	if err != nil {
		return figure{}, exit(1, "%w", err)
	}
	count := map[palisade.Decision]int{}
	for i := range s.files {
		f := &s.files[i]
		gate, err := rules.Inspector{Version: f.version}.Inspect(ctx, f.submission(s.profile))
		if err != nil {
			return figure{}, exit(1, "%s: %w", f.path, err)
		}
		timed := palisade.Inspection{Findings: f.findings, Trees: gate.Trees}
		a, err := f.decision(ctx, set, s.profile, timed)
		if err != nil {
			return figure{}, err
		}
		b, err := f.decision(ctx, set, s.profile, gate)
		if err != nil {
			return figure{}, err
		}
		if a != b {
			return figure{}, exit(1, "%s: the timed reading says %s, the gate's %s", f.path, a, b)
		}
		count[a]++
	}
	name := fmt.Sprintf("allowed by %s (%d asked, %d denied)", s.profile, count[palisade.Ask], count[palisade.Deny])
	return s.count(name, "programs", count[palisade.Allow]), nil
}

// count is a figure that counts files of the set.
func (s scanSet) count(name, unit string, n int) figure {
	total := float64(len(s.files))
	return figure{Name: s.name + ": " + name, Value: float64(n), Unit: unit, Baseline: "of", Base: total, Ratio: float64(n) / total, Rounds: 1}
}

// decision judges what a reading found.
func (f *scanFile) decision(ctx context.Context, set *policy.Set, profile string, found palisade.Inspection) (palisade.Decision, error) {
	sub := f.submission(profile)
	sealed, err := lang.Preparer{}.Prepare(ctx, sub)
	if err != nil && !errors.Is(err, context.Canceled) {
		sealed = sub // it does not parse: its finding says so
	}
	v, err := set.Decide(ctx, palisade.Case{Submission: sealed, Inspection: found})
	if err != nil {
		return v.Decision, exit(1, "%s: %w", f.path, err)
	}
	return v.Decision, nil
}
