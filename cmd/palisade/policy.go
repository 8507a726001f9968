package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"palisade/internal/config"
	"palisade/internal/policy"
	"palisade/internal/redact"
	"palisade/internal/yamlfile"
	"palisade/local"
)

// maxPolicy bounds a policy file that is checked, in bytes; a larger one is
// refused by the reader with its own words.
const maxPolicy = 1 << 20

func newPolicyCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Show, check and explain policy",
		Long: `A policy is a set of profiles: the built-in pal, data, agent, query and infra,
and those of the files that the configuration names.`,
		Example: `  palisade policy show data
  palisade policy check my-policy.yaml
  palisade policy explain --profile data os.system`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPolicyShowCmd(e), newPolicyCheckCmd(e), newPolicyExplainCmd(e))
	return cmd
}

// policyConfig is the part of the configuration that policy is made of. Who may
// name which profile does not matter here: nothing is decided.
func policyConfig(cfg *config.Config) policy.Config {
	return policy.Config{Files: cfg.Policy, Default: cfg.DefaultProfile, Origin: cfg.Origin, Rules: local.Rules}
}

// policies loads the policy that the configuration names.
func (e *env) policies() (*policy.Set, error) {
	cfg, err := e.stateless()
	if err != nil {
		return nil, err
	}
	set, err := policy.Load(policyConfig(cfg))
	if err != nil {
		return nil, usage("%w", err)
	}
	return set, nil
}

func newPolicyShowCmd(e *env) *cobra.Command {
	var effective bool
	cmd := &cobra.Command{
		Use:   "show [PROFILE]",
		Short: "Print a profile's file, or list the profiles",
		Example: `  palisade policy show
  palisade policy show data --effective | jq .limits`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := e.policies()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return e.listProfiles(set)
			}
			if effective {
				p, err := set.Profile(args[0])
				if err != nil {
					return noProfile(set, args[0], err)
				}
				return writeJSON(e.stdout, p)
			}
			text, err := set.Show(args[0])
			if err != nil {
				return noProfile(set, args[0], err)
			}
			return e.print(string(text))
		},
	}
	cmd.Flags().BoolVar(&effective, "effective", false, "print the profile as it is in effect, as JSON")
	cmd.ValidArgsFunction = e.completeProfiles
	return cmd
}

// noProfile says which profiles there are.
func noProfile(set *policy.Set, name string, err error) error {
	if errors.Is(err, policy.ErrNoProfile) {
		return usage("profile %.40q: %w; there are %s", name, policy.ErrNoProfile, strings.Join(set.Names(), ", "))
	}
	return usage("%w", err)
}

func (e *env) completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	set, err := e.policies()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return set.Names(), cobra.ShellCompDirectiveNoFileComp
}

func (e *env) listProfiles(set *policy.Set) error {
	rows := [][]string{{"PROFILE", "VERSION", "DIGEST", "DESCRIPTION"}}
	for _, name := range set.Names() {
		p, err := set.Profile(name)
		if err != nil {
			return exit(1, "%w", err)
		}
		if name == set.Default() {
			name += " (default)"
		}
		description, _, _ := strings.Cut(strings.TrimSpace(p.Description), "\n")
		rows = append(rows, []string{name, p.Version, p.Digest().String()[:12], description})
	}
	return e.table(rows)
}

