package policy

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/yamlfile"
)

// write puts a policy file into a folder of the test.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// mine is a file with one profile of the given lines.
func mine(lines ...string) string {
	return "version: 1\nprofiles:\n  mine:\n    extends: data\n    " + strings.Join(lines, "\n    ") + "\n"
}

func TestProblemsHavePlacesAndFixes(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"no version", "profiles: {}\n", "p.yaml:1:1: the file does not say which format it has"},
		{"other version", "version: 2\n", "p.yaml:1:10: version: version 2 of the file format is not known; write version: 1"},
		{"not a map", "- a\n", "p.yaml:1:1: a list stands here; write a map"},
		{"unknown key", "version: 1\nprofile: {}\n", `p.yaml:2:1: profile: unknown key "profile"; did you mean profiles?`},
		{"duplicate", "version: 1\nversion: 1\n", "p.yaml:2:1: "},
		{"unknown section", mine("module: {}"), `p.yaml:5:5: profiles.mine.module: unknown key "module"; did you mean modules?`},
		{"bad name", "version: 1\nprofiles:\n  Mine: {extends: data}\n", "is not a name for a profile"},
		{"exists", "version: 1\nprofiles:\n  data: {languages: [python]}\n", "there is a profile data already; write `extends: data`"},
		{"extends unknown", "version: 1\nprofiles:\n  a: {extends: dat}\n", `p.yaml:3:16: profiles.a.extends: there is no profile "dat" to extend; did you mean data?`},
		{"circle", "version: 1\nprofiles:\n  a: {extends: b}\n  b: {extends: a}\n", "extends itself"},
		{"incomplete", "version: 1\nprofiles:\n  a: {languages: [python]}\n", "a limit is missing, and an unlimited run is refused"},
		{"no backend", mine("isolation: {backends: []}"), "no back-end may run it"},
		{"shell without exec", mine("languages: [shell]"), `p.yaml:4:5: profiles.mine: shell cannot run where exec is denied`},
		{"language", mine("languages: [cobol]"), `p.yaml:5:17: profiles.mine.languages[0]: "cobol" is not known; known here: dockerfile, javascript, kubernetes, python, shell, sql, terraform, typescript`},
		{"decision", mine("capabilities: {process: yes}"), `"yes" is none of deny, ask, allow; write allow, ask or deny`},
		{"capability", mine("capabilities: {proces: deny}"), `unknown capability "proces"; did you mean process?`},
		{"fixed", mine("capabilities: {unparsable: allow}"), "denied in every profile and cannot be set; remove the line"},
		{"fixed failed", mine("capabilities: {analysis_failed: ask}"), "cannot be set"},
		{"fixed oversized", mine("capabilities: {oversized: deny}"), "cannot be set"},
		{"own section", mine("capabilities: {read_path: allow}"), "use paths: instead"},
		{"rule loosened", mine("rules: {py-eval: allow}"), "can only raise"},
		{"module pattern", mine("modules: {allow: ['os path']}"), `p.yaml:5:23: profiles.mine.modules.allow[0]: "os path" is not a pattern`},
		{"star inside", mine("modules: {allow: ['a.*.b']}"), "only at its end"},
		{"callables star", mine("callables: {os.*: {allow: [x]}}"), "without *"},
		{"relative glob", mine("paths: {read: [work/**]}"), "write an absolute path"},
		{"dotdot glob", mine("paths: {read: [/work/../etc]}"), "write an absolute path"},
		{"double star in name", mine("paths: {read: ['/work/a**']}"), "** stands alone"},
		{"peer", mine("network: {allow: ['http://x']}"), "is not a pattern for network.allow"},
		{"peer port", mine("network: {allow: ['x:0']}"), "is not a pattern"},
		{"bound peer", mine("network: {allow: [{peer: 'http://x', tls: terminate}]}"), `p.yaml:5:30: profiles.mine.network.allow[0].peer: "http://x" is not a pattern`},
		{"bound to nothing", mine("network: {allow: [{tls: terminate}]}"), "needs a peer; add peer: host"},
		{"bound in clear", mine("network: {allow: [{peer: x.org, methods: [GET]}]}"), "p.yaml:5:24: profiles.mine.network.allow[0]: methods, paths and secrets are inside TLS, where nobody sees them; add tls: terminate"},
		{"paths in clear", mine("network: {allow: [{peer: x.org, tls: pass, paths: [/v1/*]}]}"), "add tls: terminate"},
		{"secrets in clear", mine("network: {allow: [{peer: x.org, secrets: [TOKEN]}]}"), "add tls: terminate"},
		{"tls", mine("network: {allow: [{peer: x.org, tls: open}]}"), `"open" is not known; write terminate`},
		{"method", mine("network: {allow: [{peer: x.org, tls: terminate, methods: [get]}]}"), `"get" is not known; known here: DELETE`},
		{"url path", mine("network: {allow: [{peer: x.org, tls: terminate, paths: [v1]}]}"), `"v1" is not a pattern for paths of URLs`},
		{"url path up", mine("network: {allow: [{peer: x.org, tls: terminate, paths: [/v1/../x]}]}"), "is not a pattern for paths of URLs"},
		{"secret's value", mine("network: {allow: [{peer: x.org, tls: terminate, secrets: [ghp_abc]}]}"), "such as EXAMPLE_TOKEN: never a value"},
		{"bound key", mine("network: {allow: [{peer: x.org, port: 443}]}"), `unknown key "port"`},
		{"size", mine("limits: {memory: 512MB}"), `p.yaml:5:22: profiles.mine.limits.memory: "512MB" is not a size; write a whole number with B, KiB`},
		{"endless", mine("limits: {wall: 1000h}"), "out of range; write from 1ms to 24h0m0s"},
		{"zero", mine("limits: {processes: 0}"), "0 is out of range"},
		{"syscalls", mine("denied_syscalls: [forks]"), `"forks" is not known; did you mean fork?`},
		{"abort", mine("abort: [exec, open]"), `"open" is not known`},
		{"abort on nothing", mine("abort: exec"), "p.yaml:5:12: profiles.mine.abort"},
		{"messages", mine("feedback: {messages: true}"), "write trust or hide"},
		{"hint", mine("hints: {os: \"a\\nb\"}"), "a hint is one sentence"},
		{"condition parts", mine("conditions: [{when: 'true', then: deny}]"), "needs when, then and why"},
		{"condition allow", mine("conditions: [{when: 'true', then: allow, why: x}]"), "can only raise"},
		{"condition type", mine("conditions: [{when: 'program.lines', then: deny, why: x}]"), "is of type int, not bool"},
		{"condition name", mine("conditions: [{when: 'score > 1', then: deny, why: x}]"), "undeclared reference to 'score'"},
		{"default", "version: 1\ndefault: nobody\n", `there is no profile "nobody"`},
		{"anchors", "version: 1\nprofiles: &a {}\n", "anchors"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			problems := Check("p.yaml", []byte(c.text), nil)
			if len(problems) == 0 {
				t.Fatal("taken")
			}
			var texts []string
			for _, p := range problems {
				texts = append(texts, p.String())
				if p.Fix == "" {
					t.Errorf("says not what to do: %s", p)
				}
			}
			if all := strings.Join(texts, "\n"); !strings.Contains(all, c.want) {
				t.Errorf("got %s\nwant %s", all, c.want)
			}
			_, err := Load(Config{Files: []string{write(t, c.text)}})
			if problems := (yamlfile.Problems)(nil); !errors.As(err, &problems) {
				t.Errorf("Load gave %v", err)
			}
		})
	}
}

