package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"palisade"
	"palisade/internal/auth"
	"palisade/internal/store"
)

// Execution is a run as the index knows it, with its outcome once there is one.
type Execution struct {
	store.Run
	// Score is for those who answer or audit; see Scanned.
	Score *int64 `json:"score,omitempty" doc:"For approvers, auditors and admins."`
	State string `json:"state" enum:"running,done" doc:"Whether the run has an end on the record."`
	// Outcome is there once the run was answered: rejected and failed runs have none.
	Outcome json.RawMessage `json:"outcome,omitempty" doc:"The outcome, as it was answered; left out in lists."`
}

func executionOf(c auth.Caller, r store.Run) Execution {
	e := Execution{Run: r, State: "running"}
	if sees(c, r.Tenant) {
		e.Score = &r.Score
	}
	if r.Complete {
		e.State = "done"
	}
	return e
}

// Paths of resources that others name.
const (
	executionsPath = "/v1/executions"
	scansPath      = "/v1/scans"
	approvalsPath  = "/v1/approvals"
)

type submitInput struct {
	Prefer string `header:"Prefer" doc:"respond-async answers 202 as soon as the run is on the record."`
	Key    string `header:"Idempotency-Key" maxLength:"255" doc:"Equal requests of a tenant under one key run once."`
	Format string `query:"format" enum:"palisade,openai" default:"palisade" doc:"openai: the outcome as a code_interpreter_call item."`
	Body   Request
}

func (s *Server) executions(api huma.API) {
	op := operation(http.MethodPost, executionsPath, "submitExecution", "Run a program",
		"Reads, judges and runs one program, and answers with its outcome: 200 it ran, however it ended; 202 a human must approve, or respond-async; 403 policy denied it; 503 it was refused before it ran.", "executions")
	op.Responses = s.outcomes(api, 200, 202, 403, 503)
	op.Errors = []int{401, 409, 413, 415, 422, 429, 500}
	register(s, api, op, []auth.Role{auth.Submitter}, s.submit)

	op = operation(http.MethodGet, executionsPath, "listExecutions", "List runs", "Those that the caller may see, the newest first.", "executions")
	op.Errors = []int{401, 422, 429}
	register(s, api, op, nil, s.list)

	op = operation(http.MethodGet, executionsPath+"/{run}", "getExecution", "Get a run", "With its outcome, once it has one.", "executions")
	op.Errors = []int{401, 404, 429}
	register(s, api, op, nil, s.get)

	op = operation(http.MethodPost, executionsPath+"/{run}/cancel", "cancelExecution", "Cancel a run", "Ends a run that waits or runs; its outcome says so. Its submitter may, and an admin of its tenant.", "executions")
	op.DefaultStatus = http.StatusAccepted
	op.Errors = []int{401, 403, 404, 409, 415, 429}
	register(s, api, op, nil, s.cancel)
}

// submit runs a program.
func (s *Server) submit(ctx context.Context, in *submitInput) (*reply, error) {
	caller := callerOf(ctx)
	profile, refused := s.profileFor(caller, in.Body.program().Language, in.Body.Profile)
	if refused != nil {
		return nil, refused
	}
	if err := s.admission.full(caller.Tenant); err != nil {
		return nil, err
	}
	sub := in.Body.submission()
	sub.Profile = profile
	request, err := digest(sub)
	if err != nil {
		return nil, s.known("", err)
	}
	sub.Run, sub.Tenant, sub.Submitter = s.c.NewID(), caller.Tenant, caller.Name
	async := asynchronous(in.Prefer)
	key := in.Key
	if key == "" && async { // what is accepted is on the record: its key is one that nobody sends
		key = "async." + sub.Run
	}
	var l *live
	if key != "" {
		claim, err := s.c.Index.Claim(ctx, caller, key, request, sub.Run)
		if err != nil {
			return nil, s.known("", err)
		}
		if !claim.Mine {
			return s.earlier(ctx, claim, async, in)
		}
	}
	most := patience
	if async {
		most = asyncPatience
	}
	l, failed := s.start(ctx, sub, key != "", most)
	if failed != nil {
		if key != "" {
			if err := s.c.Index.Abandon(context.WithoutCancel(ctx), sub.Run); err != nil {
				return nil, s.known(sub.Run, err)
			}
		}
		return nil, failed
	}
	if async {
		return accepted(sub.Run)
	}
	return s.await(ctx, l, in.Key == "", in)
}

