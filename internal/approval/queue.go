package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"palisade"
)

// Record is one event of the log.
type Record struct {
	Index int64
	Run   string
	Kind  palisade.EventKind
	Time  time.Time
	// Data is the event's payload. Nil when it is no longer kept.
	Data json.RawMessage
}

// View is a log as it was at one size.
type View interface {
	// Size is the number of entries.
	Size() int64
	// Records gives the records of the kinds from index from on, in order.
	// The first error ends it.
	Records(from int64, kinds ...palisade.EventKind) iter.Seq2[Record, error]
}

// Store is the log that questions and answers live in.
type Store interface {
	// Update calls f with the log as it is while no process can write to it,
	// and appends what f returns before anyone else can, durably. An error
	// from f is returned and appends nothing.
	Update(ctx context.Context, f func(View) ([]palisade.Event, error)) error
}

// Errors that say why an answer was not taken.
var (
	ErrUnknown     = errors.New("no question has this ticket")
	ErrExpired     = errors.New("the question has expired: run the submission again to ask anew")
	ErrAnswered    = errors.New("the question was answered already")
	ErrDigest      = errors.New("the digest is not the question's: look at it again with `approvals show`")
	ErrSelf        = errors.New("whoever asked may not approve (approvals.self in /etc/palisade/config.yaml, or another configuration that only root can write, would allow it)")
	ErrNotApprover = errors.New("not among the approvers of the configuration")
	ErrUnvouched   = errors.New("nobody vouches for who asked or who answers: one of them came from a user namespace, where anyone is whoever they like")
	ErrComment     = errors.New("a comment is required to approve findings of high or critical severity: --comment 'why'")
	ErrTwice       = errors.New("whoever said yes already does not count twice: another human must, and where both are root by sudo alone, nobody can tell them apart")
	ErrWaiting     = errors.New("too many questions of this submitter wait already")
)

// Unvouched begins the identity of a caller whom the operating system does not
// vouch for: such a caller is nobody's other.
const Unvouched = "unvouched:"

func unvouched(identity string) bool { return strings.HasPrefix(identity, Unvouched) }

// Bounds.
const (
	defaultExpiry = time.Hour
	maxExpiry     = 7 * 24 * time.Hour
	maxWaiting    = 200  // open questions of one submitter
	maxComment    = 2000 // bytes
	minPrefix     = 8    // hex digits of a binding
)

// Config says how questions are put. Store, Now, NewTicket and Escape are
// required.
type Config struct {
	Store Store
	Now   func() time.Time
	// NewTicket returns a new ticket: short, and never the same twice.
	NewTicket func() string
	// Escape makes foreign text safe for a terminal.
	Escape func(string) string
	// Expiry is how long a question waits, and how long an answer can be used.
	// Zero: an hour. At most a week.
	Expiry time.Duration
	// Self lets a submitter approve their own questions. Only a configuration
	// that root owns may set it.
	Self bool
	// Need is how many humans must say yes to a verdict that asks. Nil: one.
	Need func(palisade.Verdict) int
	// Approvers are the identities that may answer. Empty: anyone but the
	// submitter.
	Approvers []string
}

// Queue holds questions and answers. It implements [palisade.Approvals] and may
// be used by many goroutines.
type Queue struct {
	c  Config
	mu sync.Mutex // guards state
	s  *state

	notifier atomic.Pointer[Notifier] // nil: nobody is told
}

// New returns a queue over a log. It reads nothing yet.
func New(c Config) (*Queue, error) {
	if c.Store == nil || c.Now == nil || c.NewTicket == nil || c.Escape == nil {
		return nil, errors.New("approvals: a part is missing")
	}
	if c.Expiry == 0 {
		c.Expiry = defaultExpiry
	}
	if c.Expiry < 0 || c.Expiry > maxExpiry {
		return nil, fmt.Errorf("approvals: expiry %s is not between 0 and %s", c.Expiry, maxExpiry)
	}
	return &Queue{c: c, s: newState()}, nil
}

// update folds what is new in the log and then calls f under the log's lock.
func (q *Queue) update(ctx context.Context, f func(now time.Time) ([]palisade.Event, error)) error {
	return q.c.Store.Update(ctx, func(v View) ([]palisade.Event, error) {
		q.mu.Lock()
		defer q.mu.Unlock()
		if err := q.catchUp(v); err != nil {
			return nil, err
		}
		return f(q.c.Now())
	})
}

