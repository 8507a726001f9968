package approval

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"palisade"
)

// answered is the payload of a human's answer.
type answered struct {
	Ticket   string          `json:"ticket"`
	Binding  palisade.Digest `json:"digest"`
	Approve  bool            `json:"approve"`
	Approver string          `json:"approver"`
	Self     bool            `json:"self,omitempty"`
	Comment  string          `json:"comment,omitempty"`
	// Also are identities that the approver may have had beside the one named:
	// nobody counts twice.
	Also []string `json:"also,omitempty"`
	// Expires is when the answer can no longer be used.
	Expires time.Time `json:"expires"`
}

// is reports whether the answer may be of whom a decision is of: who comes as
// root by sudo's word alone may be any other who does.
func (a answered) is(d Decision) bool {
	mine := append(slices.Clone(a.Also), a.Approver)
	return slices.ContainsFunc(append(slices.Clone(d.Also), d.Approver), func(who string) bool { return slices.Contains(mine, who) })
}

// answeredBy reports whether whoever decides said yes before. Who did may still
// say no.
func (e *entry) answeredBy(d Decision) bool {
	return d.Approve && slices.ContainsFunc(e.answers, func(a answered) bool { return a.is(d) })
}

// consumed is the payload of an approval that was spent on a run.
type consumed struct {
	Ticket  string          `json:"ticket"`
	Binding palisade.Digest `json:"digest"`
}

// entry is what is remembered of a question.
type entry struct {
	header
	index    int64
	answers  []answered // each but the last says yes
	consumed bool
	told     bool // a webhook was told, or could not be
}

// header is the part of a question that decides.
type header struct {
	Ticket    string            `json:"ticket"`
	Run       string            `json:"run"`
	Binding   palisade.Digest   `json:"digest"`
	Submitter string            `json:"submitter"`
	Tenant    string            `json:"tenant,omitempty"`
	Severity  palisade.Severity `json:"severity"`
	// Need is how many humans must say yes; 0 stands for one.
	Need    int       `json:"need,omitempty"`
	Asked   time.Time `json:"asked"`
	Expires time.Time `json:"expires"`
	Title   string    `json:"title"`
}

// expires is when the question, or its answer, no longer stands.
func (e *entry) expires() time.Time {
	if e.decided() {
		return e.answers[len(e.answers)-1].Expires
	}
	return e.Expires
}

// need is how many humans must say yes.
func (e *entry) need() int { return max(e.Need, 1) }

func (e *entry) denied() bool {
	return len(e.answers) > 0 && !e.answers[len(e.answers)-1].Approve
}

func (e *entry) granted() bool { return !e.denied() && len(e.answers) >= e.need() }

// decided reports whether no more answers are wanted.
func (e *entry) decided() bool { return e.denied() || e.granted() }

// stands reports whether the question can be answered or its answer used.
func (e *entry) stands(now time.Time) bool { return !e.consumed && now.Before(e.expires()) }

func (e *entry) approval() palisade.Approval {
	a := palisade.Approval{Ticket: e.Ticket, Binding: e.Binding, Expires: e.expires(), Granted: e.granted(), Denied: e.denied()}
	var who, why []string
	for _, one := range e.answers {
		who = append(who, one.Approver)
		if one.Comment != "" {
			why = append(why, one.Comment)
		}
		a.Self = a.Self || one.Self
	}
	if e.denied() {
		who, why = who[len(who)-1:], nonempty(e.answers[len(e.answers)-1].Comment)
	}
	a.Approver, a.Comment = strings.Join(who, ", "), strings.Join(why, "; ")
	return a
}

func nonempty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// Standing is where a question is on its way.
type Standing string

// The standings of a question.
const (
	Waiting  Standing = "waiting"
	Approved Standing = "approved" // and not used yet
	Denied   Standing = "denied"
	Consumed Standing = "consumed"
	Expired  Standing = "expired"
)

// Item is one question in a list.
type Item struct {
	palisade.Approval
	Standing  Standing          `json:"standing"`
	Run       string            `json:"run"`
	Submitter string            `json:"submitter"`
	Severity  palisade.Severity `json:"severity"`
	Need      int               `json:"need"`     // how many humans must say yes
	Approved  int               `json:"approved"` // how many did
	Asked     time.Time         `json:"asked"`
	// Title says in one line what is asked. It is foreign text.
	Title string `json:"title"`
}

