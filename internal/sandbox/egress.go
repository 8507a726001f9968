package sandbox

import (
	"context"
	"os"
	"slices"
	"time"

	"palisade"
)

// Egress opens ways out of boxes: a proxy outside, which alone decides what is
// reached. A back-end whose jobs may have peers is given one.
type Egress interface {
	// Open makes the way out for a job's peers, over a box's channel: fromBox is
	// the host's end of guest descriptor 6, toBox that of 5. The files are the
	// callee's, also where it fails; then the error is an [*ExitError].
	Open(ctx context.Context, job palisade.Job, fromBox, toBox *os.File) (Exit, error)
}

// Exit is the way out of one box.
type Exit interface {
	// Box is what the box is told.
	Box() ExitPlan
	// Close ends every connection and returns what was attempted, in order. A
	// second call returns the same.
	Close() Attempts
}

// ExitError says why there is no way out for a job: the run is refused. Fix is fit
// to be told.
type ExitError struct {
	Fix string
	Err error
}

func (e *ExitError) Error() string { return "no way out: " + e.Err.Error() }
func (e *ExitError) Unwrap() error { return e.Err }

// ExitPlan is what a box is told of its way out.
type ExitPlan struct {
	// Certificates, as PEM, are those that the program is to believe.
	Certificates []byte
	// Variables are the program's, name and value; {port} and {certificates}
	// stand for the port of the box's relay and the path of the certificates.
	Variables [][2]string
}

// Attempts are what a program tried to reach.
type Attempts struct {
	List []Attempt
	// More were made and are not listed.
	More int64
	// Broken says what the box sent against the channel's protocol.
	Broken string
}

// Attempt is one connection or request.
type Attempt struct {
	At      time.Time
	Peer    string // foreign, and bounded
	Refused bool
	Detail  string
}

const (
	// ExitIn and ExitOut are the guest's descriptors of its channel to the
	// proxy.
	ExitIn, ExitOut = 5, 6
	// RelayThreads and RelayFiles are what the box's end of the way out takes of
	// a process's limits, beside the program.
	RelayThreads, RelayFiles = 1, 40
)

// ActPeer is the kind of act of an attempt: what a box's own kernel sees of it is
// a connection to the relay.
const ActPeer = "peer"

// acts are attempts as a run's record has them, on a clock that began at go.
func (a Attempts) acts(began time.Time) []palisade.Act {
	var all []palisade.Act
	for _, one := range a.List {
		all = append(all, palisade.Act{
			Millis: max(one.At.Sub(began).Milliseconds(), 0), Kind: ActPeer, What: one.Peer,
			Refused: one.Refused, Detail: one.Detail,
		})
	}
	return all
}

// addTo puts attempts into a run's activity.
func (a Attempts) addTo(to *palisade.Activity, began time.Time) {
	if len(a.List) == 0 && a.More == 0 {
		return
	}
	to.Acts = append(to.Acts, a.acts(began)...)
	slices.SortStableFunc(to.Acts, func(x, y palisade.Act) int { return int(x.Millis - y.Millis) })
	if to.Counts == nil {
		to.Counts = map[string]int64{}
	}
	to.Counts[ActPeer] += int64(len(a.List)) + a.More
	to.Dropped += a.More
}
