package gvisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/sandbox"
)

// exited is what the launcher reported of a box's end.
type exited struct {
	status syscall.WaitStatus
	err    error
}

// watchExit waits for a box's end. Nobody is waited for who still holds a pipe
// of a dead box.
func (b *box) watchExit() <-chan exited {
	exit := make(chan exited, 1)
	go func() {
		r, err := b.remote.await(context.Background(), newsExited)
		b.ended()
		exit <- exited{syscall.WaitStatus(r.Status), err}
		b.pipes.Drain(time.Now().Add(drainTime))
	}()
	return exit
}

// awaitExit waits for the end of a box whose conversation is over. A program may
// close its pipes and live on: then its limits still hold. One that was never
// started has no limits, and is ended.
func (b *box) awaitExit(exit <-chan exited, started bool) exited {
	patience := endPatience
	if started {
		patience += max(time.Until(b.budget.start.Add(b.job.Limits.Wall+wallGrace)), 0)
	} else {
		b.kill(sandbox.KillNotReady)
	}
	for range 2 {
		select {
		case e := <-exit:
			return e
		case <-time.After(patience):
			b.kill(sandbox.KillBackstage)
			b.slay()
			patience = endPatience
		}
	}
	return exited{err: errors.New("the box does not end")}
}

// endPatience is how long a killed box may take to end.
const endPatience = 10 * time.Second

// observe says what the host saw of the end.
func (b *box) observe(e exited) sandbox.Observed {
	b.budget.stop()
	started := !b.budget.start.IsZero()
	if started {
		_, _ = b.look() // the last look: what was seen before stands if it fails
	}
	g := &b.budget
	g.mu.Lock()
	defer g.mu.Unlock()
	o := sandbox.Observed{Kill: g.why}
	if started {
		o.Usage = palisade.Usage{CPU: g.used.CPU, Wall: g.end.Sub(g.start), MemoryPeak: g.used.Memory}
	}
	hit, err := b.metered()
	o.Limits = hit
	if started {
		b.observeEvents(&o)
	}
	switch {
	case e.err != nil:
		o.Failed, o.Reason = true, e.err.Error()
	case err != nil && started:
		o.Failed, o.Reason = true, err.Error()
	case e.status.Signaled():
		o.Signal = signalName(e.status.Signal())
	default:
		o.ExitCode = e.status.ExitStatus()
	}
	if o.Kill != sandbox.NotKilled {
		return o
	}
	switch panicked := b.panicked(); {
	case b.outOfMemory():
		o.Kill, o.Failed = sandbox.KillMemory, false
	case panicked != "" && b.group != nil && b.group.PIDsRefused() > 0:
		// The backstop: the kernel inside could not make a thread.
		o.Limits, o.Signal, o.Failed = append(o.Limits, "processes"), "SIGKILL", false
	case panicked != "":
		o.Failed, o.Reason = true, "the box's kernel failed: "+panicked
	}
	return o
}

// maxPanic is how much of a kernel's last words is read and reported.
const (
	maxPanicRead = 64 << 10
	maxPanic     = 2000
)

// panicked returns the last words of the box's kernel; none if it ended in
// peace. Lines of gVisor's log, which some of its parts write to the same place,
// are no last words: a letter, the day, the time.
func (b *box) panicked() string {
	f, err := os.Open(b.panicPath())
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPanicRead))
	if err != nil {
		return ""
	}
	var words []string
	for line := range strings.Lines(string(data)) {
		if len(line) < 5 || !strings.Contains("DIWEF", line[:1]) || strings.Trim(line[1:5], "0123456789") != "" {
			words = append(words, line)
		}
	}
	text := strings.TrimSpace(strings.Join(words, ""))
	return text[:min(len(text), maxPanic)]
}

// withLastWords adds the last words of the box's kernel to an error.
func (b *box) withLastWords(err error) error {
	if words := b.panicked(); words != "" {
		return fmt.Errorf("%w: the box's kernel said: %s", err, words)
	}
	return err
}

// signalName names a signal as the host's tools do.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(s))
}
