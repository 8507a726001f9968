package resident

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
)

const (
	// maxClients is how many are served at once; more are told so.
	maxClients = 256
	// requestTime is how long a client may take to send its request.
	requestTime = 30 * time.Second
	// writeTime is how long one may leave a message unread: its run ends then.
	writeTime = 30 * time.Second
)

// Server takes submissions from a socket.
type Server struct {
	// Run takes one submission of a peer through the gate. notice gets what
	// whoever waits should know. Required.
	Run func(ctx context.Context, p Peer, r Request, notice func(string)) (palisade.Outcome, error)
	// Logger gets what an operator should know. Nil: nothing is logged.
	Logger *slog.Logger

	listener *net.UnixListener
	clients  sync.WaitGroup
	places   chan struct{}
}

// ErrRunning says that another gate listens on the socket.
var ErrRunning = errors.New("a resident gate listens there already")

// Listen makes the socket. One that a dead gate left is replaced.
func (s *Server) Listen(path string) error {
	if err := ownFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		_ = c.Close()
		return fmt.Errorf("%s: %w", path, ErrRunning)
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&fs.ModeSocket == 0 {
			return fmt.Errorf("%s is there and is no socket", path)
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	// The socket is never open to others, not for a moment: only this user may
	// enter the folder, or write in it.
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, l.Close())
	}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	s.listener, s.places = l, make(chan struct{}, maxClients)
	return nil
}

// ownFolder refuses a folder in which somebody else could put a socket.
func ownFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s must belong to this user and be writable by no other, to hold a socket", dir)
	}
	return nil
}

// Serve serves until ctx is done. Runs that are on their way then are interrupted
// and recorded before it returns.
func (s *Server) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer s.clients.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = s.listener.Close() }) // removes the socket
	defer stop()
	for {
		conn, err := s.listener.AcceptUnix()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
				time.Sleep(100 * time.Millisecond)
				continue
			}
			return fmt.Errorf("accept: %w", err)
		}
		s.clients.Go(func() {
			defer func() { _ = conn.Close() }()
			if err := s.client(ctx, conn); err != nil {
				s.Logger.Warn("resident", slog.Any("error", err))
			}
		})
	}
}

// client serves one connection.
func (s *Server) client(ctx context.Context, conn *net.UnixConn) error {
	out := &writer{conn: conn}
	peer, err := peerOf(conn)
	if err != nil {
		return err
	}
	if peer.UID != os.Geteuid() && peer.UID != 0 {
		return fmt.Errorf("user %d connected: only user %d may", peer.UID, os.Geteuid())
	}
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		return out.send(message{Kind: kindFailed, Text: fmt.Sprintf("busy: %d programs are served already; try again in a moment", maxClients)})
	}
	if err := conn.SetReadDeadline(time.Now().Add(requestTime)); err != nil {
		return err
	}
	var r Request
	if err := receive(conn, MaxRequest, &r); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // somebody looked whether anyone is here
		}
		return errors.Join(err, out.send(message{Kind: kindInvalid, Text: "the request cannot be read: " + err.Error()}))
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // nothing more comes: the end does when the client goes
		_, _ = io.Copy(io.Discard, io.LimitReader(conn, 1))
		cancel()
	}()
	return s.run(ctx, peer, r, out)
}

func (s *Server) run(ctx context.Context, p Peer, r Request, out *writer) error {
	if r.Live {
		r.Submission.Live = palisade.Live{Stdout: live{out, kindStdout}, Stderr: live{out, kindStderr}}
	}
	outcome, err := s.Run(ctx, p, r, func(text string) { _ = out.send(message{Kind: kindNotice, Text: text}) })
	if invalid, ok := errors.AsType[*palisade.InputError](err); ok {
		return out.send(message{Kind: kindInvalid, Text: invalid.Reason})
	}
	if err != nil {
		return errors.Join(err, out.send(message{Kind: kindFailed, Text: err.Error()}))
	}
	for _, a := range outcome.Artifacts {
		if err := out.send(message{Kind: kindArtifact, Data: a.Data}); err != nil {
			return err
		}
	}
	return out.send(message{Kind: kindOutcome, Outcome: &outcome, Value: outcome.Value != nil})
}

// writer sends messages of one run, which come from several goroutines.
type writer struct {
	mu   sync.Mutex
	conn net.Conn
	err  error
}

func (w *writer) send(m message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if w.err = w.conn.SetWriteDeadline(time.Now().Add(writeTime)); w.err == nil {
		w.err = send(w.conn, m)
	}
	if errors.Is(w.err, syscall.EPIPE) || errors.Is(w.err, net.ErrClosed) {
		w.err = errGone
	}
	return w.err
}

// errGone is a client that went away.
var errGone = errors.New("the client went away")

// live passes a program's output on.
type live struct {
	out  *writer
	kind kind
}

func (l live) Write(p []byte) (int, error) {
	if err := l.out.send(message{Kind: l.kind, Data: p}); err != nil {
		return 0, err
	}
	return len(p), nil
}
