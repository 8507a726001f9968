package semgrep

import "testing"

const simpleTaint = `
mode: taint
pattern-sources:
  - pattern: source(...)
pattern-sinks:
  - pattern: sink(...)
pattern-sanitizers:
  - pattern: clean(...)
`

// TestTaint holds the ways that data takes.
func TestTaint(t *testing.T) {
	for _, c := range []held{
		{"directly", simpleTaint, "sink(source()) #!\nsink(clean(source()))\nsink(1)\n"},
		{"through a name", simpleTaint, "a = source()\nb = a\nsink(b) #!\na = 1\nsink(a)\nsink(b) #!\n"},
		{"cleaned", simpleTaint, "a = source()\nb = clean(a)\nsink(b)\nsink(a) #!\n"},
		{"through operators", simpleTaint, "a = 'x' + source()\nsink(a) #!\nsink(f'y{a}') #!\nsink('%s' % a) #!\nsink('{}'.format(a)) #!\nsink(a if c else b) #!\nsink(not a) #!\n"},
		{"through containers", simpleTaint, "a = [1, source()]\nsink(a) #!\nb = {'k': source(), **c}\nsink(b['k']) #!\nd = []\nsink(d)\nd.append(source())\nsink(d[0]) #!\ne = (x, *a)\nsink(e) #!\n"},
		{"through parts", simpleTaint, "o.a = source()\nsink(o.a) #!\nsink(o.b)\nsink(o) #!\no.a = 1\nsink(o.a)\nd['x'] = source()\nsink(d['y'])\nsink(d['x']) #!\n"},
		{"through unpacking", simpleTaint, "a, *b = source()\nsink(a) #!\nsink(b) #!\n(c, [d]) = source()\nsink(d) #!\n"},
		{"element by element", simpleTaint, "a, (o.b, c) = 1, (source(), 2)\nsink(a)\nsink(o.b) #!\nsink(c)\na, c = c, o.b\nsink(a)\nsink(c) #!\n"},
		{"through calls", simpleTaint, "a = f(1, k=source())\nsink(a) #!\nb = source().strip().split(',')\nsink(b) #!\n"},
		{"through comprehensions", simpleTaint, "a = [x + 1 for x in source() if x]\nsink(a) #!\nb = {k: v for k, v in source().items()}\nsink(b) #!\nsink([x for x in y])\nsink(''.join(c for c in source())) #!\n"},
		{"through augmented assignment", simpleTaint, "a = 'x'\na += source()\nsink(a) #!\n"},
		{"through walrus", simpleTaint, "if (a := source()):\n    sink(a) #!\n"},
		{"through with", simpleTaint, "with source() as f:\n    sink(f.read()) #!\n"},
		{"through for", simpleTaint, "for a, b in source():\n    sink(b) #!\nelse:\n    sink(1)\n"},
		{"through await", simpleTaint, "async def f():\n    a = await source()\n    sink(a) #!\n    async for b in source():\n        sink(b) #!\n"},
		{"through match", simpleTaint, "match source():\n    case {'k': v}:\n        sink(v) #!\n    case [x, *rest]:\n        sink(rest) #!\n    case _:\n        sink(1)\n"},
		{"branches meet", simpleTaint, "a = 1\nif c:\n    a = source()\nelse:\n    sink(a)\nsink(a) #!\n"},
		{"both branches clean", simpleTaint, "a = source()\nif c:\n    a = 1\nelse:\n    a = 2\nsink(a)\n"},
		{"a branch that ends", simpleTaint, "def f():\n    a = source()\n    if bad(a):\n        return\n    sink(a) #!\ndef g():\n    a = 1\n    if c:\n        a = source()\n        return\n    sink(a)\n"},
		{"round a loop", simpleTaint, "a = b = c = d = 1\nwhile x:\n    sink(a) #!\n    a = b\n    b = c\n    c = d\n    d = source()\n"},
		{"round nested loops", simpleTaint, "a = b = 1\nfor i in x:\n    for j in y:\n        sink(a) #!\n        a = b\n    b = source()\n"},
		{"through try", simpleTaint, "try:\n    a = source()\n    f()\nexcept E:\n    sink(a) #!\nfinally:\n    sink(a) #!\n"},
		{"through lambda", simpleTaint, "a = source()\nf(lambda x: sink(a)) #!\nf(lambda a: sink(a))\n"},
		{"not into functions", simpleTaint, "a = source()\ndef f(a):\n    sink(a)\n"},
		{"deleted", simpleTaint, "a = source()\ndel a\nsink(a)\n"},
		{"parameters", `
mode: taint
pattern-sources:
  - patterns:
      - pattern: |
          def handler(..., $X, ...):
            ...
      - focus-metavariable: $X
pattern-sinks:
  - pattern: sink(...)
`, "def handler(a, b=1):\n    sink(a) #!\n    sink(b) #!\n    a = 1\n    sink(a)\ndef other(a):\n    sink(a)\n"},
		{"whole functions", `
mode: taint
pattern-sources:
  - pattern: |
      def handler(...):
        ...
pattern-sanitizers:
  - patterns:
      - pattern: |
          with safe():
            ...
pattern-sinks:
  - pattern: sink(...)
`, "def handler(a):\n    sink(b) #!\n    with safe():\n        sink(b)\ndef other(a):\n    sink(a)\n"},
		{"only one argument", `
mode: taint
pattern-sources:
  - pattern: source()
pattern-sinks:
  - patterns:
      - pattern: sink($X, ...)
      - focus-metavariable: $X
`, "sink(source(), 1) #!\nsink(1, source())\nsink(source(), source()) #!\n"},
		{"exact sources", `
mode: taint
pattern-sources:
  - exact: true
    pattern: source(...)
pattern-sinks:
  - pattern: sink(...)
`, "x = source(y)\nsink(y)\nsink(x) #!\n"},
		{"sources by side effect", `
mode: taint
pattern-sources:
  - by-side-effect: true
    patterns:
      - pattern: fill($X)
      - focus-metavariable: $X
pattern-sinks:
  - pattern: sink(...)
`, "sink(a)\nfill(a)\nsink(a) #!\n"},
		{"cleaned by side effect", `
mode: taint
pattern-sources:
  - pattern: source()
pattern-sanitizers:
  - by-side-effect: true
    patterns:
      - pattern: check($X)
      - focus-metavariable: $X
pattern-sinks:
  - pattern: sink(...)
`, "a = source()\nsink(a) #!\ncheck(a)\nsink(a)\n"},
		{"sanitizers that stand aside", `
mode: taint
pattern-sources:
  - pattern: source()
pattern-sanitizers:
  - not_conflicting: true
    pattern: $F(...)
pattern-sinks:
  - pattern: sink(...)
`, "sink(source()) #!\nsink(f(source()))\n"},
		{"propagators", `
mode: taint
pattern-sources:
  - pattern: source()
pattern-propagators:
  - pattern: $TO.load($FROM)
    from: $FROM
    to: $TO
pattern-sinks:
  - pattern: sink(...)
`, "sink(a)\na.load(source())\nsink(a) #!\nb.save(source())\nsink(b)\n"},
		{"labels", `
mode: taint
pattern-sources:
  - label: USER
    pattern: user()
  - label: JOINED
    requires: USER
    pattern: join(...)
pattern-sinks:
  - requires: JOINED and not SAFE
    pattern: sink(...)
`, "sink(user())\na = join(user())\nsink(a) #!\nsink(join(1))\n"},
		{"sinks that are statements", `
mode: taint
pattern-sources:
  - pattern: source()
pattern-sinks:
  - pattern: return $X
`, "def f():\n    a = source()\n    if a:\n        return 1\n    return a #!\n"},
		{"sinks that are assignments", `
mode: taint
pattern-sources:
  - pattern: source()
pattern-sinks:
  - patterns:
      - pattern: $O.html = $X
      - focus-metavariable: $X
`, "o.html = source() #!\no.text = source()\n"},
		{"numbers are clean", `
mode: taint
options:
  taint_assume_safe_numbers: true
pattern-sources:
  - pattern: source()
pattern-sinks:
  - pattern: sink(...)
`, "sink(int(source()))\nsink(len(source()))\nsink(str(source())) #!\n"},
		{"calls are clean", `
mode: taint
options:
  taint_assume_safe_functions: true
pattern-sources:
  - pattern: source()
pattern-sinks:
  - pattern: sink(...)
`, "sink(f(source()))\nsink(source()) #!\na = source()\nsink(a) #!\n"},
		{"where it comes from", `
mode: taint
options:
  taint_focus_on: source
pattern-sources:
  - pattern: source()
pattern-sinks:
  - pattern: sink(...)
`, "a = source() #!\nsink(a)\n"},
	} {
		t.Run(c.name, c.check)
	}
}
