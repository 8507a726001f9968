package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/yamlfile"
)

// someRules are a catalogue for tests; what it says is told from the rules' own.
func someRules([]RuleFile) ([]Rule, error) {
	return []Rule{
		{ID: "py-process", Severity: palisade.High, Capability: palisade.CapProcess, Languages: []palisade.Language{palisade.Python}, Remedy: "Compute it here."},
		{ID: "py-lookalike", Severity: palisade.High, Capability: palisade.CapImport, Languages: []palisade.Language{palisade.Python}},
		{ID: "acme.danger", Severity: palisade.High, Capability: palisade.CapPattern, Languages: []palisade.Language{palisade.Python}, Remedy: "Leave danger alone."},
		{ID: "sh-unknown-command", Severity: palisade.Medium, Capability: palisade.CapUnresolved, Languages: []palisade.Language{palisade.Shell}, Remedy: "Use a common command."},
		{ID: "sh-unresolved", Severity: palisade.Medium, Capability: palisade.CapUnresolved, Languages: []palisade.Language{palisade.Shell}},
		{ID: "sh-read-system", Severity: palisade.Medium, Capability: palisade.CapReadPath, Languages: []palisade.Language{palisade.Shell}, Remedy: "Work on the files of the workspace."},
		{ID: "docker-image", Severity: palisade.Medium, Capability: palisade.CapRemoteCode, Languages: []palisade.Language{palisade.Dockerfile}, Remedy: "Use an approved registry."},
		{ID: "sql-read-data", Severity: palisade.Medium, Capability: palisade.CapReadData, Languages: []palisade.Language{palisade.SQL}},
	}, nil
}

// everyRule also has those that built-in profiles name.
func everyRule(files []RuleFile) ([]Rule, error) {
	list, _ := someRules(files)
	b, err := builtins()
	if err != nil {
		return nil, err
	}
	for _, line := range b.ruled {
		if !slices.ContainsFunc(list, func(r Rule) bool { return r.ID == line.Name }) {
			list = append(list, Rule{ID: line.Name, Capability: palisade.CapUnresolved})
		}
	}
	return list, nil
}

