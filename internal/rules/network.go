package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "py-network", Title: "Reaches a network peer", Severity: palisade.Medium, Capability: palisade.CapNetwork, CWE: 918,
	Says:        "could reach a network peer",
	Description: "What a program sends away cannot be taken back, and what it fetches was not read.",
	Remedy:      "Pass the data with the program.",
	Bad: []string{
		"import requests\nrequests.get('http://example.com')", "import socket\nsocket.create_connection(('10.0.0.1', 80))",
		"import socket as s\nc = s.socket()\nc.connect(('1.2.3.4', 9))", "import urllib.request as u\nu.urlopen(input())",
		"import pandas as pd\npd.read_csv('https://example.com/x.csv')", "import socket\nsocket.getaddrinfo('a.example', 0)",
	},
	Good: []string{"url = 'http://example.com'\nprint(url)", "import urllib.parse\nurllib.parse.quote('a b')"},
})

var _ = add(Rule{
	ID: "py-metadata-address", Title: "Names a cloud metadata service", Severity: palisade.Critical, Capability: palisade.CapNetwork, CWE: 918,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindAddress },
	Says:        "names the address where a cloud hands out credentials",
	Description: "The metadata service of a cloud gives the machine's credentials to whoever asks from inside.",
	Remedy:      "No program needs this address.",
	Bad:         []string{"u = 'http://169.254.169.254/latest/meta-data/'", "h = b'metadata.google.internal'", "x = 'http://2852039166/'"},
	Good:        []string{"u = 'http://10.169.254.169/'", "x = '1169.254.169.2541'"},
})
