package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"palisade/internal/httpapi"
)

// TestStatuses: what each end of a run is answered with.
func TestStatuses(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	for _, c := range []struct {
		code, status, word string
		http               int
		mayHaveRun         string
	}{
		{"print(1)", "ok", "", 200, "true"},
		{"deny", "policy_violation", "denied", 403, "false"},
		{"ask", "approval_required", "", 202, "false"},
		{"reject", "", "invalid", 422, "false"},
		{"break", "sandbox_error", "", 200, "true"},
	} {
		a := w.run("blue submitter", c.code)
		if a.status != c.http || a.member("status") != c.status || a.member("code") != c.word || a.member("may_have_run") != c.mayHaveRun || a.member("run") == "" {
			t.Errorf("%s: %d %s", c.code, a.status, a.text)
		}
		if strings.Contains(a.text, "/var/lib") || strings.Contains(a.text, "how it was found") {
			t.Errorf("%s tells too much: %s", c.code, a.text)
		}
		if c.http == 202 && !strings.HasPrefix(a.header.Get("Location"), "/v1/approvals/") {
			t.Errorf("no place of the question: %v", a.header)
		}
	}
}

// TestNoOracle: score and evidence are for those who answer or audit.
func TestNoOracle(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	asked := w.run("blue submitter", "ask")
	for _, path := range []string{"/v1/executions", "/v1/executions/" + asked.member("run"), "/v1/approvals/" + asked.member("approval.ticket")} {
		if a := w.ask("blue submitter", "GET", path, ""); a.status != 200 || strings.Contains(a.text, `"score"`) || strings.Contains(a.text, "how it was found") {
			t.Errorf("%s: %d %s", path, a.status, a.text)
		}
		if a := w.ask("blue auditor", "GET", path, ""); a.status != 200 || !strings.Contains(a.text, `"score"`) {
			t.Errorf("%s, an auditor: %d %s", path, a.status, a.text)
		}
	}
	if a := w.ask("blue submitter", "POST", "/v1/scans", `{"code": "deny"}`); strings.Contains(a.text, `"score"`) || strings.Contains(a.text, "how it was found") {
		t.Errorf("a scan: %s", a.text)
	}
	if a := w.ask("blue auditor", "POST", "/v1/scans", `{"code": "deny"}`); !strings.Contains(a.text, `"score"`) || !strings.Contains(a.text, "how it was found") {
		t.Errorf("an auditor's: %s", a.text)
	}
}

// TestOnce: equal requests under one key run once, however many ask at once, and
// whoever of the tenant does; another tenant's key of that name is its own.
func TestOnce(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		var group sync.WaitGroup
		var mu sync.Mutex
		runs := map[string]int{}
		w.key("blue submitter")
		for range 40 {
			group.Go(func() {
				a, err := w.try("blue submitter", "POST", "/v1/executions", `{"code": "print(1)"}`, "Idempotency-Key", "k")
				mu.Lock()
				defer mu.Unlock()
				if err != nil || a.status != 200 {
					t.Errorf("%d %s %v", a.status, a.text, err)
				}
				runs[a.text]++
			})
		}
		group.Wait()
		if len(runs) != 1 || w.ran.Load() != 1 {
			t.Errorf("%d answers, %d ran", len(runs), w.ran.Load())
		}
		w.ask("red submitter", "POST", "/v1/executions", `{"code": "print(1)"}`, "Idempotency-Key", "k")
		if n := w.ran.Load(); n != 2 {
			t.Errorf("another tenant's: %d ran", n)
		}
		a := w.ask("blue submitter", "POST", "/v1/executions", `{"code": "print(2)"}`, "Idempotency-Key", "k")
		if a.status != 422 || a.member("code") != "reused" {
			t.Errorf("another request: %d %s", a.status, a.text)
		}
	})
}

