package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/peer"
)

// maxReasons bounds the reasons of a verdict. The findings are all on the
// record anyway; the strictest reasons are kept.
const maxReasons = 200

// maxName bounds a dotted name that is looked up: no honest one is longer.
const maxName = 512

// Decide judges a case: who may name the profile, the language, each finding,
// then the conditions. The verdict is the strictest of all. It never returns an
// error: doubt is a denial.
func (s *Set) Decide(ctx context.Context, c palisade.Case) (palisade.Verdict, error) {
	v, err := s.DecideEach(ctx, c)
	v.Reasons = v.Reasons[:min(len(v.Reasons), maxReasons)]
	return v, err
}

// DecideEach is Decide with every reason, for who tells what is decided of some
// findings and not of others.
func (s *Set) DecideEach(ctx context.Context, c palisade.Case) (palisade.Verdict, error) {
	p, stop := s.choose(c.Submission)
	v := palisade.Verdict{
		Decision:       palisade.Allow,
		Policy:         "profiles." + p.Name,
		Profile:        p.Name,
		PolicyDigest:   p.digest,
		PolicyVersion:  p.Name + "@" + p.Version,
		Limits:         p.Limits.Below(c.Submission.Lower),
		Isolation:      p.isolation(),
		DeniedSyscalls: slices.Clone(p.DeniedSyscalls),
		Abort:          slices.Clone(p.Abort),
		TrustMessages:  p.TrustMessages,
		Available:      p.Available(),
	}
	if c.Submission.Deterministic || p.Deterministic {
		v.Deterministic = true
		v.Isolation.Layers = withLayer(v.Isolation.Layers, layerDeterminism, "kernel")
	}
	reasons := stop
	if len(stop) == 0 {
		reasons = p.judge(ctx, c)
	}
	slices.SortStableFunc(reasons, func(a, b palisade.Reason) int {
		return cmp.Or(cmp.Compare(a.Decision, b.Decision), cmp.Compare(b.Finding.Severity, a.Finding.Severity))
	})
	if len(reasons) > 0 {
		v.Decision, v.Policy = reasons[0].Decision, reasons[0].Policy
		v.Reasons = reasons
	}
	p.exits(&v)
	return v, nil
}

// layerDeterminism is the layer that a deterministic run wants: whether a
// back-end can fix chance and clock is for it to report.
const layerDeterminism = "determinism"

// withLayer wants one layer more, at a strength that the profile may have set.
func withLayer(layers map[string]string, name, strength string) map[string]string {
	if layers == nil {
		layers = map[string]string{}
	}
	if layers[name] == "" {
		layers[name] = strength
	}
	return layers
}

// isolation is what must be in force. A profile that ends runs on acts needs
// someone who tells of them: a back-end that does not is refused.
func (p *Profile) isolation() palisade.Isolation {
	iso := cloneIsolation(p.Isolation)
	if len(p.Abort) > 0 {
		iso.Layers = withLayer(iso.Layers, "events", "kernel")
	}
	return iso
}

// choose returns the profile for a submission, or the default profile and the
// reason why the one that it names is not for it.
func (s *Set) choose(sub palisade.Submission) (*Profile, []palisade.Reason) {
	fallback := s.profiles[s.fallback]
	if sub.Profile == "" || sub.Profile == s.fallback {
		return s.unnamed(sub, fallback), nil
	}
	ok, line := s.callers.may(sub, sub.Profile)
	p, exists := s.profiles[sub.Profile]
	if ok && exists {
		return p, nil
	}
	// Whoever may not name a profile does not learn whether it exists.
	name := fmt.Sprintf("%.100q", sub.Profile)
	f := ownFinding("profile-not-allowed", sub.Program, "asks for the profile "+name+", which this caller may not name")
	next := fmt.Sprintf("leave the profile out: the default, %s, is for everyone; this caller may name %s", s.fallback, s.callers.named(sub))
	if ok {
		f.Rule, f.Message, line = "profile-unknown", "asks for the profile "+name+", which does not exist", "profiles"
		next = fmt.Sprintf("the profiles are %v", s.Names())
	}
	return fallback, []palisade.Reason{{Finding: f, Decision: palisade.Deny, Policy: line, Next: next}}
}

// unnamed returns the profile of a submission that names none: that of its
// language where the default has not the language and the caller may name it.
func (s *Set) unnamed(sub palisade.Submission, fallback *Profile) *Profile {
	name := s.Usual(sub.Program.Language)
	if ok, _ := s.callers.may(sub, name); sub.Profile != "" || !ok {
		return fallback
	}
	return s.profiles[name]
}

