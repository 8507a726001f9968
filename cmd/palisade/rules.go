package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"palisade"
	"palisade/internal/lang"
	"palisade/internal/policy"
	"palisade/internal/redact"
	"palisade/internal/rules"
	"palisade/internal/semgrep"
	"palisade/local"
)

func newRulesCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, explain and test rules",
		Long: `Rules make findings of what the reading saw. Some are part of the program (they are
about capabilities); others are pattern rules in Semgrep's form: those that come
along, and those of files that policy (rule_files) or --rules names. Policy
decides about findings: rules.ID raises those of a rule, patterns those of
pattern rules by severity. It also makes findings of its own, about a program as
a whole or about who asks, such as score.`,
		Example: `  palisade rules list
  palisade rules explain py-process
  palisade rules test my-rules/`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var more []string
	cmd.PersistentFlags().StringArrayVar(&more, "rules", nil, "file or folder of rules in Semgrep's form, beside policy's (may be repeated)")
	cmd.AddCommand(newRulesListCmd(e, &more), newRulesExplainCmd(e, &more), newRulesTestCmd(e))
	return cmd
}

// described is a rule of either form.
type described struct {
	ID         string              `json:"id"`
	Severity   palisade.Severity   `json:"severity"`
	Languages  []string            `json:"languages"`
	Capability palisade.Capability `json:"capability"`
	Title      string              `json:"title"`
	File       string              `json:"file,omitempty"`
}

// allRules are the catalogue's, then the pattern rules, then what policy finds
// itself, which has no capability.
func (e *env) allRules(more []string) ([]described, error) {
	var out []described
	for _, r := range rules.All() {
		languages := []string{"every"}
		if list := r.Languages(); list != nil {
			languages = nil
			for _, l := range list {
				languages = append(languages, string(l))
			}
		}
		out = append(out, described{ID: r.ID, Severity: r.Severity, Languages: languages, Capability: r.Capability, Title: r.Title})
	}
	patterns, err := e.patternRules(more)
	if err != nil {
		return nil, err
	}
	for _, r := range patterns {
		title := strings.Join(strings.Fields(r.Message), " ")
		out = append(out, described{ID: r.ID, Severity: r.Severity, Languages: r.Languages, Capability: palisade.CapPattern, Title: title, File: r.File})
	}
	for _, f := range policy.OwnFindings() {
		out = append(out, described{ID: f.ID, Severity: f.Severity, Languages: []string{"every"}, Title: f.Title})
	}
	return out, nil
}

// patternRules are those that come along, policy's, and more.
func (e *env) patternRules(more []string) ([]*semgrep.Rule, error) {
	set, err := e.policies()
	if err != nil {
		return nil, err
	}
	rules, err := local.PatternRules(set.RuleFiles(), more)
	if err != nil {
		return nil, usage("%w", err)
	}
	return rules, nil
}

func newRulesListCmd(e *env, more *[]string) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every rule that runs",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if format != "text" && format != "json" {
				return usage("--format %s: text or json", format)
			}
			list, err := e.allRules(*more)
			if err != nil {
				return err
			}
			if format == "json" {
				for _, r := range list {
					if err := writeJSON(e.stdout, r); err != nil {
						return err
					}
				}
				return nil
			}
			w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
			for _, r := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", redact.EscapeLine(r.ID), r.Severity, redact.EscapeLine(strings.Join(r.Languages, ",")), cmp.Or(string(r.Capability), "policy"), redact.EscapeLine(r.Title))
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json (one object a line)")
	return cmd
}

func newRulesExplainCmd(e *env, more *[]string) *cobra.Command {
	return &cobra.Command{
		Use:     "explain RULE",
		Short:   "Say what a rule finds, why, and what to write instead",
		Example: "  palisade rules explain py-process",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if r, ok := rules.Find(args[0]); ok {
				return e.explainRule(r)
			}
			if f, ok := policy.Own(args[0]); ok {
				return e.print(fmt.Sprintf("%s: %s\n  severity %s, policy's own finding; decided by %s\n  %s\n", f.ID, f.Title, f.Severity, f.Line, f.Remedy))
			}
			patterns, err := e.patternRules(*more)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(patterns, func(r *semgrep.Rule) bool { return r.ID == args[0] })
			if i < 0 {
				return usage("no rule %s: palisade rules list has them all", args[0])
			}
			r := patterns[i]
			where := fmt.Sprintf("a pattern rule in %s, line %d", redact.EscapeLine(r.File), r.Line)
			if r.BuiltIn() {
				where = "a built-in pattern rule"
			}
			text := fmt.Sprintf("%s: %s\n  severity %s, for %s, %s\n", redact.EscapeLine(r.ID),
				redact.EscapeLine(strings.Join(strings.Fields(r.Message), " ")), r.Severity, redact.EscapeLine(strings.Join(r.Languages, ", ")), where)
			if cwe := r.CWE(); len(cwe) > 0 {
				text += "  weakness " + redact.EscapeLine(strings.Join(cwe, ", ")) + "\n"
			}
			if remedy := r.Remedy(); remedy != "" {
				text += "  " + redact.EscapeLine(strings.Join(strings.Fields(remedy), " ")) + "\n"
			}
			return e.print(text)
		},
	}
}

