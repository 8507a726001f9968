package httpapi

import (
	"encoding/json"
	"testing"
)

// TestRefusedIsToldWhen: a run that was refused says when to come again, unless that
// does not help.
func TestRefusedIsToldWhen(t *testing.T) {
	for locked, want := range map[bool]string{false: "5", true: ""} {
		got, err := answerOf(result{outcome: json.RawMessage(`{"run": "r", "status": "refused"}`), locked: locked})
		if err != nil || got.Status != 503 || got.RetryAfter != want {
			t.Errorf("lockdown %v: %+v, %v", locked, got, err)
		}
	}
}
