package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"palisade/internal/httpapi"
)

// TestE2B: who may make a sandbox, and that its token runs code for as long as the
// key that it was made with is good, in this tenant alone.
func TestE2B(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	web := httptest.NewServer(w.server.E2B())
	defer web.Close()
	ask := func(method, path, body string, header ...string) (int, string) {
		r, err := http.NewRequest(method, web.URL+path, strings.NewReader(body))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(r)
		must(t, err)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		must(t, err)
		return resp.StatusCode, string(data)
	}
	blue, red, auditor := w.key("blue submitter"), w.key("red submitter"), w.key("blue auditor")
	for _, c := range []struct {
		body, key string
		status    int
	}{{`{}`, "", 401}, {`{}`, auditor, 403}, {`{`, blue, 400}, {`{"envVars": {"A": "b"}}`, blue, 400}} {
		if status, text := ask("POST", "/v2/sandboxes", c.body, "X-API-Key", c.key); status != c.status || !strings.Contains(text, `"code":4`) {
			t.Errorf("%s: %d %s", c.body, status, text)
		}
	}
	status, text := ask("POST", "/v2/sandboxes", `{"templateID": "base", "timeout": 60, "new": 1}`, "X-API-Key", blue)
	var made struct{ SandboxID, EnvdAccessToken string }
	if err := json.Unmarshal([]byte(text), &made); err != nil || status != 201 {
		t.Fatalf("%d %s", status, text)
	}
	run := func(code string, header ...string) (int, string) {
		body, _ := json.Marshal(map[string]string{"code": code})
		return ask("POST", "/execute", string(body), append([]string{"E2b-Sandbox-Id", made.SandboxID, "X-Access-Token", made.EnvdAccessToken}, header...)...)
	}
	if status, text := run("print(1)"); status != 200 || !strings.Contains(text, `"type":"stdout"`) || !strings.Contains(text, `"execution_count":1`) || strings.Contains(text, `\ufffd`) {
		t.Errorf("%d %s", status, text)
	}
	if status, text := run("deny"); status != 200 || !strings.Contains(text, `"type":"error","name":"policy_violation"`) {
		t.Errorf("denied: %d %s", status, text)
	}
	if status, text := run("ask"); status != 200 || !strings.Contains(text, "waits for a human") {
		t.Errorf("asked: %d %s", status, text)
	}
	if status, text := run("reject"); status != 200 || !strings.Contains(text, `"name":"invalid"`) {
		t.Errorf("rejected: %d %s", status, text)
	}
	for name, header := range map[string][]string{
		"no token": {"X-Access-Token", ""}, "another token": {"X-Access-Token", "x"}, "another sandbox": {"E2b-Sandbox-Id", "x"},
	} {
		if status, text := run("print(1)", header...); status != 401 {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	for _, body := range []string{`{"code": "x", "context_id": "c"}`, `{"code": "x", "language": "r"}`, `{"code": "x", "env_vars": {"A": "b"}}`, `[]`} {
		if status, text := ask("POST", "/execute", body, "E2b-Sandbox-Id", made.SandboxID, "X-Access-Token", made.EnvdAccessToken); status != 400 {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	for _, path := range []string{"/sandboxes/" + made.SandboxID, "/v2/sandboxes/" + made.SandboxID} {
		if status, text := ask("GET", path, "", "X-API-Key", red); status != 404 || !strings.Contains(text, `"code":404`) {
			t.Errorf("another tenant: %d %s", status, text)
		}
		if status, text := ask("GET", path, "", "X-API-Key", blue); status != 200 {
			t.Errorf("%d %s", status, text)
		}
	}
	// Its name stands in the record as the conversation of its runs: who reads that
	// must not run programs as its maker, and then approve them.
	for _, who := range []string{"blue spare", "blue approver", "blue auditor", "blue admin", "system admin", "red submitter"} {
		for _, c := range []string{"GET", "DELETE", "POST /timeout", "POST /connect"} {
			method, verb, _ := strings.Cut(c, " ")
			body := `{"timeout": 1}`
			if verb == "" {
				body = ""
			}
			if status, text := ask(method, "/sandboxes/"+made.SandboxID+verb, body, "X-API-Key", w.key(who)); status != 404 || strings.Contains(text, made.EnvdAccessToken) {
				t.Errorf("%s: %s: %d %s", who, c, status, text)
			}
		}
	}
	if status, text := ask("POST", "/sandboxes/"+made.SandboxID+"/connect", `{}`, "X-API-Key", blue); status != 200 || !strings.Contains(text, made.EnvdAccessToken) {
		t.Errorf("its maker connects: %d %s", status, text)
	}
	if status, _ := ask("POST", "/sandboxes/"+made.SandboxID+"/timeout", `{"timeout": 100}`, "X-API-Key", blue); status != 204 {
		t.Errorf("timeout: %d", status)
	}
	w.ask("blue admin", "DELETE", "/v1/keys/"+w.ids["blue submitter"], "")
	if status, text := run("print(1)"); status != 401 {
		t.Errorf("its key was revoked: %d %s", status, text)
	}
}

// TestOpenAI: a run as an item of OpenAI's responses; what did not run keeps its own
// form.
func TestOpenAI(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	a := w.ask("blue submitter", "POST", "/v1/executions?format=openai", `{"code": "print(1)"}`)
	if a.status != 200 || a.member("type") != "code_interpreter_call" || a.member("status") != "completed" || a.member("code") != "print(1)" || !strings.Contains(a.text, `{"type":"logs","logs":"hé\n"}`) {
		t.Errorf("%d %s", a.status, a.text)
	}
	if a := w.ask("blue submitter", "POST", "/v1/executions?format=openai", `{"code": "deny"}`); a.status != 403 || a.member("code") != "denied" {
		t.Errorf("%d %s", a.status, a.text)
	}
}
