package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"palisade/internal/auth"
	"palisade/internal/httpapi"
)

// opened is a stream as it was answered.
type opened struct {
	status int
	header http.Header
	body   io.ReadCloser
}

// open begins to look on at a run.
func (w *world) open(who, run string) opened {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.web.URL+"/v1/executions/"+run+"/stream", nil)
	must(w.t, err)
	r.Header.Set("X-API-Key", w.key(who))
	resp, err := http.DefaultClient.Do(r)
	must(w.t, err)
	w.t.Cleanup(func() { resp.Body.Close() })
	return opened{resp.StatusCode, resp.Header, resp.Body}
}

// TestStreamEndsWithItsKey: a key that is revoked, rotated away or expires takes its
// streams with it; another's goes on.
func TestStreamEndsWithItsKey(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	run := w.sleeping("blue submitter")
	expires := time.Now().Add(2 * time.Second) // by then its stream is open, on any machine
	for name, grant := range map[string]auth.Grant{"revoked": {}, "rotated": {}, "short": {Expires: expires}} {
		grant.Tenant, grant.Roles = "blue", []auth.Role{auth.Auditor}
		key, token, err := w.index.Keys.Create(t.Context(), operator, grant)
		must(t, err)
		w.keys[name], w.ids[name] = token, key.ID
	}
	streams := map[string]opened{}
	for _, who := range []string{"revoked", "rotated", "short", "blue submitter"} {
		streams[who] = w.open(who, run)
	}
	w.ask("blue admin", "DELETE", "/v1/keys/"+w.ids["revoked"], "")
	w.ask("blue admin", "POST", "/v1/keys/"+w.ids["rotated"]+"/rotate", "")
	for who, why := range map[string]string{"revoked": "this key was revoked at", "rotated": "a valid key or session is required", "short": "this key expired at"} {
		text, err := io.ReadAll(streams[who].body) // until it ends
		must(t, err)
		last := string(text)
		if i := strings.LastIndex(last, "event: "); i >= 0 {
			last = last[i:]
		}
		if !strings.HasPrefix(last, "event: error\n") || !strings.Contains(last, `"code":"unauthenticated"`) || !strings.Contains(last, why) {
			t.Errorf("%s: it ended with %q", who, last)
		}
	}
	w.ask("blue submitter", "POST", "/v1/executions/"+run+"/cancel", "")
	if text, err := io.ReadAll(streams["blue submitter"].body); err != nil || !strings.Contains(string(text), "event: exit") {
		t.Errorf("a key that is good: %v, %s", err, text)
	}
}

// TestStreamsAreBounded: for each tenant and in all; what was closed makes room.
func TestStreamsAreBounded(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{Streams: 3, TenantStreams: 2})
	runs := map[string]string{}
	for _, tenant := range []string{"blue", "red", "green"} {
		runs[tenant] = w.sleeping(tenant + " submitter")
	}
	look := func(tenant string, want int) opened {
		t.Helper()
		resp := w.open(tenant+" submitter", runs[tenant])
		if resp.status != want || (resp.header.Get("Retry-After") != "") != (want == 429) {
			t.Errorf("%s: %d %v, want %d", tenant, resp.status, resp.header, want)
		}
		return resp
	}
	first := look("blue", 200)
	look("blue", 200)
	look("blue", 429) // its own share
	look("red", 200)
	look("green", 429) // all there are
	first.body.Close()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if resp := w.open("green submitter", runs["green"]); resp.status == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a stream that was closed left no room")
		}
	}
}
