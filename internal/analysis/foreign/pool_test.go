package foreign

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"palisade/internal/analysis"
)

func TestMain(m *testing.M) {
	readText = misbehave
	if Reexec() {
		return
	}
	os.Exit(m.Run())
}

// misbehave does what a text says: what a broken parser might.
func misbehave(t analysis.Text) (analysis.Reading, error) {
	what := ""
	switch t.Source {
	case "":
		return analysis.Reading{Canonical: []byte("read")}, nil
	case "syntax":
		return analysis.Reading{}, &analysis.SyntaxError{Line: 3, Column: 4, Message: "no"}
	case "panic":
		panic("of the parser")
	case "overflow":
		what = text(overflow(nil))
	case "memory":
		var all [][]byte
		for {
			b := make([]byte, 16<<20)
			for i := range b {
				b[i] = 1
			}
			all = append(all, b)
			_ = all
		}
	case "bomb":
		return analysis.Reading{Lines: make([]int, maxValues+2)}, nil
	case "threads":
		var all sync.WaitGroup
		for range 32 { // more than ran before the filter was loaded
			all.Go(func() { runtime.LockOSThread(); time.Sleep(10 * time.Millisecond) })
		}
		all.Wait()
		what = "read"
	case "loop":
		for {
			what = what[:0]
		}
	case "file":
		_, err := os.ReadFile("/etc/hostname")
		what = text(err)
	case "write":
		what = text(os.WriteFile("/tmp/palisade-reader", nil, 0o600))
	case "network":
		_, err := net.Dial("tcp", "127.0.0.1:1")
		what = text(err)
	case "exec":
		what = text(exec.Command("/bin/true").Run())
	}
	return analysis.Reading{Canonical: []byte(what)}, nil
}

func text(err error) string {
	if err == nil {
		return "it worked"
	}
	return err.Error()
}

// overflow calls itself without an end.
func overflow(err error) error {
	return fmt.Errorf("deeper: %w", overflow(err)) //nolint:staticcheck // SA5007: it is to overflow
}

func read(t *testing.T, p *Pool, source string) (string, error) {
	t.Helper()
	got, err := p.Read(context.Background(), analysis.Text{Language: "misbehaved", Source: source})
	return string(got.Canonical), err
}

func newPool(t *testing.T, c Config) *Pool {
	t.Helper()
	p := NewPool(c)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func TestWhateverATextDoesTheCallerGoesOn(t *testing.T) {
	p := newPool(t, Config{Wall: time.Minute}) // a busy machine takes seconds to fill memory
	hasty := newPool(t, Config{Wall: time.Second})
	for source, want := range map[string]string{
		"panic": "panicked: of the parser", "overflow": "stack", "memory": "misbehaved ended: EOF", "loop": "took more than", "bomb": "values",
	} {
		p := p
		if source == "loop" {
			p = hasty
		}
		if _, err := read(t, p, source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
		if got, err := read(t, p, ""); err != nil || got != "read" {
			t.Errorf("after %s: %q, %v", source, got, err)
		}
	}
	if syntax, ok := errors.AsType[*analysis.SyntaxError](func() error { _, err := read(t, p, "syntax"); return err }()); !ok || syntax.Line != 3 {
		t.Error("a syntax error does not arrive")
	}
}

func TestAReaderReachesNothing(t *testing.T) {
	p := newPool(t, Config{})
	for _, source := range []string{"file", "write", "network", "exec"} {
		got, err := read(t, p, source)
		if err != nil || !strings.Contains(got, "operation not permitted") {
			t.Errorf("%s: %q, %v", source, got, err)
		}
	}
}

// Also in a program built with cgo, whose threads are made by the C library.
func TestAReaderStartsThreads(t *testing.T) {
	if got, err := read(t, newPool(t, Config{}), "threads"); err != nil || got != "read" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	p := newPool(t, Config{Children: 2, Texts: 3})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got, err := read(t, p, ""); err != nil || got != "read" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	all.Wait()
	if n := len(p.idle); n > 2 {
		t.Errorf("%d children", n)
	}
}

func TestEndedContext(t *testing.T) {
	p := newPool(t, Config{Children: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := p.Read(ctx, analysis.Text{Language: "misbehaved", Source: "loop"})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

func TestClosed(t *testing.T) {
	p := NewPool(Config{})
	if _, err := read(t, p, ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, p, ""); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}
