package httpapi

import (
	"encoding/json"
	"strings"

	"palisade"
)

// stateIsNotKept is the next step of a program that counted on one before it.
const stateIsNotKept = "state is not kept between programs: each one starts in a fresh sandbox, so send the definitions and imports that it needs again"

// e2bLines writes what happens to a run as E2B's clients read it.
type e2bLines struct {
	sender
	count int // of the sandbox's programs, this one included
}

// e2bLine is one line of an execution.
type e2bLine struct {
	Type string `json:"type"`

	Text     string `json:"text,omitempty"`
	HTML     string `json:"html,omitempty"`
	Markdown string `json:"markdown,omitempty"`
	Latex    string `json:"latex,omitempty"`
	PNG      string `json:"png,omitempty"`
	JPEG     string `json:"jpeg,omitempty"`
	Main     bool   `json:"is_main_result,omitempty"`

	Name      string `json:"name,omitempty"`
	Value     string `json:"value,omitempty"`
	Traceback string `json:"traceback,omitempty"`

	Count int `json:"execution_count,omitempty"`
}

func (o *e2bLines) line(l e2bLine) {
	if text, err := json.Marshal(l); err == nil {
		o.write(string(text) + "\n")
	}
}

// event passes one event of a run on.
func (o *e2bLines) event(e Event) {
	switch e.Name {
	case "stdout", "stderr":
		var c chunk
		if json.Unmarshal(e.Data, &c) == nil {
			o.line(e2bLine{Type: e.Name, Text: c.Text})
		}
	case "error":
		var failed Error
		if json.Unmarshal(e.Data, &failed) == nil {
			o.line(e2bLine{Type: "error", Name: failed.Code, Value: failed.Message})
		}
	case "result":
		var out shownOutcome
		if json.Unmarshal(e.Data, &out) == nil {
			o.result(out)
		}
	}
}

// shownOutcome is the part of an outcome that is shown.
type shownOutcome struct {
	told
	Rich  []palisade.Rich `json:"rich"`
	Value json.RawMessage `json:"value"`
}

// result tells what a program displayed, and why it did not end well.
func (o *e2bLines) result(out shownOutcome) {
	// The program's last value is what it is about; figures come behind it.
	main := len(out.Rich) - 1
	for i, r := range out.Rich {
		if r.Data["text/plain"] != "" && r.Data["image/png"] == "" && r.Data["image/jpeg"] == "" {
			main = i
		}
	}
	for i, r := range out.Rich {
		o.line(e2bLine{
			Type: "result", Text: r.Data["text/plain"], HTML: r.Data["text/html"], Markdown: r.Data["text/markdown"], Latex: r.Data["text/latex"],
			PNG: r.Data["image/png"], JPEG: r.Data["image/jpeg"], Main: i == main,
		})
	}
	if out.Status != palisade.OK {
		o.line(o.failure(out))
	}
	o.line(e2bLine{Type: "number_of_executions", Count: o.count})
}

// failure is why a program did not end well, with what to do next.
func (o *e2bLines) failure(out shownOutcome) e2bLine {
	next := out.Feedback.Next
	l := e2bLine{Type: "error", Name: string(out.Status), Value: out.Feedback.Text, Traceback: out.Stderr}
	if out.Status == palisade.RuntimeError && len(out.Errors) > 0 {
		// The gate's words: "NameError on line 1: name 'x' is not defined".
		head, text, _ := strings.Cut(out.Errors[0], ": ")
		l.Name, _, _ = strings.Cut(head, " ")
		l.Value = text
		if l.Name == "NameError" && o.count > 1 {
			next = append([]string{stateIsNotKept}, next...)
		}
	}
	if out.Approval != nil {
		next = append([]string{"question " + out.Approval.Ticket + " waits for a human: send the same code again once it is approved"}, next...)
	}
	for _, one := range next {
		l.Value += "\n→ " + one
	}
	return l
}
