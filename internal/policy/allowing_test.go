package policy

import (
	"strings"
	"testing"

	"palisade"
)

// namedFile is an owner's profile that tells tables and systems apart by name.
const namedFile = `version: 1
profiles:
  sales:
    extends: query
    languages: [sql, terraform]
    capabilities: {read_data: ask, target: allow}
    named:
      read_data: {allow: [sales, "public.*"], deny: ["*password*"], ask: [own]}
      target: {ask: ["*prod*"]}
`

// TestExplainAgreesWithDecide: what is said of a name is what is decided.
func TestExplainAgreesWithDecide(t *testing.T) {
	s := owned(t, write(t, namedFile))
	for _, c := range []struct {
		profile, thing string
		f              palisade.Finding
	}{
		{"sales", "read_data sales", does(palisade.CapReadData, "sales")},
		{"sales", "read_data public.x", does(palisade.CapReadData, "public.x")},
		{"sales", "read_data x.passwords", does(palisade.CapReadData, "x.passwords")},
		{"sales", "read_data own", does(palisade.CapReadData, "own")},
		{"sales", "table people", does(palisade.CapReadData, "people")},
		{"sales", "target eu-prod", does(palisade.CapTarget, "eu-prod")},
		{"sales", "target a system", does(palisade.CapTarget, "a system")},
		{"query", "table pg_shadow", does(palisade.CapReadData, "pg_shadow")},
		{"infra", "target prod", does(palisade.CapTarget, "prod")},
		{"infra", "remote_code docker.io/library/nginx", does(palisade.CapRemoteCode, "docker.io/library/nginx")},
		{"infra", "image nginx:1.27", does(palisade.CapRemoteCode, "docker.io/library/nginx:1.27")},
		{"infra", "image nginx", does(palisade.CapRemoteCode, "docker.io/library/nginx:latest")},
		{"infra", "image r:5000/a", does(palisade.CapRemoteCode, "r:5000/a:latest")},
		{"infra", "image a/b@sha256:00", does(palisade.CapRemoteCode, "docker.io/a/b@sha256:00")},
		{"data", "process ls -l", does(palisade.CapProcess, "ls -l")},
		{"data", "read_path /work/x", does(palisade.CapReadPath, "/work/x")},
		{"data", "import score", imports("score")},
		{"agent", "delete /work/x", does(palisade.CapDeletePath, "/work/x")},
	} {
		f := c.f
		f.Rule = ""
		p, err := s.Profile(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		d, line := p.finding(f)
		text, err := s.Explain(c.profile, c.thing)
		if want := label(f) + ": " + d.String() + "\n  decided by " + p.where(line) + "\n"; err != nil || !strings.HasPrefix(text, want) {
			t.Errorf("%s %s: %v, want %q in\n%s", c.profile, c.thing, err, want, text)
		}
		if strings.Contains(text, "which is not in the profile") {
			t.Errorf("%s %s: a line that stands there is said not to:\n%s", c.profile, c.thing, text)
		}
	}
}

// TestExplainCapabilityAlone: a capability without a name is its line, and the
// lists of names that come before it.
func TestExplainCapabilityAlone(t *testing.T) {
	s := owned(t, write(t, namedFile))
	for _, c := range []struct {
		profile, thing string
		want           []string
	}{
		{"query", "read_data", []string{"read_data: allow\n", "profiles.query.capabilities.read_data (query.yaml:", "by name, before that: deny mysql.user, pg_authid", "any other allow; a name that the reading cannot tell deny"}},
		{"infra", "target", []string{"target: allow\n", "by name, before that: ask *-live,", "cannot tell ask"}},
		{"sales", "read_data", []string{"read_data: ask\n", "deny *password*, mysql.user", "ask own; allow public.*, sales; any other ask", "named: {read_data: {allow: [NAME]}}"}},
		{"query", "target", []string{"target: deny\n", "capabilities: {target: allow}"}},
		{"data", "process", []string{"process: deny\n", "capabilities: {process: allow}"}},
	} {
		text, err := s.Explain(c.profile, c.thing)
		for _, want := range c.want {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s %s: %v, lacks %q in\n%s", c.profile, c.thing, err, want, text)
			}
		}
	}
}

