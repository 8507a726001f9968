package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"palisade"
)

// Reader reads and judges programs without running them.
type Reader interface {
	Scan(ctx context.Context, s palisade.Submission) (palisade.Inspection, palisade.Verdict, error)
}

type scanInput struct {
	Body RequestProgram
}

// Scanned is what reading says of a program.
type Scanned struct {
	Language string            `json:"language"`
	Profile  string            `json:"profile"`
	Decision palisade.Decision `json:"decision" enum:"allow,ask,deny"`
	// Score and evidence are for those who answer or audit: to whoever writes
	// programs they would be an oracle.
	Score   *int              `json:"score,omitempty" doc:"For approvers, auditors and admins."`
	Reasons []palisade.Reason `json:"reasons" doc:"The findings that policy does not allow, the strictest first, and what is allowed instead."`
}

type scanOutput struct{ Body Scanned }

func (s *Server) scans(api huma.API) {
	op := operation(http.MethodPost, scansPath, "scan", "Read and judge a program", "As a submission would be, and runs nothing; it is not put on the record.", "scans")
	op.Errors = []int{401, 403, 413, 415, 422, 429, 503}
	register(s, api, op, nil, s.scan)
}

// thinks waits for a place to read what was sent, which may take a processor for
// seconds, and is not ended when whoever asked hangs up. leave gives it back.
func (s *Server) thinks(ctx context.Context) (leave func(), err error) {
	tenant := callerOf(ctx).Tenant
	if err := s.reading.enter(ctx, tenant, patience); err != nil {
		return nil, s.neverRan("", err)
	}
	return func() { s.reading.leave(tenant) }, nil
}

func (s *Server) scan(ctx context.Context, in *scanInput) (*scanOutput, error) {
	caller := callerOf(ctx)
	program := in.Body.program()
	profile, refused := s.profileFor(caller, program.Language, in.Body.Profile)
	if refused != nil {
		return nil, refused
	}
	leave, err := s.thinks(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	sub := palisade.Submission{
		Submitter: caller.Name, Tenant: caller.Tenant, Prompt: in.Body.Prompt, Program: program, Profile: profile,
	}
	inspection, verdict, err := s.c.Reader.Scan(ctx, sub)
	if invalid, ok := errors.AsType[*palisade.InputError](err); ok {
		return nil, fail(http.StatusUnprocessableEntity, "invalid", "%s", invalid.Reason)
	}
	if err != nil {
		return nil, s.known("", err)
	}
	out := &scanOutput{Scanned{Language: in.Body.Language, Profile: verdict.Profile, Decision: verdict.Decision, Reasons: []palisade.Reason{}}}
	whole := sees(caller, caller.Tenant)
	if whole {
		out.Body.Score = &inspection.Score
	}
	for _, r := range verdict.Reasons {
		if !whole {
			r.Finding = r.Finding.Public()
		}
		out.Body.Reasons = append(out.Body.Reasons, r)
	}
	return out, nil
}
