package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"palisade/internal/store"
	"palisade/local"
)

func newIndexCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Look at the index of the record, or make it anew",
		Long: `The index is a database, made from the record and from nothing else, that doors ask
for runs, questions and keys. The record is the truth: what the index holds can be
thrown away and made again.`,
		Example: `  palisade index status
  palisade index rebuild`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newIndexStatusCmd(e), newIndexRebuildCmd(e))
	return cmd
}

func newIndexStatusCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what the index holds, and whether it is of this record",
		Long: `Status changes nothing. It ends with 1 where the index is not one of this record: it
is of another, or the record no longer has what was indexed.`,
		Example: `  palisade index status
  palisade index status --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withIndex(cmd.Context(), func(i *local.Index) error {
				s, err := i.Status(cmd.Context())
				if err != nil {
					return exit(1, "%w", err)
				}
				if err := e.tellStatus(s, asJSON); err != nil {
					return err
				}
				if s.Problem != "" {
					return exit(1, "%s", s.Problem)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (e *env) tellStatus(s store.Status, asJSON bool) error {
	if asJSON {
		return writeJSON(e.stdout, s)
	}
	rows := [][]string{{"database", s.Database}, {"record", s.Origin}, {"entries applied", fmt.Sprintf("%d of %d", s.Applied, s.Entries)}}
	if s.Origin == "" {
		rows[1][1] = "(nothing was applied yet)"
	}
	for name, n := range sorted(s.Rows) {
		rows = append(rows, []string{name, strconv.FormatInt(n, 10)})
	}
	return e.table(rows)
}

func newIndexRebuildCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Make the index anew from the record, and compare the two",
		Long: `Rebuild throws the rows of the index away and makes them again from the record alone,
in one transaction: doors go on with the old rows until the new ones are there. It
ends with 0 where both are the same or there was nothing to compare, and with 1 where
they differed: then somebody, or a defect, had changed the index, which is now what
the record says.`,
		Example: `  palisade index rebuild
  palisade index rebuild --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withIndex(cmd.Context(), func(i *local.Index) error {
				r, err := i.Rebuild(cmd.Context())
				if err != nil {
					return exit(1, "%w", err)
				}
				return e.tellRebuilt(r, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (e *env) tellRebuilt(r store.Rebuilt, asJSON bool) error {
	if asJSON {
		if err := writeJSON(e.stdout, r); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("made %s from %s of the record", count(int(r.Rows), "row"), count(int(r.Entries), "entry"))
	switch {
	case asJSON:
	case r.Compared && len(r.Differences) == 0:
		text += "; the index held exactly these"
	case !r.Compared && len(r.Differences) == 0:
		text += "; there was nothing to compare them with"
	}
	if !asJSON {
		if err := e.print(text + "\n"); err != nil {
			return err
		}
	}
	differed := false
	for _, d := range r.Differences {
		line := fmt.Sprintf("%s differed: %d rows were there, the record says %d", d.Table, d.Before, d.After)
		if d.Why != "" {
			line = d.Table + ": " + d.Why
		}
		if err := printTo(e.stderr, line+"\n"); err != nil {
			return err
		}
		differed = differed || d.Table != "meta" // which log it is of is what the caller meant to change
	}
	if differed {
		return exit(1, "the index was not what the record says; it is now")
	}
	return nil
}