func (e *env) explainRule(r rules.Rule) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n%s\n\n  severity    %s\n  capability  %s\n", r.ID, r.Title, r.Description, r.Remedy, r.Severity, r.Capability)
	if r.CWE > 0 {
		fmt.Fprintf(&b, "  weakness    CWE-%d\n", r.CWE)
	}
	for _, group := range []struct {
		title    string
		programs []string
	}{{"Found in", r.Bad}, {"Not found in", r.Good}} {
		fmt.Fprintf(&b, "\n%s, for example:\n", group.title)
		for i, src := range group.programs[:min(len(group.programs), 3)] {
			if i > 0 {
				b.WriteString("  --\n")
			}
			for _, line := range strings.Split(strings.TrimSuffix(clipped(src), "\n"), "\n") {
				fmt.Fprintf(&b, "  | %s\n", redact.EscapeLine(line))
			}
		}
	}
	_, err := fmt.Fprint(e.stdout, b.String())
	return err
}

func newRulesTestCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "test FILE.yaml | FOLDER...",
		Short: "Hold pattern rules to the marks in the programs beside them",
		Long: `Test runs each file of pattern rules over the programs beside it that have the same
name, such as tls.py for tls.yaml, and holds the matches to Semgrep's marks in
them: "# ruleid: ID" before a line that must match, "# ok: ID" before one that
must not. "# todoruleid:" and "# todook:" mark what is known not to work yet.

Exit codes: 0 all as marked, 1 some not, 2 usage, or a rule that is not
supported, which is named.`,
		Example: "  palisade rules test my-rules/",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return e.testRules(cmd.Context(), args) },
	}
}

func (e *env) testRules(ctx context.Context, args []string) error {
	var checked, failed int
	for _, path := range args {
		files, err := policy.ReadRuleFiles(path)
		if err != nil {
			return usage("%w", err)
		}
		for _, f := range files {
			engine, err := semgrep.Load(semgrep.File{Name: f.Name, Data: f.Data})
			if err != nil {
				return usage("%w", err)
			}
			n, bad, err := e.testFile(ctx, engine, f.Name)
			if err != nil {
				return err
			}
			checked, failed = checked+n, failed+bad
		}
	}
	if checked == 0 {
		return usage("no mark was found in a program beside %s", strings.Join(args, ", "))
	}
	fmt.Fprintf(e.stderr, "palisade: %d marks, %d not as marked\n", checked, failed)
	if failed > 0 {
		return exit(1, "")
	}
	return nil
}

// testFile holds the rules of one file to the programs beside it.
func (e *env) testFile(ctx context.Context, engine *semgrep.Engine, name string) (checked, failed int, err error) {
	programs, err := filepath.Glob(globEscaped(strings.TrimSuffix(name, filepath.Ext(name))) + ".*")
	if err != nil {
		return 0, 0, usage("%w", err)
	}
	for _, program := range programs {
		language := lang.Detect(program, nil)
		if language == "" || program == name {
			continue
		}
		source, err := readFile(ctx, program, maxCode)
		if err != nil {
			return 0, 0, err
		}
		if source, err = lang.Normalize(language, source); err != nil {
			return 0, 0, usage("%s: %w", program, err)
		}
		report, err := semgrep.Test(engine, semgrep.Source{Path: program, Language: language, Text: source})
		if err != nil {
			return 0, 0, usage("%w", err)
		}
		checked, failed = checked+report.Checked, failed+len(report.Failures)
		for _, f := range report.Failures {
			what := "matches and is not marked"
			if f.Missed {
				what = "is marked and does not match"
			}
			fmt.Fprintf(e.stdout, "%s:%d: %s %s\n", redact.EscapeLine(program), f.Line, redact.EscapeLine(f.Rule), what)
		}
	}
	return checked, failed, nil
}

// globEscaped writes a path so that a glob takes it as it is.
func globEscaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
