package local

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/config"
	"palisade/internal/egress"
	"palisade/internal/policy"
	"palisade/internal/sandbox"
)

// newProxy returns the way out of boxes, with the credentials that stay outside.
func newProxy(c Config, cfg *config.Config) *egress.Proxy {
	var secrets []egress.Secret
	for _, name := range slices.Sorted(maps.Keys(cfg.Egress.Secrets)) {
		s := cfg.Egress.Secrets[name]
		secrets = append(secrets, egress.Secret{Name: name, Variable: s.Variable, Host: s.Host, File: s.File})
	}
	return egress.New(egress.Config{Secrets: secrets, Logger: c.logger()})
}

// exits are the ways out that the brake leaves open.
type exits struct{ gate *Gate }

// Open implements [sandbox.Egress].
func (e exits) Open(ctx context.Context, job palisade.Job, fromBox, toBox *os.File) (sandbox.Exit, error) {
	exit, err := e.gate.egress.Open(ctx, job, fromBox, toBox)
	if err != nil {
		return nil, err
	}
	// Asked last: whoever cuts now finds the way out open, and ends it.
	if err := e.gate.brake.EgressOff(); err != nil {
		exit.Close()
		return nil, &sandbox.ExitError{Fix: "every way out is cut for now: programs that need none still run", Err: err}
	}
	return exit, nil
}

// cut ends every connection. Ways out that are opened later ask the brake.
func (g *Gate) cut() error {
	g.egress.Cut()
	g.egress.Mend()
	return nil
}

// knownSecrets reports secrets that policy names and config does not have.
func knownSecrets(set *policy.Set, cfg *config.Config) error {
	var missing []string
	for _, name := range set.Secrets() {
		if _, ok := cfg.Egress.Secrets[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("policy names secrets that config does not have: %s; add them under egress.secrets", strings.Join(missing, ", "))
	}
	return nil
}
