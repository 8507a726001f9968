package egress

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"palisade"
)

func TestStreamsCarryBytes(t *testing.T) {
	w := newWay(t, runConfig{Run: "r", Peers: []palisade.Peer{{Name: "x.example.com"}}})
	served := make(chan net.Conn, 1)
	l, r := pair(t)
	go func() { c, _ := l.Accept(); served <- c }()
	out := r.open()
	text := bytes.Repeat([]byte("0123456789abcdef"), 100_000) // more than the window, many times
	go func() { _, _ = out.Write(text); _ = out.CloseWrite() }()
	in := <-served
	got, err := io.ReadAll(in)
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes of %d came: %v", len(got), len(text), err)
	}
	go func() { _, _ = in.Write(text); _ = in.Close() }()
	got, err = io.ReadAll(out)
	if !bytes.Equal(got, text) || err != nil && !errors.Is(err, net.ErrClosed) {
		t.Errorf("%d bytes of %d came back: %v", len(got), len(text), err)
	}
	_ = w
}

// opener is the box's side of a channel.
type opener struct{ *mux }

func (o *opener) open() *stream {
	o.mu.Lock()
	o.last++
	s := newStream(o.mux, o.last)
	o.live[s.id] = s
	o.mu.Unlock()
	_ = o.send(frameOpen, s.id, nil)
	return s
}

func pair(t *testing.T) (*mux, *opener) {
	t.Helper()
	ar, bw := pipe(t)
	br, aw := pipe(t)
	yes := func(int) error { return nil }
	a, b := newMux(ar, aw, yes), newMux(br, bw, yes)
	go func() { _ = a.serve() }()
	go func() { _ = b.serve() }()
	t.Cleanup(func() { a.end(nil); b.end(nil) })
	return a, &opener{b}
}

func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStream(newMux(io.NopCloser(strings.NewReader("")), discard{}, nil), 1)
		_ = s.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := s.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		_ = s.SetWriteDeadline(time.Now().Add(time.Minute))
		if n, err := s.Write(make([]byte, window+1)); n != window || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(n, err)
		}
		go func() { time.Sleep(time.Second); _ = s.SetReadDeadline(time.Now()) }()
		_ = s.SetReadDeadline(time.Time{})
		if _, err := s.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("a deadline that is set while one waits:", err)
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

// TestHostileFrames ends the channel over what is against the protocol.
func TestHostileFrames(t *testing.T) {
	add := appendFrame
	open := add(nil, frameOpen, 1, nil)
	full := open
	for range window / maxPayload {
		full = add(full, frameData, 1, make([]byte, maxPayload))
	}
	credit := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	for name, raw := range map[string][]byte{
		"a kind that is none": add(open, 'Z', 1, nil), "data of a stream that is none": add(nil, frameData, 7, []byte("x")), "stream 0": add(nil, frameOpen, 0, nil),
		"a stream twice": add(open, frameOpen, 1, nil), "an older stream": add(add(nil, frameOpen, 5, nil), frameOpen, 4, nil), "no data": add(open, frameData, 1, nil),
		"data after the end": add(add(open, frameEnd, 1, nil), frameData, 1, []byte("x")), "more than the window": add(full, frameData, 1, []byte("x")),
		"credit that was not taken": add(open, frameWindow, 1, credit(1)), "much credit": add(open, frameWindow, 1, credit(1<<32-1)), "credit of 3 bytes": add(open, frameWindow, 1, []byte("abc")),
		"an open with data": add(nil, frameOpen, 1, []byte("x")), "too long": append(open, frameData, 0, 0, 0, 1, 0xff, 0xff),
	} {
		m := newMux(io.NopCloser(bytes.NewReader(raw)), discard{}, func(int) error { return nil })
		if err := m.serve(); !errors.Is(err, errFrame) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.Accept(); err == nil && len(m.streams) == 0 {
			continue // a stream was opened before
		}
	}
	if err := newMux(io.NopCloser(bytes.NewReader(open[:4])), discard{}, nil).serve(); err == nil {
		t.Error("half a frame is taken")
	}
}

func FuzzMux(f *testing.F) {
	f.Add(appendFrame(appendFrame(nil, frameOpen, 1, nil), frameData, 1, []byte("GET http://x.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n")))
	f.Add(appendFrame(appendFrame(nil, frameOpen, 1, nil), frameClose, 1, nil))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := newMux(io.NopCloser(bytes.NewReader(raw)), discard{}, func(open int) error {
			if open >= maxOpen {
				return errors.New("many")
			}
			return nil
		})
		go func() {
			for {
				c, err := m.Accept()
				if err != nil {
					return
				}
				_, _ = io.CopyN(io.Discard, c, 10)
				_ = c.Close()
			}
		}()
		_ = m.serve()
		held := 0
		for _, s := range m.live {
			held += len(s.in)
		}
		if held > maxOpen*window {
			t.Errorf("%d bytes are held", held)
		}
	})
}

// FuzzRequests gives the proxy what a program may send: nothing but what is
// allowed is connected to.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		"CONNECT api.example.com:443 HTTP/1.1\r\n\r\n", "GET http://api.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://127.0.0.2/ HTTP/1.1\r\n\r\n",
		"POST http://api.example.com/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "\x16\x03\x01",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		w := newWay(t, runConfig{Run: "r", Peers: []palisade.Peer{{Name: "api.example.com"}}})
		c := w.dial()
		_, _ = c.Write(raw)
		_ = c.(*stream).CloseWrite()
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
		_, _ = io.Copy(io.Discard, c)
		w.box.end(nil)
		<-w.ended
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, e := range w.events {
			if !e.Refused && e.Peer != "" && e.Peer != "api.example.com:80" && e.Peer != "api.example.com:443" {
				t.Errorf("%q reaches %+v", raw, e)
			}
		}
	})
}

func FuzzHello(f *testing.F) {
	f.Add([]byte("\x16\x03\x01\x00\x04\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		h, err := readHello(bytes.NewReader(raw))
		if err == nil && !bytes.HasPrefix(raw, h.raw) {
			t.Error("what is sent on is not what came")
		}
	})
}