// TestHowToAllowNames follows the advice for names, in an own profile too.
func TestHowToAllowNames(t *testing.T) {
	s := owned(t, write(t, namedFile))
	for _, c := range []struct {
		profile string
		f       palisade.Finding
		advice  bool
	}{
		{"infra", does(palisade.CapTarget, "prod"), true},
		{"infra", does(palisade.CapTarget, "eu-prod-1"), true},
		{"infra", does(palisade.CapTarget, "?"), true},
		{"infra", does(palisade.CapRemoteCode, "evil.example/x:1"), true},
		{"infra", does(palisade.CapRemoteCode, "evil.example/x:latest"), true},
		{"infra", does(palisade.CapRemoteCode, `odd "name"`), true},
		{"infra", does(palisade.CapRemoteCode, "a*b"), true}, // as a capability: as a pattern it would mean others
		{"infra", does(palisade.CapRemoteCode, "a\nb"), true},
		{"query", does(palisade.CapWriteData, "x"), true},
		{"query", does(palisade.CapReadData, "pg_shadow"), false}, // a deny
		{"query", does(palisade.CapReadData, "?"), false},
		{"sales", does(palisade.CapReadData, "people"), true},
		{"sales", does(palisade.CapReadData, "own"), false}, // its own file asks
		{"sales", does(palisade.CapTarget, "prod"), false},
		{"sales", does(palisade.CapSchema, "people"), true},
	} {
		p, err := s.Profile(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := p.finding(c.f)
		how := s.HowToAllow(p, c.f, d)
		if (how != "") != c.advice {
			t.Errorf("%s %s: %q", c.profile, label(c.f), how)
		}
		if byName := strings.Contains(how, "allow: [\""); byName != (how != "" && !strings.ContainsAny(c.f.Argument, "*\n?")) {
			t.Errorf("%s %s: by name: %v\n%s", c.profile, label(c.f), byName, how)
		}
		if how == "" {
			continue
		}
		var text string
		if p.file != "" { // lines of the profile: another that extends it has the same
			if strings.Contains(how, "extends") {
				t.Errorf("a profile of one's own is to be extended:\n%s", how)
			}
			text = namedFile + "  mine:\n    extends: " + c.profile + "\n" + how + "\n"
		} else {
			text = strings.ReplaceAll("\n"+how, "\n    ", "\n") + "\n"
		}
		q, err := owned(t, write(t, text)).Profile("mine")
		if err != nil {
			t.Fatal(err)
		}
		if got, line := q.finding(c.f); got != palisade.Allow {
			t.Errorf("%s %s: still %s by %s after\n%s", c.profile, label(c.f), got, line, how)
		}
	}
}

// TestAdviceForOwnProfile: a profile that is called mine already is not told to
// extend itself, and a stop of its own is its own to take out.
func TestAdviceForOwnProfile(t *testing.T) {
	file := write(t, mine("modules: {deny: [numpy], ask: [polars]}", "rules: {py-x: deny}"))
	s := owned(t, file)
	for thing, want := range map[string]string{
		"subprocess":     "in the profile mine of " + file + ":\n    modules: {allow: [subprocess]}\n",
		"process":        "in the profile mine of " + file + ":\n    capabilities: {process: allow}\n",
		"import numpy":   "that line is yours",
		"import polars":  "that line is yours",
		"builtins.help":  "cannot take the deny back",
		"urllib.request": "modules: {unask: [urllib.request], allow: [urllib.request]}",
	} {
		text, err := s.Explain("mine", thing)
		if err != nil || !strings.Contains(text, want) || strings.Contains(text, "extends: mine") {
			t.Errorf("%s: %v, lacks %q in\n%s", thing, err, want, text)
		}
	}
	if text, _ := s.Explain("infra", "target eu-prod-1"); !strings.Contains(text, "no other name that these patterns mean is asked about then") {
		t.Errorf("what else is loosened is not said:\n%s", text)
	}
}

// TestDeletingHasTwoLines: of what is deleted, both lines are told.
func TestDeletingHasTwoLines(t *testing.T) {
	s := owned(t)
	for _, c := range []struct{ profile, thing, want string }{
		{"agent", "delete /work/x", "decided by profiles.agent.paths.deleting"},
		{"agent", "delete /work/x", "writing to it: allow, by profiles.agent.paths.write[/work/**]"},
		{"data", "delete /work/x", "decided by profiles.data.paths.write[/work/**]"},
		{"data", "delete /work/x", "of deleting, profiles.data.paths.deleting (data.yaml:"},
		{"data", "delete /etc/x", "decided by profiles.data.paths.other"},
		{"data", "delete_path", "delete_path: decided as write_path is (data.yaml:"},
		{"agent", "delete_path", "delete_path: ask where write_path is allowed, else decided as write_path is"},
		{"pal", "delete_path", "delete_path: deny"},
	} {
		if text, err := s.Explain(c.profile, c.thing); err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %v, lacks %q in\n%s", c.profile, c.thing, err, c.want, text)
		}
	}
}

// TestSections: what decides about many things, or about the whole, can be asked
// for, and stands in the summary.
func TestSections(t *testing.T) {
	s := owned(t, write(t, mine("rules: {py-x: ask}", "score: {ask: 7, deny: 70}", "conditions: [{when: 'program.lines > 5', then: ask, why: long}]",
		"named: {target: {ask: [prod]}}")))
	all, err := s.Explain("mine", "")
	if err != nil {
		t.Fatal(err)
	}
	for thing, want := range map[string]string{
		"score": "ask from 7 on (", "patterns": "critical deny, high ask", "pattern": "critical deny, high ask", "rules": "rule py-x: ask (",
		"conditions": "ask where program.lines > 5 (long)", "named": "target by name: ask prod; any other ask", "paths": "delete_path: decided as write_path is (data.yaml:",
		"capabilities": "deny: destroy, evaluate", "modules": "import: deny ",
	} {
		text, err := s.Explain("mine", thing)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v, lacks %q in\n%s", thing, err, want, text)
		}
		if thing != "capabilities" && thing != "modules" && !strings.Contains(all, want) {
			t.Errorf("the summary lacks %q:\n%s", want, all)
		}
	}
	if text, _ := s.Explain("query", "score"); !strings.Contains(text, "no score alone is asked about; no score alone is denied") {
		t.Errorf("%s", text)
	}
	if text, _ := s.Explain("query", "conditions"); text != "conditions: none\n" {
		t.Errorf("%s", text)
	}
}
