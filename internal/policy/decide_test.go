package policy

import (
	"context"
	"strings"
	"testing"

	"palisade"
)

// judged returns a case of one program with findings, as the owner's command
// line submits it.
func judged(profile string, findings ...palisade.Finding) palisade.Case {
	return palisade.Case{
		Submission: palisade.Submission{
			Submitter: "uid:1000", Door: "cli", Profile: profile,
			Program: palisade.Program{Language: palisade.Python, Name: "program.py", Source: []byte("pass\n")},
		},
		Inspection: palisade.Inspection{Findings: findings, Trees: map[string]palisade.Digest{"": {1}}},
	}
}

func owned(t *testing.T, files ...string) *Set {
	t.Helper()
	s, err := Load(Config{Files: files, Callers: Callers{Owner: "uid:1000"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decide(t *testing.T, s *Set, c palisade.Case) palisade.Verdict {
	t.Helper()
	v, err := s.Decide(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func imports(name string) palisade.Finding {
	return palisade.Finding{Rule: "py-import", Capability: palisade.CapImport, Argument: name, Symbol: name}
}

func calls(symbol string) palisade.Finding {
	return palisade.Finding{Rule: "py-call", Capability: palisade.CapCall, Symbol: symbol, Argument: symbol}
}

func does(c palisade.Capability, argument string) palisade.Finding {
	return palisade.Finding{Rule: "py-" + string(c), Severity: palisade.High, Capability: c, Argument: argument, Unknown: argument == "?"}
}

func TestFindings(t *testing.T) {
	s := owned(t)
	const (
		read, write, net, env = palisade.CapReadPath, palisade.CapWritePath, palisade.CapNetwork, palisade.CapEnvironment
	)
	// d deny, q ask, a allow: pal, data, agent.
	cases := []struct {
		f    palisade.Finding
		want string
		line string // of data
	}{
		{imports("math"), "aaa", ""},
		{imports("numpy"), "daa", ""},
		{imports("numpy.linalg"), "daa", ""},
		{imports("numpyx"), "dda", "profiles.data.modules"},
		{imports("os"), "daa", ""},
		{imports("os.path"), "daa", ""},
		{imports("posix"), "dda", "profiles.data.modules"},
		{imports("subprocess"), "dda", "profiles.data.modules"},
		{imports("ctypes"), "ddd", "profiles.data.modules"},
		{imports("ctypes.util"), "ddd", "profiles.data.modules"},
		{imports("numpy.ctypeslib"), "ddd", "profiles.data.modules.deny[numpy.ctypeslib]"},
		{imports("numpy.f2py.crackfortran"), "ddd", "profiles.data.modules.deny[numpy.f2py]"},
		{imports("urllib.request"), "dqa", "profiles.data.modules.ask[urllib.request]"},
		{imports("urllib"), "dda", "profiles.data.modules"},
		{imports("urllib.parse"), "daa", ""},
		{imports("json.tool"), "dda", "profiles.data.modules"},
		{imports(""), "dqa", "profiles.data.capabilities.unresolved"},
		{palisade.Finding{Capability: palisade.CapImport, Unknown: true}, "dqa", "profiles.data.capabilities.unresolved"},
		{palisade.Finding{Capability: palisade.CapImport, Unknown: true, Argument: "ctypes"}, "ddd", "profiles.data.modules"},
		{imports(strings.Repeat("a.", 100000)), "ddd", "profiles.data.modules"},

		{calls("math.sqrt"), "aaa", ""},
		{calls("os.path.join"), "daa", ""},
		{calls("os.path"), "daa", ""},
		{calls("os.getcwd"), "daa", ""},
		{calls("os.system"), "dda", "profiles.data.callables.os"},
		{calls("os.getcwdx"), "dda", "profiles.data.callables.os"},
		{calls("os.*"), "dda", "profiles.data.callables.os"},
		{calls("sys.modules"), "dda", "profiles.data.callables.sys"},
		{calls("sys.maxsize"), "aaa", ""},
		{calls("sys.stdin.buffer.read"), "aaa", ""},
		{calls("numpy.array"), "daa", ""},
		{calls("numpy.ctypeslib.as_array"), "ddd", "profiles.data.modules.deny[numpy.ctypeslib]"},
		{calls("numpy.testing.assert_allclose"), "daa", ""},
		{calls("numpy.testing.rundocs"), "dda", "profiles.data.callables.numpy.testing"},
		{calls("pandas.read_sql_query"), "dda", "profiles.data.callables.pandas.deny[read_sql*]"},
		{calls("pandas.read_csv"), "daa", ""},
		{calls("seaborn.load_dataset"), "dqa", "profiles.data.callables.seaborn.ask[load_dataset]"},
		{calls("subprocess.run"), "dda", "profiles.data.modules"},
		{calls("urllib.request.urlopen"), "dqa", "profiles.data.modules.ask[urllib.request]"},
		{calls("urllib.parse.quote"), "daa", ""},
		{calls("builtins.len"), "aaa", ""},
		{calls("builtins.breakpoint"), "ddd", "profiles.data.builtins.deny[breakpoint]"},
		{calls(""), "dqa", "profiles.data.capabilities.unresolved"},
		{calls(strings.Repeat("os.", 100000)), "ddd", "profiles.data.modules"},

		{does(read, "/work/a.csv"), "daa", ""},
		{does(read, "/work"), "daa", ""},
		{does(read, "/tmp/x/y"), "daa", ""},
		{does(read, "/etc/passwd"), "ddq", "profiles.data.paths.other"},
		{does(read, "/etc/shadow"), "ddd", "profiles.data.paths.other"},
		{does(read, "/work/../etc/shadow"), "ddd", "profiles.data.paths.other"},
		{does(read, "/workx/a"), "ddq", "profiles.data.paths.other"},
		{does(read, "/home/me/.ssh/id_rsa"), "ddd", "profiles.data.paths.other"},
		{does(read, "~/.ssh/id_rsa"), "ddq", "profiles.data.paths.other"},
		{does(read, "file:///etc/shadow"), "ddd", "profiles.data.paths.other"},
		{does(read, "file:///work/%2e%2e/etc/shadow"), "ddq", "profiles.data.paths.other"},
		{does(read, "file://localhost/etc/shadow"), "ddq", "profiles.data.paths.other"},
		{does(read, "/work/a\x00/etc"), "ddq", "profiles.data.paths.other"},
		{does(read, "https://example.org/a.csv"), "dqq", "profiles.data.network.other"},
		{does(read, "http://169.254.169.254/latest"), "ddd", "profiles.data.network.deny[169.254.0.0/16]"},
		{does(read, "?"), "dqa", "profiles.data.paths.unknown"},
		{does(write, "/work/out.png"), "daa", ""},
		{does(write, "/usr/lib/x"), "ddq", "profiles.data.paths.other"},
		{does(write, "/dev/null"), "daa", ""},
		{does(write, ""), "dqa", "profiles.data.paths.unknown"},

		{does(net, "example.org:443"), "dqq", "profiles.data.network.other"},
		{does(net, "169.254.169.254"), "ddd", "profiles.data.network.deny[169.254.0.0/16]"},
		{does(net, "http://2852039166/latest/meta-data"), "ddd", "profiles.data.network.deny[169.254.0.0/16]"},
		{does(net, "http://0xA9FEA9FE/"), "ddd", "profiles.data.network.deny[169.254.0.0/16]"},
		{does(net, "http://0251.0376.0251.0376/"), "ddd", "profiles.data.network.deny[169.254.0.0/16]"},
		{does(net, "http://169.254.43518/"), "ddd", "profiles.data.network.deny[169.254.0.0/16]"},
		{does(net, "http://[::ffff:169.254.169.254]/"), "ddd", "profiles.data.network.deny[169.254.0.0/16]"},
		{does(net, "http://[64:ff9b::a9fe:a9fe]/"), "ddd", "profiles.data.network.deny[169.254.0.0/16]"},
		{does(net, "http://METADATA.google.internal./"), "ddd", "profiles.data.network.deny[metadata.google.internal]"},
		{does(net, "http://user@169.254.169.254:80/"), "ddd", "profiles.data.network.deny[169.254.0.0/16]"},
		{does(net, "http://good.org\\@169.254.169.254/"), "dqq", "profiles.data.network.unknown"},
		{does(net, "?"), "dqq", "profiles.data.network.unknown"},
		{does(env, "MPLBACKEND"), "daa", ""},
		{does(env, "LC_ALL"), "daa", ""},
		{does(env, "AWS_SECRET_ACCESS_KEY"), "dda", "profiles.data.environment.other"},
		{does(env, ""), "dda", "profiles.data.environment.unknown"},

		{does(palisade.CapProcess, "id"), "dda", "profiles.data.capabilities.process"},
		{does(palisade.CapNative, ""), "ddd", "profiles.data.capabilities.native"},
		{does(palisade.CapSecret, ""), "ddd", "profiles.data.capabilities.secret"},
		{does(palisade.CapInstall, "x"), "ddd", "profiles.data.capabilities.install"},
		{does(palisade.CapThread, ""), "daa", ""},
		{does(palisade.CapExit, ""), "aaa", ""},
		{does(palisade.CapDeserialize, ""), "dqa", "profiles.data.capabilities.deserialize"},
		{does(palisade.CapUnresolved, ""), "dqa", "profiles.data.capabilities.unresolved"},
		{does(palisade.CapIntrospect, ""), "ddq", "profiles.data.capabilities.introspect"},
		{does(palisade.CapEvaluate, ""), "dda", "profiles.data.capabilities.evaluate"},
		{does(palisade.CapListen, ""), "ddq", "profiles.data.capabilities.listen"},

		{does(palisade.CapDeletePath, "/work/x"), "daq", ""},
		{does(palisade.CapDeletePath, "/etc/x"), "ddq", "profiles.data.paths.other"},
		{does(palisade.CapDeletePath, "/etc/shadow"), "ddd", ""},
		{does(palisade.CapDeletePath, "?"), "dqq", "profiles.data.paths.unknown"},
		{does(palisade.CapRemoteCode, "evil/x"), "ddd", "profiles.data.capabilities.remote_code"},
		{does(palisade.CapPattern, ""), "dqq", "profiles.data.patterns.high"}, // high

		{does(palisade.CapUnparsable, ""), "ddd", "always.unparsable"},
		{does(palisade.CapFailed, ""), "ddd", "always.analysis_failed"},
		{does(palisade.CapOversized, ""), "ddd", "always.oversized"},
		{does("teleport", ""), "ddd", "always.unknown_capability"},
		{palisade.Finding{}, "ddd", "always.unknown_capability"},
	}
	letters := map[byte]palisade.Decision{'d': palisade.Deny, 'q': palisade.Ask, 'a': palisade.Allow}
	for _, c := range cases {
		for i, profile := range []string{"pal", "data", "agent"} {
			v := decide(t, s, judged(profile, c.f))
			name := profile + " " + label(c.f)[:min(40, len(label(c.f)))]
			if v.Decision != letters[c.want[i]] {
				t.Errorf("%s: %s by %s, want %s", name, v.Decision, v.Policy, letters[c.want[i]])
			}
			if profile == "data" && c.line != "" && v.Policy != c.line {
				t.Errorf("%s: by %s, want %s", name, v.Policy, c.line)
			}
			if v.Decision == palisade.Allow {
				if v.Policy != "profiles."+profile || len(v.Reasons) > 0 {
					t.Errorf("%s: allowed by %s with %v", name, v.Policy, v.Reasons)
				}
				continue
			}
			if len(v.Reasons) != 1 || v.Reasons[0].Policy != v.Policy || v.Reasons[0].Decision != v.Decision {
				t.Errorf("%s: reasons %+v", name, v.Reasons)
			} else if next := v.Reasons[0].Next; next == "" && v.Policy != "always.unknown_capability" || len(next) > 1300 {
				t.Errorf("%s: next is %q", name, next)
			}
		}
	}
}

func TestStrictestDecidesAndStandsFirst(t *testing.T) {
	v := decide(t, owned(t), judged("data", imports("math"), does(palisade.CapUnresolved, ""), does(palisade.CapProcess, "id"), imports("requests")))
	if v.Decision != palisade.Deny || v.Policy != "profiles.data.capabilities.process" || len(v.Reasons) != 3 {
		t.Fatalf("%+v", v)
	}
	for i := range v.Reasons[1:] {
		if v.Reasons[i].Decision > v.Reasons[i+1].Decision {
			t.Error("a milder reason stands before a stricter one")
		}
	}
}

func TestNoTreeIsDenied(t *testing.T) {
	s := owned(t)
	for _, f := range [][]palisade.Finding{nil, {does(palisade.CapUnresolved, "")}} {
		c := judged("agent", f...)
		c.Inspection.Trees = nil
		if v := decide(t, s, c); v.Decision != palisade.Deny || v.Policy != "always.no_tree" {
			t.Errorf("%v: %s by %s", f, v.Decision, v.Policy)
		}
	}
}

func TestLanguage(t *testing.T) {
	c := judged("agent")
	c.Submission.Program.Language = "cobol"
	if v := decide(t, owned(t), c); v.Decision != palisade.Deny || v.Policy != "profiles.agent.languages" {
		t.Errorf("%s by %s", v.Decision, v.Policy)
	}
}

func TestVerdictCarriesWhatExecutionNeeds(t *testing.T) {
	s := owned(t)
	c := judged("data")
	c.Submission.Lower = palisade.Limits{CPU: 1, Memory: 1 << 60, Wall: -5, OpenFiles: 3}
	v := decide(t, s, c)
	p, _ := s.Profile("data")
	want := p.Limits
	want.CPU, want.OpenFiles = 1, 3
	if v.Limits != want {
		t.Errorf("limits %+v", v.Limits)
	}
	if v.PolicyDigest != p.Digest() || v.PolicyVersion != "data@1" || v.Profile != "data" || v.TrustMessages {
		t.Errorf("%+v", v)
	}
	if len(v.Isolation.Backends) != 1 || v.Isolation.Layers["memory"] == "" || len(v.DeniedSyscalls) < 5 || len(v.Egress) != 0 {
		t.Errorf("%+v", v)
	}
	v.Isolation.Backends[0], v.DeniedSyscalls[0], v.Isolation.Layers["memory"] = "host", "none", "none"
	if again := decide(t, s, c); again.Isolation.Backends[0] != "gvisor" || again.DeniedSyscalls[0] == "none" || again.Isolation.Layers["memory"] == "none" {
		t.Error("changing a verdict changed the policy")
	}
	for _, need := range []string{"numpy", "pandas", "/work", "network: none without a human's approval", "512MiB"} {
		if !strings.Contains(v.Available, need) || len(v.Available) > maxAvailable || strings.Contains(v.Available, "\n") {
			t.Errorf("available lacks %s: %s", need, v.Available)
		}
	}
}

func TestReasonsAreBounded(t *testing.T) {
	findings := make([]palisade.Finding, 5000)
	for i := range findings {
		findings[i] = does(palisade.CapUnresolved, "")
	}
	findings = append(findings, does(palisade.CapProcess, "id"))
	v := decide(t, owned(t), judged("data", findings...))
	if len(v.Reasons) != maxReasons || v.Decision != palisade.Deny {
		t.Errorf("%d reasons, %s", len(v.Reasons), v.Decision)
	}
}

func TestCallers(t *testing.T) {
	s, err := Load(Config{Callers: Callers{
		Owner:      "uid:1000",
		Doors:      map[string][]string{"http": {"pal"}, "go": {Any}},
		Submitters: map[string][]string{"key:ops": {"agent"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		door, submitter, profile, used, line string
	}{
		{"cli", "uid:1000", "agent", "agent", ""},
		{"cli", "uid:1001", "agent", "", "callers.doors.cli"},
		{"http", "uid:1000", "agent", "", "callers.doors.http"},
		{"", "", "agent", "", "callers.doors."},
		{"cli", "", "pal", "", "callers.doors.cli"},
		{"cli", "uid:1001", "", "data", ""},
		{"cli", "uid:1001", "data", "data", ""},
		{"http", "key:x", "pal", "pal", ""},
		{"go", "key:x", "agent", "agent", ""},
		{"http", "key:ops", "agent", "agent", ""},
		{"http", "key:ops", "pal", "", "callers.submitters.key:ops"},
		{"http", "key:x", "nothing", "", "callers.doors.http"},
		{"cli", "uid:1000", "nothing", "", "profiles"},
	}
	for _, c := range cases {
		in := judged(c.profile)
		in.Submission.Door, in.Submission.Submitter = c.door, c.submitter
		v := decide(t, s, in)
		if c.used == "" {
			if v.Decision != palisade.Deny || v.Policy != c.line || v.Profile != "data" || v.Reasons[0].Next == "" {
				t.Errorf("%+v: %s by %s", c, v.Decision, v.Policy)
			}
		} else if v.Decision != palisade.Allow || v.Profile != c.used {
			t.Errorf("%+v: %s by %s", c, v.Decision, v.Policy)
		}
	}
	if _, err := Load(Config{Callers: Callers{Doors: map[string][]string{"http": {"none"}}}}); err == nil {
		t.Error("a grant of a profile that does not exist was taken")
	}
	if _, err := Load(Config{Default: "none"}); err == nil {
		t.Error("a default that does not exist was taken")
	}
}

// TestProfileNotAllowed: the caller learns what it may name, and nothing of
// what others may.
func TestProfileNotAllowed(t *testing.T) {
	s, err := Load(Config{Callers: Callers{Doors: map[string][]string{"http": {"pal"}}, Submitters: map[string][]string{"key:ops": {"agent"}, "key:none": {}}}})
	if err != nil {
		t.Fatal(err)
	}
	for submitter, want := range map[string]string{"key:x": "gives it: pal", "key:ops": "gives it: agent", "key:none": "that is none"} {
		in := judged("nosuch" + strings.Repeat("x", 1000))
		in.Submission.Door, in.Submission.Submitter = "http", submitter
		v := decide(t, s, in)
		if len(v.Reasons) != 1 || v.Reasons[0].Finding.Rule != "profile-not-allowed" {
			t.Fatalf("%s: %+v", submitter, v.Reasons)
		}
		r := v.Reasons[0]
		if !strings.Contains(r.Finding.Message, `profile "nosuchxx`) || len(r.Finding.Message) > 200 {
			t.Errorf("message %q", r.Finding.Message)
		}
		if !strings.Contains(r.Next, "leave the profile out") || !strings.Contains(r.Next, "`callers` in config.yaml") || !strings.HasSuffix(r.Next, want) {
			t.Errorf("%s: next %q", submitter, r.Next)
		}
	}
}

// TestInstalled: what is not installed is not offered, and no decision changes.
func TestInstalled(t *testing.T) {
	file := write(t, "version: 1\nprofiles:\n  mine: {extends: data, rules: {py-import: deny}, modules: {allow: [some*]}}\n")
	callers := Callers{Owner: "uid:1000"}
	s, err := Load(Config{Files: []string{file}, Callers: callers, Installed: []string{"math", "json", "numpy", "somewhat"}})
	if err != nil {
		t.Fatal(err)
	}
	unknown := owned(t, file)
	if s.Digest() != unknown.Digest() {
		t.Error("what is installed changes the digest")
	}
	v := decide(t, s, judged("data", imports("pandas"), imports("numpy")))
	if v.Decision != palisade.Allow {
		t.Errorf("%s by %s", v.Decision, v.Policy)
	}
	have, absent, ok := strings.Cut(v.Available, "; allowed, but not installed on this machine: ")
	if !ok || !strings.Contains(have, "modules: numpy, json, math") || strings.Contains(have, "pandas") || strings.Contains(have, "requests") ||
		!strings.Contains(absent, "pandas") || strings.Contains(absent, "numpy") || len(v.Available) > maxAvailable {
		t.Errorf("available: %s", v.Available)
	}
	if text := decide(t, unknown, judged("data")).Available; strings.Contains(text, "not installed") || !strings.Contains(text, "pandas") {
		t.Errorf("where it is not known: %s", text)
	}
	if text := decide(t, s, judged("mine")).Available; !strings.Contains(text, "some*") {
		t.Errorf("a pattern was left out: %s", text)
	}
	for _, c := range []struct{ profile, module, want string }{
		{"mine", "pandas.io", "pandas.io is allowed, but not installed on this machine"},
		{"data", "requests", "requests may be allowed by a human, but not installed on this machine"},
		{"data", "panda", "panda is not in profile data"},
	} {
		v := decide(t, s, judged(c.profile, imports(c.module)))
		if len(v.Reasons) != 1 || !strings.Contains(v.Reasons[0].Next, c.want) {
			t.Errorf("%+v: %+v", c, v.Reasons)
		}
	}
	if text, _ := s.Explain("data", "pandas"); !strings.Contains(text, "import pandas: allow, but not installed on this machine") {
		t.Error(text)
	}
	none, err := Load(Config{Installed: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	if text := decide(t, none, judged("")).Available; strings.Contains(text, "modules: numpy") {
		t.Errorf("nothing is installed: %s", text)
	}
}