// judge returns a reason for everything that the profile does not allow.
func (p *Profile) judge(ctx context.Context, c palisade.Case) []palisade.Reason {
	var reasons []palisade.Reason
	object := func(d palisade.Decision, f palisade.Finding, line, next string) {
		reasons = append(reasons, palisade.Reason{Finding: f, Decision: d, Policy: line, Next: next})
	}
	program := c.Submission.Program
	language := string(program.Language)
	if !slices.Contains(p.Languages, language) {
		f := ownFinding("language-not-allowed", program, fmt.Sprintf("is written in %q", language))
		object(palisade.Deny, f, p.line("languages"), "this profile takes "+strings.Join(p.Languages, ", "))
	}
	for _, f := range c.Inspection.Findings {
		d, line := p.finding(f)
		if d != palisade.Allow {
			object(d, f, line, p.next(f, d, line, program.Language))
		}
	}
	if len(c.Inspection.Trees) == 0 && !slices.ContainsFunc(reasons, unread) {
		f := ownFinding("no-tree", program, "was not read: there is no tree that it could be held to")
		object(palisade.Deny, f, "always.no_tree", "")
	}
	reasons = append(reasons, p.scored(program, c.Inspection.Score)...)
	return append(reasons, p.conditions(ctx, c)...)
}

// unread reports whether a reason already says that the code was not read.
func unread(r palisade.Reason) bool {
	_, ok := always[r.Finding.Capability]
	return ok
}

func (p *Profile) conditions(ctx context.Context, c palisade.Case) []palisade.Reason {
	if len(p.Conditions) == 0 {
		return nil
	}
	var reasons []palisade.Reason
	in := activation(c)
	for i, one := range p.Conditions {
		d, err := one.judge(ctx, in)
		f := ownFinding("condition", c.Submission.Program, one.Why)
		if err != nil {
			f.Severity, f.Message = palisade.High, "a condition of the profile could not be evaluated"
			f.Evidence = err.Error()
		}
		if d != palisade.Allow {
			reasons = append(reasons, palisade.Reason{Finding: f, Decision: d, Policy: p.line(fmt.Sprintf("conditions[%d]", i))})
		}
	}
	return reasons
}

// finding judges one finding: by its capability, then raised by its rule.
func (p *Profile) finding(f palisade.Finding) (palisade.Decision, string) {
	f = whole(f)
	if _, fixed := always[f.Capability]; fixed {
		return palisade.Deny, "always." + string(f.Capability)
	}
	d, key, known := p.capability(f)
	if !known {
		return palisade.Deny, "always.unknown_capability"
	}
	if raised, ok := p.Rules[f.Rule]; ok && raised < d {
		return raised, p.line("rules." + f.Rule)
	}
	return d, p.line(key)
}

// whole is what a finding is about, where a credential in it is hidden: hiding
// it hides no peer or path from policy.
func whole(f palisade.Finding) palisade.Finding {
	if f.Whole != nil {
		return *f.Whole
	}
	return f
}

// capability judges a finding by what it could do. False means that this
// version does not know the capability.
func (p *Profile) capability(f palisade.Finding) (palisade.Decision, string, bool) {
	switch f.Capability {
	case palisade.CapImport:
		return known(p.stricter(f, f.Argument, p.module))
	case palisade.CapCall:
		return known(p.stricter(f, cmp.Or(f.Symbol, f.Argument), p.callable))
	case palisade.CapReadPath:
		return known(p.path(f, p.quick.read, "paths.read"))
	case palisade.CapWritePath:
		return known(p.path(f, p.quick.write, "paths.write"))
	case palisade.CapDeletePath:
		return known(p.deletion(f))
	case palisade.CapPattern:
		return known(p.Patterns[f.Severity], "patterns."+f.Severity.String())
	case palisade.CapNetwork:
		return known(p.network(f))
	case palisade.CapEnvironment:
		return known(p.reach(f))
	}
	if _, ok := plain[f.Capability]; !ok {
		return palisade.Deny, "", false
	}
	return known(p.onName(f))
}

func known(d palisade.Decision, key string) (palisade.Decision, string, bool) { return d, key, true }

// stricter judges a name and, where the reading could not tell it, also as
// something unresolved.
func (p *Profile) stricter(f palisade.Finding, name string, judge func(string) (palisade.Decision, string)) (palisade.Decision, string) {
	d, key := palisade.Allow, ""
	if len(name) > maxName {
		return palisade.Deny, "modules"
	}
	if name != "" {
		d, key = judge(name)
	}
	if f.Unknown || name == "" {
		if u := p.Capabilities[palisade.CapUnresolved]; u < d || key == "" {
			return u, "capabilities." + string(palisade.CapUnresolved)
		}
	}
	return d, key
}

