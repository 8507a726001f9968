package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"palisade"
	"palisade/internal/sandbox"
	"palisade/internal/sandbox/packet"
)

// A way out is two pipes to the proxy, which the box is handed with its job: one
// that is parked has none, and is the same for jobs with peers and without.

// wayOut is a job's way out of its box. The zero value: it has none.
type wayOut struct {
	exit sandbox.Exit
	ends []*os.File // the box's, as sandbox.ExitIn and ExitOut, until it has them
}

// refuseEgress reports why a job's peers cannot be reached.
func (s *Sandbox) refuseEgress(job palisade.Job) error {
	switch {
	case len(job.Egress) == 0:
		return nil
	case s.config.Egress == nil:
		return errors.New("the job has peers, and this sandbox no way out")
	case slices.Contains(job.DeniedSyscalls, "socket"):
		return errors.New("the job has peers, and its verdict denies sockets")
	}
	return nil
}

// openWay opens a job's way out, if it has peers.
func (s *Sandbox) openWay(ctx context.Context, job palisade.Job) (_ *wayOut, err error) {
	w := &wayOut{}
	if len(job.Egress) == 0 {
		return w, nil
	}
	in, toBox, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	fromBox, out, err := os.Pipe()
	if err != nil {
		packet.CloseAll([]*os.File{in, toBox})
		return nil, fmt.Errorf("pipe: %w", err)
	}
	w.ends = []*os.File{in, out}
	if w.exit, err = s.config.Egress.Open(ctx, job, fromBox, toBox); err != nil {
		w.handedOver()
		return nil, err
	}
	return w, nil
}

// handedOver lets go of the box's ends: it has them, or there is no box.
func (w *wayOut) handedOver() {
	packet.CloseAll(w.ends)
	w.ends = nil
}

// close ends the way out. What was attempted has been asked for before.
func (w *wayOut) close() {
	w.handedOver()
	if w.exit != nil {
		w.exit.Close()
	}
}

// processes are those that the way out takes in the box.
func (w *wayOut) processes() int {
	if w.exit == nil {
		return 0
	}
	return sandbox.RelayThreads
}

// files are the descriptors that it takes of each process.
func (w *wayOut) files() int {
	if w.exit == nil {
		return 0
	}
	return sandbox.RelayFiles
}