// TestOnceAfterRestart: the key holds in the next server.
func TestOnceAfterRestart(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	first := w.run("blue submitter", "print(1)", "Idempotency-Key", "k")
	denied := w.run("blue submitter", "deny", "Idempotency-Key", "d")
	rejected := w.run("blue submitter", "reject", "Idempotency-Key", "r")
	w.close()
	next := openWorld(t, w.home, "", httpapi.Limits{})
	next.keys = w.keys
	for key, want := range map[string]answer{"k": first, "d": denied, "r": rejected} {
		code := map[string]string{"k": "print(1)", "d": "deny", "r": "reject"}[key]
		got := next.run("blue submitter", code, "Idempotency-Key", key)
		if got.status != want.status || got.member("run") != want.member("run") || got.member("status") != want.member("status") {
			t.Errorf("%s: %d %s, was %d %s", key, got.status, got.text, want.status, want.text)
		}
	}
	if next.ran.Load() != 0 {
		t.Errorf("%d ran again", next.ran.Load())
	}
}

// TestApprovalOnce: of a hundred who use one approval at once, one runs.
func TestApprovalOnce(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		a := w.run("blue submitter", "ask")
		answer := fmt.Sprintf(`{"digest": %q}`, a.member("approval.digest"))
		if said := w.ask("blue approver", "POST", "/v1/approvals/"+a.member("approval.ticket")+"/approve", answer); said.status != 200 {
			t.Fatalf("%d %s", said.status, said.text)
		}
		var group sync.WaitGroup
		var ok, asked, busy atomic.Int64
		for range 100 {
			group.Go(func() {
				got, err := w.try("blue submitter", "POST", "/v1/executions", `{"code": "ask"}`)
				switch {
				case err != nil:
					t.Error(err)
				case got.status == 200:
					ok.Add(1)
				case got.status == 202:
					asked.Add(1)
				case got.status == 429:
					busy.Add(1) // the tenant's queue is full: it never ran
				default:
					t.Errorf("%d %s", got.status, got.text)
				}
			})
		}
		group.Wait()
		if ok.Load() != 1 || w.ran.Load() != 1 || ok.Load()+asked.Load()+busy.Load() != 100 {
			t.Errorf("%d ran (%d ok, %d asked anew, %d busy)", w.ran.Load(), ok.Load(), asked.Load(), busy.Load())
		}
	})
}

// TestApprovalIsBound: whoever asked does not approve, and a changed byte is another
// program; the key of a request that waits is free for its retry.
func TestApprovalIsBound(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	_, token, err := w.index.Keys.Create(t.Context(), operator, submitsAndApproves("blue", "ann"))
	must(t, err)
	w.keys["ann"] = token
	a := w.run("ann", "ask", "Idempotency-Key", "k")
	path, body := "/v1/approvals/"+a.member("approval.ticket")+"/approve", fmt.Sprintf(`{"digest": %q}`, a.member("approval.digest"))
	if got := w.ask("ann", "POST", path, body); got.status != 403 || got.member("code") != "forbidden" {
		t.Errorf("approved by who asked: %d %s", got.status, got.text)
	}
	if got := w.ask("blue approver", "POST", path, body); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.text)
	}
	if got := w.ask("blue approver", "POST", path, body); got.status != 409 {
		t.Errorf("answered twice: %d %s", got.status, got.text)
	}
	if got := w.run("ann", "ask "); got.status != 202 || got.member("approval.ticket") == a.member("approval.ticket") {
		t.Errorf("a changed byte: %d %s", got.status, got.text)
	}
	if got := w.run("blue submitter", "ask"); got.status != 202 {
		t.Errorf("another submitter: %d %s", got.status, got.text)
	}
	if got := w.run("ann", "ask", "Idempotency-Key", "k"); got.status != 200 || got.member("approval.granted") != "true" {
		t.Errorf("the same again: %d %s", got.status, got.text)
	}
	if n := w.ran.Load(); n != 1 {
		t.Errorf("%d ran", n)
	}
}

