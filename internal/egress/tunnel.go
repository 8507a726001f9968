package egress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"palisade/internal/peer"
)

// connect takes a CONNECT: the peer is judged, its first bytes must be TLS for
// that very peer, and then it is passed on, or opened where policy says so.
func (s *session) connect(w http.ResponseWriter, r *http.Request) {
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the channel is gone
	}
	defer func() { _ = client.Close() }()
	a, about, upstream, err := s.admit(r)
	if err != nil {
		s.failed(brief(r.RequestURI), "CONNECT: ", err)
		s.refuseConnect(client, err)
		return
	}
	if upstream != nil {
		defer func() { _ = upstream.Close() }()
	}
	if err := answer(client, "200 Connection established"); err != nil {
		return
	}
	conn := &ahead{Conn: client, r: buffered.Reader}
	if err := s.tunnel(conn, upstream, a, about); err != nil {
		s.refused(a.String(), err.Error())
		// So that the program learns more than that its connection broke:
		// access_denied (RFC 8446, section 6).
		_, _ = client.Write([]byte{21, 3, 3, 0, 2, 2, 49})
	}
}

// admit judges a CONNECT and connects to its peer, unless its TLS is opened.
func (s *session) admit(r *http.Request) (a peer.Authority, about rules, upstream net.Conn, err error) {
	if a, err = peer.ParseAuthority(r.RequestURI, ""); err != nil {
		return a, nil, nil, refuse("%s", err)
	}
	if about, err = s.rules.about(a); err != nil {
		return a, nil, nil, err
	}
	if about.terminate() {
		_, err = s.reach.addresses(s.ctx, a)
		return a, about, nil, err
	}
	upstream, err = s.reach.dial(s.ctx, a)
	return a, about, upstream, err
}

// refuseConnect answers with the reason in the status line, which is the one
// part that clients show.
func (s *session) refuseConnect(client net.Conn, err error) {
	_ = answer(client, fmt.Sprintf("%d palisade: %s", code(err), oneLine(err.Error())))
}

func answer(client net.Conn, status string) error {
	if err := client.SetWriteDeadline(time.Now().Add(headTime)); err != nil {
		return err
	}
	_, err := io.WriteString(client, "HTTP/1.1 "+status+"\r\n\r\n")
	return errors.Join(err, client.SetDeadline(time.Time{}))
}

// tunnel reads the first message of TLS and goes on as policy says. An error is
// a refusal; that a connection ends is none.
func (s *session) tunnel(client *ahead, upstream net.Conn, a peer.Authority, about rules) error {
	if err := client.SetReadDeadline(time.Now().Add(headTime)); err != nil {
		return nil
	}
	first, err := client.first()
	if err == nil && first != recordHandshake {
		// Some programs tunnel plain HTTP too. It is read as it would be without.
		_ = client.SetReadDeadline(time.Time{})
		s.serveOne(client, func(w http.ResponseWriter, r *http.Request) { s.inside(w, r, "http", a, about) })
		return nil
	}
	h, err := readHello(client)
	if _, refused := errors.AsType[*refusal](err); refused {
		return err
	}
	if err != nil {
		s.begin(a.String(), "CONNECT").end("ended before TLS began")
		return nil
	}
	if err := h.matches(a); err != nil {
		return err
	}
	if err := client.SetReadDeadline(time.Time{}); err != nil {
		return nil
	}
	if upstream == nil {
		s.terminate(client.again(h.raw), a, about)
		return nil
	}
	at := s.begin(a.String(), "CONNECT, TLS passed on")
	at.end(s.splice(at, client.again(h.raw), upstream))
	return nil
}

// matches holds the name that TLS asks for to the peer that was judged.
func (h hello) matches(a peer.Authority) error {
	switch {
	case h.ech:
		return refuse("TLS hides the name of its server (ECH)")
	case a.Addr.IsValid() && h.name != "":
		return refuse("TLS asks for the server %q, CONNECT for %s", brief(h.name), a.Host)
	case !a.Addr.IsValid() && h.name == "":
		return refuse("TLS does not say which server it asks for (SNI); CONNECT asks for %s", a.Host)
	case !a.Addr.IsValid() && strings.ToLower(h.name) != a.Host:
		return refuse("TLS asks for the server %q, CONNECT for %s", brief(h.name), a.Host)
	}
	return nil
}

// splice passes bytes in both directions until either side has ended or
// nothing has come for a while, and says how it ended.
func (s *session) splice(at *attempt, client, upstream net.Conn) string {
	back := make(chan error, 1)
	go func() { back <- pump(client, upstream, at.received) }()
	there := make(chan error, 1)
	go func() { there <- pump(upstream, client, at.sent) }()
	var first error
	select {
	case first = <-back:
		back = nil
	case first = <-there:
		there = nil
	case <-s.ctx.Done():
	}
	if first == nil && s.ctx.Err() == nil {
		// One side has said its last; the other may still speak.
		select {
		case first = <-orNever(back, there):
		case <-s.ctx.Done():
		}
	}
	_, _ = client.Close(), upstream.Close()
	if errors.Is(first, errSpent) {
		return errSpent.Error()
	}
	return ""
}

// orNever is the channel of two that is left.
func orNever(a, b chan error) chan error {
	if a != nil {
		return a
	}
	return b
}

// pump copies until the end, which it passes on.
func pump(to, from net.Conn, count func(int) error) error {
	buf := make([]byte, 32<<10)
	for {
		if err := from.SetReadDeadline(time.Now().Add(idleTime)); err != nil {
			return err
		}
		n, err := from.Read(buf)
		if n > 0 {
			if over := count(n); over != nil {
				return over
			}
			if err := to.SetWriteDeadline(time.Now().Add(idleTime)); err != nil {
				return err
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			if half, ok := to.(interface{ CloseWrite() error }); ok {
				return half.CloseWrite()
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// ahead is a connection of which some bytes were read already.
type ahead struct {
	net.Conn
	r io.Reader
}

// first returns the next byte, which is still read after that.
func (a *ahead) first() (byte, error) {
	one := make([]byte, 1)
	if _, err := io.ReadFull(a.r, one); err != nil {
		return 0, err
	}
	a.r = io.MultiReader(bytes.NewReader(one), a.r)
	return one[0], nil
}

func (a *ahead) Read(p []byte) (int, error) { return a.r.Read(p) }

// CloseWrite passes on the end of what is sent.
func (a *ahead) CloseWrite() error {
	if half, ok := a.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return a.Close()
}

// again puts bytes back in front.
func (a *ahead) again(raw []byte) *ahead {
	return &ahead{Conn: a.Conn, r: io.MultiReader(bytes.NewReader(raw), a.r)}
}

// oneLine makes a text fit for a line of a head: what is not plain is a
// question mark.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}
