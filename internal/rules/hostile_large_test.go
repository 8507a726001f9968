package rules

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"palisade"
)

// largest fills a program up to the largest size that is read.
func largest(head string, more func(i int) string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; ; i++ {
		next := more(i)
		if b.Len()+len(next) > DefaultMaxBytes {
			return b.String()
		}
		b.WriteString(next)
	}
}

// largeBombs are programs of the largest size whose parts all lead to each
// other: what one step costs is as large as it gets.
func largeBombs() map[string]string {
	each := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	lists := each(24, func(i int) string { return fmt.Sprintf("l%d = [0]\n", i) }) + each(24*24, func(i int) string {
		return fmt.Sprintf("l%d.append(l%d)\n", i/24, i%24)
	})
	chain := each(12, func(d int) string { return strings.Repeat(" ", d) + fmt.Sprintf("for a%d in b%d:\n", d, (d+1)%12) })
	rotate := strings.Repeat(" ", 12) + "b0 = b1; b1 = b2; b2 = b3; b3 = b4; b4 = [a0, a1, b5]; b5 = b4\n"
	return map[string]string{
		"lists of each other": largest(lists, func(i int) string { return fmt.Sprintf("open(l%d)\n", i%24) }),
		"functions in a list": largest("import os\nL = []\ndef get(): return L[x]\n", func(i int) string {
			return fmt.Sprintf("def f%d(a): return get()(get()(a))\nL.append(f%d)\n", i, i)
		}),
		"missing attributes": largest("", func(i int) string {
			return fmt.Sprintf("class C%d:\n def m(self): return self.x%d.y.z\n", i, i)
		}),
		"attributes in a ring": largest("class A: pass\na = A()\n", func(i int) string {
			return fmt.Sprintf("def f%d():\n a.x%d = a.x%d\n", i, i, (i*7+1)%3000)
		}),
		"globals in a ring": largest("import os\n", func(i int) string {
			return fmt.Sprintf("def f%d():\n global g%d\n g%d = [g%d, f%d]\n", i, i, i, i+1, i)
		}),
		"partials of each other": largest("import functools\np = functools.partial(print)\n", func(i int) string {
			return fmt.Sprintf("def f%d(x): return functools.partial(p, x, f%d)(x)\np = functools.partial(p, f%d)\n", i, i, i)
		}),
		"nested loops": largest("import os\n", func(int) string { return chain + rotate }),
		"growing texts": largest("s = 'a'\n", func(i int) string {
			return fmt.Sprintf("def f%d():\n global s\n s = s + 'b' + s\n open(s + '%d')\n", i, i)
		}),
		"computed names": largest("class A: pass\na = A()\n", func(i int) string {
			return fmt.Sprintf("def f%d(n):\n setattr(a, n, getattr(a, n)); a.y%d = a.x%d()()\n", i, i, i+1)
		}),
		"modules adrift":   largest("import os, sys, shutil\ndef f(): return os\ndef g(): return shutil\n", func(i int) string { return fmt.Sprintf("u.a%d.b.c\n", i) }),
		"callables adrift": largest("import os\ndef f(): return os.remove\ndef g(): return open\n", func(i int) string { return fmt.Sprintf("u%d(x)(y)(z)\n", i) }),
		"set_name":         largest("class D:\n def __set_name__(s, o, n): setattr(o, n + 'x', D())\n", func(i int) string { return fmt.Sprintf("class A%d(A%d):\n d = D()\n", i, max(i-1, 0)) }),
		"operators":        largest("class A:\n def __add__(s, o): return s + o + s\n __radd__ = __sub__ = __mul__ = __add__\na = A()\n", func(int) string { return "a + a - a * a\n" }),
		"a call each":      largest("import os\n", func(i int) string { return fmt.Sprintf("def f%d():\n return f%d\nf%d()\n", i, i+1, i) }),
		"only computes":    largest("x = 1\n", func(i int) string { return fmt.Sprintf("def f%d(a): return a + sum(range(%d))\n", i, i) }),
	}
}

// TestLargeBombs holds the reading of programs of the largest size to the bound
// that is stated: two seconds of processor time.
func TestLargeBombs(t *testing.T) {
	const limit = 2 * time.Second
	for name, src := range largeBombs() {
		t.Run(name, func(t *testing.T) {
			start := processorTime(t)
			out, err := Inspector{}.Inspect(context.Background(), palisade.Submission{
				Program: palisade.Program{Language: palisade.Python, Source: []byte(src)},
			})
			took := processorTime(t) - start
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range out.Findings {
				if f.Capability == palisade.CapUnparsable || f.Capability == palisade.CapOversized {
					t.Fatalf("it tests nothing: %s", f.Message)
				}
			}
			if took > limit {
				t.Errorf("took %v", took)
			}
			t.Logf("%v, %d findings", took, len(out.Findings))
		})
	}
}
