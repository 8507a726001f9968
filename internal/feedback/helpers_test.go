package feedback

import (
	"strings"
	"testing"

	"palisade"
	"palisade/internal/redact"
)

const testNonce = "NONCE0123456789abcdef"

func newSanitizer(t testing.TB) *Sanitizer {
	t.Helper()
	s, err := New(Options{
		Redactor: redact.New(redact.Config{
			Paths: []redact.Path{{Prefix: "/var/lib/palisade"}, {Prefix: "/usr/lib/python3.11", As: "<python>"}},
			Hosts: []string{"buildbox7"},
		}),
		Nonce: func() string { return testNonce },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sample secrets are joined so that scanners of this repository pass them by.
var (
	sampleKey = "AKIA" + "IOSFODNN7EXAMPLE"
	samplePEM = "-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat(strings.Repeat("MIIEabcd", 8)+"\n", 5) + "AAECAwQ=\n-----END RSA PRIVATE " + "KEY-----"
)

func caseOf(source string) palisade.Case {
	return palisade.Case{Submission: palisade.Submission{Program: palisade.Program{
		Language: palisade.Python, Name: "/home/alice/prog.py", Source: []byte(source),
		Modules: []palisade.Module{{Name: "pkg.helper", Source: []byte("def help_me():\n    pass\n")}},
	}}}
}

func verdict() palisade.Verdict {
	return palisade.Verdict{
		Decision: palisade.Allow, Profile: "data", Available: "the profile has: math, numpy",
		Limits: palisade.Limits{CPU: 2e9, Wall: 10e9, Memory: 256 << 20, Output: 1 << 20, Kept: 64 << 10, Processes: 4, OpenFiles: 20, Disk: 64 << 20, Inodes: 1000},
	}
}

func whole(s string) palisade.Captured {
	return palisade.Captured{Head: []byte(s), Total: int64(len(s))}
}

// checkSafe holds a text to what the package promises of every text.
func checkSafe(t *testing.T, what, text string, limit int) {
	t.Helper()
	if len(text) > limit {
		t.Errorf("%s: %d bytes, want at most %d", what, len(text), limit)
	}
	if redact.Escape(text) != text {
		t.Errorf("%s: Escape changes %q", what, text)
	}
}

func checkAll(t *testing.T, out palisade.Sanitized) {
	t.Helper()
	checkSafe(t, "output", out.Output, maxOutput)
	checkSafe(t, "stderr", out.Stderr, maxOutput)
	checkSafe(t, "value", string(out.Value), 6*maxValue)
	checkFeedback(t, out.Feedback)
	for _, line := range out.Errors {
		checkSafe(t, "error", line, maxError)
		if strings.Contains(line, "\n") {
			t.Errorf("error of two lines: %q", line)
		}
	}
}

func checkFeedback(t *testing.T, f palisade.Feedback) {
	t.Helper()
	checkSafe(t, "text", f.Text, maxText)
	for _, line := range f.Next {
		checkSafe(t, "next", line, maxStep)
		if strings.Contains(line, "\n") {
			t.Errorf("next of two lines: %q", line)
		}
	}
}
