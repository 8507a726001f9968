package policy

import (
	"strings"
	"testing"

	"palisade"
)

// TestExplainIsNoFlatAllow: the name of a callable says nothing of what it
// does, and the profile's lines about that stand beside it.
func TestExplainIsNoFlatAllow(t *testing.T) {
	s := owned(t, write(t, mine("rules: {py-x: ask}", "paths: {read: [/srv/**]}")))
	for _, thing := range []string{"pickle.loads", "builtins.open", "numpy.load", "os.remove"} {
		text, err := s.Explain("mine", thing)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			thing + ": the name is allowed\n", "judged by capabilities", "ask: credential, deserialize, ", "deny: destroy, evaluate, ",
			"read_path: allow /dev/null, /dev/stdin, /srv/**", "any other deny; what the reading cannot tell ask", "network: deny ", "environment: allow HOME", "rule py-x: ask",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: lacks %q in\n%s", thing, want, text)
			}
		}
		if strings.Contains("\n"+text, "\n"+thing+": allow") {
			t.Errorf("a flat allow:\n%s", text)
		}
	}
	for thing, want := range map[string]string{
		"nosuchmodule":     "no such module is known to profile data: nosuchmodule",
		"nosuch.part.Name": "no such module is known to profile data: nosuch.part",
		"urllib":           "profile data does not name urllib itself, only: urllib.parse, urllib.error, urllib.request",
		"urllib.request":   "import urllib.request: ask",
		"read_path":        "read_path: allow /dev/null",
		"rule py-nosuch":   "no line under profiles.data.rules raises it",
		"pandas.read_sql":  "cannot take the deny back",
	} {
		if text, _ := s.Explain("data", thing); !strings.Contains(text, want) || strings.Contains(text, "import pandas.read_sql") {
			t.Errorf("%s: lacks %q in\n%s", thing, want, text)
		}
	}
	for _, odd := range []string{"a]}\n    more: {extends: agent}\n  x: {y: [z", "environment X]}, builtins: {allow: [exec"} {
		if text, _ := s.Explain("data", odd); strings.Contains(text, "to allow it") {
			t.Errorf("a text that is no name is written into a file:\n%s", text)
		}
	}
}

// TestUnask: only an own line takes an inherited ask back, and only that one.
func TestUnask(t *testing.T) {
	call := calls("urllib.request.urlopen")
	s := owned(t, write(t, mine("modules: {unask: [urllib.request], allow: [urllib.request]}")))
	if v := decide(t, s, judged("mine", imports("urllib.request"), call)); v.Decision != palisade.Allow {
		t.Errorf("%s by %s", v.Decision, v.Policy)
	}
	if v := decide(t, s, judged("mine", call, does(palisade.CapNetwork, "example.org"))); v.Decision != palisade.Ask || v.Policy != "profiles.mine.network.other" {
		t.Errorf("the peer: %s by %s", v.Decision, v.Policy)
	}
	for _, f := range []palisade.Finding{imports("requests"), imports("urllib.error"), calls("seaborn.load_dataset")} {
		if v := decide(t, s, judged("mine", f)); v.Decision != palisade.Ask {
			t.Errorf("%s: %s by %s", label(f), v.Decision, v.Policy)
		}
	}
	if v := decide(t, s, judged("data", call)); v.Decision != palisade.Ask {
		t.Error("what is extended changed")
	}
	for _, c := range []struct {
		line string
		want palisade.Decision
	}{
		{"modules: {allow: [urllib.request]}", palisade.Ask},                                                 // an allow alone loosens nothing
		{"modules: {unask: [urllib.request]}", palisade.Deny},                                                // what is not named is denied
		{"modules: {unask: [urllib.request], allow: [urllib.request], ask: [urllib.request]}", palisade.Ask}, // its own ask holds
		{"modules: {unask: [urllib.request], allow: [urllib.request], deny: [urllib]}", palisade.Deny},
	} {
		if v := decide(t, owned(t, write(t, mine(c.line))), judged("mine", call)); v.Decision != c.want {
			t.Errorf("%s: %s by %s", c.line, v.Decision, v.Policy)
		}
	}
	for _, wrong := range []string{"modules: {unask: [urllib]}", "modules: {unask: [urllib.*]}", "modules: {unask: [numpy.ctypeslib]}", "modules: {unask: [requests, nosuch]}"} {
		if problems := Check("f", []byte(mine(wrong)), nil); len(problems) == 0 {
			t.Errorf("%s was taken", wrong)
		}
	}
}
