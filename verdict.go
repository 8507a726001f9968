package palisade

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
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

// Binding is the digest that an approval is bound to: everything that decides
// what would run and under which rules. image identifies the runtime.
func (c Case) Binding(v Verdict, image string) Digest {
	s := c.Submission
	b := binder{sha256.New()}
	b.text("palisade approval v1", s.Submitter, s.Prompt, string(s.Program.Language), s.Program.Name)
	b.bytes(s.Program.Source)
	b.count(len(s.Program.Modules))
	for _, m := range s.Program.Modules {
		b.text(m.Name)
		b.bytes(m.Source)
	}
	b.text(s.Program.Entry)
	names := make([]string, 0, len(s.Inputs.Args))
	for name := range s.Inputs.Args {
		names = append(names, name)
	}
	slices.Sort(names)
	b.count(len(names))
	for _, name := range names {
		b.text(name)
		b.bytes(s.Inputs.Args[name])
	}
	b.bytes(s.Inputs.Schema)
	b.bytes(s.Inputs.Returns)
	b.count(len(s.Files))
	for _, f := range s.Files {
		b.text(f.Name)
		b.bytes(f.Data)
	}
	b.bytes(s.Stdin)
	b.text(v.Profile, v.PolicyDigest.String(), v.PolicyVersion, image)
	b.json(v.Limits)
	b.json(v.Isolation)
	b.json(v.DeniedSyscalls)
	b.json(v.Egress)
	return Digest(b.h.Sum(nil))
}

// binder writes length-prefixed values, so that no two lists of values run
// together into the same bytes.
type binder struct{ h hash.Hash }

func (b binder) count(n int) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(n))
	b.h.Write(size[:])
}

func (b binder) bytes(data []byte) {
	b.count(len(data))
	b.h.Write(data)
}

func (b binder) text(values ...string) {
	for _, v := range values {
		b.bytes([]byte(v))
	}
}

// json writes a value of our own types, which always marshal, with sorted keys.
func (b binder) json(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	b.bytes(data)
}