// TestRevoked: a revoked key's next request is refused.
func TestRevoked(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.run("blue submitter", "print(1)")
		if a := w.ask("blue admin", "DELETE", "/v1/keys/"+w.ids["blue submitter"], ""); a.status != 204 {
			t.Fatalf("%d %s", a.status, a.text)
		}
		if a := w.run("blue submitter", "print(1)"); a.status != 401 {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}

// TestLockdown: what runs is ended at once, what comes is refused, also in the next
// server.
func TestLockdown(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{Running: 30})
	var runs []string
	for range 20 {
		runs = append(runs, w.sleeping("blue submitter"))
	}
	if a := w.ask("system admin", "POST", "/v1/incident/lockdown", `{"on": true, "why": "test"}`); a.status != 200 || strings.Contains(a.text, `"left":[{`) {
		t.Fatalf("%d %s", a.status, a.text)
	}
	for _, run := range runs {
		w.until("blue submitter", run, func(a answer) bool { return a.member("status") == "killed" })
	}
	if a := w.run("blue submitter", "print(1)"); a.status != 503 || a.header.Get("Retry-After") != "" || a.member("may_have_run") != "false" || a.member("code") != "refused" {
		t.Errorf("%d %s", a.status, a.text)
	}
	if a := w.ask("", "GET", "/v1/ready", ""); a.status != 503 || a.member("code") != "locked_down" {
		t.Errorf("ready: %d %s", a.status, a.text)
	}
	w.close()
	next := openWorld(t, w.home, "", httpapi.Limits{})
	next.keys = w.keys
	if a := next.run("blue submitter", "print(1)"); a.status != 503 {
		t.Errorf("after a restart: %d %s", a.status, a.text)
	}
	next.ask("system admin", "POST", "/v1/incident/lockdown", `{"on": false}`)
	if a := next.run("blue submitter", "print(1)"); a.status != 200 {
		t.Errorf("lifted: %d %s", a.status, a.text)
	}
}

// TestHangUp: a caller who hangs up ends its run, on the record; under a key the run
// goes on, and whoever sends the same again gets its outcome.
func TestHangUp(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	hangUp := func(header ...string) string {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.web.URL+"/v1/executions", strings.NewReader(`{"code": "sleep"}`))
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+w.key("blue submitter"))
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if resp, err := http.DefaultClient.Do(r); err == nil {
				resp.Body.Close()
			}
		}()
		var run string
		for end := time.Now().Add(20 * time.Second); run == "" && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			list := w.ask("blue submitter", "GET", "/v1/executions?status=running", "")
			if items, _ := list.body["items"].([]any); len(items) == 1 && items[0].(map[string]any)["started"] == true {
				run, _ = items[0].(map[string]any)["run"].(string)
			}
		}
		cancel()
		<-done
		return run
	}
	run := hangUp()
	w.until("blue submitter", run, func(a answer) bool { return a.member("status") == "interrupted" })
	run = hangUp("Idempotency-Key", "k")
	time.Sleep(50 * time.Millisecond)
	if a := w.ask("blue submitter", "GET", "/v1/executions/"+run, ""); a.member("state") != "running" {
		t.Fatalf("under a key: %s", a.text)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for range 1000 {
			if a, err := w.try("blue submitter", "POST", "/v1/executions/"+run+"/cancel", `{}`); err != nil || a.status == 409 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	defer group.Wait()
	if a := w.run("blue submitter", "sleep", "Idempotency-Key", "k"); a.member("run") != run || a.member("status") != "interrupted" {
		t.Errorf("%d %s", a.status, a.text)
	}
}

// TestBounds: what is too large, too fast and too many is refused with the time to
// come again, and never ran.
func TestBounds(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{Body: 1000, Running: 1, TenantQueue: 1, Rate: 1_000_000})
	if a := w.run("blue submitter", strings.Repeat("x", 1000)); a.status != 413 || a.member("code") != "too_large" {
		t.Errorf("%d %s", a.status, a.text)
	}
	w.sleeping("blue submitter")
	waiting := w.run("blue submitter", "print(1)", "Prefer", "respond-async")
	if waiting.status != 202 {
		t.Errorf("%d %s", waiting.status, waiting.text)
	}
	var a answer
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if a = w.run("blue submitter", "print(1)", "Prefer", "respond-async"); a.status == 429 {
			break
		}
	}
	if a.status != 429 || a.header.Get("Retry-After") == "" || a.member("may_have_run") != "false" {
		t.Errorf("%d %s", a.status, a.text)
	}
	slow := newWorld(t, "", httpapi.Limits{Rate: 1})
	for range 3 {
		a = slow.ask("blue submitter", "GET", "/v1/me", "")
	}
	if a.status != 429 || a.member("code") != "rate_limited" || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.status, a.text)
	}
	if a := slow.ask("red submitter", "GET", "/v1/me", ""); a.status != 200 {
		t.Errorf("another tenant: %d %s", a.status, a.text)
	}
}

