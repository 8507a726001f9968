package resident

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"palisade"
)

// serve runs a server whose gate is run, and returns its socket.
func serve(t *testing.T, run func(context.Context, palisade.Submission) (palisade.Outcome, error)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "resident-") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	s := &Server{Run: func(ctx context.Context, p Peer, r Request, notice func(string)) (palisade.Outcome, error) {
		if p.UID != os.Geteuid() || p.PID != os.Getpid() {
			t.Errorf("peer %+v", p)
		}
		notice("a notice")
		return run(ctx, r.Submission)
	}}
	if err := s.Listen(socket); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(socket); err == nil {
			t.Error("the socket is left")
		}
	})
	return socket
}

func TestOutcomeArrivesWhole(t *testing.T) {
	for name, value := range map[string]string{"a value": `{"a":[1,2]}`, "null": "null", "none": ""} {
		want := palisade.Outcome{
			Run: "r1", Status: palisade.OK, Decision: palisade.Allow, Success: true, ExitCode: 0,
			Usage:     palisade.Usage{CPU: 12 * time.Millisecond, Wall: 34 * time.Millisecond, MemoryPeak: 5},
			Artifacts: []palisade.Artifact{{Name: "a", Size: 3, Data: []byte{0, 1, 255}}, {Name: "b", Data: []byte{}}},
			Sandbox:   palisade.SandboxReport{Limits: palisade.Limits{CPU: time.Second, Wall: 2 * time.Second, Memory: 1 << 20}},
		}
		if value != "" {
			want.Value = []byte(value)
		}
		want.Complete()
		socket := serve(t, func(_ context.Context, s palisade.Submission) (palisade.Outcome, error) {
			if string(s.Program.Source) != "print(1)" || len(s.Files) != 1 || string(s.Files[0].Data) != "\x00\xff" {
				t.Errorf("submission %+v", s)
			}
			_, _ = s.Live.Stdout.Write([]byte("out"))
			_, _ = s.Live.Stderr.Write([]byte("err"))
			return want, nil
		})
		var out, errOut bytes.Buffer
		notices := ""
		got, err := Client{Socket: socket, Notice: func(n string) { notices += n }}.Run(t.Context(), palisade.Submission{
			Program: palisade.Program{Source: []byte("print(1)")}, Files: []palisade.File{{Name: "f", Data: []byte("\x00\xff")}},
			Live: palisade.Live{Stdout: &out, Stderr: &errOut},
		}, 0)
		if err != nil {
			t.Fatal(err)
		}
		// By their text: whether a list is empty or nil says nothing.
		if fmt.Sprintf("%+v", want) != fmt.Sprintf("%+v", got) || (want.Value == nil) != (got.Value == nil) {
			t.Errorf("%s:\n%+v\n%+v", name, got, want)
		}
		if out.String() != "out" || errOut.String() != "err" || notices != "a notice" {
			t.Errorf("%q %q %q", out.String(), errOut.String(), notices)
		}
	}
}

func TestErrorsKeepTheirKind(t *testing.T) {
	for _, want := range []error{&palisade.InputError{Reason: "no such profile"}, &palisade.RunError{Run: "r9", Err: errors.New("the log is full")}} {
		socket := serve(t, func(context.Context, palisade.Submission) (palisade.Outcome, error) { return palisade.Outcome{}, want })
		_, err := Client{Socket: socket}.Run(t.Context(), palisade.Submission{}, 0)
		_, invalid := errors.AsType[*palisade.InputError](want)
		_, got := errors.AsType[*palisade.InputError](err)
		if err == nil || got != invalid || err.Error() != want.Error() {
			t.Errorf("%v became %v", want, err)
		}
	}
}

func TestAClientThatGoesInterruptsItsRun(t *testing.T) {
	begun := make(chan struct{}, 2)
	socket := serve(t, func(ctx context.Context, _ palisade.Submission) (palisade.Outcome, error) {
		begun <- struct{}{}
		select {
		case <-ctx.Done():
			return palisade.Outcome{Status: palisade.Interrupted}, nil
		case <-time.After(30 * time.Second):
			return palisade.Outcome{}, errors.New("it was not interrupted")
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	out, err := Client{Socket: socket}.Run(ctx, palisade.Submission{}, 0)
	if err != nil || out.Status != palisade.Interrupted {
		t.Errorf("%+v, %v", out, err)
	}
	conn, err := Client{Socket: socket}.dial(t.Context()) // and one that just drops
	if err != nil {
		t.Fatal(err)
	}
	if err := send(conn, Request{}); err != nil {
		t.Fatal(err)
	}
	<-begun
	_ = conn.Close() // the server's end waits for the run, or the test hangs
}

func TestBadRequests(t *testing.T) {
	socket := serve(t, func(context.Context, palisade.Submission) (palisade.Outcome, error) {
		t.Error("something ran")
		return palisade.Outcome{}, nil
	})
	for name, sent := range map[string]string{
		"nothing": "", "too large": "\xff\xff\xff\xff{}", "cut off": "\x00\x00\x00\x09{}", "not JSON": "\x00\x00\x00\x02{]",
		"a list": "\x00\x00\x00\x02[]",
	} {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(sent))
		_ = conn.(*net.UnixConn).CloseWrite()
		var m message
		err = receive(conn, maxReply, &m)
		if sent != "" && (err != nil || m.Kind != kindInvalid || !strings.Contains(m.Text, "cannot be read")) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		_ = conn.Close()
	}
}

func TestListenRefuses(t *testing.T) {
	socket := serve(t, nil)
	if err := new(Server).Listen(socket); !errors.Is(err, ErrRunning) {
		t.Errorf("a second one: %v", err)
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := new(Server).Listen(filepath.Join(dir, "file")); err == nil {
		t.Error("a file was taken for a socket")
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := new(Server).Listen(filepath.Join(dir, "s")); err == nil {
		t.Error("a folder of everyone's was taken")
	}
	if _, err := (Client{Socket: filepath.Join(dir, "s")}).Run(t.Context(), palisade.Submission{}, 0); !errors.Is(err, ErrNone) {
		t.Errorf("nobody listens: %v", err)
	}
}
