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
	palisade.CapDeletePath:  "paths",
	palisade.CapNetwork:     "network",
	palisade.CapEnvironment: "environment",
	palisade.CapPattern:     "patterns",
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
	palisade.CapPrivilege:   "gaining or granting rights",
	palisade.CapCredential:  "carrying a credential in clear",
	palisade.CapRemoteCode:  "using code from elsewhere",
	palisade.CapDestroy:     "destroying infrastructure",
	palisade.CapTarget:      "acting on a named system",
	palisade.CapReadData:    "reading a database",
	palisade.CapWriteData:   "changing a database's data",
	palisade.CapSchema:      "changing a database's schema",
	palisade.CapSideEffect:  "changing a server's or session's state",
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

// abortable are the kinds of act on which a profile may end a run.
var abortable = []string{"connect", "create", "delete", "exec", "fork", "listen", "rename", "syscall", "write"}

// Abortable returns the kinds of act on which a profile may end a run; package
// events is tested against it.
func Abortable() []string { return slices.Clone(abortable) }

// languages that this version reads, and the built-in profiles of submissions
// that name none: of those that may name that profile. Empty: the default.
var languages = map[palisade.Language]string{
	palisade.Python: "",
	palisade.Shell:  "agent", palisade.JavaScript: "agent", palisade.TypeScript: "agent",
	palisade.SQL:       "query",
	palisade.Terraform: "infra", palisade.Kubernetes: "infra", palisade.Dockerfile: "infra",
}

func names[K ~string, V any](m map[K]V) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, string(name))
	}
	return out
}