// asynchronous reads the header Prefer, RFC 7240.
func asynchronous(prefer string) bool {
	return slices.ContainsFunc(strings.Split(prefer, ","), func(one string) bool {
		name, _, _ := strings.Cut(one, ";")
		return strings.EqualFold(strings.TrimSpace(name), "respond-async")
	})
}

// accepted is the answer to whoever does not wait.
func accepted(run string) (*reply, error) {
	body, err := json.Marshal(struct {
		Run        string `json:"run"`
		State      string `json:"state"`
		MayHaveRun bool   `json:"may_have_run"`
	}{run, "running", true})
	return &reply{Status: http.StatusAccepted, Location: executionsPath + "/" + run, Body: body}, err
}

// await waits for a run's end. Where nobody else can ask for it by a key, a caller
// who hangs up ends it.
func (s *Server) await(ctx context.Context, l *live, alone bool, in *submitInput) (*reply, error) {
	select {
	case <-l.done:
	case <-ctx.Done():
		if alone {
			l.cancel(errHungUp)
		}
		<-l.done // its end is on the record; nobody reads this
	}
	return answerIn(in.Format, in.Body.Code, l.result)
}

// pollEarlier is how often the record is asked for the end of a run that is not
// of this server.
const pollEarlier = 100 * time.Millisecond

// earlier answers with the run that was made for the request before.
func (s *Server) earlier(ctx context.Context, claim store.Claim, async bool, in *submitInput) (*reply, error) {
	if async && !claim.Earlier.Complete {
		return accepted(claim.Run)
	}
	if l := s.runs.find(claim.Run); l != nil {
		return s.await(ctx, l, false, in)
	}
	run := claim.Earlier
	for !run.Complete {
		select {
		case <-ctx.Done():
			return nil, errStopping
		case <-s.runs.base.Done():
			return nil, errStopping
		case <-time.After(pollEarlier):
		}
		var err error
		if run, err = s.c.Index.Run(ctx, everything, claim.Run); err != nil {
			return nil, s.known(claim.Run, err)
		}
	}
	how, err := s.recorded(ctx, run)
	if err != nil {
		return nil, s.known(claim.Run, err)
	}
	how.locked = s.isLocked()
	return answerIn(in.Format, in.Body.Code, how)
}

// recorded is how a run came out, as the record has it.
func (s *Server) recorded(ctx context.Context, run store.Run) (result, error) {
	events, err := s.c.Index.Events(ctx, everything, run.ID)
	if err != nil {
		return result{}, err
	}
	for _, e := range slices.Backward(events) {
		kind := palisade.EventKind(e.Kind)
		if kind != palisade.EventOutcome && kind != palisade.EventRejected && kind != palisade.EventFailed {
			continue
		}
		data, err := s.c.Record.Payload(ctx, e.Index)
		if err != nil {
			return result{}, err
		}
		if data == nil {
			return result{err: &Error{status: http.StatusGone, Code: "forgotten", Message: "the run has ended; how is no longer kept", Run: run.ID, MayHaveRun: run.MayHaveRun}}, nil
		}
		return recordedEnd(kind, data, run)
	}
	return result{}, store.ErrNotFound
}

