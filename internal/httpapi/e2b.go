package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"palisade"
	"palisade/internal/auth"
)

// E2B is the door as the E2B code interpreter's clients know it, for a port of its
// own: sandboxes are made, run code and are closed. What they call a sandbox is here
// a name that programs are sent under: each program has a fresh box.
func (s *Server) E2B() http.Handler {
	mux := http.NewServeMux()
	for _, prefix := range []string{"", "/v2"} { // the version of the path went up with the client's
		mux.HandleFunc("POST "+prefix+"/sandboxes", s.e2bCreate)
		mux.HandleFunc("GET "+prefix+"/sandboxes/{id}", s.e2bShow)
		mux.HandleFunc("DELETE "+prefix+"/sandboxes/{id}", s.e2bClose)
		mux.HandleFunc("POST "+prefix+"/sandboxes/{id}/timeout", s.e2bTimeout)
		mux.HandleFunc("POST "+prefix+"/sandboxes/{id}/connect", s.e2bConnect)
	}
	mux.HandleFunc("POST /execute", s.e2bExecute)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return &guard{
		server: s, mux: mux, public: []string{"/health"}, caller: s.e2bCaller, tell: writeE2BError,
		bound: func(path string) int64 {
			if path == "/execute" {
				return s.admission.limits.Body
			}
			return smallBody
		},
	}
}

// e2bError is an error as E2B's clients read it.
type e2bError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func writeE2BError(w http.ResponseWriter, e *Error) {
	for name, values := range e.GetHeaders() {
		w.Header()[name] = values
	}
	writeJSON(w, e.status, e2bError{e.status, e.Message})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // whoever asked may be gone
}

// e2bCaller finds who asks: by their key, or where code is sent by the sandbox's own
// token, for as long as the key that it was made with is good.
func (s *Server) e2bCaller(r *http.Request) (auth.Caller, error) {
	if r.URL.Path != "/execute" {
		return s.c.Door.Caller(r)
	}
	box := s.boxes.find(r.Header.Get("E2b-Sandbox-Id"))
	token := cmp.Or(r.Header.Get("X-Access-Token"), r.Header.Get("E2b-Traffic-Access-Token"))
	if box == nil || !box.knows(token) {
		return auth.Caller{}, &auth.Denied{Reason: "no such sandbox, or another's token"}
	}
	asked := r.Clone(r.Context())
	asked.Header = box.headers
	return s.c.Door.Caller(asked)
}

// e2bMade is a sandbox as it is told when it is made.
type e2bMade struct {
	SandboxID          string `json:"sandboxID"`
	TemplateID         string `json:"templateID"`
	ClientID           string `json:"clientID"`
	EnvdVersion        string `json:"envdVersion"`
	EnvdAccessToken    string `json:"envdAccessToken,omitempty"`
	TrafficAccessToken string `json:"trafficAccessToken,omitempty"`
}

// e2bVersion is the protocol's version that clients of this one take.
const e2bVersion = "0.5.0"

func (s *Server) e2bCreate(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Template string            `json:"templateID"`
		Timeout  int64             `json:"timeout"`
		EnvVars  map[string]string `json:"envVars"`
	}
	if !readE2B(w, r, &in) {
		return
	}
	caller := callerOf(r.Context())
	switch {
	case !holdsOne(caller, []auth.Role{auth.Submitter}):
		writeE2BError(w, errForbidden)
		return
	case len(in.EnvVars) > 0:
		writeE2BError(w, fail(http.StatusBadRequest, "invalid", "envs: programs see no environment variables: send values as arguments or files"))
		return
	}
	box, err := s.boxes.add(caller, credentials(r.Header), time.Duration(in.Timeout)*time.Second)
	if err != nil {
		writeE2BError(w, err)
		return
	}
	writeJSON(w, http.StatusCreated, e2bMade{box.id, cmp.Or(in.Template, "palisade"), "palisade", e2bVersion, box.token, ""})
}

// credentials are the headers by which a caller is known.
func credentials(h http.Header) http.Header {
	out := http.Header{}
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		if values := h.Values(name); len(values) > 0 {
			out[name] = slices.Clone(values)
		}
	}
	return out
}

