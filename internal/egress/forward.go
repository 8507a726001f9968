package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"time"

	"palisade/internal/peer"
)

// newTransport is how requests that we can read go on: to pinned addresses, and
// by TLS only to servers that this host's authorities vouch for.
func newTransport(s *session, w world) *http.Transport {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(w.roots())
	return &http.Transport{
		DialContext: func(ctx context.Context, _, to string) (net.Conn, error) {
			a, err := peer.ParseAuthority(to, "")
			if err != nil {
				return nil, err
			}
			return s.reach.dial(ctx, a)
		},
		TLSClientConfig:     &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1 alone
		TLSHandshakeTimeout: headTime, ResponseHeaderTimeout: idleTime, ExpectContinueTimeout: time.Second,
		MaxResponseHeaderBytes: maxHeader, MaxIdleConnsPerHost: 4, MaxConnsPerHost: maxOpen, IdleConnTimeout: headTime,
	}
}

// terminate opens a program's TLS and takes the requests in it.
func (s *session) terminate(client net.Conn, a peer.Authority, about rules) {
	leaf, err := s.ca.leaf(a)
	if err != nil {
		s.refused(a.String(), err.Error())
		return
	}
	inner := tls.Server(client, &tls.Config{
		Certificates: []tls.Certificate{*leaf}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	})
	ctx, cancel := context.WithTimeout(s.ctx, headTime)
	err = inner.HandshakeContext(ctx)
	cancel()
	if err != nil {
		s.refused(a.String(), "the program did not agree on TLS: "+brief(err.Error()))
		return
	}
	s.serveOne(inner, func(w http.ResponseWriter, r *http.Request) { s.inside(w, r, "https", a, about) })
}

// serveOne takes the requests on one connection, until it ends.
func (s *session) serveOne(conn net.Conn, handle http.HandlerFunc) {
	one := &oneConn{conn: conn, done: make(chan struct{})}
	server := s.server(handle)
	state := server.ConnState
	server.ConnState = func(c net.Conn, now http.ConnState) {
		state(c, now)
		if now == http.StateClosed || now == http.StateHijacked {
			one.finish()
		}
	}
	_ = server.Serve(one) // it ends with the connection
}

// inside takes a request from inside a tunnel to a: TLS that is opened, or plain
// HTTP.
func (s *session) inside(w http.ResponseWriter, r *http.Request, scheme string, a peer.Authority, about rules) {
	err := error(nil)
	switch host, hostErr := peer.ParseAuthority(r.Host, a.Port); {
	case s.count.Add(1) > MaxConnections:
		err = refuse("this run made more than %d connections", MaxConnections)
	case r.Method == http.MethodConnect:
		err = refuse("a tunnel through a peer is not opened")
	case hostErr != nil || host.String() != a.String():
		err = refuse("the request is for the host %q, its tunnel for %s", brief(r.Host), a)
	case !strings.HasPrefix(r.RequestURI, "/"):
		err = refuse("the request's target is not a path")
	}
	if err != nil {
		s.refused(a.String(), err.Error())
		say(w, http.StatusForbidden, err)
		return
	}
	s.send(w, r, scheme, a, about)
}

// forward takes a request for an http URL.
func (s *session) forward(w http.ResponseWriter, r *http.Request, scheme string, a peer.Authority) {
	about, err := s.rules.about(a)
	if err == nil {
		_, err = s.reach.addresses(r.Context(), a)
	}
	if err != nil {
		s.failed(a.String(), r.Method+": ", err)
		say(w, code(err), err)
		return
	}
	s.send(w, r, scheme, a, about)
}

// send passes a request on, if policy allows it, and its answer back.
func (s *session) send(w http.ResponseWriter, r *http.Request, scheme string, a peer.Authority, about rules) {
	path := r.URL.EscapedPath()
	what := r.Method + " " + brief(path)
	rule, err := about.request(r.Method, path)
	if err == nil && (r.Header.Get("Upgrade") != "" || r.Method == http.MethodTrace) {
		err = refuse("other protocols are not taken up inside HTTP that the proxy reads")
	}
	var held secrets
	if err == nil {
		held, err = s.secrets.put(r, scheme, a, rule)
	}
	if err != nil {
		s.refused(a.String(), what+": "+err.Error())
		say(w, http.StatusForbidden, err)
		return
	}
	at := s.begin(a.String(), what)
	result := ""
	defer func() { at.end(result) }() // also where the proxy gives up by a panic
	proxy := &httputil.ReverseProxy{
		Transport: s.transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = scheme, a.String(), hostLine(scheme, a)
			if p.Out.Body != nil {
				p.Out.Body = &counted{p.Out.Body, at.sent}
			}
			if len(held) > 0 {
				p.Out.Header.Del("Accept-Encoding") // what comes is read, and told in clear
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			result = fmt.Sprintf("status %d", resp.StatusCode)
			resp.Body = &counted{resp.Body, at.received}
			return held.hide(resp)
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			result = failure(err, a)
			say(w, code(err), errors.New(result))
		},
	}
	proxy.ServeHTTP(w, r)
}

// failure says what went wrong with a peer, without its addresses.
func failure(err error, a peer.Authority) string {
	if told, ok := errors.AsType[*unreachable](err); ok {
		return told.Error()
	}
	if told, ok := errors.AsType[*refusal](err); ok {
		return told.Error()
	}
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return a.String() + " is not who it says: " + bad.Err.Error()
	}
	return "the connection to " + a.String() + " failed"
}

// hostLine is the Host of a request: without the port that goes without saying.
func hostLine(scheme string, a peer.Authority) string {
	if scheme == "http" && a.Port == "80" || scheme == "https" && a.Port == "443" {
		if a.Addr.Is6() {
			return "[" + a.Host + "]"
		}
		return a.Host
	}
	return a.String()
}

// counted counts what is read of a body.
type counted struct {
	io.ReadCloser
	count func(int) error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if over := c.count(n); over != nil {
		return 0, over
	}
	return n, err
}

// oneConn is a listener that has one connection.
type oneConn struct {
	conn net.Conn
	done chan struct{}
}

// Accept implements [net.Listener].
func (o *oneConn) Accept() (net.Conn, error) {
	if c := o.conn; c != nil {
		o.conn = nil
		return c, nil
	}
	<-o.done
	return nil, net.ErrClosed
}

// finish ends it: the connection is gone.
func (o *oneConn) finish() {
	select {
	case <-o.done:
	default:
		close(o.done)
	}
}

// Close implements [net.Listener].
func (o *oneConn) Close() error { return nil }

// Addr implements [net.Listener].
func (o *oneConn) Addr() net.Addr { return boxAddr{} }
