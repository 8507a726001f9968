package policy

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/yamlfile"
)

//go:embed profiles/*.yaml
var builtin embed.FS

// builtinNames are the profiles in the binary, each a file of its own.
var builtinNames = []string{"pal", "data", "agent", "query", "infra"}

// defaultProfile judges submissions that name none, unless a file or the
// caller's configuration says otherwise.
const defaultProfile = "data"

const maxConditions = 32

// Problem is one complaint about a policy file.
type Problem = yamlfile.Problem

// ErrNoProfile says that a set has no profile of a name.
var ErrNoProfile = errors.New("no such profile")

// Config says what a set is made of. The zero value is the built-in profiles,
// with [Callers] that let nobody name one.
type Config struct {
	// Files are the owner's policy files, in the order in which they build on
	// each other.
	Files []string
	// Default names the profile of submissions that name none. Empty: what
	// the last file that says so says, else data.
	Default string
	Callers Callers
	// Origin says where the configuration sets a key, such as default_profile, for
	// errors about it. Empty, or nil: not known.
	Origin func(key string) string
	// Installed are the top-level modules that the interpreter has, its own
	// library's too. It changes what texts say of modules, never a decision.
	// Nil: not known.
	Installed []string
	// Rules says which rules there are: a line about another is a problem. Nil:
	// not known, and no line is.
	Rules Rules
}

// Set is the profiles of the built-in and the owner's files, and who may name
// which. It implements [palisade.Policy] and never changes.
type Set struct {
	profiles map[string]*Profile
	sources  map[string][]byte // profile → text of the file that has it
	fallback string
	rules    []RuleFile
	callers  Callers
	digest   palisade.Digest
}

// Load reads policy files. An error that is about their text is of type
// [yamlfile.Problems]: one line for each complaint, with its place.
func Load(c Config) (*Set, error) {
	b, err := builtins()
	if err != nil {
		return nil, err
	}
	for _, name := range c.Files {
		data, err := yamlfile.Read(name)
		if err != nil {
			return nil, fmt.Errorf("policy file: %w", err)
		}
		b.add(name, data)
	}
	known, err := b.known(c.Rules)
	if err := errors.Join(b.d.Problems.Err(), err); err != nil {
		return nil, err
	}
	for _, p := range b.set.profiles {
		p.known = known
	}
	if c.Default != "" {
		b.set.fallback = c.Default
	}
	if c.Installed != nil {
		b.set.Install(c.Installed)
	}
	return b.set.finish(c)
}

// at begins an error about a key of the configuration with its place.
func (c Config) at(key string) string {
	if c.Origin == nil || c.Origin(key) == "" {
		return key
	}
	return c.Origin(key) + ": " + key
}

// Install says which top-level modules the interpreter has, where that was not
// known when the set was loaded. It is not to be called once the set is in use.
func (s *Set) Install(modules []string) {
	installed := map[string]bool{}
	for _, name := range modules {
		installed[name] = true
	}
	for _, p := range s.profiles {
		p.installed = installed
	}
}

// Check reads the text of one policy file over the built-in profiles and
// returns what is wrong with it; nothing, where Load would take it.
func Check(name string, data []byte, rules Rules) []Problem {
	b, err := builtins()
	if err != nil {
		return []Problem{{File: name, Message: err.Error()}}
	}
	b.add(name, data)
	if _, err := b.known(rules); err != nil {
		return append(b.d.Problems, Problem{File: name, Message: err.Error()})
	}
	return b.d.Problems
}

// known returns the rules that there are, and holds what was read to them.
func (b *builder) known(rules Rules) (knownRules, error) {
	if b.partly || rules == nil { // it cannot be told which there are
		return nil, nil
	}
	known, err := rules.known(b.set.rules)
	if err != nil {
		return nil, err
	}
	b.checkRules(known)
	return known, nil
}

func (s *Set) finish(c Config) (*Set, error) {
	if _, ok := s.profiles[s.fallback]; !ok {
		return nil, fmt.Errorf("%s: %q: %w; there are %s", c.at("default_profile"), s.fallback, ErrNoProfile, strings.Join(s.Names(), ", "))
	}
	if err := c.checkCallers(s); err != nil {
		return nil, err
	}
	s.callers = c.Callers
	if digest := rulesDigest(s.rules); digest != "" {
		for _, p := range s.profiles {
			p.PatternRules = digest
			p.digest = p.canonical()
		}
	}
	h := sha256.New()
	fmt.Fprintf(h, "palisade policy set 1\n%s\n", s.fallback)
	for _, name := range s.Names() {
		fmt.Fprintf(h, "%s %s\n", name, s.profiles[name].digest)
	}
	s.digest = palisade.Digest(h.Sum(nil))
	return s, nil
}

// Names returns the names of all profiles, sorted.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.profiles)) }

// Default returns the name of the profile for submissions that name none.
func (s *Set) Default() string { return s.fallback }

// Usual returns the name of the profile that a submission in a language gets where
// it names none and its caller may name every one.
func (s *Set) Usual(language palisade.Language) string {
	name := languages[language]
	if _, exists := s.profiles[name]; !exists || slices.Contains(s.profiles[s.fallback].Languages, string(language)) {
		return s.fallback
	}
	return name
}

// Profile returns a profile in effect. It must not be changed.
func (s *Set) Profile(name string) (*Profile, error) {
	p, ok := s.profiles[name]
	if !ok {
		return nil, fmt.Errorf("profile %q: %w; there are %s", name, ErrNoProfile, strings.Join(s.Names(), ", "))
	}
	return p, nil
}

