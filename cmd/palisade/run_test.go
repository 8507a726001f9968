package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"palisade"
)

// TestRunSandboxFails: whoever sits before a run whose sandbox failed is told where
// the reason is, and finds it there.
func TestRunSandboxFails(t *testing.T) {
	requireGate(t)
	home := filepath.Join(t.TempDir(), "home")
	cmd := binary(home, "run", "-c", "import time\nprint('begun', flush=True)\ntime.sleep(8)")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if _, err := stdout.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	for _, pid := range descendants(t, cmd.Process.Pid) {
		if line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline")); err == nil && strings.HasPrefix(string(line), "palisade-launcher") {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // with 1, as told below
	told := regexp.MustCompile(`(?s)sandbox_error: .*→ the reason is on the record: palisade audit show ([0-9a-z]{24})\n`).FindStringSubmatch(stderr.String())
	if code := cmd.ProcessState.ExitCode(); code != 1 || told == nil {
		t.Fatalf("exit code %d:\n%s", code, stderr.String())
	}
	if code, out, errs := command(t, home, "audit", "show", told[1]); code != 0 || !regexp.MustCompile(`reason +\S`).MatchString(out) {
		t.Errorf("the reason is not there: %d, %s\n%s", code, errs, out)
	}
}

// TestVerdictLineSelf: a submitter who said no to their own question did not approve.
func TestVerdictLineSelf(t *testing.T) {
	for want, a := range map[string]palisade.Approval{
		" · approved by the submitter": {Granted: true, Self: true},
		" · denied by the submitter":   {Denied: true, Self: true},
	} {
		if got := verdictLine(palisade.Outcome{Status: palisade.OK, Approval: &a}); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := verdictLine(palisade.Outcome{Status: palisade.PolicyViolation, Approval: &palisade.Approval{Denied: true}}); strings.Contains(got, "submitter") {
		t.Errorf("%q", got)
	}
}

// TestExplainReason: nobody is sent to the record where the answer says it all.
func TestExplainReason(t *testing.T) {
	for _, status := range []palisade.Status{palisade.OK, palisade.RuntimeError, palisade.Refused, palisade.WallLimit} {
		if text := strings.Join(explain(palisade.Outcome{Run: "r1", Status: status}), "\n"); strings.Contains(text, "the reason is on the record") {
			t.Errorf("%s: %s", status, text)
		}
	}
}
