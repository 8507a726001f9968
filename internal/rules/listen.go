package rules

import "palisade"

var _ = add(Rule{
	ID: "py-listen", Title: "Accepts connections", Severity: palisade.Medium, Capability: palisade.CapListen, CWE: 605,
	Says:        "could accept connections",
	Description: "A server lets others in.",
	Remedy:      "Return the result instead of serving it.",
	Bad: []string{
		"import socket\ns = socket.socket()\ns.bind(('', 80))\ns.listen()",
		"import http.server\nhttp.server.HTTPServer(('', 8000), http.server.SimpleHTTPRequestHandler)",
	},
	Good: []string{"def listen(x):\n    return x\nlisten(1)"},
})
