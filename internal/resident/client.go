package resident

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"palisade"
)

// ErrNone says that no gate listens.
var ErrNone = errors.New("no resident gate listens")

// Client hands submissions to a resident gate.
type Client struct {
	// Socket is where it listens.
	Socket string
	// Notice gets what whoever waits should know. Nil: nothing is told.
	Notice func(string)
}

// Run has the gate take one submission. Its live output goes to the submission's
// writers. When ctx is done the run is interrupted, and its outcome still comes.
//
// An error is a [*palisade.InputError], wraps [ErrNone] where nobody listens, or
// says how the gate failed.
func (c Client) Run(ctx context.Context, s palisade.Submission, wait time.Duration) (palisade.Outcome, error) {
	conn, err := c.dial(ctx)
	if err != nil {
		return palisade.Outcome{}, err
	}
	defer func() { _ = conn.Close() }()
	r := Request{Submission: s, Wait: wait, Live: s.Live != palisade.Live{}}
	if err := send(conn, r); err != nil {
		return palisade.Outcome{}, fmt.Errorf("send the submission: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.CloseWrite() })
	defer stop()
	return c.hear(conn, s.Live)
}

// dial connects, and makes sure that the gate is this user's, or root's.
func (c Client) dial(ctx context.Context) (*net.UnixConn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.Socket)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w at %s", ErrNone, c.Socket)
	}
	if err != nil {
		return nil, fmt.Errorf("resident gate: %w", err)
	}
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("resident gate: not a Unix socket"), conn.Close())
	}
	p, err := peerOf(socket)
	if err == nil && p.UID != os.Geteuid() && p.UID != 0 {
		err = fmt.Errorf("resident gate: %s is served by user %d, not by this user", c.Socket, p.UID)
	}
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	return socket, nil
}

// hear takes the gate's messages up to the outcome.
func (c Client) hear(conn io.Reader, out palisade.Live) (palisade.Outcome, error) {
	var files [][]byte
	for {
		var m message
		if err := receive(conn, maxReply, &m); err != nil {
			return palisade.Outcome{}, fmt.Errorf("the resident gate went away; the run may have taken place: see `palisade audit`: %w", err)
		}
		switch m.Kind {
		case kindStdout:
			pass(out.Stdout, m.Data)
		case kindStderr:
			pass(out.Stderr, m.Data)
		case kindNotice:
			if c.Notice != nil {
				c.Notice(m.Text)
			}
		case kindArtifact:
			files = append(files, m.Data)
		case kindInvalid:
			return palisade.Outcome{}, &palisade.InputError{Reason: m.Text}
		case kindFailed:
			return palisade.Outcome{}, errors.New(m.Text)
		case kindOutcome:
			return whole(m, files)
		default:
			return palisade.Outcome{}, fmt.Errorf("the resident gate says %q: it is of another version", m.Kind)
		}
	}
}

// pass writes live output; the run goes on if it cannot be written.
func pass(w io.Writer, data []byte) {
	if w != nil {
		_, _ = w.Write(data)
	}
}

// whole gives an outcome what its JSON does not say: the content of its files, and
// whether it has a value.
func whole(m message, files [][]byte) (palisade.Outcome, error) {
	if m.Outcome == nil || len(files) != len(m.Outcome.Artifacts) {
		return palisade.Outcome{}, errors.New("the resident gate's outcome is not whole")
	}
	o := *m.Outcome
	for i := range files {
		o.Artifacts[i].Data = files[i]
	}
	if !m.Value {
		o.Value = nil
	}
	// They are written in whole milliseconds, and were read as they stand.
	o.Usage.CPU = milliseconds(o.Usage.CPU)
	o.Usage.Wall = milliseconds(o.Usage.Wall)
	return o, nil
}

// milliseconds is a duration that was read as so many nanoseconds.
func milliseconds(d time.Duration) time.Duration { return time.Duration(d.Nanoseconds() * 1_000_000) }
