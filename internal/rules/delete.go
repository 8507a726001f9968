package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "py-delete", Title: "Deletes a file", Severity: palisade.Low, Capability: palisade.CapDeletePath, CWE: 73,
	Says:        "could delete a file or folder",
	Description: "What is deleted cannot be had back. Policy says which paths a program may delete.",
	Remedy:      "Delete only what the program itself made, by names that stand in it.",
	Bad: []string{
		"import os\nos.remove('a')", "from pathlib import Path\nPath('a').unlink()", "import shutil\nshutil.rmtree('d')",
		"import os\nos.replace('a', 'b')",
	},
	Good: []string{"x = [1]\nx.remove(1)", "del x", "open('out.txt', 'w')", "import os\nos.mkdir('d')"},
})

var _ = add(Rule{
	ID: "py-delete-outside", Title: "Deletes outside the workspace", Severity: palisade.High, Capability: palisade.CapDeletePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return outside(f) },
	Says:        "could delete something outside the workspace",
	Description: "Files outside the workspace belong to the system or to someone else.",
	Remedy:      "Delete in the workspace only.",
	Bad: []string{
		"import os\nos.remove('/etc/passwd')", "import shutil\nshutil.rmtree('/')", "import shutil\nshutil.move('/etc/passwd', 'a')",
		"from pathlib import Path\n(Path.home() / 'x').unlink()",
	},
	Good: []string{"import os\nos.remove('/tmp/x')", "import shutil\nshutil.copy('/etc/hosts', 'a')"},
})

var _ = add(Rule{
	ID: "py-delete-computed", Title: "Deletes a computed path", Severity: palisade.Medium, Capability: palisade.CapDeletePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return f.Unknown && f.Argument == "" },
	Says:        "could delete a path that is computed",
	Description: "A path that is only known when the program runs may be any path.",
	Remedy:      "Name the file in the program.",
	Bad:         []string{"import os\nos.unlink(input())", "import os\ndef f(p):\n    os.remove(p)"},
	Good:        []string{"import os\nfor i in range(3):\n    os.remove(f'part{i}.txt')", "import os\nos.remove('a')"},
})
