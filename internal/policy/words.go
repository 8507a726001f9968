package policy

import (
	"maps"
	"slices"

	"palisade"
)

// always are the capabilities that are denied in every profile: what could not
// be read whole was not judged. No file can loosen them.
var always = map[palisade.Capability]string{
	palisade.CapUnparsable: "code that cannot be parsed cannot be judged: send a program that the interpreter accepts",
	palisade.CapFailed:     "the reading gave up on this code, so it was not judged: send a smaller and plainer program",
	palisade.CapOversized:  "the code is larger than what is read: send a smaller program, and data as files",
}

// sections are the capabilities that a section of their own decides.
var sections = map[palisade.Capability]string{
	palisade.CapImport:      "modules",
	palisade.CapCall:        "callables",
	palisade.CapReadPath:    "paths",
	palisade.CapWritePath:   "paths",
	palisade.CapNetwork:     "network",
	palisade.CapEnvironment: "environment",
}

// plain are the capabilities that a line under `capabilities:` decides, with
// what they are in words.
var plain = map[palisade.Capability]string{
	palisade.CapProcess:     "running another program",
	palisade.CapKill:        "signaling a process",
	palisade.CapListen:      "accepting connections",
	palisade.CapSecret:      "reading credentials",
	palisade.CapSystemInfo:  "asking about the host",
	palisade.CapNative:      "native code",
	palisade.CapEvaluate:    "running text as code",
	palisade.CapDeserialize: "loading data that can run code",
	palisade.CapIntrospect:  "reaching the interpreter's own objects",
	palisade.CapInstall:     "installing packages",
	palisade.CapRunFile:     "running code from a file",
	palisade.CapImportPath:  "changing where modules come from",
	palisade.CapThread:      "starting threads or workers",
	palisade.CapExit:        "ending the interpreter at once",
	palisade.CapUnresolved:  "what the reading cannot resolve",
	palisade.CapObfuscation: "hiding what the code does",
}

// syscallGroups are the groups of system calls that a profile may deny; a
// back-end knows which calls are in each and refuses a group that it does not.
var syscallGroups = []string{
	"exec", "fork", "socket", "mount", "ptrace", "namespace", "module", "bpf", "keyring", "io_uring", "device",
	"clock", "host", "identity", "memfd", "ipc", "kill", "priority",
}

// SyscallGroups returns the groups that a profile may deny; back-ends are
// tested against it.
func SyscallGroups() []string { return slices.Clone(syscallGroups) }

// languages that this version reads and runs.
var languages = []string{string(palisade.Python)}

func names[K ~string, V any](m map[K]V) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, string(name))
	}
	return out
}
