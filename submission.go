package palisade

import (
	"encoding/json"
	"io"
	"time"
)

// Language names a programming language as policy files and flags spell it.
type Language string

// Python is the language that this version runs.
const Python Language = "python"

// Program is source code in one language, with the code that comes beside it.
type Program struct {
	Language Language `json:"language"`
	// Name is what messages call the program; it is not opened as a file.
	Name   string `json:"name"`
	Source []byte `json:"source"`
	// Modules are code: read, judged and digested with the program.
	Modules []Module `json:"modules,omitempty"`
	// Entry is a function of the program to call once its body has run; its
	// value becomes the run's value. Empty: none.
	Entry string `json:"entry,omitempty"`
}

// Module is source code that the program may import under Name.
type Module struct {
	Name   string `json:"name"`
	Source []byte `json:"source"`
}

// File is data placed in the program's working directory. Name is relative and
// uses slashes.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// Inputs are the arguments of the entry function, apart from the code: they are
// never spliced into it.
type Inputs struct {
	// Args maps parameter names to JSON values.
	Args map[string]json.RawMessage `json:"args,omitempty"`
	// Schema is a JSON schema that the object Args must satisfy. Empty: the
	// entry function's annotations are used.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Returns is a JSON schema that the entry function's value must satisfy.
	Returns json.RawMessage `json:"returns,omitempty"`
}

// Submission is one request to run one program.
type Submission struct {
	// Submitter is who asks, such as "uid:1000", as the door authenticated it.
	Submitter string `json:"submitter"`
	// Door is the way in, such as "cli": config says which profiles it may name.
	Door string `json:"door"`
	// Prompt is what the model was asked, for the record and the approver.
	Prompt  string  `json:"prompt,omitempty"`
	Program Program `json:"program"`
	Inputs  Inputs  `json:"inputs"`
	Files   []File  `json:"files,omitempty"`
	Stdin   []byte  `json:"stdin,omitempty"`
	// Profile names the policy profile. Empty: the policy's default.
	Profile string `json:"profile,omitempty"`
	// Lower asks for limits below the profile's; a zero field keeps the
	// profile's. A limit is never raised by asking.
	Lower Limits `json:"lower"`
	// Live receives the program's output while it runs, sanitized. Optional.
	Live Live `json:"-"`
}

// Live is where sanitized output goes while a program runs.
type Live struct {
	Stdout, Stderr io.Writer
}

// Limits bound one run. Zero grants nothing.
type Limits struct {
	CPU       time.Duration `json:"cpu_ms"`       // processor time of the program's whole tree; kills
	Wall      time.Duration `json:"wall_ms"`      // time on the clock since go; kills
	Memory    int64         `json:"memory_bytes"` // bytes, swap included; kills
	Output    int64         `json:"output_bytes"` // bytes written to stdout and stderr together; kills
	Kept      int64         `json:"kept_bytes"`   // bytes of each stream that are kept, head and tail
	Processes int           `json:"processes"`    // processes and threads; refuses
	OpenFiles int           `json:"open_files"`   // descriptors of one process; refuses
	Disk      int64         `json:"disk_bytes"`   // bytes in the scratch directories; refuses
	Inodes    int64         `json:"inodes"`       // files in the scratch directories; refuses
}

// Below returns l with every limit that asked names lowered to it. It never
// raises one.
func (l Limits) Below(asked Limits) Limits {
	return Limits{lower(l.CPU, asked.CPU), lower(l.Wall, asked.Wall), lower(l.Memory, asked.Memory),
		lower(l.Output, asked.Output), lower(l.Kept, asked.Kept), lower(l.Processes, asked.Processes),
		lower(l.OpenFiles, asked.OpenFiles), lower(l.Disk, asked.Disk), lower(l.Inodes, asked.Inodes)}
}

func lower[T int | int64 | time.Duration](granted, asked T) T {
	if asked > 0 && asked < granted {
		return asked
	}
	return granted
}

// Complete reports whether every limit is set: an unlimited run is refused.
func (l Limits) Complete() bool {
	return l.CPU > 0 && l.Wall > 0 && l.Memory > 0 && l.Output > 0 && l.Kept > 0 &&
		l.Processes > 0 && l.OpenFiles > 0 && l.Disk > 0 && l.Inodes > 0
}

// MarshalJSON writes durations in whole milliseconds.
func (l Limits) MarshalJSON() ([]byte, error) {
	type plain Limits
	l.CPU, l.Wall = l.CPU/time.Millisecond, l.Wall/time.Millisecond
	return json.Marshal(plain(l))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Limits) UnmarshalJSON(data []byte) error {
	type plain Limits
	err := json.Unmarshal(data, (*plain)(l))
	l.CPU *= 1e6 // milliseconds to nanoseconds
	l.Wall *= 1e6
	return err
}