// catchUp folds what is new in the log. q.mu must be held.
func (q *Queue) catchUp(v View) error {
	if v.Size() < q.s.next {
		q.s = newState() // another log than before: believe only this one
	}
	if err := q.s.follow(v); err != nil {
		q.s = newState()
		return fmt.Errorf("read approvals: %w", err)
	}
	return nil
}

// Take consumes a granted answer for the question's binding, if there is one,
// recorded for the run; otherwise it makes sure that the question stands, and
// returns it: denied, or waiting.
func (q *Queue) Take(ctx context.Context, run string, question palisade.Question) (palisade.Approval, error) {
	binding := Binding(question)
	var out palisade.Approval
	var fresh *Question
	err := q.update(ctx, func(now time.Time) ([]palisade.Event, error) {
		open := q.s.byBinding[binding]
		if open == nil || !open.stands(now) || !q.honored(open, question.Verdict) {
			asked, err := q.ask(now, run, binding, question)
			if err != nil {
				return nil, err
			}
			fresh = asked
			out = palisade.Approval{Ticket: asked.Ticket, Binding: binding, Expires: asked.Expires}
			return []palisade.Event{{Run: run, Kind: palisade.EventAsked, Time: now, Data: asked}}, nil
		}
		out = open.approval()
		if !out.Granted {
			return nil, nil
		}
		return []palisade.Event{{Run: run, Kind: palisade.EventConsumed, Time: now, Data: consumed{open.Ticket, binding}}}, nil
	})
	if err != nil {
		return palisade.Approval{}, err
	}
	if n := q.notifier.Load(); n != nil && fresh != nil {
		n.tell(fresh)
	}
	return out, nil
}

// untold are the questions that wait, were asked at least so long ago, and that
// no webhook was told of.
func (q *Queue) untold(ctx context.Context, age time.Duration) ([]*Question, error) {
	var out []*Question
	err := q.c.Store.Update(ctx, func(v View) ([]palisade.Event, error) {
		q.mu.Lock()
		defer q.mu.Unlock()
		if err := q.catchUp(v); err != nil {
			return nil, err
		}
		now := q.c.Now()
		for _, e := range q.s.ordered() {
			if e.told || e.decided() || !e.stands(now) || now.Sub(e.Asked) < age || len(out) >= maxUnderWay {
				continue
			}
			if question, err := read(v, e.index); err == nil { // else its text is gone, and so is its purpose
				out = append(out, question)
			}
		}
		return nil, nil
	})
	return out, err
}

// honored reports whether the answers that were given would be taken today: the
// configuration may have become stricter since.
func (q *Queue) honored(e *entry, v palisade.Verdict) bool {
	if e.denied() {
		return true
	}
	for _, a := range e.answers {
		if q.permitted(a.Approver, e.Submitter) != nil {
			return false
		}
	}
	return e.need() >= q.need(v)
}

// need is how many humans must say yes to a verdict.
func (q *Queue) need(v palisade.Verdict) int {
	if q.c.Need == nil {
		return 1
	}
	return max(q.c.Need(v), 1)
}

// permitted reports why an identity may not approve for a submitter.
func (q *Queue) permitted(approver, submitter string) error {
	if approver == "" {
		return ErrNotApprover
	}
	if unvouched(approver) || unvouched(submitter) {
		return ErrUnvouched
	}
	if approver == submitter && !q.c.Self {
		return ErrSelf
	}
	if len(q.c.Approvers) == 0 {
		return nil
	}
	for _, one := range q.c.Approvers {
		if one == approver {
			return nil
		}
	}
	return ErrNotApprover
}

// ask makes a new question.
func (q *Queue) ask(now time.Time, run string, binding palisade.Digest, question palisade.Question) (*Question, error) {
	s := question.Case.Submission
	waiting := 0
	for _, e := range q.s.byTicket {
		if e.Submitter == s.Submitter && e.Tenant == s.Tenant && !e.decided() && e.stands(now) {
			waiting++
		}
	}
	if waiting >= maxWaiting {
		// Not the gate's failure: whoever asks can have the others answered.
		return nil, &tooMany{palisade.InputError{Reason: fmt.Sprintf("%v: %d; have them answered, or withdraw them with `approvals deny`", ErrWaiting, waiting)}}
	}
	ticket := q.c.NewTicket()
	if ticket == "" || q.s.byTicket[ticket] != nil {
		return nil, fmt.Errorf("ticket %q is not new", ticket)
	}
	asked := newQuestion(ticket, run, now, now.Add(q.c.Expiry), binding, question)
	asked.Need = q.need(question.Verdict)
	return asked, nil
}

