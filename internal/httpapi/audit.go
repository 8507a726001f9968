package httpapi

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"palisade"
	"palisade/internal/audit"
	"palisade/internal/auth"
	"palisade/internal/incident"
)

// Audit is the record itself.
type Audit interface {
	View(ctx context.Context) (audit.View, error)
	// PublicKey is the key that it is verified with.
	PublicKey() (string, error)
	// Verify holds the record to its signed heads and their copies.
	Verify(ctx context.Context) (audit.Report, error)
	// Investigate gathers what it tells of a run.
	Investigate(ctx context.Context, run string) (*incident.Report, error)
}

// readers are the roles that read the record.
var readers = []auth.Role{auth.Auditor, auth.Admin}

type entriesInput struct {
	Run      string `query:"run" maxLength:"64" doc:"Those of one run. Required, but for the operator's auditors."`
	From     int64  `query:"from" minimum:"0" doc:"From this index on."`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Payloads bool   `query:"payloads" doc:"With what was recorded, where it is still kept."`
}

// Entries is a part of the record.
type Entries struct {
	Items []audit.Record `json:"items"`
	Next  int64          `json:"next,omitempty" doc:"The from of what follows; left out at the end."`
}

type entriesOutput struct{ Body Entries }

type indexInput struct {
	Index int64 `path:"index" minimum:"0"`
}

type entryOutput struct{ Body audit.Record }

type proofOutput struct{ Body audit.Proof }

// SignedHead is a signed statement of what the record was at one size.
type SignedHead struct {
	Origin    string `json:"origin"`
	Size      int64  `json:"size"`
	Root      string `json:"root" doc:"RFC 6962, base64."`
	Note      string `json:"note" doc:"The signed form, C2SP tlog-checkpoint."`
	PublicKey string `json:"public_key" doc:"Take it from elsewhere where it matters."`
}

type headOutput struct{ Body SignedHead }

type verifyInput struct{ Body *struct{} }

type verifyOutput struct{ Body audit.Report }

type reportOutput struct{ Body *incident.Report }

func (s *Server) audit(api huma.API) {
	var verifying sync.Mutex
	op := operation(http.MethodGet, "/v1/audit/entries", "listEntries", "Read the record", "In its order.", "audit")
	op.Errors = []int{401, 404, 422, 429}
	register(s, api, op, readers, s.entries)

	op = operation(http.MethodGet, "/v1/audit/entries/{index}", "getEntry", "Get an entry", "With its payload, where it is still kept.", "audit")
	op.Errors = []int{401, 404, 422, 429}
	register(s, api, op, readers, func(ctx context.Context, in *indexInput) (*entryOutput, error) {
		r, _, err := s.entry(ctx, in.Index)
		if err != nil {
			return nil, err
		}
		return &entryOutput{s.shown(callerOf(ctx), r, true)}, nil
	})

	op = operation(http.MethodGet, "/v1/audit/entries/{index}/proof", "proveEntry", "Prove an entry", "That it is in the record of a signed head: an RFC 6962 audit path.", "audit")
	op.Errors = []int{401, 404, 422, 429}
	register(s, api, op, readers, func(ctx context.Context, in *indexInput) (*proofOutput, error) {
		_, v, err := s.entry(ctx, in.Index)
		if err != nil {
			return nil, err
		}
		p, err := v.Prove(in.Index)
		if err != nil {
			return nil, s.known("", err)
		}
		return &proofOutput{p}, nil
	})

	op = operation(http.MethodGet, "/v1/audit/heads", "getHead", "Get the signed head", "Of the record as it is now. Keep it elsewhere: the record can be held to it.", "audit")
	op.Errors = []int{401, 429}
	register(s, api, op, readers, s.head)

	op = operation(http.MethodPost, "/v1/audit/verify", "verifyRecord", "Verify the record", "Recomputes it from its files and holds it to its signed heads and their copies. Takes an auditor of the tenant system; one at a time.", "audit")
	op.Errors = []int{401, 415, 422, 429, 503}
	register(s, api, op, readers, func(ctx context.Context, _ *verifyInput) (*verifyOutput, error) {
		if !everywhere(callerOf(ctx), auth.Auditor) {
			return nil, errForbidden
		}
		if !verifying.TryLock() {
			return nil, &Error{status: http.StatusServiceUnavailable, Code: "busy", Message: "it is being verified: try again in a moment", retry: errStopping.retry}
		}
		defer verifying.Unlock()
		report, err := s.c.Audit.Verify(ctx)
		if err != nil {
			return nil, s.known("", err)
		}
		return &verifyOutput{report}, nil
	})

	op = operation(http.MethodGet, "/v1/audit/reports/{run}", "investigateRun", "Investigate a run", "All that the record tells of it, what stands around it, and where its harmful part stems from. Takes an auditor of the tenant system.", "audit")
	op.Errors = []int{401, 404, 429}
	register(s, api, op, readers, func(ctx context.Context, in *RunPath) (*reportOutput, error) {
		if !everywhere(callerOf(ctx), auth.Auditor) {
			return nil, errForbidden
		}
		if _, err := s.c.Index.Run(ctx, callerOf(ctx), in.Run); err != nil {
			return nil, s.known("", err)
		}
		report, err := s.c.Audit.Investigate(ctx, in.Run)
		if err != nil {
			return nil, s.known(in.Run, err)
		}
		return &reportOutput{report}, nil
	})
}

