package egress

import "time"

// Bounds of what one run may do on its way out. They are documented in
// docs/guide/network.md.
const (
	// MaxConnections is how many connections and requests one run may make.
	MaxConnections = 1000
	// MaxUp and MaxDown bound the bytes that one run may send and receive
	// through the proxy, all connections together.
	MaxUp   = 64 << 20
	MaxDown = 256 << 20

	// maxOpen is how many connections of one run are open at once.
	maxOpen = 32
	// maxAttempts is how many attempts of one run are told one by one.
	maxAttempts = 1000
	// maxAnswer bounds the addresses that are taken of one name, maxNames the
	// names that one run may have resolved.
	maxAnswer = 16
	maxNames  = 100

	// maxHeader bounds the head of a request or an answer, in bytes.
	maxHeader = 64 << 10
	// maxPath bounds a path where rules are about paths, in bytes.
	maxPath = 2000
	// maxHello bounds the first message of TLS, in bytes.
	maxHello = 64 << 10

	resolveTime = 10 * time.Second
	dialTime    = 15 * time.Second
	// headTime bounds the wait for the head of a request, of TLS's first
	// message, and for a handshake.
	headTime = 15 * time.Second
	// endTime is how long what is under way may take to end with its run.
	endTime = 2 * time.Second
	// idleTime ends a connection on which nothing comes or goes.
	idleTime = 2 * time.Minute
)
