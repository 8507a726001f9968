package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"palisade/internal/auth"
	"palisade/internal/store"
)

type healthOutput struct {
	Body struct {
		Status string `json:"status" example:"ok"`
	}
}

func (s *Server) health(api huma.API) {
	op := operation(http.MethodGet, "/v1/health", "health", "Whether the server answers", "Takes no key.", "health")
	op.Security = []map[string][]string{}
	register(s, api, op, nil, func(context.Context, *emptyInput) (*healthOutput, error) {
		out := &healthOutput{}
		out.Body.Status = "ok"
		return out, nil
	})

	op = operation(http.MethodGet, "/v1/ready", "ready", "Whether programs can be run", "Takes no key, and says no more than that.", "health")
	op.Security = []map[string][]string{}
	op.Errors = []int{503}
	register(s, api, op, nil, func(ctx context.Context, _ *emptyInput) (*healthOutput, error) {
		if err := s.isReady(ctx); err != nil {
			return nil, err
		}
		out := &healthOutput{}
		out.Body.Status = "ready"
		return out, nil
	})
}

// isLocked reports whether there is a lockdown; in doubt there is.
func (s *Server) isLocked() bool {
	state, err := s.c.Brake.State()
	return err != nil || state.Lockdown.On
}

func (s *Server) isReady(ctx context.Context) *Error {
	if s.runs.isDraining() {
		return errStopping
	}
	if s.isLocked() {
		return &Error{status: http.StatusServiceUnavailable, Code: "locked_down", Message: "nothing runs until the operator ends the lockdown"}
	}
	// The index is asked, which follows the record: both answer, or neither.
	if _, err := s.c.Index.Runs(ctx, auth.Caller{Tenant: auth.System, Name: "door:api"}, store.RunFilter{Limit: 1}); err != nil {
		return &Error{status: http.StatusServiceUnavailable, Code: "not_ready", Message: "the record or its index does not answer"}
	}
	return nil
}
