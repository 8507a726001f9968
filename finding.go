package palisade

import (
	"fmt"
	"slices"
	"strings"
)

// Severity grades a finding. The zero value is Info.
type Severity int

// Severities, from what is merely noted to what alone decides.
const (
	Info Severity = iota
	Low
	Medium
	High
	Critical
)

var severities = []string{"info", "low", "medium", "high", "critical"}

// String returns the severity as policy files and JSON spell it.
func (s Severity) String() string { return nameOf(severities, s) }

// MarshalText writes the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a severity's name.
func (s *Severity) UnmarshalText(text []byte) error { return valueOf(severities, text, s) }

// Capability is something that a program could do to the world outside its own
// arithmetic. Policy speaks of capabilities, not of spellings.
type Capability string

// The capabilities that reading can find, and what their arguments mean.
const (
	CapImport      Capability = "import"          // load a module: its dotted name
	CapCall        Capability = "call"            // use a callable of an allowed module: its dotted name
	CapProcess     Capability = "process"         // run another program: its command line
	CapKill        Capability = "kill"            // signal a process
	CapReadPath    Capability = "read_path"       // read a file or folder: its path
	CapWritePath   Capability = "write_path"      // create, change or delete a file or folder: its path
	CapNetwork     Capability = "network"         // reach a peer: host, host:port or URL
	CapListen      Capability = "listen"          // accept connections
	CapEnvironment Capability = "environment"     // read or change environment variables: the name
	CapSecret      Capability = "secret"          // read a credential or a secret store
	CapSystemInfo  Capability = "system_info"     // learn about the host: users, processes, hardware
	CapNative      Capability = "native"          // load or call native code
	CapEvaluate    Capability = "evaluate"        // run text or bytes as code
	CapDeserialize Capability = "deserialize"     // load data that can run code
	CapIntrospect  Capability = "introspect"      // reach the interpreter's own objects
	CapInstall     Capability = "install"         // install a package
	CapRunFile     Capability = "run_file"        // run code from a file: its path
	CapImportPath  Capability = "import_path"     // change where modules come from
	CapThread      Capability = "thread"          // start threads or processes of its own
	CapExit        Capability = "exit"            // end the interpreter at once
	CapUnresolved  Capability = "unresolved"      // something the reading could not resolve
	CapObfuscation Capability = "obfuscation"     // hides what it does from a reader
	CapUnparsable  Capability = "unparsable"      // there is no tree to hold it to
	CapFailed      Capability = "analysis_failed" // the reading itself failed or ran over its budget
	CapOversized   Capability = "oversized"       // larger than what is read
)

// Finding is one thing that the reading saw. Most programs have some, and most
// are allowed: policy decides about each.
type Finding struct {
	// Rule is the stable identifier of what found it, such as "py-eval".
	Rule       string     `json:"rule"`
	Severity   Severity   `json:"severity"`
	Capability Capability `json:"capability"`
	// Message says in one sentence what the program could do.
	Message string `json:"message"`
	// File is the program's or module's name.
	File string `json:"file"`
	// Line counts from 1; Column counts from 1 in UTF-8 bytes; 0 means the file as a whole.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Argument is what the capability is used on, where known: a path, a peer,
	// a module. Unknown stays true where the argument could not be resolved.
	Argument string `json:"argument,omitempty"`
	Unknown  bool   `json:"unknown,omitempty"`
	// Symbol is the resolved dotted name, such as "os.system".
	Symbol string `json:"symbol,omitempty"`
	// Evidence says how it was reached (alias chain, folded string). It goes to
	// approvers, auditors and a local scan only.
	Evidence string `json:"evidence,omitempty"`
}

// Public returns the finding without its evidence: what the submitter may see.
func (f Finding) Public() Finding {
	f.Evidence = ""
	return f
}

// Decision is what policy says about a case. The zero value denies.
type Decision int

// Decisions, from the strictest to the most open.
const (
	Deny Decision = iota
	Ask
	Allow
)

var decisions = []string{"deny", "ask", "allow"}

// String returns the decision as policy files and JSON spell it.
func (d Decision) String() string { return nameOf(decisions, d) }

// MarshalText writes the decision's name.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a decision's name.
func (d *Decision) UnmarshalText(text []byte) error { return valueOf(decisions, text, d) }

// Stricter returns the stricter of two decisions: deny beats ask beats allow.
func (d Decision) Stricter(other Decision) Decision { return min(d, other) }

// nameOf returns the name of v; a value without one reads as the first.
func nameOf[T ~int](names []string, v T) string {
	if v < 0 || int(v) >= len(names) {
		return names[0]
	}
	return names[v]
}

func valueOf[T ~int](names []string, text []byte, v *T) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("%q is none of %s", text, strings.Join(names, ", "))
	}
	*v = T(i)
	return nil
}