func TestBuiltinFilesAreFreeOfProblems(t *testing.T) {
	s := load(t)
	if got := s.Names(); !slices.Equal(got, []string{"agent", "data", "infra", "pal", "query"}) || s.Default() != "data" {
		t.Fatal(got, s.Default())
	}
	for _, name := range s.Names() {
		text, err := s.Show(name)
		if err != nil || !strings.HasPrefix(string(text), "# "+name+": ") {
			t.Errorf("%s: %.40s %v", name, text, err)
		}
		p, _ := s.Profile(name)
		for c := range plain {
			if _, ok := p.Capabilities[c]; !ok {
				t.Errorf("%s does not say what it does about %s", name, c)
			}
		}
		for _, group := range []string{"mount", "ptrace"} {
			if !slices.Contains(p.DeniedSyscalls, group) {
				t.Errorf("%s does not deny %s", name, group)
			}
		}
	}
	pal, _ := s.Profile("pal")
	data, _ := s.Profile("data")
	if l := pal.Limits; l.CPU != 2*time.Second || l.Memory != 256<<20 || l.OpenFiles != 20 {
		t.Errorf("pal: %+v", l)
	}
	if l := data.Limits; l.CPU != 10*time.Second || l.Wall != 10*time.Second || l.Memory != 512<<20 || l.OpenFiles != 20 || l.Output != 16<<20 || l.Kept != 64<<10 {
		t.Errorf("data: %+v", l)
	}
	for _, name := range []string{"exec", "fork", "socket"} {
		if !slices.Contains(pal.DeniedSyscalls, name) || !slices.Contains(data.DeniedSyscalls, name) {
			t.Errorf("%s is not denied", name)
		}
	}
	// What pal may import, data may too: the profiles are steps.
	for _, pattern := range pal.Modules.Allow {
		if d, _ := data.module(strings.TrimSuffix(pattern, ".*")); d != palisade.Allow {
			t.Errorf("pal has %s, data has not", pattern)
		}
	}
}