// everywhere reports whether a caller has a role in every tenant.
func everywhere(c auth.Caller, role auth.Role) bool { return c.Holds(string(role), auth.Any) }

// entries reads the record: of one run, or for who sees every tenant all of it.
func (s *Server) entries(ctx context.Context, in *entriesInput) (*entriesOutput, error) {
	caller := callerOf(ctx)
	var wanted []int64
	switch {
	case in.Run != "":
		events, err := s.c.Index.Events(ctx, caller, in.Run)
		if err != nil {
			return nil, s.known(in.Run, err)
		}
		for _, e := range events {
			wanted = append(wanted, e.Index)
		}
	case !everywhere(caller, auth.Auditor):
		return nil, fail(http.StatusUnprocessableEntity, "invalid", "query.run: name a run; only an auditor of the tenant %s reads the whole record", auth.System)
	}
	v, err := s.c.Audit.View(ctx)
	if err != nil {
		return nil, s.known("", err)
	}
	out := &entriesOutput{Entries{Items: []audit.Record{}}}
	if in.Run != "" && len(wanted) == 0 { // it was taken and has not begun
		return out, nil
	}
	from := in.From
	if len(wanted) > 0 {
		from = max(from, wanted[0])
	}
	for r, err := range v.Records(from) {
		if err != nil {
			return nil, s.known("", err)
		}
		if in.Run != "" && r.Index > wanted[len(wanted)-1] {
			break
		}
		if in.Run != "" && !slices.Contains(wanted, r.Index) {
			continue
		}
		if len(out.Body.Items) == in.Limit {
			out.Body.Next = r.Index
			break
		}
		out.Body.Items = append(out.Body.Items, s.shown(caller, r, in.Payloads))
	}
	return out, nil
}

// entry finds one entry that the caller may see.
func (s *Server) entry(ctx context.Context, index int64) (audit.Record, audit.View, error) {
	caller := callerOf(ctx)
	v, err := s.c.Audit.View(ctx)
	if err != nil {
		return audit.Record{}, v, s.known("", err)
	}
	if index >= v.Size() {
		return audit.Record{}, v, errNotFound
	}
	for r, err := range v.Records(index) {
		if err != nil {
			return r, v, s.known("", err)
		}
		if r.Run == "" && !everywhere(caller, auth.Auditor) {
			return r, v, errNotFound
		}
		if r.Run != "" {
			if _, err := s.c.Index.Run(ctx, caller, r.Run); err != nil {
				return r, v, s.known("", err)
			}
		}
		return r, v, nil
	}
	return audit.Record{}, v, errNotFound
}

// hostly are the kinds whose payloads tell of the gate's own machine: they are for
// the operator's auditors.
var hostly = []palisade.EventKind{palisade.EventStarted, palisade.EventFinished, palisade.EventFailed, palisade.EventRecovered}

// shown is a record as a caller may see it.
func (s *Server) shown(c auth.Caller, r audit.Record, payloads bool) audit.Record {
	if !payloads || slices.Contains(hostly, r.Kind) && !everywhere(c, auth.Auditor) {
		r.Data = nil
	}
	return r
}

func (s *Server) head(ctx context.Context, _ *emptyInput) (*headOutput, error) {
	v, err := s.c.Audit.View(ctx)
	if err != nil {
		return nil, s.known("", err)
	}
	key, err := s.c.Audit.PublicKey()
	if err != nil {
		return nil, s.known("", err)
	}
	h := v.Head()
	return &headOutput{SignedHead{h.Origin, h.Size, h.Root.String(), string(h.Note), key}}, nil
}
