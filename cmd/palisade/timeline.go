package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"palisade"
	"palisade/internal/approval"
	"palisade/internal/audit"
	"palisade/internal/redact"
)

// timeline writes a run's records for a human. Foreign text is escaped and
// stands behind a bar, so that none of it can pass for a line of ours.
func timeline(run audit.Run, records []audit.Record, brief bool) string {
	var w timelineWriter
	state := "no end on the record"
	if run.Complete {
		state = run.Status
	}
	w.line("run %s: %s", run.ID, redact.EscapeLine(state))
	w.line("%s by %s, door %s, profile %s", run.Began.UTC().Format(time.RFC3339), redact.EscapeLine(run.Submitter), redact.EscapeLine(run.Door), redact.EscapeLine(run.Profile))
	for _, r := range records {
		w.line("")
		w.line("#%d %s %s", r.Index, r.Time.UTC().Format("15:04:05.000"), r.Kind)
		if !brief {
			w.payload(r)
		}
	}
	return w.b.String()
}

type timelineWriter struct{ b strings.Builder }

// line writes a line of our own; foreign arguments must be escaped.
func (w *timelineWriter) line(format string, args ...any) {
	w.b.WriteString(approval.Fold(fmt.Sprintf(format, args...)))
	w.b.WriteByte('\n')
}

// field writes a name and a foreign value on one line, if there is a value.
func (w *timelineWriter) field(name, value string) {
	if value != "" {
		w.line("  %-10s %s", name, redact.EscapeLine(value))
	}
}

// foreign writes a foreign text behind a bar, if there is one.
func (w *timelineWriter) foreign(name, text string) {
	if text == "" {
		return
	}
	if name != "" {
		w.line("  %s", name)
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		w.line("    | %s", redact.EscapeLine(strings.ReplaceAll(line, "\t", "    ")))
	}
}

// payload writes what was recorded of a step, in words where its form is
// known, else as JSON.
func (w *timelineWriter) payload(r audit.Record) {
	if r.Data == nil {
		w.line("  (its payload is no longer kept)")
		return
	}
	known := false
	switch r.Kind {
	case palisade.EventReceived:
		known = decoded(r, w.received)
	case palisade.EventInspected:
		known = decoded(r, w.inspected)
	case palisade.EventDecided:
		known = decoded(r, w.decided)
	case palisade.EventAsked:
		known = decoded(r, w.asked)
	case palisade.EventStarted:
		known = decoded(r, w.started)
	case palisade.EventFinished:
		known = decoded(r, w.finished)
	case palisade.EventOutcome:
		known = decoded(r, w.outcome)
	}
	if !known {
		w.json(r.Data)
	}
}

// decoded gives a record's payload to a function, if it has the form.
func decoded[T any](r audit.Record, f func(T)) bool {
	var v T
	if r.Decode(&v) != nil {
		return false
	}
	f(v)
	return true
}

func (w *timelineWriter) json(data json.RawMessage) {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		b.Reset()
		b.Write(data)
	}
	w.foreign("data", b.String())
}

func (w *timelineWriter) received(s palisade.Submission) {
	w.field("submitter", s.Submitter)
	w.field("door", s.Door)
	w.field("profile", s.Profile)
	w.field("entry", s.Program.Entry)
	w.field("conversation", s.Conversation)
	w.foreign("prompt", s.Prompt)
	w.foreign("program "+redact.EscapeLine(s.Program.Name), string(s.Program.Source))
	for _, m := range s.Program.Modules {
		w.foreign("module "+redact.EscapeLine(m.Name), string(m.Source))
	}
	if len(s.Inputs.Args) > 0 {
		args, err := json.MarshalIndent(s.Inputs.Args, "", "  ")
		if err == nil {
			w.foreign("arguments", string(args))
		}
	}
	w.foreign("schema", string(s.Inputs.Schema))
	w.foreign("returns", string(s.Inputs.Returns))
	for _, f := range s.Files {
		w.data("file", f.Name, f.Data)
	}
	if len(s.Stdin) > 0 {
		w.data("stdin", "standard input", s.Stdin)
	}
}

// maxData bounds how much of a file the timeline shows, in bytes; --json has all.
const maxData = 4 << 10

// data writes what came beside a program: the beginning of a text, the size of
// anything else.
func (w *timelineWriter) data(kind, name string, data []byte) {
	w.field(kind, fmt.Sprintf("%s, %s, sha256 %x", name, count(len(data), "byte"), sha256.Sum256(data)))
	head := data[:min(len(data), maxData)]
	if len(head) < len(data) {
		for len(head) > 0 && !utf8.RuneStart(data[len(head)]) {
			head = head[:len(head)-1] // not in the middle of a character
		}
	}
	if !utf8.Valid(head) || bytes.IndexByte(head, 0) >= 0 {
		w.line("    (not text; --json has it)")
		return
	}
	w.foreign("", string(head))
	if rest := len(data) - len(head); rest > 0 {
		w.line("    (%s more; --json has them)", count(rest, "byte"))
	}
}

func (w *timelineWriter) inspected(in palisade.Inspection) {
	w.line("  %s", count(len(in.Findings), "finding"))
	for _, f := range in.Findings {
		w.finding(f, "")
	}
	for name, digest := range sorted(in.Trees) {
		if name == "" {
			name = "program"
		}
		w.field("tree", name+" "+digest.String())
	}
}