func TestExtends(t *testing.T) {
	s := owned(t, write(t, `version: 1
default: mine
profiles:
  theirs:
    extends: mine
    modules: {deny: [polars.sql]}
    paths: {read: [/data/theirs/**]}
  mine:
    version: "7"
    extends: data
    modules: {allow: [polars.*], deny: [sqlite3]}
    callables: {os: {allow: [getuid]}}
    capabilities: {evaluate: ask}
    rules: {py-thread: ask}
    paths: {read: [/data/**], other: ask}
    limits: {memory: 1GiB}
    denied_syscalls: [ptrace]
    abort: [exec, connect]
    hints: {polars: use it}
    feedback: {messages: trust}
  other:
    extends: mine
    paths: {read: [/data/other/**]}
`))
	v := decide(t, s, judged("", imports("polars.io"), imports("numpy"), calls("os.getuid"), calls("os.getcwd"), does(palisade.CapReadPath, "/data/a")))
	if v.Decision != palisade.Allow || v.Profile != "mine" || v.PolicyVersion != "mine@7" || v.Limits.Memory != 1<<30 || v.Limits.CPU != 10*time.Second {
		t.Errorf("%+v", v)
	}
	if !v.TrustMessages || !slices.Equal(v.DeniedSyscalls, []string{"ptrace"}) || !slices.Equal(v.Abort, []string{"connect", "exec"}) || v.Isolation.Layers["events"] != "kernel" {
		t.Errorf("%+v", v)
	}
	for _, c := range []struct {
		profile string
		f       palisade.Finding
		d       palisade.Decision
		line    string
	}{
		{"mine", imports("sqlite3"), palisade.Deny, "profiles.mine.modules.deny[sqlite3]"},
		{"mine", does(palisade.CapEvaluate, ""), palisade.Ask, "profiles.mine.capabilities.evaluate"},
		{"mine", does(palisade.CapReadPath, "/etc/x"), palisade.Ask, "profiles.mine.paths.other"},
		{"mine", palisade.Finding{Rule: "py-thread", Capability: palisade.CapThread}, palisade.Ask, "profiles.mine.rules.py-thread"},
		{"mine", imports("polars.sql"), palisade.Allow, ""},
		{"theirs", imports("polars.sql"), palisade.Deny, "profiles.theirs.modules.deny[polars.sql]"},
		{"theirs", imports("sqlite3"), palisade.Deny, "profiles.theirs.modules.deny[sqlite3]"},
		{"data", does(palisade.CapEvaluate, ""), palisade.Deny, "profiles.data.capabilities.evaluate"},
		{"data", imports("polars"), palisade.Deny, "profiles.data.modules"},
	} {
		v := decide(t, s, judged(c.profile, c.f))
		if v.Decision != c.d || c.line != "" && v.Policy != c.line {
			t.Errorf("%s %s: %s by %s", c.profile, label(c.f), v.Decision, v.Policy)
		}
	}
	// Profiles that extend one do not share its lists.
	for name, want := range map[string]string{"theirs": "/data/theirs/**", "other": "/data/other/**"} {
		p, _ := s.Profile(name)
		if !slices.Contains(p.Paths.Read, want) || len(p.Paths.Read) != 7 {
			t.Errorf("%s reads %v", name, p.Paths.Read)
		}
	}
}