func knowing(t *testing.T, files ...string) *Set {
	t.Helper()
	s, err := Load(Config{Files: files, Callers: Callers{Owner: "uid:1000"}, Rules: everyRule})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestUnknownRuleIsRefused: a ban that is misspelled would be none.
func TestUnknownRuleIsRefused(t *testing.T) {
	for _, c := range []struct{ rule, want string }{
		{"nosuch-rule", `p.yaml:5:26: profiles.mine.rules.nosuch-rule: there is no rule "nosuch-rule", so that the line would raise nothing; palisade rules list has them all`},
		{"py-proces", "did you mean py-process?"},
		{"acme.dangr", "did you mean acme.danger?"},
		{"score", "that is policy's own finding: score of the profile decides"},
	} {
		text := mine("rules: {" + c.rule + ": deny}")
		problems := Check("p.yaml", []byte(text), everyRule)
		if len(problems) != 1 || !strings.Contains(problems[0].String(), c.want) {
			t.Errorf("%s: %v", c.rule, problems)
		}
		_, err := Load(Config{Files: []string{write(t, text)}, Rules: everyRule})
		if _, ok := errors.AsType[yamlfile.Problems](err); !ok {
			t.Errorf("%s: loaded: %v", c.rule, err)
		}
		if problems := Check("p.yaml", []byte(text), nil); len(problems) != 0 {
			t.Errorf("%s: it is not known which rules there are: %v", c.rule, problems)
		}
	}
	if problems := Check("p.yaml", []byte(mine("rules: {acme.danger: deny, py-process: ask}")), everyRule); len(problems) != 0 {
		t.Errorf("%v", problems)
	}
}

// TestRulesThatCannotBeTold: an error of the rules' files is told, and not taken
// for rules that there are not.
func TestRulesThatCannotBeTold(t *testing.T) {
	broken := func([]RuleFile) ([]Rule, error) { return nil, errors.New("broken rules") }
	text := mine("rules: {nosuch-rule: deny}")
	if problems := Check("p.yaml", []byte(text), broken); len(problems) != 1 || !strings.Contains(problems[0].String(), "broken rules") {
		t.Errorf("%v", problems)
	}
	if _, err := Load(Config{Files: []string{write(t, text)}, Rules: broken}); err == nil || !strings.Contains(err.Error(), "broken rules") {
		t.Errorf("%v", err)
	}
	text += "rule_files: [nowhere.yaml]\n"
	if problems := Check("p.yaml", []byte(text), everyRule); len(problems) != 1 || !strings.Contains(problems[0].String(), "nowhere.yaml") {
		t.Errorf("%v", problems)
	}
}

func TestExplainRules(t *testing.T) {
	s := knowing(t, write(t, mine("rules: {acme.danger: deny, sh-read-system: ask}", "capabilities: {unresolved: deny}")))
	for _, c := range []struct {
		profile, thing string
		want           []string
	}{
		{"data", "rule acme.danger", []string{"about a pattern of severity high, and no line under profiles.data.rules raises it", "pattern: ask", "profiles.data.patterns.high (data.yaml:", "leave danger alone", "patterns: {high: allow}"}},
		{"mine", "rule acme.danger", []string{"rule acme.danger: deny\n  decided by profiles.mine.rules.acme.danger (", "instead: leave danger alone", "that line is yours", "decided by profiles.mine.patterns.high"}},
		{"data", "rule py-process", []string{"is about process", "process: deny", "decided by profiles.data.capabilities.process"}},
		{"mine", "rule sh-read-system", []string{"rule sh-read-system: at least ask", "read_path: allow /dev/null"}},
		{"agent", "rule sh-unknown-command", []string{"rule sh-unknown-command: ask", "use a common command", "cannot take the ask back"}},
		{"data", "rule score", []string{"policy's own finding", "ask from 50 on"}},
		{"data", "no-tree", []string{"always.no_tree, which no file can change"}},
		{"query", "rule sql-read-data", []string{"is about read_data", "by name, before that: deny mysql.user"}},
	} {
		text, err := s.Explain(c.profile, c.thing)
		for _, want := range c.want {
			if err != nil || !strings.Contains(text, want) || strings.Contains(text, "threads") {
				t.Errorf("%s %s: %v, lacks %q in\n%s", c.profile, c.thing, err, want, text)
			}
		}
	}
	if _, err := s.Explain("data", "rule py-proces"); !errors.Is(err, ErrNoRule) || !strings.Contains(err.Error(), "did you mean py-process?") {
		t.Errorf("%v", err)
	}
}

// TestOwnFindings: what policy finds itself is told in OwnFindings, and stands
// at the program's name.
func TestOwnFindings(t *testing.T) {
	s := owned(t, write(t, mine("score: {ask: 1, deny: 0}", "conditions: [{when: 'true', then: ask, why: x}]")))
	bare := judged("mine")
	bare.Submission.Program.Language = palisade.Shell
	bare.Inspection.Trees, bare.Inspection.Score = nil, 99
	unknown, forbidden := judged("nosuch"), judged("agent")
	forbidden.Submission.Submitter = "uid:2"
	found := map[string]bool{}
	for _, c := range []palisade.Case{bare, unknown, forbidden} {
		for _, r := range decide(t, s, c).Reasons {
			own, ok := Own(r.Finding.Rule)
			if !ok || own.Severity != r.Finding.Severity || r.Finding.File != "program.py" {
				t.Errorf("%+v", r.Finding)
			}
			found[r.Finding.Rule] = true
		}
	}
	for _, own := range OwnFindings() {
		if !found[own.ID] {
			t.Errorf("%s was not made", own.ID)
		}
		if own.Title == "" || own.Line == "" || own.Remedy == "" {
			t.Errorf("%+v", own)
		}
	}
	if f := ownFinding("score", palisade.Program{}, ""); f.File != "program" {
		t.Errorf("without a name: %q", f.File)
	}
}

// TestAdviceInTheRightWords: advice is in the words of the language, of the rule
// that was broken, or of the line that an owner would change.
func TestAdviceInTheRightWords(t *testing.T) {
	s := knowing(t)
	finding := func(rule string, c palisade.Capability, argument string) palisade.Finding {
		return palisade.Finding{Rule: rule, Severity: palisade.High, Capability: c, Argument: argument}
	}
	for _, c := range []struct {
		profile   string
		language  palisade.Language
		f         palisade.Finding
		want, not string
	}{
		{"agent", palisade.Shell, finding("sh-unknown-command", palisade.CapUnresolved, "x"), "or use a common command (profiles.agent.rules.sh-unknown-command asks about all", "attributes"},
		{"data", palisade.Python, finding("sh-unresolved", palisade.CapUnresolved, "x"), "write commands, options and file names out", "attributes"},
		{"data", palisade.Python, finding("", palisade.CapUnresolved, "x"), "name modules, attributes and calls plainly", "commands"},
		{"agent", palisade.Shell, finding("sh-read-system", palisade.CapReadPath, "/etc/hostname"), "work on the files of the workspace (profiles.agent.rules.sh-read-system asks about all", "/proc/meminfo"},
		{"agent", palisade.Shell, finding("", palisade.CapReadPath, "/etc/hostname"), "read files under", "rules"},
		{"data", palisade.Python, finding("acme.danger", palisade.CapPattern, ""), "leave danger alone", "message"},
		{"infra", palisade.Dockerfile, finding("docker-image", palisade.CapRemoteCode, "evil/x:1"), "use an approved registry; or have the policy's owner name it under profiles.infra.named.remote_code.allow, which has: docker.io/library/*", "compute"},
		{"infra", palisade.Kubernetes, finding("", palisade.CapEvaluate, ""), "change profiles.infra.capabilities.evaluate", "compute"},
		{"infra", palisade.Terraform, finding("", palisade.CapNetwork, "x.org"), "name it under profiles.infra.network.allow", "arguments"},
		{"query", palisade.SQL, finding("", palisade.CapReadData, "pg_shadow"), "profiles.query.named.read_data.deny[pg_shadow] denies it", "owner"},
		{"query", palisade.SQL, finding("", palisade.CapReadPath, "/etc/x"), "name it under profiles.query.paths.read", "stdin"},
	} {
		in := judged(c.profile, c.f)
		in.Submission.Program.Language = c.language
		v := decide(t, s, in)
		if len(v.Reasons) != 1 || !strings.Contains(v.Reasons[0].Next, c.want) || strings.Contains(v.Reasons[0].Next, c.not) {
			t.Errorf("%s %s: lacks %q, or has %q: %+v", c.language, label(c.f), c.want, c.not, v.Reasons)
		}
	}
	in := judged("data", finding("", palisade.CapImport, "fs"), finding("", palisade.CapImport, "os"), finding("", palisade.CapImport, "mat"))
	in.Submission.Program.Language = palisade.JavaScript
	for _, r := range decide(t, s, in).Reasons {
		if strings.Contains(r.Next, "math") || strings.Contains(r.Next, "pathlib") || strings.Contains(r.Next, "another module") {
			t.Errorf("Python's words to JavaScript: %+v", r)
		}
	}
}
