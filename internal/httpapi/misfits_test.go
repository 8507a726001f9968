package httpapi_test

import (
	"encoding/json"
	"testing"

	"palisade/internal/httpapi"
)

// TestMisfits: what a body has that does not fit is told by its place, by what stands
// there and what is wanted, in words of the interface.
func TestMisfits(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	const whole = "want a whole number in digits alone, at most 9223372036854775807"
	for _, c := range []struct{ body, place, message string }{
		{`{"code": 1}`, "body.code", "a number stands there: want a string"},
		{`{"code": null}`, "body.code", "null stands there: want a string"},
		{`{"code": "x", "limits": {"cpu_ms": 1e3}}`, "body.limits.cpu_ms", "a number stands there: " + whole},
		{`{"code": "x", "limits": {"cpu_ms": 1.0}}`, "body.limits.cpu_ms", "a number stands there: " + whole},
		{`{"code": "x", "limits": {"cpu_ms": 1.5}}`, "body.limits.cpu_ms", "a number stands there: " + whole},
		{`{"code": "x", "limits": {"memory_bytes": 1e30}}`, "body.limits.memory_bytes", "a number stands there: " + whole},
		{`{"code": "x", "limits": {"cpu_ms": 86400001}}`, "body.limits.cpu_ms", "expected number <= 86400000"},
		{`{"code": "x", "limits": {"open_files": 7}}`, "body.limits.open_files", "expected number >= 8"},
		{`{"code": "x", "limits": "all"}`, "body.limits", "a string stands there: want an object"},
		{`{"code": "x", "files": {}}`, "body.files", "an object stands there: want a list"},
		{`{"code": "x", "files": [{"name": "a", "data": "YQ=="}, {"name": true, "data": "YQ=="}]}`, "body.files[1].name", "true or false stands there: want a string"},
		{`{"code": "x", "deterministic": []}`, "body.deterministic", "a list stands there: want true or false"},
		{`[]`, "body", "a list stands there: want an object"},
	} {
		a := w.ask("blue submitter", "POST", "/v1/executions", c.body)
		var e httpapi.Error
		must(t, json.Unmarshal([]byte(a.text), &e))
		if a.status != 422 || len(e.Places) != 1 || e.Places[0] != (httpapi.Place{Location: c.place, Message: c.message}) || e.Message != c.place+": "+c.message {
			t.Errorf("%s: %d %s", c.body, a.status, a.text)
		}
	}
}
