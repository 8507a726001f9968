package python

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// refusal says where and why we refuse a program, as the oracle does; "" where we
// do not.
func refusal(src string, v Version) string {
	_, err := Parse([]byte(src), Options{Version: v})
	e, ok := errors.AsType[*SyntaxError](err)
	if !ok {
		return ""
	}
	line := strings.Split(src+"\n", "\n")[e.Line-1]
	return fmt.Sprintf("%d %d %s", e.Line, utf8.RuneCountInString(line[:e.Col])+1, e.Msg)
}

// tellsUnclosed starts an oracle that says which bracket was never closed.
func tellsUnclosed(t *testing.T) *oracle {
	t.Helper()
	o := startOracle(t)
	if o.version.Minor < 10 {
		t.Skipf("Python 3.%d says of no bracket that it was never closed", o.version.Minor)
	}
	return o
}

// TestNeverClosed: the place of a bracket that was never closed is its own.
func TestNeverClosed(t *testing.T) {
	o := tellsUnclosed(t)
	for _, src := range []string{
		"print(1", "a[1", "{1: 2", "print((1)", "[(1, 2", "{(1, [2", "((((((", "f(a, [b, {c: (d", "é = ('ü', (1",
		"x = [1, 2\ny = 3\n", "print(1 2", "f(a b\n", "d = {'a': 1\n\ndef f():\n    return 1\n", "def f(a\n    pass\n",
		"def f():\n    return (1\n\ndef g():\n    return 2\n", "x = ((1)\n  + 2\nprint(x)\n", "class A(\n", "a = (1,\n\n\n", "f(**", "(yield\n",
		"x = [\n1,\n2\nfor i in range(3):\n    print(i)\n", "from x import (a, b\nc = 2\n", "x = (  # why\n", "'''(\n'''; x = {\n",
	} {
		want, ok := o.ask(t, "error", []byte(src))
		if got := refusal(src, o.version); ok || got != want || !strings.Contains(want, "was never closed") {
			t.Errorf("%q: ours %s, CPython %s", src, got, want)
		}
	}
	// What is wrong elsewhere is told of there.
	for _, src := range []string{"x = (1 2)\ny = [", "(a b\nc(", "x = (1\n]\n", "x = (\n'abc", "x = (1 +\n+ )", "for x in (1,2: pass", "  (", "import (a", "def f(:\n    pass\n"} {
		if got := refusal(src, o.version); got == "" || strings.Contains(got, "was never closed") {
			t.Errorf("%q: %s", src, got)
		}
	}
}

// TestNeverClosedInLibrary takes closing brackets out of the interpreter's own
// library: where we blame a bracket, CPython blames the same. It does so at times
// where we do not, since it has read further when it gives up.
func TestNeverClosedInLibrary(t *testing.T) {
	o := tellsUnclosed(t)
	tried, same := 0, 0
	for _, name := range []string{"bisect.py", "copy.py", "csv.py", "glob.py", "heapq.py", "netrc.py", "sched.py", "shlex.py", "textwrap.py"} {
		data, err := os.ReadFile(filepath.Join(libraryDir(t), name))
		if err != nil {
			t.Fatal(err)
		}
		src, nth := string(data), 0
		for i, c := range src {
			if !strings.ContainsRune(")]}", c) {
				continue
			}
			if nth++; nth%5 != 0 {
				continue
			}
			mutant := src[:i] + src[i+1:]
			want, ok := o.ask(t, "error", []byte(mutant))
			if ok || !strings.Contains(want, "was never closed") {
				want = ""
			}
			got := refusal(mutant, o.version)
			if strings.Contains(got, "was never closed") && got != want {
				t.Errorf("%s without the bracket at byte %d: ours %s, CPython %s", name, i, got, want)
			}
			if want != "" {
				tried++
				if got == want {
					same++
				}
			}
		}
	}
	if tried < 50 || same < tried*9/10 {
		t.Errorf("of %d programs CPython blames a bracket, and we the same one in %d", tried, same)
	}
}
