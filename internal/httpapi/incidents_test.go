package httpapi_test

import (
	"strings"
	"testing"

	"palisade/internal/httpapi"
)

// TestHostProcesses: which process of the host has a run is told to its operator
// alone, when it runs and when it is ended.
func TestHostProcesses(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	run := w.sleeping("blue submitter")
	const process = `"pid":`
	if a := w.ask("blue admin", "GET", "/v1/incident", ""); !strings.Contains(a.text, run) || strings.Contains(a.text, process) {
		t.Errorf("a tenant's admin: %d %s", a.status, a.text)
	}
	if a := w.ask("system admin", "GET", "/v1/incident", ""); !strings.Contains(a.text, run) || !strings.Contains(a.text, process) {
		t.Errorf("the operator's: %d %s", a.status, a.text)
	}
	if a := w.ask("blue admin", "POST", "/v1/incident/kill", `{"run": "`+run+`"}`); !strings.Contains(a.text, run) || strings.Contains(a.text, process) {
		t.Errorf("a tenant's admin who ends it: %d %s", a.status, a.text)
	}
}
