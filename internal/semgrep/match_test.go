package semgrep

import (
	"strings"
	"testing"

	"palisade/internal/python"
)

// newTestFile reads a program of a test.
func newTestFile(t testing.TB, src string) *file {
	t.Helper()
	normal, err := python.Normalize([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := python.Parse(normal, python.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return newFile(Source{Path: "p.py", Language: "python", Text: normal}, tree)
}

// findAll returns the first lines of all matches of a pattern.
func findAll(t testing.TB, pattern, src string) map[int]bool {
	t.Helper()
	p, err := parsePattern(pattern)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	m := &matcher{file: newTestFile(t, src), options: defaults()}
	lines := map[int]bool{}
	for _, h := range m.find(p) {
		lines[h.from.line()] = true
	}
	return lines
}

// TestPatterns holds patterns to programs in which the lines that end with
// "#!" start a match and no other does.
func TestPatterns(t *testing.T) {
	for _, c := range []struct{ name, pattern, src string }{
		{"dots among arguments", `f(..., 1, ...)`, "f(1) #!\nf(2, 1, 3) #!\nf(2)\nf(1, k=2) #!\n"},
		{"no dots, no more arguments", `f(1)`, "f(1) #!\nf(1, 2)\nf(1, k=2)\nf(*a)\n"},
		{"keywords in any order", `f(a=1, b=$X)`, "f(b=2, a=1) #!\nf(a=1)\nf(a=1, b=2, c=3)\n"},
		{"keywords with dots", `f(..., shell=True, ...)`, "f(x, shell=True) #!\nf(shell=True, y=1) #!\nf(x, shell=False)\n"},
		{"dots behind a double star", `f(..., **$X, ...)`, "f(1, **d) #!\nf(**d, k=1) #!\nf(1)\n"},
		{"keyword value behind a double star", `f(..., k=1, ...)`, "f(**d, k=1) #!\nf(**d)\n"},
		{"a name for many arguments", `f($...A, g($...A))`, "f(1, 2, g(1, 2)) #!\nf(1, 2, g(1))\nf(g()) #!\n"},
		{"one name, one value", `$X == $X`, "a == a #!\na == b\na.b[0] == a.b[0] #!\n1 == 1 #!\n"},
		{"an anonymous name", `f($_, $_)`, "f(1, 2) #!\nf(1)\n"},
		{"dots between statements", "a()\n...\nb()", "a() #!\nx()\nif y:\n    b()\n"},
		{"statements in order", "a()\nb()", "a() #!\nb()\na()\nx()\nb()\n"},
		{"dots go into blocks, not out", "if $X:\n    a()\n    ...\n    b()", "if x:\n    a()\nb()\nif x: #!\n    a()\n    for i in j:\n        b()\n"},
		{"deep expression", `if <... f($X) ...>: ...`, "if a and not f(1): #!\n    pass\nif g(1):\n    pass\n"},
		{"an expression inside a statement", "x = 1\nf()", "x = 1 #!\nreturn_value = g(f())\n"},
		{"method chains", `$O.a(). ... .b()`, "o.a().x().b() #!\no.a().b() #!\no.b().a()\n"},
		{"any string", `f("...")`, "f('a') #!\nf(x)\nf('a' + 'b') #!\nf(f'{x}')\nf(f'x') #!\n"},
		{"any bytes", `f(b"...")`, "f(b'a') #!\nf('a')\nf(x)\n"},
		{"string by name", `f("$X", "$X")`, "f('a', 'a') #!\nf('a', 'b')\nf(a, a)\n"},
		{"string by expression", `f("=~/^a+b$/")`, "f('aab') #!\nf('xaab')\n"},
		{"string by expression, flags", `f("=~/ABC/i")`, "f('xabc') #!\nf('xab')\n"},
		{"import as", `os.system(...)`, "import os as o\no.system('x') #!\nos.system(1) #!\no.popen(1)\n"},
		{"import from", `os.system(...)`, "from os import system as s, popen\ns('x') #!\npopen('x')\n"},
		{"import inside a function", `os.system(...)`, "def f():\n    from os import system\n    system('x') #!\nsystem('y')\n"},
		{"a parameter hides an import", `os.system(...)`, "from os import system\ndef f(system):\n    system('x')\nsystem('x') #!\n"},
		{"import star", `os.path.join(...)`, "from os.path import *\njoin('x') #!\nsplit('x')\n"},
		{"own name before import star", `os.path.join(...)`, "from os.path import *\ndef join(x): pass\njoin('x')\n"},
		{"import statements", "import a.b", "import a.b #!\nfrom a import b #!\nfrom a.b import c #!\nimport a\nfrom . import a\n"},
		{"import by name", "import $M\n...\n$M.f()", "import a #!\na.f()\nb.f()\n"},
		{"decorator", "@d\ndef $F(...): ...", "@d #!\ndef f(): pass\n@e #!\n@d()\ndef g(): pass\n@e\ndef h(): pass\ndef i(): pass\n"},
		{"decorator alone", "@app.route(...)", "@app.route('/') #!\ndef f(): pass\n@app.get('/')\nclass C: pass\n"},
		{"parameters", "def f(..., $X=[], ...): ...", "def f(a, b=[]): pass #!\ndef f(a=[], *b, c): pass #!\ndef f(a): pass\n"},
		{"parameters without dots", "def f($A, $B): ...", "def f(a, b): pass #!\ndef f(a): pass\ndef f(a: int, b=1) -> int: pass #!\n"},
		{"lambda with dots", "lambda ..., $X: $X", "f = lambda a, x: x #!\ng = lambda x: 1\n"},
		{"async is asked for", "async def $F(...): ...", "async def f(): pass #!\ndef g(): pass\n"},
		{"class and base", "class $C(..., Base, ...): ...", "class A(Base): pass #!\nclass B(X, Base, metaclass=M): pass #!\nclass C(X): pass\n"},
		{"class body in any order", "class $C:\n    x = $V\n    def f(...): ...", "class A: #!\n    def f(self): pass\n    y = 2\n    x = 1\nclass B:\n    x = 1\n"},
		{"handler alone", "except $E: ...", "try:\n    x\nexcept A: #!\n    pass\nexcept:\n    pass\n"},
		{"handler that passes", "except ...:\n    pass", "try:\n    x\nexcept A: #!\n    pass\nexcept B:\n    y()\nexcept: #!\n    pass\n"},
		{"try without handlers in the pattern", "try: ...", "try: #!\n    x\nexcept A:\n    pass\n"},
		{"several targets", "$X = f()", "a = b = f() #!\na: int = f() #!\na = g()\n"},
		{"unpacking", "$A, $B = f()", "a, b = f() #!\n(a, b) = f() #!\na = f()\n"},
		{"augmented", "$X += 1", "x += 1 #!\nx = x + 1\n"},
		{"return alone", "return", "def f():\n    return #!\ndef g():\n    return 1\n"},
		{"yield", "yield $X", "def f():\n    yield 1 #!\n    yield\n"},
		{"await", "await $X", "async def f():\n    await x #!\n    x\n"},
		{"break in a loop", "while True:\n    ...\n    break", "while True: #!\n    if x:\n        break\nwhile True:\n    x()\n"},
		{"for with dots", "for ... in f(...): ...", "for a, b in f(1): #!\n    pass\nfor a in g():\n    pass\n"},
		{"comprehension", "[... for $X in $Y]", "[x + 1 for x in y] #!\n[x for x in y if x]\n"},
		{"dict with dots", `{..., "k": $V, ...}`, "{'a': 1, 'k': 2} #!\n{'k'}\n{'a': 1}\n{**d, 'k': 1} #!\n"},
		{"set with dots", `{..., 1, ...}`, "{2, 1} #!\n{1: 2}\n"},
		{"list with dots", `[..., 1]`, "[2, 1] #!\n[1] #!\n[1, 2]\n"},
		{"tuple index", `$X[1, ...]`, "a[1, 2] #!\na[1]\n"},
		{"slice", `$X[1:]`, "a[1:] #!\na[1:2]\na[1]\n"},
		{"and is a list", "a and ... and c", "a and b and c #!\na and (b and c) #!\na and b\n"},
		{"bits in any order", "a | b", "b | a #!\nb | c | a #!\nb | c\n"},
		{"sums are lists", `"..." + $X + ...`, "'a' + x + y #!\n'a' + x #!\nx + 'a'\n"},
		{"constants through names", "f(42)", "x = 42\nf(x) #!\nx = g()\nf(x)\n"},
		{"constants through branches", `f("...")`, "if c:\n    x = 'a'\nelse:\n    x = 'b'\nf(x) #!\nif c:\n    x = g()\nf(x)\n"},
		{"constants of the module", `f("secret")`, "S = 'secret'\ndef g():\n    f(S) #!\ndef h():\n    S = x()\n    f(S)\n"},
		{"a global is no constant", `f("secret")`, "S = 'secret'\ndef g():\n    f(S)\ndef h():\n    global S\n    S = 1\n"},
		{"f-string of constants", `f("ab")`, "x = 'b'\nf(f'a{x}') #!\nf(f'a{y}')\n"},
		{"f-string by parts", `f"...{$X}..."`, "f'a{x}b' #!\nf'ab'\n'a'\n"},
		{"with", "with open(...) as $F: ...", "with open('x') as f: #!\n    pass\nwith open('x'):\n    pass\n"},
		{"with of anything", "with open(...): ...", "with open('x') as f: #!\n    pass\n"},
		{"match", "match $X:\n    case [$A, *$B]: ...", "match v: #!\n    case [a, *rest]:\n        pass\nmatch v:\n    case 1:\n        pass\n"},
		{"case with dots", "match $X:\n    case [..., $A as $B, ...]: ...", "match v: #!\n    case [a, b as c]:\n        pass\nmatch v:\n    case [a, b]:\n        pass\n"},
		{"constants by element", "f(1)", "a, (b, c) = 2, (1, 3)\nf(b) #!\nf(a)\nf(c)\na, *b = 1, 2\nf(a)\n"},
		{"constants in a lambda", "f(1)", "def g():\n    a = 1\n    return lambda b: f(a) #!\n"},
		{"typed", "f($X: str)", "f('a') #!\nf(1)\ndef g(s: str, n: int):\n    f(s) #!\n    f(n)\n"},
		{"typed by construction", "($X: Conn).run()", "c = Conn()\nc.run() #!\nd = Other()\nd.run()\n"},
		{"global", "global $X", "def f():\n    global a #!\n"},
		{"assert", "assert $X, ...", "assert a, 'b' #!\nassert a #!\n"},
		{"raise from", "raise $X from $Y", "raise A from B #!\nraise A\n"},
		{"negative number", "f(-1)", "f(-1) #!\nf(1)\nx = -1\nf(x) #!\n"},
		{"attribute of anything", "$X.password", "a.password #!\na.b.password #!\npassword\n"},
		{"walrus", "($X := f())", "if (y := f()): #!\n    pass\n"},
		{"not", "not $X", "not a #!\na\n"},
		{"in", "$X not in $Y", "a not in b #!\na in b\n"},
		{"conditional expression", "$A if $B else $A", "a if b else a #!\na if b else c\n"},
		{"star argument", "f(*$X)", "f(*a) #!\nf(a)\nf(**a)\n"},
		{"double star argument", "f(**$X)", "f(**a) #!\nf(*a)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := findAll(t, c.pattern, c.src)
			for i, line := range strings.Split(c.src, "\n") {
				if want := strings.HasSuffix(line, "#!"); want != got[i+1] {
					t.Errorf("%s\nline %d, %q: found %v", c.pattern, i+1, line, got[i+1])
				}
			}
		})
	}
}

// TestBadPatterns holds what is no pattern to an error.
func TestBadPatterns(t *testing.T) {
	for _, p := range []string{
		"", "  \n", "f(", "$x", "$", "<... f", "f(...>", "'a", "\"\"\"a", "def f(:", "__palisade_mv_X", "a b c",
		strings.Repeat("(", 200) + strings.Repeat(")", 200), strings.Repeat("x;", 20000), "x\x00",
	} {
		if _, err := parsePattern(p); err == nil {
			t.Errorf("%.40q is taken for a pattern", p)
		}
	}
}
