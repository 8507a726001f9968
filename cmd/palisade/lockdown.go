package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"palisade/internal/audit"
	"palisade/internal/incident"
	"palisade/internal/redact"
	"palisade/local"
)

func newLockdownCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lockdown",
		Short: "End every run and let none start, until it is lifted",
		Long: `In a lockdown nothing runs through any gate of the state folder, in whatever
process: what runs is ended at once, and what comes is refused, also after a restart.
Reading goes on: scan, parse, approvals and audit work as ever. Who did it, when and
why is on the record. A state that cannot be read is a lockdown too.`,
		Example: `  palisade lockdown on --why 'odd connections from tenant blue'
  palisade lockdown status
  palisade lockdown off --why 'it was a test'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newSwitchCmd("on", "End every run and let none start", "palisade lockdown on --why 'odd connections'", func(ctx context.Context, why string) error { return e.lockdown(ctx, true, why) }),
		newSwitchCmd("off", "Let programs run again", "palisade lockdown off --why 'it was a test'", func(ctx context.Context, why string) error { return e.lockdown(ctx, false, why) }),
		newBrakeStatusCmd(e), newHistoryCmd(e),
	)
	return cmd
}

func newEgressCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "egress",
		Short: "Cut every way out of every box, or open it again",
		Long: `With egress off no box reaches any peer, whatever policy allows: connections that
