package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"palisade"
	"palisade/internal/audit"
)

func newAuditCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read and verify the record",
		Long: `The record holds every submission with its prompt, findings, verdict, sandbox and
outcome, in a Merkle log whose heads are signed. These commands only read it.`,
		Example: `  palisade audit ls --since 24h --status policy_violation
  palisade audit show RUN
  palisade audit verify
  palisade audit verify --log copy/log --key log.pub --head heads/`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuditLsCmd(e), newAuditShowCmd(e), newAuditVerifyCmd(e), newAuditPubkeyCmd(e))
	return cmd
}

// register adds the flags that say where the record lies.
func (f *recordFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.log, "log", "", "`folder` of the record (default: the configuration's)")
	cmd.Flags().StringVar(&f.key, "key", "", "public key `file` (default: the configuration's)")
}

func newAuditLsCmd(e *env) *cobra.Command {
	var f struct {
		recordFlags
		since, until, decision, status, submitter string
		limit                                     int
		json                                      bool
	}
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List runs, the newest first",
		Example: `  palisade audit ls
  palisade audit ls --since 2026-01-31 --decision deny
  palisade audit ls --json --limit 0 | jq -r .run`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if f.status != "" && !slices.Contains(listedStatuses(), f.status) {
				return usage("--status %.40q: want one of %s", f.status, strings.Join(listedStatuses(), ", "))
			}
			if decisions := []string{"", palisade.Allow.String(), palisade.Ask.String(), palisade.Deny.String()}; !slices.Contains(decisions, f.decision) {
				return usage("--decision %.40q: want one of %s", f.decision, strings.Join(decisions[1:], ", "))
			}
			if f.limit < 0 {
				return usage("--limit %d: want how many runs at most, or 0 for all", f.limit)
			}
			filter := audit.Filter{Decision: f.decision, Status: f.status, Submitter: f.submitter, Limit: f.limit}
			var err error
			if filter.Since, err = moment(f.since); err != nil {
				return usage("--since: %w", err)
			}
			if filter.Until, err = moment(f.until); err != nil {
				return usage("--until: %w", err)
			}
			return e.auditLs(f.recordFlags, filter, f.json)
		},
	}
	f.recordFlags.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "", "runs that began at or after this `time`: 24h or 3d ago, a date, or RFC 3339")
	flags.StringVar(&f.until, "until", "", "runs that began before this `time`")
	flags.StringVar(&f.decision, "decision", "", "allow, ask or deny")
	flags.StringVar(&f.status, "status", "", "such as ok or policy_violation")
	flags.StringVar(&f.submitter, "submitter", "", "who asked, such as uid:1000")
	flags.IntVarP(&f.limit, "limit", "n", 50, "at most so many; 0: all")
	flags.BoolVar(&f.json, "json", false, "print JSON, one run a line")
	return cmd
}

// listedStatuses are what audit ls shows as a run's status and can choose by.
func listedStatuses() []string {
	var names []string
	for _, s := range []palisade.Status{
		palisade.OK, palisade.RuntimeError, palisade.PolicyViolation, palisade.ApprovalRequired,
		palisade.CPULimit, palisade.WallLimit, palisade.MemoryLimit, palisade.DiskLimit, palisade.ProcessLimit,
		palisade.FilesLimit, palisade.OutputLimit, palisade.Aborted, palisade.Killed, palisade.Interrupted,
		palisade.Refused, palisade.SandboxError,
	} {
		names = append(names, string(s))
	}
	return append(names, string(palisade.EventRejected), string(palisade.EventFailed))
}

// moment reads a time: how long ago, a date, or RFC 3339.
func moment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := parseSpan(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, text, time.UTC); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is no time: write 24h, 3d, 2026-01-31 or 2026-01-31T15:04:05Z", text)
}

