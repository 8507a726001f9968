package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"syscall"

	"palisade/internal/config"
)

func scheme(s config.Serve) string {
	if s.Certificate != "" {
		return "https"
	}
	return "http"
}

// listen opens the address that a key sets, which others can reach only with TLS.
// Connections take one of the places each.
func listen(ctx context.Context, cfg *config.Config, key, address string, free places) (net.Listener, error) {
	s := cfg.Serve
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, usage("%s: %w: write host:port", cfg.At(key), err)
	}
	ip := net.ParseIP(host)
	near := host == "localhost" || ip != nil && ip.IsLoopback()
	if !near && s.Certificate == "" && s.Key == "" && !s.Plain {
		return nil, usage("%s: %s can be reached by other machines, and keys would go there in clear: give --tls-cert and --tls-key, or --plain where something before it does TLS", cfg.At(key), address)
	}
	settings, err := secured(cfg)
	if err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, exit(1, "%s: another program listens on %s: choose another address", cfg.At(key), address)
	}
	if err != nil {
		return nil, exit(1, "%s: %w", cfg.At(key), err)
	}
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return nil, errors.Join(exit(1, "%s: %s is not TCP", cfg.At(key), address), l.Close())
	}
	l = &limited{TCPListener: tcp, free: free, closed: make(chan struct{})}
	if settings != nil {
		l = tls.NewListener(l, settings)
	}
	return l, nil
}

// secured are the settings of TLS; nil: there is none.
func secured(cfg *config.Config) (*tls.Config, error) {
	s := cfg.Serve
	switch {
	case s.Certificate == "" && s.Key == "":
		return nil, nil
	case s.Key == "":
		return nil, usage("%s: TLS needs --tls-cert and --tls-key: the key is missing", cfg.At("serve.certificate"))
	case s.Certificate == "":
		return nil, usage("%s: TLS needs --tls-cert and --tls-key: the certificate is missing", cfg.At("serve.key"))
	}
	pair, err := tls.LoadX509KeyPair(s.Certificate, s.Key)
	if err != nil {
		return nil, usage("%s: TLS: %w: want in --tls-cert %s a certificate, and in --tls-key %s the key that belongs to it, both in PEM", cfg.At("serve.certificate"), err, s.Certificate, s.Key)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}, nil
}

// places are the connections that may be open at once, over all listeners.
type places chan struct{}

// limited hands a connection on once there is a place for it. One waits with it, the
// others with the kernel.
type limited struct {
	*net.TCPListener
	free   places
	once   sync.Once
	closed chan struct{}
}

// Accept implements [net.Listener].
func (l *limited) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	select {
	case l.free <- struct{}{}:
		return &placed{TCPConn: c, leave: sync.OnceFunc(func() { <-l.free })}, nil
	case <-l.closed:
		return nil, errors.Join(net.ErrClosed, c.Close())
	}
}

// Close implements [net.Listener].
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.TCPListener.Close()
}

// placed is a connection that gives its place back when it is closed.
type placed struct {
	*net.TCPConn
	leave func()
}

// Close implements [net.Conn].
func (p *placed) Close() error {
	defer p.leave()
	return p.TCPConn.Close()
}
