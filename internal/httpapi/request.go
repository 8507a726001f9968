package httpapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"palisade"
)

// RequestProgram is the part of a request that says what to read, and perhaps to run.
type RequestProgram struct {
	Code     string          `json:"code" maxLength:"10485760" doc:"The program."`
	Language string          `json:"language,omitempty" enum:"python,shell,javascript,typescript,sql,terraform,kubernetes,dockerfile" default:"python" doc:"The first four run; the others are only judged."`
	Name     string          `json:"name,omitempty" maxLength:"255" doc:"What messages call it, such as main.py."`
	Modules  []RequestModule `json:"modules,omitempty" nullable:"false" maxItems:"1000" doc:"Code that the program may import; read and judged with it."`
	Profile  string          `json:"profile,omitempty" maxLength:"64" doc:"A profile of policy that the key may name. Left out: the language's or the default one if the key has it, else the key's only one."`
	Prompt   string          `json:"prompt,omitempty" maxLength:"1048576" doc:"What the model was asked; kept on the record and shown to approvers."`
}

// Request is a program to run and all that goes with it.
type Request struct {
	RequestProgram
	Entry         string                     `json:"entry,omitempty" maxLength:"255" doc:"A function to call once the program's body has run; its value is the answer."`
	Args          map[string]json.RawMessage `json:"args,omitempty" nullable:"false" doc:"Arguments of the entry function, by name."`
	Schema        json.RawMessage            `json:"schema,omitempty" doc:"A JSON schema of the arguments. Left out: the function's annotations."`
	Returns       json.RawMessage            `json:"returns,omitempty" doc:"A JSON schema of the function's value."`
	Files         []RequestFile              `json:"files,omitempty" nullable:"false" maxItems:"1000" doc:"Data placed in the program's working directory."`
	Stdin         string                     `json:"stdin,omitempty" maxLength:"16777216" doc:"What the program reads as standard input."`
	Conversation  string                     `json:"conversation,omitempty" maxLength:"255" doc:"The conversation that the prompt is a turn of."`
	Limits        *RequestLimits             `json:"limits,omitempty" doc:"Limits below the profile's; none raises one."`
	Deterministic bool                       `json:"deterministic,omitempty" doc:"Give the same bytes each time: fixed seeds, clock, time zone, locale and threads."`
}

// RequestModule is code that a program may import.
type RequestModule struct {
	Name string `json:"name" maxLength:"255"`
	Code string `json:"code"`
}

// RequestFile is data in the working directory.
type RequestFile struct {
	Name string `json:"name" maxLength:"1024" doc:"Relative, with slashes."`
	Data Base64 `json:"data" doc:"In base64."`
}

// Base64 are bytes, of which there may be none: the framework's own form of them
// takes no empty file.
type Base64 []byte

// Schema implements [huma.SchemaProvider].
func (Base64) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Pattern: "^[a-zA-Z0-9+/_-]*=*$", PatternDescription: "base64 encoded",
		Extensions: map[string]any{"contentEncoding": "base64"},
	}
}

// RequestLimits lower the profile's limits.
type RequestLimits struct {
	CPU       int64 `json:"cpu_ms,omitempty" minimum:"1" maximum:"86400000"`
	Wall      int64 `json:"wall_ms,omitempty" minimum:"1" maximum:"86400000"`
	Memory    int64 `json:"memory_bytes,omitempty" minimum:"33554432" doc:"No program starts in less than 32 MiB."`
	Output    int64 `json:"output_bytes,omitempty" minimum:"1"`
	Kept      int64 `json:"kept_bytes,omitempty" minimum:"1"`
	Processes int   `json:"processes,omitempty" minimum:"1"`
	OpenFiles int   `json:"open_files,omitempty" minimum:"8" doc:"No program starts with fewer than 8."`
	Disk      int64 `json:"disk_bytes,omitempty" minimum:"1"`
	Inodes    int64 `json:"inodes,omitempty" minimum:"1"`
}

func (p RequestProgram) program() palisade.Program {
	out := palisade.Program{Language: palisade.Language(p.Language), Name: p.Name, Source: []byte(p.Code)}
	if out.Language == "" {
		out.Language = palisade.Python
	}
	for _, m := range p.Modules {
		out.Modules = append(out.Modules, palisade.Module{Name: m.Name, Source: []byte(m.Code)})
	}
	return out
}

// submission is the request as the gate takes it; who asks is added by the door.
func (r Request) submission() palisade.Submission {
	s := palisade.Submission{
		Prompt: r.Prompt, Conversation: r.Conversation, Program: r.program(), Profile: r.Profile, Deterministic: r.Deterministic,
		Inputs: palisade.Inputs{Args: r.Args, Schema: given(r.Schema), Returns: given(r.Returns)},
	}
	s.Program.Entry = r.Entry
	for _, f := range r.Files {
		s.Files = append(s.Files, palisade.File{Name: f.Name, Data: f.Data})
	}
	if r.Stdin != "" {
		s.Stdin = []byte(r.Stdin)
	}
	if l := r.Limits; l != nil {
		s.Lower = palisade.Limits{
			CPU: time.Duration(l.CPU) * time.Millisecond, Wall: time.Duration(l.Wall) * time.Millisecond, Memory: l.Memory,
			Output: l.Output, Kept: l.Kept, Processes: l.Processes, OpenFiles: l.OpenFiles, Disk: l.Disk, Inodes: l.Inodes,
		}
	}
	return s
}

// given is a JSON value that is there.
func given(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// digest names a request: equal ones have equal digests. Who asks is no part of
// it, since a key holds within a tenant.
func digest(s palisade.Submission) (palisade.Digest, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return palisade.Digest{}, fmt.Errorf("digest of the request: %w", err)
	}
	return sha256.Sum256(append([]byte("palisade request v1\n"), text...)), nil
}
