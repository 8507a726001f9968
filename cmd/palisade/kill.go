package main

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"palisade/internal/incident"
	"palisade/local"
)

func newKillCmd(e *env) *cobra.Command {
	var r incident.Request
	cmd := &cobra.Command{
		Use:   "kill [RUN]",
		Short: "End a run, those of a tenant, or all that run now",
		Long: `Kill ends runs at once, through the gate that owns their boxes, in whatever process
that is. They end with the status killed, with who, when and why on the record. What
is submitted later runs: palisade lockdown on holds that off too. Without an argument
it lists what runs.

Exit codes: 0 all of them are dead, 1 one still lives or the gate failed, 2 no such
run is running.`,
		Example: `  palisade kill
  palisade kill 01kb7zq5w2m8e3x9c4d6 --why 'it mines'
  palisade kill --tenant blue
  palisade kill --all --why 'odd connections'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Run = cmp.Or(append(args, "")...)
			b, err := e.brake(cmd.Context())
			if err != nil {
				return err
			}
			defer b.Close()
			if len(args) == 0 && r.Tenant == "" && !r.All {
				running, err := b.Running()
				if err != nil {
					return exit(1, "%w", err)
				}
				return e.listRunning(running)
			}
			if len(args) > 0 && (r.Tenant != "" || r.All) || r.Tenant != "" && r.All {
				return usage("give one of RUN, --tenant and --all")
			}
			r.Who = submitter()
			out, err := b.Kill(cmd.Context(), r)
			if errors.Is(err, local.ErrNotRunning) {
				return usage("%w (palisade kill lists what runs)", err)
			}
			if err == nil && len(out.Running) == 0 {
				return e.print("nothing of it runs\n")
			}
			return e.stopped(out, err)
		},
	}
	cmd.Flags().StringVar(&r.Tenant, "tenant", "", "end the runs of this `tenant`")
	cmd.Flags().BoolVar(&r.All, "all", false, "end all that run now")
	cmd.Flags().StringVar(&r.Why, "why", "", "why; it is recorded")
	return cmd
}
