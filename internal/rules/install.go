package rules

import "palisade"

var _ = add(Rule{
	ID: "py-install", Title: "Installs a package", Severity: palisade.High, Capability: palisade.CapInstall, CWE: 829,
	Says:        "could install a package",
	Description: "An installer runs the code of whoever published the package.",
	Remedy:      "Use what is installed.",
	Bad: []string{
		"import subprocess, sys\nsubprocess.run(['pip', 'install', 'x'])", "import pip\npip.main(['install', 'x'])",
		"import os\nos.system('python3 -m pip install evil')", "import ensurepip",
	},
	Good: []string{"print('pip install numpy')"},
})
