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

// Inspection is the outcome of reading: what was found, and the digest of each
// tree that was judged.
type Inspection struct {
	Findings []Finding `json:"findings"`
	// Trees maps "" (the program) and each module's name to the digest of its
	// tree. A program that could not be parsed has none.
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
	// Policy is the line of policy that decided, such as
	// "profiles.data.capabilities.process".
	Policy string `json:"policy"`
	// Next says what is allowed instead, for whoever wrote the program.
	Next string `json:"next,omitempty"`
}

// Isolation says which back-ends will do and what must be in force.
type Isolation struct {
	// Backends, best first. Nothing else is used.
	Backends []string `json:"backends"`
	// Layers must be in force before the first byte of the program runs; a
	// value such as "cgroup|watched" names the strengths that will do.
	Layers map[string]string `json:"layers,omitempty"`
}

// Verdict is the decision on a case, with everything that execution needs.
type Verdict struct {
	Decision Decision `json:"decision"`
	// Policy is the line of policy that made the decision.
	Policy string `json:"policy"`
	// Reasons are the findings that policy did not allow, strictest first.
	Reasons []Reason `json:"reasons,omitempty"`
	Profile string   `json:"profile"`
	// PolicyDigest and PolicyVersion identify the policy that judged.
	PolicyDigest  Digest    `json:"policy_digest"`
	PolicyVersion string    `json:"policy_version"`
	Limits        Limits    `json:"limits"`
	Isolation     Isolation `json:"isolation"`
	// DeniedSyscalls are groups of system calls that the box refuses with an
	// errno: exec, fork, socket, mount, ptrace, ….
	DeniedSyscalls []string `json:"denied_syscalls,omitempty"`
	// Egress lists the peers that may be reached. Empty: none.
	Egress []string `json:"egress,omitempty"`
	// TrustMessages lets the text of the program's exceptions into feedback.
	TrustMessages bool `json:"trust_messages,omitempty"`
	// Available tells whoever wrote the program what the profile has.
	Available string `json:"available,omitempty"`
}