// tooMany is ErrWaiting, as a complaint about the submission.
type tooMany struct{ palisade.InputError }

func (e *tooMany) Unwrap() []error { return []error{ErrWaiting, &e.InputError} }

// Decision is a human's answer.
type Decision struct {
	Ticket string
	// Digest is the question's binding in hex, or at least its first 8 digits:
	// it says which question was looked at.
	Digest string
	// Approver is the authenticated identity of who answers.
	Approver string
	// Also are identities that the approver may have had when asking, as far as
	// the operating system can tell them apart: none of them may have asked.
	Also    []string
	Approve bool
	Comment string
}

// Answer records a decision. Where several must say yes, the approval that it
// returns is granted when the last of them does; one no is enough. The errors of this package say why it was not
// taken.
func (q *Queue) Answer(ctx context.Context, d Decision) (palisade.Approval, error) {
	var out palisade.Approval
	err := q.update(ctx, func(now time.Time) ([]palisade.Event, error) {
		e := q.s.byTicket[d.Ticket]
		if err := q.admissible(e, d, now); err != nil {
			return nil, err
		}
		a := answered{
			Ticket: e.Ticket, Binding: e.Binding, Approve: d.Approve, Approver: d.Approver,
			Self: d.Approver == e.Submitter, Comment: d.Comment, Also: d.Also, Expires: now.Add(q.c.Expiry),
		}
		after := *e
		after.answers = append(slices.Clone(e.answers), a)
		out = after.approval()
		return []palisade.Event{{Run: e.Run, Kind: palisade.EventAnswered, Time: now, Data: a}}, nil
	})
	if err != nil {
		return palisade.Approval{}, fmt.Errorf("answer %q: %w", d.Ticket, err)
	}
	return out, nil
}

// admissible reports why a decision cannot be taken.
func (q *Queue) admissible(e *entry, d Decision, now time.Time) error {
	switch {
	case e == nil:
		return ErrUnknown
	case e.decided() || e.consumed:
		return ErrAnswered
	case !e.stands(now):
		return ErrExpired
	case !prefixOf(d.Digest, e.Binding):
		return ErrDigest
	case len(d.Comment) > maxComment:
		return fmt.Errorf("the comment is longer than %d bytes", maxComment)
	case d.Approver == "":
		return ErrNotApprover
	case !d.Approve && d.Approver == e.Submitter:
		return nil // to withdraw one's own question needs nobody's leave
	}
	if err := q.permitted(d.Approver, e.Submitter); err != nil {
		return err
	}
	if e.answeredBy(d) {
		return ErrTwice
	}
	if d.Approve && !q.c.Self && slices.Contains(d.Also, e.Submitter) {
		return ErrSelf
	}
	if d.Approve && e.Severity >= palisade.High && blank(d.Comment) {
		return ErrComment
	}
	return nil
}

// List returns the questions that still stand, oldest first; with all, also
// those that were consumed or have expired, as far as they are remembered.
func (q *Queue) List(ctx context.Context, all bool) ([]Item, error) {
	var items []Item
	err := q.update(ctx, func(now time.Time) ([]palisade.Event, error) {
		for _, e := range q.s.ordered() {
			if all || e.stands(now) {
				items = append(items, e.item(now))
			}
		}
		return nil, nil
	})
	return items, err
}

// Show returns a question as it was put, with its state.
func (q *Queue) Show(ctx context.Context, ticket string) (*Question, Item, error) {
	var item Item
	var question *Question
	err := q.c.Store.Update(ctx, func(v View) ([]palisade.Event, error) {
		q.mu.Lock()
		defer q.mu.Unlock()
		if err := q.catchUp(v); err != nil {
			return nil, err
		}
		e := q.s.byTicket[ticket]
		if e == nil {
			return nil, ErrUnknown
		}
		item = e.item(q.c.Now())
		var err error
		question, err = read(v, e.index)
		return nil, err
	})
	if err != nil {
		return nil, Item{}, fmt.Errorf("question %q: %w", ticket, err)
	}
	return question, item, nil
}

// read returns the question that stands at an index of the log.
func read(v View, index int64) (*Question, error) {
	for r, err := range v.Records(index, palisade.EventAsked) {
		if err != nil {
			return nil, err
		}
		if r.Index != index || r.Data == nil {
			break
		}
		var q Question
		return &q, json.Unmarshal(r.Data, &q)
	}
	return nil, errors.New("its text is not kept any more")
}