func newPolicyCheckCmd(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FILE | -]...",
		Short: "Say what is wrong with policy files",
		Long: `Check reads each file over the built-in profiles and prints every complaint with its
place. Without a file it loads what the configuration names.

Exit codes: 0 nothing wrong, 1 something wrong, 2 usage or unreadable.`,
		Example: `  palisade policy check my-policy.yaml
  palisade policy check --json policies/*.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			checked, err := e.checkPolicies(cmd.Context(), args)
			if err != nil {
				return err
			}
			return e.showAllChecked(checked, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one complaint a line")
	return cmd
}

// checked is a policy or configuration file, or all that is in effect, and what is
// wrong with it.
type checked struct {
	name     string
	problems []policy.Problem
}

// showAllChecked prints what is wrong; that is exit code 1.
func (e *env) showAllChecked(all []checked, asJSON bool) error {
	wrong := false
	for _, c := range all {
		wrong = wrong || len(c.problems) > 0
		if err := e.showChecked(c, asJSON); err != nil {
			return err
		}
	}
	if wrong {
		return exit(1, "")
	}
	return nil
}

func (e *env) showChecked(c checked, asJSON bool) error {
	if len(c.problems) == 0 && !asJSON {
		return e.print(redact.EscapeLine(c.name) + ": ok\n")
	}
	for _, p := range c.problems {
		var err error
		if asJSON {
			err = writeJSON(e.stdout, p)
		} else {
			err = e.print(p.String() + "\n")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *env) checkPolicies(ctx context.Context, args []string) ([]checked, error) {
	if len(args) == 0 {
		cfg, err := e.stateless()
		if err != nil {
			return nil, err
		}
		all := checked{name: "built-in policy"}
		if len(cfg.Policy) > 0 {
			all.name = strings.Join(cfg.Policy, ", ")
		}
		_, err = policy.Load(policyConfig(cfg))
		if problems, ok := errors.AsType[yamlfile.Problems](err); ok {
			all.problems = problems
		} else if err != nil {
			return nil, usage("%w", err)
		}
		return []checked{all}, nil
	}
	return e.checkFiles(ctx, args, maxPolicy, func(name string, data []byte) []policy.Problem {
		return policy.Check(name, data, local.Rules)
	})
}

// checkFiles checks files, or standard input, of at most so many bytes.
func (e *env) checkFiles(ctx context.Context, names []string, most int64, check func(name string, data []byte) []yamlfile.Problem) ([]checked, error) {
	var all []checked
	for _, name := range names {
		var data []byte
		var err error
		if name == "-" {
			name = "standard input"
			data, err = readAll(ctx, e.stdin, name, most)
		} else {
			data, err = readFile(ctx, name, most)
		}
		if err != nil {
			return nil, usage("%w", err)
		}
		all = append(all, checked{name, check(name, data)})
	}
	return all, nil
}

func newPolicyExplainCmd(e *env) *cobra.Command {
	var profile string
	cmd := &cobra.Command{
		Use:   "explain [THING]...",
		Short: "Say which line of policy decides about a thing",
		Long: `Explain says what a profile decides about a thing, which line of which file says so,
what is allowed instead, and how to allow it. A thing is a module or callable
(os, os.path.join), a builtin (builtins.open), a capability (process), one with the
name that it is used on ("read_data sales", "target prod", "remote_code
hashicorp/aws"; "table sales" and "image nginx" too), a path (/work/x, "write
/etc/x", "delete /work/x"), a peer ("network example.org:443", a URL), a variable
("environment HOME"), a rule ("rule py-eval") or a section (paths, capabilities,
named, rules, patterns, score, approvals, conditions). Without one, the whole profile.

A first word such as import, call or read_path says how the rest is meant: import
score is about the module of that name.`,
		Example: `  palisade policy explain --profile data os.system
  palisade policy explain --profile pal numpy "write /work/out.csv" https://example.org
  palisade policy explain --profile query "table sales" read_data
  palisade policy explain --profile agent`,
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := e.policies()
			if err != nil {
				return err
			}
			if profile == "" {
				profile = set.Default()
			}
			if len(args) == 0 {
				args = []string{""}
			}
			var b strings.Builder
			for _, thing := range args {
				text, err := set.Explain(profile, thing)
				if err != nil {
					return usage("%w", err)
				}
				fmt.Fprint(&b, text)
			}
			return e.print(b.String())
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "", "profile (default: the policy's)")
	return cmd
}