// TestStopping: a server that stops takes nothing, ends what runs, and everything
// that it took has its end on the record.
func TestStopping(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{Running: 1})
	run := w.sleeping("blue submitter")
	queued := w.run("blue submitter", "print(1)", "Prefer", "respond-async").member("run")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	w.server.Drain(ctx)
	if a := w.run("blue submitter", "print(1)"); a.status != 503 || a.member("code") != "stopping" {
		t.Errorf("%d %s", a.status, a.text)
	}
	if a := w.ask("", "GET", "/v1/ready", ""); a.status != 503 {
		t.Errorf("ready: %d", a.status)
	}
	for _, id := range []string{run, queued} {
		if a := w.ask("blue submitter", "GET", "/v1/executions/"+id, ""); a.member("state") != "done" || a.member("status") != "interrupted" {
			t.Errorf("%s", a.text)
		}
	}
	if left, err := w.index.Recover(t.Context(), "api"); left != 0 || err != nil {
		t.Errorf("%d runs without an end, %v", left, err)
	}
}

// TestStream: events with IDs, resumed after one, and replayed once the run has
// ended long ago; characters stay whole.
func TestStream(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	run := w.sleeping("blue submitter")
	got := make(chan []event, 1)
	go func() { got <- w.stream(run, "") }()
	time.Sleep(50 * time.Millisecond)
	w.ask("blue submitter", "POST", "/v1/executions/"+run+"/cancel", `{}`)
	events := <-got
	var names []string
	for i, e := range events {
		names = append(names, e.name)
		if e.id != fmt.Sprint(i+1) {
			t.Errorf("event %d has the ID %s", i, e.id)
		}
	}
	text := strings.Join(names, " ")
	if !strings.HasSuffix(text, "result exit") || !strings.Contains(text, "event") || !strings.Contains(text, "stdout") {
		t.Fatalf("events: %s", text)
	}
	for _, e := range events {
		if e.name == "stdout" && strings.Contains(e.data, `\ufffd`) {
			t.Errorf("a character was cut: %s", e.data)
		}
	}
	again := w.stream(run, events[len(events)-3].id)
	if len(again) != 2 || again[0].name != "result" {
		t.Errorf("resumed: %+v", again)
	}
	w.close()
	next := openWorld(t, w.home, "", httpapi.Limits{})
	next.keys = w.keys
	replayed := next.stream(run, "")
	if len(replayed) != 3 || replayed[0].name != "stdout" || replayed[2].name != "exit" {
		t.Errorf("replayed: %+v", replayed)
	}
	if seen := next.stream(run, "4"); len(seen) != 2 || seen[0].name != "result" {
		t.Errorf("its output was told twice: %+v", seen)
	}
}

type event struct{ id, name, data string }

func (w *world) stream(run, last string) (all []event) {
	r, err := http.NewRequest(http.MethodGet, w.web.URL+"/v1/executions/"+run+"/stream", nil)
	must(w.t, err)
	r.Header.Set("X-API-Key", w.key("blue submitter"))
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(r)
	must(w.t, err)
	defer resp.Body.Close()
	var e event
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), ":") { // it is there still
			continue
		}
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			all = append(all, e)
			e = event{}
		}
	}
	return all
}