// Digest identifies all profiles in effect and which is the default.
func (s *Set) Digest() palisade.Digest { return s.digest }

// Show returns the text of the file that defines a profile, comments and all.
func (s *Set) Show(name string) ([]byte, error) {
	if _, err := s.Profile(name); err != nil {
		return nil, err
	}
	return bytes.Clone(s.sources[name]), nil
}

// builder collects profiles from files.
type builder struct {
	set *Set
	d   *yamlfile.Decoder
	cel celEnv
	// ruled are the lines under `rules:` of all files.
	ruled []yamlfile.Field
	// partly says that a file of pattern rules could not be read.
	partly bool
}

// builtins reads the profiles in the binary; an error means a broken build.
func builtins() (*builder, error) {
	b := &builder{
		set: &Set{profiles: map[string]*Profile{}, sources: map[string][]byte{}, fallback: defaultProfile},
		d:   &yamlfile.Decoder{},
	}
	for _, name := range builtinNames {
		data, err := builtin.ReadFile(path.Join("profiles", name+".yaml"))
		if err != nil {
			return nil, err
		}
		b.add(name+".yaml", data)
	}
	if err := b.d.Problems.Err(); err != nil {
		return nil, fmt.Errorf("built-in profiles: %w", err)
	}
	for _, p := range b.set.profiles {
		p.file = ""
	}
	return b, nil
}

// add reads one file over those before it.
func (b *builder) add(name string, data []byte) {
	f, ok := parseFile(name, data, b.d)
	if !ok {
		return
	}
	built := map[string]bool{}
	for _, field := range f.profiles {
		b.build(f, field.Name, built, nil)
	}
	if f.rules != nil {
		b.ruleFiles(name, f.rules)
	}
	if f.fallback != nil {
		text := b.d.Text(f.fallback)
		if _, ok := b.set.profiles[text]; text != "" && !ok {
			b.d.Fail(f.fallback, fmt.Sprintf("there is no profile %q", text), yamlfile.Suggest(text, b.set.Names()))
		}
		b.set.fallback = text
	}
}

// build makes one profile of a file; chain is how it was come to.
func (b *builder) build(f *file, name string, built map[string]bool, chain []string) {
	at := slices.IndexFunc(f.profiles, func(field yamlfile.Field) bool { return field.Name == name })
	if at < 0 || built[name] {
		return
	}
	n := f.profiles[at].Value
	base, ok := b.base(f, n, name, built, append(chain, name))
	if !ok {
		return
	}
	built[name] = true
	base.Name = name
	base.file = f.name
	r := &reading{b.d, base, b.cel.compile, &b.ruled}
	before := len(b.d.Problems)
	r.profile(n)
	if len(b.d.Problems) == before {
		b.complete(n, base)
	}
	base.finish()
	b.set.profiles[name] = base
	b.set.sources[name] = f.source
}

// base returns a copy of what a profile extends, or an empty profile.
func (b *builder) base(f *file, n *yamlfile.Node, name string, built map[string]bool, chain []string) (*Profile, bool) {
	var extends *yamlfile.Node
	for _, field := range n.Fields {
		if field.Name == "extends" {
			extends = field.Value
		}
	}
	if extends == nil {
		if _, exists := b.set.profiles[name]; exists {
			b.d.Fail(n, fmt.Sprintf("there is a profile %s already", name), fmt.Sprintf("write `extends: %s` in it to change it, or choose another name", name))
			return nil, false
		}
		return &Profile{origin: map[string]string{}, Version: "0"}, true
	}
	parent := b.d.Text(extends)
	if parent != name {
		if slices.Contains(chain, parent) {
			b.d.Fail(extends, fmt.Sprintf("%s extends itself", parent), "break the circle")
			return nil, false
		}
		b.build(f, parent, built, chain)
	}
	p, ok := b.set.profiles[parent]
	if !ok {
		b.d.Fail(extends, fmt.Sprintf("there is no profile %q to extend", parent), yamlfile.Suggest(parent, b.set.Names()))
		return nil, false
	}
	c := p.clone()
	c.Extends = append([]string{parent + "@" + p.Version}, p.Extends...)
	return c, true
}

// complete holds a profile to what every profile must say.
func (b *builder) complete(n *yamlfile.Node, p *Profile) {
	if len(p.Languages) == 0 {
		b.d.Fail(n, "no language", "add languages: [python]")
	}
	if !p.Limits.Complete() {
		b.d.Fail(n, "a limit is missing, and an unlimited run is refused",
			"set all of cpu, wall, memory, output, kept, processes, open_files, disk, inodes under limits:")
	}
	for _, language := range []palisade.Language{palisade.Shell, palisade.JavaScript, palisade.TypeScript} {
		for _, group := range []string{"exec", "fork", "memfd"} {
			if slices.Contains(p.Languages, string(language)) && slices.Contains(p.DeniedSyscalls, group) {
				b.d.Fail(n, fmt.Sprintf("%s cannot run where %s is denied", language, group), "take "+group+" out of denied_syscalls, or the language out of languages")
			}
		}
	}
	if len(p.Isolation.Backends) == 0 {
		b.d.Fail(n, "no back-end may run it", "add isolation: {backends: [gvisor]}")
	}
	b.reachable(n, p)
}
