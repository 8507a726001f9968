package rules

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"palisade"
)

// bombs are programs that are small to write and large to read.
func bombs() map[string]string {
	rep := strings.Repeat
	chain := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	return map[string]string{
		"aliases":              "import os\na0 = os.system\n" + chain(9000, func(i int) string { return fmt.Sprintf("a%d = a%d\n", i+1, i) }) + "a9000('id')\n",
		"multiplied string":    "x = 'a' * 10**9\ny = x * 10**9\nopen(x)\n",
		"doubled string":       "x = 'ab'\n" + rep("x = x + x\n", 200) + "open(x)\n",
		"doubled list":         "x = [1]\n" + rep("x = x + x\n", 200) + "open(x)\n",
		"doubled set":          "x = 'a' if y else 'b'\n" + rep("x = x + ('a' if y else 'b')\n", 200),
		"nested joins":         "x = 'a'\n" + rep("x = x.join([x] * 100)\n", 50),
		"nested replace":       "x = 'a'\n" + rep("x = x.replace('a', x + x)\n", 50),
		"nested format":        "x = '{0}'\n" + rep("x = (x + x).format(x)\n", 60),
		"percent":              "x = '%s'\n" + rep("x = (x + x) % (x, x)\n", 40),
		"big powers":           "x = 9**9**9**9\ny = 1 << 10**12\n",
		"nested loops":         chain(20, func(i int) string { return rep(" ", i) + fmt.Sprintf("for i%d in range(200):\n", i) }) + rep(" ", 20) + "f()\n",
		"nested comprehension": "[" + "x" + rep(" for x in range(200)", 20) + "]\n",
		"while":                "i = 0\nwhile i < 10**9:\n    i += 1\n    j = 0\n    while j < 10**9:\n        j += 1\n",
		"recursion":            "def f(n):\n    return f(n - 1) + f(n - 2) + f(n - 3)\nf(10**9)\n",
		"functions call all": chain(120, func(i int) string {
			return fmt.Sprintf("def f%d(x):\n%s", i, chain(120, func(j int) string { return fmt.Sprintf("    f%d(x + %d)\n", j, j) }))
		}),
		"higher order": "def f(g):\n    return g(f(g))(g)\nf(f)(f)(f)\n" + chain(50, func(i int) string { return "f = lambda g, f=f: g(f)(f)\nf(f)\n" }),
		"y combinator": "Y = lambda f: (lambda x: f(lambda *a: x(x)(*a)))(lambda x: f(lambda *a: x(x)(*a)))\nY(lambda r: lambda n: r(n) + r(n) + r(n))(10)\n",
		"closures":     chain(60, func(i int) string { return rep(" ", i) + fmt.Sprintf("def f%d(a%d):\n", i, i) }) + rep(" ", 60) + "pass\n",
		"classes": chain(400, func(i int) string {
			return fmt.Sprintf("class C%d(%s):\n    def m(self): return self.m().m().m()\n    def __getattr__(self, n): return self.x\n", i, strings.TrimSuffix(fmt.Sprintf("C%d", max(0, i-1)), ""))
		}),
		"getattr cycle":      "class A:\n    def __getattr__(self, n): return getattr(self, n + n).x\n    __call__ = property(lambda s: s())\na = A()\na()()()\na.b.c.d\n",
		"call cycle":         "class A: pass\nA.__call__ = A()\nA()()\n",
		"partial cycle":      "import functools\nf = functools.partial(print)\nf = functools.partial(f, f)\nf(f)\n",
		"descriptor cycle":   "class D:\n    def __get__(self, o, t): return o.x\nclass A:\n    x = D()\nA().x\n",
		"format cycle":       "class A:\n    def __format__(self, s): return f'{self}'\n    __str__ = __format__\nf'{A()}'\nprint(A())\n",
		"iter cycle":         "class A:\n    def __iter__(self): return self\n    def __next__(self): return [x for x in self]\nlist(A())\n",
		"iter of each other": "class A:\n    def __iter__(self): return B()\nclass B:\n    def __iter__(self): return A()\nfor x in A(): x()\nlist(B())\n[*A()]\n",
		"except itself":      "x = []\nx.append(x)\ny = (x, x)\ntry: f()\nexcept x as e: e.x\nexcept y as e: e.x\n",
		"property cycle":     "class A:\n    x = property(lambda s: s.y)\n    y = property(lambda s: s.x)\nA().x\nf'{A().y}'\n",
		"get cycle":          "class D:\n    __get__ = property(lambda s: s.__get__)\nclass A:\n    d = D()\nA().d.d.d\n",
		"getitem cycle":      "class A:\n    def __getitem__(self, k): return self[k]\nfor x in A(): A()[x]\nA()[A()]\n",
		"set_name cycle":     "class D:\n    def __set_name__(self, o, n):\n        class X:\n            d = D()\nclass A:\n    d = D()\n",
		"init cycle":         "class A:\n    def __init__(self): self.a = A()\n    def __init_subclass__(c): type('B', (c,), {})\nA()\nclass C(A): pass\n",
		"wrapper cycle":      "class A: pass\nA.f = staticmethod(A)\nA.f = classmethod(A.f)\nA.g = property(A.f)\nA().g.f.g()\n",
		"bases cycle":        "class A: pass\nclass B(A): pass\nA.__bases__ = (B,)\nclass C(B, A): x = 1\nC().y.z\nA = type('A', (B, C), {})\nA().q\n",
		"metaclass cycle":    "class M(type):\n    def __call__(c, *a): return c(*a)\n    def __getattr__(c, n): return getattr(c, n)\nclass A(metaclass=M): pass\nA(A).x\n",
		"wide dict":          "d = {" + chain(20000, func(i int) string { return fmt.Sprintf("%d:%d,", i, i) }) + "}\n" + rep("d[x]\n", 2000),
		"wide list":          "l = [" + rep("f,", 60000) + "]\n" + rep("l[x]()\n", 2000),
		"wide call":          "f(" + rep("x,", 60000) + ")\n",
		"wide union":         chain(3000, func(i int) string { return fmt.Sprintf("def f%d(): return f%d\n", i, i) }) + "x = [" + chain(3000, func(i int) string { return fmt.Sprintf("f%d,", i) }) + "]\nfor g in x: g()()()\n",
		"deep attribute":     "x" + rep(".a", 90) + "\n",
		"long attribute":     rep("x.__class__.__base__.__subclasses__()\n", 3000),
		"many imports":       chain(5000, func(i int) string { return fmt.Sprintf("import m%d\n", i) }),
		"many globals": chain(2000, func(i int) string {
			return fmt.Sprintf("def f%d():\n    global g\n    g = f%d\n    g()\n", i, (i+1)%2000)
		}),
		"eval nest":           "x = 'eval(x)'\neval(x)\n" + rep("eval('eval(\"eval(x)\")')\n", 500),
		"exec doubles":        "s = 'exec(s);exec(s)'\nexec(s)\n",
		"zip bomb":            "import zlib\nx = zlib.compress(b'a' * 60000)\n" + rep("x = zlib.decompress(zlib.compress(x * 10))\n", 50),
		"base64":              "import base64\nx = b'a' * 60000\n" + rep("x = base64.b64encode(x)\n", 100),
		"decorators":          rep("@d\n", 5000) + "def f(): pass\n",
		"match":               "match x:\n" + chain(3000, func(i int) string { return fmt.Sprintf("    case [a, b, *c, {'k': C(d=%d)}]: pass\n", i) }),
		"f-string":            "f'" + rep("{x}", 20000) + "'\n",
		"self assignment":     "x = []\n" + rep("x.append(x); x = [x, x]\n", 300) + "for y in x:\n    for z in y: z[0](y)\n",
		"dict of itself":      "d = {}\nd['d'] = d\n" + rep("d.update(d); d = {**d, 'x': d}\n", 300),
		"attribute of itself": "class A: pass\na = A()\na.a = a\n" + rep("a.a.a.a.b = a.a.a\n", 500),
		"star args":           "def f(*a, **k): return f(*a, *a, **k)\nf(*range(200), **{'x': 1})\n",
		"try":                 chain(80, func(i int) string { return rep(" ", i) + "try:\n" }) + rep(" ", 80) + "f()\n" + chain(80, func(i int) string { return rep(" ", 79-i) + "except E as e: e.x = e\n" }),
		"many lambdas":        "x = " + rep("lambda: ", 90) + "1\n" + rep("x = (lambda f: lambda: f(f))(x)\n", 500),
		"counter":             "n = 0\ndef f():\n    global n\n    n += 1\n    return g()\ndef g():\n    global n\n    n = n * 2\n    return f()\nf()\n",
		"growing text":        "s = ''\ndef f():\n    global s\n    s = s + 'a'\n    open(s)\n    f()\nf()\n",
		"bytes":               "x = bytes(range(256)) * 250\n" + rep("x = x[::-1] + x[1:]\n", 200),
		"translate":           "t = str.maketrans({'a': 'aaaaaaaaaaaaaaaa'})\nx = 'a'\n" + rep("x = x.translate(t)\n", 50),
		"title":               "x = 'ab' * 30000\n" + rep("x = x.title().swapcase().upper().lower()\n", 400),
		"split":               "x = ('a,' * 30000)\n" + rep("y = x.split(',')\n", 400),
		"slices":              "x = 'ab' * 30000\n" + rep("x = x[::-1]\n", 1500),
		"sys.modules":         "import sys\n" + rep("for m in sys.modules: sys.modules[m].x.y\n", 1500),
		"reduce":              "import functools\nfunctools.reduce(lambda a, b: functools.reduce(lambda c, d: c + d + a + b, 'ab' * 100), 'ab' * 100)\n",
		"map of map":          "list(map(lambda x: list(map(lambda y: list(map(lambda z: x + y + z, range(200))), range(200))), range(200)))\n",
		"product":             "import itertools\n" + rep("x = itertools.product(x, x)\n", 300) + "for y in x: y[0][0][0]\n",
	}
}

