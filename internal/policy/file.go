package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/yamlfile"
)

// formatVersion is the version of the file format that this package reads.
const formatVersion = 1

// file is a policy file that was parsed but whose profiles are not built yet.
type file struct {
	name     string
	source   []byte
	fallback *yamlfile.Node // `default:`
	rules    *yamlfile.Node // `rule_files:`
	profiles []yamlfile.Field
}

// parseFile reads the outer shape of a policy file.
func parseFile(name string, source []byte, d *yamlfile.Decoder) (*file, bool) {
	root, err := yamlfile.Parse(name, source)
	if err != nil {
		if problems, ok := errors.AsType[yamlfile.Problems](err); ok {
			d.Problems = append(d.Problems, problems...)
		}
		return nil, false
	}
	f := &file{name: name, source: source}
	before, versioned := len(d.Problems), false
	d.Keys(root, map[string]func(*yamlfile.Node){
		"version": func(n *yamlfile.Node) {
			versioned = true
			if text := d.Text(n); text != "" && text != fmt.Sprint(formatVersion) {
				d.Fail(n, fmt.Sprintf("version %s of the file format is not known", text), fmt.Sprintf("write version: %d", formatVersion))
			}
		},
		"default":    func(n *yamlfile.Node) { f.fallback = n },
		"rule_files": func(n *yamlfile.Node) { f.rules = n },
		"profiles": func(n *yamlfile.Node) {
			d.Each(n, func(field yamlfile.Field) {
				if !profileName(field.Name) {
					d.Fail(field.Value, fmt.Sprintf("%q is not a name for a profile", field.Name), "use lower-case letters, digits and dashes, at most 40")
					return
				}
				f.profiles = append(f.profiles, field)
			})
		},
	})
	if !versioned && root.Kind == yamlfile.Map {
		d.Fail(root, "the file does not say which format it has", fmt.Sprintf("begin it with version: %d", formatVersion))
	}
	return f, len(d.Problems) == before
}

func profileName(name string) bool {
	return name != "" && len(name) <= 40 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-')
	})
}

// reading applies the lines of one profile to what it extends.
type reading struct {
	*yamlfile.Decoder
	p *Profile
	// compile makes a condition's program.
	compile func(when string) (celProgram, error)
	// ruled collects the lines under `rules:`.
	ruled *[]yamlfile.Field
}

func (r *reading) profile(n *yamlfile.Node) {
	p := r.p
	r.Keys(n, map[string]func(*yamlfile.Node){
		"version":         func(n *yamlfile.Node) { p.Version = r.short(n) },
		"description":     func(n *yamlfile.Node) { p.Description = strings.TrimSpace(r.Text(n)) },
		"extends":         func(*yamlfile.Node) {},
		"languages":       func(n *yamlfile.Node) { p.Languages = r.choices(n, "languages", names(languages)) },
		"modules":         func(n *yamlfile.Node) { r.lists(n, "modules", &p.Modules, dotted) },
		"callables":       r.callables,
		"builtins":        func(n *yamlfile.Node) { r.lists(n, "builtins", &p.Builtins, dotted) },
		"capabilities":    r.capabilities,
		"named":           r.named,
		"rules":           r.rules,
		"patterns":        r.bySeverity,
		"score":           r.score,
		"approvals":       r.approvals,
		"paths":           r.paths,
		"network":         func(n *yamlfile.Node) { r.reach(n, "network", &p.Network, validPeer, r.peersOf) },
		"environment":     func(n *yamlfile.Node) { r.reach(n, "environment", &p.Environment, dotted, nil) },
		"limits":          r.limits,
		"denied_syscalls": func(n *yamlfile.Node) { p.DeniedSyscalls = r.choices(n, "denied_syscalls", syscallGroups) },
		"abort":           func(n *yamlfile.Node) { p.Abort = r.choices(n, "abort", abortable) },
		"isolation":       r.isolation,
		"deterministic": func(n *yamlfile.Node) {
			p.Deterministic = r.Bool(n)
			r.place("deterministic", n)
		},
		"conditions": r.conditions,
		"feedback":   r.feedback,
		"hints":      r.hints,
	})
}

// short reads a label that is shown on one line.
func (r *reading) short(n *yamlfile.Node) string {
	text := r.Text(n)
	if len(text) > 40 || strings.ContainsAny(text, "\n\t") {
		r.Fail(n, "too long for a label", "use at most 40 characters on one line")
		return ""
	}
	return text
}

