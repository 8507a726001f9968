package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"palisade"
)

// foldVersion names what the functions of this file and fold.go make of an
// entry. Change it with them: an index of another version is made anew.
const foldVersion = 1

// Kinds of the log beside the root's. They are part of the log's format.
const (
	kindForgotten = "payloads_forgotten"
	kindCreated   = "key_created"
	kindRotated   = "key_rotated"
	kindRevoked   = "key_revoked"
	kindClaimed   = "idempotency_claimed"
)

// facts are what the index keeps of one payload, in the payload's own words. It
// is all that the rows are made of.
type facts struct {
	Tenant       string `json:"tenant,omitempty"`
	Submitter    string `json:"submitter,omitempty"`
	Door         string `json:"door,omitempty"`
	Profile      string `json:"profile,omitempty"`
	Language     string `json:"language,omitempty"`
	Program      string `json:"program,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Score        int64  `json:"score,omitempty"`
	Decision     string `json:"decision,omitempty"`
	Status       string `json:"status,omitempty"`
	Refused      bool   `json:"refused,omitempty"` // the gate did not let the program start
	MayHaveRun   bool   `json:"may_have_run,omitempty"`

	Ticket   string `json:"ticket,omitempty"`
	Binding  string `json:"digest,omitempty"`
	Severity string `json:"severity,omitempty"`
	Asked    int64  `json:"asked,omitempty"`
	Expires  int64  `json:"expires,omitempty"`
	Approver string `json:"approver,omitempty"`
	Approve  bool   `json:"approve,omitempty"`

	ID       string   `json:"id,omitempty"`
	Owner    string   `json:"owner,omitempty"`
	Label    string   `json:"label,omitempty"`
	Roles    []string `json:"roles,omitempty"`
	Profiles []string `json:"profiles,omitempty"`
	Hash     string   `json:"hash,omitempty"`
	Until    int64    `json:"until,omitempty"`
	Maker    string   `json:"by,omitempty"`
	Scope    string   `json:"scope,omitempty"`
	Target   string   `json:"target,omitempty"`
	Reason   string   `json:"reason,omitempty"`

	Name    string `json:"name,omitempty"`
	Request string `json:"request,omitempty"`
}

// factsOf reads what the index keeps of a record. None, for a kind that tells it
// nothing and for a payload that is gone.
func factsOf(r Record) (facts, bool, error) {
	if r.Data == nil {
		return facts{}, false, nil
	}
	read, ok := readers[string(r.Kind)]
	if !ok {
		return facts{}, false, nil
	}
	f, err := read(r.Data)
	if err != nil {
		return facts{}, false, fmt.Errorf("entry %d, %s: %w", r.Index, r.Kind, err)
	}
	f.clean()
	return f, true, nil
}

// readers are the kinds of which something is kept.
var readers = map[string]func(json.RawMessage) (facts, error){
	string(palisade.EventReceived):  received,
	string(palisade.EventInspected): plain("score"),
	string(palisade.EventDecided):   plain("decision", "profile"),
	string(palisade.EventAsked):     asked,
	string(palisade.EventAnswered):  answered,
	string(palisade.EventConsumed):  plain("ticket"),
	string(palisade.EventStarted):   started,
	string(palisade.EventOutcome):   outcome,
	kindCreated:                     key,
	kindRotated:                     key,
	kindRevoked:                     plain("scope", "target", "tenant", "by", "reason"),
	kindClaimed:                     plain("tenant", "submitter", "name", "request"),
}

// plain keeps fields of a payload that has them at its top, and nothing else.
func plain(keep ...string) func(json.RawMessage) (facts, error) {
	return func(data json.RawMessage) (facts, error) {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			return facts{}, err
		}
		kept := map[string]json.RawMessage{}
		for _, name := range keep {
			if v, ok := all[name]; ok {
				kept[name] = v
			}
		}
		text, err := json.Marshal(kept)
		if err != nil {
			return facts{}, err
		}
		var f facts
		return f, json.Unmarshal(text, &f)
	}
}

func received(data json.RawMessage) (facts, error) {
	var s struct {
		Submitter, Tenant, Door, Profile, Conversation string
		Program                                        struct{ Language, Name string }
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return facts{}, err
	}
	if s.Tenant == "" {
		s.Tenant = DefaultTenant
	}
	return facts{
		Tenant: s.Tenant, Submitter: s.Submitter, Door: s.Door, Profile: s.Profile, Conversation: s.Conversation,
		Language: s.Program.Language, Program: s.Program.Name,
	}, nil
}

func asked(data json.RawMessage) (facts, error) {
	var q struct {
		Ticket, Digest, Submitter, Severity string
		Asked, Expires                      time.Time
	}
	err := json.Unmarshal(data, &q)
	return facts{
		Ticket: q.Ticket, Binding: q.Digest, Submitter: q.Submitter, Severity: q.Severity, Asked: nanos(q.Asked), Expires: nanos(q.Expires),
	}, err
}

func answered(data json.RawMessage) (facts, error) {
	var a struct {
		Ticket, Digest, Approver string
		Approve                  bool
		Expires                  time.Time
	}
	err := json.Unmarshal(data, &a)
	return facts{Ticket: a.Ticket, Binding: a.Digest, Approver: a.Approver, Approve: a.Approve, Expires: nanos(a.Expires)}, err
}

func started(data json.RawMessage) (facts, error) {
	var r struct{ Refused string }
	err := json.Unmarshal(data, &r)
	return facts{Refused: r.Refused != ""}, err
}

func outcome(data json.RawMessage) (facts, error) {
	var o struct {
		Decision, Status string
		MayHaveRun       bool `json:"may_have_run"`
		Sandbox          struct{ Profile string }
		Approval         *struct{ Ticket string }
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return facts{}, err
	}
	f := facts{Decision: o.Decision, Status: o.Status, MayHaveRun: o.MayHaveRun, Profile: o.Sandbox.Profile}
	if o.Approval != nil {
		f.Ticket = o.Approval.Ticket
	}
	return f, nil
}

func key(data json.RawMessage) (facts, error) {
	var k struct {
		ID, Tenant, Owner, Label, Hash, By string
		Roles, Profiles                    []string
		Expires, Until                     time.Time
	}
	err := json.Unmarshal(data, &k)
	return facts{
		ID: k.ID, Tenant: k.Tenant, Owner: k.Owner, Label: k.Label, Hash: k.Hash, Maker: k.By,
		Roles: k.Roles, Profiles: k.Profiles, Expires: nanos(k.Expires), Until: nanos(k.Until),
	}, err
}

// maxWord bounds one text in the index, in bytes: names are foreign.
const maxWord = 512

// clean makes texts fit for both databases: PostgreSQL takes no NUL.
func (f *facts) clean() {
	for _, text := range []*string{
		&f.Tenant, &f.Submitter, &f.Door, &f.Profile, &f.Language, &f.Program, &f.Conversation, &f.Decision, &f.Status,
		&f.Ticket, &f.Binding, &f.Severity, &f.Approver, &f.ID, &f.Owner, &f.Label, &f.Hash, &f.Maker, &f.Scope, &f.Target,
		&f.Reason, &f.Name, &f.Request,
	} {
		*text = word(*text)
	}
	for _, list := range [][]string{f.Roles, f.Profiles} {
		for i := range list {
			list[i] = word(list[i])
		}
	}
}

// word is a text as the index holds it.
func word(text string) string {
	// A NUL becomes one byte, so that nothing grows beyond the bound.
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
	if len(text) > maxWord {
		text = strings.ToValidUTF8(text[:maxWord], "")
	}
	return text
}

// encode and decode are the form of facts in the table of events.
func (f facts) encode() (string, error) {
	data, err := json.Marshal(f)
	// A lone surrogate or NUL that was cleaned cannot come back by an escape.
	return string(data), err
}

func decodeFacts(text string) (f facts, known bool, err error) {
	if text == "" {
		return facts{}, false, nil
	}
	err = json.Unmarshal([]byte(text), &f)
	return f, true, err
}