// own finds the sandbox that the path names, if the caller made it.
func (s *Server) own(w http.ResponseWriter, r *http.Request) *e2bBox {
	box := s.boxes.find(r.PathValue("id"))
	if box == nil || !box.madeBy(callerOf(r.Context())) {
		writeE2BError(w, fail(http.StatusNotFound, "not_found", "no such sandbox"))
		return nil
	}
	return box
}

func (s *Server) e2bShow(w http.ResponseWriter, r *http.Request) {
	if box := s.own(w, r); box != nil {
		writeJSON(w, http.StatusOK, map[string]any{
			"sandboxID": box.id, "templateID": "palisade", "clientID": "palisade", "envdVersion": e2bVersion, "state": "running",
			"startedAt": box.made, "endAt": s.boxes.ends(box), "cpuCount": 1, "memoryMB": 512, "diskSizeMB": 256,
		})
	}
}

func (s *Server) e2bConnect(w http.ResponseWriter, r *http.Request) {
	if box := s.own(w, r); box != nil {
		writeJSON(w, http.StatusOK, e2bMade{box.id, "palisade", "palisade", e2bVersion, box.token, ""})
	}
}

func (s *Server) e2bTimeout(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Timeout int64 `json:"timeout"`
	}
	if !readE2B(w, r, &in) {
		return
	}
	if box := s.own(w, r); box != nil {
		s.boxes.extend(box, time.Duration(in.Timeout)*time.Second)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Server) e2bClose(w http.ResponseWriter, r *http.Request) {
	if box := s.own(w, r); box != nil {
		s.boxes.close(box)
		w.WriteHeader(http.StatusNoContent)
	}
}

// readE2B reads a request. Members that are not known are left aside: clients send
// more with each version, and none of it gives a program more.
func readE2B(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		writeE2BError(w, fail(http.StatusBadRequest, "invalid", "body: not the JSON that this takes"))
		return false
	}
	return true
}

// e2bLanguages are languages as E2B's clients name them.
var e2bLanguages = map[string]palisade.Language{
	"": palisade.Python, "python": palisade.Python, "javascript": palisade.JavaScript, "js": palisade.JavaScript,
	"typescript": palisade.TypeScript, "ts": palisade.TypeScript, "bash": palisade.Shell,
}

// e2bExecute runs code and tells of it as it goes, a JSON object a line.
func (s *Server) e2bExecute(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Code     string            `json:"code"`
		Context  string            `json:"context_id"`
		Language string            `json:"language"`
		EnvVars  map[string]string `json:"env_vars"`
	}
	if !readE2B(w, r, &in) {
		return
	}
	language, known := e2bLanguages[strings.ToLower(in.Language)]
	switch {
	case !known:
		writeE2BError(w, fail(http.StatusBadRequest, "invalid", "language: want python, javascript, typescript or bash"))
		return
	case in.Context != "":
		writeE2BError(w, fail(http.StatusBadRequest, "invalid", "context: %s", stateIsNotKept))
		return
	case len(in.EnvVars) > 0:
		writeE2BError(w, fail(http.StatusBadRequest, "invalid", "envs: programs see no environment variables: send values as arguments or files"))
		return
	}
	caller, box := callerOf(r.Context()), s.boxes.find(r.Header.Get("E2b-Sandbox-Id"))
	if box == nil || !holdsOne(caller, []auth.Role{auth.Submitter}) {
		writeE2BError(w, errForbidden)
		return
	}
	profile, refused := s.profileFor(caller, language, "")
	if refused != nil {
		writeE2BError(w, refused)
		return
	}
	sub := palisade.Submission{
		Run: s.c.NewID(), Tenant: caller.Tenant, Submitter: caller.Name, Conversation: "e2b:" + box.id, Profile: profile,
		Program: palisade.Program{Language: language, Source: []byte(in.Code)},
	}
	l, failed := s.start(r.Context(), sub, false, patience)
	if failed != nil {
		writeE2BError(w, failed)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	out := &e2bLines{sender: sender{w: w, control: http.NewResponseController(w)}, count: s.boxes.count(box)}
	out.follow(r.Context(), l)
}

// follow passes a run on as it goes. A caller who hangs up ends it.
func (o *e2bLines) follow(ctx context.Context, l *live) {
	var last int64
	for {
		events, _, ended, news := l.feed.since(last)
		for _, e := range events {
			o.event(e)
			last = e.ID
		}
		if ended {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			l.cancel(errHungUp)
			return
		}
	}
}