func (r *reading) place(key string, n *yamlfile.Node) { r.p.origin[key] = n.Place() }

func (r *reading) decision(n *yamlfile.Node, key string) palisade.Decision {
	var d palisade.Decision
	if text := r.Text(n); text != "" {
		if err := d.UnmarshalText([]byte(text)); err != nil {
			r.Fail(n, err.Error(), "write allow, ask or deny")
		}
	}
	r.place(key, n)
	return d
}

// choices reads a list of known names, which replaces an extended one.
func (r *reading) choices(n *yamlfile.Node, key string, known []string) []string {
	r.place(key, n)
	var out []string
	for _, item := range r.Items(n) {
		text := r.Text(item)
		if text != "" && !slices.Contains(known, text) {
			r.Fail(item, fmt.Sprintf("%q is not known", text), yamlfile.Suggest(text, known))
			continue
		}
		out = append(out, text)
	}
	return out
}

// patterns reads a list of patterns and adds them.
func (r *reading) patterns(n *yamlfile.Node, key string, into *[]string, valid func(string) string) {
	for _, item := range r.Items(n) {
		text := r.Text(item)
		if text == "" {
			continue
		}
		if fix := valid(text); fix != "" {
			r.Fail(item, fmt.Sprintf("%q is not a pattern for %s", text, key), fix)
			continue
		}
		*into = append(*into, text)
		r.place(key+"["+text+"]", item)
	}
}

func (r *reading) lists(n *yamlfile.Node, key string, into *Lists, valid func(string) string) {
	var read Lists
	keys := map[string]func(*yamlfile.Node){}
	read.each(func(name string, _ palisade.Decision, patterns *[]string) {
		keys[name] = func(n *yamlfile.Node) { r.patterns(n, key+"."+name, patterns, valid) }
	})
	var unask []string
	at := n
	keys["unask"] = func(n *yamlfile.Node) {
		at = n
		r.patterns(n, key+".unask", &unask, valid)
	}
	r.Keys(n, keys)
	r.place(key, n)
	for _, pattern := range unask {
		if !slices.Contains(into.Ask, pattern) {
			r.Fail(at, fmt.Sprintf("%q is in no ask list that this profile extends", pattern), yamlfile.Suggest(pattern, into.Ask))
		}
		delete(r.p.origin, key+".ask["+pattern+"]")
	}
	// The extended profile keeps its own list.
	into.Ask = slices.DeleteFunc(slices.Clone(into.Ask), func(pattern string) bool { return slices.Contains(unask, pattern) })
	into.merge(read)
}

func (r *reading) callables(n *yamlfile.Node) {
	r.Each(n, func(f yamlfile.Field) {
		if fix := dotted(f.Name); fix != "" || strings.HasSuffix(f.Name, "*") {
			r.Fail(f.Value, fmt.Sprintf("%q is not a module", f.Name), "write its dotted name, without *")
			return
		}
		lists := r.p.Callables[f.Name]
		r.lists(f.Value, "callables."+f.Name, &lists, dotted)
		if r.p.Callables == nil {
			r.p.Callables = map[string]Lists{}
		}
		r.p.Callables[f.Name] = lists
	})
}

func (r *reading) capabilities(n *yamlfile.Node) {
	r.Each(n, func(f yamlfile.Field) {
		c := palisade.Capability(f.Name)
		if _, fixed := always[c]; fixed {
			r.Fail(f.Value, "this is denied in every profile and cannot be set", "remove the line")
			return
		}
		if section, ok := sections[c]; ok {
			r.Fail(f.Value, "this is decided by a section of its own", fmt.Sprintf("use %s: instead", section))
			return
		}
		if _, known := plain[c]; !known {
			r.Fail(f.Value, fmt.Sprintf("unknown capability %q", f.Name), yamlfile.Suggest(f.Name, names(plain)))
			return
		}
		if r.p.Capabilities == nil {
			r.p.Capabilities = map[palisade.Capability]palisade.Decision{}
		}
		r.p.Capabilities[c] = r.decision(f.Value, "capabilities."+f.Name)
	})
}