// module judges a dotted module name.
func (p *Profile) module(name string) (palisade.Decision, string) {
	d, key, ok := p.quick.modules.decide(name)
	if !ok {
		return palisade.Deny, "modules"
	}
	return d, "modules." + key
}

const builtinModule = "builtins"

// callable judges a dotted name such as os.path.join: the module that holds it
// must be allowed, and where the module has a list of callables, the list must
// name it. Every part that could be a module is asked, so that a denied module
// stays denied when it is reached through another one.
func (p *Profile) callable(symbol string) (palisade.Decision, string) {
	if name, ok := cutModule(symbol, builtinModule); ok {
		d, key, named := p.quick.builtins.decide(name)
		if !named {
			return palisade.Deny, "builtins"
		}
		return d, "builtins." + key
	}
	decision, line, allowed := palisade.Allow, "", ""
	strict := false
	stricter := func(d palisade.Decision, key string) {
		if d < decision || line == "" {
			decision, line = d, key
		}
	}
	if d, key, found := p.quick.modules.strict(symbol); found {
		strict = true
		stricter(d, "modules."+key)
	}
	for module := range prefixes(symbol) {
		if pattern, ok := p.quick.modules.allow.match(module); ok {
			allowed = pattern
		}
		lists, restricted := p.quick.callables[module]
		name, inside := cutModule(symbol, module)
		if !restricted || !inside {
			continue
		}
		d, key, named := lists.decide(name)
		switch key = "callables." + module + dotKey(key); {
		case named:
			stricter(d, key)
		case len(p.Callables[module].Allow) > 0:
			stricter(palisade.Deny, key)
		}
	}
	if allowed == "" && !strict {
		stricter(palisade.Deny, "modules")
	} else if line == "" {
		line = "modules.allow[" + allowed + "]"
	}
	return decision, line
}

func dotKey(key string) string {
	if key == "" {
		return ""
	}
	return "." + key
}

// path judges a file or folder.
func (p *Profile) path(f palisade.Finding, list []glob, key string) (palisade.Decision, string) {
	if f.Unknown || f.Argument == "" {
		return p.Paths.Unknown, "paths.unknown"
	}
	argument := f.Argument
	if scheme, rest, ok := peer.URL(argument); ok {
		if scheme != "file" {
			return p.network(f)
		}
		// A % may stand for anything once it is decoded.
		argument = strings.ReplaceAll(rest, "%", "\x00")
	}
	name, ok := cleanPath(argument)
	if !ok {
		return p.Paths.Other, "paths.other"
	}
	if pattern, ok := matchAny(p.quick.deny, name); ok {
		return palisade.Deny, "paths.deny[" + pattern + "]"
	}
	if pattern, ok := matchAny(list, name); ok {
		return palisade.Allow, key + "[" + pattern + "]"
	}
	return p.Paths.Other, "paths.other"
}

// deletion judges what is deleted: as written to, and raised to what the profile
// says of deleting.
func (p *Profile) deletion(f palisade.Finding) (palisade.Decision, string) {
	d, key := p.path(f, p.quick.write, "paths.write")
	if p.Paths.Deleting < d {
		return p.Paths.Deleting, "paths.deleting"
	}
	return d, key
}

// network judges a peer.
func (p *Profile) network(f palisade.Finding) (palisade.Decision, string) {
	if f.Unknown || f.Argument == "" {
		return p.Network.Unknown, "network.unknown"
	}
	host, port, ok := peer.Split(f.Argument)
	if !ok {
		return p.Network.Unknown, "network.unknown"
	}
	if pattern, ok := peer.Find(p.quick.peersDeny, func(one peer.Pattern) bool { return one.Match(host, port) }); ok {
		return palisade.Deny, "network.deny[" + pattern + "]"
	}
	if pattern, ok := peer.Find(p.quick.peersAllow, func(one peer.Pattern) bool { return one.Grants(host, port) }); ok {
		return palisade.Allow, "network.allow[" + pattern + "]"
	}
	return p.Network.Other, "network.other"
}

// reach judges an environment variable.
func (p *Profile) reach(f palisade.Finding) (palisade.Decision, string) {
	if f.Unknown || f.Argument == "" {
		return p.Environment.Unknown, "environment.unknown"
	}
	if d, key, named := p.quick.environment.decide(f.Argument); named {
		return d, "environment." + key
	}
	return p.Environment.Other, "environment.other"
}