// TestBombs holds the reading of hostile programs to bounds of time and memory.
func TestBombs(t *testing.T) {
	const limit = 2 * time.Second // of processor time; most take a few milliseconds
	for name, src := range bombs() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := processorTime(t)
			out, err := Inspector{}.Inspect(context.Background(), palisade.Submission{
				Program: palisade.Program{Language: palisade.Python, Source: []byte(src)},
			})
			took := processorTime(t) - start
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if took > limit {
				t.Errorf("took %v", took)
			}
			if sys := (after.HeapSys - before.HeapSys) >> 20; sys > 512 && after.HeapSys > before.HeapSys {
				t.Errorf("grew by %d MiB", sys)
			}
			failed := slices.ContainsFunc(out.Findings, func(f palisade.Finding) bool {
				return f.Capability == palisade.CapFailed || f.Capability == palisade.CapUnparsable || f.Capability == palisade.CapOversized
			})
			t.Logf("%v, %d findings, given up: %v, allocated %d MiB", took, len(out.Findings), failed, (after.TotalAlloc-before.TotalAlloc)>>20)
		})
	}
}

// processorTime is what this process has used so far: other processes on the
// machine do not count.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestSteps: the budget counts steps, not time, so that a program is read the
// same way every time.
func TestSteps(t *testing.T) {
	for name, src := range bombs() {
		if len(src) > 20000 {
			continue
		}
		a, b := inspect(t, src), inspect(t, src)
		if !slices.Equal(a.Findings, b.Findings) {
			t.Errorf("%s: read differently the second time", name)
		}
	}
}