func (e *entry) item(now time.Time) Item {
	i := Item{
		Approval: e.approval(), Standing: Waiting, Run: e.Run, Submitter: e.Submitter, Severity: e.Severity,
		Need: e.need(), Approved: len(e.answers), Asked: e.Asked, Title: e.Title,
	}
	if e.denied() {
		i.Approved--
	}
	switch {
	case e.consumed:
		i.Standing = Consumed
	case !e.stands(now):
		i.Standing = Expired
	case i.Granted:
		i.Standing = Approved
	case i.Denied:
		i.Standing = Denied
	}
	return i
}

// maxRemembered bounds the questions in memory; the oldest that no longer stand
// are forgotten first. The log has them all.
const maxRemembered = 10_000

// state is a fold over the log.
type state struct {
	next      int64
	byTicket  map[string]*entry
	byBinding map[palisade.Digest]*entry // the newest of each
	latest    time.Time                  // of the events seen
}

func newState() *state {
	return &state{byTicket: map[string]*entry{}, byBinding: map[palisade.Digest]*entry{}}
}

// follow folds the records since the last time.
func (s *state) follow(v View) error {
	size := v.Size()
	if size == s.next {
		return nil
	}
	for r, err := range v.Records(s.next, palisade.EventAsked, palisade.EventAnswered, palisade.EventConsumed, KindNotified) {
		if err != nil {
			return err
		}
		if err := s.fold(r); err != nil {
			return fmt.Errorf("entry %d: %w", r.Index, err)
		}
	}
	s.next = size
	s.forget()
	return nil
}

// fold takes one record. Where its payload is gone, doubt means no: a question
// or an answer without one does not count, and a consumption without one may
// have been of any answer before it.
func (s *state) fold(r Record) error {
	if r.Time.After(s.latest) {
		s.latest = r.Time
	}
	switch r.Kind {
	case palisade.EventAsked:
		if r.Data == nil {
			return nil
		}
		e := &entry{index: r.Index}
		if err := json.Unmarshal(r.Data, &e.header); err != nil {
			return err
		}
		if e.Ticket == "" || s.byTicket[e.Ticket] != nil {
			return fmt.Errorf("ticket %q is not new", e.Ticket)
		}
		s.byTicket[e.Ticket], s.byBinding[e.Binding] = e, e
	case palisade.EventAnswered:
		if r.Data == nil {
			return nil
		}
		var a answered
		if err := json.Unmarshal(r.Data, &a); err != nil {
			return err
		}
		e := s.byTicket[a.Ticket]
		if e == nil || e.Binding != a.Binding || e.decided() || e.answeredBy(Decision{Approver: a.Approver, Also: a.Also, Approve: a.Approve}) {
			return nil // an answer to a question that is forgotten, or one too many
		}
		e.answers = append(e.answers, a)
	case palisade.EventConsumed:
		return s.consume(r)
	case KindNotified:
		var d delivery
		if r.Data != nil && json.Unmarshal(r.Data, &d) == nil && s.byTicket[d.Ticket] != nil {
			s.byTicket[d.Ticket].told = true
		}
	}
	return nil
}

func (s *state) consume(r Record) error {
	if r.Data == nil {
		for _, e := range s.byTicket {
			e.consumed = e.consumed || e.granted()
		}
		return nil
	}
	var c consumed
	if err := json.Unmarshal(r.Data, &c); err != nil {
		return err
	}
	if e := s.byTicket[c.Ticket]; e != nil {
		e.consumed = true
	}
	return nil
}

// forget drops old questions when there are too many: those that no longer
// stood at the time of the newest event.
func (s *state) forget() {
	if len(s.byTicket) <= maxRemembered {
		return
	}
	for _, e := range s.ordered() {
		if len(s.byTicket) <= maxRemembered/2 {
			return
		}
		if e.stands(s.latest) {
			continue
		}
		delete(s.byTicket, e.Ticket)
		if s.byBinding[e.Binding] == e {
			delete(s.byBinding, e.Binding)
		}
	}
}

// ordered returns the questions, oldest first.
func (s *state) ordered() []*entry {
	all := make([]*entry, 0, len(s.byTicket))
	for _, e := range s.byTicket {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Compare(a.index, b.index) })
	return all
}

// prefixOf reports whether text is the binding in hex, or enough of its
// beginning.
func prefixOf(text string, binding palisade.Digest) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return len(text) >= minPrefix && strings.HasPrefix(hex.EncodeToString(binding[:]), text)
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
