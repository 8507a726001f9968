package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"palisade"
)

// Pipes are the host's ends of a box's four pipes. Readers that have a
// SetReadDeadline method, as an [os.File] of a pipe has, can be unblocked.
type Pipes struct {
	In     io.WriteCloser // guest descriptor 3
	Out    io.Reader      // guest descriptor 4
	Stdout io.Reader      // guest descriptor 1
	Stderr io.Reader      // guest descriptor 2
}

// Drain makes every read end at the deadline at the latest. A back-end calls it
// when the box is dead, so that nobody who still holds a pipe is waited for.
func (p Pipes) Drain(deadline time.Time) {
	for _, r := range []any{p.Out, p.Stdout, p.Stderr} {
		if d, ok := r.(interface{ SetReadDeadline(time.Time) error }); ok {
			// A pipe that is closed needs no deadline.
			_ = d.SetReadDeadline(deadline)
		}
	}
}

// Hooks are a back-end's part in a conversation.
type Hooks struct {
	// Backend and Runtime go into [palisade.Ready].
	Backend, Runtime string
	// Layers returns what the host observes of the box, just before go.
	Layers func(ctx context.Context) (map[string]string, error)
	// Go is called when the run is confirmed, just before the program starts:
	// budgets count from here.
	Go func() error
	// Kill must end the box, soon, whole, and without waiting for this
	// conversation. It may be called more than once and from any goroutine.
	Kill func(Kill)
	// AddressSpace bounds each process inside by RLIMIT_AS, in bytes, for a
	// back-end that has no better bound on memory. 0: not set.
	AddressSpace int64
	// Processes are those that the harness takes beside the program's.
	Processes int
	// Exit is the box's way out; nil: it has none.
	Exit Exit
	// StartTimeout bounds the time until the harness has reported. 0: 30 s.
	StartTimeout time.Duration
}

// Transcript is what was said in a conversation with a box.
type Transcript struct {
	// Ready is what was reported before the program started.
	Ready palisade.Ready
	// Started tells that go was sent: from then on the program may have run.
	Started bool
	// Kill is the first reason for which the conversation called Hooks.Kill,
	// and Reason says more, for an operator.
	Kill   Kill
	Reason string

	Stdout, Stderr palisade.Captured
	// The rest is the guest's own word.
	Value     json.RawMessage
	Exception *palisade.Exception
	Rich      []palisade.Rich
	Artifacts []palisade.Artifact
	Anomalies []string
	// Attempts are what was reached for through the way out, as the proxy saw
	// it, and Began is when the program started.
	Attempts Attempts
	Began    time.Time
}

const (
	defaultStartTimeout = 30 * time.Second
	// maxRich is how many displayed values of one run are kept, maxRichBytes
	// how much they hold together.
	maxRich      = 64
	maxRichBytes = 16 << 20
	// maxTalk is how many bytes of frames a box may send in all; a box that
	// sends more is ended.
	maxTalk = MaxArtifactBytes + maxRichBytes + 16<<20
	// maxAnomalies is how many anomalies are named; the rest are counted.
	maxAnomalies     = 32
	maxAnomalyBytes  = 240
	maxComplaint     = 2000
	interruptedDrain = 2 * time.Second
)

// Converse holds the conversation with one box, from the program to the end of
// its pipes. It sends the job, waits for the harness to report, asks
// Job.Confirm, calls Hooks.Go, says go, and then keeps what comes, bounded.
//
// It returns when all three pipes from the guest have ended, when a deadline
// set by [Pipes.Drain] has passed, or soon after ctx is done. An error means
// that the conversation failed before the program started; the transcript
// still holds what was seen. Why the box ended is for the back-end to observe.
func Converse(ctx context.Context, job palisade.Job, p Pipes, h Hooks) (Transcript, error) {
	c := &conversation{job: job, pipes: p, hooks: h}
	c.files = collector{max: min(job.Limits.Disk, MaxArtifactBytes), note: c.note}
	stop := context.AfterFunc(ctx, func() {
		c.kill(KillCaller, "the caller went away")
		p.Drain(time.Now().Add(interruptedDrain))
	})
	defer stop()

	spent := &budget{left: job.Limits.Output, onPassed: func() { c.kill(KillOutput, "") }}
	stdout := c.listen(p.Stdout, job.Stdout, spent)
	stderr := c.listen(p.Stderr, job.Stderr, spent)
	err := c.start(ctx)
	if err == nil {
		c.hear()
	} else {
		c.kill(KillNotReady, err.Error())
		p.Drain(time.Now().Add(interruptedDrain))
	}
	c.t.Stdout, c.t.Stderr = <-stdout, <-stderr

	if h.Exit != nil {
		c.t.Attempts = h.Exit.Close()
		if broken := c.t.Attempts.Broken; broken != "" {
			c.note("the way out: %s", broken)
		}
	}
	c.files.abandon()
	c.t.Artifacts = c.files.all
	if c.unnamed > 0 {
		c.t.Anomalies = append(c.t.Anomalies, fmt.Sprintf("%d more", c.unnamed))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t.Kill, c.t.Reason = c.why, c.reason
	if err == nil || c.why == KillRefused || c.why == KillCaller {
		// That the gate or the caller said no is a result, not a failure.
		return c.t, nil
	}
	return c.t, fmt.Errorf("%w%s", err, complaint(c.t.Stderr))
}

// complaint is what an interpreter that did not come up said about it. No byte
// of the program ran, so that these are not its words.
func complaint(stderr palisade.Captured) string {
	said := strings.TrimSpace(string(append(slices.Clone(stderr.Head), stderr.Tail...)))
	if said == "" {
		return ""
	}
	if len(said) > maxComplaint {
		said = said[len(said)-maxComplaint:]
	}
	return fmt.Sprintf(": it said %q", said)
}

// conversation is one box's. Everything but the mutex's is used by the
// goroutine of Converse alone.
type conversation struct {
	job     palisade.Job
	pipes   Pipes
	hooks   Hooks
	t       Transcript
	files   collector
	richSum int
	unnamed int

	mu     sync.Mutex
	why    Kill
	reason string
}

// kill ends the box; the first reason counts.
func (c *conversation) kill(why Kill, reason string) {
	c.mu.Lock()
	if c.why == NotKilled {
		c.why, c.reason = why, reason
	}
	c.mu.Unlock()
	c.hooks.Kill(why)
}

// note names what is against the protocol, each thing once. What is quoted is
// foreign, so that it is escaped and bounded here.
func (c *conversation) note(format string, args ...any) {
	text := strings.ToValidUTF8(fmt.Sprintf(format, args...), "\\uFFFD")
	text = strings.Trim(strconv.QuoteToASCII(text), `"`)
	if len(text) > maxAnomalyBytes {
		text = text[:maxAnomalyBytes] + "..."
	}
	switch {
	case slices.Contains(c.t.Anomalies, text), len(c.t.Anomalies) >= maxAnomalies:
		c.unnamed++
	default:
		c.t.Anomalies = append(c.t.Anomalies, text)
	}
}

// listen keeps one of the program's output streams until it ends.
func (c *conversation) listen(r io.Reader, w io.Writer, spent *budget) <-chan palisade.Captured {
	k, done := newKeep(c.job.Limits.Kept), make(chan palisade.Captured, 1)
	go func() {
		l := newLive(w)
		// What cannot be read any more is the stream's end, whatever the cause.
		_ = drain(r, k, spent, l)
		l.finish()
		done <- k.captured()
	}()
	return done
}
