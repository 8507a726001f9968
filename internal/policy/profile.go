package policy

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/peer"
)

// Profile is one profile in effect: its own lines over those that it extends.
type Profile struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Description string `json:"description"`
	// Extends names the profiles that it was built from, nearest first.
	Extends []string `json:"extends,omitempty"`

	Languages []string `json:"languages"`
	// Modules are dotted module names.
	Modules Lists `json:"modules"`
	// Callables are names inside a module. A module with an allow list here
	// has only what that list names; one without has everything.
	Callables map[string]Lists `json:"callables,omitempty"`
	// Builtins are names of the language's own callables.
	Builtins     Lists                                     `json:"builtins"`
	Capabilities map[palisade.Capability]palisade.Decision `json:"capabilities"`
	// Named tell apart what a capability is used on, by its name.
	Named map[palisade.Capability]Lists `json:"named,omitempty"`
	// Rules raise the decision on findings of a rule; they never loosen one.
	Rules map[string]palisade.Decision `json:"rules,omitempty"`
	// PatternRules is the digest of the owner's files of pattern rules.
	PatternRules string `json:"pattern_rules,omitempty"`
	// Patterns decide about findings of pattern rules.
	Patterns    map[palisade.Severity]palisade.Decision `json:"patterns,omitempty"`
	Score       Score                                   `json:"score"`
	Approvals   Approvals                               `json:"approvals,omitzero"`
	Paths       Paths                                   `json:"paths"`
	Network     Reach                                   `json:"network"`
	Environment Reach                                   `json:"environment"`

	Limits         palisade.Limits `json:"limits"`
	DeniedSyscalls []string        `json:"denied_syscalls"`
	// Abort are the kinds of act that end a run.
	Abort      []string           `json:"abort,omitempty"`
	Isolation  palisade.Isolation `json:"isolation"`
	Conditions []Condition        `json:"conditions,omitempty"`
	// Deterministic fixes chance and clock of every run, asked for or not.
	Deterministic bool `json:"deterministic,omitempty"`
	// TrustMessages lets the text of exceptions into feedback.
	TrustMessages bool `json:"trust_messages,omitempty"`
	// Hints say what to use instead of a module, a callable or a capability.
	Hints map[string]string `json:"hints,omitempty"`

	// origin says where each line stands: "modules.allow[os]" → "data.yaml:40".
	origin map[string]string
	quick  quick
	digest palisade.Digest
	// installed are the interpreter's top-level modules; nil: not known. It is
	// about the machine, and no part of the digest.
	installed map[string]bool
	// file is the owner's file that it is from; empty: it is built in.
	file string
	// known are the rules that there are. They are about texts, and no part of
	// the digest.
	known knownRules
}

// absent reports whether a module is known not to be installed. A pattern that
// may stand for several never is.
func (p *Profile) absent(module string) bool {
	top, _, _ := strings.Cut(module, ".")
	return p.installed != nil && !p.installed[top] && !strings.HasSuffix(top, "*")
}

// Paths are globs of absolute paths: `*` stands for anything but a slash, `**`
// for anything; "/work/**" is /work and all in it.
type Paths struct {
	Read  []string `json:"read,omitempty"`
	Write []string `json:"write,omitempty"`
	Deny  []string `json:"deny,omitempty"` // reading and writing
	// Deleting is judged as writing, and raised to this.
	Deleting palisade.Decision `json:"deleting"`
	// Other decides about a known path that no glob names, Unknown about one
	// that the reading could not resolve.
	Other   palisade.Decision `json:"other"`
	Unknown palisade.Decision `json:"unknown"`
}

// Reach is what may be reached: network peers, or environment variables.
type Reach struct {
	Allow []string `json:"allow,omitempty"`
	// Exits bound some of the peers that are allowed, by their pattern.
	Exits   map[string]Exit   `json:"exits,omitempty"`
	Deny    []string          `json:"deny,omitempty"`
	Other   palisade.Decision `json:"other"`
	Unknown palisade.Decision `json:"unknown"`
}

