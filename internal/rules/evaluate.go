package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "py-eval", Title: "Runs text as code", Severity: palisade.High, Capability: palisade.CapEvaluate, CWE: 95,
	Says:        "could run text or bytes as code",
	Description: "Code that is made at run time was not read.",
	Remedy:      "Write the expression itself; ast.literal_eval reads plain values.",
	Bad: []string{
		"import code\ncode.interact()", "import logging.config\nlogging.config.dictConfig({})",
		"import codeop\ncodeop.CommandCompiler()",
	},
	Good: []string{"import ast\nast.literal_eval('[1]')", "import re\nre.compile('a')", "evaluate = 1"},
})

var _ = add(Rule{
	ID: "py-code-in-text", Title: "Runs a string as code", Severity: palisade.High, Capability: palisade.CapEvaluate, CWE: 95,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindText || f.Kind == analysis.KindComputed },
	Says:        "could run a string as code",
	Description: "Some strings are code: those for eval and exec, for pandas' query, for timeit and for templates.",
	Remedy:      "Write the expression itself; compare columns with operators.",
	Bad: []string{
		"eval('1 + 1')", "e = eval\ne(input())", "[exec][0]('x = 1')", "@exec\n@'import os'.format\nclass A: pass",
		"import pandas as pd\npd.DataFrame().query('@pd.compat.os.system(\"id\")')",
		"import timeit\ntimeit.timeit(input())", "import builtins\nvars(builtins)['ev' + 'al']('1')",
		"exec(compile('x = 1', 'f', 'exec'))",
	},
	Good: []string{
		"import pandas as pd\npd.DataFrame({'a': [1]}).query('a > 0 and b == \"x\"')", "import timeit\ntimeit.timeit(lambda: 1)", "import timeit\ntimeit.timeit('sorted([2, 1])', globals=globals())",
		"model = open\nprint('eval')", "class M:\n    def eval(self): return 1\nM().eval()",
	},
})
