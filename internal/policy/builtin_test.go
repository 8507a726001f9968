package policy

import (
	"strings"
	"testing"

	"palisade"
)

func load(t *testing.T, files ...string) *Set {
	t.Helper()
	s, err := Load(Config{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestExplain(t *testing.T) {
	s := load(t, write(t, mine("modules: {allow: [polars.*]}", "rules: {py-x: ask}")))
	cases := []struct {
		profile, thing string
		want           []string
	}{
		{"data", "subprocess", []string{"import subprocess: deny", "profiles.data.modules (data.yaml:", "which does not name it", "instead: compute the result in Python", "extends: data\n        modules: {allow: [subprocess]}"}},
		{"data", "os.system", []string{"os.system: deny", "profiles.data.callables.os (data.yaml:", "callables: {os: {allow: [system]}}"}},
		{"data", "os.path.join", []string{"os.path.join: the name is allowed", "profiles.data.callables.os.allow[path.*] (data.yaml:"}},
		{"data", "numpy.ctypeslib", []string{"numpy.ctypeslib: deny", "profiles.data.modules.deny[numpy.ctypeslib] (data.yaml:"}},
		{"data", "process", []string{"process: deny", "profiles.data.capabilities.process (data.yaml:", "capabilities: {process: allow}"}},
		{"pal", "/work/a", []string{"read_path /work/a: deny", "write_path /work/a: deny", "profiles.pal.paths.other (pal.yaml:"}},
		{"data", "write /work/a", []string{"write_path /work/a: allow", "profiles.data.paths.write[/work/**] (data.yaml:"}},
		{"data", "network 169.254.169.254", []string{"deny", "profiles.data.network.deny[169.254.0.0/16]"}},
		{"data", "https://x.org/", []string{"network https://x.org/: ask", `network: {allow: ["x.org"]}`}},
		{"data", "environment PATH", []string{"environment PATH: deny", "environment: {allow: [PATH]}"}},
		{"data", "builtins.breakpoint", []string{"deny", "profiles.data.builtins.deny[breakpoint]"}},
		{"data", "unparsable", []string{"deny", "always.unparsable, which no file can change"}},
		{"mine", "polars.io.csv", []string{"allow", "profiles.mine.modules.allow[polars.*] ("}},
		{"mine", "numpy.array", []string{"allow", "profiles.mine.modules.allow[numpy.*] (data.yaml:"}},
		{"mine", "rule py-x", []string{"ask", "profiles.mine.rules.py-x ("}},
		{"mine", "", []string{"mine@1, digest ", "extends data@1", "polars"}},
	}
	for _, c := range cases {
		text, err := s.Explain(c.profile, c.thing)
		if err != nil {
			t.Errorf("%s: %v", c.thing, err)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s %s: lacks %q in\n%s", c.profile, c.thing, want, text)
			}
		}
	}
	if text, _ := s.Explain("data", "unparsable"); strings.Contains(text, "to allow it") {
		t.Error("says how to loosen what no file can")
	}
	if _, err := s.Explain("none", "os"); err == nil {
		t.Error("explains a profile that does not exist")
	}
	if _, err := s.Explain("data", strings.Repeat("a", 10000)); err == nil {
		t.Error("explains a name without end")
	}
}

// TestHowToAllowIsTrue follows the advice and looks whether it helps.
func TestHowToAllowIsTrue(t *testing.T) {
	s := owned(t)
	for _, profile := range builtinNames {
		p, _ := s.Profile(profile)
		for _, f := range []palisade.Finding{
			imports("polars"), imports("os"), imports("urllib.request"), calls("urllib.request.urlopen"), calls("seaborn.load_dataset"),
			calls("sklearn.datasets.fetch_openml"), calls("http.server.HTTPServer"), calls("os.system"), calls("sys.modules"), calls("polars.col"), does(palisade.CapReadPath, "/data/a b.csv"),
			does(palisade.CapWritePath, "/data/x"), does(palisade.CapNetwork, "https://example.org/a"), does(palisade.CapEnvironment, "X_Y"),
			does(palisade.CapProcess, ""), does(palisade.CapListen, ""), does(palisade.CapIntrospect, ""), does(palisade.CapUnresolved, ""),
		} {
			d, _ := p.finding(f)
			how := s.HowToAllow(p, f, d)
			if d == palisade.Allow {
				if how != "" {
					t.Errorf("%s %s: advice for what is allowed", profile, label(f))
				}
				continue
			}
			if how == "" {
				t.Errorf("%s %s: no advice", profile, label(f))
				continue
			}
			var text strings.Builder
			for line := range strings.Lines(how) {
				text.WriteString(strings.TrimPrefix(line, "    "))
			}
			better := owned(t, write(t, text.String()))
			q, err := better.Profile("mine")
			if err != nil {
				t.Fatal(err)
			}
			if got, line := q.finding(f); got != palisade.Allow {
				t.Errorf("%s %s: still %s by %s after\n%s", profile, label(f), got, line, how)
			}
		}
	}
}

func TestNextHelps(t *testing.T) {
	s := owned(t)
	cases := []struct {
		profile string
		f       palisade.Finding
		want    string
	}{
		{"pal", imports("statistic"), "did you mean statistics?"},
		{"pal", imports("turtle"), "turtle is not in profile pal: use another module"},
		{"data", imports("subprocess"), "no other program can be run"},
		{"data", calls("os.system"), "no other program can be run"},
		{"data", calls("os.getuid"), "of os this profile has paths and file operations"},
		{"data", calls("sys.modules"), "of sys, profile data has: argv"},
		{"data", does(palisade.CapReadPath, "/etc/passwd"), "read files under /tmp, /usr/share/zoneinfo, /work"},
		{"data", palisade.Finding{Capability: palisade.CapEnvironment, Symbol: "os.environ", Argument: "X"}, "the variables of this profile are HOME"},
		{"data", palisade.Finding{Capability: palisade.CapProcess, Symbol: "multiprocessing.Pool"}, "use threads"},
		{"data", imports("httpx"), "a human may allow it; or do without httpx"},
		{"pal", does(palisade.CapWritePath, "/x"), "writes no files: print or return"},
		{"data", does(palisade.CapDeserialize, ""), "a human may allow it; or read csv, json or parquet"},
		{"data", does(palisade.CapNetwork, "x.org"), "a human may allow it; or pass what is needed as files"},
		{"data", does(palisade.CapSystemInfo, "id"), "a human may allow it; or compute the result without it"},
		{"pal", does(palisade.CapNetwork, "x.org"), "this profile has no network: pass what is needed"},
		{"data", does(palisade.CapUnparsable, ""), "send a program that the interpreter accepts"},
	}
	for _, c := range cases {
		v := decide(t, s, judged(c.profile, c.f))
		if len(v.Reasons) != 1 || !strings.Contains(v.Reasons[0].Next, c.want) {
			t.Errorf("%s %s: %+v", c.profile, label(c.f), v.Reasons)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(Config{}); err != nil {
			b.Fatal(err)
		}
	}
}
