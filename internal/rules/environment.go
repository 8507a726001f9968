package rules

import "palisade"

var _ = add(Rule{
	ID: "py-environment", Title: "Reads or changes the environment", Severity: palisade.Low, Capability: palisade.CapEnvironment, CWE: 526,
	Says:        "could read or change environment variables",
	Description: "Environment variables often hold credentials, and steer what other programs do.",
	Remedy:      "Pass values as arguments.",
	Bad:         []string{"import os\nos.environ['HOME']", "import os\nos.getenv('TOKEN')", "import os\nfor k, v in os.environ.items():\n    print(k, v)"},
	Good:        []string{"environ = {}\nenviron['HOME'] = 1"},
})
