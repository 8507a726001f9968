package palisade

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Digest is a SHA-256 digest.
type Digest [sha256.Size]byte

// String returns the digest in lower-case hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether the digest was never set.
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText writes the digest in hex.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a digest from hex.
func (d *Digest) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != len(d) {
		return fmt.Errorf("digest %q: want %d hex digits", text, 2*len(d))
	}
	copy(d[:], raw)
	return nil
}

// Inspection is the outcome of reading.
type Inspection struct {
	Findings []Finding `json:"findings"`
	Score    int       `json:"score"` // how much the program reaches for, and hides, from 0 to 100
	// Runs is the canonical text that was judged and runs in place of the source; its digest is the tree's.
	Runs []byte `json:"runs,omitempty"`
	// Lines are, for each line of Runs, the line of the source that it was made of; 0: of none.
	Lines []int `json:"lines,omitempty"`
	// Trees maps "" (the program) and each module's name to the judged tree's digest; unparsable: none.
	Trees map[string]Digest `json:"trees,omitempty"`
}

// Case is what policy judges.
type Case struct {
	Submission Submission
	Inspection Inspection
}

// Reason is a finding with what policy said about it.
type Reason struct {
	Finding  Finding  `json:"finding"`
	Decision Decision `json:"decision"`
	Policy   string   `json:"policy"`         // the line of it that decided, such as "profiles.data.capabilities.process"
	Next     string   `json:"next,omitempty"` // what is allowed instead, for whoever wrote the program
}

// Isolation says which back-ends will do and what must be in force.
type Isolation struct {
	Backends []string `json:"backends"` // the only ones that will do, best first
	// Layers must be in force before the program starts; "cgroup|watched" names strengths that will do.
	Layers map[string]string `json:"layers,omitempty"`
}

// Verdict is the decision on a case, with everything that execution needs.
type Verdict struct {
	Decision Decision `json:"decision"`
	Policy   string   `json:"policy"` // the line of it that made the decision
	// Reasons are the findings that policy did not allow, strictest first.
	Reasons []Reason `json:"reasons,omitempty"`
	Profile string   `json:"profile"`
	// PolicyDigest and PolicyVersion identify the policy that judged.
	PolicyDigest  Digest    `json:"policy_digest"`
	PolicyVersion string    `json:"policy_version"`
	Limits        Limits    `json:"limits"`
	Isolation     Isolation `json:"isolation"`
	// DeniedSyscalls are groups of system calls that the box refuses: exec, fork, socket, ….
	DeniedSyscalls []string `json:"denied_syscalls,omitempty"`
	Egress         []Peer   `json:"egress,omitempty"`         // peers that may be reached; empty: none
	Abort          []string `json:"abort,omitempty"`          // kinds of act that end the run
	Deterministic  bool     `json:"deterministic,omitempty"`  // equal runs give equal bytes: seeds, clock, threads are fixed
	TrustMessages  bool     `json:"trust_messages,omitempty"` // the text of the program's exceptions may be told
	Available      string   `json:"available,omitempty"`      // what the profile has, for whoever wrote the program
}
