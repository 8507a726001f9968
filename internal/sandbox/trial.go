package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"palisade"
)

// errTrial refuses a trial after all was looked at: code runs only with a
// permit, and a trial has none.
var errTrial = errors.New("this was only a trial")

// Trial is a job that is never let go: it brings a box up to the moment before
// a program would start, and has seen told what is in force around it.
func Trial(backend string, l palisade.Language, seen func(palisade.Ready)) palisade.Job {
	return palisade.Job{
		Program: palisade.Program{Language: l, Name: "trial"},
		Limits: palisade.Limits{
			CPU: time.Second, Wall: 10 * time.Second, Memory: 64 << 20, Output: 1 << 16, Kept: 1 << 12,
			Processes: 8, OpenFiles: 16, Disk: 1 << 20, Inodes: 16,
		},
		Isolation: palisade.Isolation{Backends: []string{backend}},
		Stdout:    io.Discard, Stderr: io.Discard,
		Confirm: func(_ context.Context, r palisade.Ready) error {
			seen(r)
			return errTrial
		},
	}
}

// Try brings up one box of a language by a back-end's own way of running a job,
// and returns what was in force around it. No program is started.
func Try(backend string, l palisade.Language, run func(palisade.Job) (palisade.Result, error)) (palisade.Ready, error) {
	var ready palisade.Ready
	r, err := run(Trial(backend, l, func(r palisade.Ready) { ready = r }))
	if err != nil {
		return ready, err
	}
	if r.Status != palisade.Refused || ready.Backend == "" {
		return ready, fmt.Errorf("the trial ended as %s: %s", r.Status, r.Reason)
	}
	return ready, nil
}