// Condition raises the decision on a whole case when its CEL expression holds.
//
// The expression sees program.language, program.lines, program.bytes,
// program.modules, program.score, submitter, door, prompt.bytes and findings, a list of
// {rule, severity, capability, symbol, argument, unknown, file, line} where
// severity is a number from 0 (info) to 4 (critical). It cannot loosen
// anything, and more findings must never make it false: findings may be used
// with exists, with size(findings) or size(findings.filter(…)) on the large
// side of a comparison, and with !findings.all(…). An error, or a run over its
// budget, denies.
type Condition struct {
	When string            `json:"when"`
	Then palisade.Decision `json:"then"`
	Why  string            `json:"why"`

	program celProgram
}

// quick holds the lists of a profile as lookups.
type quick struct {
	modules, builtins, environment gate
	callables                      map[string]gate
	read, write, deny              []glob
	peersAllow, peersDeny          []peer.Pattern
}

// finish makes the lookups, the canonical form and the digest.
func (p *Profile) finish() {
	p.Modules, p.Builtins = p.Modules.sorted(), p.Builtins.sorted()
	p.quick = quick{
		modules:     newGate(p.Modules),
		builtins:    newGate(p.Builtins),
		environment: newGate(Lists{Allow: p.Environment.Allow, Deny: p.Environment.Deny}),
		callables:   map[string]gate{},
		read:        globs(p.Paths.Read),
		write:       globs(p.Paths.Write),
		deny:        globs(p.Paths.Deny),
		peersAllow:  peer.ParseAll(p.Network.Allow),
		peersDeny:   peer.ParseAll(p.Network.Deny),
	}
	for module, lists := range p.Callables {
		p.Callables[module] = lists.sorted()
		p.quick.callables[module] = newGate(lists)
	}
	for c, lists := range p.Named {
		p.Named[c] = lists.sorted()
	}
	for _, list := range []*[]string{&p.Languages, &p.Paths.Read, &p.Paths.Write, &p.Paths.Deny, &p.Network.Allow,
		&p.Network.Deny, &p.Environment.Allow, &p.Environment.Deny, &p.DeniedSyscalls, &p.Abort} {
		*list = union(nil, *list)
	}
	p.digest = p.canonical()
}

// semantics changes when the same file comes to mean something else.
const semantics = "palisade policy semantics 1\n"

// canonical is the digest over everything in effect: maps are written with
// sorted keys, lists whose order means nothing are sorted.
func (p *Profile) canonical() palisade.Digest {
	effect := *p
	effect.Description, effect.Extends = "", nil
	data, err := json.Marshal(effect)
	if err != nil {
		panic(err) // our own plain types always marshal
	}
	return sha256.Sum256(append([]byte(semantics), data...))
}

// Digest identifies what the profile allows. Descriptions do not count.
func (p *Profile) Digest() palisade.Digest { return p.digest }

// line is the name of a line of policy, such as "profiles.data.modules".
func (p *Profile) line(key string) string { return "profiles." + p.Name + "." + key }

// clone returns a copy that shares nothing that may change.
func (p *Profile) clone() *Profile {
	c := *p
	for _, list := range []*[]string{&c.Languages, &c.Paths.Read, &c.Paths.Write, &c.Paths.Deny, &c.Network.Allow,
		&c.Network.Deny, &c.Environment.Allow, &c.Environment.Deny, &c.DeniedSyscalls, &c.Abort} {
		*list = slices.Clone(*list)
	}
	c.Callables = maps.Clone(p.Callables)
	c.Network.Exits = maps.Clone(p.Network.Exits)
	c.Capabilities = maps.Clone(p.Capabilities)
	c.Named = maps.Clone(p.Named)
	c.Rules = maps.Clone(p.Rules)
	c.Patterns = maps.Clone(p.Patterns)
	c.Approvals.Capabilities, c.Approvals.Severity = maps.Clone(p.Approvals.Capabilities), maps.Clone(p.Approvals.Severity)
	c.Hints = maps.Clone(p.Hints)
	c.origin = maps.Clone(p.origin)
	c.Isolation = cloneIsolation(p.Isolation)
	c.Conditions = slices.Clone(p.Conditions)
	return &c
}

func cloneIsolation(i palisade.Isolation) palisade.Isolation {
	return palisade.Isolation{Backends: slices.Clone(i.Backends), Layers: maps.Clone(i.Layers)}
}
