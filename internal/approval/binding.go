package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"maps"
	"slices"

	"palisade"
)

// Binding is the digest that an answer holds for: everything that decides what
// would run and under which rules. That is the submission as it was sealed
// (submitter, tenant, door, conversation, prompt, language, code, modules, entry, inputs, files,
// standard input), the text that runs in place of the code, and the verdict's
// profile, policy, limits, isolation, denied system calls, peers and trust, with
// the runtime's image. Findings follow from the code and the program's own
// reader, which the image identifies.
func Binding(q palisade.Question) palisade.Digest {
	s, v := q.Case.Submission, q.Verdict
	b := binder{sha256.New()}
	b.texts("palisade approval v4", s.Submitter, s.Tenant, s.Door, s.Conversation, s.Prompt)
	b.program(s.Program)
	b.bytes(q.Case.Inspection.Runs)
	b.mapped(s.Inputs.Args)
	b.bytes(s.Inputs.Schema)
	b.bytes(s.Inputs.Returns)
	b.count(len(s.Files))
	for _, f := range s.Files {
		b.texts(f.Name)
		b.bytes(f.Data)
	}
	b.bytes(s.Stdin)
	b.texts(v.Profile, v.PolicyDigest.String(), v.PolicyVersion, q.Image)
	b.limits(v.Limits)
	b.list(v.Isolation.Backends)
	b.mappedText(v.Isolation.Layers)
	b.list(v.DeniedSyscalls)
	b.peers(v.Egress)
	b.list(v.Abort)
	b.flag(v.Deterministic)
	b.flag(v.TrustMessages)
	return palisade.Digest(b.h.Sum(nil))
}

// binder writes length-prefixed values, so that no two lists of values run
// together into the same bytes.
type binder struct{ h hash.Hash }

func (b binder) number(n int64) {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], uint64(n))
	b.h.Write(raw[:])
}

func (b binder) count(n int) { b.number(int64(n)) }

func (b binder) flag(set bool) {
	if set {
		b.number(1)
		return
	}
	b.number(0)
}

func (b binder) bytes(data []byte) {
	b.count(len(data))
	b.h.Write(data)
}

func (b binder) texts(values ...string) {
	for _, v := range values {
		b.bytes([]byte(v))
	}
}

func (b binder) peers(list []palisade.Peer) {
	b.count(len(list))
	for _, p := range list {
		b.texts(p.Name)
		b.flag(p.Terminate)
		b.list(p.Methods)
		b.list(p.Paths)
		b.list(p.Secrets)
	}
}

func (b binder) list(values []string) {
	b.count(len(values))
	b.texts(values...)
}

func (b binder) mapped(m map[string]json.RawMessage) {
	b.count(len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		b.texts(name)
		b.bytes(m[name])
	}
}

func (b binder) mappedText(m map[string]string) {
	b.count(len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		b.texts(name, m[name])
	}
}

func (b binder) program(p palisade.Program) {
	b.texts(string(p.Language), p.Name)
	b.bytes(p.Source)
	b.count(len(p.Modules))
	for _, m := range p.Modules {
		b.texts(m.Name)
		b.bytes(m.Source)
	}
	b.texts(p.Entry)
}

func (b binder) limits(l palisade.Limits) {
	for _, n := range []int64{int64(l.CPU), int64(l.Wall), l.Memory, l.Output, l.Kept, int64(l.Processes), int64(l.OpenFiles), l.Disk, l.Inodes} {
		b.number(n)
	}
}
