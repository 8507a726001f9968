package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/audit"
	"palisade/internal/config"
	"palisade/internal/httpapi"
	"palisade/internal/incident"
	"palisade/internal/policy"
	"palisade/internal/yamlfile"
	"palisade/local"
)

// httpBrake is the gate's brake as the door over HTTP pulls it.
type httpBrake struct{ *local.Incident }

func (b httpBrake) Lockdown(ctx context.Context, on bool, who, why string) (httpapi.Stopped, error) {
	out, err := b.Incident.Lockdown(ctx, on, who, why)
	return httpapi.Stopped(out), err
}

func (b httpBrake) Kill(ctx context.Context, r incident.Request) (httpapi.Stopped, error) {
	out, err := b.Incident.Kill(ctx, r)
	if errors.Is(err, local.ErrNotRunning) {
		err = httpapi.ErrNotRunning
	}
	return httpapi.Stopped(out), err
}

// httpAudit is the record as the door over HTTP reads it.
type httpAudit struct {
	*local.Index
	env *env
}

func (a httpAudit) PublicKey() (string, error) {
	p, err := a.env.place(recordFlags{})
	return p.publicKey, err
}

func (a httpAudit) Verify(ctx context.Context) (audit.Report, error) {
	p, err := a.env.place(recordFlags{})
	if err != nil {
		return audit.Report{}, err
	}
	heads, err := p.mirrored()
	if err != nil {
		return audit.Report{}, err
	}
	return audit.Verify(ctx, p.dir, p.publicKey, audit.VerifyOptions{Heads: heads})
}

func (a httpAudit) Investigate(_ context.Context, run string) (*incident.Report, error) {
	r, err := a.env.reader(recordFlags{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return investigate(r, run)
}

// httpPolicies is the policy in effect as the door over HTTP shows it: files go by
// their names, not by where they lie.
type httpPolicies struct {
	set   *policy.Set
	names *strings.Replacer
}

func newHTTPPolicies(cfg *config.Config) (httpPolicies, error) {
	set, err := policy.Load(policyConfig(cfg))
	if err != nil {
		return httpPolicies{}, err
	}
	var pairs []string
	for _, file := range cfg.Policy {
		pairs = append(pairs, file, filepath.Base(file), filepath.Dir(file)+"/", "")
	}
	for _, file := range set.RuleFiles() {
		pairs = append(pairs, file.Name, filepath.Base(file.Name))
	}
	return httpPolicies{set, strings.NewReplacer(pairs...)}, nil
}

func (p httpPolicies) Profiles() []httpapi.Profile {
	out := []httpapi.Profile{}
	for _, name := range p.set.Names() {
		one, err := p.set.Profile(name)
		if err != nil {
			continue // each of them is there
		}
		out = append(out, httpapi.Profile{
			Name: name, Version: one.Version, Digest: one.Digest().String(), Description: strings.TrimSpace(one.Description), Default: name == p.set.Default(),
		})
	}
	return out
}

func (p httpPolicies) Usual(language palisade.Language) (usual, fallback string) {
	return p.set.Usual(language), p.set.Default()
}

func (p httpPolicies) Text(profile string) (string, bool) {
	text, err := p.set.Show(profile)
	return p.names.Replace(string(text)), err == nil
}

func (p httpPolicies) Explain(profile, thing string) (string, bool) {
	if profile == "" {
		profile = p.set.Default()
	}
	text, err := p.set.Explain(profile, thing)
	return p.names.Replace(text), err == nil
}

// Check implements [httpapi.Policies]. Files that a text names are the host's, and
// whoever sent it may not know what is in them: they are not opened.
func (p httpPolicies) Check(text string) []httpapi.Problem {
	const name = "policy"
	root, err := yamlfile.Parse(name, []byte(text))
	if err == nil && slices.ContainsFunc(root.Fields, func(f yamlfile.Field) bool { return f.Name == "rule_files" }) {
		return []httpapi.Problem{{Line: 1, Path: "rule_files", Message: "files of the gate's own machine are not read here", Fix: "leave rule_files out, and check the whole with palisade policy check on that machine"}}
	}
	var out []httpapi.Problem
	for _, one := range policy.Check(name, []byte(text), local.Rules) {
		out = append(out, httpapi.Problem{Line: one.Line, Column: one.Column, Path: one.Path, Message: one.Message, Fix: one.Fix})
	}
	return out
}
