package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"palisade/internal/auth"
	"palisade/internal/jsontext"
)

const (
	// smallBody bounds requests without a program, in bytes.
	smallBody = 1 << 20
	// bodyTime is how long a request may take to arrive, writeTime how long an
	// answer, or a piece of a stream, may take to be read.
	bodyTime  = 30 * time.Second
	restTime  = 500 * time.Millisecond // of a body that is not wanted
	writeTime = 30 * time.Second
)

// policies are the headers of every answer: a browser gets nothing to run, embed,
// guess or keep.
var policies = map[string]string{
	"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "no-referrer",
	"Cache-Control":                "no-store",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Permissions-Policy":           "interest-cohort=()",
}

// public are the paths that answer whoever asks.
var public = []string{"/openapi.json", "/docs", "/v1/health", "/v1/ready"}

// guard is what every request passes before a resource sees it.
type guard struct {
	server *Server
	mux    *http.ServeMux
	public []string // paths
	// caller finds who asks, bound is the largest body of a path, and tell answers
	// with an error.
	caller func(r *http.Request) (auth.Caller, error)
	bound  func(path string) int64
	tell   func(w http.ResponseWriter, e *Error)
}

func (g *guard) ServeHTTP(plain http.ResponseWriter, r *http.Request) {
	w := &answer{ResponseWriter: plain}
	for name, value := range policies {
		w.Header().Set(name, value)
	}
	id := g.server.c.NewID()
	w.Header().Set("X-Request-Id", id)
	defer func() {
		what := recover()
		if what == nil {
			return
		}
		// The program that it was about goes on, and is recorded.
		slog.Error("http: panic", slog.String("request", id), slog.Any("what", what))
		if w.status == 0 {
			g.tell(w, errInternal)
		}
	}()
	// A connection without deadlines, as in a test, has none to be set.
	control, bodied := http.NewResponseController(w), r.Body != nil && r.Body != http.NoBody
	if bodied {
		_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	}
	if err := g.pass(w, r); err != nil {
		if bodied { // what is not read of it is waited for before the answer goes out
			_ = control.SetReadDeadline(time.Now().Add(restTime))
		}
		g.tell(w, err)
	}
	g.server.figures.answers.WithLabelValues(strconv.Itoa(w.status)).Inc()
}

// pass hands a request on, or says why not.
func (g *guard) pass(w http.ResponseWriter, r *http.Request) *Error {
	handler, pattern := g.mux.Handler(r)
	if pattern == "" {
		return nowhere(w, r, handler)
	}
	known := !slices.Contains(g.public, r.URL.Path)
	if known {
		caller, err := g.caller(r)
		if err != nil {
			return g.server.known("", err)
		}
		if err := g.server.admission.request(caller.Tenant); err != nil {
			return err
		}
		came := r // without the body as it is read below, which a run that waits needs no more
		again := func(ctx context.Context) error {
			_, err := g.caller(came.WithContext(ctx))
			return err
		}
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, asking{caller, again}))
	}
	room := &room{}
	defer room.leave()
	if err := g.body(w, r, room); err != nil {
		return err
	}
	r = r.WithContext(context.WithValue(r.Context(), roomKey{}, room))
	if known && r.Body != nil && r.Body != http.NoBody { // it took its time to arrive
		if err := askingOf(r.Context()).still(r.Context()); err != nil {
			return g.server.known("", err)
		}
	}
	g.mux.ServeHTTP(w, r)
	return nil
}

// largest is the largest body of a path.
func (s *Server) largest(path string) int64 {
	if path == executionsPath || path == scansPath {
		return s.admission.limits.Body
	}
	return smallBody
}

type callerKey struct{}

// asking is who asks, and how to find out whether they are known still.
type asking struct {
	caller auth.Caller
	again  func(ctx context.Context) error
}

// callerOf is who asks. The zero caller may nothing.
func callerOf(ctx context.Context) auth.Caller { return askingOf(ctx).caller }

func askingOf(ctx context.Context) asking {
	a, _ := ctx.Value(callerKey{}).(asking)
	return a
}

