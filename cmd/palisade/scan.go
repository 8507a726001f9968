package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"palisade"
	"palisade/internal/redact"
	"palisade/local"
)

// scanned is what `palisade scan --format json` prints for one file.
type scanned struct {
	Path     string             `json:"path"`
	Language palisade.Language  `json:"language"`
	Decision palisade.Decision  `json:"decision"`
	Score    int                `json:"score"`
	Findings []palisade.Finding `json:"findings"`
	Error    string             `json:"error"`
}

// scanFlags are the flags of `palisade scan`.
type scanFlags struct {
	profile, format string
	all             bool
}

func newScanCmd(e *env) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE | FOLDER | -]...",
		Short: "Read and judge programs without running them",
		Long: `Scan reads each program and judges it by policy, as run would, and runs nothing.
It needs no sandbox and no state, so that it can stand in a CI pipeline. Folders
are searched for .py files, also behind links to files. A module that lies beside
a file and that it imports is read with it, as run --module would. With
evidence: how each finding was reached.

The score is 0 for a program with nothing to object to; each finding that policy
does not allow adds 1 (info, low), 3 (medium), 7 (high) or 15 (critical), up to 100.

Exit codes: 0 clean, 1 something not allowed, 2 usage or unreadable input.`,
		Example: `  palisade scan program.py
  palisade scan --profile pal --format json generated/ > findings.jsonl
  git diff --name-only | grep '\.py$' | xargs palisade scan`,
		RunE: func(cmd *cobra.Command, args []string) error { return e.scan(cmd.Context(), f, args) },
	}
	cmd.Flags().StringVar(&f.profile, "profile", "", "policy profile (default: config's)")
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json (one object a line)")
	cmd.Flags().BoolVar(&f.all, "all", false, "also list what policy allows")
	return cmd
}

func (e *env) scan(ctx context.Context, f scanFlags, args []string) error {
	if f.format != "text" && f.format != "json" {
		return usage("--format %s: text or json", f.format)
	}
	reader, err := local.NewReader(e.local())
	if err != nil {
		return usage("%w", err)
	}
	if err := reader.Check(f.profile); err != nil {
		return usage("%w", err)
	}
	paths, err := scanPaths(args)
	if err != nil {
		return err
	}
	var bad, unreadable int
	for _, path := range paths {
		s := e.scanOne(ctx, reader, f, path)
		switch {
		case s.Error != "":
			unreadable++
		case s.Decision != palisade.Allow:
			bad++
		}
		if err := e.showScan(f, s); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return exit(130, "interrupted")
		}
	}
	if f.format == "text" && len(paths) > 1 {
		fmt.Fprintf(e.stderr, "palisade: %d files, %d not allowed, %d unreadable\n", len(paths), bad, unreadable)
	}
	switch {
	case unreadable > 0:
		return exit(2, "")
	case bad > 0:
		return exit(1, "")
	}
	return nil
}

// scanPaths expands folders to the Python files in them.
func scanPaths(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, usage("nothing to scan: give files, folders, or - for standard input")
	}
	var paths []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == "-" || err != nil || !info.IsDir() {
			paths = append(paths, arg) // an unreadable file is reported where it is read
			continue
		}
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			// What cannot be listed is one unreadable input; the rest is scanned.
			if err != nil || strings.HasSuffix(path, ".py") && isFile(path, d) {
				paths = append(paths, path)
			}
			return nil
		})
		if err != nil {
			return nil, usage("%w", err)
		}
	}
	if len(paths) == 0 {
		return nil, usage("no .py file in %s", strings.Join(args, ", "))
	}
	return paths, nil
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

func (e *env) scanOne(ctx context.Context, reader *local.Reader, f scanFlags, path string) scanned {
	out := scanned{Path: path, Language: palisade.Python, Findings: []palisade.Finding{}}
	s := palisade.Submission{Submitter: submitter(), Profile: f.profile, Program: palisade.Program{Language: palisade.Python, Name: redact.EscapeLine(path)}}
	var err error
	if path == "-" {
		s.Program.Source, err = readAll(ctx, e.stdin, "standard input", maxCode)
	} else {
		s.Program.Source, err = readFile(ctx, path, maxCode)
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	s.Program.Modules = neighbors(ctx, path, s.Program.Source)
	inspection, verdict, err := reader.Scan(ctx, s)
	if invalid := (*palisade.InputError)(nil); errors.As(err, &invalid) && len(s.Program.Modules) > 0 {
		s.Program.Modules = nil // one that hides a module of the library does not come along
		inspection, verdict, err = reader.Scan(ctx, s)
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.Decision = verdict.Decision
	for _, reason := range verdict.Reasons {
		out.Findings = append(out.Findings, reason.Finding)
		out.Score = min(100, out.Score+weights[reason.Finding.Severity])
	}
	if f.all {
		out.Findings = append([]palisade.Finding{}, inspection.Findings...)
	}
	return out
}

// weights are what a finding that policy does not allow adds to a score.
var weights = map[palisade.Severity]int{palisade.Info: 1, palisade.Low: 1, palisade.Medium: 3, palisade.High: 7, palisade.Critical: 15}

func (e *env) showScan(f scanFlags, s scanned) error {
	if f.format == "json" {
		return writeJSON(e.stdout, s)
	}
	if s.Error != "" {
		_, err := fmt.Fprintf(e.stderr, "palisade: %s\n", redact.EscapeLine(s.Error))
		return err
	}
	for _, finding := range s.Findings {
		line := fmt.Sprintf("%s:%d:%d: %s: %s [%s]", finding.File, finding.Line, finding.Column, finding.Severity, finding.Message, finding.Rule)
		if finding.Evidence != "" {
			line += " (" + finding.Evidence + ")"
		}
		if _, err := fmt.Fprintln(e.stdout, redact.EscapeLine(line)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(e.stdout, redact.EscapeLine(fmt.Sprintf("%s: %s (score %d)", s.Path, s.Decision, s.Score)))
	return err
}
