package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"palisade/internal/config"
	"palisade/internal/policy"
	"palisade/internal/redact"
	"palisade/internal/yamlfile"
)

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 1 << 20

func newConfigCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and check the configuration",
		Long: `Config shows what is configured and where each value comes from, and checks files
before they are put in place. docs/guide/configuration.md explains every key.`,
	}
	cmd.AddCommand(newConfigShowCmd(e), newConfigCheckCmd(e))
	return cmd
}

func newConfigShowCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print every key in effect, and where it comes from",
		Long: `Show prints every key with its value in effect, and after it where that comes from: a
file with its line, a variable, a flag, or the default. Secrets are not shown.

Exit codes: 0, 2 the configuration is wrong.`,
		Example: `  palisade config show
  palisade config show --json | jq 'select(.origin != "default")'`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := e.stateless()
			if err != nil {
				return err
			}
			if !asJSON {
				return e.print(redact.Escape(cfg.String()))
			}
			for _, v := range cfg.Show() {
				if err := writeJSON(e.stdout, v); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one key a line")
	return cmd
}

func newConfigCheckCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FILE | -]...",
		Short: "Say what is wrong with configuration files",
		Long: `Check reads each file and prints every complaint with its place. Without a file it
loads what would be in effect, files, variables and the policy that they name.

Exit codes: 0 nothing wrong, 1 something wrong, 2 usage or unreadable.`,
		Example: `  palisade config check
  palisade config check new-config.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := e.checkConfigs(cmd.Context(), args)
			if err != nil {
				return err
			}
			return e.showAllChecked(all, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one complaint a line")
	return cmd
}

func (e *env) checkConfigs(ctx context.Context, args []string) ([]checked, error) {
	if len(args) > 0 {
		return e.checkFiles(ctx, args, maxConfig, config.Check)
	}
	cfg, err := e.stateless()
	if err == nil {
		_, err = policy.Load(policyConfig(cfg))
	}
	all := checked{name: "configuration"}
	if problems, ok := errors.AsType[yamlfile.Problems](err); ok {
		all.problems = problems
	} else if err != nil {
		return nil, usage("%w", err)
	}
	return []checked{all}, nil
}
