package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// keyed is a request under a key of its own, and how it was answered first.
type keyed struct {
	name, body string
	status     int    // 0: nobody answered
	run        string // of an answer with an outcome
}

// newKeyed is the request of a client's turn: of those that print, sleep, fail and are
// denied, one.
func newKeyed(client, turn int) *keyed {
	k := &keyed{name: fmt.Sprintf("c%02d-%03d.py", client, turn)}
	code := []string{"print(1)", "import time; time.sleep(0.4)", "1/0", "import os; os.system('id')"}[(client+turn)%4]
	body, _ := json.Marshal(map[string]string{"code": code, "name": k.name})
	k.body = string(body)
	return k
}

// send asks for the request's run.
func (k *keyed) send(s *served, key string) (status int, got map[string]any) {
	status, _, data, err := ask(s.url, key, "POST", "/v1/executions", k.body, "Idempotency-Key", k.name)
	if err != nil || json.Unmarshal(data, &got) != nil {
		return 0, nil
	}
	return status, got
}

// TestServeKilledUnderLoad: a server is killed while 64 clients ask. After the next
// start every run that was taken has its end on the record, each client that asks again
// gets an outcome, and no request has run twice.
func TestServeKilledUnderLoad(t *testing.T) {
	requireGate(t)
	home := filepath.Join(t.TempDir(), "home")
	s := serve(t, home)
	key := s.key("--role", "submitter", "--role", "auditor")
	var mu sync.Mutex
	var sent []*keyed
	var clients sync.WaitGroup
	for client := range 64 {
		clients.Go(func() {
			for turn := 0; ; turn++ {
				k := newKeyed(client, turn)
				status, got := k.send(s, key)
				if run, ok := got["run"].(string); ok && got["status"] != nil {
					k.run = run
				}
				k.status = status
				mu.Lock()
				sent = append(sent, k)
				mu.Unlock()
				if status == 0 {
					return // it is killed
				}
			}
		})
	}
	time.Sleep(8 * time.Second)
	s.stop(syscall.SIGKILL)
	clients.Wait()
	s = serve(t, home)
	askAgain(t, s, key, sent)
	answered, unanswered := 0, 0
	for _, k := range sent {
		if k.status == 0 {
			unanswered++
		} else if k.run != "" {
			answered++
		}
	}
	if answered < 10 || unanswered < 32 {
		t.Errorf("only %d requests were answered and %d not: that was no load", answered, unanswered)
	}
	onRecord(t, s, key, sent)
}

// askAgain sends each request again, until it has an outcome.
func askAgain(t *testing.T, s *served, key string, sent []*keyed) {
	t.Helper()
	work := make(chan *keyed)
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for k := range work {
				k.again(t, s, key)
			}
		})
	}
	for _, k := range sent {
		work <- k
	}
	close(work)
	clients.Wait()
}

func (k *keyed) again(t *testing.T, s *served, key string) {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		status, got := k.send(s, key)
		if status == 429 || status == 503 && got["may_have_run"] == false {
			continue
		}
		if run, _ := got["run"].(string); got["status"] == nil || run == "" || k.run != "" && k.run != run {
			t.Errorf("%s was answered with %d and run %q, and then with %d: %v", k.name, k.status, k.run, status, got)
		}
		return
	}
	t.Errorf("%s got no outcome", k.name)
}

// onRecord holds the record to what was sent: each request has run at most once, and
// nothing is without an end.
func onRecord(t *testing.T, s *served, key string, sent []*keyed) {
	t.Helper()
	ran := map[string]int{}
	for after := ""; ; {
		status, _, page := s.ask(key, "GET", "/v1/executions?limit=100&after="+url.QueryEscape(after), "")
		items, ok := page["items"].([]any)
		if status != 200 || !ok {
			t.Fatalf("%d %v", status, page)
		}
		for _, item := range items {
			run := item.(map[string]any)
			if run["state"] != "done" || run["status"] == "" {
				t.Errorf("it has no end: %v", run)
			}
			if run["may_have_run"] == true {
				ran[run["program"].(string)]++
			}
		}
		if after, _ = page["next"].(string); after == "" {
			break
		}
	}
	once := 0
	for _, k := range sent {
		if ran[k.name] > 1 {
			t.Errorf("%s ran %d times", k.name, ran[k.name])
		}
		once += ran[k.name]
	}
	if once < len(sent)/4 {
		t.Errorf("of %d requests only %d ran", len(sent), once)
	}
}
