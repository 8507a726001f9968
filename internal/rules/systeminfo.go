package rules

import "palisade"

var _ = add(Rule{
	ID: "py-system-info", Title: "Learns about the host", Severity: palisade.Low, Capability: palisade.CapSystemInfo, CWE: 497,
	Says:        "could learn about the host",
	Description: "Users, processes, addresses and hardware of the host help an attacker and nobody else.",
	Remedy:      "Leave the host out of the program.",
	Bad:         []string{"import platform\nplatform.uname()", "import pwd\npwd.getpwall()", "import psutil\npsutil.pids()", "import os\nos.getuid()"},
	Good:        []string{"import platform\nplatform.python_version()", "import os\nos.cpu_count()"},
})
