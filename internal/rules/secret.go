package rules

import "palisade"

var _ = add(Rule{
	ID: "py-secret", Title: "Reads a credential", Severity: palisade.Critical, Capability: palisade.CapSecret, CWE: 522,
	Says:        "could read a credential",
	Description: "Password files, keys and tokens of the host are no business of a program that a model wrote.",
	Remedy:      "Ask for the data instead of the credential.",
	Bad: []string{
		"open('/etc/shadow')", "from pathlib import Path\nPath('~/.ssh/id_rsa').expanduser().read_text()",
		"import getpass\ngetpass.getpass()", "open('/proc/self/environ')", "import keyring\nkeyring.get_password('a', 'b')",
	},
	Good: []string{"open('shadow.txt')", "password = 'x'"},
})
