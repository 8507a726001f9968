package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"palisade/internal/auth"
	"palisade/internal/incident"
)

// Brake is the emergency brake of the state folder.
type Brake interface {
	State() (incident.State, error)
	Running() ([]incident.Running, error)
	Lockdown(ctx context.Context, on bool, who, why string) (Stopped, error)
	Egress(ctx context.Context, off bool, who, why string) error
	Kill(ctx context.Context, r incident.Request) (Stopped, error)
}

// ErrNotRunning says that no such run is being executed.
var ErrNotRunning = errors.New("no such run is running")

// Stopped is what came of pulling the brake.
type Stopped struct {
	Running []incident.Running `json:"running" doc:"What was to end."`
	Left    []incident.Running `json:"left" doc:"What did not end yet."`
	Took    time.Duration      `json:"took_ns"`
}

// told is what a caller is told of it.
func (s Stopped) told(c auth.Caller) Stopped {
	s.Running, s.Left = runningFor(c, s.Running), runningFor(c, s.Left)
	return s
}

// runningFor are those of some runs that a caller administers. Which process of the
// host has one is for its operator.
func runningFor(c auth.Caller, all []incident.Running) []incident.Running {
	out := []incident.Running{}
	if everywhere(c, auth.Admin) {
		return append(out, all...)
	}
	for _, r := range all {
		if c.Holds(string(auth.Admin), r.Tenant) {
			r.PID = 0
			out = append(out, r)
		}
	}
	return out
}

type brakeOutput struct {
	Body struct {
		incident.State
		Running []incident.Running `json:"running"`
	}
}

type lockdownInput struct {
	Body struct {
		On  bool   `json:"on"`
		Why string `json:"why,omitempty" maxLength:"500" doc:"It is recorded, and shown to whoever looks."`
	}
}

type egressInput struct {
	Body struct {
		Off bool   `json:"off"`
		Why string `json:"why,omitempty" maxLength:"500"`
	}
}

type killInput struct {
	Body struct {
		Run    string `json:"run,omitempty" maxLength:"64"`
		Tenant string `json:"tenant,omitempty" maxLength:"63"`
		All    bool   `json:"all,omitempty"`
		Why    string `json:"why,omitempty" maxLength:"500"`
	}
}

type stoppedOutput struct{ Body Stopped }

func (s *Server) incidents(api huma.API) {
	admin := []auth.Role{auth.Admin}
	op := operation(http.MethodGet, "/v1/incident", "getBrake", "What is switched, and what runs", "Of the caller's tenant; of all, with the processes that have them, for the operator's admins.", "incident")
	op.Errors = []int{401, 429}
	register(s, api, op, admin, s.brake)

	op = operation(http.MethodPost, "/v1/incident/lockdown", "setLockdown", "End every run and let none start, or lift that", "Holds for every gate of the state folder, also after a restart. Takes an admin of the tenant system.", "incident")
	op.Errors = []int{401, 415, 422, 429}
	register(s, api, op, admin, func(ctx context.Context, in *lockdownInput) (*stoppedOutput, error) {
		if !everywhere(callerOf(ctx), auth.Admin) {
			return nil, errForbidden
		}
		out, err := s.c.Brake.Lockdown(ctx, in.Body.On, callerOf(ctx).Name, in.Body.Why)
		if err != nil {
			return nil, s.known("", err)
		}
		return &stoppedOutput{out.told(callerOf(ctx))}, nil
	})

	op = operation(http.MethodPost, "/v1/incident/egress", "setEgress", "Cut every way out of every box, or open it again", "Takes an admin of the tenant system.", "incident")
	op.Errors = []int{401, 415, 422, 429}
	register(s, api, op, admin, func(ctx context.Context, in *egressInput) (*brakeOutput, error) {
		if !everywhere(callerOf(ctx), auth.Admin) {
			return nil, errForbidden
		}
		if err := s.c.Brake.Egress(ctx, in.Body.Off, callerOf(ctx).Name, in.Body.Why); err != nil {
			return nil, s.known("", err)
		}
		return s.brake(ctx, nil)
	})

	op = operation(http.MethodPost, "/v1/incident/kill", "kill", "End runs", "One of run, tenant and all. Takes an admin of the runs' tenant; for all, of the tenant system.", "incident")
	op.Errors = []int{401, 404, 415, 422, 429}
	register(s, api, op, admin, s.kill)
}

func (s *Server) brake(ctx context.Context, _ *emptyInput) (*brakeOutput, error) {
	caller := callerOf(ctx)
	out := &brakeOutput{}
	out.Body.State, _ = s.c.Brake.State() // in doubt, a lockdown that says so
	running, err := s.c.Brake.Running()
	if err != nil {
		return nil, s.known("", err)
	}
	out.Body.Running = runningFor(caller, running)
	if !everywhere(caller, auth.Admin) { // that it is on is for all, who did it and why is not
		for _, one := range []*incident.Switch{&out.Body.Lockdown, &out.Body.EgressOff} {
			*one = incident.Switch{On: one.On, When: one.When}
		}
	}
	return out, nil
}

// kill ends runs that the caller administers.
func (s *Server) kill(ctx context.Context, in *killInput) (*stoppedOutput, error) {
	caller := callerOf(ctx)
	r := incident.Request{Run: in.Body.Run, Tenant: in.Body.Tenant, All: in.Body.All, Who: caller.Name, Why: in.Body.Why}
	given := 0
	for _, one := range []bool{r.Run != "", r.Tenant != "", r.All} {
		if one {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, fail(http.StatusUnprocessableEntity, "invalid", "body: give one of run, tenant and all")
	case r.Run != "":
		run, err := s.c.Index.Run(ctx, caller, r.Run)
		if err != nil {
			return nil, s.known("", err)
		}
		if !caller.Holds(string(auth.Admin), run.Tenant) {
			return nil, errForbidden
		}
	case r.Tenant != "" && !caller.Holds(string(auth.Admin), r.Tenant):
		return nil, errNotFound // whether there is such a tenant is its own
	case r.All && !everywhere(caller, auth.Admin):
		return nil, errForbidden
	}
	out, err := s.c.Brake.Kill(ctx, r)
	if errors.Is(err, ErrNotRunning) {
		return nil, &Error{status: http.StatusNotFound, Code: "not_found", Message: "the run does not run", Run: r.Run, MayHaveRun: true}
	}
	if err != nil {
		return nil, s.known("", err)
	}
	return &stoppedOutput{out.told(caller)}, nil
}