stand are cut, none is opened, and programs run on without a network.`,
		Example: `  palisade egress off --why 'a peer was taken over'
  palisade egress status
  palisade egress on`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newSwitchCmd("off", "Cut every way out", "palisade egress off --why 'a peer was taken over'", func(ctx context.Context, why string) error { return e.egress(ctx, true, why) }),
		newSwitchCmd("on", "Let programs reach what policy allows again", "palisade egress on", func(ctx context.Context, why string) error { return e.egress(ctx, false, why) }),
		newBrakeStatusCmd(e),
	)
	return cmd
}

// newSwitchCmd is one position of a switch.
func newSwitchCmd(use, short, example string, set func(context.Context, string) error) *cobra.Command {
	var why string
	cmd := &cobra.Command{
		Use: use, Short: short, Example: "  " + example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return set(cmd.Context(), why) },
	}
	cmd.Flags().StringVar(&why, "why", "", "why; it is recorded and shown to whoever looks")
	return cmd
}

// brake opens the brake; the caller closes it.
func (e *env) brake(ctx context.Context) (*local.Incident, error) {
	b, err := local.OpenIncident(ctx, e.local())
	if err != nil {
		return nil, exit(1, "%w", err)
	}
	return b, nil
}

func (e *env) lockdown(ctx context.Context, on bool, why string) error {
	b, err := e.brake(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	out, err := b.Lockdown(ctx, on, submitter(), why)
	if !on {
		if err != nil {
			return exit(1, "%w", err)
		}
		return e.print("lockdown is off: programs run again\n")
	}
	if err == nil || errors.Is(err, local.ErrUnrecorded) {
		if told := e.print("lockdown is on: nothing runs until palisade lockdown off\n"); told != nil {
			return told
		}
	}
	return e.stopped(out, err)
}

func (e *env) egress(ctx context.Context, off bool, why string) error {
	b, err := e.brake(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	text := "egress is on: programs reach what policy allows\n"
	if off {
		text = "egress is off: no box reaches any peer until palisade egress on\n"
	}
	err = b.Egress(ctx, off, submitter(), why)
	if err == nil || errors.Is(err, local.ErrUnrecorded) {
		if told := e.print(text); told != nil {
			return told
		}
	}
	if err != nil {
		return exit(1, "%w", err)
	}
	return nil
}

// stopped tells what came of ending runs. What still runs is an error that says
// how to end it for certain.
func (e *env) stopped(out local.Stopped, err error) error {
	dead := len(out.Running) - len(out.Left)
	if dead > 0 {
		if told := e.print(fmt.Sprintf("%s ended in %d ms\n", count(dead, "run"), out.Took.Milliseconds())); told != nil {
			return told
		}
	}
	for _, r := range out.Left {
		err = errors.Join(err, fmt.Errorf("run %s did not end in %s: its gate does not move; kill -9 %d ends the gate with all of its boxes", r.Run, local.Patience, r.PID))
	}
	if err != nil {
		return exit(1, "%w", err)
	}
	return nil
}

// brakeStatus is the brake as JSON.
type brakeStatus struct {
	incident.State
	Error   string             `json:"error,omitempty"` // the state cannot be read, which is a lockdown
	Running []incident.Running `json:"running"`
}

func newBrakeStatusCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show what is switched, and what runs",
		Example: "  palisade lockdown status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := e.brake(cmd.Context())
			if err != nil {
				return err
			}
			defer b.Close()
			var status brakeStatus
			if status.State, err = b.State(); err != nil {
				status.Error = err.Error()
			}
			if status.Running, err = b.Running(); err != nil {
				return exit(1, "%w", err)
			}
			if asJSON {
				status.Running = append([]incident.Running{}, status.Running...)
				return writeJSON(e.stdout, status)
			}
			return e.brakeStatus(status)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (e *env) brakeStatus(s brakeStatus) error {
	state := func(name string, s incident.Switch, on, off string) string {
		if s.On {
			return redact.EscapeLine(fmt.Sprintf("%s %s%s", name, on, s)) + "\n"
		}
		return redact.EscapeLine(fmt.Sprintf("%s %s%s", name, off, s)) + "\n"
	}
	text := state("lockdown", s.Lockdown, "is on", "is off") + state("egress", s.EgressOff, "is off", "is on")
	if err := e.print(text); err != nil {
		return err
	}
	return e.listRunning(s.Running)
}

func (e *env) listRunning(running []incident.Running) error {
	if len(running) == 0 {
		return e.print("nothing runs\n")
	}
	rows := [][]string{{"RUNNING SINCE (UTC)", "RUN", "TENANT", "PID OF ITS GATE"}}
	for _, r := range running {
		rows = append(rows, []string{r.Since.UTC().Format(time.DateTime), r.Run, r.Tenant, fmt.Sprint(r.PID)})
	}
	return e.table(rows)
}

func newHistoryCmd(e *env) *cobra.Command {
	var f recordFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "history",
		Short:   "List lockdowns, cuts and kills as they are on the record",
		Example: "  palisade lockdown history --json | jq .data.why",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, err := e.reader(f)
			if err != nil {
				return err
			}
			defer r.Close()
			rows := [][]string{{"WHEN (UTC)", "WHAT", "WHO", "WHY"}}
			for rec, err := range r.View().Records(0, incident.KindLockdown, incident.KindEgress, incident.KindKill) {
				if err != nil {
					return exit(1, "%w", err)
				}
				if asJSON {
					if err := writeJSON(e.stdout, rec); err != nil {
						return err
					}
					continue
				}
				rows = append(rows, historyRow(rec))
			}
			if asJSON {
				return nil
			}
			if len(rows) == 1 {
				return e.print("nothing was switched or killed\n")
			}
			return e.table(rows)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one record a line")
	return cmd
}

func historyRow(rec audit.Record) []string {
	when, what := rec.Time.UTC().Format(time.DateTime), string(rec.Kind)
	if rec.Kind == incident.KindKill {
		var r incident.Request
		if rec.Decode(&r) != nil {
			return []string{when, what, "", "(its payload is no longer kept)"}
		}
		return []string{when, what + " " + cmp.Or(r.Run, r.Tenant, "all"), r.Who, r.Why}
	}
	var c incident.Switch
	if rec.Decode(&c) != nil {
		return []string{when, what, "", "(its payload is no longer kept)"}
	}
	return []string{when, incident.Switched(rec.Kind, c.On), c.Who, c.Why}
}
