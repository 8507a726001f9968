package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// heartbeat is how often a stream says that it is there, and its caller is looked
// up again.
const heartbeat = 5 * time.Second

type streamInput struct {
	RunPath
	Last string `header:"Last-Event-ID" maxLength:"20" doc:"The ID of the last event that was seen: the stream goes on after it."`
}

type streamOutput struct {
	Body func(huma.Context)
}

func (s *Server) stream(api huma.API) {
	op := operation(http.MethodGet, executionsPath+"/{run}/stream", "streamExecution", "Look on at a run",
		"Server-sent events: stdout, stderr, event, approval, result, exit; the last one ends it. Each has an ID, and Last-Event-ID goes on after one. What was dropped meanwhile is told by the event lost; a stream whose key has ended meanwhile, by the event error as its last.", "executions")
	op.Errors = []int{401, 404, 422, 429}
	op.Responses = map[string]*huma.Response{"200": {
		Description: "A stream of events.", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}},
	}}
	register(s, api, op, nil, s.look)
}

// look streams what happens to a run.
func (s *Server) look(ctx context.Context, in *streamInput) (*streamOutput, error) {
	run, err := s.c.Index.Run(ctx, callerOf(ctx), in.Run)
	if err != nil {
		return nil, s.known(in.Run, err)
	}
	var last int64
	if in.Last != "" {
		if last, err = strconv.ParseInt(in.Last, 10, 64); err != nil || last < 0 {
			return nil, fail(http.StatusUnprocessableEntity, "invalid", "header.Last-Event-ID: want the ID of an event")
		}
	}
	if l := s.runs.find(in.Run); l != nil {
		return s.streamed(ctx, func(c huma.Context) { s.follow(c, in.Run, l.feed, last) })
	}
	if !run.Complete {
		return nil, &Error{status: http.StatusConflict, Code: "conflict", Message: "the run is not of this server", Run: in.Run, MayHaveRun: true}
	}
	how, err := s.recorded(ctx, run)
	if err != nil {
		return nil, s.known(in.Run, err)
	}
	return s.streamed(ctx, func(c huma.Context) { replay(newSender(c), how, last) })
}

// streamed is a stream, if there is a place for one more.
func (s *Server) streamed(ctx context.Context, send func(huma.Context)) (*streamOutput, error) {
	leave, failed := s.admission.stream(callerOf(ctx).Tenant)
	if failed != nil {
		return nil, failed
	}
	return &streamOutput{func(c huma.Context) {
		defer leave()
		send(c)
	}}, nil
}

// follow sends a run's feed as it grows, for as long as whoever looks on may: a key
// that ends takes its streams with it.
func (s *Server) follow(c huma.Context, run string, f *feed, last int64) {
	request, _ := humago.Unwrap(c)
	to := newSender(c)
	beat := time.NewTicker(s.c.Heartbeat)
	defer beat.Stop()
	for {
		events, lost, ended, news := f.since(last)
		if lost {
			to.send(Event{Name: "lost", Data: json.RawMessage(`{}`)})
		}
		for _, e := range events {
			to.send(e)
			last = e.ID
		}
		if to.err != nil || ended {
			return
		}
		select {
		case <-news:
		case <-beat.C:
			if _, err := s.c.Door.Caller(request); err != nil { // in doubt it ends, and can be resumed
				to.fail(s.known(run, err), run)
				return
			}
			to.comment()
		case <-c.Context().Done():
			return
		}
	}
}

// replay sends how a run came out that nobody follows any more. Whoever saw a part
// of it is not told its output again.
func replay(to *sender, how result, last int64) {
	id := last
	for _, e := range ending(how, last == 0) {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return
		}
		id++
		to.send(Event{id, e.Name, data})
	}
}

// sender writes events. After an error it writes nothing.
type sender struct {
	w       io.Writer
	control *http.ResponseController
	err     error
}

func newSender(c huma.Context) *sender {
	_, w := humago.Unwrap(c)
	c.SetHeader("Content-Type", "text/event-stream")
	c.SetHeader("X-Accel-Buffering", "no")
	c.SetStatus(http.StatusOK)
	return &sender{w: w, control: http.NewResponseController(w)}
}

func (s *sender) send(e Event) {
	id := ""
	if e.ID > 0 {
		id = fmt.Sprintf("id: %d\n", e.ID)
	}
	s.write(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", id, e.Name, e.Data))
}

// fail tells why a stream ends before its run does. It is no event of the run's, and
// has no ID.
func (s *sender) fail(e *Error, run string) {
	told := *e
	told.Run, told.MayHaveRun = run, true
	if data, err := json.Marshal(told); err == nil {
		s.send(Event{Name: "error", Data: data})
	}
}

func (s *sender) comment() { s.write(": still here\n\n") }

func (s *sender) write(text string) {
	if s.err != nil {
		return
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.err = err
		return
	}
	if _, s.err = io.WriteString(s.w, text); s.err == nil {
		if err := s.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			s.err = err
		}
	}
}
