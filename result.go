package palisade

import (
	"encoding/json"
	"time"
)

// Status says how a run ended, as the host judged. The zero value is Unknown and never success.
type Status string

// Statuses. The empty status is unknown.
const (
	Unknown          Status = ""
	OK               Status = "ok"
	RuntimeError     Status = "runtime_error"     // the program failed by itself
	PolicyViolation  Status = "policy_violation"  // denied, never ran
	ApprovalRequired Status = "approval_required" // waits for a human, never ran
	CPULimit         Status = "cpu_limit"
	WallLimit        Status = "wall_limit"
	MemoryLimit      Status = "memory_limit"
	DiskLimit        Status = "disk_limit"
	ProcessLimit     Status = "process_limit"
	FilesLimit       Status = "files_limit"
	OutputLimit      Status = "output_limit"
	Aborted          Status = "aborted"       // policy ended it on an event
	Killed           Status = "killed"        // ended by a signal that no limit explains
	Interrupted      Status = "interrupted"   // the caller went away
	Refused          Status = "refused"       // never started: a layer missing, the digest differs, busy, lockdown
	SandboxError     Status = "sandbox_error" // the sandbox failed
)

// Result is what a back-end reports of one run. The guest's words in it are foreign.
type Result struct {
	Status Status
	// Reason is the host's word on Refused, SandboxError, or a value that does not fit.
	Reason string
	// Fix says how a refusal is mended, in words that are fit to be told.
	Fix      string
	ExitCode int    // -1 when the program was ended by a signal
	Signal   string // such as "SIGKILL", as the host observed
	// LimitsHit names every limit reached, also where only a call failed: cpu, inodes, ….
	LimitsHit []string
	// MayHaveRun is false only when not one byte of the program was executed.
	MayHaveRun bool

	Stdout, Stderr Captured
	Value          json.RawMessage // the entry function's value; nil: none
	Exception      *Exception
	Rich           []Rich
	Artifacts      []Artifact
	// Anomalies name what the guest sent against the protocol; for the record.
	Anomalies []string
	Activity  Activity
	Usage     Usage
	Ready     Ready
}

// Captured is one output stream: all of it, or its head and tail.
type Captured struct {
	Head, Tail []byte
	Total      int64 // bytes that the program wrote
}

// Truncated reports whether bytes between Head and Tail were dropped.
func (c Captured) Truncated() bool { return c.Total > int64(len(c.Head)+len(c.Tail)) }

// Exception is what the harness reported of an uncaught exception.
type Exception struct {
	Type    string  `json:"type"`
	Message string  `json:"message"`
	Frames  []Frame `json:"frames,omitempty"`
}

// Frame is one line of a traceback.
type Frame struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
}

// Rich is one displayed value, a Jupyter MIME bundle: text, or base64 for binary types.
type Rich struct {
	Data map[string]string `json:"data"`
}

// Artifact is a file that the program left in its working directory.
type Artifact struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Digest Digest `json:"sha256"`
	Data   []byte `json:"-"`
}

// Usage is what a run used, as the host measured it.
type Usage struct {
	CPU          time.Duration `json:"cpu_ms"`
	Wall         time.Duration `json:"wall_ms"`
	MemoryPeak   int64         `json:"memory_peak_bytes"` // 0: not measured
	BytesWritten int64         `json:"output_bytes"`      // to stdout and stderr
	DiskWritten  int64         `json:"disk_bytes"`        // to files
	Processes    int64         `json:"processes"`         // started, the first included; 0: not measured
	Sandbox      time.Duration `json:"-"`                 // from asking for a box until it was gone, the start's check included
}

// MarshalJSON writes durations in whole milliseconds.
func (u Usage) MarshalJSON() ([]byte, error) {
	type plain Usage
	u.CPU, u.Wall = u.CPU/time.Millisecond, u.Wall/time.Millisecond
	return json.Marshal(plain(u))
}

// Feedback is what the model may learn: safe, bounded, with a way forward.
type Feedback struct {
	Type Status   `json:"type"`
	Text string   `json:"text"`
	Next []string `json:"next"`
}

// Sanitized is what a program printed and returned, made safe to hand out.
type Sanitized struct {
	Output    string          `json:"output"`
	Stderr    string          `json:"stderr"`
	Truncated bool            `json:"truncated"`
	Value     json.RawMessage `json:"value"`
	Rich      []Rich          `json:"rich,omitempty"`
	Errors    []string        `json:"errors"`
	Activity  Activity        `json:"activity"`
	Feedback  Feedback        `json:"feedback"`
}

// Question is put to a human when policy asks.
type Question struct {
	Case    Case
	Verdict Verdict
	Image   string // identifies the runtime that would run the program
}

// Approval is the state of a question.
type Approval struct {
	Ticket string `json:"ticket"`
	// Binding is over everything that decides what would run and how; the answer holds for nothing else.
	Binding  Digest    `json:"digest"`
	Expires  time.Time `json:"expires"`
	Granted  bool      `json:"granted"`            // a human said yes, and this call consumed that answer
	Denied   bool      `json:"denied,omitempty"`   // a human said no
	Approver string    `json:"approver,omitempty"` // who answered
	Self     bool      `json:"self,omitempty"`     // it was the submitter, which only root-owned config permits
	Comment  string    `json:"comment,omitempty"`
}

// Outcome is the answer to a submission. Its JSON form is stable: fields are added, never renamed.
type Outcome struct {
	Run        string   `json:"run"`
	Decision   Decision `json:"decision"`
	Status     Status   `json:"status"`
	Success    bool     `json:"success"`
	Blocked    bool     `json:"blocked"`
	MayHaveRun bool     `json:"may_have_run"`
	ExitCode   int      `json:"exit_code"`
	Signal     string   `json:"signal"`
	LimitsHit  []string `json:"limits_hit"`
	Sanitized
	Artifacts  []Artifact    `json:"artifacts"`
	Violations []string      `json:"violations"`
	Findings   []Finding     `json:"findings"`
	Usage      Usage         `json:"usage"`
	Sandbox    SandboxReport `json:"sandbox"`
	Approval   *Approval     `json:"approval"`
}

// SandboxReport says in what the program ran.
type SandboxReport struct {
	Backend string            `json:"backend"`
	Layers  map[string]string `json:"layers"`
	Runtime string            `json:"runtime"`
	Policy  string            `json:"policy"`
	Profile string            `json:"profile"`
	Limits  Limits            `json:"limits"`
}
