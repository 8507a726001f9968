package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"palisade"
)

// told is the part of an outcome that the door reads; the rest it passes on as it
// is on the record.
type told struct {
	Run        string             `json:"run"`
	Status     palisade.Status    `json:"status"`
	Success    bool               `json:"success"`
	MayHaveRun bool               `json:"may_have_run"`
	ExitCode   int                `json:"exit_code"`
	Output     string             `json:"output"`
	Stderr     string             `json:"stderr"`
	Errors     []string           `json:"errors"`
	Feedback   palisade.Feedback  `json:"feedback"`
	Approval   *palisade.Approval `json:"approval"`

	Artifacts []palisade.Artifact `json:"artifacts"`
}

// reply is an answer with an outcome.
type reply struct {
	Status     int
	Location   string `header:"Location"`
	RetryAfter string `header:"Retry-After"`
	Timing     string `header:"Server-Timing" doc:"sandbox;dur=MS: of the answer's time, what the box and the program in it took."`
	Body       json.RawMessage
}

// answerOf is the answer that a result gives.
func answerOf(how result) (*reply, error) {
	if how.err != nil {
		return nil, how.err
	}
	var o told
	if err := json.Unmarshal(how.outcome, &o); err != nil {
		return nil, err
	}
	out := &reply{Status: http.StatusOK, Location: executionsPath + "/" + o.Run, Body: how.outcome}
	if how.sandbox > 0 {
		out.Timing = fmt.Sprintf("sandbox;dur=%.3f", how.sandbox.Seconds()*1e3) // W3C Server Timing
	}
	text := cmp.Or(o.Feedback.Text, strings.Join(o.Errors, "; "))
	switch {
	case o.Status == palisade.ApprovalRequired:
		out.Status = http.StatusAccepted
		if o.Approval != nil {
			out.Location = approvalsPath + "/" + o.Approval.Ticket
		}
	case o.Status == palisade.PolicyViolation:
		out.Status = http.StatusForbidden
		out.Body = withError(how.outcome, "denied", cmp.Or(text, "policy denied it"))
	case o.Status == palisade.Refused, !o.MayHaveRun && (o.Status == palisade.SandboxError || o.Status == palisade.Interrupted):
		out.Status = http.StatusServiceUnavailable
		if !how.locked { // until a human lifts it, coming again does not help
			out.RetryAfter = seconds(5 * time.Second)
		}
		out.Body = withError(how.outcome, string(o.Status), cmp.Or(text, "it was refused before it ran"))
	}
	return out, nil
}

// withError makes an outcome an error as well: the same object with a code and a
// message, so that whoever reads either finds it.
func withError(outcome json.RawMessage, code, message string) json.RawMessage {
	head, err := json.Marshal(struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}{code, message})
	if err != nil || len(outcome) < 3 || outcome[0] != '{' {
		return outcome
	}
	return append(append(head[:len(head)-1], ','), outcome[1:]...)
}

// exitEvent is the data of the last event of a stream.
type exitEvent struct {
	Run        string `json:"run"`
	Status     string `json:"status"`
	ExitCode   int    `json:"exit_code"`
	Success    bool   `json:"success"`
	MayHaveRun bool   `json:"may_have_run"`
}

// named is an event without its place in a stream.
type named struct {
	Name string
	Data any
}

// ending are the events that a stream ends with; whole has those of the output
// before them, for a run that nobody looked on at.
func ending(how result, whole bool) []named {
	if how.err != nil {
		return []named{{"error", how.err}, {"exit", exitEvent{Run: how.err.Run, Status: how.err.Code, ExitCode: -1, MayHaveRun: how.err.MayHaveRun}}}
	}
	var o told
	if json.Unmarshal(how.outcome, &o) != nil {
		return nil
	}
	var out []named
	if whole && o.Output != "" {
		out = append(out, named{"stdout", chunk{o.Output}})
	}
	if whole && o.Stderr != "" {
		out = append(out, named{"stderr", chunk{o.Stderr}})
	}
	if o.Approval != nil {
		out = append(out, named{"approval", o.Approval})
	}
	return append(out, named{"result", how.outcome}, named{"exit", exitEvent{o.Run, string(o.Status), o.ExitCode, o.Success, o.MayHaveRun}})
}
