package egress

import "palisade"

// The gate and the proxy's process talk in packets (see package packet), with
// a box's two pipes beside the order that opens its way out.

// order is what the gate sends.
type order struct {
	ID    int64      `json:"id"`
	Open  *runConfig `json:"open,omitempty"`
	Close bool       `json:"close,omitempty"`
}

// runConfig is what a run may do outside.
type runConfig struct {
	Run     string          `json:"run"`
	Peers   []palisade.Peer `json:"peers"`
	Secrets secrets         `json:"secrets,omitempty"`
	// Servers are the name servers of this host, host:port.
	Servers []string `json:"servers"`
}

// notice is what the proxy's process sends. Exactly one of its fields beside ID
// is set.
type notice struct {
	ID     int64   `json:"id"`
	Ready  bool    `json:"ready,omitempty"`  // the process itself is up
	Opened *opened `json:"opened,omitempty"` // answers an order to open
	Event  *event  `json:"event,omitempty"`
	Closed *closed `json:"closed,omitempty"` // nothing of the run is left
}

// opened says that a way out is open, or why it is not.
type opened struct {
	Certificate []byte `json:"certificate,omitempty"` // of the run's authority, as PEM
	Error       string `json:"error,omitempty"`
}

// closed says how a run's channel ended.
type closed struct {
	Broken string `json:"broken,omitempty"` // what the box sent that is no frame
	More   int64  `json:"more,omitempty"`   // attempts that were not told one by one
}
