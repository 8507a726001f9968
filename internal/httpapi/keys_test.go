package httpapi_test

import (
	"strings"
	"testing"

	"palisade/internal/httpapi"
)

// TestOutdatedToken: a token that was replaced is good for its grace, and not for
// taking the key back.
func TestOutdatedToken(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	w.key("blue submitter")
	path := "/v1/keys/" + w.ids["blue submitter"] + "/rotate"
	rotated := w.ask("blue submitter", "POST", path, `{"grace_seconds": 60}`)
	if rotated.status != 200 {
		t.Fatalf("%d %s", rotated.status, rotated.text)
	}
	if a := w.ask("blue submitter", "GET", "/v1/me", ""); a.status != 200 {
		t.Errorf("in its grace: %d %s", a.status, a.text)
	}
	if a := w.ask("blue submitter", "POST", path, `{}`); a.status != 403 || a.member("code") != "forbidden" || !strings.Contains(a.text, "only the key's newest token rotates it") {
		t.Errorf("it rotated the key again: %d %s", a.status, a.text)
	}
	w.keys["newest"] = rotated.member("token")
	if a := w.ask("newest", "POST", path, `{}`); a.status != 200 {
		t.Errorf("the newest: %d %s", a.status, a.text)
	}
}