// TestForm: files beside the request, as a form.
func TestForm(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	form := func(parts ...[3]string) answer {
		var b bytes.Buffer
		m := multipart.NewWriter(&b)
		for _, p := range parts {
			var err error
			if p[1] == "" {
				err = m.WriteField(p[0], p[2])
			} else if f, made := m.CreateFormFile(p[0], p[1]); made == nil {
				_, err = f.Write([]byte(p[2]))
			}
			must(t, err)
		}
		must(t, m.Close())
		return w.ask("blue submitter", "POST", "/v1/executions", b.String(), "Content-Type", m.FormDataContentType())
	}
	request := [3]string{"request", "", `{"code": "file"}`}
	a := form(request, [3]string{"file", "data.csv", "a,b\n\xff"})
	if a.status != 200 {
		t.Fatalf("%d %s", a.status, a.text)
	}
	entries := w.ask("blue auditor", "GET", "/v1/audit/entries?payloads=true&limit=1&run="+a.member("run"), "")
	if !strings.Contains(entries.text, `"name":"data.csv","data":"YSxiCv8="`) {
		t.Errorf("the file did not come: %s", entries.text)
	}
	if a := form(request, [3]string{"file", "empty.csv", ""}); a.status != 200 {
		t.Errorf("an empty file: %d %s", a.status, a.text)
	}
	for data, status := range map[string]int{"": 200, "YQ==": 200, "@": 422, "YQ": 422} {
		if a := w.ask("blue submitter", "POST", "/v1/executions", `{"code": "file", "files": [{"name": "a", "data": "`+data+`"}]}`); a.status != status {
			t.Errorf("a file of %q: %d %s", data, a.status, a.text)
		}
	}
	for name, a := range map[string]answer{
		"no request":   form([3]string{"file", "x", "y"}),
		"two requests": form(request, request),
		"no JSON":      form([3]string{"request", "", "code"}),
		"another part": form(request, [3]string{"other", "", "x"}),
		"cut off":      w.ask("blue submitter", "POST", "/v1/executions", "--b\r\nContent-Dis", "Content-Type", "multipart/form-data; boundary=b"),
	} {
		if a.status != 422 || a.member("code") != "invalid" {
			t.Errorf("%s: %d %s", name, a.status, a.text)
		}
	}
	for what, disposition := range map[string]string{"Latin-1": "filename=\"b\xfccher.csv\"", "encoded": "filename*=utf-8''b%fccher.csv"} {
		body := "--b\r\nContent-Disposition: form-data; name=\"request\"\r\n\r\n{\"code\": \"file\"}\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"good.csv\"\r\n\r\nx\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"file\"; " + disposition + "\r\n\r\nx\r\n--b--\r\n"
		got := w.ask("blue submitter", "POST", "/v1/executions", body, "Content-Type", "multipart/form-data; boundary=b")
		if got.status != 422 || !strings.Contains(got.text, `"errors":[{"location":"body.file[1].filename","message":"it is not UTF-8`) {
			t.Errorf("a name in %s: %d %s", what, got.status, got.text)
		}
	}
	artifact := w.ask("blue submitter", "GET", "/v1/executions/"+a.member("run")+"/artifacts/out%2Fa%20b.txt", "")
	if artifact.text != "the file of "+a.member("run") || !strings.HasPrefix(artifact.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%q %v", artifact.text, artifact.header)
	}
}

// TestWithoutABody: what needs no body is answered without one, also where no media
// type is named; what needs one says so.
func TestWithoutABody(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	w.key("blue spare")
	for who, path := range map[string]string{
		"blue submitter": "/v1/executions/" + w.sleeping("blue submitter") + "/cancel", "system auditor": "/v1/audit/verify",
		"blue admin": "/v1/keys/" + w.ids["blue spare"] + "/rotate",
	} {
		if a := w.ask(who, "POST", path, "", "Content-Type", ""); a.status != 200 && a.status != 202 {
			t.Errorf("%s: %d %s", path, a.status, a.text)
		}
	}
	for _, c := range []string{"GET /v1/me", "POST /v1/executions/" + w.sleeping("blue submitter") + "/cancel"} { // in chunks, none of them
		method, path, _ := strings.Cut(c, " ")
		r, err := http.NewRequest(method, w.web.URL+path, io.MultiReader(strings.NewReader("")))
		must(t, err)
		r.ContentLength = -1
		r.Header.Set("Authorization", "Bearer "+w.key("blue submitter"))
		resp, err := http.DefaultClient.Do(r)
		must(t, err)
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusAccepted {
			t.Errorf("%s in chunks: %d", c, resp.StatusCode)
		}
	}
	for _, path := range []string{"/v1/executions", "/v1/scans"} {
		a := w.ask("blue submitter", "POST", path, "", "Content-Type", "")
		if a.status != 422 || a.member("code") != "invalid" || !strings.Contains(a.text, "body is required") {
			t.Errorf("%s: %d %s", path, a.status, a.text)
		}
	}
}