func recordedEnd(kind palisade.EventKind, data json.RawMessage, run store.Run) (result, error) {
	switch kind {
	case palisade.EventOutcome:
		return result{outcome: data}, nil
	case palisade.EventRejected:
		var why struct{ Reason string }
		if err := json.Unmarshal(data, &why); err != nil {
			return result{}, err
		}
		return result{err: &Error{status: http.StatusUnprocessableEntity, Code: "invalid", Message: why.Reason, Run: run.ID}}, nil
	}
	e := *errInternal
	e.Run, e.MayHaveRun = run.ID, run.MayHaveRun
	return result{err: &e}, nil
}

// RunPath names a run.
type RunPath struct {
	Run string `path:"run" maxLength:"64" doc:"The run's ID."`
}

type executionOutput struct{ Body Execution }

// get shows one run.
func (s *Server) get(ctx context.Context, in *RunPath) (*executionOutput, error) {
	caller := callerOf(ctx)
	run, err := s.c.Index.Run(ctx, caller, in.Run)
	if err != nil {
		return nil, s.known(in.Run, err)
	}
	e := executionOf(caller, run)
	if run.Complete {
		how, err := s.recorded(ctx, run)
		if err != nil {
			return nil, s.known(in.Run, err)
		}
		e.Outcome = how.outcome
	}
	return &executionOutput{e}, nil
}

type listInput struct {
	Status       string    `query:"status" maxLength:"64" doc:"Such as ok, denied runs' policy_violation, or running."`
	Decision     string    `query:"decision" enum:"allow,ask,deny"`
	Profile      string    `query:"profile" maxLength:"64"`
	Language     string    `query:"language" maxLength:"64"`
	Conversation string    `query:"conversation" maxLength:"255"`
	Submitter    string    `query:"submitter" maxLength:"255"`
	Tenant       string    `query:"tenant" maxLength:"63" doc:"For those who see more than one."`
	Since        time.Time `query:"since" doc:"Runs that began then or later, RFC 3339."`
	Until        time.Time `query:"until" doc:"Runs that began before then, RFC 3339."`
	Paging
}

// Paging chooses a page of a list.
type Paging struct {
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	After string `query:"after" maxLength:"100" doc:"The next of the page before."`
}

type executionsOutput struct{ Body store.Page[Execution] }

// list shows runs.
func (s *Server) list(ctx context.Context, in *listInput) (*executionsOutput, error) {
	page, err := s.c.Index.Runs(ctx, callerOf(ctx), store.RunFilter{
		Tenant: in.Tenant, Submitter: in.Submitter, Profile: in.Profile, Language: in.Language, Conversation: in.Conversation,
		Decision: in.Decision, Status: in.Status, Since: in.Since, Until: in.Until, Limit: in.Limit, After: in.After,
	})
	if err != nil {
		return nil, s.known("", err)
	}
	out := &executionsOutput{store.Page[Execution]{Items: []Execution{}, Next: page.Next}}
	for _, run := range page.Items {
		out.Body.Items = append(out.Body.Items, executionOf(callerOf(ctx), run))
	}
	return out, nil
}

type emptyInput struct{}

// cancelInput has an optional body: a client may send {}, or nothing.
type cancelInput struct {
	RunPath
	Body *struct{}
}

type acceptedOutput struct {
	Status int
	Body   Execution
}

// cancel ends a run.
func (s *Server) cancel(ctx context.Context, in *cancelInput) (*acceptedOutput, error) {
	caller := callerOf(ctx)
	run, err := s.c.Index.Run(ctx, caller, in.Run)
	if err != nil {
		return nil, s.known(in.Run, err)
	}
	if !asked(caller, run.Tenant, run.Submitter) && !caller.Holds(string(auth.Admin), run.Tenant) {
		return nil, errForbidden
	}
	l := s.runs.find(in.Run)
	if l == nil || run.Complete {
		return nil, &Error{status: http.StatusConflict, Code: "conflict", Message: "the run does not run here any more", Run: in.Run, MayHaveRun: run.MayHaveRun || run.Started}
	}
	l.cancel(errCanceled)
	return &acceptedOutput{http.StatusAccepted, executionOf(caller, run)}, nil
}
