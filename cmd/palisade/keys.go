package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"palisade/internal/auth"
	"palisade/internal/store"
	"palisade/local"
)

func newKeysCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Make, list, rotate and revoke the keys of programs that come in from outside",
		Long: `A key belongs to a tenant and has roles in it: a submitter submits programs, an
approver answers questions, an auditor reads the tenant's record, an admin also
makes and revokes its keys. Those of the tenant system are the operator's: their
approvers, auditors and admins are so in every tenant.

A key's secret is told once, when it is made; only its hash is kept. What changes
keys is on the record before it takes effect, and holds for the next request of
whoever comes with them. Who may run these commands can read the record's own key,
so they act as the operator.`,
		Example: `  palisade keys create --tenant acme --role submitter --label 'nightly job'
  palisade keys ls --tenant acme
  palisade keys rotate 4tH0aB2cD3eF --grace 1h
  palisade keys revoke --tenant acme --reason 'laptop stolen'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKeysCreateCmd(e), newKeysLsCmd(e), newKeysRotateCmd(e), newKeysRevokeCmd(e))
	return cmd
}

// withIndex opens the index, and closes it after f.
func (e *env) withIndex(ctx context.Context, f func(i *local.Index) error) error {
	i, err := local.OpenIndex(ctx, e.local())
	if err != nil {
		return exit(1, "%w", err)
	}
	return errors.Join(f(i), i.Close())
}

// operator is who runs a command on the gate's own machine.
func operator() auth.Caller { return auth.Operator(submitter()) }

// keyError gives an error its exit code: 2 for what the caller can mend.
func keyError(err error) error {
	for _, mendable := range []error{auth.ErrInvalid, auth.ErrUnknownKey} {
		if errors.Is(err, mendable) {
			return usage("%w", err)
		}
	}
	return exit(1, "%w", err)
}

func newKeysCreateCmd(e *env) *cobra.Command {
	var f struct {
		tenant, owner, label string
		roles, profiles      []string
		expires              span
		json                 bool
	}
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make a key; its token is printed once, and nowhere else",
		Example: `  palisade keys create --tenant acme --role submitter --profile pal,data
  palisade keys create --role approver --owner ann@example.org --expires 90d
  TOKEN=$(palisade keys create --role submitter)`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			roles, err := auth.ParseRoles(f.roles)
			if err != nil {
				return usage("--role: %w", err)
			}
			if err := e.knowProfiles(f.profiles); err != nil {
				return err
			}
			g := auth.Grant{Tenant: f.tenant, Owner: f.owner, Label: f.label, Roles: roles, Profiles: f.profiles}
			// A time that is given is one to end at: --expires 0 is refused as past, and
			// makes no key that never ends.
			if cmd.Flags().Changed("expires") {
				g.Expires = time.Now().Add(time.Duration(f.expires)).UTC().Truncate(time.Second)
			}
			return e.withIndex(cmd.Context(), func(i *local.Index) error {
				key, token, err := i.Keys.Create(cmd.Context(), operator(), g)
				if err != nil {
					return keyError(err)
				}
				return e.tellKey(key, token, f.json)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tenant, "tenant", auth.Default, "tenant that it belongs to; system is the operator's")
	flags.StringSliceVar(&f.roles, "role", nil, "`role`, once or more: submitter, approver, auditor, admin")
	flags.StringSliceVar(&f.profiles, "profile", nil, "`profile` that it may name, once or more, of those that policy has; '*': all (default: none, which gives it the default profile)")
	flags.StringVar(&f.owner, "owner", "", "the human or service that gets it: all keys of one owner are one identity")
	flags.StringVar(&f.label, "label", "", "a text for lists")
	flags.Var(&f.expires, "expires", "`time` after which it ends by itself, such as 12h, 3d or 2w (default never)")
	flags.BoolVar(&f.json, "json", false, "print the key with its token as JSON")
	return cmd
}

// knowProfiles refuses profiles that policy does not have: whoever came with such a
// key would be refused, and nobody would see why.
func (e *env) knowProfiles(names []string) error {
	if len(names) == 0 {
		return nil
	}
	set, err := e.policies()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != auth.AnyProfile && !slices.Contains(set.Names(), name) {
			return usage("--profile %q: policy has no such profile: there are %s, or '*' for all", name, strings.Join(set.Names(), ", "))
		}
	}
	return nil
}

// tellKey prints a token on standard output, and what it is on standard error.
func (e *env) tellKey(key auth.Key, token string, asJSON bool) error {
	if asJSON {
		return writeJSON(e.stdout, struct {
			auth.Key
			Token string `json:"token"`
		}{key, token})
	}
	var roles []string
	for _, r := range key.Roles {
		roles = append(roles, string(r))
	}
	may := "names no profile and gets the default one"
	if len(key.Profiles) > 0 {
		may = "may name " + strings.Join(key.Profiles, ", ")
	}
	until := "does not end by itself"
	if !key.Expires.IsZero() {
		until = "ends at " + key.Expires.UTC().Format(time.RFC3339)
	}
	text := fmt.Sprintf("key %s of tenant %s: %s; %s; %s\nThis is the only time that its token is told:\n", key.ID, key.Tenant, strings.Join(roles, ", "), may, until)
	if err := printTo(e.stderr, text); err != nil {
		return err
	}
	return e.print(token + "\n")
}

func newKeysLsCmd(e *env) *cobra.Command {
	var tenant string
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List keys, the newest first",
		Example: `  palisade keys ls
  palisade keys ls --tenant acme --all --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withIndex(cmd.Context(), func(i *local.Index) error {
				keys, err := i.Store.Keys(cmd.Context(), operator(), tenant)
				if err != nil {
					return exit(1, "%w", err)
				}
				return e.listKeys(keys, all, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "of this tenant only")
	cmd.Flags().BoolVar(&all, "all", false, "also those that were revoked or have expired")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one key a line")
	return cmd
}

func (e *env) listKeys(keys []store.Key, all, asJSON bool) error {
	rows := [][]string{{"KEY", "TENANT", "ROLES", "PROFILES", "OWNER", "MADE (UTC)", "STATE", "LABEL"}}
	for _, k := range keys {
		state, good := keyState(k, time.Now())
		if !good && !all {
			continue
		}
		if asJSON {
			if err := writeJSON(e.stdout, k); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{
			k.ID, k.Tenant, strings.Join(k.Roles, ","), strings.Join(k.Profiles, ","), k.Owner, k.Created.UTC().Format(time.DateTime), state, k.Label,
		})
	}
	switch {
	case asJSON:
		return nil
	case len(rows) == 1:
		return e.print("no keys\n")
	}
	return e.table(rows)
}

// keyState says in a word what a key is, and whether it is good.
func keyState(k store.Key, now time.Time) (string, bool) {
	switch {
	case !k.Revoked.IsZero():
		return "revoked", false
	case k.Expires.IsZero():
		return "good", true
	case !now.Before(k.Expires):
		return "expired", false
	}
	return "until " + k.Expires.UTC().Format(time.DateTime), true
}

func newKeysRotateCmd(e *env) *cobra.Command {
	var grace span
	cmd := &cobra.Command{
		Use:   "rotate KEY",
		Short: "Give a key another secret; the token is printed once",
		Long: `Rotate gives a key another secret. It stays the same key: the same roles, the same
identity, the same end. The token before is good for --grace still, so that whoever
uses it can change over; without, it ends at once.`,
		Example: `  palisade keys rotate 4tH0aB2cD3eF
  palisade keys rotate 4tH0aB2cD3eF --grace 1h`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.withIndex(cmd.Context(), func(i *local.Index) error {
				token, err := i.Keys.Rotate(cmd.Context(), operator(), args[0], time.Duration(grace))
				if err != nil {
					return keyError(err)
				}
				before := "the token before is refused from now on"
				if grace > 0 {
					before = "the token before is good until " + time.Now().Add(time.Duration(grace)).UTC().Format(time.RFC3339)
				}
				if err := printTo(e.stderr, fmt.Sprintf("key %s: %s\nThis is the only time that its token is told:\n", args[0], before)); err != nil {
					return err
				}
				return e.print(token + "\n")
			})
		},
	}
	cmd.Flags().Var(&grace, "grace", "`time` for which the token before is good still, such as 1h or 2d, at most 7d")
	return cmd
}