// TestHeaders: every answer keeps a browser from misusing it, and what a page of
// another site can send is not taken.
func TestHeaders(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	for _, path := range []string{"/v1/health", "/v1/me", "/nope", "/docs", "/openapi.json"} {
		h := w.ask("", "GET", path, "").header
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "X-Frame-Options": "DENY"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") || h.Get("Access-Control-Allow-Origin") != "" || h.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"} {
		if a := w.ask("blue submitter", "POST", "/v1/scans", `{"code": "x"}`, "Content-Type", media); a.status != 415 {
			t.Errorf("%q: %d %s", media, a.status, a.text)
		}
	}
	for _, body := range []string{"{\"code\": \"\xff\"}", `{"code": "\ud800"}`, `{"code": "x"} {}`, `{"code": "x", "CODE": "y"}`, `null`, `[]`, ``} {
		if a := w.ask("blue submitter", "POST", "/v1/executions", body); a.status != 422 {
			t.Errorf("%q: %d %s", body, a.status, a.text)
		}
	}
}

// TestPages: a list comes in pages that do not move.
func TestPages(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	for i := range 5 {
		w.run("blue submitter", fmt.Sprintf("print(%d)", i))
	}
	w.run("red submitter", "print(1)")
	seen, after := 0, ""
	for {
		page := w.ask("blue auditor", "GET", "/v1/executions?limit=2"+after, "")
		items, _ := page.body["items"].([]any)
		seen += len(items)
		if page.member("next") == "" {
			break
		}
		after = "&after=" + page.member("next")
		w.run("blue submitter", "print(7)")
	}
	if seen != 5 {
		t.Errorf("%d runs on the pages", seen)
	}
	if a := w.ask("blue auditor", "GET", "/v1/executions?after=x", ""); a.status != 422 {
		t.Errorf("%d %s", a.status, a.text)
	}
}

// TestProof: what the door gives out proves itself.
func TestProof(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	run := w.run("blue submitter", "print(1)").member("run")
	entries := w.ask("blue auditor", "GET", "/v1/audit/entries?run="+run, "")
	items, _ := entries.body["items"].([]any)
	if len(items) < 6 {
		t.Fatalf("%s", entries.text)
	}
	index := fmt.Sprint(items[0].(map[string]any)["index"])
	var p proof
	must(t, json.Unmarshal([]byte(w.ask("blue auditor", "GET", "/v1/audit/entries/"+index+"/proof", "").text), &p))
	key, err := (record{w}).PublicKey()
	must(t, err)
	if err := p.Check(key); err != nil {
		t.Error(err)
	}
	if a := w.ask("system auditor", "POST", "/v1/audit/verify", `{}`); a.member("verdict") == "tampered" || a.status != 200 {
		t.Errorf("%d %s", a.status, a.text)
	}
	// What tells of the gate's machine is for its operator.
	mine, all := w.ask("blue auditor", "GET", "/v1/audit/entries?payloads=true&run="+run, ""), w.ask("system auditor", "GET", "/v1/audit/entries?payloads=true&run="+run, "")
	if strings.Contains(mine.text, `"backend":"box","trees"`) || !strings.Contains(all.text, `"backend":"box","trees"`) {
		t.Errorf("a tenant's auditor: %s\nthe operator's: %s", mine.text, all.text)
	}
}

// TestBodiesThatDoNotCome: whoever announces a body and does not send it, and may
// not send one, is answered soon and cut off.
func TestBodiesThatDoNotCome(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	for what, head := range map[string]string{
		"to a page for all":  "GET /v1/health HTTP/1.1\r\nContent-Length: 9\r\n",
		"without a key":      "POST /v1/executions HTTP/1.1\r\nContent-Length: 100\r\nContent-Type: application/json\r\n",
		"to nowhere":         "GET /nowhere HTTP/1.1\r\nTransfer-Encoding: chunked\r\n",
		"of no kind at all":  "POST /v1/executions HTTP/1.1\r\nContent-Length: 100\r\nAuthorization: Bearer " + w.key("blue submitter") + "\r\n",
		"larger than may be": "POST /v1/executions HTTP/1.1\r\nContent-Length: 1000000000\r\nContent-Type: application/json\r\nAuthorization: Bearer " + w.key("blue submitter") + "\r\n",
	} {
		c, err := net.Dial("tcp", w.web.Listener.Addr().String())
		must(t, err)
		defer c.Close()
		must(t, c.SetDeadline(time.Now().Add(20*time.Second)))
		_, err = io.WriteString(c, head+"Host: x\r\n\r\n")
		must(t, err)
		text, err := io.ReadAll(c) // until it is cut off
		if err != nil || !strings.Contains(string(text), `"code":`) {
			t.Errorf("%s: %v, %q", what, err, text)
		}
	}
}
