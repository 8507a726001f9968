package rules

import "palisade"

var _ = add(Rule{
	ID: "py-run-file", Title: "Runs code from a file", Severity: palisade.High, Capability: palisade.CapRunFile, CWE: 94,
	Says:        "could run code from a file",
	Description: "Code in a file was not read with the program.",
	Remedy:      "Submit the file as a module of the program.",
	Bad:         []string{"import runpy\nrunpy.run_path('/tmp/x.py')", "from importlib.util import spec_from_file_location as s\ns('m', 'm.py')"},
	Good:        []string{"open('x.py').read()"},
})

var _ = add(Rule{
	ID: "py-import-path", Title: "Changes where modules come from", Severity: palisade.High, Capability: palisade.CapImportPath, CWE: 427,
	Says:        "could change where modules come from",
	Description: "A module from another place is code that was not read.",
	Remedy:      "Submit modules with the program.",
	Bad:         []string{"import sys\nsys.path.insert(0, '/tmp')", "import sys\nsys.meta_path.append(1)", "import site\nsite.addsitedir('/tmp')"},
	Good:        []string{"import os\nprint(os.path.join('a', 'b'))", "path = []\npath.append(1)"},
})
