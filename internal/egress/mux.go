package egress

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// mux is the proxy's end of one box's channel: a listener whose connections are
// the box's streams. Everything that comes from the box is foreign: what is
// against the protocol ends the channel, and with it the way out.
type mux struct {
	in      io.ReadCloser
	out     io.WriteCloser
	streams chan *stream // opened, not yet accepted
	done    chan struct{}
	// refuse says why a stream is not taken, at its opening; nil: it is taken.
	refuse func(open int) error

	sending sync.Mutex // of whole frames

	mu   sync.Mutex
	live map[uint32]*stream
	last uint32 // the highest number of a stream so far
	err  error  // why it ended
}

// errGone says that a channel has ended.
var errGone = errors.New("the box's channel is closed")

func newMux(in io.ReadCloser, out io.WriteCloser, refuse func(open int) error) *mux {
	return &mux{
		in: in, out: out, refuse: refuse, live: map[uint32]*stream{},
		streams: make(chan *stream, maxOpen), done: make(chan struct{}),
	}
}

// serve takes frames until the channel ends, and says why it ended: nil where
// the box closed it between two frames.
func (m *mux) serve() error {
	r, buf := bufio.NewReaderSize(m.in, 64<<10), new([maxPayload]byte)
	for {
		f, err := readFrame(r, buf)
		if err == nil {
			err = m.take(f)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			m.end(err)
			return err
		}
	}
}

// take does what a frame says.
func (m *mux) take(f frame) error {
	m.mu.Lock()
	s := m.live[f.stream]
	m.mu.Unlock()
	if f.kind == frameOpen {
		return m.open(f.stream)
	}
	if s == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if f.stream == 0 || f.stream > m.last {
			return fmt.Errorf("%w: stream %d was not opened", errFrame, f.stream)
		}
		return nil // it is closed on this side; the frame was on its way
	}
	switch f.kind {
	case frameData:
		return s.receive(f.payload)
	case frameEnd:
		s.ended()
	case frameWindow:
		return s.credit(binary.BigEndian.Uint32(f.payload))
	case frameClose:
		s.dropped(net.ErrClosed)
		m.forget(s)
	}
	return nil
}

func (m *mux) open(id uint32) error {
	m.mu.Lock()
	if id <= m.last {
		m.mu.Unlock()
		return fmt.Errorf("%w: stream %d again", errFrame, id)
	}
	m.last = id
	open := len(m.live)
	if err := m.refuse(open); err != nil {
		m.mu.Unlock()
		return m.send(frameClose, id, nil)
	}
	s := newStream(m, id)
	m.live[id] = s
	m.mu.Unlock()
	select {
	case m.streams <- s:
		return nil
	case <-m.done:
		return errGone
	}
}

// send writes one frame whole.
func (m *mux) send(kind byte, id uint32, payload []byte) error {
	m.sending.Lock()
	defer m.sending.Unlock()
	_, err := m.out.Write(appendFrame(make([]byte, 0, headerSize+len(payload)), kind, id, payload))
	return err
}

func (m *mux) forget(s *stream) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.live, s.id)
}

// end ends the channel and all its streams, once.
func (m *mux) end(err error) {
	m.mu.Lock()
	select {
	case <-m.done:
		m.mu.Unlock()
		return
	default:
	}
	m.err = err
	close(m.done)
	streams := m.live
	m.live = map[uint32]*stream{}
	m.mu.Unlock()
	for _, s := range streams {
		s.dropped(errGone)
	}
	_, _ = m.in.Close(), m.out.Close()
}

// Accept implements [net.Listener].
func (m *mux) Accept() (net.Conn, error) {
	select {
	case s := <-m.streams:
		return s, nil
	case <-m.done:
		return nil, errGone
	}
}

// Close implements [net.Listener].
func (m *mux) Close() error {
	m.end(errGone)
	return nil
}

// Addr implements [net.Listener].
func (m *mux) Addr() net.Addr { return boxAddr{} }

// boxAddr is what a stream has for an address.
type boxAddr struct{}

func (boxAddr) Network() string { return "box" }
func (boxAddr) String() string  { return "box" }
