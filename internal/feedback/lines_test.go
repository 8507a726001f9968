package feedback

import (
	"fmt"
	"strings"
	"testing"

	"palisade"
)

func linesCase(l palisade.Language, of ...int) palisade.Case {
	return palisade.Case{
		Submission: palisade.Submission{Program: palisade.Program{Language: l, Name: "dir/task", Source: []byte("x\n")}},
		Inspection: palisade.Inspection{Lines: of},
	}
}

// Places are those of the program that was sent, at once and as they come.
func TestLines(t *testing.T) {
	s := newSanitizer(t)
	s.inside = "/proc/1/fd/1001"
	for _, c := range []struct {
		c        palisade.Case
		in, want string
	}{
		{linesCase(palisade.Shell, 3, 7, 12), "/proc/1/fd/1001: line 2: x: command not found\n/proc/1/fd/1001: line 3: y\n", "task: line 7: x: command not found\ntask: line 12: y\n"},
		{linesCase(palisade.Shell, 3, 0, 12), "/proc/1/fd/1001: line 2: a\n/proc/1/fd/1001: line 4: b\n/proc/1/fd/1001: line 99999999999999999999: c\n/proc/1/fd/1001: line : d\n/proc/1/fd/1001: line -1: e",
			"task: line 2: a\ntask: line 4: b\ntask: line 99999999999999999999: c\ntask: line : d\ntask: line -1: e"},
		{linesCase(palisade.JavaScript, 0, 5, 9), "/work/task:2\n    at f (/work/task:3:14)\n    at file:///work/task:2:1\n", "/work/task:5\n    at f (/work/task:9)\n    at file:///work/task:5\n"},
		{linesCase(palisade.JavaScript, 0, 5, 9), "/work/task2:2 /work/task:2x:3 /work/task:3:", "/work/task2:2 /work/task:5x:3 /work/task:9:"},
		{linesCase(palisade.TypeScript), "/work/task:2:3\n", "/work/task:2:3\n"},
		{linesCase(palisade.Python, 9, 9, 9), "/work/task:2:3 /proc/1/fd/1001: line 2:\n", "/work/task:2:3 /proc/1/fd/1001: line 2:\n"},
	} {
		r := palisade.Result{Status: palisade.OK, MayHaveRun: true}
		for split := range len(c.in) {
			r.Stderr = palisade.Captured{Head: []byte(c.in[:split]), Tail: []byte(c.in[split:]), Total: int64(len(c.in))}
			if got := s.Sanitize(c.c, palisade.Verdict{}, r); got.Stderr != c.want || got.Truncated {
				t.Fatalf("%q split at %d: %q, want %q", c.in, split, got.Stderr, c.want)
			}
		}
		for size := 1; size < 20; size++ {
			var live strings.Builder
			w := s.Writer(c.c, &live)
			for rest := c.in; rest != ""; {
				n := min(size, len(rest))
				if _, err := w.Write([]byte(rest[:n])); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := w.Close(); err != nil || live.String() != c.want {
				t.Fatalf("in pieces of %d: %q, %v; want %q", size, live.String(), err, c.want)
			}
		}
	}
}

// What was cut is not given a number that it does not have.
func TestLinesCut(t *testing.T) {
	s := newSanitizer(t)
	s.inside = "/proc/1/fd/1001"
	of := make([]int, 30)
	for i := range of {
		of[i] = 100 + i
	}
	r := palisade.Result{Status: palisade.OK, MayHaveRun: true, Stderr: palisade.Captured{
		Head: []byte("/proc/1/fd/1001: line 2: a\n/proc/1/fd/1001: line 1"), Tail: []byte("7: b\n/proc/1/fd/1001: line 3: c\n"), Total: 500,
	}}
	got := s.Sanitize(linesCase(palisade.Shell, of...), palisade.Verdict{}, r)
	if !strings.Contains(got.Stderr, "task: line 101: a\n") || !strings.Contains(got.Stderr, "task: line 102: c\n") || strings.Contains(got.Stderr, "line 100") || !got.Truncated {
		t.Errorf("%+v", got)
	}
	// A stream that never ends a place is passed on.
	var live strings.Builder
	w := s.Writer(linesCase(palisade.JavaScript, of...), &live)
	long := "/work/task:" + strings.Repeat("1", 5000)
	if _, err := w.Write([]byte(long)); err != nil || live.Len() < 4000 {
		t.Errorf("%d bytes came, %v", live.Len(), err)
	}
	if err := w.Close(); err != nil || live.String() != long {
		t.Errorf("%s, %v", fmt.Sprintf("%.80q", live.String()), err)
	}
}
