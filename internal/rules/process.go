package rules

import "palisade"

var _ = add(Rule{
	ID: "py-process", Title: "Runs another program", Severity: palisade.High, Capability: palisade.CapProcess, CWE: 78,
	Says:        "could run another program",
	Description: "A program that starts another one is bounded by nothing that reading it can show.",
	Remedy:      "Compute the result in Python.",
	Bad: []string{
		"import os\nos.system('id')", "import os as o\ngetattr(o, 'sys' + 'tem')('id')",
		"import subprocess\nsubprocess.run(['ls'])", "import random\nrandom._os.popen('id')",
		"from subprocess import Popen as P\nP('id', shell=True)", "def f(x):\n    return x.system('id')",
		"import asyncio\nasyncio.run(asyncio.create_subprocess_shell('id'))",
	},
	Good: []string{"x = 'os.system'", "system = 3\nprint(system)", "import os\nprint(os.getcwd())"},
})
