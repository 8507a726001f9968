package config

import "time"

// Serve says how palisade serve listens and what it takes. Zero is the default.
type Serve struct {
	// Listen is the address: 127.0.0.1:8080 by default. One that others can reach
	// needs TLS.
	Listen string `key:"listen"`
	// Certificate and Key are files in PEM: TLS. Default: none.
	Certificate string `key:"certificate"`
	Key         string `key:"key"`
	// Plain listens without TLS on an address that others can reach: something
	// before it does TLS. Default: false.
	Plain bool `key:"plain"`
	// E2B is another address, where the E2B code interpreter's protocol is spoken.
	// Default: none.
	E2B string `key:"e2b"`
	// Connections is how many are open at once, over both addresses; more wait.
	// Default: 1024.
	Connections int `key:"connections"`
	// Body is the largest request with a program. Default: 32MiB.
	Body int64 `key:"body"`
	// Running is how many programs run at once, up to 1024. Default: twice the
	// processors, at least 4.
	Running int `key:"running"`
	// Streams is how many look on at runs at once. Default: 256.
	Streams int `key:"streams"`
	// Tenant bounds each tenant.
	Tenant Tenant `key:"tenant"`
	// Artifacts says how long the files that programs leave are kept; one tenant has
	// at most three quarters of their size.
	Artifacts Kept `key:"artifacts"`
	// Drain is how long running programs may take to end when the server stops, up
	// to an hour. Default: 30s.
	Drain time.Duration `key:"drain"`
}

// Tenant bounds what one tenant asks of palisade serve.
type Tenant struct {
	// Running is how many of its programs run at once. Default: three quarters of
	// serve.running.
	Running int `key:"running"`
	// Queue is how many of them wait for that. Default: 64.
	Queue int `key:"queue"`
	// Streams is how many look on at its runs at once. Default: 64.
	Streams int `key:"streams"`
	// Rate is how many requests a second are taken. Default: 200.
	Rate int `key:"rate"`
}

// Kept says how long, and how much, is kept of something.
type Kept struct {
	// Age is how old it gets, up to 30 days. Default: 24h.
	Age time.Duration `key:"age"`
	// Size bounds all of it; the oldest goes first, of whoever has most. Default:
	// 1GiB.
	Size int64 `key:"size"`
}
