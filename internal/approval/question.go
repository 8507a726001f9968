package approval

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"palisade"
)

// Question is a question as it was put on the record: what a human needs to see
// in order to answer it. Code and inputs are whole; files and standard input
// are by digest.
type Question struct {
	header
	Door    string           `json:"door"`
	Prompt  string           `json:"prompt,omitempty"`
	Program palisade.Program `json:"program"`
	Runs    []byte           `json:"runs,omitempty"` // what runs in place of the code
	Score   int              `json:"score"`
	Inputs  palisade.Inputs  `json:"inputs"`
	Files   []Attachment     `json:"files,omitempty"`
	Stdin   *Attachment      `json:"stdin,omitempty"`
	Verdict palisade.Verdict `json:"verdict"`
	Image   string           `json:"image"`
}

// Attachment is data that comes with a program, by digest.
type Attachment struct {
	Name   string          `json:"name"`
	Size   int             `json:"size"`
	Digest palisade.Digest `json:"sha256"`
}

func newQuestion(ticket, run string, asked, expires time.Time, binding palisade.Digest, q palisade.Question) *Question {
	s := q.Case.Submission
	out := &Question{
		header: header{
			Ticket: ticket, Run: run, Binding: binding, Submitter: s.Submitter, Tenant: s.Tenant, Asked: asked, Expires: expires,
			Severity: severity(q.Verdict.Reasons), Title: title(q.Verdict.Reasons),
		},
		Door: s.Door, Prompt: s.Prompt, Program: s.Program,
		Runs: q.Case.Inspection.Runs, Score: q.Case.Inspection.Score, Inputs: s.Inputs, Verdict: q.Verdict, Image: q.Image,
	}
	for _, f := range s.Files {
		out.Files = append(out.Files, Attachment{f.Name, len(f.Data), sha256.Sum256(f.Data)})
	}
	if len(s.Stdin) > 0 {
		out.Stdin = &Attachment{"standard input", len(s.Stdin), sha256.Sum256(s.Stdin)}
	}
	return out
}

// severity is the gravest of the reasons.
func severity(reasons []palisade.Reason) palisade.Severity {
	top := palisade.Info
	for _, r := range reasons {
		top = max(top, r.Finding.Severity)
	}
	return top
}

// title says in one line what is asked.
func title(reasons []palisade.Reason) string {
	words := possible(reasons)
	if len(words) == 0 {
		return "to run"
	}
	text := words[0]
	if len(words) > 1 {
		text += fmt.Sprintf(" and %d more", len(words)-1)
	}
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return text
}

// capabilities in words, for "if you approve, it may …".
var capabilities = map[palisade.Capability]string{
	palisade.CapImport:      "load the module",
	palisade.CapCall:        "use",
	palisade.CapProcess:     "run other programs",
	palisade.CapKill:        "signal processes",
	palisade.CapReadPath:    "read files",
	palisade.CapWritePath:   "create, change or delete files",
	palisade.CapNetwork:     "reach the network",
	palisade.CapListen:      "accept connections",
	palisade.CapEnvironment: "read or change environment variables",
	palisade.CapSecret:      "read credentials",
	palisade.CapSystemInfo:  "learn about the host that the sandbox shows",
	palisade.CapNative:      "load native code",
	palisade.CapEvaluate:    "run text as code that nobody has read",
	palisade.CapDeserialize: "load data that can run code that nobody has read",
	palisade.CapIntrospect:  "reach the interpreter's own objects, and so go round what was read",
	palisade.CapInstall:     "install packages",
	palisade.CapRunFile:     "run code from files that nobody has read",
	palisade.CapImportPath:  "change where modules come from",
	palisade.CapThread:      "start threads or workers",
	palisade.CapExit:        "end the interpreter at once",
	palisade.CapUnresolved:  "do things that the reading could not resolve",
	palisade.CapObfuscation: "do things that it hides from a reader",
}

// possible says, each thing once, what the program could do if the questions
// among the reasons were approved.
func possible(reasons []palisade.Reason) []string {
	var out []string
	for _, r := range reasons {
		if r.Decision != palisade.Ask {
			continue
		}
		f := r.Finding
		words, known := capabilities[f.Capability]
		if !known {
			words = f.Message // a condition of the profile, which has words of its own
		}
		text := words
		switch about := about(f); {
		case about == "":
		case f.Capability == palisade.CapImport || f.Capability == palisade.CapCall:
			text += " " + about
		default:
			text += ": " + about
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// about is what a capability would be used on, as far as it is known.
func about(f palisade.Finding) string {
	switch {
	case f.Capability == palisade.CapCall:
		return cmp.Or(f.Symbol, f.Argument)
	case !f.Unknown && f.Argument != "":
		return f.Argument
	case f.Unknown && f.Symbol != "":
		return f.Symbol + ", on what the reading could not tell"
	case f.Unknown:
		return "on what the reading could not tell"
	default:
		return f.Symbol
	}
}

// bounded cuts a text for showing, and says so.
func bounded(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + fmt.Sprintf("\n[%d more bytes]", len(text)-limit)
}

func compact(data json.RawMessage, limit int) string { return bounded(string(data), limit) }
