package httpapi

import (
	"encoding/json"
	"net/http"

	"palisade"
)

// Call is a run as an item of OpenAI's responses, code_interpreter_call.
type Call struct {
	ID          string   `json:"id"`
	Type        string   `json:"type"`
	Status      string   `json:"status" enum:"completed,incomplete,failed"`
	ContainerID string   `json:"container_id"`
	Code        string   `json:"code"`
	Outputs     []Output `json:"outputs"`
}

// Output is a text or a picture of a Call.
type Output struct {
	Type string `json:"type" enum:"logs,image"`
	Logs string `json:"logs,omitempty"`
	URL  string `json:"url,omitempty"`
}

// formatOpenAI is the value of format that asks for a Call.
const formatOpenAI = "openai"

// answerIn is the answer that a result gives, in the form that was asked for. What
// did not run is told in our own form: OpenAI's has no word for it.
func answerIn(format, code string, how result) (*reply, error) {
	out, err := answerOf(how)
	if err != nil || format != formatOpenAI || out.Status != http.StatusOK {
		return out, err
	}
	var o shownOutcome
	if err := json.Unmarshal(how.outcome, &o); err != nil {
		return nil, err
	}
	out.Body, err = json.Marshal(callOf(code, o))
	return out, err
}

func callOf(code string, o shownOutcome) Call {
	c := Call{ID: "ci_" + o.Run, Type: "code_interpreter_call", Status: "incomplete", ContainerID: "cntr_" + o.Run, Code: code, Outputs: []Output{}}
	switch o.Status { // the others were ended before they were done
	case palisade.OK, palisade.RuntimeError: // whose traceback is in the logs, as there
		c.Status = "completed"
	case palisade.SandboxError:
		c.Status = "failed"
	}
	logs := o.Output + o.Stderr
	for _, r := range o.Rich {
		for _, kind := range []string{"image/png", "image/jpeg"} {
			if data := r.Data[kind]; data != "" {
				c.Outputs = append(c.Outputs, Output{Type: "image", URL: "data:" + kind + ";base64," + data})
			}
		}
		if r.Data["image/png"] == "" && r.Data["image/jpeg"] == "" {
			logs += r.Data["text/plain"]
		}
	}
	if o.Value != nil && string(o.Value) != "null" {
		logs += string(o.Value)
	}
	if logs != "" || len(c.Outputs) == 0 {
		c.Outputs = append([]Output{{Type: "logs", Logs: logs}}, c.Outputs...)
	}
	return c
}
