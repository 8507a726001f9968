package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "py-unresolved", Title: "Could not be resolved", Severity: palisade.Medium, Capability: palisade.CapUnresolved, CWE: 470,
	Says:        "does something that could not be resolved",
	Description: "What cannot be resolved by reading may be anything.",
	Remedy:      "Call functions and modules by their names.",
	Bad:         []string{"import runpy\nrunpy.run_module('x')", "def f(m):\n    return m.import_module('x')", "x(getattr)"},
	Good:        []string{"def f(g):\n    return g(1)\nf(len)", "x = {}\nx['a']()"},
})

var _ = add(Rule{
	ID: "py-computed-name", Title: "Looks something up by a computed name", Severity: palisade.Medium, Capability: palisade.CapUnresolved, CWE: 470,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindComputed },
	Says:        "looks something up by a name that is computed",
	Description: "An attribute, a module or a name that is only known when the program runs may be any.",
	Remedy:      "Write the name in the program, or use a dict of your own functions.",
	Bad: []string{
		"import os\ngetattr(os, input())('id')", "__import__(input())", "import importlib\nimportlib.import_module(n)",
		"import math\nvars(math)[input()]", "import operator\noperator.attrgetter(input())(x)",
	},
	Good: []string{
		"import math\ngetattr(math, 'pi')", "import math\nfor f in ('sin', 'cos'):\n    getattr(math, f)(1)",
		"ops = {'+': max}\nops[input()](1, 2)",
	},
})
