package main

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"palisade/internal/config"
)

// answers is a listener of the command's own with its server, as serve makes them,
// that answers everybody.
func answers(t *testing.T, s config.Serve, free places) net.Listener {
	t.Helper()
	l, err := listen(t.Context(), &config.Config{Serve: s}, "serve.listen", "127.0.0.1:0", free)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{logger: slog.New(slog.DiscardHandler)}
	server := h.answering(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l
}

// inClear asks in clear and returns what comes back within a time.
func inClear(t *testing.T, c net.Conn, wait time.Duration) (string, error) {
	t.Helper()
	if _, err := io.WriteString(c, "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(wait))
	line, err := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSpace(line), err
}

// TestConnectionsAreBounded: over all addresses; more wait until one is closed, and
// all are answered.
func TestConnectionsAreBounded(t *testing.T) {
	free := make(places, 2)
	one, other := answers(t, config.Serve{}, free), answers(t, config.Serve{}, free)
	dial := func(l net.Listener) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	first := dial(one)
	for _, c := range []net.Conn{first, dial(other)} {
		if got, err := inClear(t, c, 10*time.Second); got != "HTTP/1.1 200 OK" {
			t.Fatalf("%q, %v", got, err)
		}
	}
	third := dial(other)
	if got, err := inClear(t, third, 200*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("beyond the bound: %q, %v", got, err)
	}
	_ = first.Close()
	_ = third.SetReadDeadline(time.Now().Add(10 * time.Second))
	if got, err := bufio.NewReader(third).ReadString('\n'); !strings.HasPrefix(got, "HTTP/1.1 200 OK") {
		t.Errorf("once there was a place: %q, %v", got, err)
	}
	_ = third.Close()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
			resp, err := client.Get("http://" + one.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			_ = resp.Body.Close()
		})
	}
	all.Wait()
}
