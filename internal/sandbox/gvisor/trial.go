package gvisor

import (
	"context"
	"io"
	"time"

	"palisade"
)

// trial is a job that is never let go: it brings a box up to the moment before
// a program would start.
func trial(seen func(palisade.Ready)) palisade.Job {
	return palisade.Job{
		Program: palisade.Program{Language: palisade.Python, Name: "trial"},
		Limits: palisade.Limits{
			CPU: time.Second, Wall: 10 * time.Second, Memory: 64 << 20, Output: 1 << 16, Kept: 1 << 12,
			Processes: 8, OpenFiles: 16, Disk: 1 << 20, Inodes: 16,
		},
		Isolation: palisade.Isolation{Backends: []string{Backend}},
		Stdout:    io.Discard, Stderr: io.Discard,
		Confirm: func(_ context.Context, r palisade.Ready) error {
			seen(r)
			return errTrial
		},
	}
}