func (e *env) auditLs(f recordFlags, filter audit.Filter, asJSON bool) error {
	r, err := e.reader(f)
	if err != nil {
		return err
	}
	defer r.Close()
	runs, err := r.List(filter)
	if err != nil {
		return exit(1, "%w", err)
	}
	rows := [][]string{{"BEGAN (UTC)", "RUN", "DECISION", "STATUS", "PROFILE", "SUBMITTER", "PROGRAM"}}
	for _, run := range runs {
		if asJSON {
			if err := writeJSON(e.stdout, run); err != nil {
				return err
			}
			continue
		}
		status := run.Status
		if !run.Complete {
			status = "(no end)"
		}
		rows = append(rows, []string{run.Began.UTC().Format(time.DateTime), run.ID, run.Decision, status, run.Profile, run.Submitter, run.Program})
	}
	if asJSON {
		return nil
	}
	if len(runs) == 0 {
		return e.print("no runs\n")
	}
	return e.table(rows)
}

func newAuditShowCmd(e *env) *cobra.Command {
	var f recordFlags
	var asJSON, brief bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show one run from end to end",
		Long: `Show prints every step of a run in order, with what was recorded of it. RUN is the
run's ID or a beginning of it that only one run has. Whatever the program or its
prompt wrote stands behind a bar, escaped.`,
		Example: `  palisade audit show 01JZ
  palisade audit show 01JZ --json | jq 'select(.kind == "inspected") | .data.findings'`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := e.reader(f)
			if err != nil {
				return err
			}
			defer r.Close()
			run, records, err := r.Show(args[0])
			if errors.Is(err, audit.ErrNoRun) || errors.Is(err, audit.ErrManyRuns) {
				return usage("%w", err)
			}
			if err != nil {
				return exit(1, "%w", err)
			}
			if !asJSON {
				return e.print(timeline(run, records, brief))
			}
			for _, record := range records {
				if err := writeJSON(e.stdout, record); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one record a line")
	cmd.Flags().BoolVar(&brief, "brief", false, "print the steps without what was recorded of them")
	return cmd
}

func newAuditVerifyCmd(e *env) *cobra.Command {
	var f recordFlags
	var asJSON, withheld bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Hold the record to its signed heads",
		Long: `Verify recomputes the record from its files and holds it to its public key and to
the heads that were copied to second places. It needs nothing else: no network, no
private key, no state of Palisade's own. Without a copied head nobody can tell the
record from an older state of itself: it is then consistent, not anchored.

Exit codes: 0 intact, 1 tampered, 2 usage or it could not look, 3 consistent, not
anchored.`,
		Example: `  palisade audit verify
  palisade audit verify --head /mnt/elsewhere/palisade-heads
  palisade audit verify --log copy/log --key log.pub --head /var/log/syslog --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := e.place(f)
			if err != nil {
				return err
			}
			heads, err := p.mirrored()
			if err != nil {
				return err
			}
			report, err := audit.Verify(cmd.Context(), p.dir, p.publicKey, audit.VerifyOptions{Heads: heads, PayloadsWithheld: withheld})
			if err := done(cmd.Context()); err != nil {
				return err
			}
			if err != nil {
				return exit(2, "%w", err)
			}
			if asJSON {
				err = writeJSON(e.stdout, report)
			} else {
				err = e.print(report.String())
			}
			if err != nil {
				return err
			}
			if report.Verdict == audit.Unanchored && !p.blind {
				fmt.Fprintln(e.stderr, "palisade: "+p.anchor())
			}
			if p.blind {
				fmt.Fprintln(e.stderr, "palisade: the configured mirrors cannot be read back from here: name where their copies went with --head")
			}
			if code := report.Verdict.Exit(); code != 0 {
				return exit(code, "")
			}
			return nil
		},
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.heads, "head", nil, "`file or folder` with copied heads, instead of the configuration's mirrors (repeatable)")
	cmd.Flags().BoolVar(&withheld, "withheld", false, "accept that payloads are not there: this is a copy without them")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

func newAuditPubkeyCmd(e *env) *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "pubkey",
		Short: "Print the key that the record is verified with",
		Long: `Pubkey prints the record's public key, as audit verify --key reads it from a file.
Give it to whoever shall verify the record, by a way that is not the record's.`,
		Example: `  palisade audit pubkey > log.pub`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := e.place(f)
			if err != nil {
				return err
			}
			return e.print(p.publicKey + "\n")
		},
	}
	f.register(cmd)
	return cmd
}

// count writes "1 line" and "3 lines".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "y") {
		return strconv.Itoa(n) + " " + strings.TrimSuffix(one, "y") + "ies"
	}
	return strconv.Itoa(n) + " " + one + "s"
}
