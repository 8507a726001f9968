package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "py-read", Title: "Reads a file", Severity: palisade.Low, Capability: palisade.CapReadPath, CWE: 22,
	Says:        "could read a file or folder",
	Description: "Policy says which paths a program may read.",
	Remedy:      "Read files of the workspace, by names that stand in the program.",
	Bad:         []string{"open('data.csv')", "import pathlib\npathlib.Path('a').read_text()", "import pandas as pd\npd.read_csv('x.csv')"},
	Good:        []string{"open = 1", "import io\nio.StringIO('x').read()"},
})

var _ = add(Rule{
	ID: "py-read-outside", Title: "Reads outside the workspace", Severity: palisade.High, Capability: palisade.CapReadPath, CWE: 22,
	Match:       func(f analysis.Fact) bool { return outside(f) },
	Says:        "could read outside the workspace",
	Description: "Files outside the workspace belong to the system or to someone else.",
	Remedy:      "Pass the data with the program; it is placed in the workspace.",
	Bad: []string{
		"open('/etc/passwd')", "p = '/etc'\nopen(p + '/shadow')", "open('../../etc/passwd')",
		"from pathlib import Path\n(Path('/') / 'etc' / 'passwd').read_text()",
		"import os\nopen(os.path.join('/usr', '../etc/passwd'))", "import os\nos.listdir('/proc')",
	},
	Good: []string{"open('etc/passwd')", "open('/work/data/../x')", "open('/tmp/x')", "print('/etc/passwd')"},
})

var _ = add(Rule{
	ID: "py-read-computed", Title: "Reads a computed path", Severity: palisade.Medium, Capability: palisade.CapReadPath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return f.Unknown && f.Argument == "" },
	Says:        "could read a path that is computed",
	Description: "A path that is only known when the program runs may be any path.",
	Remedy:      "Name the file in the program.",
	Bad:         []string{"open(input())", "def f(p):\n    return open(p)", "import sys\nopen(sys.argv[1])"},
	Good:        []string{"def f(p):\n    return open(p)\nf('a.txt')", "for i in range(3):\n    open(f'part{i}.txt')"},
})