func (r *reading) rules(n *yamlfile.Node) {
	r.Each(n, func(f yamlfile.Field) {
		d := r.decision(f.Value, "rules."+f.Name)
		if d == palisade.Allow {
			r.Fail(f.Value, "a rule's line can only raise to ask or deny", "loosen the capability that the rule is about instead")
			return
		}
		if r.p.Rules == nil {
			r.p.Rules = map[string]palisade.Decision{}
		}
		r.p.Rules[f.Name] = d
		*r.ruled = append(*r.ruled, f)
	})
}

func (r *reading) paths(n *yamlfile.Node) {
	p := &r.p.Paths
	r.place("paths", n)
	r.Keys(n, map[string]func(*yamlfile.Node){
		"read":     func(n *yamlfile.Node) { r.patterns(n, "paths.read", &p.Read, validGlob) },
		"write":    func(n *yamlfile.Node) { r.patterns(n, "paths.write", &p.Write, validGlob) },
		"deny":     func(n *yamlfile.Node) { r.patterns(n, "paths.deny", &p.Deny, validGlob) },
		"deleting": func(n *yamlfile.Node) { p.Deleting = r.decision(n, "paths.deleting") },
		"other":    func(n *yamlfile.Node) { p.Other = r.decision(n, "paths.other") },
		"unknown":  func(n *yamlfile.Node) { p.Unknown = r.decision(n, "paths.unknown") },
	})
}

// reach reads what may be reached; allow, where there is one, reads the list of
// what is allowed in a form of its own.
func (r *reading) reach(n *yamlfile.Node, key string, into *Reach, valid func(string) string, allow func(*yamlfile.Node, *Reach)) {
	if allow == nil {
		allow = func(n *yamlfile.Node, into *Reach) { r.patterns(n, key+".allow", &into.Allow, valid) }
	}
	r.place(key, n)
	r.Keys(n, map[string]func(*yamlfile.Node){
		"allow":   func(n *yamlfile.Node) { allow(n, into) },
		"deny":    func(n *yamlfile.Node) { r.patterns(n, key+".deny", &into.Deny, valid) },
		"other":   func(n *yamlfile.Node) { into.Other = r.decision(n, key+".other") },
		"unknown": func(n *yamlfile.Node) { into.Unknown = r.decision(n, key+".unknown") },
	})
}

func (r *reading) conditions(n *yamlfile.Node) {
	for _, item := range r.Items(n) {
		var c Condition
		var when, then *yamlfile.Node
		r.Keys(item, map[string]func(*yamlfile.Node){
			"when": func(n *yamlfile.Node) { when, c.When = n, strings.TrimSpace(r.Text(n)) },
			"then": func(n *yamlfile.Node) {
				then, c.Then = n, r.decision(n, fmt.Sprintf("conditions[%d]", len(r.p.Conditions)))
			},
			"why": func(n *yamlfile.Node) { c.Why = strings.TrimSpace(r.Text(n)) },
		})
		switch {
		case when == nil || then == nil || c.Why == "":
			r.Fail(item, "a condition needs when, then and why", "add what is missing")
			continue
		case c.Then == palisade.Allow:
			r.Fail(then, "a condition can only raise", "write ask or deny")
			continue
		case len(r.p.Conditions) >= maxConditions:
			r.Fail(item, fmt.Sprintf("more than %d conditions", maxConditions), "join some of them")
			return
		}
		program, err := r.compile(c.When)
		if err != nil {
			r.Fail(when, err.Error(), "mend the expression; it may name "+vocabulary())
			continue
		}
		c.program = program
		r.p.Conditions = append(r.p.Conditions, c)
	}
}

func (r *reading) feedback(n *yamlfile.Node) {
	r.Keys(n, map[string]func(*yamlfile.Node){
		"messages": func(n *yamlfile.Node) {
			switch text := r.Text(n); text {
			case "trust", "hide":
				r.p.TrustMessages = text == "trust"
			case "":
			default:
				r.Fail(n, fmt.Sprintf("%q is not known", text), "write trust or hide")
			}
		},
	})
}

func (r *reading) hints(n *yamlfile.Node) {
	r.Each(n, func(f yamlfile.Field) {
		text := strings.TrimSpace(r.Text(f.Value))
		if len(text) > 300 || strings.Contains(text, "\n") {
			r.Fail(f.Value, "a hint is one sentence", "use at most 300 characters on one line")
			return
		}
		if r.p.Hints == nil {
			r.p.Hints = map[string]string{}
		}
		r.p.Hints[f.Name] = text
	})
}
