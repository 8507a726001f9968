package egress

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// way is a session in this process with the box's end in the test's hands.
type way struct {
	t       testing.TB
	session *session
	box     *mux
	ended   chan error

	mu     sync.Mutex
	events []event
}

func newWay(t testing.TB, c runConfig) *way {
	t.Helper()
	fromBox, boxOut := pipe(t)
	boxIn, toBox := pipe(t)
	w := &way{t: t, ended: make(chan error, 1)}
	var err error
	w.session, err = newSession(c, outside, fromBox, toBox, func(e event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.events = append(w.events, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() { w.ended <- w.session.run() }()
	w.box = newMux(boxIn, boxOut, func(int) error { return nil })
	go func() { _ = w.box.serve() }()
	t.Cleanup(func() { w.box.end(nil); w.session.close() })
	return w
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// dial opens a stream as the relay does.
func (w *way) dial() net.Conn {
	w.t.Helper()
	w.box.mu.Lock()
	w.box.last++
	s := newStream(w.box, w.box.last)
	w.box.live[s.id] = s
	w.box.mu.Unlock()
	if err := w.box.send(frameOpen, s.id, nil); err != nil {
		w.t.Fatal(err)
	}
	if err := s.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// reply is the first answer to a request.
type reply struct {
	code         int
	status, body string
}

// passed reports whether the proxy let a request through, also where the peer did
// not answer.
func (r reply) passed() bool { return r.code < 400 || r.code == http.StatusBadGateway }

// ask sends raw bytes and returns the first answer.
func (w *way) ask(raw string) reply {
	w.t.Helper()
	c := w.dial()
	defer c.Close()
	if _, err := io.WriteString(c, raw); err != nil {
		w.t.Fatal(err)
	}
	method, _, _ := strings.Cut(raw, " ")
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		w.t.Fatalf("%.100q: %v", raw, err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return reply{resp.StatusCode, resp.Status, string(body)}
}

// told waits for an event that fits, and returns whether there is one.
func (w *way) told(refused bool, text string) bool {
	for range 100 {
		w.mu.Lock()
		for _, e := range w.events {
			if e.Refused == refused && strings.Contains(e.Peer+" "+e.Detail, text) {
				w.mu.Unlock()
				return true
			}
		}
		w.mu.Unlock()
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func (w *way) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("%+v", w.events)
}
