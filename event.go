package palisade

import "time"

// EventKind names a step on the record; the log's format: add, never rename.
type EventKind string

// The steps of a run, in their order, and the gate's own.
const (
	EventReceived  EventKind = "received"  // a Submission, before anything is done with it
	EventRejected  EventKind = "rejected"  // invalid input; never ran
	EventInspected EventKind = "inspected" // an Inspection
	EventDecided   EventKind = "decided"   // a Verdict
	EventAsked     EventKind = "asked"     // a question was put to humans
	EventAnswered  EventKind = "answered"  // a human's answer to a question
	EventConsumed  EventKind = "consumed"  // an approval was spent on a run
	EventStarted   EventKind = "started"   // a box is ready: digests and layers, before go
	EventFinished  EventKind = "finished"  // a Result
	EventOutcome   EventKind = "outcome"   // an Outcome, before it is handed out
	EventFailed    EventKind = "failed"    // the gate itself failed
	EventRecovered EventKind = "recovered" // the log repaired a torn end
)

// Event is one step on the record.
type Event struct {
	Run  string
	Kind EventKind
	Time time.Time
	Data any // the step's payload; it is stored as JSON
}
