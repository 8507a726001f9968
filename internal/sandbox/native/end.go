package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"palisade/internal/sandbox"
	"palisade/internal/sandbox/packet"
)

// exited is how a box ended.
type exited struct {
	// told says that the box's first process told how the program's ended. It
	// did not if the box was killed.
	told   bool
	status syscall.WaitStatus
	err    error
}

// watchExit waits for a box's end. Nobody is waited for who still holds a pipe
// of a dead box.
func (r *run) watchExit() <-chan exited {
	exit := make(chan exited, 1)
	go func() {
		e := r.lastWords()
		// With the program's process, all end.
		r.end()
		<-r.dead
		r.watch.Ended()
		exit <- e
		r.pipes.Drain(time.Now().Add(drainTime))
	}()
	return exit
}

// lastWords reads what the box says until its end. The program never has this
// channel: only the first process, which runs nothing of it, can have written how
// it ended.
func (r *run) lastWords() (e exited) {
	if err := r.control.SetReadDeadline(time.Time{}); err != nil {
		return exited{err: err}
	}
	for {
		kind, text, fds, err := receive(r.control)
		packet.CloseFDs(fds)
		switch {
		case errors.Is(err, io.EOF):
			return e
		case err != nil:
			return exited{err: err}
		case kind == 'S':
			r.seen.inForce.Store(true)
			select {
			case r.settled <- text:
			default:
			}
		case kind == 'E' && len(text) == 4:
			return exited{told: true, status: syscall.WaitStatus(binary.BigEndian.Uint32([]byte(text)))}
		}
	}
}

// endPatience is how long a killed box may take to end.
const endPatience = 10 * time.Second

// awaitExit waits for the end of a box whose conversation is over. A program may
// close its pipes and live on: then its limits still hold. One that was never
// started has no limits, and is ended.
func (r *run) awaitExit(exit <-chan exited, started bool) exited {
	patience := endPatience
	if started {
		patience += r.watch.Left()
	} else {
		r.watch.Kill(sandbox.KillNotReady)
	}
	for range 2 {
		timer := time.NewTimer(patience)
		select {
		case e := <-exit:
			timer.Stop()
			return e
		case <-timer.C:
			r.watch.Kill(sandbox.KillBackstage)
			r.slay()
			patience = endPatience
		}
	}
	return exited{err: errors.New("the box does not end")}
}

// observe says what the host saw of the end.
func (r *run) observe(e exited) sandbox.Observed {
	r.watch.Stop()
	started := r.watch.Started()
	why, usage := r.watch.Spent()
	r.seen.stop()
	defer r.seen.forget()
	o := sandbox.Observed{Kill: why, Usage: usage}
	if started {
		o.Usage.DiskWritten = r.seen.written()
		r.seen.observeActs(&o)
	}
	o.Limits = r.limitsHit()
	switch {
	case e.err != nil:
		o.Failed, o.Reason = true, e.err.Error()
	case !e.told:
		o.Signal = "SIGKILL" // the whole box was killed
	case e.status.Signaled():
		o.Signal = signalName(e.status.Signal())
	default:
		o.ExitCode = e.status.ExitStatus()
	}
	if o.Kill == sandbox.NotKilled && r.outOfMemory() {
		o.Kill = sandbox.KillMemory
	}
	return o
}

// limitsHit names the limits that made calls fail, as the kernel's counters and
// events tell it.
func (r *run) limitsHit() []string {
	hit := r.seen.limits()
	if r.group != nil && r.group.PIDsRefused() > 0 {
		hit = append(hit, "processes")
	}
	return hit
}

// signalName names a signal as the host's tools do.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(s))
}