func newKeysRevokeCmd(e *env) *cobra.Command {
	var f struct {
		tenant, owner, reason string
		everyone              bool
	}
	cmd := &cobra.Command{
		Use:   "revoke [KEY…]",
		Short: "End keys, for their next request",
		Long: `Revoke ends the keys that are named, or with --tenant all of a tenant, with --tenant
and --owner all of one owner in it, with --everyone all there are. All but the first
end the sessions of people too. What was made before does not come back; keys that
are made later are good. Programs that run already go on.`,
		Example: `  palisade keys revoke 4tH0aB2cD3eF --reason 'in a public repository'
  palisade keys revoke --tenant acme --owner ann@example.org
  palisade keys revoke --everyone --reason 'the index was copied'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			what, err := revocations(args, f.tenant, f.owner, f.everyone)
			if err != nil {
				return err
			}
			return e.withIndex(cmd.Context(), func(i *local.Index) error {
				for _, r := range what {
					r.Reason = f.reason
					if err := e.revoke(cmd.Context(), i, r); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tenant, "tenant", "", "all of this tenant")
	flags.StringVar(&f.owner, "owner", "", "all of this owner in the tenant")
	flags.BoolVar(&f.everyone, "everyone", false, "all there are")
	flags.StringVar(&f.reason, "reason", "", "why; it is recorded")
	return cmd
}

// revoke ends keys and tells it. Of a key that was revoked before it tells when, and
// leaves the record as it is.
func (e *env) revoke(ctx context.Context, i *local.Index, r auth.Revocation) error {
	if r.Scope == auth.OneKey {
		if err := i.Keys.Index.Sync(ctx); err != nil {
			return exit(1, "%w", err)
		}
		key, err := i.Keys.Index.Key(ctx, r.Target)
		if err == nil && !key.Revoked.IsZero() {
			return e.print("key " + key.ID + " was revoked already, at " + key.Revoked.UTC().Format(time.RFC3339) + "; nothing was changed\n")
		}
	}
	if err := i.Keys.Revoke(ctx, operator(), r); err != nil {
		return keyError(err)
	}
	return e.print("revoked " + revoked(r) + "\n")
}

// revocations reads what is to be revoked: one kind at a time, so that no flag is
// taken for granted and then was not heeded.
func revocations(keys []string, tenant, owner string, everyone bool) ([]auth.Revocation, error) {
	switch {
	case everyone && tenant == "" && owner == "" && len(keys) == 0:
		return []auth.Revocation{{Scope: auth.Everyone}}, nil
	case owner != "" && tenant != "" && !everyone && len(keys) == 0:
		return []auth.Revocation{{Scope: auth.OneOwner, Tenant: tenant, Target: owner}}, nil
	case tenant != "" && owner == "" && !everyone && len(keys) == 0:
		return []auth.Revocation{{Scope: auth.OneTenant, Tenant: tenant}}, nil
	case len(keys) > 0 && tenant == "" && owner == "" && !everyone:
		var all []auth.Revocation
		for _, id := range keys {
			all = append(all, auth.Revocation{Scope: auth.OneKey, Target: id})
		}
		return all, nil
	}
	return nil, usage("want keys, or --tenant with or without --owner, or --everyone: one of these (palisade keys revoke --help)")
}

func revoked(r auth.Revocation) string {
	switch r.Scope {
	case auth.OneKey:
		return "key " + r.Target
	case auth.OneOwner:
		return "all keys and sessions of " + r.Target + " in tenant " + r.Tenant
	case auth.OneTenant:
		return "all keys and sessions of tenant " + r.Tenant
	}
	return "all keys and sessions"
}
