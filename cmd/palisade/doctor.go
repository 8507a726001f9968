package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"palisade/internal/redact"
	"palisade/local"
)

// grade says what a finding of doctor means.
type grade string

const (
	good    grade = "ok"
	weaker  grade = "weaker"  // works, with a weaker layer that policy may not accept
	absent  grade = "absent"  // some programs cannot run
	missing grade = "missing" // programs cannot run
)

// diagnosis is one thing that doctor looked at.
type diagnosis struct {
	Name   string `json:"name"`
	Grade  grade  `json:"grade"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func newDoctorCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what this machine has, and how to get what is missing",
		Long: `Doctor looks at what sandboxes need (user namespaces, cgroups, seccomp, Landlock,
the interpreters), starts real sandboxes, and checks state folder, policy and
configuration. It changes nothing outside the state folder.

Exit codes: 0 programs can run, 1 something is missing.`,
		Example: `  palisade doctor
  palisade doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := e.diagnose(cmd.Context())
			bad := 0
			for _, d := range found {
				if d.Grade == missing {
					bad++
				}
				if err := e.showDiagnosis(asJSON, d); err != nil {
					return err
				}
			}
			if bad > 0 {
				return exit(1, "%d missing: programs cannot run yet", bad)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
}

func (e *env) diagnose(ctx context.Context) []diagnosis {
	found := []diagnosis{userNamespaces(), cgroups(), seccomp(), landlock()}
	for _, check := range local.Checks(ctx, e.local()) {
		d := diagnosis{check.Name, good, check.Detail, check.Fix}
		if check.Err != nil {
			d.Grade, d.Detail = missing, check.Err.Error()
			if check.Optional {
				d.Grade = absent
			}
		}
		found = append(found, d)
	}
	return found
}

func (e *env) showDiagnosis(asJSON bool, d diagnosis) error {
	if asJSON {
		return writeJSON(e.stdout, d)
	}
	if _, err := fmt.Fprintf(e.stdout, "%-8s %-16s %s\n", d.Grade, d.Name, redact.Escape(d.Detail)); err != nil {
		return err
	}
	if d.Fix == "" || d.Grade == good {
		return nil
	}
	_, err := fmt.Fprintf(e.stdout, "%-8s %-16s → %s\n", "", "", redact.Escape(d.Fix))
	return err
}
