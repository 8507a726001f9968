package packet

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func pair(t *testing.T) (a, b *net.UnixConn) {
	t.Helper()
	a, f, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	b, err = Open(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a, b
}

// TestMessages: what is sent arrives whole, each by itself, with its descriptors.
func TestMessages(t *testing.T) {
	a, b := pair(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	one, two := NewConn(a), NewConn(b)
	if err := errors.Join(one.Send("first", w), one.Send("second")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	var said string
	fds, err := two.Receive(&said)
	if err != nil || said != "first" || len(fds) != 1 {
		t.Fatalf("%q with %d descriptors: %v", said, len(fds), err)
	}
	files := Files(fds)
	if flags, err := unix.FcntlInt(files[0].Fd(), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("flags %#x: a program would not expect it not to block: %v", flags, err)
	}
	if _, err := files[0].WriteString("x"); err != nil {
		t.Fatal(err)
	}
	CloseAll(append(files, nil))
	if got, err := io.ReadAll(r); err != nil || string(got) != "x" {
		t.Errorf("%q through the pipe: %v", got, err)
	}
	if fds, err = two.Receive(&said); err != nil || said != "second" || len(fds) != 0 {
		t.Errorf("%q with %d descriptors: %v", said, len(fds), err)
	}
}

// TestBounds: what is too much is refused before it is sent.
func TestBounds(t *testing.T) {
	a, _ := pair(t)
	for what, err := range map[string]error{
		"nothing":      Write(a, nil, nil),
		"long":         NewConn(a).Send(strings.Repeat("x", Max)),
		"many files":   Write(a, []byte("x"), make([]*os.File, MaxFiles+1)),
		"not sendable": NewConn(a).Send(func() {}),
	} {
		if err == nil {
			t.Errorf("%s: sent", what)
		}
	}
}

// TestBrokenMessages: a message that cannot be read costs no descriptor.
func TestBrokenMessages(t *testing.T) {
	a, b := pair(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	long := make([]byte, Max+1)
	if err := Write(a, []byte("{"), []*os.File{w}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.WriteMsgUnix(long, unix.UnixRights(int(w.Fd())), nil); err != nil {
		t.Fatal(err)
	}
	w.Close()
	var v any
	for _, what := range []string{"not JSON", "cut"} {
		if fds, err := NewConn(b).Receive(&v); err == nil || fds != nil {
			t.Errorf("%s: %v with %d descriptors", what, v, len(fds))
		}
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("a descriptor is still open: %v", err)
	}
	a.Close()
	if _, err := NewConn(b).Receive(&v); !errors.Is(err, io.EOF) {
		t.Errorf("the end of the other side: %v", err)
	}
}
