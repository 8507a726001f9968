package gvisor

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/sandbox/roots"
)

// TestImages: each language's runtime has a name of its own, in which all that
// decides what runs is named.
func TestImages(t *testing.T) {
	s := newSandbox(t)
	iso := palisade.Isolation{Backends: []string{Backend}}
	if len(languages()) < 3 {
		t.Skipf("only %v are here", languages())
	}
	found := map[palisade.Language]string{}
	for _, l := range append(languages(), palisade.Python) {
		if r := roots.Refused(&roots.Refusal{Fix: "told", Cause: errors.New("not told")}); r.Fix != "told" || !strings.Contains(r.Reason, "not told") || r.Status != palisade.Refused || r.MayHaveRun {
			t.Errorf("%+v", r)
		}
		image, err := s.Image(t.Context(), l, iso)
		if err != nil {
			t.Fatal(err)
		}
		found[l] = image
		ready, err := s.Try(t.Context(), l)
		if err != nil || ready.Runtime != image {
			t.Errorf("%s runs on %q, said %q; %v", l, ready.Runtime, image, err)
		}
	}
	t.Log(found)
	for l, image := range found {
		if !strings.Contains(image, "image ") || !strings.Contains(image, "; gvisor in program ") {
			t.Errorf("%s: %s", l, image)
		}
	}
	if different := len(slices.Compact(slices.Sorted(maps.Values(found)))); different != len(found)-1 || found[palisade.TypeScript] != found[palisade.JavaScript] {
		t.Errorf("%d runtimes for %d languages, of which two share one", different, len(found))
	}
	if _, err := s.Image(t.Context(), palisade.SQL, iso); err == nil {
		t.Error("SQL has a runtime")
	}
}

// TestMissingInterpreters: a host without bash and node runs Python, and refuses
// the rest with what to install.
func TestMissingInterpreters(t *testing.T) {
	s := newSandbox(t, func(c *Config) { c.Shell, c.Node = "/nonexistent/bash", "/nonexistent/node" })
	if r := runJob(t, s, code("print(1)")); r.Status != palisade.OK {
		t.Errorf("Python: %+v", r)
	}
	for l, get := range map[palisade.Language]string{palisade.Shell: "apt-get install bash", palisade.JavaScript: "apt-get install nodejs", palisade.TypeScript: "apt-get install nodejs"} {
		job := code("x")
		job.Program.Language = l
		if _, err := boxFor(t.Context(), s, job); err == nil || !strings.Contains(err.Error(), get) {
			t.Errorf("%s: %v", l, err)
		}
		if r := roots.Refused(&roots.Refusal{Fix: "told", Cause: errors.New("not told")}); r.Fix != "told" || !strings.Contains(r.Reason, "not told") || r.Status != palisade.Refused || r.MayHaveRun {
			t.Errorf("%+v", r)
		}
		image, err := s.Image(t.Context(), l, palisade.Isolation{Backends: []string{Backend}})
		if err != nil || !strings.Contains(image, "this machine has no interpreter for "+string(l)) {
			t.Errorf("%s: %q, %v", l, image, err)
		}
	}
}

// TestCommands: a box for the shell holds what configuration says, and what that
// needs.
func TestCommands(t *testing.T) {
	if !slices.Contains(languages(), palisade.Shell) {
		t.Skip("no bash")
	}
	s := newSandbox(t, func(c *Config) { c.Commands = []string{"ls", "no-such-command", "/bin/cat"} })
	job := code("ls /usr/bin | grep -v python; cat </dev/null && ls /usr/bin")
	job.Program.Language = palisade.Shell
	r := runJob(t, s, job)
	if r.Status != palisade.OK || !strings.Contains(string(r.Stderr.Head), "grep: command not found") {
		t.Errorf("%s %s %s", r.Status, r.Stdout.Head, r.Stderr.Head)
	}
	var names []string
	for name := range strings.FieldsSeq(string(r.Stdout.Head)) {
		if !strings.HasPrefix(name, "python") {
			names = append(names, name)
		}
	}
	if got := strings.Join(names, " "); got != "bash cat dash ls sh" && got != "bash cat ls sh" {
		t.Errorf("commands: %s", got)
	}
}

// TestNoStart: an interpreter that cannot be started is no success.
func TestNoStart(t *testing.T) {
	if !slices.Contains(languages(), palisade.Shell) {
		t.Skip("no bash")
	}
	s := newSandbox(t)
	job := code("echo ran")
	job.Program.Language, job.Limits = palisade.Shell, limits()
	job.Stdout, job.Stderr = io.Discard, io.Discard
	job.Confirm = func(context.Context, palisade.Ready) error { return nil }
	r, err := s.rootOf(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	r.start.Args = slices.Clone(r.start.Args)
	r.start.Args[slices.Index(r.start.Args, r.image.Program.Path)] = "/nonexistent"
	got := runIn(t, s, r, job)
	if got.Status != palisade.RuntimeError || got.ExitCode != 127 || len(got.Stdout.Head) > 0 || !strings.Contains(string(got.Stderr.Head), "cannot be started") {
		t.Errorf("%s, exit %d: %s%s", got.Status, got.ExitCode, got.Stdout.Head, got.Stderr.Head)
	}
}
