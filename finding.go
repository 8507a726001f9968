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

// Capability is something that a program could do beyond its own arithmetic: policy's words.
type Capability string

// The capabilities that reading can find, and what their arguments mean.
const (
	CapImport      Capability = "import"          // load a module: its dotted name
	CapCall        Capability = "call"            // use a callable of an allowed module: its dotted name
	CapProcess     Capability = "process"         // run another program: its command line
	CapKill        Capability = "kill"            // signal a process
	CapReadPath    Capability = "read_path"       // read a file or folder: its path
	CapWritePath   Capability = "write_path"      // create or change a file or folder: its path
	CapDeletePath  Capability = "delete_path"     // delete a file or folder: its path
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
	CapPrivilege   Capability = "privilege"       // gain or grant rights: what or to whom
	CapCredential  Capability = "credential"      // carries a credential in clear: its kind
	CapRemoteCode  Capability = "remote_code"     // fetch code from elsewhere and use it: its source
	CapDestroy     Capability = "destroy"         // destroy or replace infrastructure: its address
	CapTarget      Capability = "target"          // act on a named system: its name
	CapPattern     Capability = "pattern"         // matches a rule file's pattern: the rule's message
	CapReadData    Capability = "read_data"       // read from a database: the table
	CapWriteData   Capability = "write_data"      // change a database's data: the table
	CapSchema      Capability = "schema"          // change a database's schema: the object
	CapSideEffect  Capability = "side_effect"     // change a server's or session's state: the function or setting
)

// Finding is one thing that the reading saw. Most are harmless: policy decides about each.
type Finding struct {
	Rule       string     `json:"rule"` // the stable identifier of what found it, such as "py-eval"
	Severity   Severity   `json:"severity"`
	Capability Capability `json:"capability"`
	Message    string     `json:"message"` // in one sentence, what the program could do
	File       string     `json:"file"`    // the program's or module's name
	Line       int        `json:"line"`    // from 1; 0: the file as a whole
	Column     int        `json:"column"`  // in UTF-8 bytes, from 1
	// Argument is what the capability is used on: a path, a peer. Unknown: not resolved.
	Argument string `json:"argument,omitempty"`
	Unknown  bool   `json:"unknown,omitempty"`
	Symbol   string `json:"symbol,omitempty"` // the resolved dotted name, such as "os.system"
	// Evidence says how it was reached; for approvers, auditors and a local scan only.
	Evidence string   `json:"evidence,omitempty"`
	Whole    *Finding `json:"-"` // before a credential in it was hidden, if one was: policy judges it, nobody sees it
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
