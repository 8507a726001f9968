package palisade

import (
	"cmp"
	"encoding/json"
	"io"
	"time"
)

// Language names a programming language as policy files and flags spell it.
type Language string

// The languages. Those of the first line run; the others are only judged.
const (
	Python, Shell, JavaScript, TypeScript  Language = "python", "shell", "javascript", "typescript"
	SQL, Terraform, Kubernetes, Dockerfile Language = "sql", "terraform", "kubernetes", "dockerfile"
)

// Program is source code in one language, with the code that comes beside it.
type Program struct {
	Language Language `json:"language"`
	Name     string   `json:"name"` // what messages call it; it is not opened as a file
	Source   []byte   `json:"source"`
	Modules  []Module `json:"modules,omitempty"` // code too: read, judged and digested with the program
	// Entry is a function to call after the program's body; its value becomes the run's.
	Entry string `json:"entry,omitempty"`
}

// Module is source code that the program may import under Name.
type Module struct {
	Name   string `json:"name"`
	Source []byte `json:"source"`
}

// File is data placed in the working directory. Name is relative and uses slashes.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// Inputs are the arguments of the entry function, apart from the code: never spliced into it.
type Inputs struct {
	Args map[string]json.RawMessage `json:"args,omitempty"` // JSON values by parameter
	// Schema is a JSON schema for the object Args. Empty: the function's annotations are used.
	Schema  json.RawMessage `json:"schema,omitempty"`
	Returns json.RawMessage `json:"returns,omitempty"` // a JSON schema for the function's value
}

// Submission is one request to run one program.
type Submission struct {
	Run          string  `json:"-"`                      // the run's ID, where the door had to tell it before; empty: a new one
	Submitter    string  `json:"submitter"`              // who asks, such as "uid:1000", as the door authenticated it
	Tenant       string  `json:"tenant,omitempty"`       // of the submitter; empty: there is one
	Door         string  `json:"door"`                   // the way in, such as "cli": config says which profiles it may name
	Prompt       string  `json:"prompt,omitempty"`       // what the model was asked, for the record and the approver
	Conversation string  `json:"conversation,omitempty"` // what the program is a part of: its runs are found together
	Program      Program `json:"program"`
	Inputs       Inputs  `json:"inputs"`
	Files        []File  `json:"files,omitempty"`
	Stdin        []byte  `json:"stdin,omitempty"`
	Profile      string  `json:"profile,omitempty"` // policy's profile; empty: its default
	Lower        Limits  `json:"lower"`             // limits below the profile's; a zero field keeps the profile's

	Deterministic bool `json:"deterministic,omitempty"` // asks for a run that gives the same bytes each time
	Live          Live `json:"-"`                       // optional
}

// Live is where the program's output goes while it runs, sanitized.
type Live struct{ Stdout, Stderr io.Writer }

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

// Below returns l with every limit that asked names lowered to it. It never raises one.
func (l Limits) Below(asked Limits) Limits {
	return Limits{lower(l.CPU, asked.CPU), lower(l.Wall, asked.Wall), lower(l.Memory, asked.Memory),
		lower(l.Output, asked.Output), lower(l.Kept, asked.Kept), lower(l.Processes, asked.Processes),
		lower(l.OpenFiles, asked.OpenFiles), lower(l.Disk, asked.Disk), lower(l.Inodes, asked.Inodes)}
}

func lower[T int | int64 | time.Duration](granted, asked T) T {
	return min(granted, cmp.Or(max(asked, 0), granted))
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
	l.CPU, l.Wall = l.CPU*1e6, l.Wall*1e6 // milliseconds to nanoseconds
	return err
}
