package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"palisade"
	"palisade/internal/approval"
	"palisade/internal/auth"
	"palisade/internal/store"
)

// Questions are the questions that wait for humans. They know no tenants: the door
// asks the index first.
type Questions interface {
	Show(ctx context.Context, ticket string) (*approval.Question, approval.Item, error)
	Answer(ctx context.Context, d approval.Decision) (palisade.Approval, error)
}

// Question is a question in a list.
type Question struct {
	store.Question
	Standing string `json:"standing" enum:"waiting,approved,denied,consumed,expired"`
}

// Asked is a question as it was put. Its text is for those who answer or audit:
// it has what reading found, and how.
type Asked struct {
	Question
	Need  int                `json:"need" doc:"How many humans must say yes."`
	Yes   int                `json:"yes" doc:"How many did."`
	Title string             `json:"title,omitempty" doc:"What is asked, in one line; foreign text."`
	Text  *approval.Question `json:"question,omitempty" doc:"Program, prompt, findings in place, what comes with it by digest, the verdict. For approvers, auditors and admins."`
}

type questionsInput struct {
	Standing  string `query:"standing" enum:"waiting,approved,denied,consumed,expired"`
	Run       string `query:"run" maxLength:"64"`
	Submitter string `query:"submitter" maxLength:"255"`
	Tenant    string `query:"tenant" maxLength:"63"`
	Paging
}

type questionsOutput struct{ Body store.Page[Question] }

// TicketPath names a question.
type TicketPath struct {
	Ticket string `path:"ticket" maxLength:"64"`
}

type askedOutput struct{ Body Asked }

type answerInput struct {
	TicketPath
	Body struct {
		Digest  string `json:"digest" minLength:"8" maxLength:"64" doc:"The question's digest, or at least its first eight digits: it says which question was looked at."`
		Comment string `json:"comment,omitempty" maxLength:"2000" doc:"Why. Required to approve findings of high or critical severity."`
	}
}

type approvalOutput struct{ Body palisade.Approval }

func (s *Server) approvals(api huma.API) {
	op := operation(http.MethodGet, approvalsPath, "listApprovals", "List questions", "Those that the caller may see, the newest first.", "approvals")
	op.Errors = []int{401, 422, 429}
	register(s, api, op, nil, s.listQuestions)

	op = operation(http.MethodGet, approvalsPath+"/{ticket}", "getApproval", "Get a question", "Where it stands; for approvers, auditors and admins with all that a human needs to answer it.", "approvals")
	op.Errors = []int{401, 404, 429}
	register(s, api, op, nil, s.getQuestion)

	for _, one := range []struct {
		verb, summary, text string
		approve             bool
	}{
		{"approve", "Say yes", "The same submission, sent again, then runs, once. Takes an approver of the question's tenant who did not ask it.", true},
		{"deny", "Say no", "Takes an approver of the question's tenant, or whoever asked, to withdraw it.", false},
	} {
		op = operation(http.MethodPost, approvalsPath+"/{ticket}/"+one.verb, one.verb+"Approval", one.summary, one.text, "approvals")
		op.Errors = []int{401, 403, 404, 409, 415, 422, 429}
		register(s, api, op, nil, func(ctx context.Context, in *answerInput) (*approvalOutput, error) {
			return s.answerQuestion(ctx, in, one.approve)
		})
	}
}

func (s *Server) listQuestions(ctx context.Context, in *questionsInput) (*questionsOutput, error) {
	page, err := s.c.Index.Questions(ctx, callerOf(ctx), store.QuestionFilter{
		Tenant: in.Tenant, Submitter: in.Submitter, Run: in.Run, Standing: in.Standing, Limit: in.Limit, After: in.After,
	})
	if err != nil {
		return nil, s.known("", err)
	}
	out := &questionsOutput{store.Page[Question]{Items: []Question{}, Next: page.Next}}
	for _, q := range page.Items {
		out.Body.Items = append(out.Body.Items, Question{q, q.Standing(s.c.Now())})
	}
	return out, nil
}

func (s *Server) getQuestion(ctx context.Context, in *TicketPath) (*askedOutput, error) {
	caller := callerOf(ctx)
	q, err := s.c.Index.Question(ctx, caller, in.Ticket)
	if err != nil {
		return nil, s.known("", err)
	}
	out := &askedOutput{Asked{Question: Question{q, q.Standing(s.c.Now())}}}
	text, item, err := s.c.Questions.Show(ctx, in.Ticket)
	if err != nil {
		return out, nil // its text is no longer kept; where it stands is known
	}
	out.Body.Need, out.Body.Yes, out.Body.Title = item.Need, item.Approved, item.Title
	if sees(caller, q.Tenant) {
		out.Body.Text = text
	}
	return out, nil
}

// sees reports whether a caller sees how something was found in a tenant, beside
// what was.
func sees(c auth.Caller, tenant string) bool {
	return c.Holds(string(auth.Approver), tenant) || c.Holds(string(auth.Auditor), tenant) || c.Holds(string(auth.Admin), tenant)
}

// asked reports whether a caller is who submitted something: names are each
// tenant's own.
func asked(c auth.Caller, tenant, submitter string) bool {
	return c.Tenant == tenant && c.Name == submitter
}

// answerQuestion takes a human's answer.
func (s *Server) answerQuestion(ctx context.Context, in *answerInput, approve bool) (*approvalOutput, error) {
	caller := callerOf(ctx)
	q, err := s.c.Index.Question(ctx, caller, in.Ticket)
	if err != nil {
		return nil, s.known("", err)
	}
	switch {
	case approve && q.Submitter == caller.Name: // in another tenant too: it may be the same human
		return nil, fail(http.StatusForbidden, "forbidden", "whoever asked may not approve: another approver must")
	case !caller.Holds(string(auth.Approver), q.Tenant) && (approve || !asked(caller, q.Tenant, q.Submitter)):
		return nil, errForbidden
	}
	a, err := s.c.Questions.Answer(ctx, approval.Decision{
		Ticket: in.Ticket, Digest: in.Body.Digest, Approver: caller.Name, Approve: approve, Comment: in.Body.Comment,
	})
	if err != nil {
		return nil, s.notTaken(err)
	}
	return &approvalOutput{a}, nil
}

// notTaken says why an answer was not taken.
func (s *Server) notTaken(err error) *Error {
	for _, one := range []struct {
		err        error
		status     int
		code, text string
	}{
		{approval.ErrUnknown, http.StatusNotFound, "not_found", errNotFound.Message},
		{approval.ErrExpired, http.StatusConflict, "expired", "the question has expired: submit the program again to ask anew"},
		{approval.ErrAnswered, http.StatusConflict, "conflict", "the question was answered already"},
		{approval.ErrDigest, http.StatusUnprocessableEntity, "invalid", "body.digest: it is not the question's: look at it again"},
		{approval.ErrComment, http.StatusUnprocessableEntity, "invalid", "body.comment: required to approve findings of high or critical severity"},
		{approval.ErrSelf, http.StatusForbidden, "forbidden", "whoever asked may not approve: another approver must"},
		{approval.ErrTwice, http.StatusForbidden, "forbidden", "you said yes already: another approver must too"},
		{approval.ErrNotApprover, http.StatusForbidden, "forbidden", "you are not among the approvers of the configuration"},
		{approval.ErrUnvouched, http.StatusForbidden, "forbidden", "nobody vouches for who asked"},
	} {
		if errors.Is(err, one.err) {
			return fail(one.status, one.code, "%s", one.text)
		}
	}
	return s.known("", err)
}
