package approval

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
)

var key = []byte("0123456789abcdef0123456789abcdef")

// hook is a server that answers with one status after the other, the last of
// them from then on.
type hook struct {
	*httptest.Server
	posts    chan post
	statuses []int
	n        atomic.Int64
}

type post struct {
	header http.Header
	body   []byte
}

func newHook(t *testing.T, statuses ...int) *hook {
	h := &hook{posts: make(chan post, 99), statuses: statuses}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		status := h.statuses[min(int(h.n.Add(1))-1, len(h.statuses)-1)]
		h.posts <- post{r.Header, body}
		w.Header().Set("Location", "/elsewhere")
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"approve":true,"granted":true}`)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) notify(t *testing.T, b *bench, q *Queue) *Notifier {
	t.Helper()
	n, err := q.Notify(Webhook{URL: h.URL, Key: key, Now: b.time, Pauses: []time.Duration{time.Millisecond, time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	return n
}

func (h *hook) next(t *testing.T) post {
	t.Helper()
	select {
	case p := <-h.posts:
		return p
	case <-time.After(10 * time.Second):
		t.Fatal("nobody is told")
		panic("unreachable")
	}
}

// deliveries are those on the record, once there are n.
func deliveries(t *testing.T, q *Queue, n int) []delivery {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var all []delivery
		err := q.c.Store.Update(context.Background(), func(v View) ([]palisade.Event, error) {
			for r, err := range v.Records(0, KindNotified) {
				if err != nil {
					return nil, err
				}
				var d delivery
				if err := json.Unmarshal(r.Data, &d); err != nil {
					return nil, err
				}
				all = append(all, d)
			}
			return nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(all) >= n || time.Now().After(end) {
			return all
		}
	}
}

func TestWebhookIsSigned(t *testing.T) {
	b := newBench(t)
	q := b.queue(Config{Need: needs(2)})
	h := newHook(t, 204)
	h.notify(t, b, q)
	a := take(t, q, "run1", question())
	p := h.next(t)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(p.header.Get("webhook-id") + "." + p.header.Get("webhook-timestamp") + "." + string(p.body)))
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); p.header.Get("webhook-signature") != want {
		t.Errorf("signature %q, want %q", p.header.Get("webhook-signature"), want)
	}
	var n notice
	if err := json.Unmarshal(p.body, &n); err != nil {
		t.Fatal(err)
	}
	if n.Type != "approval.asked" || n.Data.Ticket != a.Ticket || n.Data.Binding != a.Binding || n.Data.Submitter != "uid:1000" || n.Data.Need != 2 || len(n.Data.Capabilities) != 1 {
		t.Errorf("%+v", n)
	}
	if text := string(p.body); strings.Contains(text, "load the table") || strings.Contains(text, "import pickle") {
		t.Errorf("it tells of the prompt or the code: %s", text)
	}
	if d := deliveries(t, q, 1); len(d) != 1 || d[0] != (delivery{Ticket: a.Ticket, Delivered: true, Attempts: 1}) {
		t.Errorf("%+v", d)
	}
	// What it answered decides nothing, and the same question is told once.
	if got := take(t, q, "run2", question()); got.Granted || got.Ticket != a.Ticket {
		t.Errorf("%+v", got)
	}
	if len(h.posts) != 0 {
		t.Error("told twice")
	}
}

func TestWebhookRetries(t *testing.T) {
	for name, c := range map[string]struct {
		statuses  []int
		delivered bool
		attempts  int
	}{
		"at last":            {[]int{500, 503, 200}, true, 3},
		"never":              {[]int{500}, false, 3},
		"too many":           {[]int{429, 200}, true, 2},
		"not found":          {[]int{404, 200}, false, 1},
		"gone":               {[]int{410, 200}, false, 1},
		"sent somewhere":     {[]int{302, 200}, false, 1},
		"sent for good":      {[]int{308, 200}, false, 1},
		"not a status of it": {[]int{401, 200}, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			q := b.queue(Config{})
			h := newHook(t, c.statuses...)
			h.notify(t, b, q)
			take(t, q, "run1", question())
			d := deliveries(t, q, 1)
			if len(d) != 1 || d[0].Delivered != c.delivered || d[0].Attempts != c.attempts || (d[0].Error == "") != c.delivered {
				t.Errorf("%+v", d)
			}
			if got := int(h.n.Load()); got != c.attempts {
				t.Errorf("%d posts, want %d", got, c.attempts)
			}
			id := h.next(t).header.Get("webhook-id")
			for range c.attempts - 1 {
				if again := h.next(t).header.Get("webhook-id"); again != id {
					t.Errorf("another id: %s, %s", id, again)
				}
			}
		})
	}
}

// TestWebhookAfterARestart ends a gate before it could tell, and has another go
// on.
func TestWebhookAfterARestart(t *testing.T) {
	b := newBench(t)
	first := b.queue(Config{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that a hang-up is noticed
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	n, err := first.Notify(Webhook{URL: silent.URL, Key: key, Now: b.time})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	a := take(t, first, "run1", question())
	answered := take(t, first, "run2", question(func(q *palisade.Question) { q.Image = "other" }))
	if took := time.Since(start); took > time.Second {
		t.Errorf("whoever asks waits for the webhook: %s", took)
	}
	b.approve(first, answered)
	if err := n.Close(); err != nil || time.Since(start) > closeGrace+2*time.Second {
		t.Errorf("closing took %s: %v", time.Since(start), err)
	}
	h := newHook(t, 200)
	young := b.queue(Config{})
	h.notify(t, b, young)
	time.Sleep(50 * time.Millisecond)
	if len(h.posts) != 0 {
		t.Error("told while the first gate may still do so")
	}
	b.advance(othersTime)
	late := b.queue(Config{})
	h.notify(t, b, late)
	var told notice
	if err := json.Unmarshal(h.next(t).body, &told); err != nil || told.Data.Ticket != a.Ticket {
		t.Errorf("%+v, %v", told, err)
	}
	if d := deliveries(t, late, 1); len(d) != 1 || !d[0].Delivered {
		t.Errorf("%+v", d)
	}
	h.notify(t, b, b.queue(Config{}))
	time.Sleep(50 * time.Millisecond)
	if len(h.posts) != 0 {
		t.Error("told again, or of a question that was answered")
	}
}

func TestWebhookAddresses(t *testing.T) {
	for text, good := range map[string]bool{
		"https://hooks.example.org/x":    true,
		"https://hooks.example.org:8443": true,
		"http://localhost:80/x":          true,
		"http://127.0.0.1:80/x":          true,
		"http://[::1]/x":                 true,
		"http://hooks.example.org/x":     false,
		"http://localhost.example.org":   false,
		"http://127.0.0.1.example.org":   false,
		"https://u:p@hooks.example.org":  false,
		"https:///x":                     false,
		"https://h.example.org/x#y":      false,
		"ftp://hooks.example.org":        false,
		"hooks.example.org":              false,
		"":                               false,
		"https://h.example.org/\x00":     false,
	} {
		if err := CheckURL(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestWebhookKeys(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"plain":       {string(key) + "\n", 0o600, string(key)},
		"standard":    {"whsec_" + base64.StdEncoding.EncodeToString(key), 0o400, string(key)},
		"not base64":  {"whsec_%%%", 0o600, ""},
		"short":       {"secret", 0o600, ""},
		"long":        {strings.Repeat("x", 65), 0o600, ""},
		"empty":       {"", 0o600, ""},
		"for a group": {string(key), 0o640, ""},
		"for all":     {string(key), 0o604, ""},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		got, err := ReadKey(file)
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err != nil && c.text != "" && strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: the error repeats the key: %v", name, err)
		}
	}
	if _, err := ReadKey(filepath.Join(dir, "nosuch")); err == nil {
		t.Error("no file")
	}
}
