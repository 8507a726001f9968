package py

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"palisade/internal/analysis"
	"palisade/internal/python"
)

// readBoth reads a program as a plain one, if it is plain, and by interpreting it.
func readBoth(t *testing.T, src string) (plain bool, short, full []analysis.Fact) {
	t.Helper()
	tree, err := python.Parse([]byte(src), python.Options{})
	if err != nil {
		return false, nil, nil
	}
	p := Program{Main: Source{"p.py", tree}}
	in := newInterp(Budget{})
	if plain = in.plain(&unit{file: p.Main.File, tree: p.Main.Tree}); plain {
		other := newInterp(Budget{})
		other.interpret(p)
		short, full = analysis.Sort(in.facts), analysis.Sort(other.facts)
	}
	return plain, short, full
}

// TestPlain holds the short way to the long one on all programs of the rules' tests.
func TestPlain(t *testing.T) {
	files, err := filepath.Glob("../../rules/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	took := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split("\n"+string(data), "\n### ")[1:] {
			_, src, _ := strings.Cut(block, "\n")
			plain, short, full := readBoth(t, src+"\n")
			if !plain {
				continue
			}
			took++
			if !slices.Equal(short, full) {
				t.Errorf("%s\n%s\nas a plain program %v\ninterpreted        %v", file, src, short, full)
			}
			hides := strings.IndexFunc(src, func(r rune) bool { return r > 0x7f }) >= 0 // found in the text
			if strings.HasPrefix(filepath.Base(file), "evasions") && !hides {
				t.Errorf("%s: an evasion is taken for a plain program:\n%s", file, src)
			}
		}
	}
	if took < 5 {
		t.Errorf("%d programs are plain: this tests nothing", took)
	}
}

// plainPrograms only compute.
var plainPrograms = []string{
	"def solution():\n    \"\"\"A doc_string.\"\"\"\n    a = 3\n    return a * 2\n",
	"import math\nprint(math.sqrt(2), [math.pi for i in range(3)])\n",
	"from collections import Counter as C\nc = C('abc')\nfor k, v in c.most_common(): print(f'{k}: {v:>3}')\n",
	"from typing import List\ndef f(x: List[int]) -> int:\n    return sum(sorted(x, key=lambda v: -v))\nassert f([1]) == 1\n",
	"import re\nif __name__ == '__main__':\n    print(re.sub('a', 'b', 'abc').upper())\n",
	"import functools\n@functools.lru_cache(None)\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)\n",
	"import random, copy\nrng = random.Random(42)\nx = [rng.randint(1, 9) for i in range(3)]\nrandom.shuffle(x)\nprint(copy.deepcopy(x), rng.choice(x))\n",
	"from random import randint, choice\nfrom copy import copy\ndef f(x): return x\nprint(choice([f, copy(f)])(randint(0, 1)))\n",
	"from random import choice\nprint(choice([choice([choice])])('ab'), sum([choice('12')], []))\n",
	"try:\n    x = int('1')\nexcept ValueError as e:\n    raise TypeError('no') from e\n",
}

// notPlain each have one thing that leads further.
var notPlain = []string{
	"open('a')", "x = eval", "def f(eval): return eval(1)", "getattr([], 'a')", "type(1)", "print(undefined)", "os.system('id')",
	"import os", "import math, os", "import math as os\nos = 1", "from math import *", "from os import path", "from . import math",
	"import random\nrandom.SystemRandom()", "import random\nx = random._os", "import random\nrandom.Random().getstate()", "import copy\ncopy.copyreg",
	"import copy\nx = copy.copy(copy)", "from random import _os", "import random\nrandom.choice([random])", "import math\nx = math", "import math\nmath.x = 1", "import math\nprint(math.os)", "import math\nmath._x()", "import re\nre.Scanner",
	"def f(): return math.sqrt\nimport math", "import re\ndef f(re): return re.enum", "import typing\ntyping.get_type_hints(1)",
	"'{0.x}'.format(1)", "[].__class__", "x = '__cl' + 'ass__'", "x = '_'", "x = b'a'", "chr(95)", "'%c' % 95", "f'{95:c}'", "n = 1\nf'{95:{n}}'",
	"'a'.translate({97: 95})", "'a'.encode()", "x.obj = 1", "class A: pass", "with x: pass", "async def f(): pass", "def f(x: 'print(1)'): pass",
	"def f() -> 'a(b)': pass", "import typing\ndef f(x: typing.List['a(b)']): pass", "x: int = 1\nx: 'a(b)' = 2", "lambda: __builtins__", "__name__", "__loader__",
	"match 1:\n  case int(real=x): pass", "def __getattr__(n): return n", "x = 1\ndel x\nprint(x.__dict__)", "import itertools\nitertools.sys",
	"print(f'{[].__class__}')", "[x for x in ().__class__.__bases__]", "lambda x=open: x", "def f(x=open): pass", "@open\ndef f(): pass",
}

func TestWhatIsPlain(t *testing.T) {
	for _, src := range plainPrograms {
		if plain, short, full := readBoth(t, src); !plain || !slices.Equal(short, full) {
			t.Errorf("plain: %v, %v, interpreted %v:\n%s", plain, short, full, src)
		}
	}
	for _, src := range notPlain {
		if plain, _, _ := readBoth(t, src+"\n"); plain {
			t.Errorf("taken for plain:\n%s", src)
		}
		if _, err := python.Parse([]byte(src+"\n"), python.Options{}); err != nil {
			t.Errorf("%v:\n%s", err, src)
		}
	}
}

// TestPlainTables holds the lists of what is plain to the table of effects.
func TestPlainTables(t *testing.T) {
	table := effectsTable()
	for name := range plainBuiltins {
		if e, ok := table.lookup("builtins." + name); ok && len(e.uses) > 0 || !table.builtins[name] {
			t.Errorf("%s is no builtin that only computes: %v", name, e)
		}
	}
	for name := range plainMethods {
		if e, ok := table.effects["?."+name]; ok && len(e.uses) > 0 || leaks[name] || introspective[name] || writable[name] {
			t.Errorf("a method %s may do something: %v", name, e)
		}
	}
	for mod, names := range plainModules {
		for name := range names {
			if w := (plainWalk{in: newInterp(Budget{})}); !w.plainName(mod, name) {
				t.Errorf("%s.%s is not plain by the tables", mod, name)
			}
		}
	}
}
