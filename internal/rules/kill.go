package rules

import "palisade"

var _ = add(Rule{
	ID: "py-kill", Title: "Signals a process", Severity: palisade.High, Capability: palisade.CapKill, CWE: 284,
	Says:        "could signal a process",
	Description: "A signal can end or stop processes that are not the program's own.",
	Remedy:      "Leave processes alone; end the program by returning.",
	Bad:         []string{"import os\nos.kill(1, 9)", "import os, signal\nos.killpg(os.getpgid(0), signal.SIGKILL)"},
	Good:        []string{"kill = 1\nprint(kill)", "print('kill -9 1')"},
})
