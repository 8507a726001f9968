package palisade

// Peer is a network peer that a program may reach, and how far.
type Peer struct {
	// Name is policy's pattern: a host, *.domain, address or prefix, with an optional port.
	Name string `json:"peer"`
	// Terminate opens the peer's TLS at the proxy, so that the rest can be held to.
	Terminate bool     `json:"terminate,omitempty"`
	Methods   []string `json:"methods,omitempty"` // empty: every one
	Paths     []string `json:"paths,omitempty"`   // empty: every one
	Secrets   []string `json:"secrets,omitempty"` // names of the credentials that it gets for their placeholders
}

// Act is one thing that a program was seen to do, by its box's kernel or the proxy. Words in it are foreign.
type Act struct {
	Millis  int64  `json:"at_ms"` // since go
	Kind    string `json:"kind"`  // exec, open, write, delete, connect, syscall, …
	What    string `json:"what"`  // the file, peer or system call
	Refused bool   `json:"refused,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Count   int64  `json:"count,omitempty"` // of equal acts; 0: one
}

// Activity is what happened in a box since go, bounded.
type Activity struct {
	Acts    []Act            `json:"acts"`
	Counts  map[string]int64 `json:"counts"`  // of all acts, by kind
	Dropped int64            `json:"dropped"` // acts that are not listed
}