func TestLayersAreMerged(t *testing.T) {
	s := load(t, write(t, mine("isolation: {backends: [native], layers: {memory: cgroup, kernel: }}")))
	p, _ := s.Profile("mine")
	base, _ := s.Profile("data")
	if _, wanted := p.Isolation.Layers["kernel"]; wanted || p.Isolation.Layers["memory"] != "cgroup" || p.Isolation.Layers["rootfs"] != "read-only" {
		t.Errorf("%v", p.Isolation)
	}
	if base.Isolation.Layers["kernel"] == "" || base.Isolation.Layers["memory"] != "cgroup|watched" || base.Isolation.Backends[0] != "gvisor" {
		t.Errorf("changing a profile changed what it extends: %v", base.Isolation)
	}
}

func TestAProfileMayChangeItself(t *testing.T) {
	first := write(t, "version: 1\nprofiles:\n  data: {extends: data, modules: {allow: [polars]}}\n")
	second := write(t, "version: 1\nprofiles:\n  data: {extends: data, modules: {allow: [networkx]}}\n  more: {extends: data}\n")
	s := owned(t, first, second)
	if v := decide(t, s, judged("more", imports("polars"), imports("networkx"), imports("numpy"))); v.Decision != palisade.Allow {
		t.Errorf("%s by %s", v.Decision, v.Policy)
	}
	if text, _ := s.Show("data"); !strings.Contains(string(text), "networkx") {
		t.Errorf("shows %s", text)
	}
	if v := decide(t, s, judged("", does(palisade.CapUnparsable, ""))); v.Policy != "always.unparsable" {
		t.Error(v.Policy)
	}
}

func TestDigest(t *testing.T) {
	if a, b := load(t), load(t); a.Digest() != b.Digest() {
		t.Error("two loads differ")
	}
	digest := func(lines ...string) palisade.Digest {
		t.Helper()
		s := load(t, write(t, mine(lines...)))
		p, err := s.Profile("mine")
		if err != nil {
			t.Fatal(err)
		}
		return p.Digest()
	}
	base := digest()
	for _, same := range []string{"description: other words", "modules: {allow: [math]}", "rules: {}", "# a comment"} {
		if digest(same) != base {
			t.Errorf("%s changed the digest", same)
		}
	}
	seen := map[palisade.Digest]string{base: "base"}
	for _, other := range []string{
		`version: "2"`, "modules: {allow: [polars]}", "modules: {deny: [polars]}", "modules: {ask: [polars]}",
		"callables: {numpy: {deny: [x]}}", "builtins: {deny: [print]}", "capabilities: {thread: ask}", "rules: {a: deny}",
		"paths: {read: [/x]}", "paths: {write: [/x]}", "paths: {deny: [/x]}", "paths: {other: ask}", "paths: {unknown: deny}",
		"network: {allow: [x.org]}", "network: {deny: [x.org]}", "network: {other: deny}", "network: {unknown: deny}",
		"environment: {allow: [X]}", "environment: {other: ask}", "limits: {cpu: 1s}", "limits: {wall: 1s}", "limits: {memory: 1MiB}",
		"limits: {output: 1B}", "limits: {kept: 1B}", "limits: {processes: 1}", "limits: {open_files: 1}", "limits: {disk: 1B}",
		"limits: {inodes: 1}", "denied_syscalls: [mount]", "abort: [exec]", "abort: [fork]", "isolation: {backends: [native]}", "isolation: {layers: {memory: cgroup}}",
		"conditions: [{when: 'true', then: ask, why: x}]", "named: {target: {deny: [x]}}", "patterns: {low: ask}", "score: {ask: 1}",
		"paths: {deleting: ask}", "feedback: {messages: trust}", "hints: {x: y}",
	} {
		d := digest(other)
		if before, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", other, before)
		}
		seen[d] = other
	}
}

func TestUnreadableFiles(t *testing.T) {
	open := write(t, "version: 1\n")
	if err := os.Chmod(open, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{open, filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		if _, err := Load(Config{Files: []string{name}}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, name := range builtinNames {
		data, err := builtin.ReadFile("profiles/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(mine("conditions: [{when: 'findings.exists(f, f.line > 1)', then: ask, why: x}]")))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range Check("f", data, nil) {
			if p.Message == "" {
				t.Fatal("an empty complaint")
			}
		}
	})
}
