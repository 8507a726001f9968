package main

import (
	"errors"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"palisade"
	"palisade/internal/audit"
	"palisade/internal/incident"
	"palisade/internal/redact"
)

func newInvestigateCmd(e *env) *cobra.Command {
	var f recordFlags
	var asJSON bool
	var out string
	cmd := &cobra.Command{
		Use:   "investigate RUN",
		Short: "Gather all that the record tells of a run, and where its harmful part stems from",
		Long: `Investigate puts prompt, code, findings, what happened in the box, the outcome, and
the runs of the same conversation and the same submitter into one report. It compares
the harmful part of the program with what came with it, and says whether that part
stands in the prompt, in a file or input, in an earlier turn of the conversation, or
in none of them, and so stems from the model; with the evidence, and how sure that is.
RUN is the run's ID or a beginning of it that only one run has.`,
		Example: `  palisade investigate 06h2jn
  palisade investigate 06h2jn --json | jq .stems_from
  palisade investigate 06h2jn --out report.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := e.reader(f)
			if err != nil {
				return err
			}
			defer r.Close()
			report, err := investigate(r, args[0])
			if err != nil {
				return err
			}
			if out == "" {
				return writeReport(e.stdout, report, asJSON)
			}
			file, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return usage("--out: %w", err)
			}
			if err := errors.Join(writeReport(file, report, asJSON), file.Close()); err != nil {
				return exit(1, "--out: %w", err)
			}
			return nil
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of Markdown; it has everything whole")
	cmd.Flags().StringVar(&out, "out", "", "write the report into this `file`, which must not be there")
	return cmd
}

func writeReport(w io.Writer, report *incident.Report, asJSON bool) error {
	if asJSON {
		return writeJSON(w, report)
	}
	return printTo(w, report.Markdown(redact.EscapeLine))
}

func investigate(r *audit.Reader, id string) (*incident.Report, error) {
	_, records, err := r.Show(id)
	if errors.Is(err, audit.ErrNoRun) || errors.Is(err, audit.ErrManyRuns) {
		return nil, usage("%w", err)
	}
	if err != nil {
		return nil, exit(1, "%w", err)
	}
	var own []incident.Record
	for _, rec := range records {
		own = append(own, incidentRecord(rec))
	}
	report, err := incident.Investigate(own, incidentLog{r.View()})
	if err != nil {
		return nil, exit(1, "%w", err)
	}
	return report, nil
}

// incidentLog is the record as package incident reads it.
type incidentLog struct{ audit.View }

// Records implements [incident.Source].
func (l incidentLog) Records(from int64, kinds ...palisade.EventKind) iter.Seq2[incident.Record, error] {
	return func(yield func(incident.Record, error) bool) {
		for rec, err := range l.View.Records(from, kinds...) {
			if !yield(incidentRecord(rec), err) {
				return
			}
		}
	}
}

func incidentRecord(rec audit.Record) incident.Record {
	return incident.Record{Index: rec.Index, Run: rec.Run, Kind: rec.Kind, Time: rec.Time, Data: rec.Data}
}
