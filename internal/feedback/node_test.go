package feedback

import (
	"strings"
	"testing"

	"palisade"
)

// uncaught is what node prints, of a program of its own.
const uncaught = `before
/work/task.js:2
function f() { throw new TypeError('row 7: ' + secret) }
               ^

TypeError: row 7: hunter22
    at f (/work/task.js:2:22)
    at Object.<anonymous> (/work/task.js:4:1)
    at run (/run/palisade/start.cjs:106:18)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
    at async file:///work/task.js:9:1
    at Object.read (/work/other.js:1:1) {
  code: 'E_ROW',
  row: 'hunter22'
}

Node.js v20.20.2
`

func sanitizeJS(t *testing.T, trust bool, stderr string) string {
	t.Helper()
	c := palisade.Case{Submission: palisade.Submission{Program: palisade.Program{
		Language: palisade.JavaScript, Name: "dir/task.js", Source: []byte("throw new Error('written here')\n"),
	}}}
	r := palisade.Result{Status: palisade.RuntimeError, ExitCode: 1, MayHaveRun: true, Stderr: palisade.Captured{Head: []byte(stderr), Total: int64(len(stderr))}}
	return newSanitizer(t).Sanitize(c, palisade.Verdict{TrustMessages: trust}, r).Stderr
}

func TestNodeErrors(t *testing.T) {
	const own = "before\n/work/task.js:2\nfunction f() { throw new TypeError('row 7: ' + secret) }\n               ^\n\n"
	const frames = "    at f (/work/task.js:2:22)\n    at Object.<anonymous> (/work/task.js:4:1)\n    ...\n    at async file:///work/task.js:9:1\n"
	const version = "\nNode.js v20.20.2\n"
	for _, c := range []struct {
		name     string
		trust    bool
		in, want string
	}{
		{"trusted", true, uncaught, own + "TypeError: row 7: hunter22\n" + frames + "    ... {\n  code: 'E_ROW',\n  row: 'hunter22'\n}\n" + version},
		{"not trusted", false, uncaught, own + "TypeError\n" + frames + "    ...\n" + version},
		{"written in the program", false, "/work/task.js:1\nthrow new Error('written here')\n^\n\nError: written here\n    at /work/task.js:1:7\n",
			"/work/task.js:1\nthrow new Error('written here')\n^\n\nError: written here\n    at /work/task.js:1:7\n"},
		{"in node's own code", false, "node:fs:3047\n  binding.copyFile(\n          ^\n\nError: ENOSPC: no space left on device, copyfile 'a' -> 'b'\n    at Object.copyFileSync (node:fs:3047:11)\n    at Object.<anonymous> (/work/task.js:8:4)\n",
			"    ...\n\nError\n    ...\n    at Object.<anonymous> (/work/task.js:8:4)\n"},
		{"many lines", false, "/work/task.js:1\nx\n^\n\nError: one\ntwo hunter22\n    at /work/task.js:1:7\n", "/work/task.js:1\nx\n^\n\nError\n    at /work/task.js:1:7\n"},
		{"no error", false, "/work/task.js:1\nthrow x\n^\nhunter22\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n" + version, "/work/task.js:1\nthrow x\n^\nError\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n" + version},
		{"no error, trusted", true, "/work/task.js:1\nthrow 5\n^\n5\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n", "/work/task.js:1\nthrow 5\n^\n5\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n"},
		{"a stack that was printed", false, "Error: shown\n    at f (/work/task.js:2:22)\n    at node:internal/main:1:2\nend\n", "Error: shown\n    at f (/work/task.js:2:22)\n    ...\nend\n"},
		{"ordinary text", false, "1:2\nfoo\n^\nNode.js v1\n", "1:2\nfoo\n^\nNode.js v1\n"},
		{"cut", false, "/work/task.js:1\nx\n^", "/work/task.js:1\nx\n^"},
	} {
		got := sanitizeJS(t, c.trust, c.in)
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if again := sanitizeJS(t, c.trust, got); again != got {
			t.Errorf("%s: and then\n%s", c.name, again)
		}
	}
}

// The path of a program's text is its name, also as it comes.
func TestTextPath(t *testing.T) {
	s := newSanitizer(t)
	s.inside = "/proc/1/fd/1001"
	c := palisade.Case{Submission: palisade.Submission{Program: palisade.Program{Language: palisade.Shell, Name: "dir/deploy.sh", Source: []byte("nosuch\n")}}}
	const said = "/proc/1/fd/1001: line 1: nosuch: command not found\nsee /proc/1/fd/10011 and /x/proc/1/fd/1001\n"
	const want = "deploy.sh: line 1: nosuch: command not found\nsee /proc/1/fd/10011 and /x/proc/1/fd/1001\n"
	r := palisade.Result{Status: palisade.RuntimeError, ExitCode: 127, MayHaveRun: true, Stderr: palisade.Captured{Head: []byte(said), Total: int64(len(said))}}
	if got := s.Sanitize(c, palisade.Verdict{}, r).Stderr; got != want {
		t.Errorf("%q", got)
	}
	var live strings.Builder
	w := s.Writer(c, &live)
	for i := range len(said) {
		if _, err := w.Write([]byte(said[i : i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || live.String() != want {
		t.Errorf("%q, %v", live.String(), err)
	}
	c.Submission.Program.Language = palisade.Python
	if got := s.Sanitize(c, palisade.Verdict{}, r).Stderr; got != said {
		t.Errorf("of Python: %q", got)
	}
}

// A refusal that can be mended says how.
func TestRefusedNext(t *testing.T) {
	r := palisade.Result{Status: palisade.Refused, ExitCode: -1, Reason: "no node at /opt/secret", Fix: "as root: apt-get install nodejs"}
	got := newSanitizer(t).Sanitize(palisade.Case{}, palisade.Verdict{}, r).Feedback
	if next := strings.Join(got.Next, "\n"); !strings.Contains(next, r.Fix) || strings.Contains(next+got.Text, "secret") {
		t.Errorf("%+v", got)
	}
}

func TestShellNext(t *testing.T) {
	c := palisade.Case{Submission: palisade.Submission{Program: palisade.Program{Language: palisade.Shell, Source: []byte("nosuch\n")}}}
	for code, want := range map[int]string{127: "nothing can be installed", 1: "exit code other than 0"} {
		r := palisade.Result{Status: palisade.RuntimeError, ExitCode: code, MayHaveRun: true}
		if got := newSanitizer(t).Sanitize(c, palisade.Verdict{}, r).Feedback.Next; len(got) == 0 || !strings.Contains(got[0], want) {
			t.Errorf("%d: %q", code, got)
		}
	}
}
