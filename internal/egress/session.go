package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"palisade/internal/peer"
)

// session is one run's way out: what comes from its box is served until the
// channel ends.
type session struct {
	rules   rules
	reach   *reach
	secrets secrets
	ca      *authority // nil: no TLS is opened
	tell    func(event)

	transport *http.Transport
	ctx       context.Context //nolint:containedctx // it is the session's own life
	cancel    context.CancelFunc
	mux       *mux

	opened   atomic.Int64 // connections of the box
	count    atomic.Int64 // of requests
	working  sync.WaitGroup
	attempts atomic.Int64
	up, down atomic.Int64
}

// event is what the proxy tells of an attempt: once when it is judged, and once
// more when it is over.
type event struct {
	ID      int64  `json:"id"`
	Peer    string `json:"peer,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Refused bool   `json:"refused,omitempty"`
	Over    bool   `json:"over,omitempty"`
	Up      int64  `json:"up,omitempty"`
	Down    int64  `json:"down,omitempty"`
}

// errSpent says that a run's budget of bytes is used up.
var errSpent = refuse("this run sent or received more bytes than one may")

// newSession serves a box's channel. It ends with the channel, or by close.
func newSession(c runConfig, w world, in io.ReadCloser, out io.WriteCloser, tell func(event)) (*session, error) {
	all, err := compile(c.Peers)
	if err != nil {
		return nil, err
	}
	s := &session{
		rules: all, tell: tell, secrets: c.Secrets,
		reach: &reach{world: w, servers: c.Servers, pinned: map[string][]netip.Addr{}},
	}
	if all.terminate() {
		if s.ca, err = newAuthority(c.Run, time.Now()); err != nil {
			return nil, err
		}
	}
	s.transport = newTransport(s, w)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.mux = newMux(in, out, func(open int) error {
		if open >= maxOpen || s.opened.Add(1) > MaxConnections {
			return errors.New("too many connections")
		}
		return nil
	})
	return s, nil
}

// run serves until the channel ends, and says why it did if that was not the
// box's end.
func (s *session) run() error {
	server := s.server(s)
	go func() { _ = server.Serve(s.mux) }() // it ends with the channel
	err := s.mux.serve()
	s.cancel()
	_ = server.Close()
	s.transport.CloseIdleConnections()
	s.finish()
	return err
}

// finish waits for what is under way: it has been told to end, and what it did
// is told before the run is closed.
func (s *session) finish() {
	over := make(chan struct{})
	go func() { s.working.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(endTime):
	}
}

// close ends every connection at once.
func (s *session) close() {
	s.cancel()
	s.mux.end(nil)
}

// server is how requests of the box are read, from its channel and from inside
// TLS that is opened.
func (s *session) server(h http.Handler) *http.Server {
	watch := &watcher{session: s, unread: map[net.Conn]bool{}}
	return &http.Server{
		Handler:           watch.handler(h),
		ReadHeaderTimeout: headTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog:                     log.New(io.Discard, "", 0),
		DisableGeneralOptionsHandler: true,
		TLSNextProto:                 map[string]func(*http.Server, *tls.Conn, http.Handler){},
		BaseContext:                  func(net.Listener) context.Context { return s.ctx },
		ConnContext:                  func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState:                    watch.state,
	}
}

// watcher notices requests that could not be read: they are attempts too.
type watcher struct {
	session *session
	mu      sync.Mutex
	unread  map[net.Conn]bool
}

type connKey struct{}

func (w *watcher) handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			w.mu.Lock()
			w.unread[c] = false
			w.mu.Unlock()
		}
		w.session.working.Add(1)
		defer w.session.working.Done()
		h.ServeHTTP(rw, r)
	})
}

func (w *watcher) state(c net.Conn, state http.ConnState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch state {
	case http.StateActive:
		w.unread[c] = true
	case http.StateClosed, http.StateHijacked:
		if w.unread[c] {
			w.session.refused("?", "a request that cannot be read")
		}
		delete(w.unread, c)
	}
}

// attempt is one connection or request on its way.
type attempt struct {
	session  *session
	id       int64
	up, down atomic.Int64
	over     sync.Once
}

// begin tells of an attempt that is let through.
func (s *session) begin(peer, detail string) *attempt {
	a := &attempt{session: s, id: s.attempts.Add(1)}
	if a.id <= maxAttempts {
		s.tell(event{ID: a.id, Peer: peer, Detail: detail})
	}
	return a
}

// end tells that it is over, once.
func (a *attempt) end(detail string) {
	a.over.Do(func() {
		if a.id <= maxAttempts {
			a.session.tell(event{ID: a.id, Over: true, Detail: detail, Up: a.up.Load(), Down: a.down.Load()})
		}
	})
}

// refused tells of an attempt that is not let through.
func (s *session) refused(peer, reason string) {
	if id := s.attempts.Add(1); id <= maxAttempts {
		s.tell(event{ID: id, Peer: peer, Detail: reason, Refused: true, Over: true})
	}
}

// failed tells of an attempt that came to nothing: refused, or let through and
// not answered.
func (s *session) failed(peer, what string, err error) {
	if _, ok := errors.AsType[*refusal](err); ok {
		s.refused(peer, what+err.Error())
		return
	}
	s.begin(peer, what+err.Error()).end("")
}

// sent and received count bytes of an attempt against the run's budget.
func (a *attempt) sent(n int) error {
	a.up.Add(int64(n))
	if a.session.up.Add(int64(n)) > MaxUp {
		return errSpent
	}
	return nil
}

func (a *attempt) received(n int) error {
	a.down.Add(int64(n))
	if a.session.down.Add(int64(n)) > MaxDown {
		return errSpent
	}
	return nil
}

// ServeHTTP takes a request that came from the box in clear: CONNECT, or one
// for an http URL.
func (s *session) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.count.Add(1) > MaxConnections {
		s.refused(brief(r.RequestURI), "more connections than one run may make")
		say(w, http.StatusTooManyRequests, refuse("this run made more than %d connections", MaxConnections))
		return
	}
	if r.Method == http.MethodConnect {
		s.connect(w, r)
		return
	}
	a, err := plainTarget(r)
	if err != nil {
		s.refused(brief(r.RequestURI), err.Error())
		say(w, http.StatusForbidden, err)
		return
	}
	s.forward(w, r, "http", a)
}

// plainTarget returns the peer of a request for an http URL. The Host line says
// nothing here: a proxy goes by the URL (RFC 9112, section 3.2.2).
func plainTarget(r *http.Request) (peer.Authority, error) {
	switch u := r.URL; {
	case u.Scheme == "https":
		return peer.Authority{}, refuse("https goes through CONNECT")
	case u.Scheme != "http":
		return peer.Authority{}, refuse("a proxy takes http://… and CONNECT, nothing else")
	case u.User != nil:
		return peer.Authority{}, refuse("the URL has a user in it")
	case u.Opaque != "" || u.Fragment != "":
		return peer.Authority{}, refuse("the URL is not in its usual form")
	default:
		a, err := peer.ParseAuthority(u.Host, "80")
		if err != nil {
			return a, refuse("%s", err)
		}
		return a, nil
	}
}

// say answers with a reason, as text.
func say(w http.ResponseWriter, code int, err error) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Palisade-Refused", oneLine(err.Error()))
	h.Set("Connection", "close")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, "palisade: "+oneLine(err.Error())+"\n")
}

// code is the status of an error in an answer.
func code(err error) int {
	if _, ok := errors.AsType[*refusal](err); ok {
		return http.StatusForbidden
	}
	return http.StatusBadGateway
}
