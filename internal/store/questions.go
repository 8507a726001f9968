package store

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"palisade"
)

// Question is what the index knows of a question to a human. What it says stands
// in the log, at Index.
type Question struct {
	Ticket    string    `json:"ticket"`
	Index     int64     `json:"index"`
	Run       string    `json:"run"`
	Tenant    string    `json:"tenant"`
	Submitter string    `json:"submitter"`
	Binding   string    `json:"digest"`
	Severity  string    `json:"severity"`
	Asked     time.Time `json:"asked"`
	Expires   time.Time `json:"expires"` // of the question, or of its answer once there is one
	Approver  string    `json:"approver,omitempty"`
	Approved  bool      `json:"approved"`
	Consumed  string    `json:"consumed,omitempty"` // the run that it was spent on
}

// The standings of a question.
const (
	Waiting  = "waiting"
	Approved = "approved" // and not used yet
	Denied   = "denied"
	Consumed = "consumed"
	Expired  = "expired"
)

// Standing says where a question is on its way.
func (q Question) Standing(now time.Time) string {
	switch {
	case q.Consumed != "":
		return Consumed
	case !now.Before(q.Expires):
		return Expired
	case q.Approved:
		return Approved
	case q.Approver != "":
		return Denied
	}
	return Waiting
}

const questionColumns = "ticket, idx, run, tenant, submitter, binding, severity, asked, expires, approver, approved, consumed"

func scanQuestion(rows *sql.Rows) (q Question, err error) {
	var asked, expires, approved int64
	err = rows.Scan(&q.Ticket, &q.Index, &q.Run, &q.Tenant, &q.Submitter, &q.Binding, &q.Severity, &asked, &expires, &q.Approver, &approved, &q.Consumed)
	q.Asked, q.Expires, q.Approved = moment(asked), moment(expires), approved == 1
	return q, err
}

func (s *Store) selectQuestions(ctx context.Context, where string, args []any, limit int) ([]Question, error) {
	rows, err := s.db.QueryContext(ctx, s.sql("SELECT "+questionColumns+" FROM questions WHERE "+where+" ORDER BY idx DESC LIMIT "+strconv.Itoa(limit)), args...)
	return collect(rows, err, scanQuestion)
}

// QuestionFilter chooses questions. Empty fields choose all that the caller may
// see.
type QuestionFilter struct {
	Tenant    string
	Submitter string
	Run       string // that asked
	Standing  string
	Limit     int    // zero: 50; at most 1,000
	After     string // the cursor of the page before
}

// Question returns one question that the caller may see.
func (s *Store) Question(ctx context.Context, c Caller, ticket string) (Question, error) {
	q, err := scope(c, "", roleApprover, roleAuditor, roleAdmin)
	if err != nil {
		return Question{}, err
	}
	if err := s.Sync(ctx); err != nil {
		return Question{}, err
	}
	q.and("ticket = ?", word(ticket))
	return one(s.selectQuestions(ctx, q.String(), q.args, 1))
}

// Questions lists questions that the caller may see, the newest first.
func (s *Store) Questions(ctx context.Context, c Caller, f QuestionFilter) (Page[Question], error) {
	q, err := scope(c, "", roleApprover, roleAuditor, roleAdmin)
	if err != nil {
		return Page[Question]{}, err
	}
	q.eq("tenant", f.Tenant)
	q.eq("submitter", f.Submitter)
	q.eq("run", f.Run)
	now := nanos(s.c.Now())
	switch f.Standing {
	case "":
	case Consumed:
		q.and("consumed <> ''")
	case Expired:
		q.and("consumed = '' AND expires <= ?", now)
	case Approved:
		q.and("consumed = '' AND expires > ? AND approved = 1", now)
	case Denied:
		q.and("consumed = '' AND expires > ? AND approved = 0 AND approver <> ''", now)
	case Waiting:
		q.and("consumed = '' AND expires > ? AND approver = ''", now)
	default:
		q.and("1 = 0")
	}
	return page(ctx, s, q, "idx", f.After, f.Limit, func(limit int) ([]Question, error) {
		return s.selectQuestions(ctx, q.String(), q.args, limit)
	}, func(q Question) int64 { return q.Index })
}

// foldQuestion takes an event of a question. As in the queue itself, doubt means
// no: a question or an answer without its payload does not count, and what was
// consumed without one may have been any answer before it.
func (s *Store) foldQuestion(ctx context.Context, tx *sql.Tx, e event, f facts, known bool, run *Run) error {
	var err error
	switch kind := palisade.EventKind(e.kind); {
	case kind == palisade.EventAsked && known:
		tenant := ""
		if run != nil {
			tenant = run.Tenant
		}
		_, err = tx.ExecContext(ctx, s.sql("INSERT INTO questions ("+questionColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, '') ON CONFLICT DO NOTHING"),
			f.Ticket, e.index, e.run, tenant, f.Submitter, f.Binding, f.Severity, f.Asked, f.Expires)
	case kind == palisade.EventAnswered && known:
		_, err = tx.ExecContext(ctx, s.sql("UPDATE questions SET approver = ?, approved = ?, expires = ? WHERE ticket = ? AND binding = ? AND approver = ''"),
			f.Approver, flag(f.Approve), f.Expires, f.Ticket, f.Binding)
	case kind == palisade.EventConsumed && known:
		_, err = tx.ExecContext(ctx, s.sql("UPDATE questions SET consumed = ? WHERE ticket = ?"), e.run, f.Ticket)
	case kind == palisade.EventConsumed:
		_, err = tx.ExecContext(ctx, s.sql("UPDATE questions SET consumed = ? WHERE approved = 1 AND consumed = '' AND idx < ?"), e.run, e.index)
	}
	return err
}
