package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "py-write", Title: "Writes a file", Severity: palisade.Low, Capability: palisade.CapWritePath, CWE: 73,
	Says:        "could create or change a file or folder",
	Description: "Policy says which paths a program may write.",
	Remedy:      "Write to the workspace, by names that stand in the program.",
	Bad:         []string{"open('out.txt', 'w')", "import os\nos.rename('a', 'b')", "import numpy as np\nnp.save('a.npy', [1])"},
	Good:        []string{"open('out.txt')", "import os\nos.remove('a')"},
})

var _ = add(Rule{
	ID: "py-write-outside", Title: "Writes outside the workspace", Severity: palisade.High, Capability: palisade.CapWritePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return outside(f) },
	Says:        "could change something outside the workspace",
	Description: "Files outside the workspace belong to the system or to someone else.",
	Remedy:      "Write to the workspace; changed files there are handed out.",
	Bad: []string{
		"import os\nos.chmod('/etc/passwd', 0o777)", "import shutil\nshutil.move('/etc/passwd', 'a')", "open('/usr/x', 'w')",
		"from pathlib import Path\nPath('/etc/x').write_text('')",
	},
	Good: []string{"open('x', 'w')", "import shutil\nshutil.copy('a', 'b')"},
})

var _ = add(Rule{
	ID: "py-write-computed", Title: "Writes a computed path", Severity: palisade.Medium, Capability: palisade.CapWritePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return f.Unknown && f.Argument == "" },
	Says:        "could change a path that is computed",
	Description: "A path that is only known when the program runs may be any path.",
	Remedy:      "Name the file in the program.",
	Bad:         []string{"open(input(), 'w')", "import os\ndef f(p):\n    os.mkdir(p)"},
	Good:        []string{"for i in range(3):\n    open(f'part{i}.txt', 'w')"},
})
