package gvisor

import (
	"strings"
	"testing"

	"palisade"
	"palisade/internal/sandbox/sandboxtest"
)

func TestUnknownGroupIsRefused(t *testing.T) {
	if _, err := newDenial([]string{"exec", "everything"}); err == nil || !strings.Contains(err.Error(), "exec") {
		t.Errorf("error %v, want one that names the groups", err)
	}
}

// TestDenied: denied calls fail with an errno, and threads work all the same.
func TestDenied(t *testing.T) {
	s := newSandbox(t)
	job := code(sandboxtest.DeniedCalls(`
refused('unshare', lambda: call(272, 0x10000000))
refused('ptrace', lambda: call(101, 0, 0, 0, 0))
`))
	job.DeniedSyscalls = []string{"exec", "fork", "socket", "mount", "ptrace"}
	r := runJob(t, s, job)
	for _, a := range r.Activity.Acts {
		t.Logf("%+v", a)
	}
	t.Log(r.Activity.Counts, r.Activity.Dropped, r.Usage)
	got := string(r.Stdout.Head)
	want := "fork 1\nexec 1\nspawn 1\nsocket 1\nclone3 38\nclone 1\nunshare 1\nptrace 1\nthreads 8\n"
	if r.Status != palisade.OK || got != want {
		t.Errorf("%s: got %q, want %q\n%s", r.Status, got, want, r.Stderr.Head)
	}
}

func TestTry(t *testing.T) {
	s := newSandbox(t)
	ready, err := s.Try(t.Context(), palisade.Python)
	if err != nil {
		t.Fatal(err)
	}
	for layer, want := range map[string]string{
		"kernel": "gvisor-systrap", "network": "none", "rootfs": "read-only", "capabilities": "none",
		"sentry_capabilities": "none", "sentry_seccomp": "filter", "inodes": "guard", "uid": "65534",
	} {
		if ready.Layers[layer] != want {
			t.Errorf("layer %s is %q, want %q", layer, ready.Layers[layer], want)
		}
	}
	for _, c := range Probe() {
		t.Logf("%-16s %v %s", c.Name, c.OK, c.Detail)
	}
}
