package gvisor

import "palisade/internal/sandbox"

// The host and its launcher talk in packets (see package packet), with descriptors
// beside them. Each side trusts the other to be this program; neither trusts it to
// be alive.

// verb is what the host asks for.
type verb string

const (
	verbCreate  verb = "create"  // make a box, not started; descriptors: see guestFDs
	verbStart   verb = "start"   // start its first process, or restore all of it from Image
	verbSave    verb = "save"    // checkpoint a template into Image; it ends with that
	verbKill    verb = "kill"    // end it now
	verbDestroy verb = "destroy" // end it and free what it held; always answered
)

// request is what the host sends.
type request struct {
	Verb verb   `json:"verb"`
	Box  string `json:"box"`
	// Bundle is the directory with the box's config.json.
	Bundle string `json:"bundle,omitempty"`
	// Template, of verbCreate, says that the box will be saved, and never
	// waited for.
	Template bool `json:"template,omitempty"`
	// Image is a directory with a checkpoint.
	Image string `json:"image,omitempty"`
}

// news is what the launcher tells of a box.
type news string

const (
	newsReady     news = "ready"     // the launcher itself is up
	newsCreated   news = "created"   // Pid is the sentry's
	newsStarted   news = "started"   // the first process runs
	newsSaved     news = "saved"     // the checkpoint is complete
	newsExited    news = "exited"    // Status is the first process's wait status
	newsDestroyed news = "destroyed" // nothing of the box is left
	newsFailed    news = "failed"    // Error says what could not be done
)

// report is what the launcher sends.
type report struct {
	News   news   `json:"news"`
	Box    string `json:"box,omitempty"`
	Pid    int    `json:"pid,omitempty"`
	Status uint32 `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// guestFDs are the guest's numbers of the descriptors that come with
// verbCreate, in their order: output, errors, frames in, frames out, and where
// the box has a way out its channel in and out.
var guestFDs = [...]int{1, 2, inFD, 4, sandbox.ExitIn, sandbox.ExitOut}

// plainFDs is how many of them every box has.
const plainFDs = 4

// inFD is the guest's descriptor on which frames come from the host.
const inFD = 3
