package rules

import "palisade"

var _ = add(Rule{
	ID: "py-import", Title: "Imports a module", Severity: palisade.Info, Capability: palisade.CapImport,
	Says:        "imports a module",
	Description: "Which modules a program may use is policy's: a module brings everything that it can do.",
	Remedy:      "Use the modules that the profile has.",
	Bad: []string{
		"import subprocess", "from os import path", "import random\nrandom._os", "__import__('so'[::-1])",
		"import http.server\nhttp.server.shutil", "import importlib\nimportlib.import_module('ctypes')",
	},
	Good: []string{"x = 1", "importance = 'import os'"},
})
