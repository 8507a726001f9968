package python

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// keptPrograms leave parsers in different states, or fail at different depths.
var keptPrograms = []string{
	"a = [1, (2, 3), {4: f(x, y=z)}]\nif a: b = c\nelse: d = lambda q: q\n", "def f(a, *b, c=1, **d): return f'{a!r:>{b}} {c}'\n",
	"x = (1, [2, {3: f(4, lambda: (5,", "if a:\n  if b:\n    c = (1\n", "with (a as b, c): pass\n", "with (a, b)[0] as c: pass\n",
	strings.Repeat("a.b(c)[d] = e + f\n", 300), "x = [" + strings.Repeat("1, ", 700) + "]\n", "x = '''a", "class A(B, c=d):\n  x: int = 1\n",
}

// TestKept holds trees to what they were when they were made: memory that is
// kept for other programs is not theirs any more, whatever becomes of these.
func TestKept(t *testing.T) {
	want := make([]string, len(keptPrograms))
	for i, src := range keptPrograms {
		want[i] = outcome(Parse([]byte(src), Options{}))
	}
	var workers sync.WaitGroup
	for w := range 4 {
		workers.Go(func() {
			var trees []*Module
			var of []int
			for n := range 200 {
				i := (n*7 + w) % len(keptPrograms)
				m, err := Parse([]byte(keptPrograms[i]), Options{})
				if got := outcome(m, err); got != want[i] {
					t.Errorf("%.40q: %s, then %s", keptPrograms[i], want[i], got)
				}
				if err == nil {
					trees, of = append(trees, m), append(of, i)
				}
			}
			for n, m := range trees {
				if got := outcome(m, nil); got != want[of[n]] {
					t.Errorf("%.40q became another tree", keptPrograms[of[n]])
				}
			}
		})
	}
	workers.Wait()
}

func outcome(m *Module, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x", Digest(m))
}

// TestNodesAreCounted holds the bound on nodes to the program alone, whatever
// was parsed before.
func TestNodesAreCounted(t *testing.T) {
	src := []byte(strings.Repeat("a = b\n", 100)) // two names, an assignment, its statement and two lists
	for _, before := range keptPrograms {
		_, _ = Parse([]byte(before), Options{})
		for most, want := range map[int]bool{599: false, 600: true} {
			if _, err := Parse(src, Options{MaxNodes: most}); (err == nil) != want {
				t.Errorf("after %.40q: %d nodes: %v", before, most, err)
			}
		}
	}
}
