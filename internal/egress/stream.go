package egress

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// stream is one connection of a program to the proxy.
type stream struct {
	mux *mux
	id  uint32

	mu      sync.Mutex
	changed chan struct{} // closed when any of what follows has changed
	in      []byte        // came and was not read yet
	taken   int           // read and not yet given back as window
	eof     bool          // nothing more comes
	err     error         // the stream is gone
	window  int           // bytes that may be sent
	sealed  bool          // nothing more is sent
	readBy  time.Time
	writeBy time.Time
}

func newStream(m *mux, id uint32) *stream {
	return &stream{mux: m, id: id, changed: make(chan struct{}), window: window}
}

// wake lets everyone who waits look again. The lock is held.
func (s *stream) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// receive takes bytes from the box.
func (s *stream) receive(p []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.eof {
		return fmt.Errorf("%w: data after the end of stream %d", errFrame, s.id)
	}
	if len(s.in)+s.taken+len(p) > window {
		return fmt.Errorf("%w: stream %d sends more than its window", errFrame, s.id)
	}
	if s.err == nil {
		s.in = append(s.in, p...)
		s.wake()
	}
	return nil
}

func (s *stream) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.eof = true
	s.wake()
}

func (s *stream) credit(n uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int64(s.window)+int64(n) > window {
		return fmt.Errorf("%w: stream %d takes more than its window", errFrame, s.id)
	}
	s.window += int(n)
	s.wake()
	return nil
}

// dropped ends the stream at once.
func (s *stream) dropped(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		s.wake()
	}
}

// await waits for a change, at most until a deadline. It is called with the
// lock, and returns with it.
func (s *stream) await(by time.Time) error {
	changed := s.changed
	if by.IsZero() {
		s.mu.Unlock()
		<-changed
		s.mu.Lock()
		return nil
	}
	left := time.Until(by)
	if left <= 0 {
		return os.ErrDeadlineExceeded
	}
	s.mu.Unlock()
	timer := time.NewTimer(left)
	select {
	case <-changed:
	case <-timer.C:
	}
	timer.Stop()
	s.mu.Lock()
	return nil
}

// Read implements [net.Conn].
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	for len(s.in) == 0 {
		if s.err != nil || s.eof {
			err := s.err
			s.mu.Unlock()
			if err == nil {
				err = io.EOF
			}
			return 0, err
		}
		if err := s.await(s.readBy); err != nil {
			s.mu.Unlock()
			return 0, err
		}
	}
	n := copy(p, s.in)
	s.in = s.in[n:]
	if len(s.in) == 0 {
		s.in = nil // lets go of what it grew to
	}
	s.taken += n
	give := 0
	if s.taken >= window/4 && s.err == nil {
		give, s.taken = s.taken, 0
	}
	s.mu.Unlock()
	if give > 0 {
		// Where it cannot be sent, the channel is gone: the next call says so.
		_ = s.mux.send(frameWindow, s.id, binary.BigEndian.AppendUint32(nil, uint32(give)))
	}
	return n, nil
}

// Write implements [net.Conn].
func (s *stream) Write(p []byte) (int, error) {
	sent := 0
	for len(p) > 0 {
		n, err := s.reserve(min(len(p), maxPayload))
		if err == nil {
			err = s.mux.send(frameData, s.id, p[:n])
		}
		if err != nil {
			return sent, err
		}
		sent += n
		p = p[n:]
	}
	return sent, nil
}

// reserve takes at most n bytes of the window.
func (s *stream) reserve(n int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && !s.sealed && s.window == 0 {
		if err := s.await(s.writeBy); err != nil {
			return 0, err
		}
	}
	if s.err != nil {
		return 0, s.err
	}
	if s.sealed {
		return 0, net.ErrClosed
	}
	n = min(n, s.window)
	s.window -= n
	return n, nil
}

// CloseWrite says that no more bytes are sent.
func (s *stream) CloseWrite() error {
	s.mu.Lock()
	if s.sealed || s.err != nil {
		s.mu.Unlock()
		return nil
	}
	s.sealed = true
	s.wake()
	s.mu.Unlock()
	return s.mux.send(frameEnd, s.id, nil)
}

// Close implements [net.Conn]. What was written still arrives.
func (s *stream) Close() error {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return nil
	}
	s.err, s.in = net.ErrClosed, nil
	s.wake()
	s.mu.Unlock()
	s.mux.forget(s)
	return s.mux.send(frameClose, s.id, nil)
}

// LocalAddr implements [net.Conn].
func (s *stream) LocalAddr() net.Addr { return boxAddr{} }

// RemoteAddr implements [net.Conn].
func (s *stream) RemoteAddr() net.Addr { return boxAddr{} }

// SetDeadline implements [net.Conn].
func (s *stream) SetDeadline(t time.Time) error { return s.setDeadlines(&t, &t) }

// SetReadDeadline implements [net.Conn].
func (s *stream) SetReadDeadline(t time.Time) error { return s.setDeadlines(&t, nil) }

// SetWriteDeadline implements [net.Conn]. It bounds the wait for the box to take
// what was sent before.
func (s *stream) SetWriteDeadline(t time.Time) error { return s.setDeadlines(nil, &t) }

func (s *stream) setDeadlines(read, write *time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if read != nil {
		s.readBy = *read
	}
	if write != nil {
		s.writeBy = *write
	}
	s.wake()
	return nil
}
