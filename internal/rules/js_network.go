package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "js-network", Title: "Reaches a peer", Severity: palisade.Medium, Capability: palisade.CapNetwork, CWE: 918,
	Says:        "could reach a peer on the network",
	Description: "Policy says which peers a program may reach.",
	Remedy:      "Pass the data with the program.",
	Bad: []string{
		"fetch('https://a.example')", "require('http').get({ hostname: 'a.example', port: 80 })", "require('net').connect(80, 'a.example')",
		"new WebSocket('wss://a.example')", "import axios from 'axios'; axios.post('http://a.example')", "require('dns').lookup('a.example', f)",
		"const s = require('dgram').createSocket('udp4'); s.send('x', 53, '10.0.0.1')", "const { get: g } = require('https'); g(new URL('/x', 'https://a.example'))",
	},
	Good: []string{"const fetch = () => 1; fetch('https://a.example')", "'https://a.example'"},
})

var _ = add(Rule{
	ID: "js-network-computed", Title: "Reaches a computed peer", Severity: palisade.High, Capability: palisade.CapNetwork, CWE: 918,
	Match:       func(f analysis.Fact) bool { return f.Unknown && f.Argument == "" },
	Says:        "could reach a peer that is computed",
	Description: "A peer that is only known when the program runs may be any peer.",
	Remedy:      "Name the peer in the program.",
	Bad:         []string{"fetch(process.argv[2])", "urls.map(fetch)", "require('net').connect(JSON.parse(x))"},
	Good:        []string{"fetch('https://a.example')"},
})

var _ = add(Rule{
	ID: "js-listen", Title: "Accepts connections", Severity: palisade.Medium, Capability: palisade.CapListen, CWE: 605,
	Says:        "could accept connections",
	Description: "A server lets others in.",
	Remedy:      "Compute the answer and print it.",
	Bad: []string{
		"require('http').createServer((q, r) => r.end()).listen(8080)", "const s = new (require('net').Server)(); s.listen({ port: 1 })",
		"require('express')().listen(3000)", "import { WebSocketServer } from 'ws'; new WebSocketServer({ port: 1 })",
	},
	Good: []string{"require('http').createServer(f)", "const o = { listen() {} }; o.listen(1)"},
})

var _ = add(Rule{
	ID: "js-read-data", Title: "Uses a database", Severity: palisade.Low, Capability: palisade.CapReadData, CWE: 89,
	Says:        "hands a function on that runs queries",
	Description: "Queries that a program puts together were not read.",
	Remedy:      "Call the function with a query that stands in the program.",
	Bad:         []string{"const c = new (require('pg').Client)(); later(c.query)"},
	Good:        []string{"const c = { query() {} }; later(c.query)"},
})