// still is an error once a key has ended that was good when its request came: what
// waited meanwhile is not done for it any more.
func (a asking) still(ctx context.Context) error {
	if a.again == nil {
		return auth.ErrUnauthenticated
	}
	err := a.again(ctx)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// nowhere answers for a path or a method that there is not.
func nowhere(w http.ResponseWriter, r *http.Request, handler http.Handler) *Error {
	probe := &discarded{header: http.Header{}}
	handler.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", probe.header.Get("Allow"))
		return fail(probe.status, "method_not_allowed", "this path takes %s", probe.header.Get("Allow"))
	}
	return fail(http.StatusNotFound, "not_found", "no such path: /openapi.json has them all")
}

// discarded takes an answer for its status.
type discarded struct {
	header http.Header
	status int
}

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) Write(b []byte) (int, error) { return len(b), nil }
func (d *discarded) WriteHeader(status int)      { d.status = status }

// room is what a body takes of the room for all. Whoever goes on with what was in it
// after the answer keeps it, and leaves later.
type room struct {
	release func()
	kept    bool
}

type roomKey struct{}

func (r *room) leave() {
	if r.release != nil && !r.kept {
		r.release()
	}
}

// keepRoom keeps a request's room for what goes on after the answer.
func keepRoom(ctx context.Context) (leave func()) {
	r, _ := ctx.Value(roomKey{}).(*room)
	if r == nil || r.release == nil {
		return func() {}
	}
	r.kept = true
	return r.release
}

// body reads a request's body, if it has one, within its bound and holds it to
// being JSON, or on the way to run a program a form with it.
func (g *guard) body(w http.ResponseWriter, r *http.Request, room *room) (failed *Error) {
	if r.ContentLength < 0 { // in chunks: there may be none
		body := bufio.NewReader(r.Body)
		if _, err := body.Peek(1); errors.Is(err, io.EOF) {
			r.Body = http.NoBody
		} else {
			r.Body = io.NopCloser(body)
		}
	}
	switch {
	case r.Body == nil, r.Body == http.NoBody:
		return nil // whether it takes one is the operation's to say
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		w.Header().Set("Connection", "close")
		return fail(http.StatusUnprocessableEntity, "invalid", "body: a request to read has none")
	}
	bound := g.bound(r.URL.Path)
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	form := media == "multipart/form-data" && r.URL.Path == executionsPath
	if err != nil || media != "application/json" && !form {
		return fail(http.StatusUnsupportedMediaType, "unsupported_media_type", "send Content-Type: application/json")
	}
	size := bound
	if r.ContentLength >= 0 {
		size = r.ContentLength
	}
	if size > bound {
		return tooLarge(bound)
	}
	tenant := callerOf(r.Context()).Tenant
	if room.release, failed = g.server.admission.hold(tenant, size); failed != nil {
		return failed
	}
	data, failed := readBody(r.Body, bound)
	if failed != nil {
		return failed
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if r.ContentLength < 0 { // it is known now
		room.release()
		if room.release, failed = g.server.admission.hold(tenant, int64(len(data))); failed != nil {
			return failed
		}
	}
	if form {
		data, failed = formToJSON(data, params["boundary"])
		r.Header.Set("Content-Type", "application/json")
	} else {
		failed = checkText(data)
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	return failed
}

func tooLarge(bound int64) *Error {
	return fail(http.StatusRequestEntityTooLarge, "too_large", "the request is larger than %d bytes", bound)
}

func readBody(body io.Reader, bound int64) ([]byte, *Error) {
	data, err := io.ReadAll(io.LimitReader(body, bound+1))
	switch {
	case int64(len(data)) > bound:
		return nil, tooLarge(bound)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fail(http.StatusRequestTimeout, "timeout", "the request did not arrive in %s", bodyTime)
	case err != nil:
		return nil, fail(http.StatusUnprocessableEntity, "invalid", "body: it was cut off")
	}
	return data, nil
}

// checkText refuses what a JSON decoder would take with other text than was sent.
func checkText(data []byte) *Error {
	if !utf8.Valid(data) {
		return fail(http.StatusUnprocessableEntity, "invalid", "body: not UTF-8")
	}
	if jsontext.LoneSurrogate(data) {
		return fail(http.StatusUnprocessableEntity, "invalid", "body: it escapes half of a surrogate pair")
	}
	return checkShape(data)
}

// answer notes an answer's status, and bounds how long it takes to be read.
type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
		_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(time.Now().Add(writeTime))
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// writeError answers with an error.
func writeError(w http.ResponseWriter, e *Error) {
	for name, values := range e.GetHeaders() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(e) // whoever asked may be gone
}
