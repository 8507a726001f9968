package policy

import (
	"strings"
	"testing"
)

// TestBackEndsOfProfiles: a profile that names a back-end gets the layers that it
// has; one that wants what it has not does not load.
func TestBackEndsOfProfiles(t *testing.T) {
	const head = "version: 1\nprofiles:\n  quick:\n    extends: data\n    isolation:\n      backends: "
	b, err := builtins()
	if err != nil {
		t.Fatal(err)
	}
	b.add("p.yaml", []byte(head+"[native]\n"))
	p, err := b.set.Profile("quick")
	if err != nil || len(b.d.Problems) > 0 {
		t.Fatal(err, b.d.Problems)
	}
	l := p.Isolation.Layers
	if l["kernel"] != "host" || l["syscalls"] != "seccomp" || l["landlock"] != "yes" || l["host_uid"] != "unprivileged" || l["capabilities"] != "none" {
		t.Errorf("layers %v", l)
	}
	if _, has := l["sentry_seccomp"]; has {
		t.Errorf("a sentry's layer is wanted of native: %v", l)
	}
	for text, want := range map[string]string{
		head + "[native]\n      layers: {sentry_root: empty}\n":     "native cannot give the layer sentry_root",
		head + "[native]\n      layers: {kernel: gvisor-systrap}\n": "native cannot give the layer kernel",
		head + "[moon]\n": "no back-end \"moon\"",
		head + "[gvisor, native]\n    deterministic: true\n": "native fixes neither chance nor time",
	} {
		var said strings.Builder
		for _, problem := range Check("p.yaml", []byte(text), nil) {
			said.WriteString(problem.Message)
		}
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q: %q", want, said.String())
		}
	}
}
