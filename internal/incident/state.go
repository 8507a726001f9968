package incident

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"palisade"
)

// The kinds of what this package puts on the record, beside a run's own events.
// They are part of the log's format: add, never rename.
const (
	KindLockdown palisade.EventKind = "lockdown" // a Change: nothing runs, or may run again
	KindEgress   palisade.EventKind = "egress"   // a Change: every way out is cut, or open again
	KindKill     palisade.EventKind = "kill"     // a Request to end runs
)

// State is what is switched for every gate of a state folder.
type State struct {
	Lockdown  Switch `json:"lockdown"`   // on: nothing runs
	EgressOff Switch `json:"egress_off"` // on: no box reaches any peer
}

// Switch is one thing that is on or off, and who switched it.
type Switch struct {
	On   bool      `json:"on"`
	Who  string    `json:"who,omitempty"`
	When time.Time `json:"when,omitzero"`
	Why  string    `json:"why,omitempty"`
}

// Change is the payload of KindLockdown and KindEgress.
type Change struct {
	Switch
	// Running are the runs that were running when it was switched.
	Running []string `json:"running,omitempty"`
}

// Switched says what a record of KindLockdown or KindEgress did, in the words of the
// command that does it: the switch of egress is on when egress is off.
func Switched(kind palisade.EventKind, on bool) string {
	if on != (kind == KindEgress) {
		return string(kind) + " on"
	}
	return string(kind) + " off"
}

// String says since when, by whom and why.
func (s Switch) String() string { return told(s.When, s.Who, s.Why) }

func told(when time.Time, who, why string) string {
	text := ""
	if !when.IsZero() {
		text += " at " + when.UTC().Format(time.RFC3339)
	}
	if who != "" {
		text += " by " + who
	}
	if why != "" {
		text += ": " + why
	}
	return text
}

// Bounds, in bytes.
const (
	maxState = 64 << 10
	maxWhy   = 2000
)

// file is the form of the state on disk. Both switches must be there: a file
// that says nothing of one does not say that it is off.
type file struct {
	Version   int     `json:"version"`
	Lockdown  *Switch `json:"lockdown"`
	EgressOff *Switch `json:"egress_off"`
}

func (s State) encode() ([]byte, error) {
	data, err := json.MarshalIndent(file{1, &s.Lockdown, &s.EgressOff}, "", "  ")
	return append(data, '\n'), err
}

func decodeState(data []byte) (State, error) {
	var f file
	if err := strict(data, &f); err != nil {
		return State{}, err
	}
	switch {
	case f.Version != 1:
		return State{}, fmt.Errorf("version %d is not known", f.Version)
	case f.Lockdown == nil || f.EgressOff == nil:
		return State{}, errors.New("a switch is missing")
	}
	return State{*f.Lockdown, *f.EgressOff}, nil
}

// strict decodes one JSON value and nothing else.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// doubtful is the state where none can be read.
func doubtful(err error) State {
	off := Switch{On: true, Why: "the state of the brake cannot be read: " + err.Error()}
	return State{off, off}
}

// Request asks the gates to end runs: one by its ID, those of a tenant, or all.
type Request struct {
	Run    string `json:"run,omitempty"`
	Tenant string `json:"tenant,omitempty"`
	All    bool   `json:"all,omitempty"`

	Who  string    `json:"who,omitempty"`
	When time.Time `json:"when,omitzero"`
	Why  string    `json:"why,omitempty"`
}

func (r Request) check() error {
	n := 0
	for _, given := range []bool{r.Run != "", r.Tenant != "", r.All} {
		if given {
			n++
		}
	}
	if n != 1 {
		return errors.New("want a run, a tenant, or all")
	}
	return nil
}

// Matches reports whether the request is about a run.
func (r Request) Matches(run, tenant string) bool {
	return r.All || r.Run != "" && r.Run == run || r.Tenant != "" && r.Tenant == tenant
}

func (r Request) String() string { return told(r.When, r.Who, r.Why) }

// stopped is why a run was ended or did not start.
type stopped struct {
	reason string // for the record
	fix    string // for whoever asked
}

func (s *stopped) Error() string { return s.reason }

func byLockdown(s Switch) *stopped {
	fix := "Palisade is locked down: nothing runs until whoever operates it lifts that; do not retry, rephrase or work around"
	return &stopped{"lockdown" + s.String(), fix}
}

func byRequest(r Request) *stopped {
	return &stopped{"killed" + r.String(), "whoever operates Palisade ended it: do not submit it again unless they say so"}
}

func byCut(err error) *stopped {
	return &stopped{"the way out could not be cut: " + err.Error(), "whoever operates Palisade cut every way out: do not submit it again unless they say so"}
}