// finding writes one finding with its evidence: whoever reads the record may
// see it.
func (w *timelineWriter) finding(f palisade.Finding, decision string) {
	w.line("  %s", redact.EscapeLine(strings.TrimSpace(fmt.Sprintf("%-5s %s %s %s: %s [%s]", decision, placeOf(f), f.Severity, f.Capability, f.Message, f.Rule))))
	if f.Evidence != "" {
		w.foreign("  reached", f.Evidence)
	}
}

func (w *timelineWriter) decided(v palisade.Verdict) {
	w.field("decision", v.Decision.String()+", by "+v.Policy)
	w.field("profile", v.Profile)
	w.field("policy", strings.TrimSpace(v.PolicyVersion+" "+v.PolicyDigest.String()))
	for _, reason := range v.Reasons {
		w.finding(reason.Finding, reason.Decision.String())
		w.field("  by", reason.Policy)
	}
	if limits, err := json.Marshal(v.Limits); err == nil {
		w.field("limits", string(limits))
	}
	w.field("back-ends", strings.Join(v.Isolation.Backends, ", "))
	w.field("denied", strings.Join(v.DeniedSyscalls, ", "))
	w.field("abort", strings.Join(v.Abort, ", "))
	for _, peer := range v.Egress {
		w.field("egress", peer.Name)
	}
}

// asked tells of a question what the records before it do not.
func (w *timelineWriter) asked(q approval.Question) {
	w.field("ticket", q.Ticket)
	w.field("digest", q.Binding.String())
	w.field("severity", q.Severity.String())
	w.field("expires", q.Expires.UTC().Format(time.RFC3339))
	w.field("to", q.Title)
	w.field("runtime", q.Image)
}

// startedRecord is the payload of a started record.
type startedRecord struct {
	palisade.Ready
	Refused string `json:"refused"`
}

func (w *timelineWriter) started(s startedRecord) {
	w.field("back-end", s.Backend)
	w.field("runtime", s.Runtime)
	for name, strength := range sorted(s.Layers) {
		w.field("layer", name+" = "+strength)
	}
	for name, digest := range sorted(s.Trees) {
		if name == "" {
			name = "program"
		}
		w.field("tree", name+" "+digest.String())
	}
	w.field("REFUSED", s.Refused)
}

// finishedRecord is the payload of a finished record: a palisade.Result, whose
// usage is written with units.
type finishedRecord struct {
	Status         palisade.Status
	Reason         string
	ExitCode       int
	Signal         string
	LimitsHit      []string
	MayHaveRun     bool
	Stdout, Stderr palisade.Captured
	Value          json.RawMessage
	Exception      *palisade.Exception
	Rich           []palisade.Rich
	Artifacts      []palisade.Artifact
	Anomalies      []string
	Activity       palisade.Activity
	Usage          json.RawMessage
}

func (w *timelineWriter) finished(r finishedRecord) {
	w.field("status", string(r.Status))
	w.field("reason", r.Reason)
	w.field("exit", fmt.Sprintf("%d %s", r.ExitCode, r.Signal))
	w.field("ran", map[bool]string{true: "it may have run", false: "it never ran"}[r.MayHaveRun])
	w.field("limits", strings.Join(r.LimitsHit, ", "))
	w.field("usage", string(r.Usage))
	for _, anomaly := range r.Anomalies {
		w.field("ANOMALY", anomaly)
	}
	if r.Exception != nil {
		w.foreign("exception", r.Exception.Type+": "+r.Exception.Message)
	}
	if string(r.Value) != "null" {
		w.foreign("value", string(r.Value))
	}
	w.foreign("stdout, as it was written", stream(r.Stdout))
	w.foreign("stderr, as it was written", stream(r.Stderr))
	w.activity(r.Activity)
	if len(r.Rich) > 0 {
		w.field("displayed", count(len(r.Rich), "value"))
	}
	for _, a := range r.Artifacts {
		w.field("artifact", fmt.Sprintf("%s, %d bytes, sha256 %s", a.Name, a.Size, a.Digest))
	}
}

// stream is a captured stream with a mark for what was not kept.
func stream(c palisade.Captured) string {
	if !c.Truncated() {
		return string(c.Head) + string(c.Tail)
	}
	return fmt.Sprintf("%s\n[… %d bytes were not kept …]\n%s", c.Head, c.Total-int64(len(c.Head)+len(c.Tail)), c.Tail)
}

// outcomeRecord is the part of an Outcome that the records before do not tell.
type outcomeRecord struct {
	Decision palisade.Decision  `json:"decision"`
	Status   palisade.Status    `json:"status"`
	Output   string             `json:"output"`
	Stderr   string             `json:"stderr"`
	Errors   []string           `json:"errors"`
	Feedback palisade.Feedback  `json:"feedback"`
	Approval *palisade.Approval `json:"approval"`
}

func (w *timelineWriter) outcome(o outcomeRecord) {
	w.field("decision", o.Decision.String())
	w.field("status", string(o.Status))
	if o.Approval != nil {
		w.field("ticket", o.Approval.Ticket)
		w.field("approver", o.Approval.Approver)
	}
	for _, line := range o.Errors {
		w.field("error", line)
	}
	w.foreign("told", o.Feedback.Text)
	for _, line := range o.Feedback.Next {
		w.field("next", line)
	}
}
