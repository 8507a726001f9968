package httpapi_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"palisade/internal/httpapi"
)

// busy counts what is done at once.
type busy struct {
	mu        sync.Mutex
	now, most int
}

// enter takes a moment; what it returns is for the end.
func (b *busy) enter() (leave func()) {
	b.mu.Lock()
	b.now++
	b.most = max(b.most, b.now)
	b.mu.Unlock()
	time.Sleep(5 * time.Millisecond)
	return func() {
		b.mu.Lock()
		b.now--
		b.mu.Unlock()
	}
}

// TestPolicyQuestionsTakeTurns: checking and explaining policy can take a processor
// for seconds, so that one tenant does not have all of them at it.
func TestPolicyQuestionsTakeTurns(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{})
	w.key("blue submitter")
	var all sync.WaitGroup
	for range 4 * runtime.NumCPU() {
		for path, body := range map[string]string{"/v1/policies/validate": `{"text": "x"}`, "/v1/policies/explain": `{"things": ["os"]}`} {
			all.Go(func() {
				if a, err := w.try("blue submitter", "POST", path, body); err != nil || a.status != 200 && a.status != 429 {
					t.Errorf("%s: %d %s, %v", path, a.status, a.text, err)
				}
			})
		}
	}
	all.Wait()
	if most := max(1, runtime.NumCPU()/2); w.checks.most > most {
		t.Errorf("%d at once, want at most %d", w.checks.most, most)
	}
}
