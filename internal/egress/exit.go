package egress

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"palisade/internal/sandbox"
)

// exit is the gate's side of one run's way out.
type exit struct {
	child       *child
	id          int64
	variables   [][2]string
	certificate []byte
	opened      chan opened // buffered
	closed      chan struct{}
	ending      sync.Once

	mu       sync.Mutex
	attempts map[int64]*told
	more     int64
	broken   string
	over     bool
}

// told is one attempt, as far as it is known.
type told struct {
	sandbox.Attempt
	over     bool
	up, down int64
	result   string
}

func newExit(c *child, id int64, variables [][2]string) *exit {
	return &exit{
		child: c, id: id, variables: variables, attempts: map[int64]*told{},
		opened: make(chan opened, 1), closed: make(chan struct{}),
	}
}

// hear takes a notice about the run.
func (e *exit) hear(n notice) {
	switch {
	case n.Opened != nil:
		select {
		case e.opened <- *n.Opened:
		default:
		}
	case n.Closed != nil:
		e.mu.Lock()
		e.broken = n.Closed.Broken
		e.more += n.Closed.More
		e.mu.Unlock()
		e.gone()
	case n.Event != nil:
		e.note(*n.Event)
	}
}

// note takes an event. The process is confined but not trusted: what it tells is
// bounded here too.
func (e *exit) note(n event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := e.attempts[n.ID]
	if one == nil && len(e.attempts) >= maxAttempts {
		e.more++
		return
	}
	if one == nil {
		one = &told{Attempt: sandbox.Attempt{At: time.Now(), Peer: brief(n.Peer), Refused: n.Refused, Detail: brief(n.Detail)}}
		e.attempts[n.ID] = one
	} else if n.Detail != "" {
		one.result = brief(n.Detail)
	}
	one.over, one.up, one.down = n.Over, n.Up, n.Down
}

// gone says that nothing more comes.
func (e *exit) gone() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		e.over = true
		close(e.closed)
	}
}

// Box implements [sandbox.Exit].
func (e *exit) Box() sandbox.ExitPlan {
	const at, local, file = "http://127.0.0.1:{port}", "localhost,127.0.0.1,::1", "{certificates}"
	plan := sandbox.ExitPlan{Certificates: slices.Concat(bytes.TrimSpace(outside.roots()), []byte("\n"), e.certificate)}
	for _, name := range []string{"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"} {
		plan.Variables = append(plan.Variables, [2]string{name, at})
	}
	for _, name := range []string{"no_proxy", "NO_PROXY"} {
		plan.Variables = append(plan.Variables, [2]string{name, local})
	}
	// OpenSSL and Python, requests, curl, git, Node.js.
	for _, name := range []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"} {
		plan.Variables = append(plan.Variables, [2]string{name, file})
	}
	plan.Variables = append(plan.Variables, [2]string{"NODE_USE_ENV_PROXY", "1"})
	plan.Variables = append(plan.Variables, e.variables...)
	return plan
}

// Close implements [sandbox.Exit].
func (e *exit) Close() sandbox.Attempts {
	e.ending.Do(func() {
		if e.child.socket.Send(order{ID: e.id, Close: true}) != nil {
			e.gone()
		}
		select {
		case <-e.closed:
		case <-time.After(closePatience):
		}
		e.child.mu.Lock()
		delete(e.child.exits, e.id)
		e.child.mu.Unlock()
	})
	return e.all()
}

// all returns the attempts in the order in which they began.
func (e *exit) all() sandbox.Attempts {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := sandbox.Attempts{More: e.more, Broken: e.broken}
	var ids []int64
	for id := range e.attempts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		out.List = append(out.List, e.attempts[id].whole())
	}
	return out
}

// whole is an attempt with how it ended.
func (t *told) whole() sandbox.Attempt {
	a := t.Attempt
	parts := []string{a.Detail}
	if t.result != "" {
		parts = append(parts, t.result)
	}
	if !a.Refused && t.over {
		parts = append(parts, fmt.Sprintf("%d bytes up, %d down", t.up, t.down))
	}
	if !t.over {
		parts = append(parts, "cut off")
	}
	a.Detail = strings.Join(parts, "; ")
	return a
}
